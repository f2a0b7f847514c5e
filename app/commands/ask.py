"""`slipstream ask "…"`: one answer on standard output, its statistics on standard error."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from app.completers import pair_names, prompt_names
from app.settings.flags import add_model_arguments, add_think_argument
from app.settings.values import NO_SWITCH

if TYPE_CHECKING:
    from app.prompts.prompt_library import Prompt
    from app.settings.config import ChatSettings
    from app.terminal.passing_line import PassingLine
    from engine import EngineClient, Finished, Message, Picture, Ready

HELP = "ask one question and print the answer"
STDIN_WAIT_S = 3.0
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `ask`."""
    parser.add_argument(
        "question",
        nargs="*",
        help="the question; what is piped in is added below it; - at its end waits for the pipe, "
        "however long",
    )
    prompt = parser.add_argument(
        "--prompt", metavar="NAME", help="a prompt by name, which the question is put into"
    )
    prompt.completer = prompt_names  # type: ignore[attr-defined]
    pair = parser.add_argument(
        "--pair", metavar="NAME", help="a pair from models.toml (default: demo)"
    )
    pair.completer = pair_names  # type: ignore[attr-defined]
    parser.add_argument(
        "--image",
        action="append",
        default=[],
        metavar="FILE",
        help="a picture to ask about: PNG, JPEG, BMP or GIF; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument(
        "--stop", action="append", default=[], metavar="TEXT", help="end the answer before this"
    )
    add_model_arguments(parser)
    add_think_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Answer and return the exit code: 0 answered, 2 nothing asked, 130 interrupted."""
    import asyncio
    from dataclasses import replace

    from app.settings.config import settings_from, without_sight
    from app.settings.given_files import check_models

    check_models(args)
    prompt = named(args.prompt)
    question = prompt.filled(read_question(args.question))
    if not question.strip():
        print('slipstream ask: nothing was asked; try: slipstream ask "…"', file=sys.stderr)
        return 2
    settings = settings_from(args)
    _warn_of_pair(args)
    pictures = [shown(file, settings) for file in args.image]
    if not pictures:
        settings = without_sight(settings)
    if prompt.system and args.system is None and args.persona is None:
        settings = replace(settings, system=prompt.system)
    messages = asked_with(settings.system, prompt, question, pictures)
    try:
        return asyncio.run(_answer(args, settings, messages))
    except asyncio.CancelledError:
        return INTERRUPTED


def _warn_of_pair(args: argparse.Namespace) -> None:
    """Say that a pair's name before the question, where other commands take it, is sent along."""
    first, *others = args.question or [""]
    if others and args.pair is None and first in pair_names():
        words = f"{first!r} is sent as part of the question; for the pair: --pair {first}"
        print(f"slipstream ask: {words}", file=sys.stderr)


def read_question(words: list[str]) -> str:
    """Join the words and what is piped in, the words first. A minus sign between words is one."""
    from app.terminal.piped import read_piped

    waits = not words or "-" in (words[0], words[-1])
    said = words[words[:1] == ["-"] :]
    asked = " ".join(said[:-1] if said[-1:] == ["-"] else said)
    piped = read_piped(None if waits else STDIN_WAIT_S)
    return "\n\n".join(part for part in (asked, piped) if part)


def shown(file: str, settings: ChatSettings) -> Picture:
    """Return a picture that is asked about. Raises AttachmentError if it is none, or nobody would
    see it, SettingsError if none is named.
    """
    import os
    from pathlib import Path

    from app.errors import SettingsError
    from app.files.attachments import AttachmentError, read_picture
    from app.terminal.sanitise import one_line

    if not file:
        raise SettingsError("--image: should be a file, found nothing.")
    path = Path(os.path.expanduser(file))
    if not path.exists():
        raise SettingsError(f"--image: there is no file {one_line(file)}.")
    found = read_picture(path)
    if settings.pair.mmproj is None:
        raise AttachmentError(f"{found.name} is a picture, and {blindness(settings.title)}")
    assert found.picture is not None, "one was read"
    return found.picture


def blindness(title: str) -> str:
    """Say that a pair takes no pictures, and what to do."""
    from app.terminal.sanitise import one_line

    return (
        f"{one_line(title)} takes text only: `slipstream list` shows which pairs take pictures; of "
        "one of your own files, --mmproj names the projector."
    )


def named(name: str | None) -> Prompt:
    """Return a prompt by its name, for none an empty one. Raises SettingsError."""
    from app.paths import Paths
    from app.prompts.prompt_library import Prompt, load

    return Prompt("") if name is None else load(Paths().prompts_dir, name)


