"""Makes the checkout's environment: .venv, llama.cpp built for this machine, Slipstream in it.

Called by setup.sh, with nothing but the standard library. Contract: whatever moment it is
interrupted at, the next start goes on; two starts at once do the work once; what stops it is one
line on stderr, and a second names an earlier environment that should still work: such a one is
given up only for a new one that is finished.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from setup_checkout import Checkout, choices
from setup_command import run, say
from setup_locks import locked
from setup_machine import SetupError, look, plan
from setup_wheel import Pip, cache_folder, is_kept, make_cache, pinned_version, wheel_for

BUILD_BYTES, INSTALL_BYTES = 3 * 10**9, 10**9
"""Of free disk: with llama.cpp to build, and with a finished build at hand."""


def main(argv: list[str]) -> int:
    """Make the environment ready: `setup_env.py run|test SIGNATURE`."""
    kind, signature = argv
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    checkout = Checkout(Path(__file__).resolve().parent.parent)
    try:
        prepare(checkout, kind, signature, os.environ)
    except KeyboardInterrupt:
        say("Interrupted. The next start goes on from here.")
        return 130
    except SetupError as error:
        say(str(error))
    except OSError as error:
        say(f"Setting up failed: {error}.")
    else:
        return 0
    if checkout.still_works(signature):
        kept = checkout.venv / "bin" / "slipstream"
        say(f"What was there is kept and should still work: {kept}")
    return 1


def prepare(checkout: Checkout, kind: str, signature: str, env: Mapping[str, str]) -> None:
    """Make the environment ready for `kind`, doing only what is missing. Raises SetupError."""
    try:
        checkout.work.mkdir(exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"Cannot make {checkout.work}: {error.strerror}. Put the checkout where you may write"
            " and start again."
        ) from error
    with locked(checkout.work / "lock", "Another start is setting this checkout up; waiting …"):
        checkout.settle()
        signature = checkout.with_kept_choices(signature, env)
        if not checkout.is_ready(kind, signature):
            _make(checkout, kind, signature, {**env, **choices(signature)})


def _make(checkout: Checkout, kind: str, signature: str, env: Mapping[str, str]) -> None:
    check_path(checkout.root)
    cache = cache_folder(env)
    pyproject = checkout.pyproject()
    build = plan(look(env), env, pinned_version(pyproject))
    for folder in (checkout.root, cache):
        check_disk(folder, INSTALL_BYTES if is_kept(build, cache) else BUILD_BYTES)
    make_cache(cache)
    log = checkout.work / "setup.log"
    log.write_bytes(b"")
    pip = Pip(checkout.venv / "bin" / "python", log, env)
    tools = pyproject["dependency-groups"]["dev"] if kind == "test" else []
    try:
        if not checkout.is_ready("run", signature):  # else only the tests' tools are missing
            _make_venv(checkout, log, env)
        wheel = wheel_for(build, pip, cache)
        say("Installing Slipstream and its libraries (about half a minute) …")
        pip("Installing", "install", wheel, "--editable", checkout.root, *tools)
        check_installed(checkout.venv)
        checkout.mark_ready(("run", kind), signature)
    finally:
        checkout.settle()


def check_path(root: Path) -> None:
    """Raise SetupError for a path that the scripts which pip writes cannot be started from: one
    with a blank they hand to a shell, in quotation marks.
    """
    found = [sign for sign in '$`"\\' if sign in str(root)]
    if found and " " in str(root):
        raise SetupError(
            f"The path {root} holds a blank and {found[0]}, which starts no program of an"
            " environment. Move or rename the folder and start again."
        )


def check_disk(folder: Path, needed: int = BUILD_BYTES) -> None:
    """Raise SetupError when the disk under this folder has less room than is needed."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise SetupError(
            f"Not enough disk: {free / 1e9:.1f} GB free at {there}, {needed / 1e9:.0f} GB"
            " needed. Free some and start again."
        )


def check_installed(venv: Path) -> None:
    """Raise SetupError where pip is content but its own settings had it install elsewhere."""
    if not (venv / "bin" / "slipstream").exists():
        raise SetupError(
            f"pip installed Slipstream, but not into {venv}. Take target, prefix or root out of its"
            f' settings, which "{venv}/bin/python" -m pip config list shows, and start again.'
        )


def _make_venv(checkout: Checkout, log: Path, env: Mapping[str, str]) -> None:
    """Start over: a half-installed environment is not worth mending, the wheels are at hand."""
    checkout.make_room()
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Making a Python {version} environment in {checkout.venv} …")
    command = (_lasting_python(), "-m", "venv", "--clear", checkout.venv)
    run(command, log, env, "Making the environment")


def _lasting_python() -> str:
    """Return this Python by its version's name, if it has one: `python3` may be another after an
    upgrade of the system, which the environment does not fit. In an activated environment, which
    may be the one that moves aside, return the one beneath it.
    """
    is_activated = sys.prefix != sys.base_prefix
    folder = Path(sys.base_prefix, "bin") if is_activated else Path(sys.executable).parent
    named = folder / "python{}.{}".format(*sys.version_info)
    return str(named) if named.exists() else sys.executable


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
