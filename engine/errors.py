"""Everything that the engine can refuse to do, as one tree.

    EngineError
    ├── ModelError            a GGUF file cannot be used
    │   ├── ModelFileError    missing, unreadable, not a GGUF, or llama.cpp refuses it
    │   │   └── NoRoom        there is no memory for the model or its context
    │   └── DraftMismatch     the draft model's vocabulary is not the target's
    ├── TemplateError         the chat template fails, loops or refuses the messages
    ├── PictureError          a picture cannot be read, or the pair sees none
    ├── PromptTooLong         the prompt leaves no room in the context
    ├── SettingError          a sampling or engine setting is out of its range
    ├── DecodeError           llama.cpp refused or failed a decode
    ├── RollbackRefused       the cache cannot drop a suffix (recurrent, sliding window)
    └── EngineDied            the engine process ended without being asked to

Each carries one line for the person: what failed, what was found, and, in `hint`, what to do.
"""

from __future__ import annotations

MOST_CHARS = 2000
"""Of a message: files and templates, which it may quote, say what they like."""


class EngineError(Exception):
    """Base of all engine errors: `str(error)` is one line, `hint` is what to do about it.

    What is no text in the message, half a surrogate pair of a template's words, becomes "?".
    """

    def __init__(self, message: str, hint: str = "") -> None:
        message = message.encode("utf-8", "replace").decode()
        super().__init__(message if len(message) <= MOST_CHARS else f"{message[:MOST_CHARS]} …")
        self.hint = hint

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message} {self.hint}" if self.hint else message


class ModelError(EngineError):
    """A GGUF file cannot be used."""


class ModelFileError(ModelError):
    """The file is missing, unreadable, no GGUF, or refused by llama.cpp."""


class NoRoom(ModelFileError):
    """There is no memory for the model or its context, the processor's or a GPU's."""


class DraftMismatch(ModelError):
    """The draft model's vocabulary is not the target's."""


class TemplateError(EngineError):
    """The chat template fails, takes too long, or refuses these messages."""


class PictureError(EngineError):
    """A picture cannot be read, or the pair sees none."""


class PromptTooLong(EngineError):
    """The prompt leaves no room for an answer in the context."""


class SettingError(EngineError):
    """A setting is outside its range. wanted: "must be …", where its one value is what is wrong."""

    def __init__(self, message: str, hint: str = "", wanted: str = "") -> None:
        super().__init__(message, hint)
        self.wanted = wanted


class DecodeError(EngineError):
    """llama.cpp refused or failed a decode."""


class RollbackRefused(EngineError):
    """The cache cannot drop a suffix."""


class EngineDied(EngineError):
    """The engine process ended without being asked to. signal: by which, None by itself."""

    def __init__(self, message: str, hint: str = "", signal: int | None = None) -> None:
        super().__init__(message, hint)
        self.signal = signal
