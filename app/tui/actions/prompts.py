"""Prompts by name: one goes into the box with what is typed, one is kept.

It is not asked at once: who sees it can add what it is about, files that it names are looked up as
typed ones are, and on a slow machine a wrong question is dear. One that holds a
chat begins a new one with that, or fills an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.trimmed import trimmed_lines
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.prompts.prompt_library import Prompt
    from app.tui.chat_view import ChatView

ORDER = 8
SAVE, WHOLE = "/prompt-save ", "chat"


async def prompt(chat: ChatView, typed: str) -> None:
    """Put a prompt into the box; where none is named, offer all."""
    if typed:
        await use(chat, typed)
    else:
        offer(chat)


async def use(chat: ChatView, typed: str) -> None:
    """Put the prompt that is named first into the box, with what follows, or with what the box
    holds. Where neither says anything, the cursor stands where that belongs.
    """
    from app.paths import Paths
    from app.prompts.prompt_library import INPUT, asked
    from app.prompts.slash import typed as as_message
    from app.terminal.sanitise import sanitise

    found, behind = asked(Paths().prompts_dir, typed)
    box = chat.prompt
    if found.begins_chat and chat.asking.editing is not None:
        chat.asking.leave_editing()
    if not behind:
        box.drafting.comes_back()  # in the place of a command that was begun
        behind, box.text = trimmed_lines(box.text), box.drafting.let_go()
    if found.begins_chat:
        await _begin(chat, found)
    filled = as_message(sanitise(found.filled(behind)))
    box.take(filled)
    if not behind and INPUT in found.text:
        before = as_message(sanitise(found.text)).partition(INPUT)[0]
        box.move_cursor((before.count("\n"), len(before) - before.rfind("\n") - 1))
    elif not behind and found.text:
        box.insert("\n\n")
    box.focus()


async def _begin(chat: ChatView, found: Prompt) -> None:
    """Begin a chat with what a prompt holds beside its text."""
    from app.chat.about_me import know_from_now
    from app.chat.given_turns import given
    from app.history.title import own_title
    from app.tui.actions.tuning import apply

    pasted = chat.prompt.attachments
    chat.prompt.show_pasted(())
    await chat.tabs.new()
    chat.prompt.show_pasted(pasted)
    if found.system:
        apply(chat, "system", found.system)
    opened, asking = chat.tabs.open.current, chat.asking
    if not found.turns:
        return
    wrong = know_from_now(asking.conversation, asking.recorder)
    turns = given(found.turns)
    await asking.show_turns(turns)
    if wrong:
        await asking.transcript.note(wrong)
    opened.title = own_title(found.about)
    if asking.recorder is not None:
        asking.recorder.title = opened.title
    chat.show_figures_of(turns[-1])


def offer(chat: ChatView) -> None:
    """Have one of all prompts chosen."""
    from app.tui.palettes.picker import Picker
    from app.tui.palettes.prompt_names import PromptNames

    chat.app.push_screen(Picker([PromptNames], placeholder="Choose a prompt"))


def names(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer all prompts."""
    from app.paths import Paths
    from app.prompts.prompt_library import listed

    return listed(Paths().prompts_dir)


def save(chat: ChatView, typed: str) -> None:
    """Keep a text, the whole chat, or the question that is chosen or the last one, under a name."""
    from app.paths import Paths
    from app.prompts.prompt_library import save as keep
    from app.tui.keys.sending import sender

    name, text = [*typed.split(None, 1), "", ""][:2]
    if not name:
        box = chat.prompt
        line = f"{SAVE} {box.text}" if box.text else SAVE
        if box.unsent == box.text:
            box.text = line
        else:  # there is a draft that is not in the line
            box.drafting.begin_command(line)
        box.move_cursor((0, len(SAVE)))
        box.focus()
        key = sender(chat.session.settings.habits.enter)
        chat.say(f"Type a name for the prompt; {key} keeps it.")
        return
    if text == WHOLE:
        _save_chat(chat, name)
        return
    path = keep(Paths().prompts_dir, name, text or _question(chat))
    chat.say(f"/prompt {name} puts it into the box from now on. It is {path}.")


def _save_chat(chat: ChatView, name: str) -> None:
    from app.chat.given_turns import as_example
    from app.paths import Paths
    from app.prompts.prompt_library import save_chat

    example = as_example(chat.session.conversation)
    if not example.turns:
        raise AppError("Nothing is answered yet: a chat to begin with has an answer in it.")
    title = chat.tabs.title(chat.tabs.open.current)
    path = save_chat(Paths().prompts_dir, name, example, title)
    chat.say(f"/prompt {name} begins a chat with this one from now on. It is {path}.")


def whole(_: ChatView, typed: str) -> Iterable[tuple[str, str]]:
    """Offer the whole chat behind a name."""
    name, space, _behind = typed.partition(" ")
    return [(f"{name} {WHOLE}", "this whole chat, to begin others with")] if space else []


def _question(chat: ChatView) -> str:
    transcript = chat.talk.transcript
    view = transcript.selected or transcript.last_turn
    if view is None:
        raise AppError("Nothing is asked yet: type the prompt behind its name.")
    return view.question


ACTIONS = (
    Action(
        "prompt",
        "Prompts",
        prompt,
        "put a prompt into the box, with what you typed",
        choices=names,
        also="template snippet library",
    ),
    Action(
        "prompt-save",
        "Save as prompt",
        save,
        "keep what you typed, the last question, or the chat, as a prompt",
        choices=whole,
        also="template snippet keep store",
    ),
)
