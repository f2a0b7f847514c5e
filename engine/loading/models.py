"""Files to models with contexts that are known to roll back: the target, and a draft model that can
draft for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.cache.rollback import Drop, Never, Slide
from engine.cache.tokens import PREFILL_CHUNK, TokenCache
from engine.errors import DecodeError, DraftMismatch, ModelError, ModelFileError, NoRoom
from engine.limits import DEFAULT_MAX_CTX, MIN_CTX
from engine.llama.context import USUAL_ROWS, Context
from engine.llama.devices import CPU, device_name, rearranges_weights
from engine.llama.gguf import check_layers
from engine.llama.kind import check_kind, check_memory
from engine.llama.model import Model
from engine.loading.match import common_vocabulary
from engine.loading.narrow import Narrow
from engine.loading.probe import Probe, probe
from engine.loading.reach import draft_context
from engine.messages import SIGHT_REFUSED
from engine.prompt.pictures import Sight
from engine.sampling.noise import MOST_IDS
from engine.settings import PairSettings
from engine.system.threads import default_threads

PROBE_TEXT = """The quick brown fox jumps over the lazy dog, and the dog sleeps on. How do
generators differ from iterators? A list holds all of its values at once; a generator yields one,
waits, and goes on where it was. Once upon a time, a farmer had 3 pigs, which nobody could count.
def area(width, height): return width * height. The capital of France is Paris, of course!"""
PROBE_TOKENS = 56
"""Of them, what a model is probed with (probe.py)."""
PROBE_WORDS = 100
"""Of them, what the texts are made of that costs/noise_search.py looks through."""
MOST_SNAPSHOTS = 16
"""Kept at most where no draft length is set."""
HAVE_ROOM_FOR = {"lfm2": 16, "lfm2moe": 8}
"""Kept at most of these architectures: each snapshot takes nodes of llama.cpp's graph in every
layer, and where those are used up, a load ends the process.
"""
FEWEST_SNAPSHOTS = 2
"""With fewer, where longer drafts are wanted, the state is saved and replayed."""
SNAPSHOT_BYTES = 256 * 2**20
"""As many recurrent states, one behind each token of a draft, are kept as this holds; one that is
too large for that is saved and replayed."""
TEXT_BATCH = PREFILL_CHUNK
"""Most tokens of a batch where there are no pictures: memory is reserved for all of them."""
GPU_BATCH = 2 * PREFILL_CHUNK
"""The same where a GPU computes, with pictures too: it reads prompts in four fifths of the time."""

NOT_ON_GPU = (
    "Rows of a batch depend on its width on a GPU, so near-ties may part: --batch-invariant holds "
    "on the processor alone (--gpu-layers 0)."
)
NO_MTMD = (
    "Pictures are off: this build of llama.cpp leaves out the library for them (mtmd). "
    "`slipstream doctor` tells how to mend it."
)

Progress = Callable[[str, float], None]


@dataclass(slots=True)
class Loaded:
    """A model and its context, freed together; and how it rolls back."""

    model: Model
    context: Context
    probe: Probe

    def free(self) -> None:
        """Release both. Safe to call twice."""
        self.context.free()
        self.model.free()


@dataclass(slots=True)
class LoadedDraft:
    """A draft model that can draft for the target: n_common ids mean the same in both."""

    loaded: Loaded
    n_common: int
    cache: TokenCache


@dataclass(frozen=True, slots=True)
class Machine:
    """What one model is to run on, and in what portions. gpu_layers: None offloads what can be;
    n_batch, most_rows: as a context has them. batch_invariant: whether its rows shall be.
    """

    threads: int
    gpu_layers: int | None
    cache_type: str
    n_batch: int | None = TEXT_BATCH
    most_rows: int = USUAL_ROWS
    batch_invariant: bool = False

    @property
    def device(self) -> str:
        """What computes."""
        return device_name(self.gpu_layers)

    @property
    def rearranges(self) -> bool:
        """Whether weights may be rearranged for the quickest kernels; AMX's are batch-invariant."""
        return not self.batch_invariant or rearranges_weights(self.gpu_layers)


def target_machine(settings: PairSettings) -> Machine:
    """Return what the target runs on."""
    threads = settings.threads or default_threads()
    n_batch = None if settings.mmproj else TEXT_BATCH
    on_gpu = device_name(settings.gpu_layers) != CPU
    if on_gpu:
        n_batch = GPU_BATCH
    most_rows = max(USUAL_ROWS, 1 + (settings.draft_tokens or 0))
    return Machine(
        threads,
        settings.gpu_layers,
        settings.cache_type,
        n_batch,
        most_rows,
        settings.batch_invariant and not on_gpu,
    )


def draft_machine(settings: PairSettings) -> Machine:
    """Return what the draft model runs on: the target's, where nothing else is said."""
    target = target_machine(settings)
    layers = settings.draft_gpu_layers
    if layers is None:
        layers = target.gpu_layers
    return Machine(
        settings.draft_threads or target.threads,
        layers,
        settings.draft_cache_type or target.cache_type,
        TEXT_BATCH if device_name(layers) == CPU else GPU_BATCH,
    )


