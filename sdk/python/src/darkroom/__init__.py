"""Darkroom for Python, a layer over the generated package `darkroom_client`."""

from .client import Darkroom, Extraction, Stored
from .errors import (
    AccessDenied,
    Conflict,
    DarkroomError,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServiceError,
    StillRunning,
)

__all__ = [
    "AccessDenied",
    "Conflict",
    "Darkroom",
    "DarkroomError",
    "Extraction",
    "InvalidRequest",
    "NotFound",
    "RateLimited",
    "ServiceError",
    "StillRunning",
    "Stored",
]
