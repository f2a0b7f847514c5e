"""The widgets: one file each. They show what they are given; full_choice.py alone also asks."""
