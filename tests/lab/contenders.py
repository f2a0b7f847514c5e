"""Who is compared: our engine, llama.cpp's server and llama-cpp-python's class Llama.

Contract: a contender is started with a pair, answers prompts one at a time, reports its own decode
rate over the tokens behind the first, and is ended. All see the same rendered prompt, threads,
context and sampling settings, and our environment unless they shall run as they are shipped. From
one prompt to the next nobody keeps anything but what its cache holds, save for llama-server's
ngram-mod, which remembers what it said, and ours if they are to.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gguf import GGUFReader

from engine import EngineClient, Finished, Message, PairSettings, SamplingSettings
from engine.llama.devices import CPU, device_name
from engine.prompt.rendering import Rendering
from tests.pair import load

N_CTX, THREADS = 2048, 2
TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05
TEMPLATE = "tokenizer.chat_template"
Messages = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Run:
    """One answer: its text, tokens, decode rate in tokens/s, and how drafts fared; of ours also the
    tokens' ids, and which of them were nearly others.
    """

    text: str
    n_tokens: int
    tps: float
    drafted: int = 0
    accepted: int = 0
    overhead_s: float = 0.0
    steps: int = 0
    token_ids: tuple[int, ...] = ()
    near_ties: tuple[int, ...] = ()


class Contender(Protocol):
    """name: as the table has it; plain: the name of the contender that it is a speed-up over."""

    name: str
    plain: str

    async def answer(self, messages: Messages, temperature: float, predict: int, seed: int) -> Run:
        """Answer a prompt."""


class Engine:
    """Our engine process; drafters that remember nothing share one."""

    def __init__(self, log: Path, memory: Path | None = None) -> None:
        """memory: the folder for what it remembers of earlier answers; None: it does not."""
        self.client = EngineClient(log)
        self._memory = None if memory is None else str(memory)

    async def start(self, target: Path, draft: Path, threads: int = THREADS) -> None:
        """Load the pair."""
        pair = PairSettings(
            target=str(target),
            draft=str(draft),
            n_ctx=N_CTX,
            threads=threads,
            memory=self._memory,
        )
        self.ready = await load(self.client, pair)


class Ours:
    """One drafter over our engine."""

    plain = "none"

    def __init__(self, engine: Engine, drafter: str) -> None:
        self.name = drafter
        self._engine = engine

    async def answer(self, messages: Messages, temperature: float, predict: int, seed: int) -> Run:
        sampling = SamplingSettings(
            temperature=temperature, top_k=TOP_K, top_p=TOP_P, min_p=MIN_P, seed=seed
        )
        asked = [Message(role=role, content=content) for role, content in messages]
        last = None
        client = self._engine.client
        async for event in client.ask(asked, sampling, predict, drafter=self.name):
            last = event
        assert isinstance(last, Finished)
        s = last.stats
        return Run(
            last.text,
            s.output_tokens,
            s.decode_tps or 0.0,
            s.drafted,
            s.accepted,
            s.engine_overhead_s,
            s.steps,
            tuple(last.token_ids),
            tuple(s.near_ties),
        )


class Server:
    """llama-server with one setting; it runs until `end`."""

    plain = "server plain"

    def __init__(
        self,
        name: str,
        program: Path,
        arguments: Sequence[str],
        environment: Mapping[str, str],
    ) -> None:
        self.name = name
        self._environment = environment
        self._command = [str(program), *arguments]
        self._process: asyncio.subprocess.Process | None = None
        self._port = 0

    async def start(self, target: Path) -> None:
        """Start it and wait until it is ready. Raises RuntimeError if it ends before."""
        self._rendered = renderer(target)
        self._port = _free_port()
        common = ("-m", str(target), "-c", str(N_CTX), "-t", str(THREADS), "-np", "1")
        quiet = ("--host", "127.0.0.1", "--port", str(self._port), "--no-webui")
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            *common,
            *quiet,
            *("-fa", flash_attention()),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={**self._environment, **os.environ},
        )
        for _ in range(600):
            await asyncio.sleep(0.1)
            if self._process.returncode is not None:
                raise RuntimeError(f"{self.name} ended: {' '.join(self._command)}")
            try:
                await asyncio.to_thread(self._get, "/health")
                return
            except OSError:
                continue
        raise RuntimeError(f"{self.name} does not get ready")

    async def answer(self, messages: Messages, temperature: float, predict: int, seed: int) -> Run:
        request = {
            "prompt": self._rendered(messages),
            "n_predict": predict,
            "temperature": temperature,
            "top_k": TOP_K,
            "top_p": TOP_P,
            "min_p": MIN_P,
            "seed": seed,
            "samplers": ["top_k", "top_p", "min_p", "temperature"],
            "cache_prompt": True,
        }
        found = await asyncio.to_thread(self._post, "/completion", request)
        timings = found["timings"]
        return Run(
            found["content"],
            timings["predicted_n"],
            timings["predicted_per_second"],
            timings.get("draft_n", 0),
            timings.get("draft_n_accepted", 0),
        )

    async def end(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}{path}", timeout=5) as reply:
            found: bytes = reply.read()
            return found

    def _post(self, path: str, body: dict[str, object]) -> dict:  # type: ignore[type-arg]
        url = f"http://127.0.0.1:{self._port}{path}"
        header = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), header)
        with urllib.request.urlopen(request, timeout=600) as reply:
            found: dict = json.load(reply)  # type: ignore[type-arg]
            return found


class Bindings:
    """llama-cpp-python's `Llama.generate` in a process. guessed: tokens that its prompt lookup
    guesses at a time; 0: it has none.
    """

    plain = "bindings plain"

    def __init__(self, name: str, guessed: int, environment: Mapping[str, str]) -> None:
        self.name = name
        self._guessed = guessed
        self._environment = environment
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, target: Path) -> None:
        """Start the process and load the model."""
        self._rendered = renderer(target)
        script = Path(__file__).with_name("bindings_worker.py")
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(script),
            str(target),
            str(self._guessed),
            str(N_CTX),
            str(THREADS),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**self._environment, **os.environ},
        )
        await self._line()

    async def answer(self, messages: Messages, temperature: float, predict: int, seed: int) -> Run:
        assert self._process is not None and self._process.stdin is not None
        request = {
            "prompt": self._rendered(messages),
            "predict": predict,
            "temp": temperature,
            "top_k": TOP_K,
            "top_p": TOP_P,
            "min_p": MIN_P,
            "seed": seed,
        }
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        await self._process.stdin.drain()
        found = await self._line()
        return Run(found["text"], found["n_tokens"], found["tps"])

    async def end(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    async def _line(self) -> dict:  # type: ignore[type-arg]
        assert self._process is not None and self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended")
        found: dict = json.loads(line)  # type: ignore[type-arg]
        return found


def flash_attention() -> str:
    """Return what llama.cpp's programs are told, so that they compute as ours does."""
    return "off" if device_name(None) == CPU else "auto"


def renderer(target: Path) -> Callable[[Messages], str]:
    """Return how the target's chat template writes a prompt."""
    fields = GGUFReader(target).fields

    def token(which: str) -> str:
        key = f"tokenizer.ggml.{which}_token_id"
        tokens = fields["tokenizer.ggml.tokens"]
        return str(tokens.contents(fields[key].contents())) if key in fields else ""

    template = Rendering(fields[TEMPLATE].contents(), token("bos"), token("eos"))

    def rendered(messages: Messages) -> str:
        return template.render([{"role": role, "content": text} for role, text in messages], None)

    return rendered


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def now() -> str:
    """The time of day, for the record."""
    return time.strftime("%Y-%m-%d %H:%M:%S")
