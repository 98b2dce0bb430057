from typing import Any, Mapping, Sequence

VERSION: str

class Failure(Exception): ...

class Cancel:
    """Ends compiles and runs from another thread."""

    def __new__(cls) -> Cancel: ...
    def cancel(self) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...

class Program:
    def __new__(
        cls,
        name: str,
        cubin: bytes | None,
        ptx: str | None,
        is_ptx: bool,
        texts: Mapping[str, bytes],
    ) -> Program: ...
    def kernel(self, name: str | None) -> tuple[str, list[tuple[int, str]]]: ...
    def launch(
        self,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        cluster: Sequence[int],
        shared: int,
        cooperative: bool,
        arguments: Sequence[int | bytes],
        buffers: Sequence[tuple[str, bytes, tuple[str, int] | None]],
        options: Mapping[str, Any],
        cancel: Cancel | None,
    ) -> tuple[dict[str, Any], list[bytes]]: ...

def compile(
    text: bytes,
    name: str,
    language: str | None,
    arch: str | None,
    texts: Mapping[str, bytes],
    given: Mapping[str, Any],
    cancel: Cancel | None,
) -> dict[str, Any]: ...
def disassemble(cubin: bytes, style: str) -> str: ...
def targets() -> list[str]: ...
def main(arguments: Sequence[str], program: str | None) -> int: ...
def face_names() -> list[str]: ...