def asked_with(
    system: str | None, prompt: Prompt, question: str, pictures: list[Picture]
) -> list[Message]:
    """Return what is asked: the system prompt, the prompt's turns, the question."""
    from engine import Message

    messages = [Message(role="system", content=system)] if system else []
    for asked, answer in prompt.turns:
        messages.append(Message(role="user", content=asked))
        messages.append(Message(role="assistant", content=answer))
    return [*messages, Message(role="user", content=question, pictures=pictures)]


async def _answer(args: argparse.Namespace, settings: ChatSettings, messages: list[Message]) -> int:
    import asyncio
    import signal

    from app.paths import Paths
    from app.terminal.passing_line import passing_line
    from engine import EngineClient

    engine = EngineClient(Paths().ensure().engine_log)
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    stopping: list[asyncio.Task[None]] = []

    def interrupt() -> None:
        """Stop the answer and keep its text; before there is one, or a second time, just end."""
        if engine.answering and not stopping:
            stopping.append(loop.create_task(engine.cancel()))
        elif task is not None:
            task.cancel()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        with passing_line() as line:
            ready = await _load(engine, settings, line)
            finished = await _stream(engine, settings, messages, args, line)
    except asyncio.CancelledError:
        return INTERRUPTED
    finally:
        loop.add_signal_handler(signal.SIGINT, lambda: None)  # it is ending already
        await engine.close()
    _report(args, ready, finished)
    return INTERRUPTED if stopping else 0


async def _load(engine: EngineClient, settings: ChatSettings, line: PassingLine) -> Ready:
    from app.fitting import fitted
    from app.models.given_draft import noted_draft
    from app.models.projector import noted_sight
    from app.terminal.sanitise import one_line
    from engine import Ready

    pair = fitted(settings).pair
    line.say("loading…")
    async for event in engine.load(pair):
        if isinstance(event, Ready):
            line.clear()
            in_vain = settings.think is not None and event.thinks is None
            sight = noted_sight(settings.name, settings.pair, event.sees, settings.lacks)
            unused = noted_draft(settings.name, settings.pair)
            is_refused = pair.mmproj is not None and not event.sees  # with what the notice says
            notices = [] if is_refused else event.notices
            for notice in (*notices, *([NO_SWITCH] if in_vain else []), *sight, *unused):
                print(f"slipstream: {one_line(notice)}", file=sys.stderr)
            return event
    raise AssertionError("a load ends with Ready or an exception")


async def _stream(
    engine: EngineClient,
    settings: ChatSettings,
    messages: list[Message],
    args: argparse.Namespace,
    line: PassingLine,
) -> Finished:
    """Print the answer as it comes, unless it is to be one JSON object. Its last line is ended also
    where it breaks off.
    """
    from contextlib import suppress

    from app.chat.summary import reading
    from app.terminal.sanitise import sanitise
    from engine import Delta, Finished, Started

    clean = sanitise if sys.stdout.isatty() else str
    sampling, predict, think = settings.sampling, settings.predict, settings.think
    is_begun = False
    try:
        async for event in engine.ask(messages, sampling, predict, args.stop, think=think):
            if isinstance(event, Started):
                line.say(reading(event))
            else:
                line.clear()
            if isinstance(event, Delta) and not args.json:
                sys.stdout.write(clean("".join(span.text for span in event.spans)))
                sys.stdout.flush()
                is_begun = True
            if isinstance(event, Finished):
                if not args.json:
                    print(flush=True)  # before what goes to the same place as statistics
                return event
    except BaseException:
        if is_begun:
            with suppress(OSError):  # what it broke off of is said, be it a broken pipe
                print(flush=True)
        raise
    raise AssertionError("an answer ends with Finished or an exception")


def _report(args: argparse.Namespace, ready: Ready, finished: Finished) -> None:
    """Print the JSON object, or the line of statistics."""
    if args.json:
        import json

        import msgspec

        answer = {
            "text": finished.text,
            "token_ids": finished.token_ids,
            "finish_reason": finished.reason,
            "seed": finished.seed,
            "stats": finished.stats,
            "drafter": ready.drafter,
            "verify": ready.verify,
            "rollback": ready.rollback,
            "notices": [*ready.notices, *finished.notices],
        }
        print(json.dumps(msgspec.to_builtins(answer)))  # ASCII: harmless to a terminal as it is
        return
    from app.chat.summary import summary_line
    from app.terminal.sanitise import one_line

    for notice in finished.notices:
        print(f"slipstream: {one_line(notice)}", file=sys.stderr)
    nothing = _why_nothing(args, ready)
    line = summary_line(finished.stats, finished.reason, finished.seed, nothing)
    print(line, file=sys.stderr)


def _why_nothing(args: argparse.Namespace, ready: Ready) -> str:
    """Say why nothing is drafted, if nothing is; "" where a notice tells, or it was just typed."""
    from app.chat.summary import NOBODY, NOT_WORTH_IT

    if ready.drafters:
        return NOT_WORTH_IT
    return "" if ready.off or args.drafter is not None else NOBODY
