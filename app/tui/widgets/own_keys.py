"""What a text field does with the keys that it has itself, in the order in which they come.

A key that is bound, as those are that move the cursor, rises to the app before it does something: a
letter that comes right behind it would overtake it. A field that asks here does it at once.
"""

from __future__ import annotations

from textual.widget import Widget


async def does(field: Widget, key: str) -> bool:
    """Do what a field has a key for, and tell whether it has it for something."""
    for binding in field._bindings.key_to_bindings.get(key, ()):
        if await field.app.run_action(binding.action, field):
            return True
    return False
