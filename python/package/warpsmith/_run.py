"""Running kernels in the emulator, on NumPy arrays."""

from __future__ import annotations

import os
import struct
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from . import _compile, _errors, _native
from ._artifact import Artifact

if TYPE_CHECKING:
    import numpy

#: An extent in x, y and z; those that are not there are 1.
Extent = Union[int, Sequence[int]]

#: The checks that a run may be asked for.
CHECKS = ("races", "uninitialised", "copies", "hazards", "registers")


@dataclass(frozen=True)
class Report:
    """What a run did."""

    #: What the kernel printed.
    printed: str
    #: Instructions, counted once for each warp that executed them, and for each thread.
    instructions: int
    thread_instructions: int
    #: Branches at which the threads of a warp parted, and branches in all.
    divergent_branches: int
    branches: int
    #: Arrivals of warps at CTA and cluster barriers.
    barriers: int
    #: Accesses of warps to global memory, the sectors of 32 bytes that they touched, and those
    #: that as many bytes would need.
    global_accesses: int
    global_sectors: int
    global_sectors_ideal: int
    #: Accesses of warps to shared memory, and how often one had to wait for a bank.
    shared_accesses: int
    shared_conflicts: int
    #: Accesses to local memory, and atomic operations.
    local_accesses: int
    atomics: int
    #: Warp instructions by mnemonic.
    opcodes: Mapping[str, int] = field(repr=False)


def run(
    code: Artifact | bytes | str | os.PathLike[str],
    kernel: str | None = None,
    *,
    grid: Extent = 1,
    block: Extent = 1,
    args: Sequence[Any] = (),
    shared: int = 0,
    cluster: Extent = 1,
    cooperative: bool = False,
    arch: str | None = None,
    on: str | None = None,
    check: Sequence[str] = (),
    seed: int | None = None,
    budget: int | None = None,
    threads: int | None = None,
    cancel: _native.Cancel | None = None,
) -> Report:
    """Runs a kernel in the emulator, with no GPU, and puts what it wrote back into the arrays.

    As with ``warpsmith run``, a source becomes PTX, which is interpreted, and with ``arch``
    machine code, which is executed. Of an artifact the machine code is executed, if it has any.

    :param code: an artifact, the bytes of a cubin, or a source as ``compile`` takes it.
    :param on: ``"interpreter"``: the PTX is run; ``"emulator"``: the machine code.
    :param kernel: its name, of a C++ kernel the one in the source; not needed if there is only one.
    :param grid: CTAs, as a number or up to three; ``block``: threads of a CTA; ``cluster``: CTAs
        of a cluster.
    :param args: one for each parameter. An array becomes the address of a copy of it on the
        device; it must be contiguous in C's order, and is written only if the kernel ends without
        a fault. A number must fit the type that the PTX says. ``bytes`` are a structure by value.
    :param shared: bytes of dynamic shared memory.
    :param check: what to look for besides wrong accesses: ``"races"`` (PTX), ``"registers"``
        (PTX), ``"hazards"`` (machine code), ``"uninitialised"``, ``"copies"``.
    :param seed: decides in which order threads run.
    :param budget: of warp instructions, after which the run is stopped.
    :param threads: of the host, 0 for all cores; atomics then come in any order.
    :param cancel: an object by which another thread ends the run.
    :raises Fault: the kernel did what it must not.
    :raises ValueError, TypeError: the arguments or the launch do not fit the kernel.
    """
    program = _program(code, arch, on, cancel)
    name, parameters = program.kernel(kernel)
    if len(args) != len(parameters):
        raise ValueError(
            f"kernel `{name}` has {len(parameters)} parameters, but {len(args)} arguments are given"
        )
    given = _Arguments()
    for index, (arg, (size, kind)) in enumerate(zip(args, parameters)):
        try:
            given.add(index, arg, size, kind)
        except (TypeError, ValueError) as error:
            raise type(error)(f"argument {index} of kernel `{name}`: {error}") from None
    options = {"seed": seed, "budget": budget, "threads": threads}
    options = {option: value for option, value in options.items() if value is not None}
    try:
        report, contents = program.launch(
            name,
            _extent("grid", grid),
            _extent("block", block),
            _extent("cluster", cluster),
            shared,
            cooperative,
            given.values,
            given.buffers,
            {**options, **_checks(check)},
            cancel,
        )
    except _native.Failure as failure:
        raise _errors.of(failure) from None
    given.put_back(contents)
    return Report(**report)


