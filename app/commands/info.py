"""`slipstream info`: all about a pair or a file: for whom, fit, licence, files, metadata."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from app.completers import models
from app.settings.flags import add_context_argument, add_model_names, add_network_arguments

if TYPE_CHECKING:
    from app.models.machine import Machine
    from app.models.shelf import Held, Shelf

HELP = "tell all about a pair or a GGUF file: fit, licence, files, hashes, metadata"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    what = "a pair, OWNER/REPO:FILE.gguf, or the path of a GGUF file"
    add_model_names(parser, "+", what, models)
    add_context_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Tell; of several names the JSON object holds a list, `models`. Raises CatalogError."""
    import json

    from app.models.machine import look
    from app.models.shelf import Shelf

    shelf = Shelf.open()
    machine = look(shelf.store.folder)
    facts = [_facts(shelf, name, args.ctx_size, machine) for name in args.names]
    if args.json:
        print(json.dumps(facts[0] if len(facts) == 1 else {"models": facts}))
        return 0
    for about in facts:
        _print(about)
    return 0


def _facts(shelf: Shelf, name: str, n_ctx: int | None, machine: Machine) -> dict[str, Any]:
    """Gather what is known of a name."""
    from app.models.offers import judge

    files = shelf.files_told_of(name)
    spec = shelf.catalog.pairs.get(name)
    fit = judge(shelf, name, files, machine, n_ctx)
    about: dict[str, Any] = {"name": name}
    if spec is not None:
        settings = spec.settings.model_dump(exclude_none=True)
        about |= {"title": spec.title, "for_whom": spec.for_whom, "tier": spec.tier}
        about |= {"pictures": spec.mmproj is not None}
        about |= {"drafter": spec.drafter, "settings": settings}
        about |= {"context": n_ctx or spec.ctx_size}
    about |= {"verdict": fit.verdict, "fit": fit.line}
    about |= {"alternatives": [one.line for one in fit.alternatives]}
    return about | {"files": [_file(held, shelf) for held in files]}


def _file(held: Held, shelf: Shelf) -> dict[str, Any]:
    """Gather what is known of a file."""
    import dataclasses

    from app.errors import CatalogError
    from app.models.metadata import read_metadata

    spec, here = held.spec, held.installed or held.damaged
    about: dict[str, Any] = {
        "source": spec.source,
        "path": str(here.path) if here else None,
        "state": held.state,
        "downloaded": shelf.store.downloaded(spec),
        "size": held.size,
        "sha256": (here.sha256 if here else None) or spec.sha256,
        "commit": (here.commit if here else None) or spec.commit,
        "licence": here.licence if here and spec.licence == "unknown" else spec.licence,
        "notes": spec.notes,
    }
    if here is not None:
        try:
            metadata = read_metadata(here.path)
            about["gguf"] = dataclasses.asdict(metadata)
            if about["licence"] == "unknown":
                about["licence"] = metadata.licence or "unknown"
        except CatalogError as error:
            about |= {"gguf": None, "fault": str(error)}
    return about


def _print(about: dict[str, Any]) -> None:
    """Write it for a person."""
    from app.settings.rows import MODELS_CTX
    from app.terminal.sanitise import one_line

    own_name = (about["files"][0].get("gguf") or {}).get("name")
    print(one_line(f"{about['name']}: {about.get('title') or own_name or about['name']}"))
    if "for_whom" in about:
        settings = ", ".join(f"{name} {value:g}" for name, value in about["settings"].items())
        print(f"  for            {one_line(about['for_whom'])} ({about['tier']})")
        print(f"  pictures       {'yes: @photo.png' if about['pictures'] else 'no, text only'}")
        print(f"  drafter        {one_line(about['drafter'])}")
        print(f"  settings       {settings or 'the defaults'}")
        print(f"  context        {about['context'] or MODELS_CTX}")
    print(f"  this machine   {about['verdict']}: {one_line(about['fit'])}")
    for line in about["alternatives"]:
        print(f"                 or {one_line(line)}")
    for file in about["files"]:
        _print_file(file)


def _print_file(file: dict[str, Any]) -> None:
    from app.sizes import size
    from app.terminal.sanitise import one_line

    known = size(file["size"]) if file["size"] else "size unknown"
    begun = f", {size(file['downloaded'])} of it downloaded" if file["downloaded"] else ""
    print(f"  {one_line(file['source'])}")
    rows = [
        ("state", f"{file['state']}, {known}{begun}"),
        ("licence", file["licence"]),
        ("path", file["path"]),
        ("sha256", file["sha256"]),
        ("notes", file["notes"]),
        ("GGUF", file.get("fault")),
    ]
    metadata = file.get("gguf")
    if metadata:
        words = (metadata["name"], metadata["architecture"], metadata["quantisation"])
        numbers = (
            f"{metadata['n_weights'] / 1e6:,.0f} million weights",
            f"{metadata['layers']} layers",
            f"context {metadata['context']}",
            f"{metadata['vocabulary']} tokens",
            "chat template" if metadata["has_template"] else "no chat template",
        )
        rows.append(("GGUF", ", ".join([*(word for word in words if word), *numbers])))
    for title, value in rows:
        if value:
            print(f"    {title:12} {one_line(str(value))}")
