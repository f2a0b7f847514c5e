"""Which parts of the standard library a newcomer asks about first.

Contract: constants and one pure key function. Lower ranks are kept first.
"""

from __future__ import annotations

_SKIPPED = """
    test idlelib turtledemo lib2to3 antigravity this distutils ensurepip pydoc_data tkinter
    turtle encodings nt ntpath posix posixpath genericpath sre_compile sre_constants sre_parse
    opcode msilib msvcrt winreg winsound nturl2path pip setuptools venv curses readline
    rlcompleter crypt spwd nis ossaudiodev macpath
"""
SKIPPED = frozenset(_SKIPPED.split())

FOREIGN = frozenset(["PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"])

_FAMILIAR = """
    builtins os os.path sys re json math random datetime time collections itertools functools
    pathlib subprocess string csv typing enum dataclasses copy operator statistics shutil glob
    tempfile io logging argparse threading queue heapq bisect contextlib abc pickle sqlite3
    hashlib secrets base64 struct uuid decimal fractions asyncio inspect urllib.request
    urllib.parse http.server http.client socket ssl select unittest unittest.mock doctest pdb
    timeit cProfile traceback warnings weakref types textwrap pprint calendar zoneinfo locale
    gzip zipfile tarfile zlib bz2 lzma configparser tomllib html html.parser
    xml.etree.ElementTree email.message smtplib concurrent.futures multiprocessing signal
    platform getpass gc ast dis tokenize importlib fnmatch filecmp difflib array cmath numbers
    graphlib sched contextvars shelve webbrowser ipaddress unicodedata codecs errno stat
    fileinput cmd shlex getopt collections.abc importlib.resources importlib.metadata
    importlib.util
"""
FAMILIAR = tuple(_FAMILIAR.split())

_PLACE = {name: place for place, name in enumerate(FAMILIAR)}


def rank(module: str, member: str) -> tuple[int, int, str, str]:
    """Return a member's sorting key: familiar modules, then shallow names, then the alphabet."""
    unfamiliar = len(_PLACE) + 100 * module.count(".")
    depth = member.count(".")
    place = _PLACE.get(module, unfamiliar)
    late = depth > 0 and place > _PLACE["uuid"]
    return (place + 1000 * late, depth, module, member)
