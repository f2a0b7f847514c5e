"""Work off the screen's thread; of some of it only the newest run counts."""
