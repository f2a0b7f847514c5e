"""The app's style sheet, which is parsed anew only where its colours change, and styles of a
widget's parts only those that are painted; and classes that style no more than they have to.
"""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.cache import LRUCache
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import Screen

MOST_SOURCES = 1024
"""How many pieces of style are kept; with fewer than there are, none would be found again."""


class StyleSheet(Stylesheet):
    """Keeps what it has parsed. Textual's own parses all of it again with every new screen, five
    times until the chat can be seen. It styles every part of every widget, too, and few are
    ever painted.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(MOST_SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other colours, if they are others."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Take in what was added, and other colours; raise StylesheetError and change nothing."""
        self.parse()

    def _process_component_classes(self, node: DOMNode) -> None:
        """Let the parts of a widget be styled as they are now; paint it anew if that changed."""
        if node._get_component_classes():
            before, now = node._component_styles, Parts(self, node)
            node._component_styles = now
            if not before or any(styles != now[name] for name, styles in before.items()):
                node.refresh()


class StyledApp(App[None]):
    """An app that styles a screen which is opened, and no other."""

    def _load_screen_css(self, screen: Screen[Any]) -> None:
        """Have the rules of a screen's files. Textual styles all that is on every other one anew
        then: a second for a chat of 150 turns.
        """
        if screen.CSS:
            super()._load_screen_css(screen)
            return
        new = [path for path in screen.css_path if not self.stylesheet.has_source(str(path))]
        for path in new:
            self.stylesheet.read(path)
        if new:
            self.stylesheet.reparse()
            self.stylesheet.update(screen)


class Parts(dict[str, RenderStyles]):
    """The styles of a widget's parts (its component classes), each made when it is asked for."""

    def __init__(self, sheet: Stylesheet, node: DOMNode) -> None:
        super().__init__()
        self._sheet, self._node, self._names = sheet, node, node._get_component_classes()

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __missing__(self, name: str) -> RenderStyles:
        part = DOMNode(classes=name)
        part._attach(self._node)
        self._sheet.apply(part)
        self[name] = part.styles
        return part.styles

    def clear(self) -> None:
        """Forget them all: the widget has gone."""
        self._names = frozenset()
        super().clear()


def restyle(screen: Screen[Any], has_it: bool, name: str, *kinds: str) -> None:
    """Give the screen a class by which only widgets of these kinds around the chat are styled.

    Textual would style all that is in the chat anew: a second and more for a long one.
    """
    if screen.has_class(name) == has_it:
        return
    screen.set_class(has_it, name, update=False)
    around = list(screen.children)
    around += [inner for each in screen.children for inner in each.children]
    around += [inner for each in around for inner in each.children]
    for each in dict.fromkeys(around):
        if type(each).__name__ in kinds:
            screen.app.update_styles(each)
