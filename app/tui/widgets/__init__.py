"""The widgets: one file each. They show what they are given and know no engine."""
