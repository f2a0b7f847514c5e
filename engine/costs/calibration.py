"""What forwards of the loaded models cost here, and how far their rows depend on the batch width:
from the disk if the machine still behaves so, else measured.
"""

from __future__ import annotations

from dataclasses import replace

from engine.costs.curves import CostCurves, Measurement
from engine.costs.kept import Kept, KeptCosts
from engine.costs.measuring import behaves, measure
from engine.costs.noise_search import UNSEEN, Search
from engine.costs.shape import MOST_ROWS
from engine.llama.devices import build, device_description
from engine.loading.models import PROBE_WORDS, Loaded, draft_machine, probe_tokens, target_machine
from engine.messages import Costs
from engine.sampling.width_noise import Deepening
from engine.settings import PairSettings

QUIET = 0.1
"""Cost curves with more noise are those of a busy machine: the next load measures anew."""


class Calibration:
    """curves: of both models, refined by whoever makes steps; noise: of the target, taken in anew
    by whoever measures it deeper in a text.
    """

    def __init__(self, settings: PairSettings, target: Loaded, draft: Loaded | None) -> None:
        files = [settings.target, *([draft.model.path] if draft else [])]
        machine = target_machine(settings)
        facts = (
            machine,
            draft_machine(settings),
            machine.device,
            device_description(settings.gpu_layers),
            target.context.n_ctx,
            target.probe.rollback.name,
            target.context.n_snapshots,
            settings.use_extra_bufts,
            build(),
        )
        self._file = KeptCosts(settings.costs, files, facts)
        self.noise = Deepening(target.probe.noise)
        tokens = probe_tokens(target.model, MOST_ROWS + 1)
        kept = self._file.read()
        models = target.context, draft.context if draft else None
        saves = target.probe.rollback.saves
        self._quietest = kept.costs if kept else None
        known = kept.costs if kept and kept.costs.noise < QUIET else None
        pace = behaves(*models, tokens, known, saves=saves) if known else None
        self._was_kept = pace is not None
        if known is not None and pace is not None:
            costs = known.at_pace(pace)
        else:
            costs = measure(*models, tokens, saves=saves)
        self.curves = CostCurves(costs)
        self._search = kept.search if kept else Search()
        if not self._search.is_over:
            self._search = self._search.go_on(
                target.context,
                probe_tokens(target.model, PROBE_WORDS),
                costs.target_s[1],
            )
        self.noise.observe(0, self._search.noise)
        is_told = bool(self.noise.so_far) or self._search.is_over or machine.batch_invariant
        self._is_noise_assumed = not is_told
        if self._is_noise_assumed:
            self.noise.observe(0, UNSEEN)
        if not (kept and self._was_kept and self._search == kept.search):
            self._write(costs)

    def keep(self) -> None:
        """Write down what is known now."""
        self._write(self.curves.measured())

    def _write(self, costs: Measurement) -> None:
        """Write down these costs, unless others were quieter, and all noise that was seen."""
        if self._quietest is None or costs.noise < max(QUIET, self._quietest.noise):
            self._quietest = costs
        seen = self._search.noise if self._is_noise_assumed else self.noise.so_far
        self._file.write(Kept(self._quietest, replace(self._search, noise=seen)))

    def costs(self) -> Costs:
        """Describe the curves of shallow contexts."""
        curves = self.curves
        rows = range(1, MOST_ROWS + 1)
        one_s = curves.draft_s(1)
        return Costs(
            target_s=[curves.target_s(n, 0) for n in rows],
            draft_s=[n * one_s for n in rows][:-1] if curves.has_draft else [],
            noise=curves.noise,
            kept=self._was_kept,
        )
