r"""A model on disk: a safetensors file that is checked to the last bit and never runs code.

    8 bytes   length of the head, little-endian
    head      {"__metadata__":{"rosenblatt":"{\"bytes\":520,\"digest\":\"9f…\",\"format\":1,\"header\":{…}}"},
               "coef":{"data_offsets":[0,16],"dtype":"F64","shape":[1,2]}, …}   and spaces up to a multiple of 8
    data      the arrays, little-endian, in C order: wide types first (so that all are aligned), then by name

`bytes` is the exact size of the file, `digest` the SHA-256 of the whole file with 64 zeros in the digest's own place.
These and `format` stay where they are in every later format: an old rosenblatt can tell a new file from a damaged one.
The digest finds damage; it does not prove who wrote the file.

Equal input gives equal bytes: the head is made here because the safetensors library may change its layout. A file is read
only if writing what was read gives the same head again, which refuses misplaced arrays, keys that come twice and the like.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import math
import os
import re
import reprlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.source import replacing
from rosenblatt.errors import ModelFileError, SaveError

FORMAT_VERSION = 3  # the newest: 2 says how cells of a table are read, 3 has bins and decides by probabilities
HEAD_LIMIT = 64 * 2**20
DEPTH_LIMIT = 100  # of lists and objects in the header: well within what a JSON reader can nest
TYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}
NO_DIGEST = "0" * 64
AS_THEY_ARE = {str, int, bool, type(None)}  # types that JSON has
ENVELOPE = re.compile(
    rb'\{"__metadata__":\{"rosenblatt":"\{\\"bytes\\":([1-9]\d{0,18}),'
    rb'\\"digest\\":\\"([0-9a-f]{64})\\",\\"format\\":([1-9]\d{0,8}),'
)

COPY_AGAIN = "copy it again from where it came, or train again"
NAME_A_MODEL = "name a file that `rosenblatt train` or `rosenblatt.save` wrote"
REMEDIES = {
    **dict.fromkeys([errno.ENOSPC, errno.EDQUOT, errno.EFBIG], "free some space or save it on another disk"),
    **dict.fromkeys([errno.EACCES, errno.EPERM, errno.EROFS], "save it in a folder that you may write to"),
    errno.ENOENT: "make the folder first",
}

Kinds = dict[str, tuple[str, tuple[int, ...]]]  # type and shape of each array
Entries = dict[str, dict[str, Any]]  # the same and its place, as the head has it


class _FormatError(Exception):
    """What is wrong and what to do about it; `write` and `read` put the path before it."""

    def __init__(self, wrong: str, remedy: str = COPY_AGAIN):
        super().__init__(f"{wrong}; {remedy}.")


def write(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Puts a header and named arrays into the file `path`, all or nothing.

    The header holds what JSON holds, infinities too, but no nan; tuples come back as lists. Arrays are float32, float64,
    int32 or int64. Until everything is on the disk, a file that was there before stays as it is; a link stays a link.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(f"{folder}/spam.rosenblatt", {"labels": ["ham", "spam"]}, {"coef": np.array([[4.0, 2.0]])})
    ...     read(f"{folder}/spam.rosenblatt")
    ({'labels': ['ham', 'spam']}, {'coef': array([[4., 2.]])})
    """
    try:
        content = _pack(header, arrays)
    except _FormatError as error:
        raise ModelFileError(f"{path} was not written: {error}") from None
    try:
        _replace(path, content)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        remedy = REMEDIES.get(getattr(error, "errno", 0), "save it under another name")
        raise SaveError(f"{path} was not written: {getattr(error, 'strerror', error)}; {remedy}.") from error


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of the model file `path`; anything but the very bytes that were written is refused."""
    try:
        return _unpack(_content(path))
    except FileNotFoundError:
        raise ModelFileError(f"{path} was not found; {_nearest(Path(path))}.") from None
    except _FormatError as error:
        raise ModelFileError(f"{path} cannot be read: {error}") from None
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path} cannot be read: {getattr(error, 'strerror', error)}; {NAME_A_MODEL}.") from error


def _replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Puts `content` in the place of `path`, all or nothing."""
    if os.fspath(path) == "-":
        raise OSError(errno.EINVAL, "a model cannot go to standard output")
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is there and not an ordinary file")
    with replacing(path) as file:
        file.write(content)


