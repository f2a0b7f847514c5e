"""What the help says of figures, colours and files: one plain sentence each (typing: typed.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.tui.text.origins import OTHER, label, style_of
from engine import BONUS, CORRECTED, PLAIN


@dataclass(frozen=True, slots=True)
class Entry:
    """A word and what it means. style: how the word looks where it is met, "" for plainly.

    also: words that find it, and are not shown.
    """

    word: str
    meaning: str
    style: str = ""
    also: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Entries under a title."""

    title: str
    entries: tuple[Entry, ...]


def _coloured(origin: str, meaning: str) -> Entry:
    return Entry(label(origin), meaning, f".{style_of(origin)}")


FIGURES = Section(
    "What the figures mean",
    (
        Entry("tokens/s, tok/s", "How many tokens, pieces of words, are written in a second."),
        Entry(
            "plain decoding, plain",
            "The speed-up: how many times faster this answer came than the same model would have "
            "written it alone; ≈ because that speed is worked out from measured costs. A dash "
            "means that it is not known yet, or that the answer is too short (under 16 tokens or "
            "4 steps). If it is below 1 although guesses were right, the panel says why: guessing "
            "cost too much, or the machine was busier than when it was measured.",
        ),
        Entry(
            "nothing drafted",
            "No word was guessed ahead: drafting is off, which the panel says, or no guess seemed "
            "worth its time. Guessing is tried again all by itself.",
        ),
        Entry(
            "acceptance rate, accept",
            "Of the guessed tokens that the model checked, the share that it kept. It checks no "
            "further than the first wrong guess, or the end of the answer.",
        ),
        Entry(
            "draft efficiency, kept of drafted",
            "Of all guessed tokens, the share that was kept: lower than the acceptance rate, for "
            "those that were never checked count too.",
        ),
        Entry(
            "acceptance length, length",
            "How many tokens one step of the model brings on average; alone it brings one.",
        ),
        Entry(
            "draft length, draft",
            "How many tokens were guessed ahead for the newest step; ø: on average.",
        ),
        Entry(
            "accepted by place, by place",
            "How often the first guess of a step was right, the second, and so on.",
        ),
        Entry(
            "near-ties",
            "Shown only if there are any: how often two words were so nearly equally likely that "
            "rounding alone may have decided. Nothing is wrong then; the inspector, /inspect, "
            "names them. Where batches round much, as on many processors, most words count; "
            "--batch-invariant has them all fall alike, however many are guessed.",
        ),
        Entry("engine memory, memory", "What the engine's process holds of this machine's memory."),
        Entry("first token, TTFT", "How long it took from sending to the first word."),
        Entry(
            "context",
            "How much of what the model can keep in mind at once is used. When it is full, the "
            "chat asks what to leave out or to summarise; /compact summarises at any time, and "
            "/leave-out sends a question and its answer no more. A larger context, which takes "
            "more memory, is set in /settings, up to what the model was made for.",
        ),
    ),
)

COLOURS = Section(
    "What the colours of words mean",
    (
        _coloured("lookup", "Found in what was said before, and right."),
        _coloured("draft_model", "Guessed by the small draft model, and right."),
        _coloured(OTHER, "Guessed by another drafter, and right."),
        _coloured(CORRECTED, "The guess was wrong here; the model put its own word."),
        _coloured(BONUS, "All guesses were right, so the model's own next word came for free."),
        Entry(PLAIN, "Written by the model with no guess before it; it has no colour."),
    ),
)


def files() -> Section:
    """Say where files live; imports what is slow."""
    from app.paths import Paths
    from app.prompts.personas import FILE

    paths = Paths()
    found = (
        ("settings", paths.settings_file, "What holds for every chat; flags and own choices win."),
        ("personas", paths.config_dir / FILE, "Your own system prompts by name."),
        ("about you", paths.about_file, "What /remember adds to, for chats begun from then on."),
        ("prompts", paths.prompts_dir, "Your own prompts, a .md or .txt file each."),
        ("own models", paths.own_catalog, "Pairs that you added to the catalogue."),
        ("models", paths.models_dir, "What was downloaded."),
        ("chats", paths.history_file, "Every chat, searchable."),
        ("typed", paths.prompts_file, "What Up brings back; /forget-prompts empties it."),
        ("pictures", paths.pictures_dir, "Those that went with questions, while a chat has them."),
        ("memory", paths.memory_dir, "Earlier answers that the lookup guesses from."),
        ("costs", paths.costs_dir, "What this machine was measured to need."),
        ("benchmarks", paths.bench_dir, "Results, and benchmarks that were interrupted."),
        ("log", paths.engine_log, "What the engine last said; /log shows its end."),
    )
    entries = tuple(Entry(name, f"{path}\n{about}") for name, path, about in found)
    return Section("Where files live", entries)


def narrowed(sections: Sequence[Section], wanted: str) -> list[Section]:
    """Return what contains all the words that are wanted, in whatever case, or whose title does."""
    words = wanted.casefold().split()
    found = []
    for section in sections:
        entries = tuple(
            entry
            for entry in section.entries
            if all(
                word in f"{section.title} {entry.word} {entry.meaning} {entry.also}".casefold()
                for word in words
            )
        )
        if entries:
            found.append(Section(section.title, entries))
    return found
