"""A Llama-architecture language model, small enough to train on a laptop's processor.

Contract: `Llama(shape)` maps packed token ids to hidden states; `Llama.logits` maps hidden states
to logits with the tied embedding. RoPE rotates neighbouring pairs of each head, the layout which
GGUF's architecture `llama` expects, so weights are exported without a permutation.

It knows nothing about tokens, chats, files or optimisers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of one model; every head has `head_dim` channels."""

    vocab: int
    width: int
    layers: int
    heads: int
    kv_heads: int
    feed_forward: int
    head_dim: int = 64
    rope_base: float = 10_000.0
    norm_eps: float = 1e-5

    def as_dict(self) -> dict[str, float]:
        """Return the sizes as plain values, as a checkpoint stores them."""
        return asdict(self)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate neighbouring channel pairs.

    x: [batch, length, heads, head_dim]; cos, sin: [batch, length, 1, head_dim / 2].
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(-2).to(x.dtype)


def rope_angles(positions: Tensor, shape: Shape) -> tuple[Tensor, Tensor]:
    """Return cosine and sine [batch, length, 1, head_dim / 2] of positions [batch, length]."""
    steps = torch.arange(0, shape.head_dim, 2, dtype=torch.float32) / shape.head_dim
    angles = positions.float()[..., None, None] * shape.rope_base**-steps
    return angles.cos(), angles.sin()


class Attention(nn.Module):
    """Grouped-query attention under a boolean mask."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        inner, kv = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.q = nn.Linear(shape.width, inner, bias=False)
        self.k = nn.Linear(shape.width, kv, bias=False)
        self.v = nn.Linear(shape.width, kv, bias=False)
        self.out = nn.Linear(inner, shape.width, bias=False)

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        batch, length, _ = x.shape
        split = (batch, length, -1, self.shape.head_dim)
        q = rotate(self.q(x).view(split), *angles).transpose(1, 2)
        k = rotate(self.k(x).view(split), *angles).transpose(1, 2)
        v = self.v(x).view(split).transpose(1, 2)
        group = self.shape.heads // self.shape.kv_heads
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        return self.out(mixed.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.down = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """Attention, then feed-forward, each behind a norm and beside a residual."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(shape.width, eps=shape.norm_eps)
        self.attention = Attention(shape)
        self.feed_norm = nn.RMSNorm(shape.width, eps=shape.norm_eps)
        self.feed = FeedForward(shape)

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x), angles, mask)
        return x + self.feed(self.feed_norm(x))


class Llama(nn.Module):
    """The whole model, its output tied to its embedding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embed = nn.Embedding(shape.vocab, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=shape.norm_eps)
        self._initialise()

    def _initialise(self) -> None:
        """Draw every matrix from N(0, 0.02²); shrink those that write to the residual stream."""
        for name, parameter in self.named_parameters():
            if parameter.dim() < 2:
                continue
            writes = name.endswith(("attention.out.weight", "feed.down.weight"))
            scale = 0.02 / (2 * self.shape.layers) ** 0.5 if writes else 0.02
            nn.init.normal_(parameter, std=scale)

    def forward(self, tokens: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
        """Return hidden states [batch, length, width].

        tokens, positions: [batch, length] int64; mask: [batch, 1, length, length] added to scores.
        """
        x = self.embed(tokens)
        angles = rope_angles(positions, self.shape)
        for block in self.blocks:
            x = block(x, angles, mask)
        return self.norm(x)

    def logits(self, hidden: Tensor) -> Tensor:
        """Return logits [..., vocab] for hidden states [..., width]."""
        return functional.linear(hidden, self.embed.weight)

    def size(self) -> int:
        """Count the parameters."""
        return sum(parameter.numel() for parameter in self.parameters())
