"""Whether a model goes on with a text, token by token. Some only read one, as those that make
embeddings do; some answer what another half of theirs has read, or write all of it at once.
"""

from __future__ import annotations

import llama_cpp

from engine.errors import ModelFileError
from engine.llama.context import Context
from engine.llama.model import Model


def check_kind(model: Model) -> None:
    """Raise ModelFileError for a model that a context would be of no use to."""
    handle = model.handle
    if llama_cpp.llama_model_has_encoder(handle) or llama_cpp.llama_model_is_diffusion(handle):
        raise _of_another_kind(model)


def check_memory(model: Model, context: Context) -> None:
    """Raise ModelFileError if the context remembers nothing of a text."""
    if not llama_cpp.llama_get_memory(context.handle):
        raise _of_another_kind(model)


def doubt(model: Model) -> str:
    """Say what speaks against a model that does go on with a text; "": nothing.

    Some that were made for embeddings write as well as others.
    """
    if not model.pools:
        return ""
    return "This model was made for embeddings: what it writes may make no sense."


def _of_another_kind(model: Model) -> ModelFileError:
    return ModelFileError(
        f"{model.path} does not go on with a text, token by token, as {model.architecture} models "
        "are not made for that.",
        "Give a model that chats or writes.",
    )
