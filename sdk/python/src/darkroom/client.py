"""The client: any operation with retries, and the usual ones in one call."""

import io
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Self

import httpx
from darkroom_client import AuthenticatedClient
from darkroom_client.api.documents import search_documents
from darkroom_client.api.extraction import extract_data, get_extraction
from darkroom_client.api.files import get_file, list_files
from darkroom_client.api.uploads import upload_file
from darkroom_client.models import (
    ChunkHit,
    DocumentDetail,
    ExtractAnswer,
    ExtractDataBody,
    FileItem,
    ImageDetail,
    SearchDocumentsBody,
    UploadFileBody,
)
from darkroom_client.types import File

from .direct import upload_directly
from .errors import DarkroomError, StillRunning, error_of, retry_after

#: Statuses of refusals that pass: nothing was done, whatever the method.
_REFUSED = (429, 503)
#: Statuses after which it is unknown whether something was done.
_UNCERTAIN = (502, 504)
#: Seconds between two attempts without Retry-After: the first one, and the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0
#: The largest file that a request may have.
MAX_STREAMED_BYTES = 100 * 1024 * 1024
#: Seconds between two looks at work in progress.
_FIRST_LOOK, _LONGEST_LOOK = 0.25, 3.0


@dataclass(frozen=True)
class Stored:
    """A file that is stored, and now being processed."""

    file_id: str
    #: Whether it was there already, with `skip_duplicates`.
    skipped: bool


@dataclass(frozen=True)
class Extraction:
    """The result of an extraction."""

    id: str
    #: An object that matches the schema.
    data: dict[str, Any]
    #: Where each value was read, by JSON pointer into `data`; None unless asked for.
    citations: dict[str, dict[str, Any]] | None


