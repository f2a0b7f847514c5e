"""What the app does by itself, in every chat: the settings that take effect at once."""

from __future__ import annotations

from dataclasses import dataclass, fields

from app.settings.values import ENTERS, FRAMES, NOTICES, TITLES, Enter, Frame, Notify, Titles


@dataclass(frozen=True, slots=True)
class Habits:
    """The habits by the names of their settings, as they are where nobody says another."""

    titles: Titles = TITLES[0]
    notify: Notify = NOTICES[0]
    frame: Frame = FRAMES[0]
    enter: Enter = ENTERS[0]
    chat_list: bool = False
    copy_on_select: bool = False


USUAL = Habits()
HABITS = tuple(field.name for field in fields(Habits))
