"""Textual, where it is done otherwise here: drivers, painting, layout, titles, keys and pastes."""
