"""Uploads of many files at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx

from .errors import DarkroomError

#: What can be uploaded: a path, bytes, or an open file.
Source = str | Path | bytes | BinaryIO


@dataclass(frozen=True)
class Stored:
    """A file that is stored and is being processed."""

    file_id: str
    #: Whether the file already existed: with `skip_duplicates`, or from an attempt whose response was lost.
    skipped: bool


@dataclass(frozen=True)
class Outcome:
    """What became of one of many files: either `stored` or `error` is None."""

    source: Source
    stored: Stored | None
    error: Exception | None


def upload_many(
    upload: Callable[[Source], Stored], sources: Iterable[Source], concurrency: int
) -> Iterator[Outcome]:
    """Uploads the sources, `concurrency` at a time, and yields their outcomes in the order of the sources.

    Sources are taken as they are needed. If the caller stops early, uploads in progress end, and no other begins.
    """

    def outcome(source: Source) -> Outcome:
        try:
            return Outcome(source, upload(source), None)
        except (DarkroomError, httpx.HTTPError, OSError, ValueError) as error:
            return Outcome(source, None, error)

    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="darkroom-upload")
    begun: deque[Future[Outcome]] = deque()
    try:
        for source in sources:
            begun.append(pool.submit(outcome, source))
            # A slow file does not stop those behind it, up to a bound for what is kept.
            while begun and (begun[0].done() or len(begun) >= 4 * concurrency):
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
