"""Requests to the API: the key, timeouts, retries, and answers as JSON, events or addresses."""

import json
import random
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO
from urllib.parse import quote

import httpx

from .errors import Conflict, DarkroomError, error_of, retry_after

#: A file of a form: its name, and its bytes or an open file.
FormFile = tuple[str, bytes | BinaryIO]

#: Statuses of temporary refusals: the request had no effect, so it can be retried with any method.
_REFUSED = (429,)
#: Statuses after which it is unknown whether the request took effect.
_UNCERTAIN = (408, 502, 503, 504)
#: Connection errors before the request was sent.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout)
#: Idempotent operations with POST that take no Idempotency-Key; the same as in sdk/src/api.ts.
_REPEATABLE = (
    "/files/search",
    "/files/check-duplicates",
    "/files/batch-delete",
    "/parts/confirm",
    "/parts/retry",
    "/extraction-schemas/validate",
    "/usage/check",
)
#: First and longest pause in seconds between two attempts without Retry-After.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0
#: Pauses in seconds between two looks at work in progress.
FIRST_LOOK, LONGEST_LOOK = 0.25, 3.0
#: Seconds by which a response may be later than the `timeout` of the request says.
_MORE = 30.0

#: Builds the request of each attempt; receives whether an earlier one may have taken effect.
RequestOf = Callable[[bool], dict[str, Any]]


class Transport:
    """Sends all requests of a client. Can be used by several threads."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int,
        timeout: float,
        patience: float,
        transport: httpx.BaseTransport | None,
    ) -> None:
        if not re.fullmatch(r"[!-~]+", api_key):
            raise ValueError("an API key has only visible ASCII characters: no line break, no space")
        self._base_url = base_url.rstrip("/")
        self._authorization = {"Authorization": f"Bearer {api_key}"}
        self._retries = retries
        self._timeout = timeout
        self._patience = patience
        #: For requests to the API and, without the key, to the object store.
        self.http = httpx.Client(timeout=httpx.Timeout(timeout), transport=transport)
        self._lock = threading.Lock()
        #: Before that time no request is sent: a rate limit applies to all requests of a client.
        self._hold_until = 0.0

    def json(self, method: str, path: str, **parts: Any) -> Any:
        """The body of the answer of an operation."""
        return body_of(self._operate(method, path, **parts))

    def nothing(self, method: str, path: str, **parts: Any) -> None:
        """Calls an operation whose answer has no body."""
        self._operate(method, path, **parts)

    def location(self, method: str, path: str, **parts: Any) -> str:
        """The address to which an operation redirects; it needs no key."""
        response = self._operate(method, path, **parts)
        if "Location" not in response.headers:
            raise _not_an_api(response)
        return str(response.headers["Location"])

    def events(self, method: str, path: str, **parts: Any) -> Iterator[Any]:
        """The data of the events of a stream, until it ends. A connection that breaks raises httpx.TransportError."""
        response = self._operate(method, path, **parts, stream=True)
        try:
            data: list[str] = []
            for line in response.iter_lines():
                if line.startswith("data:"):
                    data.append(line[5:].removeprefix(" "))
                elif not line and data:
                    yield json.loads("\n".join(data))
                    data = []
        finally:
            response.close()

    def _operate(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        files: tuple[str, ...] = (),
        headers: Mapping[str, str | None] | None = None,
        stream: bool = False,
    ) -> httpx.Response:
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        keyed = "Idempotency-Key" in (headers or {})
        if keyed:
            # All attempts have the same key, so that the work is done once.
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        parts: dict[str, Any] = {"method": method, "url": path, "headers": sent, "stream": stream}
        if query:
            parts["params"] = {name: value for name, value in query.items() if value is not None}
        if body is not None:
            parts |= form_of(body, files) if any(name in body for name in files) else {"json": body}
            waits = body.get("timeout")
            if isinstance(waits, int | float):
                parts["timeout"] = max(self._timeout, waits + _MORE)
        repeatable = method != "POST" or keyed or path.endswith(_REPEATABLE)
        return self.send(lambda _: parts, repeatable)

    def send(self, request_of: RequestOf, repeatable: bool) -> httpx.Response:
        """Sends a request to the API, with retries for errors that may be temporary.

        Raises DarkroomError if the API returns an error, httpx.TransportError if the server cannot be reached.
        """
        failures, uncertain, patience_ends = 0, False, None
        while True:
            time.sleep(max(0.0, self._hold_until - time.monotonic()))
            failure: DarkroomError | httpx.TransportError
            wait = None
            try:
                response = self._attempt(**request_of(uncertain))
            except httpx.TransportError as error:
                failure, unsent = error, isinstance(error, _UNSENT)
                passes = unsent or repeatable
            else:
                status = response.status_code
                if status < 400:
                    return response
                failure, unsent, wait = error_of(response), status not in _UNCERTAIN, retry_after(response)
                final = response.headers.get("x-should-retry") == "false" or failure.code == "QUOTA_EXHAUSTED"
                passes = not final and (status in _REFUSED or (repeatable and status in _UNCERTAIN))
            if isinstance(failure, Conflict) and failure.code == "REQUEST_IN_FLIGHT":
                # An earlier attempt is still in progress; the server will return its outcome, so this is no failure.
                patience_ends = patience_ends or time.monotonic() + self._patience
                left = patience_ends - time.monotonic()
                if left <= 0:
                    raise failure
                time.sleep(min(left, LONGEST_LOOK if wait is None else max(wait, FIRST_LOOK)))
                continue
            if failures == self._retries or not passes or (wait or 0) > self._patience:
                raise failure
            if wait is None:
                time.sleep(_pause(failures))
            else:
                with self._lock:
                    self._hold_until = max(self._hold_until, time.monotonic() + wait)
            failures += 1
            uncertain = uncertain or not unsent

    def _attempt(
        self, *, method: str, url: str, headers: Mapping[str, str] | None = None, stream: bool = False, **parts: Any
    ) -> httpx.Response:
        """One response; its body is read unless it is a stream, or an error."""
        request = self.http.build_request(
            method, self._base_url + url, headers={**self._authorization, **(headers or {})}, **parts
        )
        response = self.http.send(request, stream=True)
        if not stream or response.status_code >= 400:
            try:
                response.read()
            finally:
                response.close()
        return response


def body_of(response: httpx.Response) -> Any:
    """The JSON of a successful response."""
    try:
        return response.json()
    except ValueError:
        raise _not_an_api(response) from None


def _not_an_api(response: httpx.Response) -> DarkroomError:
    status = response.status_code
    return DarkroomError("the server is not a Darkroom API", code="NOT_AN_API", status=status)


def path_of(template: str, *values: Any) -> str:
    """A path with its parameters."""
    names = iter(values)
    return re.sub(r"{\w+}", lambda _: quote(str(next(names)), safe=""), template)


def form_of(fields: Mapping[str, Any], files: tuple[str, ...]) -> dict[str, Any]:
    """A form, whose text fields precede its files; absent and null fields are left out."""
    texts = {name: _text(value) for name, value in fields.items() if name not in files and value is not None}
    sent = []
    for name in files:
        given = fields.get(name, [])
        sent += [(name, file) for file in (given if isinstance(given, list) else [given])]
    return {"data": texts, "files": sent}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _pause(failures: int) -> float:
    return random.uniform(0.5, 1.0) * min(_LONGEST_PAUSE, _FIRST_PAUSE * float(2**failures))
