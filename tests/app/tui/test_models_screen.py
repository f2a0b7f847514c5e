"""The models screen: what there is, what can be done with it, and nothing that makes no sense."""

from __future__ import annotations

import gc
import re
from dataclasses import replace
from pathlib import Path
from weakref import ref

import pytest

from app.errors import CatalogError
from app.models.catalog import ModelSpec
from app.models.shelf import Held
from app.models.store import Installed
from app.tui.actions.tuning import apply
from app.tui.models.model_access import FirstOffer
from app.tui.models.pair_view import PairView
from app.tui.palettes.commands import offered
from app.tui.screens.models import ModelsScreen
from app.tui.widgets.pair_list import PairList, laid_out
from app.tui.widgets.welcome import Welcome
from engine import PairSettings
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.driving import NARROW, SIZES, Chat, Scenario, beyond, drive, highlighted
from tests.app.tui.fake_models import ALPHA, GAMMA, MB, PAIRS, FakeModels, offer, settings_of
from tests.app.tui.fakes import FakeEngine, FakeSettings
from tests.app.tui.test_screen import CONTROL, LINK, MARKUP, times

MINE = FakeSettings(PairSettings(target="mine.gguf"), title="mine.gguf")
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def play(
    scenario: Scenario,
    models: FakeModels,
    size: tuple[int, int] = NARROW,
    settings: FakeSettings | None = None,
) -> None:
    async def when_ready(chat: Chat) -> None:
        await chat.ready()
        await scenario(chat)

    drive(when_ready, FakeEngine(), size, settings or settings_of(ALPHA), models)


def test_nothing_of_the_models_stays_once_they_are_closed() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        screen = ref(chat.models)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        await chat.until(lambda: gc.collect() >= 0 and screen() is None)
        assert not [one for one in gc.get_objects() if type(one) is ModelsScreen]

    play(scenario, FakeModels())


