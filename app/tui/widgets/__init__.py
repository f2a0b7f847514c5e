"""The widgets: one file each. Most show what they are given; some look it up themselves: in the
history, on the disk, in the session.
"""
