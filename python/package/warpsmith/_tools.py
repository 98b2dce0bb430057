"""The paths by which other programs find Warpsmith in the place of NVIDIA's tools."""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from pathlib import Path

from . import _native


def script() -> str | None:
    """The program that pip has installed, which links lead to; ``None`` if it is not there."""
    own = Path(sys.argv[0])
    name = "warpsmith.exe" if os.name == "nt" else "warpsmith"
    if own.name == name and own.is_file():
        return str(own.absolute())
    # Of `pip install`, and of `pip install --target`.
    folders = [sysconfig.get_path("scripts"), str(Path(__file__).parents[1] / "bin")]
    paths = (Path(folder, name) for folder in folders)
    return next((str(path) for path in paths if path.is_file()), None)


def tools_path(folder: str | os.PathLike[str] | None = None) -> str:
    """A folder with links named as the tools that Warpsmith can stand for: ``ptxas``,
    ``nvdisasm``, and so on. They are made if they are not there.

    Put first on ``PATH``, it gives the tools to programs that call them by name.

    :param folder: where; without it a folder of the package or, if that cannot be written, of the
        user's cache.
    :raises RuntimeError: the program ``warpsmith``, which pip installs, is not found.
    """
    program = script()
    if program is None:
        raise RuntimeError("the program `warpsmith` is not where pip installs programs")
    if folder is not None:
        return str(_linked(Path(folder), program))
    try:
        return str(_linked(Path(__file__).parent / "tools", program))
    except OSError:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        environment = sys.prefix.strip(os.sep).replace(os.sep, "-")
        return str(_linked(cache / "warpsmith" / environment, program))


def _linked(folder: Path, program: str) -> Path:
    """The folder, with all links to the program."""
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for name in _native.face_names():
        link = folder / name
        if link.is_symlink() and os.readlink(link) == program:
            continue
        # Under a name of its own first, so that the tool is there at every moment.
        new = folder / f"{name}.new-{os.getpid()}"
        new.symlink_to(program)
        new.replace(link)
    return folder


def paths() -> dict[str, str]:
    """The variables of the environment by which programs find Warpsmith, with their values.

    Triton reads ``TRITON_PTXAS_PATH`` and, for sm_100 and later (from Triton 3.9 on for sm_90,
    too), ``TRITON_PTXAS_BLACKWELL_PATH``; JAX, and all that calls ``ptxas`` by name, finds it by ``PATH``.
    """
    tools = tools_path()
    ptxas = os.path.join(tools, "ptxas")
    return {
        "TRITON_PTXAS_PATH": ptxas,
        "TRITON_PTXAS_BLACKWELL_PATH": ptxas,
        "PATH": tools + os.pathsep + os.environ.get("PATH", os.defpath),
    }


def main(arguments: list[str]) -> int:
    """``warpsmith paths``: prints the variables as a shell sets them."""
    if arguments:
        print("error: `warpsmith paths` takes no arguments", file=sys.stderr)
        return 2
    for name, value in paths().items():
        print(f"export {name}={shlex.quote(value)}")
    return 0
