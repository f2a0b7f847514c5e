"""Each pair as a person sees it before choosing: what it is, what is here, how it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.models.catalog import Catalog, ModelSpec, Tier
from app.models.figures import Figures, of_file, of_spec
from app.models.fit import USUAL_CACHE, Fit, fit, usual_context
from app.models.machine import Machine
from app.models.projector import is_projector, sight_bytes
from app.models.recommend import recommend
from app.models.shelf import Held, Shelf, State, sum_of

if TYPE_CHECKING:
    from app.models.pull import Plan


@dataclass(frozen=True, slots=True)
class Offer:
    """A pair. is_usable: a chat can go on with it; size: bytes of all files, None if one is not
    known; fit: the numbers in one line; sees: it takes pictures.
    """

    name: str
    title: str
    for_whom: str
    tier: Tier
    state: State
    is_usable: bool
    size: int | None
    verdict: str
    fit: str
    alternatives: tuple[str, ...]
    files: tuple[Held, ...]
    sees: bool = False


def offers(shelf: Shelf, machine: Machine) -> list[Offer]:
    """Return all pairs in the catalogue's order."""
    found = []
    for pair in shelf.pairs():
        judged = judge(shelf, pair.name, pair.files, machine)
        found.append(
            Offer(
                name=pair.name,
                title=pair.spec.title,
                for_whom=pair.spec.for_whom,
                tier=pair.spec.tier,
                state=pair.state,
                is_usable=pair.is_usable,
                size=pair.size,
                verdict=judged.verdict,
                fit=judged.line,
                alternatives=tuple(one.line for one in judged.alternatives),
                files=pair.files,
                sees=pair.spec.mmproj is not None,
            )
        )
    return found


def recommended(shelf: Shelf, machine: Machine) -> list[tuple[str, str]]:
    """Return the names of the best pairs for the machine, and why; the best first."""
    installed = {pair.name for pair in shelf.pairs() if pair.state == "installed"}
    return [(one.name, one.why) for one in recommend(shelf.catalog, machine, installed)]


def judge(
    shelf: Shelf,
    name: str,
    files: Sequence[Held],
    machine: Machine,
    n_ctx: int | None = None,
) -> Fit:
    """Say how a name's files fit: a target's, with its draft model's and its projector if there are
    some. Those of a pair are in the catalogue's order; the projector is the last.

    n_ctx: None for the pair's own.
    """
    catalog, draft = shelf.catalog, None
    projectors = _projectors(catalog, name, files[1:])
    sight = sum(sight_bytes(held.size) for held in projectors)
    files = [files[0], *(held for held in files[1:] if held not in projectors)]
    if name in catalog.pairs:
        model, *drafts = catalog.members(catalog.pairs[name])
        n = len(model.parts)
        target = _of_parts(files[:n], model.size)
        draft = _of_parts(files[n:], drafts[0].size) if drafts else None
    else:
        known = catalog.models.get(name)
        target = _of_parts(files, known.size if known else None)
    target = replace(target, sight_bytes=sight)
    context = n_ctx or context_of(shelf, name, target)
    return fit(target, draft, context, USUAL_CACHE, machine, name, catalog)


def judge_planned(
    shelf: Shelf,
    planned: Plan,
    models: Sequence[ModelSpec],
    machine: Machine,
    n_ctx: int | None = None,
) -> Fit:
    """Say how what is to be downloaded fits, by the sizes that the Hub tells.

    models: all files of the plan's name; n_ctx: None for the pair's own.
    """
    sizes = {remote.spec: remote.size for remote in planned.to_fetch}
    files = [
        Held(spec.model_copy(update={"size": sizes.get(spec, spec.size)}), shelf.store.find(spec))
        for spec in models
    ]
    return judge(shelf, planned.name, files, machine, n_ctx)


def context_of(shelf: Shelf, name: str, target: Figures) -> int:
    """Return the context that a name is opened with."""
    pair = shelf.catalog.pairs.get(name)
    return usual_context(pair.ctx_size if pair is not None else None, target)


def _of_parts(files: Sequence[Held], size: int | None = None) -> Figures:
    """Return what the files of one model, which may be split, say together. size: of all of them,
    as the catalogue has it.
    """
    first = _figures(files[0])
    if len(files) < 2:
        return first
    return replace(first, weights_bytes=sum_of(held.size for held in files) or size)


def _projectors(catalog: Catalog, name: str, files: Sequence[Held]) -> list[Held]:
    """Return which of a name's files are projectors: of a pair the catalogue says it."""
    pair = catalog.pairs.get(name)
    if pair is None:
        return [held for held in files if is_projector(held.spec.source)]
    projector = catalog.projector(pair)
    sources = {part.source for part in projector.parts} if projector is not None else set()
    return [held for held in files if held.spec.source in sources]


def _figures(held: Held) -> Figures:
    """Return what the file says of itself, or the catalogue of it."""
    known = of_spec(held.spec)
    if held.installed is None:
        return known
    try:
        found = of_file(held.installed.path)
    except OSError:
        return known
    return known if len(known.missing) < len(found.missing) else found
