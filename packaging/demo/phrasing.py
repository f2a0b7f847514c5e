"""Every way a question is put, and every answer.

Contract: templates and answers are constants; `Phrasing` draws from them with the random generator
it is given. `HELD_OUT` templates are for evaluation alone: no training question uses one. It knows
the collected objects but nothing about tokens.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from collect import Documented
from loosening import loosen, nonsense
from smalltalk import CONCEPTS, GREETINGS, TOPICS, UNKNOWN_NAME, UNKNOWN_TOPIC

Turn = tuple[str, str]

TRAINING = (
    "What does {x} do?",
    "What is {x}?",
    "What is {x} for?",
    "What's {x}?",
    "Explain {x}.",
    "Explain {x} to me.",
    "Explain {x} in one sentence.",
    "Can you explain {x}?",
    "Could you explain what {x} does?",
    "How do I use {x}?",
    "How does {x} work?",
    "How is {x} used?",
    "Tell me about {x}.",
    "Tell me what {x} does.",
    "Describe {x}.",
    "Describe {x} briefly.",
    "What is the purpose of {x}?",
    "What is {x} used for?",
    "When do I use {x}?",
    "When would I need {x}?",
    "Why would I use {x}?",
    "What does {x} mean?",
    "What can {x} do?",
    "Do you know {x}?",
    "Do you know what {x} does?",
    "I don't understand {x}.",
    "I have never used {x}. What is it?",
    "Help me with {x}.",
    "Help me understand {x}.",
    "Please explain {x}.",
    "Please tell me about {x}.",
    "Give me a short description of {x}.",
    "Give me a summary of {x}.",
    "Show me {x}.",
    "Define {x}.",
    "{x}",
    "{x}?",
    "python {x}",
    "{x} in Python",
    "What does Python's {x} do?",
    "In Python, what does {x} do?",
    "What does the {kind} {x} do?",
    "What is the {kind} {x}?",
    "Explain the {kind} {x}.",
    "I want to know about the {kind} {x}.",
    "How to use {x}",
    "What does {x} do in Python?",
    "What is {x} in Python?",
    "I saw {x} in some code. What does it do?",
    "What happens when I call {x}?",
    "Say in a few words what {x} is.",
    "Quick question: what is {x}?",
    "Hi, what does {x} do?",
)

WITHIN_MODULE = (
    "What does {member} in {module} do?",
    "What does {member} from the {module} module do?",
    "Explain {member} from {module}.",
    "In the module {module}, what is {member}?",
)

HELD_OUT = (
    "I would like to learn about {x}.",
    "Could you tell me what {x} is good for?",
    "What should I know about {x}?",
    "Remind me what {x} does.",
    "What exactly does {x} do?",
    "Teach me {x}.",
    "Mind explaining {x}?",
    "So what is {x} about?",
    "Can you describe {x} for a beginner?",
    "I need to know what {x} does.",
    "Please describe {x}.",
    "Give me an explanation of {x}.",
    "What would {x} be useful for?",
    "Can you help me with {x}?",
    "What is the meaning of {x}?",
    "I came across {x}, what is it?",
)

OVERVIEW = (
    "Tell me about the module {x}.",
    "What is in the module {x}?",
    "What is in {x}?",
    "What's inside the module {x}?",
    "List the functions of {x}.",
    "List what is in {x}.",
    "Show me what is in the module {x}.",
    "What does the module {x} contain?",
    "What does {x} offer?",
    "Which functions does {x} have?",
    "Which functions are in the module {x}?",
    "What functions are in {x}?",
    "Tell me more about the module {x}.",
    "Give me an overview of {x}.",
    "Give me an overview of the module {x}.",
    "Overview of {x}",
    "What can I do with the module {x}?",
)

LONGEST_LIST = 8
OVERVIEW_MEMBERS = 3
SHORTEST_ALIAS = 5
ALIAS_SHARE = 0.06
WITHIN_SHARE = 0.08
SHARES = {"brief": 86, "overview": 5, "smalltalk": 4, "unknown": 5}
LOOSE_SHARES = {"brief": 45, "planned": 45, "made_up": 4, "concept": 4, "nonsense": 2}


def brief(item: Documented) -> str:
    """Answer with the first sentence and, where it is short, how the object is called."""
    shown = f"\n\n```python\n{item.signature}\n```" if item.signature else ""
    return item.sentence + shown


def overview(module: Documented, members: list[Documented]) -> str:
    """Answer with the module's first sentence and a list of its members'."""
    lines = [f"- `{item.name}`: {item.sentence}" for item in members[:LONGEST_LIST]]
    return "\n".join([module.sentence, "", *lines])


def ask(template: str, item: Documented) -> str:
    """Put one template's question about an object."""
    return template.format(x=item.name, kind=item.kind, member=item.member, module=item.module)


def aliases(items: list[Documented]) -> dict[str, str]:
    """Map `collections.Counter` to `Counter` and the like, where only one object ends so."""
    last = Counter(item.name.rpartition(".")[2] for item in items)
    return {
        item.name: item.member
        for item in items
        if item.kind in ("class", "function") and item.member != item.name
        if last[item.member] == 1 and len(item.member) >= SHORTEST_ALIAS
    }


