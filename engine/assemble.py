"""Models and settings to a wired engine: the one place that knows every part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from engine import drafters, verifiers
from engine.cache.rollback import Never
from engine.costs.calibration import Calibration
from engine.drafting.memory import tokenizer_key
from engine.drafting.recall import Recall
from engine.errors import DecodeError, SettingError
from engine.limits import MAX_DRAFT_TOKENS, MIN_CTX
from engine.llama import log
from engine.llama.attention import CACHE_TYPES
from engine.llama.devices import system_info
from engine.llama.kind import doubt
from engine.llama.model import Model
from engine.loading.models import (
    NOT_ON_GPU,
    LoadedDraft,
    Progress,
    load_draft,
    load_sight,
    load_target,
    target_machine,
)
from engine.loading.reach import notices
from engine.messages import DRAFT_REFUSED, Message, Ready
from engine.policy.experience import Experience
from engine.policy.fixed_length import FixedLength
from engine.policy.measured import Measured
from engine.policy.reading import may_repay
from engine.prompt.pictures import Sight, seen_by, text_only
from engine.prompt.template import ChatTemplate
from engine.sampling.sampler import Sampler
from engine.sampling.sharpness import Sharpness
from engine.sampling.width_noise import NO_NOISE, WidthNoise
from engine.session import Session
from engine.settings import PairSettings, SamplingSettings
from engine.types import Decoder, Drafter, Policy, Verifier


class Engine:
    """A loaded pair: everything that answering needs, wired. Call `free` when done.

    Raises ModelError or SettingError if the target cannot be used as asked; a draft model that
    cannot only adds a notice.
    """

    def __init__(self, settings: PairSettings, progress: Progress = lambda *_: None) -> None:
        _check(settings)
        log.capture()
        self.notices: list[str] = []
        self._off = self._draft_refused = ""
        self._settings = settings
        self._draft: LoadedDraft | None = None
        self._sight: Sight | None = None
        self._recall: Recall | None = None
        self._usual = settings.drafter
        self.sharpness = Sharpness()
        self._experiences: dict[tuple[str, float], Experience] = {}
        self._target = load_target(settings, progress)
        try:
            if settings.draft is not None and drafters.uses_draft_model(settings.drafter):
                self._draft, reason = load_draft(settings, self._target, progress)
                self._refuse_draft(reason)
            self._say(doubt(self.model))
            if settings.batch_invariant and not target_machine(settings).batch_invariant:
                self._say(NOT_ON_GPU)
            drafts_to = self._draft.loaded.context.n_ctx if self._draft else None
            for each in notices(self._target.context.n_ctx, self.model.n_ctx_train, drafts_to):
                self._say(each)
            self._sight, notice = load_sight(settings, self._target, progress)
            self._say(notice)
            seen = seen_by(self._sight, notice)
            self.template = ChatTemplate(self.model.chat_template, self.model, seen)
            self._say(self.template.notice or "")
            progress("costs", 0.0)
            self._calibration = self._calibrated()
            self.curves = self._calibration.curves
            progress("costs", 1.0)
            self._recall = self._recalled()
            self.session, self.drafter = self._wire()
        except BaseException:
            self.free()
            raise

    @property
    def model(self) -> Model:
        """The target."""
        return self._target.model

    @property
    def decoder(self) -> Decoder:
        """The target's cache; whoever uses it beside the session calls `recover` afterwards."""
        return self._target.context

    @property
    def width_noise(self) -> WidthNoise:
        """How far the target's rows depend on the batch width, as far as is known."""
        return self._calibration.noise.so_far

    def sampler(self, sampling: SamplingSettings) -> Sampler:
        """Return the target's sampler by these settings. Raises SettingError."""
        return Sampler(sampling, self.width_noise)

    def remeasure(self) -> bool:
        """Measure the width noise anew if the session is much deeper than when it was last."""
        depth = self.session.used
        if not self._calibration.noise.is_due(depth):
            return False
        self._calibration.noise.observe(depth, self.session.width_noise() or NO_NOISE)
        return True

    def policy(self, temperature: float) -> Policy:
        """Return the policy of one answer, over what answers of this temperature taught."""
        fixed = self._settings.draft_tokens
        if fixed is not None:
            return FixedLength(fixed, self.curves)
        key = (self.drafter.name, round(temperature, 1))
        experience = self._experiences.setdefault(key, Experience())
        return Measured(experience, self.curves)

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

    def choose_drafter(self, name: str | None) -> None:
        """Draft with this one from now on; None: the pair's. Raises SettingError."""
        wanted = self._usual if name is None else name
        if wanted != self.drafter.name:
            try:
                self.drafter = drafters.build(wanted, self.parts())
            except drafters.Unavailable as reason:
                raise SettingError(f"This pair cannot draft with {wanted}: {reason}.") from None

    def count(self, messages: Sequence[Message], think: bool | None) -> int:
        """Return how much of the context the prompt of these messages takes. Raises EngineError."""
        tokens = self.template.tokens(messages, think)
        return len(tokens) if self._sight is None else self._sight.cells(tokens)

    def prefill_draft(self, room: int, cancelled: Callable[[], bool]) -> bool:
        """Evaluate the prompt in the draft model, but for its last chunk; False if cancelled. Not
        if an answer of `room` tokens could never earn that back.

        Behind the drafter's `begin`, which keeps what the cache shares with the prompt.
        """
        if self._draft is None or not drafters.uses_draft_model(self.drafter.name):
            return True
        cache, text = self._draft.cache, text_only(self.session.tokens)
        if len(text) >= cache.decoder.n_ctx:  # it drafts nothing there
            return True
        missed, room = len(text) - len(cache), min(room, cache.decoder.n_ctx - len(text))
        if self._settings.draft_tokens is None and not may_repay(
            self.curves, missed, self.session.used, room
        ):
            return True
        try:
            return cache.prefill(text, cancelled)
        except DecodeError:
            cache.clear()  # the drafter will meet the same, and say so
            return True

    def remember(self, tokens: Sequence[int]) -> None:
        """Keep an answer for later lookups, and the costs as they are known now."""
        self._calibration.keep()
        if self._recall is not None:
            self._recall.remember(tokens)

    def recover(self) -> None:
        """Forget all cached state, after a decode that failed half-way."""
        self._target.context.clear()
        if self._draft is not None:
            self._draft.cache.clear()
        self.session, self.drafter = self._wire()

    def free(self) -> None:
        """Release models and caches. Safe to call twice."""
        if self._draft is not None:
            self._draft.loaded.free()
        if self._sight is not None:
            self._sight.free()
        self._target.free()

    def ready(self, load: int) -> Ready:
        """Describe what was loaded, in answer to command `load`."""
        machine = target_machine(self._settings)
        return Ready(
            id=load,
            target=self._settings.target,
            draft=self._draft.loaded.model.path if self._draft else None,
            n_ctx=self.session.n_ctx,
            drafter=self.drafter.name,
            drafters=list(self.drafter.members),
            verify=self._settings.verify,
            rollback=self._target.probe.rollback.name,
            costs=self._calibration.costs(),
            thinks=self.template.thinks(),
            sees=self._sight is not None,
            batch_invariant=machine.batch_invariant,
            threads=machine.threads,
            device=machine.device,
            system_info=system_info(),
            notices=list(self.notices),
            off=self._off,
            draft_refused=self._draft_refused,
        )

    def parts(self) -> drafters.Parts:
        """Return what drafters of this pair can be built from."""
        is_end = self.model.is_end
        memory = None if self._recall is None else self._recall.index
        if self._draft is None:
            return drafters.Parts(memory=memory, is_end=is_end)
        cache, n_common = self._draft.cache, self._draft.n_common
        return drafters.Parts(cache, n_common, memory, is_end)

    def _calibrated(self) -> Calibration:
        """Find out what forwards cost; a draft model that fails in it is not used."""
        if self._draft is not None:
            try:
                return Calibration(self._settings, self._target, self._draft.loaded)
            except DecodeError as error:
                self._draft.loaded.free()
                self._draft = None
                self._refuse_draft(str(error))
        return Calibration(self._settings, self._target, None)

    def _recalled(self) -> Recall | None:
        """Return what earlier answers said, if that is kept."""
        if self._settings.memory is None or self._settings.drafter == "none":
            return None
        model = self.model
        key = tokenizer_key(model.token_text(token) for token in range(model.n_vocab))
        return Recall(Path(self._settings.memory), key)

    def _wire(self) -> tuple[Session, Drafter]:
        session = Session(self._target.context, self._target.probe.rollback, self._sight)
        drafter = self._build_drafter()
        self._usual = drafter.name
        return session, drafter

    def _build_drafter(self) -> Drafter:
        """Build the drafter that was asked for, or the plain one with a notice why."""
        name = self._settings.drafter
        try:
            if name != "none":
                self._check_drafting()
            return drafters.build(name, self.parts())
        except drafters.Unavailable as reason:
            self._off = f"{reason}."
            self._say(f"Speculation is off: {self._off}")
            return drafters.build("none", self.parts())

    def _check_drafting(self) -> None:
        """Raise Unavailable if no drafter can be used, whichever it is."""
        if self._settings.draft_tokens == 0:
            raise drafters.Unavailable("--draft-tokens is 0")
        if self._target.probe.rollback is Never:
            raise drafters.Unavailable("this model's memory cannot take rejected tokens back")

    def _refuse_draft(self, reason: str) -> None:
        """Keep and say why the draft model is not used; "": it is."""
        self._draft_refused = reason
        if reason:
            self._say(DRAFT_REFUSED + reason)

    def _say(self, notice: str) -> None:
        if notice and notice not in self.notices:
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
    for cache_type in (settings.cache_type, settings.draft_cache_type):
        if cache_type is not None and cache_type not in CACHE_TYPES:
            raise SettingError(
                f"There is no cache type {cache_type!r}.", f"Known: {', '.join(CACHE_TYPES)}."
            )
