"""Branches: the messages of one chat as a tree, by parent, in the order they were written.

A message that is written beside another (an edited question, a regenerated answer) is its sibling.
What is shown is the path from a root to a leaf. Pure; knows no text and no database.

A message whose parent is not among those before it is taken for a root, so no file can make a loop.
"""

from __future__ import annotations

from collections.abc import Iterable


class Tree:
    """Who follows whom. messages: (id, parent id), oldest first; the roots' parent is None."""

    def __init__(self, messages: Iterable[tuple[int, int | None]]) -> None:
        self._parents: dict[int, int | None] = {}
        self._children: dict[int | None, list[int]] = {None: []}
        for message, parent in messages:
            parent = parent if parent in self._parents else None
            self._parents[message] = parent
            self._children[parent].append(message)
            self._children[message] = []
        self._newest: dict[int, int] = {}
        places = {message: place for place, message in enumerate(self._parents)}
        for message in reversed(self._parents):
            below = (self._newest[child] for child in self._children[message])
            self._newest[message] = max(below, key=places.__getitem__, default=message)

    def __contains__(self, message: int) -> bool:
        return message in self._parents

    def path(self, leaf: int) -> list[int]:
        """Return the messages from the root to this one. Raises KeyError."""
        path = [leaf]
        while (parent := self._parents[path[-1]]) is not None:
            path.append(parent)
        return path[::-1]

    def siblings(self, message: int) -> list[int]:
        """Return the message and those written beside it, oldest first. Raises KeyError."""
        return list(self._children[self._parents[message]])

    def leaf_with(self, message: int | None, leaf: int | None) -> int | None:
        """Return a leaf, or if the message is not on its branch, the newest one where it is."""
        if message is None or message not in self:
            return leaf
        return (
            leaf if leaf is not None and message in self.path(leaf) else self.newest_leaf(message)
        )

    def newest_leaf(self, message: int) -> int:
        """Return the leaf that was written last below a message. Raises KeyError."""
        return self._newest[message]

    def newest(self) -> int | None:
        """Return the leaf that was written last of all, None if there is nothing."""
        return next(reversed(self._parents), None)

    def beside(self, message: int, steps: int) -> int | None:
        """Walk so many siblings on (back if negative); return the newest leaf there.

        None where there is no such sibling. Raises KeyError.
        """
        siblings = self.siblings(message)
        place = siblings.index(message) + steps
        return self._newest[siblings[place]] if 0 <= place < len(siblings) else None