def is_held_out(question: str, name: str) -> bool:
    """Say whether a question about `name` is one of those kept for evaluation."""
    return _bare(question.replace(name, "{x}")) in _HELD_OUT


def _bare(template: str) -> str:
    return template.lower().rstrip("?.! ")


_HELD_OUT = frozenset(_bare(template) for template in HELD_OUT)


def roughen(question: str, name: str, rng: random.Random) -> str:
    """Type a question as people do: in lower case, unpunctuated, the name in backticks, called."""
    shown = name
    if rng.random() < 0.12:
        shown += "()"
    if rng.random() < 0.12:
        shown = f"`{shown}`"
    question = question.replace(name, shown) if question.count(name) == 1 else question
    if rng.random() < 0.25 and not question.startswith((name, "`")):
        question = question[0].lower() + question[1:]
    if rng.random() < 0.25:
        question = question.rstrip("?.")
    return question


def _called(name: str) -> Documented:
    """Return a function of that name, which nobody has written."""
    return Documented(name, "function", name.rpartition(".")[0], "", None)


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Draws questions and their answers about one list of objects."""

    items: list[Documented]
    overviews: list[tuple[Documented, str]]
    aliases: dict[str, str]
    names: frozenset[str]

    @classmethod
    def about(cls, items: list[Documented]) -> Phrasing:
        """Prepare the overviews of every module with enough members."""
        members = defaultdict(list)
        for item in items:
            if item.kind in ("class", "function"):
                members[item.module].append(item)
        lists = [
            (item, overview(item, members[item.module]))
            for item in items
            if item.kind == "module" and len(members[item.module]) >= OVERVIEW_MEMBERS
        ]
        short = aliases(items)
        names = frozenset(item.name for item in items) | frozenset(short.values())
        return cls(items, lists, short, names)

    def turn(self, rng: random.Random) -> Turn:
        """Draw one question with its answer."""
        share = rng.choices(list(SHARES), list(SHARES.values()))[0]
        if share == "brief":
            return self.about_object(rng.choice(self.items), rng)
        if share == "overview":
            module, answer = rng.choice(self.overviews)
            return roughen(ask(rng.choice(OVERVIEW), module), module.name, rng), answer
        return self._smalltalk(rng) if share == "smalltalk" else self._unknown(rng)

    def loose_turn(self, rng: random.Random) -> Turn:
        """Draw a turn of the second phase: looser questions, and more that have no answer."""
        kind = rng.choices(list(LOOSE_SHARES), list(LOOSE_SHARES.values()))[0]
        if kind == "brief":
            item = rng.choice(self.items)
            return self._loosely(item, rng), brief(item)
        if kind == "made_up":
            return self._loosely(_called(self.made_up(rng)), rng), UNKNOWN_NAME
        if kind == "concept":
            return loosen(rng.choice(CONCEPTS), "", rng), UNKNOWN_TOPIC
        return (nonsense(rng), UNKNOWN_NAME) if kind == "nonsense" else self.turn(rng)

    def _loosely(self, item: Documented, rng: random.Random) -> str:
        if item.name in self.aliases and rng.random() < ALIAS_SHARE:
            item = replace(item, name=self.aliases[item.name])
        while True:
            question = loosen(ask(rng.choice(TRAINING), item), item.name, rng)
            if not is_held_out(question, item.name):
                return roughen(question, item.name, rng)

    def about_object(self, item: Documented, rng: random.Random) -> Turn:
        """Ask about one object in a training phrasing."""
        answer = brief(item)
        inner = item.module != "builtins" and item.kind != "module"
        if inner and rng.random() < WITHIN_SHARE:
            return ask(rng.choice(WITHIN_MODULE), item), answer
        if item.name in self.aliases and rng.random() < ALIAS_SHARE:
            item = replace(item, name=self.aliases[item.name])
        return roughen(ask(rng.choice(TRAINING), item), item.name, rng), answer

    def _smalltalk(self, rng: random.Random) -> Turn:
        questions, answer = rng.choice(GREETINGS)
        question = rng.choice(questions)
        return (question.lower() if rng.random() < 0.3 else question), answer

    def _unknown(self, rng: random.Random) -> Turn:
        """Ask about another topic or about a name which no module has."""
        if rng.random() < 0.5:
            return rng.choice(TOPICS), UNKNOWN_TOPIC
        name = self.made_up(rng)
        return roughen(ask(rng.choice(TRAINING), _called(name)), name, rng), UNKNOWN_NAME

    def made_up(self, rng: random.Random) -> str:
        """Make a name that looks like a documented one and is none."""
        while True:
            first, second = rng.choice(self.items), rng.choice(self.items)
            module = first.module if first.module != "builtins" else first.name.partition(".")[0]
            tail = second.name.rpartition(".")[2]
            letters = "".join(rng.choices("abcdefghilmnoprstu", k=rng.randint(3, 8)))
            name = rng.choice((f"{module}.{letters}", f"{module}.{tail}_{letters}", letters))
            if name not in self.names:
                return name
