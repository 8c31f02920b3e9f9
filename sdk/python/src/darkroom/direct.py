"""Uploads straight to the object store, for videos and for files that are too large for a request."""

import hashlib
import io
import mimetypes
import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import httpx

from .content_types import TYPES_BY_EXTENSION
from .errors import DarkroomError, StillRunning

if TYPE_CHECKING:
    from .api import Api, UploadPart

_CHUNK = 1024 * 1024
_ATTEMPTS = 4
#: Temporary statuses of the object store below 500: request timeout and too many requests.
_REPEATED = (408, 429)
#: Maximum number of times that one part is sent.
_ROUNDS = 3
_PARTS_A_PAGE = 1000
#: The ETag of a part in stores that hash it with MD5.
_MD5 = re.compile("[0-9a-f]{32}")
#: Time limit for the verification of the bytes, in seconds.
_VERIFIED_WITHIN = 3600.0


def upload_directly(
    api: "Api", store: httpx.Client, source: BinaryIO, filename: str, fields: dict[str, Any]
) -> tuple[str, bool]:
    """Creates a direct upload, sends its bytes to the object store, completes it and waits for the verification.

    Returns the id of the file, and whether it is an existing file with the same content.
    """
    digest, size = _measure(source)
    created = api.create_direct_upload(
        **{
            "filename": filename,
            "content_type": _content_type(filename),
            "size_bytes": size,
            "claimed_file_hash": digest,
            **fields,
        }
    )
    if created["upload_mode"] == "single_shot":
        source.seek(0)
        _put(store, created["presigned_url"], source, size, created["headers"])
        return _complete(api, created["upload_id"], None)
    parts = _Parts(api, store, source, created["upload_id"], created["part_size_bytes"])
    for part in created["part_urls"]:
        parts.send(part["part_number"], part["url"])
    return _complete(api, created["upload_id"], parts)


def resume_directly(api: "Api", store: httpx.Client, upload_id: str, source: BinaryIO) -> tuple[str, bool]:
    """Goes on with a direct upload: sends what the object store lacks, completes it and waits for the verification.

    Returns the same as `upload_directly`. Raises DarkroomError with the code OTHER_FILE for a file that is not the
    announced one.
    """
    record = api.get_direct_upload(upload_id, parts_limit=0)
    digest, size = _measure(source)
    if size != record["size_bytes"] or record["claimed_file_hash"] not in (None, digest):
        message = f"the upload {upload_id} is of another file, or the file has changed since"
        raise DarkroomError(message, code="OTHER_FILE")
    if record["status"] not in ("PENDING", "UPLOADED") or record["part_size_bytes"] is None:
        if record["status"] == "PENDING":
            source.seek(0)
            created = api.get_upload_url(upload_id)
            _put(store, created["presigned_url"], source, size, created["headers"])
        return _complete(api, upload_id, None)
    parts = _Parts(api, store, source, upload_id, record["part_size_bytes"])
    parts.send_rest()
    return _complete(api, upload_id, parts)


