"""Settings: what each may be, who says so, and the files and flags that say it."""
