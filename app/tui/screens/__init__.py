"""The screens: one file each, its style sheet beside it."""
