"""The engine: tokens in, events out. It knows no UI, HTTP, database or download.

This is its public surface; the app imports nothing deeper, and importing it loads no native code.
"""

from engine.drafting.memory import Held as HeldMemory
from engine.drafting.memory import Memory
from engine.drafting.memory import clear as clear_memory
from engine.drafting.memory import held as held_memory
from engine.errors import (
    DecodeError,
    DraftMismatch,
    EngineDied,
    EngineError,
    ModelError,
    ModelFileError,
    PictureError,
    PromptTooLong,
    RollbackRefused,
    SettingError,
    TemplateError,
)
from engine.limits import (
    DEFAULT_MAX_CTX,
    MAX_DRAFT_TOKENS,
    MAX_PROMPT_CHARS,
    MIN_CTX,
    check_sampling,
)
from engine.messages import (
    Costs,
    Delta,
    DrafterStats,
    Finished,
    FinishReason,
    Loading,
    Message,
    Picture,
    Ready,
    Span,
    Started,
    Stats,
    TracedStep,
)
from engine.process.attempt import CRASHES, GPU_CRASHED, GPU_HAS_NO_ROOM, KERNELS_CRASHED
from engine.process.client import EngineClient
from engine.prompt.exif import SIDEWAYS, jpeg_segments, orientation_of
from engine.prompt.tags import TAGS
from engine.proof.messages import Acceptance, Comparison, Proof, Proving
from engine.settings import PairSettings, SamplingSettings
from engine.system.cgroups import cgroups
from engine.system.cores import count_cores
from engine.system.threads import default_threads
from engine.system.whole_file import beside, write_whole
from engine.types import BONUS, CORRECTED, PLAIN

__all__ = [
    "BONUS",
    "CORRECTED",
    "CRASHES",
    "DEFAULT_MAX_CTX",
    "GPU_CRASHED",
    "GPU_HAS_NO_ROOM",
    "KERNELS_CRASHED",
    "MAX_DRAFT_TOKENS",
    "MAX_PROMPT_CHARS",
    "MIN_CTX",
    "PLAIN",
    "SIDEWAYS",
    "TAGS",
    "Acceptance",
    "Comparison",
    "Costs",
    "DecodeError",
    "Delta",
    "DraftMismatch",
    "DrafterStats",
    "EngineClient",
    "EngineDied",
    "EngineError",
    "FinishReason",
    "Finished",
    "HeldMemory",
    "Loading",
    "Memory",
    "Message",
    "ModelError",
    "ModelFileError",
    "PairSettings",
    "Picture",
    "PictureError",
    "PromptTooLong",
    "Proof",
    "Proving",
    "Ready",
    "RollbackRefused",
    "SamplingSettings",
    "SettingError",
    "Span",
    "Started",
    "Stats",
    "TemplateError",
    "TracedStep",
    "beside",
    "cgroups",
    "check_sampling",
    "clear_memory",
    "count_cores",
    "default_threads",
    "held_memory",
    "jpeg_segments",
    "orientation_of",
    "write_whole",
]
