"""What a chat knows of the user: the person's own file, as it was when the chat began.

It is read when the first question is asked, and kept with the chat among its settings: a chat that
is under way, or opened again, is asked as it was begun, whatever is in the file by then. It is sent
before the system prompt and is no part of it. A chat of which nothing is kept knows nothing.
"""

from __future__ import annotations

from app.chat.conversation import Conversation
from app.chat.recorder import HistoryRecorder
from app.errors import SettingsError

KEPT_AS = "about_me"


def know_from_now(conversation: Conversation, recorder: HistoryRecorder | None) -> str:
    """Have a chat that begins with the next question know what the file says; return why it cannot,
    "" if it can.
    """
    from app.paths import Paths
    from app.prompts.about_me import read

    if recorder is None or recorder.chat is not None:
        return ""
    text = wrong = ""
    try:
        text = read(Paths().about_file)
    except SettingsError as error:
        wrong = f"This chat does not know about you. {error}"
    settings = {name: value for name, value in recorder.settings.items() if name != KEPT_AS}
    recorder.configure(recorder.system, settings | ({KEPT_AS: text} if text else {}))
    conversation.about = text
    return wrong


def know_as_kept(conversation: Conversation, recorder: HistoryRecorder) -> None:
    """Have a chat that was kept know what it did; others may have written anything there."""
    text = recorder.settings.get(KEPT_AS)
    conversation.about = text if isinstance(text, str) else ""
