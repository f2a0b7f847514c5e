"""models.toml: models by name, and the pairs that are made of them.

The catalogue that ships is read first, the person's own file second; an entry of the same name
there takes the place of ours. Figures that are not known are left out, never guessed.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from app.errors import CatalogError, SettingsError, UnknownError, reason
from app.refusals import matching, refusal
from app.sampling_fields import SamplingFields
from app.settings.fields import Drafter
from app.settings.fields import Name as Given
from app.short_text import parsed_toml, read_short
from engine import MIN_CTX

PACKAGE = Path(__file__).parent.parent
EMBEDDED = PACKAGE / "demo"
DEFAULT_PAIR = "demo"
INSTALLED_FILE = "models.toml"
LIMIT_BYTES = 4 * 2**20

Name = Annotated[
    str,
    matching(r"[a-z0-9][a-z0-9._-]*", "should be a name of small letters, digits, dots and dashes"),
]
Repo = Annotated[str, matching(r"\w[\w.-]*/\w[\w.-]*", "should be OWNER/NAME")]
File = Annotated[
    str,
    matching(r"[\w-][\w./ +()\[\]',#%&=@$!-]*\.(?i:gguf)", "should be the name of a .gguf file"),
]
Commit = Annotated[str, matching(r"[0-9a-f]{40}", "should be 40 hexadecimal digits")]
Sha256 = Annotated[str, matching(r"[0-9a-f]{64}", "should be 64 hexadecimal digits")]
Embedded = Annotated[str, matching(r"\w[\w.-]*", "should be the name of a file")]
PART = re.compile(r"(.+)-[0-9]{5}-of-([0-9]{5})\.gguf")
"""The name of a file of a split model."""
MOST_PARTS = 1000
"""A name that tells of more is that of a file by itself: no model is split into so many."""
Bytes = Annotated[int, Field(gt=0, lt=2**50)]
Figure = Annotated[int, Field(gt=0, lt=2**40)]
Tier = Literal["any", "4 GB", "8 GB", "12 GB", "16 GB", "24 GB"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def is_gguf(name: str) -> bool:
    """Whether a file is called like a model, however its ending is written."""
    return name.lower().endswith(".gguf")


def parts_of(name: str) -> list[str]:
    """Return the names of all files of the model that a file belongs to, itself among them."""
    found = PART.fullmatch(name)
    if found is None or not 0 < int(found[2]) <= MOST_PARTS:
        return [name]
    return [f"{found[1]}-{i:05}-of-{found[2]}.gguf" for i in range(1, int(found[2]) + 1)]


class ModelSpec(_Strict):
    """One model: of a repository on the Hub, of this machine (`path`), or shipped (`embedded`).

    A model that is split into several files bears the name of any of them; size is then that of all
    together, and nobody knows a sha256, as each file has its own.

    sha256, size, commit: None where they are not known. layers … context: what fit.py calculates
    with; kv_bytes_per_token: of an f16 cache, all layers together. notes: what to know in a chat.
    """

    repo: Repo | None = None
    file: File | None = None
    commit: Commit | None = None
    embedded: Embedded | None = None
    path: Given | None = None
    size: Bytes | None = None
    sha256: Sha256 | None = None
    licence: str = "unknown"
    layers: Figure | None = None
    heads: Figure | None = None
    kv_bytes_per_token: Figure | None = None
    vocabulary: Figure | None = None
    context: Figure | None = None
    notes: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> ModelSpec:
        given = [self.repo is not None, self.embedded is not None, self.path is not None]
        if sum(given) != 1:
            raise ValueError("give one of repo (with file), path and embedded")
        if (self.repo is None) != (self.file is None):
            raise ValueError("repo and file belong together")
        if self.file is not None and ".." in Path(self.file).parts:
            raise ValueError("file must not leave its folder")
        if self.sha256 is not None and len(self.parts) > 1:
            raise ValueError("leave sha256 out: each file of a split model has its own")
        return self

    @property
    def parts(self) -> tuple[ModelSpec, ...]:
        """Its files, one spec each; llama.cpp opens the first and finds the others beside it."""
        what = "file" if self.file is not None else "path"
        names = parts_of(self.file or self.path or "")
        if len(names) < 2:
            return (self,)
        return tuple(self.model_copy(update={what: name, "size": None}) for name in names)

    @property
    def own_path(self) -> Path | None:
        """Where the file lies if it is not to be downloaded."""
        if self.embedded is not None:
            return EMBEDDED / self.embedded
        return Path(os.path.expanduser(self.path)) if self.path is not None else None

    @property
    def source(self) -> str:
        """Where the file comes from, as a person would write it."""
        return f"{self.repo}:{self.file}" if self.repo else str(self.own_path)


class RecommendedSettings(_Strict, SamplingFields):
    """What a pair answers best with; None leaves the default."""


class PairSpec(_Strict):
    """A target, its draft model if it has one, and for whom the pair is.

    target, draft: names under [models]; mmproj, too: the projector that lets the target see
    pictures. tier: the memory it is meant for. ctx_size: the context it
    is opened with unless the person says otherwise; drafter: likewise.
    """

    title: str
    for_whom: str
    tier: Tier = "any"
    target: Name
    draft: Name | None = None
    mmproj: Name | None = None
    drafter: Drafter = "auto"
    ctx_size: int | None = Field(default=None, ge=MIN_CTX, lt=2**31)
    settings: RecommendedSettings = RecommendedSettings()


def is_taken(file: str) -> bool:
    """Whether a file of the Hub has a name that is harmless here."""
    try:
        ModelSpec(repo="any/model", file=file)
    except ValueError:
        return False
    return True


class Catalog(_Strict):
    """All models and pairs by name."""

    models: dict[Name, ModelSpec] = {}
    pairs: dict[Name, PairSpec] = {}

    @model_validator(mode="after")
    def _models_exist(self) -> Catalog:
        for name, pair in self.pairs.items():
            for role in ("target", "draft", "mmproj"):
                model = getattr(pair, role)
                if model is not None and model not in self.models:
                    raise ValueError(
                        f"pairs.{name}.{role}: there is no model named {model!r}; correct it, or "
                        f"add [models.{model}]"
                    )
        return self

    def pair(self, name: str) -> PairSpec:
        """Return the pair of that name. Raises UnknownError with the names there are."""
        if name not in self.pairs:
            known = ", ".join(self.pairs)
            is_file = is_gguf(name) or ("/" in name and ":" in name)
            hint = " A file is opened by --model." if is_file else meant(name, self.pairs)
            raise UnknownError(f"There is no pair named {name!r}.{hint} Known pairs: {known}.")
        return self.pairs[name]

    def members(self, pair: PairSpec) -> list[ModelSpec]:
        """Return the pair's models, the target first."""
        return [self.models[name] for name in (pair.target, pair.draft) if name is not None]

    def projector(self, pair: PairSpec) -> ModelSpec | None:
        """Return what lets the pair see pictures."""
        return None if pair.mmproj is None else self.models[pair.mmproj]

    def files(self, pair: PairSpec) -> list[ModelSpec]:
        """Return all that belongs to the pair, the target first, the projector last."""
        projector = self.projector(pair)
        return [*self.members(pair), *([] if projector is None else [projector])]


