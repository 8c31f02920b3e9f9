"""Uploads straight to the object store, for videos and for files that are too large for a request."""

import hashlib
import mimetypes
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import httpx
from darkroom_client.api.direct_uploads import (
    complete_direct_upload,
    confirm_upload_part,
    create_direct_upload,
    get_direct_upload,
    retry_upload_part,
)
from darkroom_client.models import (
    CompleteDirectUploadBody,
    ConfirmUploadPartBody,
    CreateDirectUploadBody,
    MultipartUpload,
    RetryUploadPartBody,
    SingleShotUpload,
)

from .content_types import TYPES_BY_EXTENSION
from .errors import DarkroomError, StillRunning

_CHUNK = 1024 * 1024
_ATTEMPTS = 4
#: Temporary statuses of the object store below 500: request timeout and too many requests.
_REPEATED = (408, 429)
#: Maximum number of times that one part is sent.
_ROUNDS = 3
#: Time limit for the verification of the bytes, in seconds.
_VERIFIED_WITHIN = 3600.0


def upload_directly(
    call: Callable[..., Any], source: BinaryIO, filename: str, fields: dict[str, Any]
) -> tuple[str, bool]:
    """Creates a direct upload, sends its bytes to the object store, completes it and waits for the verification.

    Returns the id of the file, and whether it is an existing file with the same content.
    """
    start = source.tell()
    digest, size = _measure(source)
    announcement = CreateDirectUploadBody.from_dict(
        {
            "filename": filename,
            "content_type": _content_type(filename),
            "size_bytes": size,
            "claimed_file_hash": digest,
            **fields,
        }
    )
    # All retries of this request have the same key, so that they create one upload.
    created = call(create_direct_upload, body=announcement, idempotency_key=str(uuid.uuid4()))
    source.seek(start)
    if not isinstance(created, MultipartUpload):
        _put(created.presigned_url, source.read(), created.headers.to_dict())
        return _complete(call, created, None)
    parts = _Parts(call, source, start, created)
    for part in created.part_urls:
        parts.send(part.part_number, part.url)
    return _complete(call, created, parts)


class _Parts:
    """Sends the parts of a multipart upload, one at a time."""

    def __init__(self, call: Callable[..., Any], source: BinaryIO, start: int, upload: MultipartUpload) -> None:
        self._call = call
        self._source = source
        self._start = start
        self._upload = upload
        self._rounds: Counter[int] = Counter()
        self._unnamed = 0

    def send(self, number: int, url: str) -> None:
        size = self._upload.part_size_bytes
        self._source.seek(self._start + (number - 1) * size)
        content = self._source.read(size)
        etag = _put(url, content, {})
        confirmation = ConfirmUploadPartBody(part_number=number, etag=etag, size_bytes=len(content))
        self._call(confirm_upload_part, str(self._upload.upload_id), body=confirmation)
        self._rounds[number] += 1

    def send_again(self, missing: DarkroomError) -> None:
        """Resends the missing parts; raises the error if one of them has been sent too often."""
        if not missing.errors:
            # The verification does not name the missing parts; the next completion does.
            self._unnamed += 1
        numbers = [int(error["pointer"].rsplit("/", 1)[-1]) for error in missing.errors]
        if self._unnamed > _ROUNDS or any(self._rounds[number] >= _ROUNDS for number in numbers):
            raise missing
        for number in numbers:
            fresh = self._call(
                retry_upload_part,
                str(self._upload.upload_id),
                body=RetryUploadPartBody(part_number=number),
            )
            self.send(number, fresh.url)


def _complete(
    call: Callable[..., Any], created: SingleShotUpload | MultipartUpload, parts: _Parts | None
) -> tuple[str, bool]:
    """Repeats the completion of an upload until its bytes are verified: each response has the current outcome."""
    upload_id = str(created.upload_id)
    deadline, pause = time.monotonic() + _VERIFIED_WITHIN, 0.5
    while True:
        try:
            completed = call(
                complete_direct_upload,
                upload_id,
                body=CompleteDirectUploadBody(),
                idempotency_key=str(uuid.uuid4()),
            )
        except DarkroomError as error:
            if error.code != "PARTS_MISSING" or parts is None:
                raise
            parts.send_again(error)
            continue
        upload = call(get_direct_upload, upload_id)
        if upload.status.value == "COMPLETED":
            # The verification may have ended after the response to the completion.
            return str(upload.file_id), completed.deduplicated or upload.file_id != completed.file_id
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
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def _put(url: str, content: bytes, headers: dict[str, str]) -> str:
    """Sends bytes to a presigned URL, with retries, since a PUT is idempotent. Returns the ETag."""
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        try:
            response = httpx.put(url, content=content, headers=headers, timeout=httpx.Timeout(60.0, write=600.0))
        except httpx.TransportError:
            if last:
                raise
        else:
            if response.status_code < 300:
                return response.headers.get("ETag", "")
            if last or (response.status_code < 500 and response.status_code not in _REPEATED):
                raise DarkroomError(
                    f"the object store returned {response.status_code}: {response.text[:300]}",
                    status=response.status_code,
                )
        time.sleep(0.5 * 2**attempt)
    raise AssertionError("the last attempt returns or raises")
