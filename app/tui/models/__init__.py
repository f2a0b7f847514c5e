"""Models as the screens show them: access to them, pairs, downloads, choices."""
