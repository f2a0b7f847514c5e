"""`slipstream doctor`: facts about this machine, checks of them, and the lines that mend it."""
