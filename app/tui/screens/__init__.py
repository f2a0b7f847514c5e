"""The screens and their bases, a style sheet beside whoever has one.

A new screen is a file here, and an action that pushes it (actions/places.py). Keys of it that can
be other ones stand in keys/screen_keys.py, a slash command for it in app/prompts/slash_table.py.
"""
