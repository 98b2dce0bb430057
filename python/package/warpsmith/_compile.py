"""Compiling, and showing what came of it."""

from __future__ import annotations

import os
from typing import Mapping, Sequence, Union

from . import _errors, _native
from ._artifact import Artifact, artifact

#: A text in a language, or the path of a file with one.
Source = Union[str, bytes, "os.PathLike[str]"]

#: How a text without a name is called in messages.
_USUAL_NAMES = {"cuda": "source.cu", "ptx": "source.ptx", "ir": "source.ll", None: "source"}


def compile(
    source: Source,
    *,
    arch: str | None = None,
    language: str | None = None,
    name: str | None = None,
    emit: str = "cubin",
    headers: Mapping[str, str | bytes] | None = None,
    folders: Sequence[str | os.PathLike[str]] = (),
    system_folders: Sequence[str | os.PathLike[str]] = (),
    includes: Sequence[str] = (),
    names: Sequence[str] = (),
    definitions: Mapping[str, object] | Sequence[str] = (),
    standard: str | None = None,
    level: int | None = None,
    fast_math: bool | None = None,
    flush_denormals: bool | None = None,
    contract: bool | None = None,
    precise_division: bool | None = None,
    precise_square_root: bool | None = None,
    line_info: bool | None = None,
    debug: bool | None = None,
    device_by_default: bool | None = None,
    restrict_kernel_pointers: bool | None = None,
    ptx_version: str | None = None,
    maximum_registers: int | None = None,
    override_directives: bool | None = None,
    relocatable: bool | None = None,
    check_stack: bool | None = None,
    no_warnings: bool | None = None,
    threads: int | None = None,
    cancel: _native.Cancel | None = None,
) -> Artifact:
    """Compiles CUDA C++, LLVM IR or PTX to machine code.

    The options have the names and the meaning of the library's and of ``warpsmith compile``.

    :param source: the text, or the path of a file (``pathlib.Path``).
    :param arch: the target, such as ``"sm_90a"``; without it the ``.target`` of PTX, else sm_90.
    :param language: ``"cuda"``, ``"ptx"`` or ``"ir"``; without it what the name ends in, or the
        first lines look like, and else CUDA C++.
    :param name: what messages call the source.
    :param emit: ``"cubin"``, ``"ptx"``, ``"ir"``, or ``"check"``, which makes nothing.
    :param headers: files for ``#include``, by their names; they come before those on the disk.
    :param folders: folders to look for headers in; ``system_folders`` are searched after them, and
        warnings in their files are not shown; ``includes`` are included before the source.
    :param names: kernels, and addresses of the device's variables, as C++ writes them:
        ``scale<float>``, ``&table``. Templates are instantiated for them, and the artifact's
        ``names`` has their symbols.
    :param definitions: macros, as ``{"N": 4}`` or ``["N=4"]``; ``{"N": None}`` removes one.
    :param standard: ``"c++11"``, ``"c++14"``, ``"c++17"`` (without it) or ``"c++20"``.
    :param level: of optimisation, 0 to 3 (without it).
    :param line_info: PTX and cubin tell the lines of the source; the code is the same.
    :param threads: of the host that the back end works with; without it as many as it has.
    :param cancel: an object by which another thread ends the compile.
    :raises CompileError: the source is wrong.
    :raises UnsupportedError: something in it is not supported.
    :raises InternalError: Warpsmith has made a mistake.
    :raises Cancelled: ``cancel`` was set.
    """
    text, name = _read(source, name, language)
    texts = {header: _bytes(content) for header, content in (headers or {}).items()}
    given = {
        "emit": emit,
        "folders": [os.fspath(folder) for folder in folders],
        "system_folders": [os.fspath(folder) for folder in system_folders],
        "includes": list(includes),
        "names": list(names),
        "definitions": _definitions(definitions),
        "standard": standard,
        "level": level,
        "fast_math": fast_math,
        "flush_denormals": flush_denormals,
        "contract": contract,
        "precise_division": precise_division,
        "precise_square_root": precise_square_root,
        "line_info": line_info,
        "debug": debug,
        "device_by_default": device_by_default,
        "restrict_kernel_pointers": restrict_kernel_pointers,
        "ptx_version": ptx_version,
        "maximum_registers": maximum_registers,
        "override_directives": override_directives,
        "relocatable": relocatable,
        "check_stack": check_stack,
        "no_warnings": no_warnings,
        "threads": threads,
    }
    try:
        made = _native.compile(text, name, language, arch, texts, given, cancel)
    except _native.Failure as failure:
        raise _errors.of(failure) from None
    return artifact(name, made, names, {**texts, name: text})


def disassemble(code: Artifact | bytes, *, style: str = "nvdisasm") -> str:
    """The machine code of a cubin as text.

    :param style: ``"nvdisasm"``: what that tool prints; ``"warpsmith"``: a listing that says
        everything, and that ``warpsmith asm`` assembles to the same bytes.
    :raises CompileError: the bytes are no cubin.
    """
    cubin = code.cubin if isinstance(code, Artifact) else code
    if cubin is None:
        raise ValueError('the artifact has no cubin: compile it with emit="cubin"')
    try:
        return _native.disassemble(bytes(cubin), style)
    except _native.Failure as failure:
        raise _errors.of(failure) from None


def _read(source: Source, name: str | None, language: str | None) -> tuple[bytes, str]:
    """The bytes of a source and its name."""
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        with open(path, "rb") as file:
            return file.read(), name or path
    if not isinstance(source, (str, bytes)):
        raise TypeError(f"a source is a text or a path, not {type(source).__name__}")
    text = _bytes(source)
    if b"\n" not in text and os.path.splitext(text)[1] in (b".cu", b".ptx", b".ll"):
        shown = text.decode(errors="replace")
        raise ValueError(f"`{shown}` is the name of a file, not a text: pathlib.Path({shown!r}) reads it")
    return text, name or _USUAL_NAMES.get(language, "source")


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def _definitions(given: Mapping[str, object] | Sequence[str]) -> list[tuple[str, str | None]]:
    """Pairs of a name and its text; ``None`` for a name that is not to be defined."""
    if isinstance(given, str):
        raise TypeError("definitions: a mapping or a sequence is wanted, not a text")
    if not isinstance(given, Mapping):
        pairs = (text.partition("=") for text in given)
        return [(name, value if sign else "1") for name, sign, value in pairs]
    return [(name, None if value is None else _text(value)) for name, value in given.items()]


def _text(value: object) -> str:
    """A value as C++ writes it."""
    return str(int(value)) if isinstance(value, bool) else str(value)
