"""The optimiser: Muon for the matrices, AdamW for the embedding and the norms.

Contract: the model computes in bfloat16, while the weights which are optimised are float32 copies;
`Optimiser.step` moves gradients over, takes one step and writes the rounded weights back. Muon:
Jordan et al. 2024, with the update scaled to AdamW's (Liu et al. 2025, equation 4).
"""

from __future__ import annotations

from typing import Any

import torch
from model import Llama
from recipe import Plan
from torch import Tensor, nn

DECAYING_SHARE = 0.5
LOOSE_RATE = 0.3
LOOSE_WARM_UP = 20
MOST_GRADIENT = 1.0


def rate_at(step: int, plan: Plan) -> float:
    """Return the learning rate's factor: a warm-up, a plateau, then a straight line to zero.

    The second phase warms up to a lower rate and falls to zero again.
    """
    if step >= plan.steps:
        done = step - plan.steps
        left = 1 - done / plan.loose_steps
        return LOOSE_RATE * min((done + 1) / LOOSE_WARM_UP, left)
    falling = (plan.steps - step) / (DECAYING_SHARE * plan.steps)
    return min((step + 1) / plan.warm_up, 1.0, max(falling, 0.0))


class Optimiser:
    """Owns the float32 weights of a bfloat16 model."""

    def __init__(self, model: Llama, plan: Plan) -> None:
        self.plan = plan
        self.rounded = dict(model.named_parameters())
        self.exact = {name: p.detach().float().clone() for name, p in self.rounded.items()}
        model.bfloat16()
        matrices = [
            p for name, p in self.exact.items() if name.startswith("blocks") and p.dim() == 2
        ]
        others = [
            p for name, p in self.exact.items() if not (name.startswith("blocks") and p.dim() == 2)
        ]
        self.parts: list[tuple[torch.optim.Optimizer, float]] = [
            (
                torch.optim.Muon(matrices, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"),
                plan.matrix_rate,
            ),
            (
                torch.optim.AdamW(others, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
                plan.vector_rate,
            ),
        ]

    def step(self, number: int) -> None:
        """Take step `number` with the gradients of the bfloat16 model, and clear them."""
        for name, exact in self.exact.items():
            exact.grad = _gradient(self.rounded[name])
        nn.utils.clip_grad_norm_(list(self.exact.values()), MOST_GRADIENT)
        for part, rate in self.parts:
            part.param_groups[0]["lr"] = rate * rate_at(number, self.plan)
            part.step()
        self.round()

    @torch.no_grad()
    def round(self) -> None:
        """Write the float32 weights to the model."""
        for name, exact in self.exact.items():
            self.rounded[name].copy_(exact)
            self.rounded[name].grad = None

    def state(self) -> dict[str, Any]:
        """Return all that is needed to continue."""
        return {"weights": self.exact, "parts": [part.state_dict() for part, _ in self.parts]}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        with torch.no_grad():
            for name, exact in self.exact.items():
                exact.copy_(state["weights"][name])
        for (part, _), saved in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(saved)
        self.round()


def _gradient(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None, "every weight takes part in every step"
    return parameter.grad.float()
