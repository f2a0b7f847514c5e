"""The pairs of models.toml: a name, and the files and settings that belong to it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import CatalogError

PACKAGE = Path(__file__).parent
EMBEDDED = PACKAGE / "demo"
DEFAULT_PAIR = "demo"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSpec(_Strict):
    """One GGUF file. embedded: its name in the folder that ships with Slipstream."""

    embedded: str = Field(pattern=r"^\w[\w.-]*$")
    licence: str

    @property
    def path(self) -> Path:
        """Where the file lies on this machine."""
        return EMBEDDED / self.embedded


class RecommendedSettings(_Strict):
    """The sampling flags that a pair answers best with; None leaves the default."""

    temp: float | None = None
    top_k: int | None = None
    typical_p: float | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repeat_last_n: int | None = None


class PairSpec(_Strict):
    """A target, its draft model if it has one, and for whom the pair is."""

    title: str
    for_whom: str
    target: ModelSpec
    draft: ModelSpec | None = None
    settings: RecommendedSettings = RecommendedSettings()


class Catalog(_Strict):
    """All pairs by name."""

    pairs: dict[str, PairSpec]

    def pair(self, name: str) -> PairSpec:
        """Return the pair of that name. Raises CatalogError with the names there are."""
        if name not in self.pairs:
            known = ", ".join(sorted(self.pairs))
            raise CatalogError(f"There is no pair named {name!r}. Known pairs: {known}.")
        return self.pairs[name]


def load_catalog(path: Path | None = None) -> Catalog:
    """Read and check models.toml. Raises CatalogError naming the file, the entry and the field."""
    path = path or _shipped()
    try:
        return Catalog.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogError(f"Cannot read {path}: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CatalogError(f"{path}: {where}: {first['msg']}.") from None


def _shipped() -> Path:
    """Return models.toml beside this package when installed, at the top when in a checkout."""
    installed = PACKAGE / "models.toml"
    return installed if installed.exists() else PACKAGE.parent / "models.toml"
