"""How answers are drawn and drafted, changed in mid-chat."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, cast

from app.errors import AppError, SettingsError
from app.prompts.slash import SlashError
from app.terminal.sanitise import one_line
from app.tui.actions import Action
from app.tui.background.starting import start
from app.tui.keys.keymap import way_to
from app.tui.preferences.chat_settings import keep, settle
from app.tui.preferences.own_settings import OWN, PROMPT, ask_as, asked_as
from engine import check_sampling

if TYPE_CHECKING:
    from app.prompts.personas import Personas
    from app.settings.rows import SettingsNow, Value
    from app.tui.chat_view import ChatView
    from app.tui.preferences.themes import Themed

ORDER = 7
LONGEST_TOLD = 200
"""Characters of a system prompt that are told in passing."""
DRAFTERS = {
    "auto": "lookup and the draft model, whichever promises most",
    "draft_model": "the small model of the pair alone",
    "lookup": "what was said before, found again; needs no draft model",
    "none": "nothing: the model writes every word alone",
}


def temp(chat: ChatView, number: str) -> None:
    """Show or set the temperature."""
    if number:
        apply(chat, "temp", float(number))
    since = _since(chat) if number else ""
    chat.say(f"The temperature is {chat.session.conversation.sampling.temperature:g}{since}.")


def seed(chat: ChatView, number: str) -> None:
    """Show or set the seed."""
    if number:
        apply(chat, "seed", None if number == "random" else int(number))
    since = _since(chat) if number else ""
    chat.say(f"The seed is {chat.session.conversation.sampling.seed}{since}.")


def _since(chat: ChatView) -> str:
    """Say from when on holds what is changed now, where that is not at once."""
    return " from the next answer on" if chat.session.answering else ""


def draft(chat: ChatView, name: str) -> None:
    """Choose who drafts, from the next answer on."""
    from app.settings.values import drafter_names
    from app.tui.palettes.choices import DrafterNames, choose

    wanted = name.lower().replace("-", "_")
    if wanted and wanted not in drafter_names():
        raise SlashError(f"There is no drafter {name}; there are {', '.join(drafter_names())}.")
    if not wanted:
        choose(chat, DrafterNames, "Choose what guesses ahead")
        return
    if apply(chat, "drafter", wanted):
        chat.say(f"The draft model is loaded, then {wanted} drafts.")
        return
    drafts = "Nothing is drafted" if wanted == "none" else f"Drafts are made by {wanted}"
    chat.say(f"{drafts}{_since(chat)}.")


def drafters(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer all drafters."""
    from app.settings.values import drafter_names

    return [(name, DRAFTERS.get(name, "")) for name in drafter_names()]


def system(chat: ChatView, text: str) -> None:
    """Show or set the system prompt; one that is no short line is shown whole, to be read."""
    if text:
        apply(chat, "system", text)
    now = chat.session.conversation.system or ""
    if not text and one_line(now, LONGEST_TOLD) != now.strip():
        _show_whole(chat, now)
        return
    chat.say(f"System prompt: {now}" if now else "There is no system prompt.")


def _show_whole(chat: ChatView, now: str) -> None:
    from app.tui.actions.quoting import quote_chosen
    from app.tui.screens.answer_source import AnswerSource

    screen = AnswerSource(now, f"System prompt; {way_to(chat, 'settings')} changes it")
    chat.app.push_screen(screen, partial(quote_chosen, chat))


def persona(chat: ChatView, name: str) -> None:
    """Take a system prompt by its name; the sampling that a former one brought goes with that."""
    from app.paths import Paths
    from app.prompts.personas import find, load
    from app.tui.palettes.choices import PersonaNames, choose

    known = load(Paths().personas_file)
    if not name:
        choose(chat, PersonaNames, "Choose a persona for this chat")
        return
    name = find(name, known)
    chosen, gone = known[name], _let_go(chat, known)
    for field, value in {"system": chosen.system or None, **chosen.sampling}.items():
        _change(chat, field, value)
    chat.chosen["persona"] = name
    chat.show_state()
    keep(chat, (*PROMPT, *gone, *chosen.sampling))
    way = way_to(chat, "settings")
    chat.say(f"{name} answers in this chat; {way} can keep it for every chat.")


def _leave_persona(chat: ChatView) -> None:
    """Have nobody's prompt in this chat."""
    gone = _let_go(chat, _readable_personas())
    _change(chat, "system", None)
    keep(chat, (*PROMPT, *gone))


def _let_go(chat: ChatView, known: Personas) -> list[str]:
    """Take away the sampling that this chat's persona brought; return which settings that were."""
    former = known.get(str(chat.chosen.get("persona")))
    brought = former.sampling if former is not None else {}
    gone = [field for field, value in brought.items() if chat.chosen.get(field) == value]
    for field in gone:
        del chat.chosen[field]
    settle(chat, chat.tabs.open.current)
    return gone


