"""The doctor's screen: every check with its state, and what mends it in one key."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from app.doctor.facts import Check
from app.tui.background.checkup import LocalCheckup, check_loaded
from app.tui.figures.figures import Figures
from app.tui.screens.doctor import DoctorScreen, row, verdict
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.alone import Scenario, Seen, drive
from tests.app.tui.driving import SIZES, beyond
from tests.app.tui.fakes import READY, stats_at
from tests.app.tui.test_screen import CONTROL, LINK, MARKUP, times
from tests.patience import PATIENCE_S

DISK = Check("disk", "ok", "70 GB free")
FOLDERS = Check("folders", "warn", "open to other users", 'chmod 700 "/home/me/slipstream"')
TERMINAL = Check("terminal", "fail", "dumb, 80x24", "export TERM=xterm-256color")
KERNELS = Check("kernels", "ok", "the demo answered")


class FakeCheckup:
    """Finds what it is told to. opened: lets it end."""

    def __init__(self, *checks: Check, error: Exception | None = None, hold: bool = False) -> None:
        self.checks = list(checks)
        self.engines = 0
        self.looks = 0
        self.opened = threading.Event()
        self._error = error
        if not hold:
            self.opened.set()

    def without_engine(self) -> list[Check]:
        assert self.opened.wait(PATIENCE_S)
        self.looks += 1
        if self._error is not None:
            raise self._error
        return self.checks

    def with_engine(self) -> list[Check]:
        self.engines += 1
        return [*self.without_engine(), KERNELS]


def play(
    scenario: Scenario,
    checkup: FakeCheckup,
    *,
    copy: Callable[[str], str] = lambda line: "Copied.",
    is_loaded: bool = True,
    size: tuple[int, int] = (80, 24),
) -> None:
    drive(DoctorScreen(checkup, copy, is_loaded), scenario, size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_each_check_is_shown_and_the_first_fault_with_what_mends_it(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("1 broken, 1 to look at")
        for text in ("✓ disk 70 GB free", "! folders open to", "✗ terminal dumb, 80x24"):
            assert seen.shows(text), text
        await seen.until_shown('mend it: chmod 700 "/home/me/slipstream"')
        await seen.press("down")
        await seen.until_shown("mend it: export TERM=xterm-256color")
        await seen.until(lambda: "esc Back" in seen.footer)

    play(scenario, FakeCheckup(DISK, FOLDERS, TERMINAL), size=size)


@pytest.mark.parametrize("size", [*SIZES, (60, 14), (110, 12), (40, 10)])
def test_everything_lies_on_the_screen_at_any_size(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("✗ terminal dumb")
        await seen.pilot.pause()
        assert not beyond(seen.app.screen)

    play(scenario, FakeCheckup(DISK, FOLDERS, TERMINAL), size=size)


def test_it_is_painted_before_anybody_has_looked() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("looking at this machine…")
        checkup.opened.set()
        await seen.until_shown("all is well")
        assert not seen.shows("looking at this machine…")

    checkup = FakeCheckup(DISK, hold=True)
    play(scenario, checkup)


def test_beside_a_loaded_engine_no_second_one_starts_unasked() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Not checked: kernels and speculation.")
        assert checkup.engines == 0
        await seen.until(lambda: "e Ask the demo too" in seen.footer)
        await seen.press("e")
        await seen.until_shown("✓ kernels the demo answered")
        assert checkup.engines == 1
        await seen.until(lambda: "Ask the demo" not in seen.footer)
        await seen.until(lambda: not seen.shows("Not checked"))

    checkup = FakeCheckup(DISK)
    play(scenario, checkup)


def test_without_a_loaded_engine_everything_is_checked_at_once() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("✓ kernels the demo answered")
        await seen.until(lambda: not seen.shows("Not checked"))

    checkup = FakeCheckup(DISK)
    play(scenario, checkup, is_loaded=False)
    assert checkup.engines == 1


@pytest.mark.parametrize("key", ["c", "enter"])
def test_a_key_copies_the_very_line_that_mends(key: str) -> None:
    def copy(line: str) -> str:
        copied.append(line)
        return "Copied to the clipboard."

    async def scenario(seen: Seen) -> None:
        await seen.until(lambda: "c Copy" in seen.footer)
        await seen.press(key)
        await seen.until(lambda: seen.toasts("Copied to the clipboard."))

    copied: list[str] = []
    play(scenario, FakeCheckup(DISK, FOLDERS), copy=copy)
    assert copied == [FOLDERS.mend]


def test_where_nothing_is_to_mend_nothing_is_copied() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("all is well")
        await seen.until(lambda: "esc Back" in seen.footer and "Copy" not in seen.footer)
        await seen.press("c", "enter")
        await seen.pilot.pause()
        assert seen.is_open

    def copy(line: str) -> str:
        raise AssertionError(line)

    play(scenario, FakeCheckup(DISK), copy=copy)


def test_a_click_shows_a_check() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("mend it: chmod")
        await seen.pilot.click("OptionList", offset=(4, 2))
        await seen.until_shown("mend it: export")
        assert not seen.shows("mend it: chmod")

    play(scenario, FakeCheckup(DISK, FOLDERS, TERMINAL))


def test_looking_again_shows_what_was_mended() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("1 to look at")
        checkup.checks = [DISK, Check("folders", "ok", "yours alone")]
        await seen.press("r")
        await seen.until_shown("all is well")
        await seen.until_shown("✓ folders yours alone")
        await seen.until(lambda: not seen.shows("chmod"))
        assert not seen.shows("to look at")

    checkup = FakeCheckup(DISK, FOLDERS)
    play(scenario, checkup)


def test_an_error_is_one_line_and_escape_goes_back() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("models.toml is gone")
        assert not seen.shows("Traceback")
        await seen.press("escape")
        await seen.until(lambda: not seen.is_open)

    play(scenario, FakeCheckup(error=OSError("models.toml is gone")))


@pytest.mark.parametrize(
    "text", [*HOSTILE_AT_ONCE.values(), MARKUP], ids=[*HOSTILE_AT_ONCE.keys(), "markup"]
)
def test_hostile_text_is_harmless(text: str) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("1 broken")
        await seen.press("c")
        await seen.until(lambda: bool(seen.app._notifications))
        assert not any(told.markup for told in seen.app._notifications)
        assert not any(CONTROL.search(line) for line in seen.lines)
        assert times(LINK, seen.lines) == 4 * text.count(LINK)

    bad = Check(text, "fail", text, text or "x")
    play(scenario, FakeCheckup(bad), copy=lambda line: line, size=(120, 40))


@pytest.mark.parametrize("width", [1, 10, 40, 100])
def test_a_row_never_exceeds_the_width(width: int) -> None:
    assert row(FOLDERS, width).cell_length <= width


def test_a_verdict_counts_what_is_not_well() -> None:
    assert verdict([DISK, KERNELS]) == "all is well"
    assert verdict([TERMINAL, TERMINAL, FOLDERS]) == "2 broken, 1 to look at"


def test_without_an_engine_this_machine_is_checked_but_for_what_an_engine_does() -> None:
    names = {check.name for check in LocalCheckup(Figures()).without_engine()}
    assert {"processor", "memory", "build", "demo", "disk", "settings"} <= names
    assert not {"kernels", "speculation"} & names


def test_the_pair_of_the_chat_is_checked_beside_the_demo() -> None:
    checks = LocalCheckup(Figures(READY)).without_engine()
    assert checks[0] == Check("this pair", "ok", "drafting with lookup, draft_model")
    assert [check.name for check in checks].count("this pair") == 1
    (foreseen,) = (
        check for check in LocalCheckup(Figures()).without_engine() if check.name == "this pair"
    )
    assert foreseen.found == "Slipstream demo: drafting with lookup, draft_model"


@pytest.mark.parametrize(
    ("figures", "found", "mend"),
    [
        (
            Figures(replace(READY, drafters=["lookup"], notices=["The draft model is not used."])),
            "The draft model is not used.",
            "",
        ),
        (
            Figures(replace(READY, drafters=[], off="no rollback.")),
            "speculation off: no rollback.",
            "",
        ),
        (Figures(READY, chosen="none"), "speculation off: /draft none", "/draft auto"),
    ],
)
def test_a_pair_that_is_not_drafted_for_says_why(figures: Figures, found: str, mend: str) -> None:
    blind = Check("this model", "ok", "takes text only")
    assert check_loaded(figures) == [Check("this pair", "warn", found, mend), blind]


@pytest.mark.parametrize(
    ("figures", "found"),
    [
        (Figures(READY, chosen="lookup"), "drafting with lookup"),
        (Figures(replace(READY, drafter="none", drafters=[]), chosen="lookup"), "with lookup"),
        (Figures(replace(READY, draft=None, drafters=["lookup"])), "for there is no draft model"),
    ],
)
def test_who_drafts_in_this_chat_is_said_and_where_one_is_missing(
    figures: Figures, found: str
) -> None:
    check = check_loaded(figures)[0]
    assert check.status == "ok" and found in check.found
    assert "draft_model" not in check.found


def test_an_answer_in_which_nothing_was_drafted_is_to_look_at() -> None:
    idle = replace(stats_at(20), drafted=0, accepted=0, tested=0)
    figures = Figures(READY, replace(idle, speedup=1.0))
    words = "drafting with lookup, draft_model; in the last answer nothing drafted: "
    worthless = Check("this pair", "warn", f"{words}no guess seemed worth its time")
    assert check_loaded(figures)[0] == worthless
    dear = dataclasses.replace(figures, stats=replace(idle, speedup=0.8))
    assert check_loaded(dear)[0].found == f"{words}guesses cost too much here"
    for well in (
        dataclasses.replace(figures, stats=stats_at(20)),
        dataclasses.replace(figures, is_others=True),
        dataclasses.replace(figures, stats=replace(idle, output_tokens=3)),
    ):
        assert check_loaded(well)[0] == Check(
            "this pair", "ok", "drafting with lookup, draft_model"
        )


def test_the_doctor_says_whether_the_model_takes_pictures() -> None:
    said = [check_loaded(Figures(replace(READY, sees=sees)))[1] for sees in (True, False)]
    assert [check.found for check in said] == ["takes pictures", "takes text only"]
