"""Before a load: does the pair fit this machine, and how many layers go to the GPU?

Reads the files' headers and what is free now. The GPUs are asked about only where there may be
some, for that takes a second.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from app.errors import FitError
from app.hardware import detect_gpus, detect_memory
from app.models.figures import Figures, of_file
from app.models.fit import Fit, fit, usual_context
from app.models.machine import ROOT, Machine, is_built_for_gpus, look, may_rearrange_weights
from app.models.projector import sight_bytes
from app.settings.config import EVERY_LAYER, ChatSettings
from app.settings.values import uses_draft_model
from app.terminal.sanitise import one_line

LONGEST, LONGEST_TITLE = 400, 60
"""Characters of an error that a person sees."""
FORCED = "--force tries it all the same"
FORCED_AT_START = f"a start with {FORCED}"
"""Said in the chat, too, where there is no flag to give."""


def fitted(settings: ChatSettings) -> ChatSettings:
    """Return the settings with the layers that fit the GPU, where that was left to us.

    Raises FitError if the pair fits nowhere, unless it is forced.
    """
    beside = settings.pair.draft if uses_draft_model(settings.pair.drafter) else None
    target = _seeing(_figures(settings.pair.target), settings.pair.mmproj)
    draft = _figures(beside) if beside else None
    if target is None or (beside and draft is None):
        return settings  # the engine says what is wrong with the file
    if draft is not None:
        draft = replace(draft, cache_type=settings.pair.draft_cache_type)
    n_ctx = usual_context(settings.pair.n_ctx, target)
    machine = machine_now(Path(settings.pair.target).parent)
    judged = fit(target, draft, n_ctx, settings.pair.cache_type, machine)
    must_fit(settings.title, judged, settings.force, FORCED_AT_START)
    if not machine.devices or settings.pair.gpu_layers is not None or not judged.fits:
        return settings
    layers, draft_layers = judged.gpu_layers, judged.draft_gpu_layers
    if settings.pair.draft_gpu_layers is not None:
        draft_layers = settings.pair.draft_gpu_layers
    elif layers is not None and draft_layers is None:
        draft_layers = EVERY_LAYER
    pair = msgspec.structs.replace(settings.pair, gpu_layers=layers, draft_gpu_layers=draft_layers)
    return replace(settings, pair=pair)


def machine_now(folder: Path) -> Machine:
    """Measure this machine; llama.cpp is asked for its devices only where there may be GPUs: those
    that the system tells of, or others that it was built for.
    """
    memory = detect_memory(ROOT)
    if detect_gpus(ROOT, memory) or is_built_for_gpus():
        return look(folder)
    return Machine(memory, (), 0, may_rearrange_weights())


def must_fit(name: str, judged: Fit, force: bool, anyway: str = FORCED) -> None:
    """Raise FitError where a pair does not fit and is not forced. It names what would fit, as far
    as an error has room for. anyway: how it is forced.
    """
    if judged.verdict != "does not fit" or force:
        return
    title = one_line(name, LONGEST_TITLE)
    message = f"{title} does not fit ({anyway}): {judged.line}."
    joint = " Would fit: "
    for other in judged.alternatives:
        if len(message + joint + other.line) > LONGEST:
            break
        message, joint = message + joint + other.line, "; "
    raise FitError(message)


def _seeing(target: Figures | None, projector: str | None) -> Figures | None:
    """Return a target's figures with its projector's; the engine says what is wrong with that."""
    found = _figures(projector) if projector is not None else None
    if target is None or found is None:
        return target
    return replace(target, sight_bytes=sight_bytes(found.weights_bytes))


def _figures(path: str) -> Figures | None:
    try:
        return of_file(Path(path))
    except OSError:
        return None
