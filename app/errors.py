"""What the app refuses, beside the engine's own errors.

AppError
├── CatalogError     models.toml is wrong, or has no such pair
├── SettingsError    a flag, a variable or the settings file holds something unusable
└── TerminalError    there is no terminal to chat in
"""

from __future__ import annotations


class AppError(Exception):
    """Base of the app's errors: `str(error)` is one line that says what to do."""


class CatalogError(AppError):
    """models.toml is wrong, or has no such pair."""


class SettingsError(AppError):
    """A flag, an environment variable or the settings file holds something unusable."""


class TerminalError(AppError):
    """There is no terminal to chat in."""