def _content(path: str | os.PathLike[str]) -> bytes:
    """All bytes of the file, after its first ones have made it likely that it is a model."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise _FormatError("it is a folder" if stat.S_ISDIR(mode) else "it is not an ordinary file", NAME_A_MODEL)
    with open(path, "rb") as file:
        _check_envelope(file.read(256), os.fstat(file.fileno()).st_size)
        file.seek(0)
        return file.read()


def _nearest(path: Path) -> str:
    """What to say about a file that is not there."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return f"there is no folder {path.parent} to look in"
    likely = (path.name, f"{path.name}.rosenblatt")
    close = [near for name in likely for near in difflib.get_close_matches(name, names, 1, cutoff=0.8)]
    return f"the closest name there is {close[0]}" if close else NAME_A_MODEL


def _pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The file as bytes. A copy, so that arrays which another thread changes meanwhile cannot spoil the digest."""
    kinds: Kinds = {}
    for name, array in arrays.items():
        kinds[name] = f"{array.dtype.kind.upper()}{array.dtype.itemsize * 8}", array.shape
        if kinds[name][0] not in TYPES or name == "__metadata__":
            remedy = "make it float or int of 32 or 64 bits" if name != "__metadata__" else "give it another name"
            raise _FormatError(f"it cannot hold an array {name!r} of type {array.dtype}", remedy)
    entries, size = _place(kinds)
    head = _head(header, entries, size, NO_DIGEST, FORMAT_VERSION)
    if len(head) > HEAD_LIMIT:
        remedy = "hash the words or values that it knows (--hash BITS), or take fewer of them"
        raise _FormatError(f"its header takes {len(head):,} bytes of at most {HEAD_LIMIT:,}", remedy)
    data = [np.asarray(arrays[name], TYPES[entry["dtype"]]).tobytes() for name, entry in entries.items()]
    content = b"".join([len(head).to_bytes(8, "little"), head, *data])
    return content.replace(NO_DIGEST.encode(), _digest(content).encode(), 1)  # the digest's place comes first


def _unpack(content: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The reverse of `_pack`. JSON is looked at only after the digest has been."""
    digest, version = _check_envelope(content, len(content))
    if _digest(content) != digest:
        raise _FormatError("it is damaged, its bytes do not match its checksum")
    if version > FORMAT_VERSION:
        raise _FormatError(
            f"written by a newer rosenblatt (format {version}); this one reads up to {FORMAT_VERSION}", "upgrade it"
        )
    start = 8 + int.from_bytes(content[:8], "little")
    header, kinds = _parse(content[8:start])
    entries, size = _place(kinds)
    if _head(header, entries, size, digest, version) != content[8:start]:
        raise _FormatError("its head is none that rosenblatt writes: an array out of place, a key twice, another spelling")
    arrays = {}
    for name, entry in entries.items():
        first, last = entry["data_offsets"]
        stored = np.frombuffer(memoryview(content)[start + first : start + last], TYPES[entry["dtype"]])
        arrays[name] = stored.astype(stored.dtype.newbyteorder("=")).reshape(entry["shape"])
    return header, arrays


def _check_envelope(beginning: bytes, size: int) -> tuple[str, int]:
    """Digest and format, from the first bytes of a file of `size` bytes."""
    length = int.from_bytes(beginning[:8], "little")
    envelope = ENVELOPE.match(beginning, 8)
    if envelope is None:
        raise _FormatError(_foreign(beginning, length, size), NAME_A_MODEL)
    if length > HEAD_LIMIT or not envelope.end() <= 8 + length <= size:
        raise _FormatError(f"it is damaged, it claims a head of {length:,} bytes in a file of {size:,} (at most 64 MB)")
    if int(envelope[1]) != size:
        raise _FormatError(f"it is damaged, it has {size:,} bytes but was written with {int(envelope[1]):,}")
    return envelope[2].decode(), int(envelope[3])


