"""The client: every operation with retries, and shortcuts for common tasks."""

import io
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import httpx

from .api import Answer, Api, BatchAnswer, ChunkHit, ExportRecord, FileDetail, FileItem, LinkAnswer
from .direct import is_direct_only, resume_directly, upload_directly
from .download import download
from .errors import DarkroomError, StillRunning
from .many import Outcome, Source, Stored, upload_many
from .transport import FIRST_LOOK, LONGEST_LOOK, Transport, body_of, form_of

#: The largest file in bytes that the API accepts in a request.
MAX_STREAMED_BYTES = 100 * 1024 * 1024
#: How long a request for an answer or an extraction waits by itself, in seconds; the rest is polled.
_SHORTEST_WAIT, _LONGEST_WAIT = 5.0, 60.0

T = TypeVar("T")
Variant = Literal["original", "tiny_64", "small_256", "medium_750", "large_1024"]


@dataclass(frozen=True)
class Extraction:
    """The result of an extraction."""

    id: str
    #: An object that matches the schema.
    data: dict[str, Any]
    #: The source of each value, by JSON pointer into `data`; None unless requested.
    citations: dict[str, Any] | None
    #: Why values are missing; None if none is.
    note: str | None


class Darkroom:
    """A connection to the API, which several threads can use.

    `retries` is the maximum number of retries of a request that was refused temporarily (429), or whose outcome is
    unknown (408, 502, 503, 504, a lost connection) and that is safe to repeat: reads, changes, deletions, uploads, and
    requests with an idempotency key, which the client generates. `timeout` limits the time for a response, in seconds.
    `patience` limits, in seconds, how long a request waits at the request of the server: for `Retry-After`, or for an
    earlier request with the same key.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 4,
        timeout: float = 90.0,
        patience: float = 120.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._transport = Transport(
            base_url, api_key, retries=retries, timeout=timeout, patience=patience, transport=transport
        )
        #: Every operation of the API, typed: `darkroom.api.get_file(file_id)`.
        self.api = Api(self._transport)
        self._retries = retries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._transport.http.close()

    def upload(
        self,
        source: Source,
        *,
        filename: str | None = None,
        tags: list[str] | None = None,
        direct_over: int = MAX_STREAMED_BYTES,
        **fields: Any,
    ) -> Stored:
        """Uploads a file, given as a path, bytes or an open file, and returns once it is stored.

        `fields` are the other fields of the operation, such as `title`, `folder_id` or `auto_describe`. An open file is
        sent from its beginning. Videos, and files of more than `direct_over` bytes, go straight to the object store.
        Other uploads whose outcome is unknown are retried with `skip_duplicates`, so that no second file is created;
        with `skip_duplicates=False` the error is raised instead.
        """
        if isinstance(source, str | Path):
            with open(source, "rb") as opened:
                return self.upload(opened, filename=filename, tags=tags, direct_over=direct_over, **fields)
        if isinstance(source, bytes):
            if filename is None:
                raise ValueError("filename is required for bytes")
            source = io.BytesIO(source)
        name = filename or _name_of(source)
        if tags is not None:
            fields["tags"] = tags
        if source.seek(0, os.SEEK_END) > direct_over or is_direct_only(name):
            file_id, deduplicated = upload_directly(self.api, self._transport.http, source, name, fields)
            return Stored(file_id, deduplicated and bool(fields.get("skip_duplicates")))

        def request(uncertain: bool) -> dict[str, Any]:
            source.seek(0)
            again = {"skip_duplicates": True} if uncertain else {}
            form = form_of({**fields, **again, "file": (name, source)}, ("file",))
            return {"method": "POST", "url": "/files/upload", **form}

        repeatable = fields.get("skip_duplicates") is not False
        answer = body_of(self._transport.send(request, repeatable))
        return Stored(answer["file_id"], answer["skipped"])

    def resume_upload(self, upload_id: str, source: Source) -> Stored:
        """Goes on with a direct upload by its id, see `api.list_direct_uploads`, also one of another program.

        Only what the object store lacks is sent. Raises DarkroomError with the code OTHER_FILE for a file that is not
        the announced one.
        """
        if isinstance(source, str | Path):
            with open(source, "rb") as opened:
                return self.resume_upload(upload_id, opened)
        content = io.BytesIO(source) if isinstance(source, bytes) else source
        file_id, _ = resume_directly(self.api, self._transport.http, upload_id, content)
        return Stored(file_id, False)

    def upload_many(
        self, sources: Iterable[Source], *, concurrency: int = 4, **options: Any
    ) -> Iterator[Outcome]:
        """Uploads files, `concurrency` at a time, and yields their outcomes in the order of the sources.

        A failed file does not stop the others: its outcome has the error. `options` are those of `upload`, for each
        file. If the caller stops early, uploads in progress end, and no other begins.
        """
        return upload_many(lambda source: self.upload(source, **options), sources, concurrency)

    def add_link(self, url: str, **fields: Any) -> LinkAnswer:
        """Adds a web page, document or image by its URL, which the server fetches; `wait` waits for that.

        `fields` are the other fields of the operation, such as `tags` or `skip_duplicates`.
        """
        return self.api.add_link(url=url, **fields)

    def add_links(self, links: Iterable[str | dict[str, Any]], **fields: Any) -> BatchAnswer:
        """Adds several links in one request, each a URL or a dict with `url`, `title` and `tags`.

        The response lists rejected links in `rejections`; the others are in its upload session.
        """
        given: Any = [{"url": link} if isinstance(link, str) else link for link in links]
        return self.api.add_links(links=given, **fields)

    def wait(self, file_id: str, *, timeout: float = 300.0) -> FileDetail:
        """Waits until the processing of a file has ended, and returns the file; `primary_status` is the outcome.

        Raises StillRunning after `timeout` seconds, with the state of the file in its detail.
        """
        return _poll(
            lambda: self.api.get_file(file_id),
            lambda file: file["primary_status"] not in ("pending", "processing"),
            timeout,
            lambda file: file["explanation"],
        )

    def download(self, file_id: str, path: str | Path, *, variant: Variant = "original") -> Path:
        """Downloads a file, or a variant of an image, to a path, and returns that.

        The path has the whole content or remains as it was: bytes are written beside it, their number is checked, and
        interrupted downloads are retried.
        """

        def address() -> tuple[str, int | None]:
            if variant != "original":
                return self.api.get_file_variant(file_id, variant), None
            return self.api.download_file(file_id), self.api.get_file(file_id)["size_bytes"]

        return download(self._transport.http, address, Path(path), self._retries)

    def search(self, query: str, *, limit: int = 10, **options: Any) -> list[ChunkHit]:
        """Searches passages of documents by meaning and by words. Returns the best ones first."""
        return self.api.search_documents(query=query, limit=limit, **options)["items"]

    def ask(self, question: str, *, timeout: float = 300.0, **options: Any) -> Answer:
        """Asks documents a question and waits for the answer, whose sentences have citations.

        `options` are the other fields of the operation, such as `document_ids` or `folder_id`. Raises DarkroomError if
        there is no answer, StillRunning after `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        begun: Any = self.api.ask_documents(question=question, timeout=_first_wait(timeout), **options)
        answer: Answer = _poll(
            lambda: begun if "sentences" in begun else self.api.get_answer(begun["answer_id"]),
            lambda answer: answer["status"] != "processing",
            deadline - time.monotonic(),
            lambda _: "the answer is in progress",
        )
        _raise_failure(answer)
        return answer

    def files(self, **filters: Any) -> Iterator[FileItem]:
        """Yields all files that match the filters of the operation `list_files`. Requests pages as they are needed."""
        cursor: dict[str, Any] = {}
        while True:
            page = self.api.list_files(**{"limit": 100, **filters, **cursor})
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            cursor = {"cursor": page["next_cursor"]}

    def extract(
        self,
        file_id: str,
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
        fields: Any = {"file_id": file_id, "schema": schema, "citations": citations, **options}
        begun: Any = self.api.extract_data(timeout=_first_wait(timeout), **fields)
        result: Any = _poll(
            lambda: begun if "extracted_data" in begun else self.api.get_extraction(begun["extraction_id"]),
            lambda extraction: extraction.get("status") != "processing",
            deadline - time.monotonic(),
            lambda _: "the extraction is in progress",
        )
        _raise_failure(result)
        return Extraction(result["extraction_id"], result["extracted_data"], result["citations"], result["note"])

    def export(
        self,
        format: str,
        columns: Iterable[str | dict[str, Any]],
        path: str | Path | None = None,
        *,
        timeout: float = 600.0,
        **filters: Any,
    ) -> ExportRecord:
        """Exports files as a table, waits for it, and downloads it to `path`, if that is given.

        `columns` are names, or dicts with `field_key` and `display_name`; `filters` the other fields of the operation
        `export_files`. Raises DarkroomError if the export fails, StillRunning after `timeout` seconds.
        """
        given: Any = [{"field_key": column} if isinstance(column, str) else column for column in columns]
        fields: Any = {"format": format, "columns": given, **filters}
        return self._finish_export(self.api.export_files(**fields)["export_id"], path, timeout)

    def export_descriptions(
        self, format: str, path: str | Path | None = None, *, timeout: float = 600.0, **filters: Any
    ) -> ExportRecord:
        """Exports the history of descriptions, as `export` does files."""
        fields: Any = {"format": format, **filters}
        return self._finish_export(self.api.export_descriptions(**fields)["export_id"], path, timeout)

    def _finish_export(self, export_id: str, path: str | Path | None, timeout: float) -> ExportRecord:
        record = _poll(
            lambda: self.api.get_export(export_id),
            lambda record: record["status"] in ("completed", "failed"),
            timeout,
            lambda record: f"the export is in progress: {record['progress']['percent']} %",
        )
        if record["status"] == "failed":
            raise DarkroomError(record["error_message"] or "there is no file", code="EXPORT_FAILED")
        if path is not None:
            if record["download_url"] is None:
                raise DarkroomError("this export has no file to download", code="EXPORT_FAILED")
            # Each read of the record makes a new address.
            download(
                self._transport.http,
                lambda: (str(self.api.get_export(export_id)["download_url"]), None),
                Path(path),
                self._retries,
            )
        return record


def _first_wait(timeout: float) -> float:
    return max(_SHORTEST_WAIT, min(timeout, _LONGEST_WAIT))


def _raise_failure(result: Any) -> None:
    if result.get("status") == "failed":
        error = result.get("error") or {}
        raise DarkroomError(error.get("message", "there is no result"), code=error.get("code"))


def _poll(ask: Callable[[], T], ended: Callable[[T], bool], timeout: float, explain: Callable[[T], str]) -> T:
    deadline = time.monotonic() + timeout
    pause = FIRST_LOOK
    while not ended(state := ask()):
        left = deadline - time.monotonic()
        if left <= 0:
            raise StillRunning(explain(state))
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, LONGEST_LOOK)
    return state


def _name_of(source: Any) -> str:
    name = getattr(source, "name", None)
    if not isinstance(name, str):
        raise ValueError("filename is required for a file without a name")
    return Path(name).name
