"""Where things live on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

HOMES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
"""The variables that say where a person's folders are: who sets them all starts in other ones."""


class Paths:
    """Where things live on this machine; each folder is private to the user."""

    def __init__(self, root: Path | None = None) -> None:
        """root: put everything under this folder instead of the system's usual places."""
        dirs = platformdirs.PlatformDirs("slipstream", appauthor=False)
        self.data_dir = root / "data" if root else Path(dirs.user_data_dir)
        self.config_dir = root / "config" if root else Path(dirs.user_config_dir)
        self.cache_dir = root / "cache" if root else Path(dirs.user_cache_dir)
        self.log_dir = root / "log" if root else Path(dirs.user_log_dir)

    @property
    def models_dir(self) -> Path:
        """Downloaded models; SLIPSTREAM_MODELS_DIR puts them elsewhere."""
        elsewhere = os.environ.get("SLIPSTREAM_MODELS_DIR")
        return Path(elsewhere).expanduser() if elsewhere else self.data_dir / "models"

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
    def settings_file(self) -> Path:
        """The settings file, which need not exist."""
        return self.config_dir / "settings.toml"

    @property
    def engine_log(self) -> Path:
        """What the engine process last said."""
        return self.log_dir / "engine.log"

    def ensure(self) -> Paths:
        """Create the folders, readable by their owner alone, and return self."""
        for folder in (self.data_dir, self.config_dir, self.cache_dir, self.log_dir):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self