def _program(
    code: Artifact | bytes | str | os.PathLike[str],
    arch: str | None,
    on: str | None,
    cancel: _native.Cancel | None,
) -> _native.Program:
    if on not in (None, "interpreter", "emulator"):
        raise ValueError(f"on: it is interpreter or emulator, not `{on}`")
    if isinstance(code, bytes) and code.startswith(b"\x7fELF"):
        parts: tuple[Any, ...] = ("cubin", code, None, False, {})
    else:
        if not isinstance(code, Artifact):
            on = on or ("emulator" if arch else "interpreter")
            emit = "cubin" if on == "emulator" else "ptx"
            # The lines are for faults; the code is the same.
            code = _compile.compile(code, arch=arch, emit=emit, line_info=True, cancel=cancel)
            arch = None
        cubin = None if on == "interpreter" else code.cubin
        parts = (code.name, cubin, code.ptx, code._is_ptx, code._texts)
    if on == "emulator" and parts[1] is None:
        raise ValueError("on: the artifact has no machine code for the emulator")
    if on == "interpreter" and parts[2] is None:
        raise ValueError("on: the interpreter runs PTX, and here is none")
    if arch is not None:
        raise ValueError("arch: this is compiled already")
    try:
        return _native.Program(*parts)
    except _native.Failure as failure:
        raise _errors.of(failure) from None


def _extent(name: str, given: Extent) -> tuple[int, int, int]:
    numbers = (given,) if isinstance(given, int) else tuple(int(number) for number in given)
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{name}: one to three numbers are wanted, not {len(numbers)}")
    if any(not 1 <= number < 1 << 32 for number in numbers):
        raise ValueError(f"{name}: {given} is not possible: each number is at least 1")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _checks(given: Sequence[str]) -> dict[str, bool]:
    words = (given,) if isinstance(given, str) else tuple(given)
    for word in words:
        if word not in CHECKS:
            raise ValueError(f"check: there is no check `{word}`; there are {', '.join(CHECKS)}")
    return {word: True for word in words}


class _Arguments:
    """Arguments as the native module takes them: bytes, or which buffer's address."""

    def __init__(self) -> None:
        self.values: list[int | bytes] = []
        self.buffers: list[tuple[str, bytes, tuple[str, int] | None]] = []
        self._arrays: list[tuple[int, numpy.ndarray[Any, Any]]] = []

    def add(self, index: int, arg: Any, size: int, kind: str) -> None:
        """Takes the argument of a parameter of so many bytes."""
        if _is_numpy(arg, "ndarray"):
            if size != 8:
                raise TypeError(f"an array is given, and the parameter is no address: it has {size} bytes")
            self.values.append(self._buffer(index, arg))
        elif isinstance(arg, (bytes, bytearray)):
            if len(arg) != size:
                raise ValueError(f"{len(arg)} bytes are given, and the parameter has {size}")
            self.values.append(bytes(arg))
        else:
            self.values.append(_number(arg, size, kind))

    def _buffer(self, index: int, array: numpy.ndarray[Any, Any]) -> int:
        """The index of an array's buffer; an array that is given twice has one."""
        if not array.flags.c_contiguous:
            raise ValueError(
                "the array is not contiguous in C's order: numpy.ascontiguousarray makes one that is"
            )
        if array.dtype.hasobject:
            raise TypeError(f"an array of {array.dtype} holds objects of Python's, not numbers")
        if not array.dtype.isnative:
            raise TypeError(f"an array of {array.dtype} has its bytes in another order than a GPU's")
        start, end = _bounds(array)
        for buffer, (other, known) in enumerate(self._arrays):
            if (start, end) == _bounds(known):
                return buffer
            if max(start, _bounds(known)[0]) < min(end, _bounds(known)[1]):
                raise ValueError(f"the array shares a part of its memory with argument {other}")
        self._arrays.append((index, array))
        self.buffers.append((f"args[{index}]", array.tobytes(), _element(array.dtype)))
        return len(self._arrays) - 1

    def put_back(self, contents: Sequence[bytes]) -> None:
        """Writes what the buffers hold into the arrays."""
        changed = [
            (index, array, after)
            for (index, array), after, (_, before, _) in zip(self._arrays, contents, self.buffers)
            if before != after
        ]
        for index, array, _ in changed:
            if not array.flags.writeable:
                raise ValueError(f"argument {index}: the kernel wrote to an array that is read-only")
        for _, array, after in changed:
            array.reshape(-1).view("u1")[:] = bytearray(after)


