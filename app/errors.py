"""What the app refuses, beside the engine's own errors.

AppError             exit code 1
├── AttachmentError  a file cannot be sent along (app/files/attachments.py)
├── CatalogError     models.toml is wrong, or what was downloaded cannot be found
│   ├── NotHereError no file of a repository that is called so is here (app/models/names.py)
│   └── UnknownError there is no pair or no file of that name: exit code 2
├── FitError         a pair does not fit this machine
├── HistoryError     chats cannot be read, searched or brought in
│   └── SkippedError one conversation of several cannot be read (app/history/conversations.py)
├── NoSummaryError   a summary of old turns would be of no use (app/chat/condense.py)
├── PullError        a model cannot be downloaded
│   ├── OfflineError it would need the network, which is switched off
│   └── UnreachableError  the Hub does not answer, or is busy (app/models/hub.py)
├── SettingsError    a flag, a variable or the settings file holds something unusable: exit code 2
├── SlashError       a slash command does not exist, or wants something else (app/prompts/slash.py)
└── TerminalError    there is no terminal to chat in
"""

from __future__ import annotations

MOST_CHARS = 4000
"""Of an error on standard output or standard error: an engine's message, which may have 2000, and
the hint behind it. A screen has less room.
"""
LONGEST_DEFECT = 200
"""Characters of a defect in the line that also says where its traceback is."""


class AppError(Exception):
    """Base of the app's errors: `str(error)` is one line that says what to do."""

    exit_code = 1


class CatalogError(AppError):
    """models.toml is wrong, or what was downloaded cannot be found."""


class UnknownError(CatalogError):
    """There is no pair or no file of that name."""

    exit_code = 2


class SettingsError(AppError):
    """A flag, an environment variable or the settings file holds something unusable."""

    exit_code = 2


class TerminalError(AppError):
    """There is no terminal to chat in."""


class PullError(AppError):
    """A model cannot be downloaded; what was downloaded of it is kept."""


OFFLINE = (
    "this is offline (by --offline, SLIPSTREAM_OFFLINE, HF_HUB_OFFLINE, TRANSFORMERS_OFFLINE or "
    "settings.toml)"
)


class OfflineError(PullError):
    """It would need the network, which is switched off."""


class FitError(AppError):
    """A pair does not fit this machine."""


class HistoryError(AppError):
    """Chats cannot be read, searched or brought in."""


def reason(error: OSError | ValueError) -> str:
    """Return why a file cannot be read or written, without its name and the system's number."""
    if isinstance(error, UnicodeError):
        return "it is no UTF-8 text"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def refused(error: OSError) -> str:
    """Say what the system refuses: the file, where one is named, and why."""
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)
