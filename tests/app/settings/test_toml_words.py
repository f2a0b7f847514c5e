"""What a person writes wrongly into a TOML file is told by its line, in plain words."""

from __future__ import annotations

import pytest

from app.short_text import parsed_toml

FAULTS = {
    "twice": ("temp = 1\n\ntemp = 0.5\n", "line 3, `temp = 0.5`: this name has a value already"),
    "twice at the end": ("temp = 1\ntemp = 2", "line 2, `temp = 2`: this name has a value already"),
    "twice inside": (
        "logit_bias = { 1 = 1, 1 = 2 }",
        "line 1, `logit_bias = { 1 = 1, 1 = 2 }`: this",
    ),
    "a value and a table": (
        "keys = 3\n[keys]\n",
        "line 2, `[keys]`: this name has a value already",
    ),
    "a table twice": ("[keys]\na = 1\n[keys]\n", "line 3, `[keys]`: this table is there already"),
    "windows line ends": ("temp = 1\r\ntemp = 2\r\n", "line 2, `temp = 2`: this name has"),
    "a word": (
        "theme = dark\n",
        "line 1, `theme = dark`: the value should be text in quotes, a num",
    ),
    "nothing": ("\ntemp =\n", "line 2, `temp =`: the value should be text in quotes, a number"),
    "Python's words": ("think = True", "line 1, `think = True`: the value should be text in"),
    "a comma in a number": ("temp = 0,5\n", "line 1, `temp = 0,5`: something follows the value"),
    "two on a line": ("temp = 1 seed = 2\n", "line 1, `temp = 1 seed = 2`: something follows the"),
    "quotes in quotes": ('system = "Say "hi""', 'line 1, `system = "Say "hi""`: something follows'),
    "a colon": (
        "\ttemp: 1\n",
        "line 1, `temp: 1`: it should be NAME = VALUE, [TABLE], or a comment",
    ),
    "a strange comment": ("// no\n", "line 1, `// no`: it should be NAME = VALUE, [TABLE], or a"),
    "no name": ("= 1\n", "line 1, `= 1`: it should be NAME = VALUE, [TABLE], or a comment"),
    "an open table": ("[keys\n", "line 1, `[keys`: a table's name should stand between brackets"),
    "a name of two words": (
        "[Code Reviewer]\n",
        "line 1, `[Code Reviewer]`: quote a name with spaces or other letters",
    ),
    "a name with an umlaut": ("[Über]\nsystem = 'x'", "line 1, `[Über]`: quote a name with spaces"),
    "an open list": ("a = [1 2]\n", "line 1, `a = [1 2]`: the list should go on with a comma or"),
    "an open text": ('a = "b\nc = 1\n', 'line 1, `a = "b`: a quotation mark is missing here'),
    "an open text, '": ("a = 'b\nc = 1\n", "line 2, `c = 1`: a quotation mark is missing here"),
    "a long open text": (
        'a = """b\nc = 1\n\n',
        "line 2, `c = 1`: a quotation mark is missing here",
    ),
    "a long open text, '": ("a = '''b\nc\n", "line 2, `c`: a quotation mark is missing here"),
    "a Windows path": (
        r'model = "C:\Users\me"',
        r'line 1, `model = "C:\Users\me"`: write \\ for each \,',
    ),
    "another": (r'model = "C:\models"', r'line 1, `model = "C:\models"`: write \\ for each \,'),
    "no date": ("a = 2026-02-30", "line 1, `a = 2026-02-30`: there is no such date or time"),
    "a bell": ('a = "b\x07c"', 'line 1, `a = "bc"`: it holds a sign that cannot be seen'),
}


@pytest.mark.parametrize(("text", "told"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_by_its_line_and_what_to_do(text: str, told: str) -> None:
    with pytest.raises(ValueError) as caught:
        parsed_toml(text)
    said = str(caught.value)
    assert said.startswith(told) and not said.endswith(".") and "\n" not in said
    assert not any(word in said for word in ("column", "namespace", "Cannot", "Invalid", "Illegal"))


@pytest.mark.parametrize("text", ["", "\n", "\t# nothing\r\n\ttemp = 1\r\n", "[keys]"])
def test_what_can_be_read_is(text: str) -> None:
    assert isinstance(parsed_toml(text), dict)