def _is_numpy(arg: Any, kind: str) -> bool:
    """Whether it is an array (``"ndarray"``) or a number (``"generic"``) of NumPy's; without NumPy nothing is."""
    module = sys.modules.get("numpy")
    return module is not None and isinstance(arg, getattr(module, kind))


def _bounds(array: numpy.ndarray[Any, Any]) -> tuple[int, int]:
    start = int(array.__array_interface__["data"][0])
    return start, start + array.nbytes


#: The names that PTX has for types, by NumPy's letter for the kind.
_LETTERS = {"f": "f", "i": "s", "u": "u", "b": "u"}


def _element(dtype: numpy.dtype[Any]) -> tuple[str, int] | None:
    letter = _LETTERS.get(dtype.kind)
    if letter is None or dtype.itemsize == 0:
        return None
    return f"{letter}{8 * dtype.itemsize}", dtype.itemsize


#: The letters of ``struct`` for floating-point numbers, by their size.
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def _number(arg: Any, size: int, kind: str) -> bytes:
    """The bytes of a number as a parameter of this size and kind."""
    own: bytes | None = arg.tobytes() if _is_numpy(arg, "generic") else None
    if own is not None and len(own) == size and kind in ("bits", "unknown", "structure"):
        # A number of NumPy's says its type itself.
        return own
    value = arg.item() if own is not None else arg
    if kind == "unknown":
        raise TypeError(
            f"the cubin says that the parameter has {size} bytes, and not its type: give a number of "
            "NumPy's, such as numpy.float32(2), or an artifact, which has the PTX"
        )
    if kind == "structure":
        raise TypeError(f"the parameter is a structure of {size} bytes: give its bytes")
    if isinstance(value, float):
        if kind in ("unsigned", "signed"):
            raise TypeError(f"{value!r} is given, and the parameter is an integer of {size} bytes")
        return _float(value, size)
    if hasattr(value, "__index__"):
        value = value.__index__()
        return _float(value, size) if kind == "float" else _integer(value, size)
    raise TypeError(f"a number, an array of NumPy's or bytes are wanted, not {type(arg).__name__}")


def _float(value: float, size: int) -> bytes:
    if size not in _FLOATS:
        raise TypeError(f"there is no floating-point number of {size} bytes")
    try:
        return struct.pack(_FLOATS[size], value)
    except OverflowError:
        raise ValueError(f"{value!r} is beyond a floating-point number of {size} bytes") from None


def _integer(value: int, size: int) -> bytes:
    # PTX does not keep whether a type of CUDA C++ has a sign: both ranges are taken.
    if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
        raise ValueError(f"{value} does not fit {size} bytes")
    return (value % (1 << 8 * size)).to_bytes(size, "little")
