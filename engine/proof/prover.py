"""The proof, on the loaded models and this machine, that drafting does not change the text.

Plain answers first; then their replay, drafters that try to spoil them, acceptance, and seeded
equality over drafters, draft lengths and temperatures for as long as there is time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import fmean

import msgspec

from engine import drafters, verifiers
from engine.assemble import Engine
from engine.cache.tokens import common_prefix
from engine.proof import acceptance
from engine.proof.adversaries import all_reject, garbage, oracle
from engine.proof.answers import QUESTIONS, Questioner, Recorder, Said
from engine.proof.equality import DRAFT_LENGTHS, TEMPERATURES, Cell, Tallies, cells
from engine.proof.messages import Acceptance, Proof, Prove
from engine.proof.replay import Replayed, replay
from engine.sampling.sampler import Sampler
from engine.sampling.width_noise import REACHES
from engine.settings import SamplingSettings
from engine.types import Drafter

Report = Callable[[str, float], None]

FEWEST_TOKENS = 16
MOST_TOKENS = 64
"""Tokens of one answer, by the time there is."""
STEPS_IN_ALL = 100
"""About how many times the tokens of one answer everything before the equality stage decodes."""
WARM = 0.8
ADVERSARY_LENGTH = 8
ACCEPTANCE_LENGTH = 4
ACCEPTANCE_SEEDS = 3
STAGES = {
    "plain answers": 0.0,
    "replay": 0.1,
    "adversaries": 0.2,
    "acceptance": 0.3,
    "drafters": 0.4,
}


class Prover:
    """One proof; call `prove` once. The engine's caches are empty afterwards."""

    def __init__(self, engine: Engine, command: Prove, report: Report) -> None:
        engine.check_biases(command.sampling)
        self._engine, self._command, self._report = engine, command, report
        self._began = time.perf_counter()
        afforded = command.seconds / (STEPS_IN_ALL * max(engine.curves.target_s(1, 0), 1e-6))
        predict = int(min(MOST_TOKENS, max(FEWEST_TOKENS, afforded)))
        self._ask = Questioner(engine, predict)
        self._plain: dict[tuple[int, float], Said] = {}
        self._tallies = Tallies()
        self._replayed = Replayed()

    def prove(self) -> Proof:
        """Do it all. Raises EngineError if the models fail."""
        engine, tallies, replayed = self._engine, self._tallies, self._replayed
        for question, temperature in self._through("plain answers"):
            verifier = self._ask.coupled(self._sampling(temperature))
            self._plain[question, temperature] = self._ask.say(question, verifier)
        for question, temperature in self._through("replay"):
            self._replay(question, temperature)
        if engine.drafter.members:
            for question, temperature in self._through("adversaries"):
                self._adversaries(question, temperature)
        ways, positions = self._acceptance()
        done, planned = self._equality()
        engine.recover()
        self._report("done", 1.0)
        return Proof(
            id=self._command.id,
            temperatures=list(TEMPERATURES),
            draft_lengths=[length or 0 for length in DRAFT_LENGTHS],
            questions=len(QUESTIONS),
            cells=done,
            planned=planned,
            comparisons=tallies.comparisons(),
            replayed=replayed.same + replayed.near_ties + replayed.wrong,
            replayed_same=replayed.same,
            replayed_near_ties=replayed.near_ties,
            replayed_wrong=replayed.wrong,
            width_noise=replayed.noise.within(REACHES[0]),
            tie_margin=engine.sampler(self._sampling(WARM)).tie_margin,
            near_ties=sum(len(said.near_ties) for said in self._plain.values()),
            n_tokens=sum(len(said.tokens) for said in self._plain.values()),
            acceptance=ways,
            acceptance_positions=positions,
            differences=tallies.differences,
            seconds=time.perf_counter() - self._began,
        )

    def _sampling(self, temperature: float, seed: int = 0) -> SamplingSettings:
        given = self._command.sampling
        seed = (given.seed + seed) % 2**64
        return msgspec.structs.replace(given, temperature=temperature, seed=seed)

    def _through(self, stage: str) -> Iterator[tuple[int, float]]:
        """Yield every question and temperature, and report how far it is."""
        keys = [(q, t) for q in range(len(QUESTIONS)) for t in TEMPERATURES]
        for i, key in enumerate(keys):
            self._report(stage, STAGES[stage] + 0.1 * i / len(keys))
            yield key

    def _replay(self, question: int, temperature: float) -> None:
        """Have the oracle draft the answer in wide batches, and replay it at width 1."""
        said = self._plain[question, temperature]
        sampling = self._sampling(temperature)
        recorder = Recorder(self._ask.coupled(sampling))
        prompt = self._ask.prompts[question]
        if self._engine.drafter.members:
            again = self._ask.say(question, recorder, oracle(said.tokens), ADVERSARY_LENGTH)
            cell = Cell(question, temperature, ADVERSARY_LENGTH)
            self._tallies.compare("oracle", said, again, cell)
            recorder.forget(len(prompt) + common_prefix(said.tokens, again.tokens))
        self._engine.recover()
        decoder, rows = self._engine.decoder, recorder.rows
        for difference in replay(decoder, prompt, said, sampling, rows, self._replayed):
            self._tallies.describe(difference)
        self._engine.recover()

    def _adversaries(self, question: int, temperature: float) -> None:
        said = self._plain[question, temperature]
        n_vocab = self._engine.model.n_vocab
        for drafter in (
            garbage(n_vocab, self._command.sampling.seed),
            all_reject(said.tokens, n_vocab),
        ):
            self._compare(drafter, Cell(question, temperature, ADVERSARY_LENGTH))

    def _compare(self, drafter: Drafter, cell: Cell) -> None:
        """Answer as the cell says and compare with the plain answer."""
        verifier = self._ask.coupled(self._sampling(cell.temperature))
        said = self._ask.say(cell.question, verifier, drafter, cell.length)
        plain = self._plain[cell.question, cell.temperature]
        self._tallies.compare(drafter.name, plain, said, cell)

    def _acceptance(self) -> tuple[list[Acceptance], int]:
        """Measure acceptance at temperature WARM, by counts and by exact chances."""
        if self._engine.parts().draft_cache is None or not self._engine.drafter.members:
            return [], 0
        counts = {way: [0, 0] for way in acceptance.WAYS}
        expected: list[tuple[float, float, float]] = []
        drafter = self._drafter("draft_model")
        runs = [(q, s) for q in range(len(QUESTIONS)) for s in range(ACCEPTANCE_SEEDS)]
        answers = []
        for i, (question, seed) in enumerate(runs):
            self._report("acceptance", STAGES["acceptance"] + 0.1 * i / len(runs))
            sampling = self._sampling(WARM, seed)
            for verifier in (
                self._ask.coupled(sampling),
                acceptance.TopToken(Sampler(sampling)),
                verifiers.build("rejection", Sampler(sampling)),
            ):
                said = self._ask.say(question, verifier, drafter, ACCEPTANCE_LENGTH)
                counts[verifier.name][0] += said.accepted
                counts[verifier.name][1] += said.tested
                if verifier.name == "coupled":
                    answers.append((question, sampling, said))
        self._engine.recover()
        for question, sampling, said in answers:
            expected += self._chances(question, sampling, said)
        self._engine.recover()
        return [
            Acceptance(
                way=way,
                expected=fmean(chance[i] for chance in expected),
                observed=counts[way][0] / counts[way][1] if counts[way][1] else None,
                tested=counts[way][1],
            )
            for i, way in enumerate(acceptance.WAYS)
        ], len(expected)

    def _chances(
        self, question: int, sampling: SamplingSettings, said: Said
    ) -> Iterator[tuple[float, float, float]]:
        """Yield the exact chances at every position of an answer."""
        parts = self._engine.parts()
        assert parts.draft_cache is not None
        prompt = self._ask.prompts[question]
        tokens = [*prompt, *said.tokens]
        sampler = Sampler(sampling)
        target_rows = acceptance.rows_of(self._engine.decoder, tokens, len(prompt))
        draft_rows = acceptance.rows_of(parts.draft_cache.decoder, tokens, len(prompt))
        for i, (target_row, draft_row) in enumerate(zip(target_rows, draft_rows, strict=True)):
            history = tokens[: len(prompt) + i]
            yield acceptance.exact(
                sampler.distribution(target_row, history),
                sampler.distribution(draft_row[: parts.n_common], history),
                self._engine.sharpness.factor,
            )

    def _equality(self) -> tuple[int, int]:
        """Compare cells until all are done or the time is over; return how many of how many."""
        names = [name for name in drafters.names() if name != "none" and self._available(name)]
        done, n_cells = 0, len(cells(0))
        for nth, name in enumerate(names):
            drafter = self._drafter(name)
            self._certain(drafter)
            spent = time.perf_counter() - self._began
            until = spent + (self._command.seconds - spent) / (len(names) - nth)
            for i, cell in enumerate(cells(nth)):
                elapsed = time.perf_counter() - self._began
                if elapsed > until and i >= len(TEMPERATURES):
                    break
                part = max(i / n_cells, min(1.0, (elapsed - spent) / max(until - spent, 1e-9)))
                self._report(name, STAGES["drafters"] + 0.6 * (nth + part) / len(names))
                self._compare(drafter, cell)
                done += 1
        return done, n_cells * len(names)

    def _certain(self, drafter: Drafter) -> None:
        """Rejection verification at temperature 0, where nothing is left to chance."""
        for question in range(len(QUESTIONS)):
            verifier = verifiers.build("rejection", Sampler(self._sampling(0.0)))
            said = self._ask.say(question, verifier, drafter, ACCEPTANCE_LENGTH)
            cell = Cell(question, 0.0, ACCEPTANCE_LENGTH)
            self._tallies.compare("rejection at 0", self._plain[question, 0.0], said, cell)

    def _available(self, name: str) -> bool:
        if not self._engine.drafter.members:
            return False
        try:
            drafters.build(name, self._engine.parts())
        except drafters.Unavailable:
            return False
        return True

    def _drafter(self, name: str) -> Drafter:
        """Build a drafter over empty caches, which drafters must not share."""
        self._engine.recover()
        return drafters.build(name, self._engine.parts())
