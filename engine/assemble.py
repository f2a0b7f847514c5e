"""Models and settings to a wired engine: the one place that knows every part."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine import drafters, verifiers
from engine.chat import ChatTemplate
from engine.costs import PlainCost
from engine.errors import DraftMismatch, ModelError, ModelFileError, SettingError
from engine.llama import log
from engine.llama.context import CACHE_TYPES, Context
from engine.llama.devices import device_name, system_info
from engine.llama.model import Model
from engine.match import common_vocabulary
from engine.messages import PairSettings, Ready, SamplingSettings
from engine.noise import MOST_IDS
from engine.policy import FixedLength, Measured
from engine.probe import Probe, TieMargin, probe
from engine.rollback import Kind, Never
from engine.sampling import Sampler
from engine.session import Session
from engine.sharpness import Sharpness
from engine.threads import default_threads
from engine.types import Decoder, Drafter, Policy, Verifier

DEFAULT_MAX_CTX = 8192
MIN_CTX = 64
MAX_DRAFT_TOKENS = 128
PROBE_TEXT = "The quick brown fox jumps over the lazy dog, and the dog sleeps on."
PROBE_TOKENS = 56
MOST_SNAPSHOTS = 16
SNAPSHOT_BYTES = 256 * 2**20
"""A recurrent state is kept per token of a draft up to this size in all; a larger one is saved and
replayed."""

Progress = Callable[[str, float], None]


@dataclass(slots=True)
class _Loaded:
    """A model and its context, freed together."""

    model: Model
    context: Context

    def free(self) -> None:
        self.context.free()
        self.model.free()


@dataclass(slots=True)
class _Draft:
    """A draft model that can draft for the target: n_common ids mean the same in both."""

    loaded: _Loaded
    n_common: int
    rollback: Kind


class Engine:
    """A loaded pair: everything that answering needs, wired. Call `free` when done.

    Raises ModelError or SettingError if the target cannot be used as asked; a draft model that
    cannot only adds a notice.
    """

    def __init__(self, settings: PairSettings, progress: Progress = lambda *_: None) -> None:
        began = time.perf_counter()
        _check(settings)
        log.capture()
        self.notices: list[str] = []
        self._settings = settings
        self._threads = settings.threads or default_threads()
        self._device = device_name(settings.gpu_layers)
        self._draft: _Draft | None = None
        self.sharpness = Sharpness()
        self._target = self._load(settings.target, "target", settings.n_ctx, progress)
        try:
            if settings.draft is not None and drafters.uses_draft_model(settings.drafter):
                self._load_draft(settings.draft, progress)
            if self.model.is_recurrent:
                self._give_snapshots(self._target)
            self._probe = self._probed(self._target, progress)
            self._tie_margin = TieMargin(self._probe.tie_margin)
            if self._target.context.n_ctx > self.model.n_ctx_train:
                self.notices.append(
                    f"The context of {self._target.context.n_ctx} tokens is longer than the "
                    f"{self.model.n_ctx_train} that this model was trained for."
                )
            self.template = ChatTemplate(self.model.chat_template, self.model)
            if self.template.notice:
                self.notices.append(self.template.notice)
            self.plain_cost = PlainCost(self._probe.plain_steps_s)
            self.session, self.drafter = self._wire()
        except BaseException:
            self.free()
            raise
        self.load_s = time.perf_counter() - began

    @property
    def model(self) -> Model:
        """The target."""
        return self._target.model

    @property
    def decoder(self) -> Decoder:
        """The target's cache; whoever uses it beside the session calls `recover` afterwards."""
        return self._target.context

    @property
    def tie_margin(self) -> float:
        """Draws closer than this, in logits, are near-ties."""
        return self._tie_margin.value

    def remeasure(self) -> None:
        """Measure the width noise anew if the session is much deeper than when it was last."""
        depth = len(self.session.tokens)
        if self._tie_margin.is_due(depth):
            noise = self.session.width_noise()
            self._tie_margin.observe(depth, noise or 0.0)

    def policy(self) -> Policy:
        """Return a fresh policy for one answer."""
        fixed = self._settings.draft_tokens
        if fixed is not None:
            return FixedLength(fixed, min_confidence=0.0)
        return Measured(FixedLength())

    def check_biases(self, sampling: SamplingSettings) -> None:
        """Raise SettingError if tokens are biased which the vocabulary does not have."""
        unknown = [token for token in sampling.logit_bias if token >= self.model.n_vocab]
        if unknown:
            raise SettingError(
                f"logit_bias names token {unknown[0]}, and the vocabulary has "
                f"{self.model.n_vocab} tokens."
            )

    def verifier(self, sampler: Sampler) -> Verifier:
        """Return the verifier that was asked for, over the sampler of one answer."""
        return verifiers.build(self._settings.verify, sampler, self.sharpness)

    def recover(self) -> None:
        """Forget all cached state, after a decode that failed half-way."""
        self._target.context.drop(0)
        if self._draft is not None:
            self._draft.loaded.context.drop(0)
        self.session, self.drafter = self._wire()

    def free(self) -> None:
        """Release models and caches. Safe to call twice."""
        if self._draft is not None:
            self._draft.loaded.free()
        self._target.free()

    def ready(self, load: int) -> Ready:
        """Describe what was loaded, in answer to command `load`."""
        return Ready(
            id=load,
            target=self._settings.target,
            draft=self._draft.loaded.model.path if self._draft else None,
            n_ctx=self.session.n_ctx,
            n_vocab=self.model.n_vocab,
            drafter=self.drafter.name,
            drafters=list(self.drafter.members),
            verify=self._settings.verify,
            rollback=self._probe.rollback.name,
            threads=self._threads,
            device=self._device,
            system_info=system_info(),
            load_s=self.load_s,
            notices=list(self.notices),
        )

    def _load(self, path: str, stage: str, n_ctx: int | None, progress: Progress) -> _Loaded:
        settings = self._settings
        model = Model(
            path,
            settings.gpu_layers,
            settings.use_extra_bufts,
            lambda fraction: progress(stage, fraction),
        )
        try:
            if model.n_vocab > MOST_IDS:
                raise ModelFileError(
                    f"{path} has {model.n_vocab} tokens, and there is noise for {MOST_IDS} only."
                )
            n_ctx = n_ctx or min(model.n_ctx_train, DEFAULT_MAX_CTX)
            return _Loaded(model, self._context(model, n_ctx))
        except BaseException:
            model.free()
            raise

    def _context(self, model: Model, n_ctx: int, snapshots: int = 0) -> Context:
        cache_type = self._settings.cache_type
        return Context(model, n_ctx, self._threads, cache_type, self._device, snapshots)

    def _load_draft(self, path: str, progress: Progress) -> None:
        """Load the draft model; if it cannot be used, say why and go on without it."""
        try:
            draft = self._load(path, "draft", self._target.context.n_ctx, progress)
        except ModelError as error:
            self.notices.append(f"The draft model is not used: {error}")
            return
        try:
            n_common = common_vocabulary(self.model, draft.model)
        except DraftMismatch as error:
            draft.free()
            self.notices.append(
                f"The draft model {path} is not used: its vocabulary does not match ({error})."
            )
            return
        rollback = self._probed(draft, lambda *_: None).rollback
        if rollback is Never:
            draft.free()
            self.notices.append(
                f"The draft model {path} is not used: its memory cannot take tokens back."
            )
            return
        self._draft = _Draft(draft, n_common, rollback)

    def _probed(self, loaded: _Loaded, progress: Progress) -> Probe:
        """Find out how the model rolls back, and how its rows agree."""
        progress("probe", 0.0)
        tokens = loaded.model.tokenize(PROBE_TEXT, special=False)
        tokens = (tokens * PROBE_TOKENS)[:PROBE_TOKENS]
        loaded.context.decode(tokens[:1], 0, 1)  # warms caches and threads up
        found = probe(loaded.context, tokens)
        progress("probe", 1.0)
        return found

    def _give_snapshots(self, loaded: _Loaded) -> None:
        """Have the context keep the state behind each token of a draft, where that is small.

        Not for a draft model: it drafts in batches of one, which leave no snapshots to go back to.
        """
        n = self._settings.draft_tokens or MOST_SNAPSHOTS
        loaded.context.decode([0], 0, 1)
        state_bytes = len(loaded.context.save())
        loaded.context.drop(0)
        if n * state_bytes > SNAPSHOT_BYTES:
            return
        n_ctx = loaded.context.n_ctx
        loaded.context.free()
        loaded.context = self._context(loaded.model, n_ctx, snapshots=n)

    def _wire(self) -> tuple[Session, Drafter]:
        session = Session(self._target.context, self._probe.rollback)
        return session, self._build_drafter()

    def parts(self) -> drafters.Parts:
        """Return what drafters of this pair can be built from."""
        if self._draft is None:
            return drafters.Parts()
        draft = self._draft
        return drafters.Parts(draft.loaded.context, draft.n_common, draft.rollback)

    def _build_drafter(self) -> Drafter:
        """Build the drafter that was asked for, or the plain one with a notice why."""
        name = self._settings.drafter
        if name != "none" and self._settings.draft_tokens == 0:
            self._say("Speculation is off: --draft-tokens is 0.")
            name = "none"
        if name != "none" and self._probe.rollback is Never:
            self._say("Speculation is off: this model's memory cannot take rejected tokens back.")
            name = "none"
        parts = self.parts()
        try:
            return drafters.build(name, parts)
        except drafters.Unavailable as reason:
            self._say(f"Speculation is off: {reason}.")
            return drafters.build("none", parts)

    def _say(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


def _check(settings: PairSettings) -> None:
    """Raise SettingError for what cannot be, before anything is loaded."""
    drafters.uses_draft_model(settings.drafter)  # refuses an unknown name
    if settings.draft_tokens is not None and not 0 <= settings.draft_tokens <= MAX_DRAFT_TOKENS:
        raise SettingError(
            f"draft_tokens must be from 0 to {MAX_DRAFT_TOKENS}, found {settings.draft_tokens}."
        )
    verifiers.check(settings.verify)
    if settings.n_ctx is not None and settings.n_ctx < MIN_CTX:
        raise SettingError(f"The context must be {MIN_CTX} tokens or more, found {settings.n_ctx}.")
    if settings.cache_type not in CACHE_TYPES:
        raise SettingError(
            f"There is no cache type {settings.cache_type!r}.", f"Known: {', '.join(CACHE_TYPES)}."
        )
