"""What forwards of the loaded models cost here, and how far their rows depend on the batch width:
from the disk if the machine still behaves so, else measured.
"""

from __future__ import annotations

from dataclasses import replace

from engine.costs.curves import MOST_ROWS, CostCurves, Measurement
from engine.costs.kept import Kept, KeptCosts
from engine.costs.measuring import behaves, measure
from engine.costs.noise_search import UNSEEN, Search
from engine.llama.devices import build, device_description
from engine.loading.models import PROBE_WORDS, Loaded, draft_machine, probe_tokens, target_machine
from engine.messages import Costs
from engine.sampling.width_noise import Deepening
from engine.settings import PairSettings

QUIET = 0.1
"""Cost curves with more noise are those of a busy machine, and not kept."""


class Calibration:
    """curves: of both models, refined by whoever makes steps; noise: of the target, taken in anew
    by whoever measures it deeper in a text.
    """

    def __init__(self, settings: PairSettings, target: Loaded, draft: Loaded | None) -> None:
        files = [settings.target, *([draft.model.path] if draft else [])]
        facts = (
            target_machine(settings),
            draft_machine(settings),
            target_machine(settings).device,
            device_description(settings.gpu_layers),
            target.context.n_ctx,
            settings.use_extra_bufts,
            build(),
        )
        self._file = KeptCosts(settings.costs, files, facts)
        self.noise = Deepening(target.probe.noise)
        tokens = probe_tokens(target.model, MOST_ROWS + 1)
        kept = self._file.read()
        models = target.context, draft.context if draft else None
        saves = target.probe.rollback.saves
        self._was_kept = kept is not None and behaves(*models, tokens, kept.costs, saves=saves)
        if kept is not None and self._was_kept:
            costs = kept.costs
        else:
            costs = measure(*models, tokens, saves=saves)
        self.curves = CostCurves(costs)
        self._quiet = kept.costs if kept else None
        self._search = kept.search if kept else Search()
        if not self._search.is_over:
            self._search = self._search.go_on(
                target.context,
                probe_tokens(target.model, PROBE_WORDS),
                costs.target_s[1],
            )
        self.noise.observe(0, self._search.noise)
        self._is_noise_assumed = not (self.noise.so_far or self._search.is_over)
        if self._is_noise_assumed:
            self.noise.observe(0, UNSEEN)
        if not (kept and self._was_kept and self._search == kept.search):
            self._write(costs)

    def keep(self) -> None:
        """Write down what is known now."""
        self._write(self.curves.measured())

    def _write(self, costs: Measurement) -> None:
        """Write down these costs, or the last ones that were quiet, and all noise that was seen."""
        if costs.noise < QUIET:
            self._quiet = costs
        if self._quiet is not None:
            seen = self._search.noise if self._is_noise_assumed else self.noise.so_far
            self._file.write(Kept(self._quiet, replace(self._search, noise=seen)))

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