class _Parts:
    """Sends the parts of a multipart upload, one at a time."""

    def __init__(self, api: "Api", store: httpx.Client, source: BinaryIO, upload_id: str, part_size: int) -> None:
        self._api = api
        self._store = store
        self._source = source
        self._upload_id = upload_id
        self._part_size = part_size
        self._rounds: Counter[int] = Counter()
        self._unnamed = 0

    def send(self, number: int, url: str | None = None) -> None:
        """Sends a part; without `url` to a new one."""
        url = url or self._api.retry_upload_part(self._upload_id, part_number=number)["url"]
        content = io.BytesIO(self._bytes_of(number))
        size = content.getbuffer().nbytes
        etag = _put(self._store, url, content, size, {})
        self._api.confirm_upload_part(self._upload_id, part_number=number, etag=etag, size_bytes=size)
        self._rounds[number] += 1

    def send_rest(self) -> None:
        """Sends the parts that the store lacks, or has with other bytes as far as their ETag tells."""
        after, more = 0, True
        while more:
            page = self._api.get_direct_upload(self._upload_id, parts_after=after, parts_limit=_PARTS_A_PAGE)
            for part in page["parts"]:
                after = part["part_number"]
                if not self._is_there(part):
                    self.send(after)
            more = page["has_more_parts"]

    def _is_there(self, part: "UploadPart") -> bool:
        number, etag = part["part_number"], part["etag"]
        if part["state"] == "missing" or etag is None:
            return False
        is_md5 = _MD5.fullmatch(etag) is not None
        if is_md5 and hashlib.md5(self._bytes_of(number), usedforsecurity=False).hexdigest() != etag:
            return False
        if part["state"] == "stored":
            if not is_md5:
                return False
            self._api.confirm_upload_part(
                self._upload_id, part_number=number, etag=etag, size_bytes=part["size_bytes"]
            )
        return True

    def _bytes_of(self, number: int) -> bytes:
        self._source.seek((number - 1) * self._part_size)
        return self._source.read(self._part_size)

    def send_again(self, missing: DarkroomError) -> None:
        """Resends the missing parts; raises the error if one of them has been sent too often."""
        if not missing.errors:
            # The verification does not name the missing parts; the next completion does.
            self._unnamed += 1
        numbers = [int(error["pointer"].rsplit("/", 1)[-1]) for error in missing.errors]
        if self._unnamed > _ROUNDS or any(self._rounds[number] >= _ROUNDS for number in numbers):
            raise missing
        for number in numbers:
            self.send(number)


def _complete(api: "Api", upload_id: str, parts: _Parts | None) -> tuple[str, bool]:
    """Repeats the completion of an upload until its bytes are verified: each response has the current outcome."""
    deadline, pause = time.monotonic() + _VERIFIED_WITHIN, 0.5
    while True:
        try:
            completed = api.complete_direct_upload(upload_id)
        except DarkroomError as error:
            if error.code != "PARTS_MISSING" or parts is None:
                raise
            parts.send_again(error)
            continue
        upload = api.get_direct_upload(upload_id, parts_limit=0)
        file_id = upload["file_id"]
        if upload["status"] == "COMPLETED" and file_id is not None:
            # The verification may have ended after the response to the completion.
            return file_id, completed["deduplicated"] or file_id != completed["file_id"]
        if time.monotonic() > deadline:
            raise StillRunning(f"the direct upload {upload_id} is still being verified")
        time.sleep(pause)
        pause = min(pause * 1.5, 5.0)


def is_direct_only(filename: str) -> bool:
    """Whether the API does not accept the bytes of a file of any size: true for videos, by the file name."""
    return _content_type(filename).startswith("video/")


def _content_type(filename: str) -> str:
    known = TYPES_BY_EXTENSION.get(Path(filename).suffix.lower().removeprefix("."))
    return known or mimetypes.guess_type(filename)[0] or "application/octet-stream"


def _measure(source: BinaryIO) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    source.seek(0)
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def _put(store: httpx.Client, url: str, content: BinaryIO, size: int, headers: dict[str, str]) -> str:
    """Sends bytes to a presigned URL, with retries, since a PUT is idempotent. Returns the ETag."""
    start = content.tell()
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        content.seek(start)
        try:
            response = store.put(
                url,
                content=iter(lambda: content.read(_CHUNK), b""),
                headers={**headers, "Content-Length": str(size)},
                timeout=httpx.Timeout(60.0, write=600.0),
            )
        except httpx.TransportError:
            if last:
                raise
        else:
            if response.status_code < 300:
                return str(response.headers.get("ETag", ""))
            if last or (response.status_code < 500 and response.status_code not in _REPEATED):
                raise DarkroomError(
                    f"the object store returned {response.status_code}: {response.text[:300]}",
                    status=response.status_code,
                )
        time.sleep(0.5 * 2**attempt)
    raise AssertionError("the last attempt returns or raises")
