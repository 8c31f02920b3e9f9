"""Uploads that go straight to the object store, for files that are too large for a request."""

import hashlib
import mimetypes
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import httpx
from darkroom_client.api.direct_uploads import (
    complete_direct_upload,
    confirm_upload_part,
    create_direct_upload,
    get_direct_upload,
)
from darkroom_client.models import (
    CompleteDirectUploadBody,
    ConfirmUploadPartBody,
    CreateDirectUploadBody,
    MultipartUpload,
)

from .errors import DarkroomError, StillRunning

#: Types that not every machine knows; the bytes decide in the end.
_TYPES = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".md": "text/markdown",
    ".webp": "image/webp",
}
_CHUNK = 1024 * 1024
_ATTEMPTS = 4
#: Seconds for the verification of the bytes.
_VERIFIED_WITHIN = 3600.0


def upload_directly(call: Callable[..., Any], source: BinaryIO, filename: str, fields: dict[str, Any]) -> Any:
    """Announces a file, sends its bytes to the object store and completes the upload; returns the completed upload."""
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
    # The same key for every repetition of this request, so that it makes one upload.
    created = call(create_direct_upload, body=announcement, idempotency_key=str(uuid.uuid4()))
    source.seek(start)
    if isinstance(created, MultipartUpload):
        for part in created.part_urls:
            content = source.read(created.part_size_bytes)
            etag = _put(part.url, content, {})
            confirmation = ConfirmUploadPartBody(part_number=part.part_number, etag=etag, size_bytes=len(content))
            call(confirm_upload_part, str(created.upload_id), body=confirmation)
    else:
        _put(created.presigned_url, source.read(), created.headers.to_dict())
    completed = call(
        complete_direct_upload,
        str(created.upload_id),
        body=CompleteDirectUploadBody(),
        idempotency_key=str(uuid.uuid4()),
    )
    _await_verification(call, str(created.upload_id))
    return completed


def _content_type(filename: str) -> str:
    known = _TYPES.get(Path(filename).suffix.lower())
    return known or mimetypes.guess_type(filename)[0] or "application/octet-stream"


def _measure(source: BinaryIO) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def _put(url: str, content: bytes, headers: dict[str, str]) -> str:
    """Sends bytes to a presigned URL, which may be repeated; returns the ETag."""
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
            if last or response.status_code < 500:
                raise DarkroomError(
                    f"the object store answered {response.status_code}: {response.text[:300]}",
                    status=response.status_code,
                )
        time.sleep(0.5 * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def _await_verification(call: Callable[..., Any], upload_id: str) -> None:
    deadline, pause = time.monotonic() + _VERIFIED_WITHIN, 0.5
    while (upload := call(get_direct_upload, upload_id)).status.value in ("PENDING", "UPLOADED"):
        if time.monotonic() > deadline:
            raise StillRunning(f"the direct upload {upload_id} is being verified")
        time.sleep(pause)
        pause = min(pause * 1.5, 5.0)
    if upload.status.value == "FAILED":
        raise DarkroomError(upload.error_message or "the upload failed", code="UPLOAD_FAILED")
