"""What is used of Textual beside its public interface is there; all of it is named here."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.pair import ROOT

USED = {
    "textual._ansi_sequences": ("ANSI_SEQUENCES_KEYS",),
    "textual.app:App": (
        *("_batch_count", "_display", "_driver", "_notifications", "_post_message"),
        *("_load_screen_css", "_previous_cursor_position", "_unnotify"),
    ),
    "textual.command:CommandPalette": ("_action_command_list",),
    "textual._compositor": ("Compositor", "CompositorMap", "ReflowResult"),
    "textual._compositor:Compositor": (
        *("_dirty_regions", "_full_map", "_full_map_invalidated"),
        *("_get_renders", "reflow", "reflow_visible", "update_widgets", "visible_widgets"),
    ),
    "textual._styles_cache": ("StylesCache",),
    "textual.css.stylesheet:Stylesheet": ("_parse_cache", "_variables"),
    "textual.dom:DOMNode": ("_attach", "_component_styles", "_get_component_classes"),
    "textual.driver:Driver": ("_app", "_loop"),
    "textual._parser:Parser": ("_timeout_time",),
    "textual._xterm_parser": ("XTermParser",),
    "textual.drivers.linux_driver": ("XTermParser",),
    "textual.drivers.linux_driver:LinuxDriver": (
        *("_enable_bracketed_paste", "_file", "_key_thread", "_must_signal_resume"),
        "_sigcont_application",
    ),
    "textual.drivers.linux_inline_driver": ("XTermParser",),
    "textual.drivers.linux_inline_driver:LinuxInlineDriver": ("_file", "_get_terminal_size"),
    "textual.keys": ("_character_to_key",),
    "textual.screen:Screen": (
        *("_compositor", "_compositor_refresh", "_dirty_widgets", "_on_layout", "_on_message"),
        *("_on_timer_update", "_refresh_layout", "_select_all_in_widget"),
    ),
    "textual.widget:Widget": ("_anchor_released", "_get_style", "_size_updated"),
    "textual.widgets:Markdown": ("BLOCKS", "_markdown", "_parse_markdown"),
    "textual.widgets:TextArea": ("_bindings", "_on_key", "_on_paste", "_replace_via_keyboard"),
    "textual.widgets._footer": ("FooterKey",),
    "textual.widgets._markdown": (
        "MarkdownBlock",
        "MarkdownBlockQuote",
        "MarkdownBullet",
        "MarkdownBulletList",
        "MarkdownFence",
        "MarkdownHorizontalRule",
        "MarkdownList",
        "MarkdownListItem",
        "MarkdownOrderedList",
        "MarkdownParagraph",
        "MarkdownTable",
        "MarkdownTableCellContents",
        "MarkdownTableContent",
    ),
    "textual.widgets._markdown:MarkdownBlock": (
        *("_blocks", "_content", "_copy_context", "_inline_token", "_token", "_update_from_block"),
        "set_content",
    ),
    "textual.widgets._markdown:MarkdownFence": ("_highlighted_code", "code", "highlight", "lexer"),
    "textual.widgets._markdown:MarkdownTable": ("_get_headers_and_rows", "_headers", "_rows"),
    "textual.widgets._markdown:MarkdownTableContent": (
        *("_update_rows", "headers", "last_row", "rows"),
    ),
}
NAMES = [(owner, name) for owner, names in USED.items() for name in names]


@pytest.mark.parametrize(("owner", "name"), NAMES, ids=[f"{o}.{n}" for o, n in NAMES])
def test_this_textual_has_what_is_used_of_it(owner: str, name: str) -> None:
    assert has(owner, name), (
        f"Textual {version('textual')} has no {owner}.{name} any more, which app/tui uses: "
        "find its new name, or narrow the version in pyproject.toml"
    )


def test_nothing_else_is_used_of_it() -> None:
    named = {name for _, name in NAMES}
    found = {(name, str(path.relative_to(ROOT))) for name, path in foreign()}
    assert len(found) > 10
    assert {(name, path) for name, path in found if name not in named} == set()


def has(owner: str, name: str) -> bool:
    """Whether a module or a class has a name, be it one that only its objects have."""
    module, _, kind = owner.partition(":")
    found = importlib.import_module(module)
    if not kind:
        return hasattr(found, name)
    its = getattr(found, kind)
    assigned = re.compile(rf"\bself\.{name}\b(: [^=\n]+)? = ")
    own = [one for one in its.__mro__ if one.__module__.startswith("textual")]
    return hasattr(its, name) or any(assigned.search(inspect.getsource(one)) for one in own)


def foreign() -> Iterator[tuple[str, Path]]:
    """Yield the private names that a file of the terminal app uses and does not define."""
    for path in sorted((ROOT / "app" / "tui").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        defined |= {node.name for node in nodes if isinstance(node, ast.AsyncFunctionDef)}
        defined |= {name for name, is_set, _ in attributes(nodes) if is_set}
        for name, _, is_own in attributes(nodes):
            if not (is_own and name in defined) and not name.startswith("__"):
                yield name, path
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
                is_private = "._" in (node.module or "")
                names = [each.name for each in node.names]
                yield from ((name, path) for name in names if is_private or name[0] == "_")


def attributes(nodes: list[ast.AST]) -> Iterator[tuple[str, bool, bool]]:
    """Yield private attributes, whether they are set there, and whether of `self`."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
            yield node.attr, isinstance(node.ctx, ast.Store) and is_own, is_own
