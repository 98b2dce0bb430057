"""Why nothing was made, or a run ended."""

from __future__ import annotations

from typing import Any

from . import _native
from ._artifact import Diagnostic


class Error(Exception):
    """All errors of Warpsmith; as text, all that was said."""

    #: All that was said, warnings included.
    diagnostics: list[Diagnostic]

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("".join(one.rendered for one in diagnostics).rstrip("\n"))
        self.diagnostics = diagnostics


class CompileError(Error):
    """The source is wrong: it breaks a rule of its language, or asks for more than the target has."""


class UnsupportedError(Error):
    """Something in the source is not supported. Nothing else is known to be wrong with it."""


class InternalError(Error):
    """A mistake of Warpsmith's own."""


class Cancelled(Error):
    """The ``Cancel`` that a call was given was set."""

    def __init__(self) -> None:
        super().__init__([])

    def __str__(self) -> str:
        return "it was cancelled"


class Fault(Error):
    """A kernel did what it must not: an access outside of every array, a race, and so on."""

    #: The kind, such as ``"out-of-bounds access"``; ``warpsmith explain`` has a text for each.
    kind: str
    #: The kernel, as linkers know it.
    kernel: str | None
    #: CTA and thread.
    cta: tuple[int, int, int] | None
    thread: tuple[int, int, int] | None

    def __init__(self, diagnostics: list[Diagnostic], about: dict[str, Any]) -> None:
        super().__init__(diagnostics)
        self.kind = about["kind"]
        self.kernel = about["kernel"]
        self.cta = about["cta"]
        self.thread = about["thread"]


_KINDS = {"rejected": CompileError, "unsupported": UnsupportedError, "internal": InternalError}


def of(failure: _native.Failure) -> Error:
    """The exception of what the native module raises."""
    kind, messages, *about = failure.args
    diagnostics = [Diagnostic(**one) for one in messages]
    if kind == "cancelled":
        return Cancelled()
    if kind == "fault":
        return Fault(diagnostics, about[0])
    return _KINDS[kind](diagnostics)