class Darkroom:
    """A connection to the API, for one thread at a time.

    `retries` is the number of repetitions of a request that was refused for now (429 or 503), or that was cut off
    although it could be repeated safely: reads, deletions, and requests with an idempotency key.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 4,
        timeout: float = 60.0,
        longest_pause: float = 120.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        #: The generated client, for operations that are called directly.
        self.api = AuthenticatedClient(
            base_url=base_url.rstrip("/"),
            token=api_key,
            timeout=httpx.Timeout(timeout),
            httpx_args={"transport": transport} if transport else {},
        )
        self._retries = retries
        self._longest_pause = longest_pause

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self.api.get_httpx_client().close()

    def call(self, operation: ModuleType, /, *path: Any, **arguments: Any) -> Any:
        """Calls an operation, a module of `darkroom_client.api`, and returns its answer.

        Raises DarkroomError if it is refused, httpx.TransportError if the server cannot be reached.
        """
        return self._call(operation, lambda: operation._get_kwargs(*path, **arguments))

    def _call(self, operation: ModuleType, request_of: Callable[[], dict[str, Any]]) -> Any:
        client = self.api.get_httpx_client()
        for attempt in range(self._retries + 1):
            request = request_of()
            repeatable = request["method"] in ("get", "delete") or "Idempotency-Key" in request.get("headers", {})
            last = attempt == self._retries
            try:
                response = client.request(**request)
            except httpx.ConnectError:
                # Nothing was sent.
                if last:
                    raise
                time.sleep(self._pause(attempt))
                continue
            except httpx.TransportError:
                if last or not repeatable:
                    raise
                time.sleep(self._pause(attempt))
                continue
            if response.status_code < 400:
                return operation._build_response(client=self.api, response=response).parsed
            error = error_of(response)
            passes = response.status_code in (_REFUSED + _UNCERTAIN if repeatable else _REFUSED)
            final = response.headers.get("x-should-retry") == "false" or error.code == "QUOTA_EXHAUSTED"
            wait = retry_after(response)
            if last or not passes or final or (wait or 0) > self._longest_pause:
                raise error
            time.sleep(self._pause(attempt) if wait is None else wait)
        raise AssertionError("the last attempt returns or raises")

    @staticmethod
    def _pause(attempt: int) -> float:
        return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0)

    def upload(
        self,
        source: str | Path | bytes | BinaryIO,
        *,
        filename: str | None = None,
        tags: list[str] | None = None,
        direct_over: int = MAX_STREAMED_BYTES,
        **fields: Any,
    ) -> Stored:
        """Uploads a file, by its path, its bytes or an open file, and returns once it is stored.

        `fields` are the other fields of the operation, such as `title`, `folder_id` or `auto_describe`. Files of more
        than `direct_over` bytes go straight to the object store. A smaller one is sent again only if it was refused,
        since it would make another file; with `skip_duplicates=True` it would not.
        """
        if isinstance(source, (str, Path)):
            with open(source, "rb") as opened:
                return self.upload(opened, filename=filename, tags=tags, direct_over=direct_over, **fields)
        if isinstance(source, bytes):
            if filename is None:
                raise ValueError("bytes need a filename")
            source = io.BytesIO(source)
        name = filename or _name_of(source)
        start = source.tell()
        size = source.seek(0, os.SEEK_END) - start
        source.seek(start)
        if size > direct_over:
            given = fields if tags is None else {"tags": tags, **fields}
            completed = upload_directly(self.call, source, name, given)
            return Stored(str(completed.file_id), completed.deduplicated and bool(fields.get("skip_duplicates")))
        given = fields if tags is None else {"tags": ",".join(tags), **fields}
        body = UploadFileBody.from_dict({"file": b"", **given})

        def request() -> dict[str, Any]:
            source.seek(start)
            body.file = File(payload=source, file_name=name, mime_type="application/octet-stream")
            return upload_file._get_kwargs(body=body)

        answer = self._call(upload_file, request)
        return Stored(str(answer.file_id), answer.skipped)

    def wait(self, file_id: Any, *, timeout: float = 300.0) -> ImageDetail | DocumentDetail:
        """Waits until the processing of a file has ended and returns it; `primary_status` says how.

        Raises StillRunning after `timeout` seconds; its detail says what the file waits for.
        """
        file: ImageDetail | DocumentDetail = self._poll(
            lambda: self.call(get_file, str(file_id)),
            lambda file: file.primary_status.value not in ("pending", "processing"),
            timeout,
            lambda file: file.explanation,
        )
        return file

    def search(self, query: str, *, limit: int = 10, **options: Any) -> list[ChunkHit]:
        """Finds passages of documents by meaning and by words, best first."""
        body = SearchDocumentsBody.from_dict({"query": query, "limit": limit, **options})
        return self.call(search_documents, body=body).items

    def files(self, **filters: Any) -> Iterator[FileItem]:
        """All files that the filters of the operation `list_files` select, page by page."""
        cursor: dict[str, str] = {}
        while True:
            page = self.call(list_files, **{"limit": 100, **filters, **cursor})
            yield from page.items
            if page.next_cursor is None:
                return
            cursor = {"cursor": page.next_cursor}

    def extract(
        self,
        file_id: Any,
        schema: dict[str, Any],
        *,
        citations: bool = False,
        timeout: float = 120.0,
        **options: Any,
    ) -> Extraction:
        """Extracts the fields of a JSON Schema from a file and waits for the result.

        Raises DarkroomError if the extraction fails, StillRunning after `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        # Shorter than the requests of this client may take.
        seconds = max(5.0, min(timeout, 45.0))
        fields = {"file_id": str(file_id), "schema": schema, "citations": citations, "timeout": seconds, **options}
        body = ExtractDataBody.from_dict(fields)
        answer = self.call(extract_data, body=body, idempotency_key=str(uuid.uuid4()))
        if not isinstance(answer, ExtractAnswer):
            found = self._poll(
                lambda: self.call(get_extraction, answer.extraction_id),
                lambda one: one.status.value != "processing",
                deadline - time.monotonic(),
                lambda _: "the extraction is in progress",
            )
            if found.error is not None:
                raise DarkroomError(found.error.message, code=found.error.code)
            answer = found
        result = answer.to_dict()
        return Extraction(str(answer.extraction_id), result["extracted_data"], result["citations"])

    @staticmethod
    def _poll(
        ask: Callable[[], Any],
        ended: Callable[[Any], bool],
        timeout: float,
        explain: Callable[[Any], str],
    ) -> Any:
        deadline = time.monotonic() + timeout
        pause = _FIRST_LOOK
        while not ended(state := ask()):
            left = deadline - time.monotonic()
            if left <= 0:
                raise StillRunning(explain(state))
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_LOOK)
        return state


def _name_of(source: Any) -> str:
    name = getattr(source, "name", None)
    if not isinstance(name, str):
        raise ValueError("a file without a name needs a filename")
    return Path(name).name
