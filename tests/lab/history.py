"""How fast the history is with ten thousand chats: `python -m tests.lab.history`.

The chats have some six messages each, in the words of the standard library's source as often as
they occur there. They live in a temporary folder on this disk. Each figure is the median of many
runs of what the app calls, with everything that the person waits for; writing includes the disk.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, count
from pathlib import Path
from statistics import median

import msgspec

from app.history import Figures, History, Outcome
from engine import Span

LONG, BATCH, GOAL_MS = 2000, 500, 100.0
YEAR_S = 365 * 86400.0
RARE = "xylophonist"
PIECE = 4
ORIGINS = ("plain", "lookup", "draft_model", "corrected", "bonus")


class Author:
    """Writes text of the right words in the wrong order, always the same."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)
        counts: Counter[str] = Counter()
        for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
            counts.update(re.findall(r"\w+|[^\w\s]", file.read_text("utf-8", "ignore")))
        self._words = list(counts)
        self._sums = list(accumulate(counts.values()))

    def text(self, n_words: int) -> str:
        """Return so many words."""
        return " ".join(self.random.choices(self._words, cum_weights=self._sums, k=n_words))

    def question(self) -> str:
        """Return some 20 words."""
        return self.text(self.random.randint(5, 35))

    def answer(self) -> str:
        """Return some 130 words, sometimes many more."""
        return self.text(round(self.random.lognormvariate(4.6, 0.7)))

    def chat(self, n_messages: int, end: float) -> dict[str, object]:
        """Return a chat as it is imported, begun within the year before `end`."""
        at = end - self.random.random() * YEAR_S
        messages = [
            {"role": "assistant", "content": (text := self.answer()), "spans": pieces(text)}
            if place % 2
            else {"role": "user", "content": self.question()}
            for place in range(n_messages)
        ]
        for place, message in enumerate(messages):
            message |= {"parent": place - 1 if place else None, "created_at": at + 60 * place}
        pinned, archived = self.random.random() < 0.002, self.random.random() < 0.1
        last = {"updated_at": at + 60 * n_messages, "pinned": pinned, "archived": archived}
        return {"title": "", "messages": messages, "created_at": at, **last}


def pieces(text: str) -> list[Span]:
    """Cut a text as an answer comes: some characters from one origin, some from another."""
    cuts = range(0, len(text), PIECE)
    return [Span(text[cut : cut + PIECE], ORIGINS[cut // 9 % len(ORIGINS)]) for cut in cuts]


def fill(history: History, author: Author, n_chats: int) -> int:
    """Write the chats and a long one, whose id is returned."""
    sizes = [*(author.random.choice((2, 4, 6, 8, 10)) for _ in range(n_chats)), LONG]
    now, ids = time.time(), [0]
    for begin in range(0, len(sizes), BATCH):
        chats = [author.chat(size, now) for size in sizes[begin : begin + BATCH]]
        if begin == n_chats // 2 // BATCH * BATCH:
            chats[0]["messages"][0]["content"] += f" {RARE} 日本語の文章"  # type: ignore[index]
        file = {"format": "slipstream-chats", "version": 1, "chats": chats}
        ids = history.import_json(msgspec.json.encode(file)).chats
        assert history.flush(600.0)
    return ids[-1]


def reading(history: History, long: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is read."""
    yield "list: first page", history.chats
    yield "list: page 170", lambda: history.chats(50, 169 * 50)
    yield "list: the archive", lambda: history.chats(archived=True)
    yield "count the archive", history.n_archived
    searches = {
        "a word that is everywhere": "self ",
        "three common words": "return not the ",
        "a rare word": RARE,
        "a beginning, two letters": "se",
        "a beginning, four letters": "retu",
        "part of a path": "os.path.jo",
        "Japanese": "語の文",
        "the inside of a word": "ylophoni",
        "nothing": "qqqqqqqq",
    }
    for name, words in searches.items():
        yield f"search: {name}", lambda words=words: history.search(words)  # type: ignore[misc]
    archive = partial(history.search, archived=True)
    for name in ("a word that is everywhere", "a rare word"):
        yield f"search the archive: {name}", partial(archive, searches[name])
    yield f"open a chat of {LONG} messages", lambda: history.chat(long).path()


def writing(history: History, author: Author) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is written, until it is on the disk."""
    chat = history.new_chat()
    message = history.add(chat, None, "assistant")
    text, turns = author.text(300), count()

    def update() -> None:
        history.write(message, [Span(f"word {next(turns)} ", "plain")] * 30)
        assert history.flush()

    def add() -> None:
        history.add(chat, message, "user", author.question())
        assert history.flush()

    def finish() -> None:
        history.finish(message, text, Outcome("stop", Figures(seed=1)))
        assert history.flush()

    yield "post a piece of an answer", lambda: history.write(message, [Span("a ", "plain")])
    yield "streaming update, on the disk", update
    yield "finish an answer, on the disk", finish
    yield "add a question, on the disk", add


def main() -> None:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chats", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=25)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, author, begun = Path(folder) / "history.db", Author(), time.perf_counter()
        history = History.open(path, print)
        long = fill(history, author, args.chats)
        history.close()
        took_s = time.perf_counter() - begun
        size_mb, answers = path.stat().st_size / 1e6, sqlite3.sqlite_version
        print(f"{args.chats} chats, {size_mb:.0f} MB, made in {took_s:.0f} s; SQLite {answers}")
        show("open the file, first page", args.runs, lambda: opened(path))
        history = History.open(path, print)
        for name, run in [*reading(history, long), *writing(history, author)]:
            show(name, args.runs, run)
        history.close()


def opened(path: Path) -> None:
    """Open the history as the app does when it starts."""
    history = History.open(path, print)
    history.chats()
    history.close()


def show(name: str, runs: int, run: Callable[[], object]) -> None:
    """Print the median and the slowest of some runs, and what misses the goal."""
    spent_ms = []
    for _ in range(runs):
        begun = time.perf_counter()
        run()
        spent_ms.append(1e3 * (time.perf_counter() - begun))
    missed = "  MISSED" if median(spent_ms) > GOAL_MS else ""
    print(f"{name:40} {median(spent_ms):8.2f} ms   slowest {max(spent_ms):8.2f}{missed}")


if __name__ == "__main__":
    main()
