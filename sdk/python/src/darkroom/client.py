"""The client: every operation with retries, and shortcuts for common tasks."""

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

#: A file of any medium, given by `media_type`.
FileDetail = ImageDetail | DocumentDetail | VideoDetail | LinkDetail

#: Statuses of temporary refusals: the request had no effect, so it can be retried with any method.
_REFUSED = (429,)
#: Statuses after which it is unknown whether the request took effect.
_UNCERTAIN = (502, 503, 504)
#: Connection errors before the request was sent.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout)
#: Idempotent operations that are neither reads nor deletions.
_REPEATABLE = (confirm_upload_part, retry_upload_part, search_documents)
#: First and longest pause in seconds between two attempts without Retry-After.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0
#: The largest file in bytes that the API accepts in a request.
MAX_STREAMED_BYTES = 100 * 1024 * 1024
#: First and longest pause in seconds between two polls of work in progress.
_FIRST_LOOK, _LONGEST_LOOK = 0.25, 3.0


@dataclass(frozen=True)
class Stored:
    """A file that is stored and is being processed."""

    file_id: str
    #: Whether the file already existed: with `skip_duplicates`, or from an attempt whose response was lost.
    skipped: bool


@dataclass(frozen=True)
class Extraction:
    """The result of an extraction."""

    id: str
    #: An object that matches the schema.
    data: dict[str, Any]
    #: The source of each value, by JSON pointer into `data`; None unless requested.
    citations: dict[str, dict[str, Any]] | None


class Darkroom:
    """A connection to the API. Not thread-safe.

    `retries` is the maximum number of retries of a request that was refused temporarily (429), or whose outcome is
    unknown (502, 503, 504, a lost connection) and that is safe to repeat: reads, deletions, uploads, and requests with
    an idempotency key. `timeout` limits the time for a response, in seconds. `patience` limits, in seconds, how long a
    request waits at the request of the server: for `Retry-After`, or for an earlier request with the same key.
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
        """Calls an operation, which is a module of `darkroom_client.api`, and returns the parsed response.

        Raises DarkroomError if the API returns an error, httpx.TransportError if the server cannot be reached.
        """
        return self._call(operation, lambda _: operation._get_kwargs(*path, **arguments))

    def _call(
        self,
        operation: ModuleType,
        request_of: Callable[[bool], dict[str, Any]],
        repeatable: bool | None = None,
    ) -> Any:
        """`request_of` builds the request of each attempt; it receives whether an earlier one may have taken effect."""
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
                # An earlier attempt is still in progress; the server will return its outcome, so this is no failure.
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
        """Uploads a file, given as a path, bytes or an open file, and returns once it is stored.

        `fields` are the other fields of the operation, such as `title`, `folder_id` or `auto_describe`. Videos, and
        files of more than `direct_over` bytes, go straight to the object store. Other uploads whose outcome is unknown
        are retried with `skip_duplicates`, so that no second file is created; with `skip_duplicates=False` the error
        is raised instead.
        """
        if isinstance(source, (str, Path)):
            with open(source, "rb") as opened:
                return self.upload(opened, filename=filename, tags=tags, direct_over=direct_over, **fields)
        if isinstance(source, bytes):
            if filename is None:
                raise ValueError("filename is required for bytes")
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
        """Adds a web page, document or image by its URL, which the server fetches; `wait` waits for that.

        `fields` are the other fields of the operation, such as `tags` or `skip_duplicates`.
        """
        body = AddLinkBody.from_dict({"url": url, **fields})
        return self.call(add_link, body=body, idempotency_key=str(uuid.uuid4()))

    def add_links(self, links: Iterable[str | dict[str, Any]], **fields: Any) -> BatchAnswer:
        """Adds several links in one request, each a URL or a dict with `url`, `title` and `tags`.

        The response lists rejected links in `rejections`; the others are in its upload session.
        """
        given = [{"url": link} if isinstance(link, str) else link for link in links]
        body = AddLinksBody.from_dict({"links": given, **fields})
        return self.call(add_links, body=body, idempotency_key=str(uuid.uuid4()))

    def wait(self, file_id: Any, *, timeout: float = 300.0) -> FileDetail:
        """Waits until the processing of a file has ended, and returns the file; `primary_status` is the outcome.

        Raises StillRunning after `timeout` seconds, with the state of the file in its detail.
        """
        file: FileDetail = self._poll(
            lambda: self.call(get_file, str(file_id)),
            lambda file: file.primary_status.value not in ("pending", "processing"),
            timeout,
            lambda file: file.explanation,
        )
        return file

    def search(self, query: str, *, limit: int = 10, **options: Any) -> list[ChunkHit]:
        """Searches passages of documents by meaning and by words. Returns the best ones first."""
        body = SearchDocumentsBody.from_dict({"query": query, "limit": limit, **options})
        return self.call(search_documents, body=body).items

    def files(self, **filters: Any) -> Iterator[FileItem]:
        """Yields all files that match the filters of the operation `list_files`. Requests pages as they are needed."""
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
        # Below the timeout of this client, but not below the minimum of the API.
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
        raise ValueError("filename is required for a file without a name")
    return Path(name).name
