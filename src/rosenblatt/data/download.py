"""One file from the web, checked before anybody can see it."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import zipfile
import zlib
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from rosenblatt.data.source import replacing
from rosenblatt.errors import FileError

TIMEOUT = 30  # seconds without an answer


def download(url: str, place: Path, *, sha256: str, member: str | None = None, remedy: str = "") -> None:
    """Downloads an address into a file, which appears complete and checked, or not at all.

    `member` names the file inside a zip archive. The checksum is that of the content, without gzip.
    """
    try:
        with urlopen(url, timeout=TIMEOUT) as answer:
            data = answer.read()
        if member is not None:
            data = _member(data, member)
    except (URLError, OSError, ValueError, zipfile.BadZipFile, KeyError) as error:
        reason = getattr(error, "reason", None) or error
        raise FileError(f"{url} could not be fetched ({reason}). {remedy}", path=place) from None
    digests = checksums(data)
    if sha256 not in digests:
        what = f"what {url} gave has the SHA-256 {digests[-1]}, expected {sha256}. {remedy}"
        raise FileError(what, path=place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as file:
            file.write(data)
    except OSError as error:
        raise FileError(f"the download cannot be saved: {error.strerror}. {remedy}", path=place) from None


def checksums(data: bytes) -> list[str]:
    """SHA-256 of the data as it is and, if it is gzip, of its content."""
    digests = [hashlib.sha256(data).hexdigest()]
    if data.startswith(b"\x1f\x8b"):
        with contextlib.suppress(OSError, EOFError, zlib.error):
            digests.append(hashlib.sha256(gzip.decompress(data)).hexdigest())
    return digests


def _member(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)
