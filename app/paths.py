"""Where things live on this machine."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.errors import SettingsError

HOMES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
"""The variables that say where a person's folders are: who sets them all starts in other ones."""
MODELS_DIR = "SLIPSTREAM_MODELS_DIR"


class Paths:
    """Where things live on this machine; each folder is private to the user."""

    def __init__(self, root: Path | None = None) -> None:
        """root: put everything under this folder instead of the system's usual places.

        Raises SettingsError where the system names none.
        """
        dirs = platformdirs.PlatformDirs("slipstream", appauthor=False)
        try:
            self.data_dir = root / "data" if root else Path(dirs.user_data_dir)
            self.config_dir = root / "config" if root else Path(dirs.user_config_dir)
            self.cache_dir = root / "cache" if root else Path(dirs.user_cache_dir)
            self.state_dir = root / "state" if root else Path(dirs.user_state_dir)
            self.log_dir = root / "log" if root else Path(dirs.user_log_dir)
        except RuntimeError:
            raise SettingsError("There is no home folder: set HOME to a folder of yours.") from None

    @property
    def folders(self) -> tuple[Path, ...]:
        """Those that we make at a start."""
        return self.data_dir, self.config_dir, self.cache_dir, self.log_dir

    @property
    def models_dir(self) -> Path:
        """Downloaded models; SLIPSTREAM_MODELS_DIR puts them elsewhere."""
        elsewhere = os.environ.get(MODELS_DIR)
        return Path(os.path.expanduser(elsewhere)) if elsewhere else self.data_dir / "models"

    @property
    def own_catalog(self) -> Path:
        """The person's own models.toml, which need not exist."""
        return self.config_dir / "models.toml"

    @property
    def personas_file(self) -> Path:
        """System prompts by name, which need not exist."""
        return self.config_dir / "personas.toml"

    @property
    def about_file(self) -> Path:
        """What every new chat is to know of the user, which need not exist."""
        return self.config_dir / "about-me.md"

    @property
    def prompts_dir(self) -> Path:
        """The person's own prompts, a file each; it need not exist."""
        return self.config_dir / "prompts"

    @property
    def prompts_file(self) -> Path:
        """What was typed earlier."""
        return self.data_dir / "prompts.jsonl"

    @property
    def memory_dir(self) -> Path:
        """What is kept of earlier answers to draft from."""
        return self.data_dir / "memory"

    @property
    def history_file(self) -> Path:
        """The chats, which need not exist."""
        return self.data_dir / "history.db"

    @property
    def pictures_dir(self) -> Path:
        """The pictures of the chats, which need not exist."""
        return self.history_file.with_name("pictures")

    @property
    def last_file(self) -> Path:
        """The pair and the chat that were used last, which need not exist."""
        return self.data_dir / "last.json"

    @property
    def costs_dir(self) -> Path:
        """What forwards were measured to cost here."""
        return self.cache_dir / "costs"

    @property
    def bench_dir(self) -> Path:
        """What benchmarks have measured, which need not exist."""
        return self.state_dir / "bench"

    @property
    def settings_file(self) -> Path:
        """The settings file, which need not exist."""
        return self.config_dir / "settings.toml"

    @property
    def engine_log(self) -> Path:
        """What the engine process last said."""
        return self.log_dir / "engine.log"

    @property
    def doctor_log(self) -> Path:
        """What the engine said that the doctor asked: a crash's last words may still be wanted."""
        return self.log_dir / "doctor.log"

    def ensure(self) -> Paths:
        """Create the folders, or close to others those that are there, and return self. Where
        nothing can be written, logs go to a temporary folder; who writes to another one says why
        that fails. Raises SettingsError for what is in the way of one.
        """
        for folder in (self.data_dir, self.config_dir, self.cache_dir):
            _is_made(folder)
        if not _is_made(self.log_dir):
            self.log_dir = _temporary()
        return self


def path_text(path: Path) -> str:
    """Return a whole path as the engine is told of it. Raises SettingsError if it is no text."""
    text = str(path.absolute())
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SettingsError(
            f"{text}: this path is no UTF-8 text; rename the file or folder that is none, or use "
            "another."
        ) from None
    return text


def make_private(folder: Path) -> None:
    """Create a folder, and what is missing above it, for their owner alone. Raises OSError."""
    for parent in reversed([above for above in folder.parents if not above.exists()]):
        parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def close_to_others(path: Path, mode: int) -> None:
    """Take what others may do with a file or a folder from them, if the disk knows of such things
    and it is ours.
    """
    with suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(mode)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What is where a folder should be. mend: what to do, as a sentence or a command."""

    found: str
    mend: str


def in_the_way(folder: Path) -> Obstacle | None:
    """Return what is in the place of a folder, or of one above it; None if nothing is."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if os.path.isdir(there):
        return None
    if not os.path.exists(there):
        gone = f"{there} is a link to {os.path.realpath(there)}, which is not there"
        return Obstacle(gone, "Mount it, or remove the link.")
    wrong = [name for name in HOMES if _leads_through(there, name, folder)]
    mend = f"Correct {' and '.join(wrong)}." if wrong else f'mv "{there}" "{there}.old"'
    return Obstacle(f"{there} is no folder", mend)


def in_the_way_of_models(folder: Path, env: Mapping[str, str] = os.environ) -> Obstacle | None:
    """Return what keeps the models in a folder from being found: what is in its place, or that it
    is closed to us; None if nothing does.
    """
    obstacle = in_the_way(folder)
    if obstacle is not None and MODELS_DIR in env and obstacle.found.endswith("is no folder"):
        return Obstacle(obstacle.found, f"Correct {MODELS_DIR}, or unset it.")
    there = nearest(folder)
    if obstacle is None and not os.access(there, os.R_OK | os.X_OK if there == folder else os.X_OK):
        mend = f"Make that folder readable, or set {MODELS_DIR} to another one."
        return Obstacle(f"{there} cannot be read", mend)
    return obstacle


def nearest(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that is there."""
    return next(path for path in (folder, *folder.parents) if os.path.isdir(path))


def _leads_through(there: Path, name: str, folder: Path) -> bool:
    """Whether a variable says that a folder is below a path."""
    home = os.environ.get(name, "").strip()
    return bool(home) and folder.is_relative_to(home) and Path(home).is_relative_to(there)


def _is_made(folder: Path) -> bool:
    """Create a folder for its owner alone and return whether it can be written to. Raises
    SettingsError for what is in the way.
    """
    if obstacle := in_the_way(folder):
        raise SettingsError(f"Cannot make {folder}: {obstacle.found}. {obstacle.mend}")
    try:
        make_private(folder)
        close_to_others(folder, 0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _temporary() -> Path:
    """Return a temporary folder that is the same at each start, if nobody else has taken its name.

    Raises OSError.
    """
    folder = Path(tempfile.gettempdir()) / f"slipstream-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix="slipstream-"))
