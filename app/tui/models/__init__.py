"""Models as the screens show them: the room they are in, pairs, downloads, choices."""
