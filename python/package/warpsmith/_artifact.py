"""What comes of a compile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence


@dataclass(frozen=True)
class Diagnostic:
    """Something that is said of a source: an error, a warning, or a remark."""

    #: ``"error"``, ``"warning"`` or ``"note"``.
    severity: str
    #: What it says, without its place.
    message: str
    #: Where: the name of the file, line and column from 1; ``None`` where it is not about a place.
    file: str | None
    line: int | None
    column: int | None
    #: The number that nvcc gives such a warning.
    number: int | None
    #: Reasons, fixes and other places.
    notes: list[str]
    #: The same for people: with the line of the source, a caret and the notes.
    rendered: str = field(repr=False)

    def __str__(self) -> str:
        return self.rendered


@dataclass(frozen=True)
class Kernel:
    """What a kernel, or a function that is not inlined, takes."""

    #: Its name, as linkers know it.
    name: str
    #: General registers of a thread.
    registers: int
    #: CTA barriers.
    barriers: int
    #: Bytes of its stack frame.
    stack_bytes: int
    #: Bytes of stack of it and all that it calls.
    cumulative_stack_bytes: int
    #: Bytes that spilled registers are stored in, over the text of the function.
    spill_store_bytes: int
    #: Bytes that spilled registers are loaded from.
    spill_load_bytes: int
    #: Bytes of shared memory that it declares, with what the system takes.
    shared_bytes: int
    #: Bytes of constant bank 0, parameters included.
    constant_bytes: int
    #: Bytes of constant bank 2: tables of branches.
    table_bytes: int
    #: Machine instructions.
    instructions: int


@dataclass(frozen=True)
class Artifact:
    """What comes of a compile; what ``emit`` did not ask for is ``None``."""

    #: The name of the source.
    name: str
    #: The target that it was compiled for.
    arch: str
    #: PTX; of a source in PTX, its text.
    ptx: str | None = field(repr=False)
    #: The bytes of a cubin.
    cubin: bytes | None = field(repr=False)
    #: SSA IR after optimisation (``emit="ir"``).
    ir: str | None = field(repr=False)
    #: What each kernel takes, by its name.
    kernels: Mapping[str, Kernel]
    #: What each function takes that is not inlined.
    functions: Mapping[str, Kernel]
    #: Warnings, in the order of the source.
    diagnostics: list[Diagnostic]
    #: What made the code slower than it could be.
    remarks: list[Diagnostic]
    #: The files that were read, the source first; built-in headers are not among them.
    dependencies: list[str]
    #: The symbols of what ``names`` named: ``{"scale<float>": "_Z5scaleIfEvPT_"}``.
    names: Mapping[str, str]
    #: Whether the source was PTX, so that its own lines are shown.
    _is_ptx: bool = field(repr=False)
    #: The texts from memory, for showing their lines.
    _texts: Mapping[str, bytes] = field(repr=False)


def artifact(
    name: str, made: dict[str, Any], names: Sequence[str], texts: Mapping[str, bytes]
) -> Artifact:
    """The artifact of what the native module gives."""
    return Artifact(
        name=name,
        arch=made["arch"],
        ptx=made["ptx"],
        cubin=made["cubin"],
        ir=made["ir"],
        kernels={one["name"]: Kernel(**one) for one in made["kernels"]},
        functions={one["name"]: Kernel(**one) for one in made["functions"]},
        diagnostics=[Diagnostic(**one) for one in made["diagnostics"]],
        remarks=[Diagnostic(**one) for one in made["remarks"]],
        dependencies=made["dependencies"],
        names=dict(zip(names, made["names"])),
        _is_ptx=made["is_ptx"],
        _texts=texts,
    )
