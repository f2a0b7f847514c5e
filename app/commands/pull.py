"""`slipstream pull`: downloads a pair, resumable and checked, after a look at whether it fits."""

from __future__ import annotations

import argparse
import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from app.settings.flags import add_context_argument, add_model_names, add_network_arguments

if TYPE_CHECKING:
    from app.models.catalog import Catalog
    from app.models.hub import Remote
    from app.models.limit import Limit
    from app.models.names import Named
    from app.models.pull import Plan
    from app.models.retrying import Patience
    from app.models.shelf import Shelf
    from app.models.store import Store

NO_PROJECTOR = "none"
HELP = "download a pair: resumed where it was, checked, and only if it fits this machine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.epilog = (
        "NAME is a pair (`slipstream list`), OWNER/REPO:FILE.gguf, or OWNER/REPO:Q4_K_M, with "
        "which the projector comes that lets it see pictures, if the repository has one. Ctrl+C "
        "pauses; the same command goes on. Gated models need HF_TOKEN or `hf auth login`."
    )
    add_model_names(parser, "+")
    parser.add_argument(
        "--force",
        action="store_true",
        help="download what does not fit the memory, too, and leave nothing free on the disk",
    )
    parser.add_argument(
        "--no-mmproj",
        dest="mmproj",
        action="store_const",
        const=NO_PROJECTOR,
        help="leave out what lets a model see pictures",
    )
    parser.add_argument("--mmproj", choices=[NO_PROJECTOR], help="the same, as in `chat`")
    parser.add_argument("--limit-rate", metavar="RATE", help="bytes a second: 500k, 2.5M")
    add_context_argument(parser)
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Download; 130 if it was paused. Raises CatalogError, PullError, FitError."""
    from app.models.catalog import load_catalog
    from app.models.download import Paused
    from app.models.limit import Limit
    from app.models.names import without_projector
    from app.models.projector import is_projector
    from app.models.pull import SPARE_BYTES, check_disk, plan
    from app.models.retrying import Patience
    from app.models.shelf import Shelf
    from app.models.store import Store
    from app.paths import Paths
    from app.settings.config import is_offline

    paths = Paths().ensure()
    catalog, store = load_catalog(paths.own_catalog), Store(paths.models_dir)
    patience, limit = Patience(on_silence=_say_that_it_waits), Limit.parse(args.limit_rate)
    offline = is_offline(args)
    for n_done, name in enumerate(args.names):
        if offline:
            found = _here(name, catalog, store)
        else:
            found = _anywhere(name, catalog, store, patience)
        found = without_projector(found) if args.mmproj else found
        planned = plan(found.name, found.models, store, None if offline else patience)
        _say_what_comes(planned)
        if planned.to_fetch:
            _check_fit(planned, found, Shelf(catalog, store), args)
        check_disk(planned, store, 0 if args.force else SPARE_BYTES)
        try:
            _fetch(planned, store, limit)
        except Paused:
            _say_paused(planned, found, store, _again(args, args.names[n_done:]))
            return 130
        if found.pair is None and is_projector(found.models[0].source):
            print(f"{name} is installed. It is a projector: --mmproj names it beside a model.")
            continue
        opener = _opener(found) + " --mmproj none" * bool(args.mmproj and found.pair)
        print(f"{name} is installed. Chat with it: slipstream chat {opener}")
    return 0


def _anywhere(name: str, catalog: Catalog, store: Store, patience: Patience) -> Named:
    """Return what a name stands for on the Hub, or here where that does not answer and all of it is
    here. Raises CatalogError, PullError.
    """
    from app.errors import AppError
    from app.models.hub import UnreachableError
    from app.models.names import found_on_hub

    try:
        return found_on_hub(name, catalog, patience)
    except UnreachableError:
        with suppress(AppError):
            return _here(name, catalog, store)
        raise


def _here(name: str, catalog: Catalog, store: Store) -> Named:
    """Return what a name stands for, if all of it is here. Raises CatalogError, OfflineError."""
    from app.errors import OFFLINE, OfflineError
    from app.models.names import NotHereError, found_here

    try:
        found = found_here(name, catalog, store)
    except NotHereError:
        raise OfflineError(f"{name} is not here, and {OFFLINE}.") from None
    for spec in found.models:
        if store.find(spec) is None:
            raise OfflineError(f"{spec.source} is not here, and {OFFLINE}.")
    return found


def _say_that_it_waits(answers: str) -> None:
    words = "The Hub has not answered yet: still waiting for it"
    if answers:
        words = f"The Hub answers {answers}: still trying again"
    print(f"{words} (Ctrl+C ends it).", file=sys.stderr, flush=True)


def _say_what_comes(planned: Plan) -> None:
    """List the files: what is here, what is to come, under which licence."""
    from app.sizes import size
    from app.terminal.sanitise import one_line

    for installed in (file.installed for file in planned.here):
        name = one_line(installed.path.name)
        print(f"{name}: here already, {size(installed.size)}", file=sys.stderr)
    for remote in planned.to_fetch:
        known = size(remote.size) if remote.size is not None else "size unknown"
        hashed = "" if remote.sha256 else ", no hash known: only its size can be checked"
        line = f"{remote.spec.file}: {known}, licence {remote.licence}{hashed}"
        print(one_line(line), file=sys.stderr)
    if planned.begun:
        print(f"going on: {size(planned.begun)} are here already", file=sys.stderr)
    if planned.stale:
        here = f"the {size(planned.stale)} that are here may be of another version"
        print(f"from the beginning: {here}", file=sys.stderr)


def _check_fit(planned: Plan, found: Named, shelf: Shelf, args: argparse.Namespace) -> None:
    """Say whether it fits this machine. Raises FitError where it does not, unless forced."""
    from app.fitting import machine_now, must_fit
    from app.models.offers import judge_planned
    from app.terminal.sanitise import one_line

    machine = machine_now(shelf.store.folder)
    judged = judge_planned(shelf, planned, found.models, machine, args.ctx_size)
    must_fit(planned.name, judged, args.force)
    print(one_line(f"this machine: {judged.verdict}; {judged.line}"), file=sys.stderr)


def _fetch(planned: Plan, store: Store, limit: Limit) -> None:
    """Download under progress bars."""
    from app.models.pull import Pull
    from app.models.showing import shown

    with shown(planned) as bars:
        Pull(store, bars.report, limit).run(planned)


def _again(args: argparse.Namespace, names: list[str]) -> str:
    """Return the command for the names that remain, as a shell takes it."""
    words = ["slipstream", "pull"]
    words += ["--force"] * args.force + ["--no-mmproj"] * bool(args.mmproj)
    words += ["--limit-rate", args.limit_rate] * bool(args.limit_rate)
    words += ["--ctx-size", str(args.ctx_size)] * bool(args.ctx_size)
    words += ["--offline"] * bool(args.offline)
    return shlex.join([*words, *names])


def _say_paused(planned: Plan, found: Named, store: Store, again: str) -> None:
    from app.sizes import size

    if not planned.to_fetch:  # files that are here were being checked
        print(f"Paused. Go on: {again}.", file=sys.stderr)
        return
    here = sum(_n_bytes_here(remote, store) for remote in planned.to_fetch)
    of = f" of {size(planned.total_bytes)}" if planned.total_bytes else ""
    unwanted = [found.pair] if found.pair and not planned.here else _begun_by(planned)
    print(
        f"Paused: {size(here)}{of} are here and stay. Go on: {again}. "
        f"Throw it away: {shlex.join(['slipstream', 'rm', *unwanted])}.",
        file=sys.stderr,
    )


def _n_bytes_here(remote: Remote, store: Store) -> int:
    """Return how much of a file has come; it may have come whole."""
    found = store.find(remote.spec)
    is_whole = found is not None and remote.size in (None, found.size)
    return found.size if found is not None and is_whole else store.downloaded(remote.spec)


def _begun_by(planned: Plan) -> list[str]:
    """Return what was to be fetched as `rm` takes it: the first file of a split model stands for
    all.
    """
    specs = (remote.spec for remote in planned.to_fetch)
    return list(dict.fromkeys(spec.parts[0].source for spec in specs))


def _opener(found: Named) -> str:
    """Return how a chat is opened with it, as a shell takes it."""
    return found.pair or f"--model {shlex.quote(found.models[0].source)}"
