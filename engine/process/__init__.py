"""The engine process, and the app's end of it."""
