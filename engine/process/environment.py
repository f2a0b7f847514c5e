"""What the engine process is told through its environment; what that already says wins.

Threads: one a core, spinning for about a millisecond, which is long enough to be awake for the next
forward. Unbound threads that share a core, which another busy program brings about, wait out their
spin at every barrier: a step of a 20M model was seen to take 500 ms instead of 0.6. Where cores
differ in speed the fast ones come first (engine/system/cores.py).

Pages: weights in huge pages. A plain step reads all of them once; in pages of 4 KiB it then waits
for as many translations of addresses. Most systems grant huge pages to who asks, glibc's malloc
asks if it is told to (since 2.35), and elsewhere nothing reads this. In huge pages is what is
copied or rearranged into memory; weights that are mapped from the file are not.
tests/lab/pages.py measures what it brings.

Prompts: where the processor has some layers and a GPU others, llama.cpp has the GPU compute wide
batches of all, and its rows differ from the processor's by more than those do by their width: by
0.24 in a logit, where narrower batches differed by 0.003 (tests/lab/widths.py). A draft is never so
wide.

Tiles: llama.cpp multiplies batches of 8 tokens and more in tiles, which sum otherwise than its
kernels for fewer; not where a pair shall be batch-invariant.

Last words: where llama.cpp gives up it would call a debugger, which takes seconds and whose words
would stand behind its own.
"""

from __future__ import annotations

from pathlib import Path

from engine.system.cores import count_cores

THREADS = {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "100000"}
PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
PROMPTS = {"GGML_OP_OFFLOAD_MIN_BATCH": "34"}
NO_TILES = {"GGML_CPU_TILED_MM": "0"}
LAST_WORDS = {"GGML_NO_BACKTRACE": "1"}


def environment(root: Path = Path("/"), batch_invariant: bool = False) -> dict[str, str]:
    """Return it, for the cores that this process may use."""
    places = {"OMP_PLACES": count_cores(root).places}
    tiles = NO_TILES if batch_invariant else {}
    return {**THREADS, **places, **PAGES, **PROMPTS, **tiles, **LAST_WORDS}
