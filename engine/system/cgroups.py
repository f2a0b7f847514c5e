"""The cgroups of this process: where Linux says what a container may use.

Files are read under a root passed in. Standard library only, and nothing of the engine: what sets
the app up reads this file, too.
"""

from __future__ import annotations

from pathlib import Path

QUOTA_FILES = (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
"""Where a cgroup's microseconds of processor stand, and of how many: version 2, version 1."""


def cgroups(root: Path, controller: str) -> list[Path]:
    """Return the folders of this process's cgroup and its parents, v2's and v1's."""
    mount = root / "sys/fs/cgroup"
    folders = [mount, mount / controller]  # a container sees itself there
    for line in read(root / "proc/self/cgroup").splitlines():
        kinds, _, path = line.partition(":")[2].partition(":")
        names = [name for name in path.split("/") if name]
        if ".." not in names and (not kinds or controller in kinds.split(",")):
            top = mount / controller if kinds else mount
            folders += [top.joinpath(*names[:n]) for n in range(1, len(names) + 1)]
    return folders


def quotas(root: Path) -> list[int]:
    """Return the whole cores that each cgroup of this process may use, if it has a limit."""
    found = []
    for folder in cgroups(root, "cpu"):
        for names in QUOTA_FILES:
            numbers = " ".join(read(folder / name) for name in names).split()
            if len(numbers) == 2 and all(map(str.isdecimal, numbers)) and int(numbers[1]):
                found.append(int(numbers[0]) // int(numbers[1]))
    return found


def read(path: Path) -> str:
    """Return a file's text, "" if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
