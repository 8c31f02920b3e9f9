"""The client: any operation with retries, and the usual ones in one call."""

import io
import os
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Self

import httpx
from darkroom_client import AuthenticatedClient
from darkroom_client.api.direct_uploads import confirm_upload_part, retry_upload_part
from darkroom_client.api.documents import search_documents
from darkroom_client.api.extraction import extract_data, get_extraction
from darkroom_client.api.files import get_file, list_files
from darkroom_client.api.links import add_link, add_links
from darkroom_client.api.uploads import upload_file
from darkroom_client.models import (
    AddLinkBody,
    AddLinksBody,
    BatchAnswer,
    ChunkHit,
    DocumentDetail,
    ExtractAnswer,
    ExtractDataBody,
    FileItem,
    ImageDetail,
    LinkAnswer,
    LinkDetail,
    SearchDocumentsBody,
    UploadFileBody,
    VideoDetail,
)
from darkroom_client.types import File

from .direct import is_direct_only, upload_directly
from .errors import Conflict, DarkroomError, StillRunning, error_of, retry_after

#: A file of any medium; `media_type` says which.
FileDetail = ImageDetail | DocumentDetail | VideoDetail | LinkDetail

#: Statuses of refusals that pass: nothing was done, whatever the method.
_REFUSED = (429,)
#: Statuses after which it is unknown whether something was done.
_UNCERTAIN = (502, 503, 504)
#: Faults before anything was sent.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout)
#: Operations that have the same effect when they are repeated, although they are neither reads nor deletions.
_REPEATABLE = (confirm_upload_part, retry_upload_part, search_documents)
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
    #: Whether it was there already: with `skip_duplicates`, or from an attempt whose answer was lost.
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

    `retries` is the number of repetitions of a request that was refused for now (429), or whose outcome is unknown
    (502, 503, 504, a lost connection) and that can be repeated safely: reads, deletions, uploads, requests with an
    idempotency key. `timeout` is how many seconds an answer may take; `patience` is how many a request waits at most
    for what the server asks it to wait for: `Retry-After`, and the end of the first request with the same key.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 4,
        timeout: float = 60.0,
        patience: float = 120.0,
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
        self._timeout = timeout
        self._patience = patience

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
        return self._call(operation, lambda _: operation._get_kwargs(*path, **arguments))

    def _call(
        self,
        operation: ModuleType,
        request_of: Callable[[bool], dict[str, Any]],
        repeatable: bool | None = None,
    ) -> Any:
        """`request_of` makes the request of each attempt, and is told whether a former one may have taken effect."""
        client = self.api.get_httpx_client()
        failures, uncertain, patience_ends = 0, False, None
        while True:
            request = request_of(uncertain)
            safe = _is_repeatable(operation, request) if repeatable is None else repeatable
            failure: DarkroomError | httpx.TransportError
            wait = None
            try:
                response = client.request(**request)
            except httpx.TransportError as error:
                failure, unsent = error, isinstance(error, _UNSENT)
                passes = unsent or safe
            else:
                status = response.status_code
                if status < 400:
                    return operation._build_response(client=self.api, response=response).parsed
                failure, unsent, wait = error_of(response), status not in _UNCERTAIN, retry_after(response)
                final = response.headers.get("x-should-retry") == "false" or failure.code == "QUOTA_EXHAUSTED"
                passes = not final and (status in _REFUSED or (safe and status in _UNCERTAIN))
            if isinstance(failure, Conflict) and failure.code == "REQUEST_IN_FLIGHT":
                # The server still works for a former attempt, whose outcome it will answer with; this is not a failure.
                patience_ends = patience_ends or time.monotonic() + self._patience
                left = patience_ends - time.monotonic()
                if left <= 0:
                    raise failure
                time.sleep(min(left, _LONGEST_LOOK if wait is None else max(wait, _FIRST_LOOK)))
                continue
            if failures == self._retries or not passes or (wait or 0) > self._patience:
                raise failure
            time.sleep(self._pause(failures) if wait is None else wait)
            failures += 1
            uncertain = uncertain or not unsent

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
        than `direct_over` bytes, and videos, go straight to the object store. A smaller one whose outcome is unknown is sent again
        with `skip_duplicates`, so that it does not make another file; it raises instead if that is given as False.
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
        if size > direct_over or is_direct_only(name):
            given = fields if tags is None else {"tags": tags, **fields}
            file_id, deduplicated = upload_directly(self.call, source, name, given)
            return Stored(file_id, deduplicated and bool(fields.get("skip_duplicates")))
        given = fields if tags is None else {"tags": ",".join(tags), **fields}
        body = UploadFileBody.from_dict({"file": b"", **given})

        def request(uncertain: bool) -> dict[str, Any]:
            source.seek(start)
            if uncertain:
                body.skip_duplicates = True
            body.file = File(payload=source, file_name=name, mime_type="application/octet-stream")
            return upload_file._get_kwargs(body=body)

        answer = self._call(upload_file, request, repeatable=fields.get("skip_duplicates") is not False)
        return Stored(str(answer.file_id), answer.skipped)

    def add_link(self, url: str, **fields: Any) -> LinkAnswer:
        """Adds a page of the web, or a PDF, DOCX, text or image, by its URL, which the server reads; `wait` waits for that.

        `fields` are the other fields of the operation, such as `tags` or `skip_duplicates`.
        """
        body = AddLinkBody.from_dict({"url": url, **fields})
        return self.call(add_link, body=body, idempotency_key=str(uuid.uuid4()))

    def add_links(self, links: Iterable[str | dict[str, Any]], **fields: Any) -> BatchAnswer:
        """Adds several in one request, each a URL or an object with `url`, `title` and `tags`.

        Those that the API did not take are among the `rejections`; the others are in the upload session of the answer.
        """
        given = [{"url": link} if isinstance(link, str) else link for link in links]
        body = AddLinksBody.from_dict({"links": given, **fields})
        return self.call(add_links, body=body, idempotency_key=str(uuid.uuid4()))

    def wait(self, file_id: Any, *, timeout: float = 300.0) -> FileDetail:
        """Waits until the processing of a file has ended and returns it; `primary_status` says how.

        Raises StillRunning after `timeout` seconds; its detail says what the file waits for.
        """
        file: FileDetail = self._poll(
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
        # Shorter than this client waits for an answer, but not below the minimum of the API.
        seconds = max(5.0, min(timeout, 45.0, self._timeout - 5.0))
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


def _is_repeatable(operation: ModuleType, request: dict[str, Any]) -> bool:
    keyed = "Idempotency-Key" in request.get("headers", {})
    return keyed or request["method"] in ("get", "delete") or operation in _REPEATABLE


def _name_of(source: Any) -> str:
    name = getattr(source, "name", None)
    if not isinstance(name, str):
        raise ValueError("a file without a name needs a filename")
    return Path(name).name
