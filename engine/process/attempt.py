"""A load that is tried again with less, where it ends the engine process or finds no room on a GPU:
which part of the pair or of the machine is left out, and what is said of that.
"""

from __future__ import annotations

import signal

import msgspec

from engine.errors import EngineDied, NoRoom
from engine.messages import DRAFT_REFUSED, SIGHT_REFUSED, Ready
from engine.settings import PairSettings

CRASHES = {signal.SIGILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT}
KERNELS_CRASHED = (
    "The optimised kernels crash on this machine; going on without them, slower. "
    "`slipstream doctor` tells how to mend it."
)
GPU_CRASHED = "What the GPU computes ends the engine; going on with the processor alone, slower. "
GPU_IS_FULL = "Its memory is full: fewer --gpu-layers need less."
GPU_IS_BAD = "`slipstream doctor` tells how to mend it, and --gpu-layers 0 asks no GPU."
GPU_HAS_NO_ROOM = (
    "The GPU has no room for all of this model and its context; going on with the processor alone, "
    "slower. A smaller --ctx-size or --cache-type q8_0 needs less; with some --gpu-layers it takes "
    "a part."
)
CPU = "CPU"


class Attempt:
    """pair: what is to be loaded now. Whether it has less in it than before, its methods say."""

    def __init__(self, pair: PairSettings) -> None:
        self.pair = pair
        self._notices: list[str] = []
        self._found: dict[str, str] = {}

    def told(self, ready: Ready) -> Ready:
        """Add to what a load says what it went on without, and why."""
        notices = [*self._notices, *ready.notices]
        return msgspec.structs.replace(ready, notices=notices, **self._found)

    def has_less_for_room(self, refusal: NoRoom, device: str) -> bool:
        """Leave out the GPU that had no room, unless it was told how many layers to take."""
        if device == CPU or self.pair.gpu_layers is not None:
            return False
        self._leave_out_gpu(GPU_HAS_NO_ROOM, f"{device}: {refusal}")
        return True

    def has_less_after(self, death: EngineDied, stage: str, device: str) -> bool:
        """Leave out what the engine died of, if that is known: the projector or the draft model
        where that was being loaded, else the GPU, else the optimised kernels.
        """
        if death.signal not in CRASHES:
            return False
        pair, why = self.pair, str(death.args[0]).rstrip(".")
        if stage == "sight" and pair.mmproj:
            refused = f"{SIGHT_REFUSED}loading {pair.mmproj} failed ({why})."
            self.pair = msgspec.structs.replace(pair, mmproj=None, sight_refused=refused)
        elif stage == "draft" and pair.draft:
            refused = f"loading {pair.draft} failed ({why})."
            self._say(DRAFT_REFUSED + refused, "draft_refused", refused)
            self.pair = msgspec.structs.replace(pair, draft=None)
        elif device != CPU:
            mend = GPU_IS_FULL if "out of memory" in str(death) else GPU_IS_BAD
            self._leave_out_gpu(GPU_CRASHED + mend, f"{device}: {death}")
        elif pair.use_extra_bufts:
            self._say(KERNELS_CRASHED, "crash", str(death))
            self.pair = msgspec.structs.replace(pair, use_extra_bufts=False)
        else:
            return False
        return True

    def _leave_out_gpu(self, notice: str, how: str) -> None:
        self._say(notice, "gpu_crash", how)
        self.pair = msgspec.structs.replace(self.pair, gpu_layers=0, draft_gpu_layers=0)

    def _say(self, notice: str, field: str, why: str) -> None:
        self._notices.append(notice)
        self._found[field] = why