@at_both_sizes
def test_a_row_tells_state_tier_size_and_verdict(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        for row in (
            "pair state for size on this machine",
            "alpha ● loaded 8 GB 3.14 GB CPU",
            "beta installed 8 GB 3.14 GB CPU",
            "gamma ★ available 8 GB 3.14 GB GPU",
            "delta available 8 GB 3.14 GB does not fit",
        ):
            assert chat.shows(row), row

    play(scenario, FakeModels(), size)


@at_both_sizes
def test_the_details_are_those_of_the_highlighted_pair(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("gamma")
        for text in (
            "Gamma A laptop with 8 GB: questions that need thought."
            if size == NARROW
            else "A laptop with 8 GB: questions that need thought.",
            "Recommended: Gamma runs on the GPU with 4.4 GB.",
            "GPU: needs 4.4 GB: weights 2.9",
            "or with a context of 4096 tokens",
            "gamma-Q4_K_M.gguf",
            "2.50 GB · not here · Apache-2.0",
        ):
            assert chat.shows(text), text
        await chat.pilot.press("up", "up")
        await chat.until(lambda: chat.shows("2.50 GB · verified · Apache-2.0"))
        assert not chat.shows("Recommended")

    play(scenario, FakeModels(), size)


def test_it_is_painted_before_anybody_has_looked_at_the_machine() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+o")
        await chat.until(lambda: chat.shows("beta installed 8 GB 3.14 GB …"))
        assert chat.shows("looking at this machine…")
        models.looks.set()
        await chat.until(lambda: chat.shows("beta installed 8 GB 3.14 GB CPU"))
        await chat.until(lambda: not chat.shows("looking at this machine…"))

    models = FakeModels(hold=True)
    play(scenario, models)


def test_what_was_known_is_shown_at_once_the_next_time() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        models.looks.clear()
        await chat.pilot.press("ctrl+o")
        await chat.until(lambda: chat.shows("beta installed 8 GB 3.14 GB CPU"))
        assert chat.shows("gamma ★")
        models.looks.set()

    models = FakeModels()
    play(scenario, models)


@pytest.mark.parametrize(
    "name, offered, hidden",
    [
        ("alpha", ("Use", "r Remove", "u Unload alpha"), ("Download", "Pause")),
        ("beta", ("Use", "r Remove", "u Unload alpha"), ("Download", "Pause")),
        ("gamma", ("⏎ Download 3.14 GB", "u Unload alpha"), ("Use", "Remove", "Pause")),
    ],
)
def test_the_footer_offers_what_makes_sense(
    name: str, offered: tuple[str, ...], hidden: tuple[str, ...]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models(name)
        await chat.until(lambda: all(key in footer(chat) for key in (*offered, "esc Back")))
        assert not [key for key in hidden if key in footer(chat)]

    play(scenario, FakeModels())


def footer(chat: Chat) -> str:
    return chat.lines[-1]


def test_the_models_are_found_in_the_command_palette() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: "^o Models" in footer(chat))
        commands = {entry.title: entry for entry in offered(chat.screen)}
        commands["Models"].run()
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        assert chat.models.is_current

    play(scenario, FakeModels())


@pytest.mark.parametrize("key", ["escape", "ctrl+o"])
def test_the_way_back_leaves_the_chat_as_it_was(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("half a question")
        await chat.open_models("beta")
        await chat.pilot.press(key)
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == "half a question"
        assert chat.engine.loads == 1

    play(scenario, FakeModels())


def test_a_click_highlights_and_two_choose() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        pairs = chat.models.query_one(PairList)
        await chat.pilot.click("PairList OptionList", offset=(4, 2))
        await chat.until(lambda: highlighted(pairs) == "gamma")
        await chat.pilot.click("PairList OptionList", offset=(4, 1))
        await chat.until(lambda: highlighted(pairs) == "beta")
        assert not models.pullers
        assert not chat.is_on_top
        await chat.pilot.click("PairList OptionList", offset=(4, 1), times=2)
        await chat.until(lambda: chat.is_on_top and chat.engine.loads == 2)

    models = FakeModels()
    play(scenario, models)


def test_offline_hides_downloads_and_says_why() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("gamma")
        await chat.until(lambda: chat.shows("offline: nothing is downloaded"))
        assert "Download" not in footer(chat)
        await chat.pilot.press("enter", "d")
        assert not models.pullers

    models = FakeModels(offline=True)
    play(scenario, models)


def test_a_folder_that_cannot_be_found_is_told_beside_what_there_is() -> None:
    models = FakeModels()
    models.note_error = CatalogError("Cannot find what was downloaded: it is no folder.")

    async def scenario(chat: Chat) -> None:
        await chat.open_models("gamma")
        await chat.until(lambda: chat.toasts("Cannot find what was downloaded: it is no folder."))
        assert chat.shows("gamma ★ available 8 GB")

    play(scenario, models)


def test_a_file_of_ones_own_that_is_missing_is_not_downloaded_and_says_where_it_should_be() -> None:
    spec = ModelSpec(path="/nowhere/mine.gguf", licence="own")
    mine = replace(offer("mine", n_files=1), state="file missing", files=(Held(spec, None),))

    async def scenario(chat: Chat) -> None:
        await chat.open_models("mine")
        await chat.until(lambda: chat.shows("not at /nowhere/mine.gguf"))
        assert "Download" not in footer(chat)
        await chat.pilot.press("enter", "d")
        assert not models.pullers

    models = FakeModels(ALPHA, mine)
    play(scenario, models)


def test_an_earlier_download_is_shown_with_its_share() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("gamma")
        await chat.until(lambda: chat.shows("gamma ★ paused 50 %"))
        assert "Remove" in footer(chat)
        await chat.until(lambda: "⏎ Download 1.57 GB" in footer(chat))

    models = FakeModels()
    models.begun["gamma"] = 1570 * MB
    play(scenario, models)


def test_a_damaged_file_is_downloaded_again_or_removed() -> None:
    target, draft = GAMMA.files
    damaged = Installed(Path("/models/gamma.gguf"), 9 * MB, "damaged", "store")
    gamma = replace(GAMMA, files=(replace(target, damaged=damaged), draft))

    async def scenario(chat: Chat) -> None:
        await chat.open_models("gamma")
        await chat.until(lambda: "⏎ Download 3.14 GB" in footer(chat))
        assert chat.shows("2.50 GB · damaged")
        await chat.pilot.press("r")
        await chat.until(lambda: chat.shows("Remove Gamma?"))

    play(scenario, FakeModels(ALPHA, gamma))


@at_both_sizes
def test_files_that_are_no_pair_come_first_and_are_loaded(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        pairs = chat.models.query_one(PairList)
        await chat.until(lambda: highlighted(pairs) == "mine.gguf")
        assert [view.offer.name for view in pairs.views][:2] == ["mine.gguf", "alpha"]
        assert chat.shows("mine.gguf ● loaded")
        assert chat.shows("640 MB · unchecked · licence unknown")
        await chat.until(lambda: "u Unload mine.gguf" in footer(chat))
        assert "Remove" not in footer(chat)
        await chat.pilot.press("u")
        await chat.until(lambda: chat.state == "unloaded")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.is_on_top and chat.engine.loads == 2)
        assert chat.engine.loaded[-1].target == "mine.gguf"

    play(scenario, FakeModels(), size, MINE)


@pytest.mark.parametrize("here", [settings_of(ALPHA), MINE], ids=["pair", "files"])
def test_what_is_loaded_is_loaded_again_once_it_shall_be_otherwise(here: FakeSettings) -> None:
    async def scenario(chat: Chat) -> None:
        async def choose(loads: int) -> int | None:
            await chat.open_models()
            await chat.until(lambda: chat.shows("● loaded"))
            await chat.pilot.press("enter")
            await chat.until(lambda: chat.is_on_top and chat.engine.loads == loads)
            await chat.until(lambda: chat.state == "ready")
            return chat.engine.loaded[-1].n_ctx

        assert await choose(1) is None
        apply(chat.screen, "ctx_size", 1024)
        await choose(2)
        assert await choose(2) == 1024

    play(scenario, FakeModels(), settings=here)


def test_the_cursor_stays_on_its_pair_when_the_files_come_before_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+o")
        await chat.until(lambda: chat.shows("beta installed"))
        pairs = chat.models.query_one(PairList)
        pairs.highlight("beta")
        models.opening.set()
        await chat.until(lambda: len(pairs.views) == len(PAIRS) + 1)
        assert highlighted(pairs) == "beta"

    models = FakeModels()
    models.opening.clear()
    play(scenario, models, settings=FakeSettings(PairSettings(target="m.gguf"), title="m.gguf"))


def test_files_that_are_gone_are_not_shown_and_the_pairs_are() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        assert chat.models.query_one(PairList).views[0].offer.name == "alpha"
        assert not chat.toasted.told

    models = FakeModels()
    models.opened_error = FileNotFoundError("mine.gguf")
    play(scenario, models, settings=FakeSettings(PairSettings(target="m.gguf"), title="m.gguf"))


def test_a_broken_catalogue_is_one_line_and_the_chat_stays() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+o")
        await chat.until(lambda: chat.toasts("models.toml: pairs.x: no such model."))
        await chat.until(lambda: chat.shows("models.toml: pairs.x: no such model."))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert chat.state == "ready"

    play(scenario, FakeModels(error=CatalogError("models.toml: pairs.x: no such model.")))


def test_without_access_to_models_none_are_offered() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert "Models" not in footer(chat)
        await chat.pilot.press("ctrl+o")
        assert chat.is_on_top

    drive(scenario, FakeEngine())


@at_both_sizes
def test_the_first_run_offers_a_pair_in_one_line(size: tuple[int, int]) -> None:
    line = "For real work: gamma (3.14 GB) fits this machine: ★ in Ctrl+O."

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: any(line in row for row in chat.lines))
        assert chat.transcript.max_scroll_y == 0
        await chat.open_models()
        assert highlighted(chat.models.query_one(PairList)) == "alpha"
        assert chat.shows("gamma ★")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        await chat.use("beta")
        await chat.until(lambda: chat.engine.loads == 2)
        await chat.until(lambda: not chat.shows("For real work"))
        assert chat.screen.query_one(Welcome).display

    play(scenario, FakeModels(first=FirstOffer("gamma", 3140 * MB)), size)


@pytest.mark.parametrize(
    "text", [*HOSTILE_AT_ONCE.values(), MARKUP], ids=[*HOSTILE_AT_ONCE.keys(), "markup"]
)
def test_hostile_names_are_harmless(text: str) -> None:
    bad = offer("bad", verdict=text or "CPU").__class__(
        name=text or "bad",
        title=text,
        for_whom=text,
        tier=text,
        state="available",
        is_usable=False,
        size=None,
        verdict=text or "CPU",
        fit=text,
        alternatives=(text,),
        files=offer("bad").files,
    )

    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        await chat.pilot.press("down")
        await chat.pilot.pause()
        assert not any(CONTROL.search(line) for line in chat.lines)
        assert times(LINK, chat.lines) == 6 * text.count(LINK)

    play(scenario, FakeModels(ALPHA, bad), (120, 40))


@pytest.mark.parametrize("size", [*SIZES, (60, 20), (110, 30), (40, 12), (20, 6)])
def test_everything_lies_on_the_screen_at_any_size(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models()
        assert not beyond(chat.app.screen)

    play(scenario, FakeModels(), size)


@pytest.mark.parametrize("width", range(10, 100, 7))
def test_a_row_never_breaks_off_without_an_ellipsis(width: int) -> None:
    from app.tui.models.pair_view import PairView

    rows = [PairView(pair, why="it is").row() for pair in (*PAIRS, offer("a-long-name" * 3))]
    for row, line in zip(rows, laid_out(rows, width)[1:], strict=True):
        assert line.cell_length <= width
        shown = re.split(r"\s{2,}", line.plain.strip())
        whole = [cell.plain for cell in row]
        assert all(word.endswith("…") or word in " ".join(whole) for word in shown), line.plain


def test_a_named_pair_that_is_not_here_is_gone_to_and_named_ones_are_completed_unseen() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: bool(chat.screen.desk and chat.screen.desk.facts.offers))
        await chat.ask("/model gamma")
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        pairs = chat.models.query_one(PairList)
        await chat.until(lambda: highlighted(pairs) == "gamma")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        chat.prompt.insert("/model ga")
        await chat.until(lambda: chat.shows("gamma available"))
        assert chat.is_on_top

    play(scenario, FakeModels())


def test_what_nobody_knows_is_a_dash_in_the_table_and_said_in_words_below() -> None:
    nothing = {"size": None, "licence": "unknown"}
    files = [replace(one, spec=one.spec.model_copy(update=nothing)) for one in GAMMA.files]
    fit = "whether it fits cannot be said: not known are the target's layers"
    view = PairView(replace(GAMMA, size=None, verdict="unknown", fit=fit, files=tuple(files)))
    assert [cell.plain for cell in view.row()][-2:] == ["—", "—"]
    assert view.fit().plain.startswith("Whether it fits cannot be said: not known are")
    assert view.files().plain.count("size unknown until asked") == len(files)
    assert view.files().plain.count("licence unknown") == len(files)
