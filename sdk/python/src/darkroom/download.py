"""Downloads from temporary addresses of the object store, to files."""

import time
import uuid
from collections.abc import Callable
from pathlib import Path

import httpx

from .errors import error_of

#: Statuses of the store after which the next attempt may succeed; 403: the address has expired.
_TEMPORARY = (403, 408, 429, 500, 502, 503, 504)
_LONGEST_PAUSE = 20.0


def download(
    store: httpx.Client, address: Callable[[], tuple[str, int | None]], path: Path, retries: int
) -> Path:
    """Writes what is at an address to a path, at once, and returns that.

    `address` makes the address of each attempt, and the size that the content must have, if that is known.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder")
    for failures in range(retries + 1):
        url, size = address()
        try:
            return _attempt(store, url, size, path)
        except httpx.TransportError:
            if failures == retries:
                raise
        except httpx.HTTPStatusError as error:
            if failures == retries or error.response.status_code not in _TEMPORARY:
                raise error_of(error.response) from None
        time.sleep(min(_LONGEST_PAUSE, 0.5 * 2**failures))
    raise AssertionError("the last attempt returns or raises")


def _attempt(store: httpx.Client, url: str, size: int | None, path: Path) -> Path:
    with store.stream("GET", url, follow_redirects=True) as response:
        if response.status_code >= 400:
            response.read()
        response.raise_for_status()
        beside = path.with_name(f".{path.name[:100]}.{uuid.uuid4()}")
        try:
            with open(beside, "xb") as file:
                for chunk in response.iter_bytes():
                    file.write(chunk)
                written = file.tell()
            if size is not None and written != size:
                raise httpx.RemoteProtocolError(f"{written} of {size} bytes arrived")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    return path