def load_target(settings: PairSettings, progress: Progress) -> Loaded:
    """Load and probe the target. Raises ModelError."""
    drafts = settings.drafter != "none" and settings.draft_tokens != 0
    snapshots = (settings.draft_tokens or MOST_SNAPSHOTS) if drafts else 0
    return _load(settings.target, "target", settings, target_machine(settings), progress, snapshots)


def load_draft(
    settings: PairSettings, target: Loaded, progress: Progress
) -> tuple[LoadedDraft | None, str]:
    """Load the draft model; if it cannot be used, return None and why, else "" for that."""
    path = settings.draft
    assert path is not None, "asked for without a draft model"
    machine = draft_machine(settings)
    try:
        draft = _load(path, "draft", settings, machine, progress, 0, target.context.n_ctx)
    except (ModelError, DecodeError) as error:
        return None, str(error)
    try:
        n_common = common_vocabulary(target.model, draft.model)
    except DraftMismatch as error:
        draft.free()
        return None, f"its vocabulary does not match ({error})."
    rollback = draft.probe.rollback
    if rollback is Never:
        draft.free()
        return None, "its memory cannot take tokens back."
    lacks = draft.model.n_vocab < target.model.n_vocab
    decoder = Narrow(draft.context) if lacks else draft.context
    return LoadedDraft(draft, n_common, TokenCache(decoder, rollback)), ""


def load_sight(
    settings: PairSettings, target: Loaded, progress: Progress
) -> tuple[Sight | None, str]:
    """Load the projector; if it cannot be used, return None and why; "" if there is none."""
    if settings.mmproj is None:
        return None, settings.sight_refused
    progress("sight", 0.0)
    try:
        from engine.llama.mtmd import Projector  # late: it loads a library, which builds may lack
    except (ImportError, OSError, RuntimeError, AttributeError):
        return None, NO_MTMD
    machine = target_machine(settings)
    try:
        projector = Projector(
            settings.mmproj, target.model, target.context, machine.threads, machine.device != CPU
        )
    except ModelError as error:
        return None, SIGHT_REFUSED + str(error)
    return Sight(projector), ""


def probe_tokens(model: Model, n: int) -> list[int]:
    """Return n tokens of plain text, to try a model out on."""
    tokens = model.tokenize(PROBE_TEXT, special=False)
    return (tokens * n)[:n]


def _load(
    path: str,
    stage: str,
    settings: PairSettings,
    machine: Machine,
    progress: Progress,
    snapshots: int,
    beside_ctx: int | None = None,
) -> Loaded:
    """snapshots: most that a recurrent target keeps; a draft model drafts in batches of one, which
    leave none to go back to. beside_ctx: the target's context, of a draft model.
    """
    progress(stage, 0.0)
    check_layers(path)
    model = Model(
        path,
        machine.gpu_layers,
        settings.use_extra_bufts and machine.rearranges,
        lambda fraction: progress(stage, fraction),
    )
    try:
        check_kind(model)
        if model.n_vocab > MOST_IDS:
            raise ModelFileError(
                f"{path} has {model.n_vocab} tokens, and there is noise for {MOST_IDS} only."
            )
        if model.n_ctx_train < MIN_CTX:
            raise ModelFileError(
                f"{path} was made for a context of {model.n_ctx_train} tokens, and {MIN_CTX} are "
                "the least."
            )
        if beside_ctx is None:
            n_ctx = settings.n_ctx or min(model.n_ctx_train, DEFAULT_MAX_CTX)
        else:
            n_ctx = draft_context(beside_ctx, model.n_ctx_train)
        context = _context(model, n_ctx, machine)
        try:
            if snapshots and model.is_recurrent:
                context = _with_snapshots(model, context, machine, snapshots)
            check_memory(model, context)
            return Loaded(model, context, _probed(model, context, progress))
        except BaseException:
            context.free()
            raise
    except BaseException:
        model.free()
        raise


def _context(model: Model, n_ctx: int, machine: Machine, snapshots: int = 0) -> Context:
    return Context(
        model,
        n_ctx,
        machine.threads,
        machine.cache_type,
        machine.device,
        snapshots,
        machine.n_batch,
        machine.most_rows,
        machine.batch_invariant,
    )


def _with_snapshots(model: Model, context: Context, machine: Machine, n: int) -> Context:
    """Have the context keep the states behind the tokens of a draft, as many as there is room for,
    or none where a draft would be but one token then.
    """
    context.decode([0], 0, 1)
    state_bytes = len(context.save())
    context.drop(0)
    most = HAVE_ROOM_FOR.get(model.architecture, n)
    n_kept = min(n, most, SNAPSHOT_BYTES // state_bytes, context.n_batch - 2)
    if n_kept < min(n, FEWEST_SNAPSHOTS):
        return context
    n_ctx = context.n_ctx
    context.free()
    try:
        return _context(model, n_ctx, machine, snapshots=n_kept)
    except NoRoom:  # they are a help, and no more
        return _context(model, n_ctx, machine)


def _probed(model: Model, context: Context, progress: Progress) -> Probe:
    """Find out how the model rolls back, and how its rows agree. A window passes for a full cache
    while it has not slid.
    """
    progress("probe", 0.0)
    tokens = probe_tokens(model, PROBE_TOKENS)
    context.decode(tokens[:1], 0, 1)  # warms caches and threads up
    found = probe(context, tokens)
    progress("probe", 1.0)
    return replace(found, rollback=Slide) if context.slides and found.rollback is Drop else found