def personas(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer all personas."""
    return [(name, one.system) for name, one in _readable_personas().items()]


def _readable_personas() -> Personas:
    """Return all personas; none where their file is wrong, of which the command tells."""
    from app.paths import Paths
    from app.prompts.personas import load

    try:
        return load(Paths().personas_file)
    except SettingsError:
        return {}


def settings(chat: ChatView, _: str) -> None:
    """Show every setting, and where each comes from; change them."""
    from app.last import Last
    from app.tui.models.local_models import LocalModels
    from app.tui.preferences.setting_sources import Looks
    from app.tui.preferences.themes import names
    from app.tui.screens.settings import SettingsScreen

    models = chat.desk.models if chat.desk else None
    if not isinstance(models, LocalModels):
        return
    opened = Last().with_pair(chat.session.settings).chosen
    themes = tuple(names(chat.app))

    def now() -> SettingsNow:
        return models.settings_now(opened, chat.chosen, Looks(chat.app.theme, themes))

    screen = SettingsScreen(now, partial(apply, chat), partial(give_back, chat))
    chat.app.push_screen(screen)


def apply(chat: ChatView, name: str, value: Value | None) -> str:
    """Change a setting of this chat; return when it takes effect, "" if at once.

    Raises SettingError for a value out of its range, AppError for a drafter that cannot draft here
    or a memory of what is not kept, and changes nothing then.
    """
    if name != "persona":
        when = _change(chat, name, value)
        keep(chat, _with(name))
        return when
    if value is None:
        _leave_persona(chat)
    else:
        persona(chat, str(value))
    return ""


def give_back(chat: ChatView, name: str, given: Value | None) -> str:
    """Make a setting hold that is no choice of this chat any more, and the usual one of all."""
    from app.tui.preferences.setting_sources import changed

    if name == "theme" and given:  # no choice that would be kept
        cast("Themed", chat.app).try_theme(str(given))
        return ""
    effect = apply(chat, name, given)
    for each in _with(name):
        chat.chosen.pop(each, None)
    if name in OWN:
        now = chat.session.conversation
        usual = ("system", now.system) if name in PROMPT else (name, given)
        chat.session.change(lambda settings: changed(settings, *usual)[0])
        settle(chat)
        keep(chat, _with(name))
    chat.show_state()
    return effect


def _with(name: str) -> tuple[str, ...]:
    """Return the settings that are chosen together with one."""
    return PROMPT if name in PROMPT else (name,)


def _change(chat: ChatView, name: str, value: Value | None) -> str:
    from app.tui.figures.shown_figures import begin_counting
    from app.tui.preferences.setting_sources import changed

    if name == "memory" and value and chat.history is None:
        raise AppError("Nothing of this chat is kept, and so no memory of it.")
    if name == "theme":
        chat.app.theme = str(value or chat.app.theme)
        return ""
    if name not in OWN:
        return _change_all(chat, name, value)
    conversation = chat.session.conversation
    settings, when = changed(asked_as(chat.session.settings, conversation), name, value)
    check_sampling(settings.sampling)
    ask_as(conversation, settings)
    if name == "system":
        chat.chosen["persona"] = None
    chat.chosen[name] = value
    if name in ("system", "think"):
        begin_counting(chat)
    chat.show_state()
    return when


def _change_all(chat: ChatView, name: str, value: Value | None) -> str:
    """Change what holds for every chat."""
    from app.tui.figures.shown_figures import show_drafter
    from app.tui.models.draft_loading import needs_load
    from app.tui.preferences.setting_sources import changed

    session, conversation = chat.session, chat.session.conversation
    settings, when = changed(session.settings, name, value)
    if name == "drafter" and needs_load(
        settings.pair.drafter, session.settings, session.state, chat.figures.ready
    ):
        chat.chosen[name] = value
        start(chat, session.switch, settings)
        return "the draft model is loaded for it"
    session.change(lambda settings: changed(settings, name, value)[0])
    settings, chat.chosen[name] = session.settings, value
    chat.show_state()
    if name == "drafter":
        conversation.drafter = settings.pair.drafter
        if not session.answering:
            show_drafter(chat)
        return ""
    return when


ACTIONS = (
    Action(
        "settings",
        "Settings",
        settings,
        keys=("f2",),
        also="change options configure preferences config",
    ),
    Action("temp", "Temperature", temp, "show or set the temperature", also="random change"),
    Action("seed", "Seed", seed, "show or set the seed", also="random change"),
    Action(
        "draft",
        "Drafter",
        draft,
        "choose what guesses ahead",
        choices=drafters,
        also="speculation speed change",
    ),
    Action(
        "system",
        "System prompt",
        system,
        also="instructions role change",
    ),
    Action(
        "persona",
        "Persona",
        persona,
        choices=personas,
        also="role character change",
    ),
)
