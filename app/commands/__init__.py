"""The commands of `slipstream`: one file each, and the file's name is the command's.

A command module has `HELP` (one line), `add_arguments(parser)` and `run(args) -> int`, which
returns the exit code. At its top it imports the standard library only, so that `--help` is instant;
what is heavy it imports inside `run`.
"""
