"""Warpsmith: an open compiler for NVIDIA GPUs, and an emulator that runs what it makes.

``compile`` takes CUDA C++, LLVM IR or PTX and gives an ``Artifact`` with PTX and a cubin; ``run``
runs a kernel on NumPy arrays with no GPU; ``tools_path`` gives a folder in which programs such as
Triton find Warpsmith in ptxas' place.
"""

from ._artifact import Artifact, Diagnostic, Kernel
from ._compile import compile, disassemble
from ._errors import (
    Cancelled,
    CompileError,
    Error,
    Fault,
    InternalError,
    UnsupportedError,
)
from ._native import VERSION as __version__
from ._native import Cancel, targets
from ._run import Report, run
from ._tools import paths, tools_path

__all__ = [
    "Artifact",
    "Cancel",
    "Cancelled",
    "CompileError",
    "Diagnostic",
    "Error",
    "Fault",
    "InternalError",
    "Kernel",
    "Report",
    "UnsupportedError",
    "__version__",
    "compile",
    "disassemble",
    "paths",
    "run",
    "targets",
    "tools_path",
]

# Who prints them is told the names that users import.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
del _name
