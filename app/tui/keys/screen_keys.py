"""The keys of the screens beside the chat that can be other ones, by the names of the `[keys]`
table; a screen takes its bindings from here. What moves and leaves (Enter, Esc, arrows) is fixed.

Imports none of the screens: a table is read and the help is shown without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """title: what it is called there; about: where it holds, and what it does. is_typed_at: a text
    field has the focus there, which takes plain letters.
    """

    keys: tuple[str, ...]
    title: str
    about: str
    is_typed_at: bool = False


CHATS = "in the list of chats: "
DELETED = "in the list of deleted chats: "
MODELS = "among the models: "
SETTINGS = "among the settings: "
INSPECTOR = "in the inspector: "
DOCTOR = "in the doctor: "
SOURCE = "in an answer's source: "
BLOCKS = "among the blocks of an answer: "
FILES = "among the files to attach: "

SCREEN_KEYS: Mapping[str, ScreenKey] = {
    "chats-rename": ScreenKey(("ctrl+r", "f2"), "Rename", f"{CHATS}give it a title", True),
    "chats-pin": ScreenKey(("ctrl+p",), "Pin", f"{CHATS}list it first, or not any more", True),
    "chats-delete": ScreenKey(("ctrl+d",), "Delete", f"{CHATS}delete it", True),
    "chats-archive": ScreenKey(("alt+a",), "Archive", f"{CHATS}archive it, or bring it back", True),
    "chats-undo": ScreenKey(
        ("ctrl+z",), "Undo", f"{CHATS}take back the last deleting or archiving", True
    ),
    "chats-archived": ScreenKey(
        ("tab",), "The archive", f"{CHATS}show what is archived, or the others again", True
    ),
    "chats-deleted": ScreenKey(("ctrl+g",), "Deleted", f"{CHATS}show what was deleted", True),
    "chats-export": ScreenKey(("ctrl+e",), "Export", f"{CHATS}save it as a file", True),
    "chats-import": ScreenKey(("ctrl+o",), "Import", f"{CHATS}bring chats in from a file", True),
    "deleted-restore": ScreenKey(("u",), "Restore", f"{DELETED}restore it"),
    "deleted-erase": ScreenKey(("e", "delete"), "Erase", f"{DELETED}erase it for good"),
    "deleted-erase-all": ScreenKey(("a",), "Erase all", f"{DELETED}erase all of them for good"),
    "models-download": ScreenKey(("d",), "Download", f"{MODELS}download it, or pause that"),
    "models-remove": ScreenKey(("r", "delete"), "Remove", f"{MODELS}remove it from the disk"),
    "models-unload": ScreenKey(("u",), "Unload", f"{MODELS}free the memory it takes"),
    "settings-keep": ScreenKey(("s",), "Keep", f"{SETTINGS}keep a value for every chat"),
    "settings-unset": ScreenKey(("delete",), "Unset", f"{SETTINGS}take a value out again"),
    "settings-set": ScreenKey(("ctrl+s",), "Set", f"{SETTINGS}take a text of several lines", True),
    "inspector-back": ScreenKey(("h",), "Back a step", f"{INSPECTOR}back a step, as ← does"),
    "inspector-on": ScreenKey(("l",), "On a step", f"{INSPECTOR}on a step, as → does"),
    "inspector-rejection": ScreenKey(("r",), "Next rejection", f"{INSPECTOR}the next rejection"),
    "doctor-copy": ScreenKey(("c",), "Copy what mends it", f"{DOCTOR}copy what mends it"),
    "doctor-ask": ScreenKey(("e",), "Ask the demo too", f"{DOCTOR}ask the demo, too"),
    "doctor-again": ScreenKey(("r",), "Look again", f"{DOCTOR}look again"),
    "source-quote": ScreenKey(("q",), "Quote", f"{SOURCE}quote what is selected"),
    "source-unfold": ScreenKey(("b",), "Into the box", f"{SOURCE}put a pasted text into the box"),
    "source-all": ScreenKey(("ctrl+a",), "Select all", f"{SOURCE}select all"),
    "blocks-code": ScreenKey(("n",), "Next code", f"{BLOCKS}the next code block"),
    "blocks-code-before": ScreenKey(("p",), "Code before", f"{BLOCKS}the code block before"),
    "blocks-copy": ScreenKey(("y",), "Copy", f"{BLOCKS}copy it; of code that alone"),
    "blocks-quote": ScreenKey(("q",), "Quote", f"{BLOCKS}quote it in the box"),
    "blocks-save": ScreenKey(("s",), "Save", f"{BLOCKS}save code as a file"),
    "files-mark": ScreenKey(("space",), "Mark", f"{FILES}mark one of several"),
    "files-filter": ScreenKey(("slash",), "Find", f"{FILES}find one by a part of its name"),
    "files-up": ScreenKey(("backspace", "minus"), "Up", f"{FILES}the folder above"),
    "files-home": ScreenKey(("tilde",), "Home", f"{FILES}the home folder"),
    "files-hidden": ScreenKey(
        ("full_stop",), "Hidden", f"{FILES}what is hidden or ignored, too, or not"
    ),
    "files-fold": ScreenKey(("h",), "Fold", f"{FILES}fold a folder, as ← does"),
    "files-unfold": ScreenKey(("l",), "Unfold", f"{FILES}unfold a folder, as → does"),
    "help-clear": ScreenKey(("ctrl+u",), "Clear", "in the help: show all again", True),
}


def bound(
    name: str, action: str, title: str = "", *, priority: bool = False, show: bool = True
) -> Binding:
    """Return the binding of a screen's action to the keys that it has by default."""
    one = SCREEN_KEYS[name]
    does = one.about.partition(": ")[2]
    keys, tip = ",".join(one.keys), f"{does[:1].upper()}{does[1:]}."
    return Binding(keys, action, title or one.title, show, None, priority, tooltip=tip, id=name)
