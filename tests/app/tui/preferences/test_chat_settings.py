"""A chat keeps what was chosen for it: beside other chats, closed and opened, after a restart."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.errors import SettingsError
from app.history import History
from app.prompts.personas import Persona
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import SAMPLING, FakeSettings
from tests.app.tui.keeping import USUAL, ask, do, from_list, kept, play, questions, show, two

# the sequence


def test_two_open_chats_are_each_asked_with_what_was_chosen_there(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")
        assert await ask(chat, "again") == ("A, changed", 0.3)
        await do(chat, "/temp 0.5")
        assert await ask(chat, "cooler") == ("A, changed", 0.5)
        await show(chat, "alt+2", "beta")
        assert await ask(chat, "and B") == ("B", 1.1)

    play(tmp_path, scenario)


def test_a_chat_that_is_opened_from_the_list_is_asked_as_before(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")
        await show(chat, "alt+w", "beta")
        await from_list(chat, "alpha")
        assert chat.screen.chosen["temp"] == 0.3
        assert await ask(chat, "again") == ("A, changed", 0.3)
        await do(chat, "/temp 0.5")
        assert await ask(chat, "cooler") == ("A, changed", 0.5)

    play(tmp_path, scenario)


def test_a_chat_that_comes_back_is_asked_as_before_and_so_is_the_one_beside_it(
    tmp_path: Path,
) -> None:
    async def talks(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")

    async def again(chat: Chat) -> None:
        await chat.until(lambda: questions(chat) == ["alpha"])
        assert await ask(chat, "again") == ("A, changed", 0.3)
        await show(chat, "alt+2", "beta")
        assert await ask(chat, "and B") == ("B", 1.1)

    play(tmp_path, talks)
    play(tmp_path, again)


def test_a_new_chat_begins_with_the_usual_settings_and_says_so(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "ctrl+n")
        await chat.until(lambda: chat.toasts("A new chat begins with your usual settings"))
        assert not chat.screen.chosen
        assert await ask(chat, "gamma") == ("Usual.", USUAL)

    play(tmp_path, scenario, FakeSettings(system="Usual."))


def test_of_a_chat_with_nothing_of_its_own_a_new_one_says_nothing(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "alpha")
        await show(chat, "ctrl+n")
        assert not chat.toasts("usual settings")

    play(tmp_path, scenario)


# what is kept


def test_only_what_was_chosen_is_kept_and_else_the_start_says(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/temp 0.3")
        assert await ask(chat, "alpha") == ("Usual.", 0.3)
        assert (kept(chat).system, kept(chat).settings) == ("", {"temp": 0.3})

    async def again(chat: Chat) -> None:
        assert await ask(chat, "again") == ("Another.", 0.3)
        assert chat.engine.samplings[-1].top_k == 7

    play(tmp_path, talks, FakeSettings(system="Usual."))
    sampling = msgspec.structs.replace(SAMPLING, temperature=0.9, top_k=7)
    play(tmp_path, again, FakeSettings(system="Another.", sampling=sampling))


def test_no_prompt_at_all_is_a_choice_that_is_kept(tmp_path: Path) -> None:
    from app.tui.actions.tuning import apply

    usual = FakeSettings(system="Usual.", think=False)

    async def talks(chat: Chat) -> None:
        apply(chat.screen, "system", None)
        apply(chat.screen, "think", None)
        assert (await ask(chat, "alpha"))[0] == ""

    async def again(chat: Chat) -> None:
        assert (await ask(chat, "again"))[0] == "" and chat.engine.thinks == [None]

    play(tmp_path, talks, usual)
    play(tmp_path, again, usual)


def test_a_seed_that_was_given_is_kept_and_one_that_was_drawn_is_not(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/seed 41")
        await ask(chat, "alpha")
        assert kept(chat).settings == {"seed": 41}
        await do(chat, "/seed random")
        await ask(chat, "beta")
        assert chat.engine.samplings[-1].seed != 41
        assert kept(chat).settings == {"seed": None}

    async def again(chat: Chat) -> None:
        await ask(chat, "gamma")
        assert chat.engine.samplings[-1].seed not in (41, SAMPLING.seed), "it is drawn anew"

    play(tmp_path, talks)
    play(tmp_path, again)


def test_the_longest_answer_and_thinking_are_the_chats_own_too(tmp_path: Path) -> None:
    from app.tui.actions.tuning import apply

    async def talks(chat: Chat) -> None:
        apply(chat.screen, "predict", 12)
        apply(chat.screen, "think", False)
        await ask(chat, "alpha")
        await show(chat, "ctrl+n")
        await ask(chat, "beta")
        assert chat.engine.predicts == [12, None] and chat.engine.thinks == [False, None]
        await show(chat, "alt+1", "alpha")

    async def again(chat: Chat) -> None:
        await ask(chat, "gamma")
        assert chat.engine.predicts == [12] and chat.engine.thinks == [False]

    play(tmp_path, talks)
    play(tmp_path, again)


def test_a_persona_is_kept_with_its_sampling_by_one_write(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        history = chat.screen.history
        assert history is not None
        await ask(chat, "alpha")
        configure, n = history.configure, []
        history.configure = lambda *given: (n.append(given), configure(*given))[1]  # type: ignore[method-assign,func-returns-value]
        await do(chat, "/persona translator")
        assert len(n) == 1
        await do(chat, "/persona translator", "/temp")
        assert len(n) == 1, "nothing has changed"

    async def again(chat: Chat) -> None:
        system, temperature = await ask(chat, "again")
        assert "ranslat" in system and temperature == chat.screen.chosen.get("temp", USUAL)
        assert chat.screen.chosen["persona"] == "Translator"

    play(tmp_path, talks)
    play(tmp_path, again)


def test_all_of_a_personas_sampling_is_the_chats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wide(Persona):
        typical_p: float | None = None

    wide = Wide(system="Be wide.", top_k=7, typical_p=0.6)
    monkeypatch.setattr("app.prompts.personas.load", lambda _: {"Wide": wide})

    async def talks(chat: Chat) -> None:
        await do(chat, "/persona wide")
        sampling = chat.screen.session.conversation.sampling
        assert (sampling.top_k, sampling.typical_p) == (7, 0.6)

    play(tmp_path, talks)


def test_what_a_persona_brought_goes_with_it_and_what_the_person_chose_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {
        "Cold": Persona(system="Be cold.", temp=0.1, top_k=7, min_p=0.2),
        "Warm": Persona(system="Be warm.", top_k=9),
    }
    monkeypatch.setattr("app.prompts.personas.load", lambda _: known)

    def now(chat: Chat) -> tuple[float, int, float]:
        sampling = chat.screen.session.conversation.sampling
        return sampling.temperature, sampling.top_k, sampling.min_p

    async def talks(chat: Chat) -> None:
        await ask(chat, "alpha")
        await do(chat, "/persona cold")
        assert now(chat) == (0.1, 7, 0.2)
        await chat.screen.action_act("temp", "0.4")
        await do(chat, "/persona warm")
        assert now(chat) == (0.4, 9, SAMPLING.min_p)
        assert not {"min_p", "seed"} & set(chat.screen.chosen)

    async def again(chat: Chat) -> None:
        await ask(chat, "again")
        assert now(chat) == (0.4, 9, SAMPLING.min_p)

    play(tmp_path, talks)
    play(tmp_path, again)


def test_what_a_persona_brought_goes_where_it_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tui.actions.tuning import apply

    cold = Persona(system="Be cold.", temp=0.1, top_k=7)
    monkeypatch.setattr("app.prompts.personas.load", lambda _: {"Cold": cold})

    async def talks(chat: Chat) -> None:
        await ask(chat, "alpha")
        await do(chat, "/persona cold")
        await chat.screen.action_act("temp", "0.4")
        apply(chat.screen, "persona", None)
        sampling = chat.screen.session.conversation.sampling
        assert (sampling.temperature, sampling.top_k) == (0.4, SAMPLING.top_k)
        assert await ask(chat, "beta") == ("", 0.4)
        assert "top_k" not in kept(chat).settings

    play(tmp_path, talks)


def test_a_persona_can_be_taken_away_while_the_file_of_personas_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tui.actions.tuning import apply

    def wrong(_: Path) -> dict[str, Persona]:
        raise SettingsError("personas.toml: line 3 is no TOML.")

    async def talks(chat: Chat) -> None:
        await ask(chat, "alpha")
        await do(chat, "/persona teacher")
        assert chat.screen.session.conversation.system
        monkeypatch.setattr("app.prompts.personas.load", wrong)
        apply(chat.screen, "persona", None)
        assert not chat.screen.session.conversation.system

    play(tmp_path, talks)


def test_the_pair_that_answered_last_is_still_named_after_a_change(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await ask(chat, "alpha")

    async def changes(chat: Chat) -> None:
        await do(chat, "/temp 0.3")
        assert kept(chat).info.pair == "Slipstream demo"

    play(tmp_path, talks)
    play(tmp_path, changes, FakeSettings(title="Other"))


def test_another_pair_leaves_each_chat_its_own_and_brings_its_recommendation_to_the_others(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "ctrl+n")
        await ask(chat, "gamma")
        hot = msgspec.structs.replace(SAMPLING, temperature=1.7, top_k=7)
        await chat.screen.session.switch(FakeSettings(sampling=hot, title="Hot"))
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert await ask(chat, "delta") == ("", 1.7)
        await show(chat, "alt+1", "alpha")
        assert await ask(chat, "again") == ("A, changed", 0.3)
        assert chat.engine.samplings[-1].top_k == 7, "which was not chosen here"

    play(tmp_path, scenario)


def test_a_full_chats_question_takes_its_settings_to_the_new_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.screen.tabs.new_alike()
        assert await ask(chat, "moved") == ("B", 1.1)
        assert kept(chat).system == "B" and kept(chat).settings["temp"] == 1.1

    play(tmp_path, scenario)


def test_an_export_that_is_brought_in_is_asked_as_the_chat_was(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/system A", "/temp 0.3")
        await ask(chat, "alpha")
        (tmp_path / "there").mkdir()
        history, number = chat.screen.history, chat.screen.tabs.open.current.number
        assert history is not None and number is not None and history.flush()
        elsewhere = History.open(tmp_path / "there" / "history.db")
        elsewhere.import_json(history.export_json([number]))
        assert elsewhere.close()

    async def there(chat: Chat) -> None:
        await ask(chat, "other")
        await from_list(chat, "alpha")
        assert await ask(chat, "again") == ("A", 0.3)

    play(tmp_path, talks)
    play(tmp_path / "there", there)
