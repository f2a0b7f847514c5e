"""What the shell completes names to: of pairs, personas and prompts. Whatever is broken gives
nothing. Imported for `--help`, so what they read is imported late.
"""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], prefix: str) -> list[str]:
    """Return what the shell completes a name to that stands behind others and a comma."""
    before, comma, _ = prefix.rpartition(",")
    return [before + comma + name for name in names]


def files(prefix: str, ending: str) -> list[str]:
    """Return folders, and files with this ending, that a path may lead to."""
    from argcomplete.completers import FilesCompleter

    return list(FilesCompleter([ending])(prefix)) if prefix.startswith((".", "/", "~")) else []


def models(prefix: str, **_: object) -> list[str]:
    """Return what the shell completes a pair's name to, or the path of a GGUF file."""
    return files(prefix, "gguf") or pair_names()


def task_names(prefix: str, **_: object) -> list[str]:
    """Return what the shell completes a benchmark's task to, or the path of a file of tasks; ours
    are called alike in each set.
    """
    from app.bench.taskset import builtin

    if found := files(prefix, "toml"):
        return found
    return listed([task.name for task in builtin("general").tasks], prefix)


def pair_names(**_: object) -> list[str]:
    """Return what the shell completes a pair's name to; a broken models.toml gives nothing."""
    from app.errors import AppError
    from app.models.catalog import load_catalog
    from app.paths import Paths

    try:
        return list(load_catalog(Paths().own_catalog).pairs)
    except (AppError, OSError):
        return []


def persona_names(**_: object) -> list[str]:
    """Return what the shell completes a persona's name to; a broken file gives nothing."""
    from app.errors import AppError
    from app.paths import Paths
    from app.prompts.personas import load

    try:
        return list(load(Paths().personas_file))
    except (AppError, OSError):
        return []


def prompt_names(**_: object) -> list[str]:
    """Return what the shell completes a prompt's name to."""
    from app.paths import Paths
    from app.prompts.prompt_library import listed

    return [name for name, _ in listed(Paths().prompts_dir)]
