"""What a lookup makes of code that is copied with edits: `python -m tests.lab.edits`.

Functions of the standard library stand in a prompt, and the answer is the same code with a name
replaced, with other quotes, with annotations, … as somebody asks for every day and the embedded
pair cannot do. Replayed at the costs that tests.lab.oracle measured, like the answers that it
recorded (lookup_bound.py, which says what the columns are). `same` is copied as it is, and `other`
has nothing to do with what stands in the prompt. The code is that of the Python that runs.
"""

from __future__ import annotations

import fnmatch
import heapq
import inspect
import re
import shlex
import statistics
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec

from engine.llama.model import Model
from tests.lab.lookup_bound import print_tables
from tests.lab.oracle import RECORDED
from tests.lab.traces import DEPTH, NEVER, Continuation, Recording, Trace
from tests.pair import TARGET

EDITED = (
    heapq.merge,
    shlex.shlex.read_token,
    textwrap.TextWrapper._wrap_chunks,
    fnmatch.translate,
    statistics.quantiles,
)
LONGEST = 400
"""Tokens of an answer; what is longer is cut."""
ASKED = "<|im_start|>user\nChange this code:\n{}<|im_end|>\n<|im_start|>assistant\n"
NO_MODEL = Continuation((NEVER,) * DEPTH, (0.0,) * DEPTH)
KEYWORDS = {"self", "return", "while", "else", "elif", "from", "import", "raise", "break", "yield"}


def renamed(code: str) -> str:
    """Replace the two names that come most often."""
    names = (name for name in re.findall(r"\b[a-z_]{4,}\b", code) if name not in KEYWORDS)
    for name, _ in Counter(names).most_common(2):
        code = re.sub(rf"\b{name}\b", f"{name[:2]}_value", code)
    return code


def line_by_line(form: str) -> Callable[[str], str]:
    """Return what puts each line that is not empty into `form`."""

    def edit(code: str) -> str:
        return "\n".join(form.format(line) for line in code.splitlines() if line.strip())

    return edit


EDITS: dict[str, Callable[[str], str]] = {
    "rename": renamed,
    "annotate": lambda code: re.sub(r"\b(\w+) = ", r"\1: Any = ", code),
    "quotes": lambda code: code.replace("'", '"'),
    "indent": lambda code: textwrap.indent(code, "    "),
    "comment": line_by_line("{}  # ok"),
    "list": line_by_line("- `{}`"),
    "same": lambda code: code,
    "other": lambda code: inspect.getsource(inspect.getsource),
}


def traces() -> Iterator[Trace]:
    """Yield a trace for each edit of each function."""
    model = Model(str(TARGET), gpu_layers=0)
    try:
        for name, edit in EDITS.items():
            for function in EDITED:
                code = inspect.getsource(function)
                prompt = model.tokenize(ASKED.format(code), special=True)
                answer = model.tokenize(edit(code), special=False)[:LONGEST]
                mute = (NO_MODEL,) * len(answer)
                yield Trace(name, 0.0, tuple(prompt), tuple(answer), mute, LONGEST)
    finally:
        model.free()


def main() -> None:
    """Replay and print."""
    if not RECORDED.exists():
        raise SystemExit("There are no costs yet: run python -m tests.lab.oracle --record first.")
    recording = msgspec.json.decode(RECORDED.read_bytes(), type=Recording)
    print_tables(replace(recording, traces=tuple(traces())))


if __name__ == "__main__":
    main()