def meant(name: str, known: Iterable[str]) -> str:
    """Return the question for a name that is nearly a known one, "" if it is like none."""
    near = difflib.get_close_matches(name.lower(), known, 1)
    return f" Did you mean {near[0]}?" if near else ""


def load_catalog(own: Path | None = None, shipped: Path | None = None) -> Catalog:
    """Read and check models.toml, and the person's own file if it is there.

    Raises CatalogError naming the file, the entry and the field.
    """
    shipped = shipped or _shipped()
    entries = _entries(shipped)
    _check(shipped, entries)
    if own is not None and os.path.lexists(own):  # a link that leads nowhere cannot be read
        added = _entries(own)
        for section in added:
            entries[section] = {**entries.get(section, {}), **added[section]}
        return _check(own, entries)
    return _check(shipped, entries)


def _entries(path: Path) -> dict[str, dict[str, Any]]:
    """Return the file's sections; a model's path that is not whole begins where the file lies."""
    try:
        found = parsed_toml(read_short(path, LIMIT_BYTES, "models are named in a text file"))
    except SettingsError as error:
        raise CatalogError(str(error)) from None
    except (OSError, ValueError) as error:
        raise CatalogError(f"Cannot read {path}: {reason(error)}.") from None
    for section, value in found.items():
        if section not in Catalog.model_fields or not isinstance(value, dict):
            raise CatalogError(f"{path}: {section}: only [models.…] and [pairs.…] belong here.")
    for model in found.get("models", {}).values():
        own = model.get("path") if isinstance(model, dict) else None
        if not isinstance(own, str) or not own or "\0" in own:
            continue  # none, or one that is refused below
        if not os.path.isabs(os.path.expanduser(own)):
            model["path"] = str(path.parent / own)
    return found


def _check(path: Path, entries: dict[str, dict[str, Any]]) -> Catalog:
    try:
        return Catalog.model_validate(entries)
    except ValidationError as error:
        wrong = refusal(error, _known)
        where = ".".join(wrong.place)
        raise CatalogError(f"{path}: {where + ': ' if where else ''}{wrong.words}.") from None


def _known(place: Sequence[str]) -> Iterable[str]:
    """Return the keys that an entry can have."""
    if "settings" in place[2:-1]:
        return RecommendedSettings.model_fields
    return (ModelSpec if place[0] == "models" else PairSpec).model_fields


def _shipped() -> Path:
    """Return models.toml beside this package when installed, at the top when in a checkout."""
    installed = PACKAGE / INSTALLED_FILE
    return installed if installed.exists() else PACKAGE.parent / INSTALLED_FILE
