"""What `doctor` checks: one function from `Facts` to `Check` each, grouped by what they look at.

A new check is one function, named in its file's `CHECKS`. Checks look at facts and change nothing.
"""