def _foreign(beginning: bytes, length: int, size: int) -> str:
    if size == 0:
        return "it is empty"
    if beginning[8:9] == b"{" and length <= size - 8:
        return "it is a safetensors file of another program, or its first bytes are damaged"
    if beginning.startswith((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")):
        return "it is a pickle, which could run code, and not a model"
    if beginning.startswith(b"PK\x03\x04"):
        return "it is a zip archive and not a model"
    return "it is not a model, or its first bytes are damaged"


def _digest(content: bytes) -> str:
    """SHA-256 with zeros in the place of the digest, which starts right after its key."""
    start = content.index(b'\\"digest\\":\\"') + len(b'\\"digest\\":\\"')
    sha = hashlib.sha256(content[:start] + NO_DIGEST.encode())
    sha.update(memoryview(content)[start + len(NO_DIGEST) :])
    return sha.hexdigest()


def _head(header: Mapping[str, Any], entries: Entries, data_size: int, digest: str, version: int) -> bytes:
    """The head of the file: the envelope, the caller's header inside it, and where the arrays are."""
    try:
        inner = _json(_json(_plain(header)))[1:-1]
        rest = f'\\"format\\":{version},\\"header\\":{inner}}}"}}'.encode()
        rest += b"".join(f",{_json(name)}:{_json(entry)}".encode() for name, entry in entries.items()) + b"}"
    except ValueError as error:  # half a surrogate pair, or an integer of thousands of digits
        raise _FormatError(f"its header or a name in it cannot be stored ({error})", "leave that value out") from None
    size, head = -1, b""
    while size != (size := 8 + len(head) + data_size):  # ends: more digits never make the head shorter
        front = f'{{"__metadata__":{{"rosenblatt":"{{\\"bytes\\":{size},\\"digest\\":\\"{digest}\\",'.encode()
        head = front + rest
        head += b" " * (-len(head) % 8)
    return head


def _place(kinds: Kinds) -> tuple[Entries, int]:
    """Where each array lies, and where the last one ends."""
    entries, end = {}, 0
    width = {name: int(dtype[1:]) // 8 for name, (dtype, _) in kinds.items()}
    for name in sorted(kinds, key=lambda name: (-width[name], name)):
        dtype, shape = kinds[name]
        start, end = end, end + width[name] * math.prod(shape)
        entries[name] = {"data_offsets": [start, end], "dtype": dtype, "shape": list(shape)}
    return entries, end


def _parse(head: bytes) -> tuple[dict[str, Any], Kinds]:
    """The caller's header, and what the head says about the arrays but for their places, which `_place` knows."""
    try:
        outer = json.loads(head.decode())
        header = json.loads(outer.pop("__metadata__")["rosenblatt"], object_hook=_restore)["header"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise _FormatError(f"its head is not the JSON that it should be ({type(error).__name__})") from None
    if not isinstance(header, dict):
        raise _FormatError("its header is not a JSON object")
    kinds: Kinds = {}
    for name, entry in outer.items():
        match entry:
            case {"dtype": str(dtype), "shape": list(shape)} if dtype in TYPES and _can_be(shape):
                kinds[name] = dtype, tuple(shape)
            case _:
                raise _FormatError(f"its array {reprlib.repr(name)} has a type or shape that cannot be")
    return header, kinds


def _can_be(shape: list[Any]) -> bool:
    """Whether numpy can have an array of this shape, an empty one included; it stops at 64 dimensions."""
    fine = len(shape) <= 64 and all(type(n) is int and n >= 0 for n in shape)
    return fine and math.prod(max(n, 1) for n in shape) < 2**60


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: Any, place: tuple[str, ...] = (), depth: int = 0) -> Any:
    """The value as JSON can hold it: an infinity becomes {"$float": "inf"}, a tuple a list. A header may have a million."""
    if type(value) in AS_THEY_ARE or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            raise _FormatError(f"{_name(place)} is nan", "leave it out or use None")
        return {"$float": "inf" if value > 0 else "-inf"} if math.isinf(value) else float(value)
    if depth == DEPTH_LIMIT:
        raise _FormatError(f"the header is nested more than {DEPTH_LIMIT} deep", "flatten it")
    if isinstance(value, (list, tuple)):
        return [item if type(item) in AS_THEY_ARE else _plain(item, place, depth + 1) for item in value]
    if not isinstance(value, Mapping):
        remedy = "turn it into what JSON has, or into an array"
        raise _FormatError(f"{_name(place)} is of type {type(value).__name__}", remedy)
    for key in value:
        if not isinstance(key, str) or key == "$float":
            raise _FormatError(f"{_name(place)} has the key {key!r}", "use a string other than '$float'")
    return {
        key: item if type(item) in AS_THEY_ARE else _plain(item, (*place, key), depth + 1) for key, item in value.items()
    }


def _name(place: tuple[str, ...]) -> str:
    """A place in the header, for an error."""
    return "header" + "".join(f"[{key!r}]" for key in place)


def _restore(value: dict[str, Any]) -> Any:
    return {"inf": math.inf, "-inf": -math.inf}.get(str(value["$float"]), value) if value.keys() == {"$float"} else value
