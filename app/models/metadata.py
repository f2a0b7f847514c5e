"""What a GGUF file says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.errors import CatalogError, UnknownError, reason
from app.models.header import read_header
from app.sizes import size

KINDS = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
}
"""What general.file_type stands for: llama.cpp's enumeration of how most tensors are stored."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """None where the file does not say. n_weights: of all tensors."""

    name: str | None
    architecture: str | None
    quantisation: str | None
    n_weights: int
    layers: int | None
    context: int | None
    vocabulary: int | None
    licence: str | None
    has_template: bool


def read_metadata(path: Path) -> Metadata:
    """Read a file's header. Raises CatalogError if it is no GGUF that can be read or is whole,
    UnknownError if there is none.
    """
    try:
        header, n_bytes = read_header(path), path.stat().st_size
    except (ValueError, OSError) as error:
        kind = UnknownError if isinstance(error, FileNotFoundError) else CatalogError
        raise kind(f"{path} cannot be read as GGUF: {reason(error)}.") from None
    if n_bytes <= header.fewest_bytes:
        raise CatalogError(
            f"{path} is cut off: of more than {size(header.fewest_bytes)} it has {size(n_bytes)}."
            " Get it again."
        )
    texts = {key: value for key, value in header.keys.items() if isinstance(value, str)}
    counts = {key: value for key, value in header.keys.items() if isinstance(value, int)}
    architecture = texts.get("general.architecture")
    return Metadata(
        name=texts.get("general.name"),
        architecture=architecture,
        quantisation=KINDS.get(counts.get("general.file_type", -1)),
        n_weights=header.n_weights,
        layers=counts.get(f"{architecture}.block_count"),
        context=counts.get(f"{architecture}.context_length"),
        vocabulary=counts.get("tokenizer.ggml.tokens"),
        licence=texts.get("general.license"),
        has_template="tokenizer.chat_template" in texts,
    )
