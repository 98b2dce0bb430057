"""The command line, and the paths by which other programs find Warpsmith."""

import os
import subprocess
import sys

import pytest
import warpsmith

from test_compile import NOTHING


def said(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    return done.returncode, done.stdout, done.stderr


def test_the_command_line():
    status, out, _ = said(sys.executable, "-m", "warpsmith", "--version")
    assert (status, out.split()[:2]) == (0, ["warpsmith", warpsmith.__version__])
    status, _, errors = said(sys.executable, "-m", "warpsmith", "disasm", "absent.cubin")
    assert status == 1 and "absent.cubin" in errors


def test_ptxas_by_its_path(tmp_path):
    """As Triton calls it."""
    ptxas = warpsmith.paths()["TRITON_PTXAS_PATH"]
    status, out, _ = said(ptxas, "--version")
    assert status == 0 and "release 13.0" in out
    (tmp_path / "k.ptx").write_text(NOTHING)
    command = [ptxas, "-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_80", "k.ptx", "-o", "k.o"]
    status, out, errors = said(*command, cwd=tmp_path)
    assert status == 0 and "Compiling entry function 'nothing' for 'sm_80'" in out + errors
    assert (tmp_path / "k.o").read_bytes().startswith(b"\x7fELF")


def test_ptxas_by_its_name(tmp_path):
    """As JAX calls it."""
    environment = {**os.environ, **warpsmith.paths()}
    (tmp_path / "in").write_text(NOTHING)
    command = ["ptxas", "in", "-o", "out", "-arch=sm_80", "--warn-on-spills"]
    status, _, errors = said(*command, cwd=tmp_path, env=environment)
    assert (status, errors) == (0, "")
    assert (tmp_path / "out").read_bytes().startswith(b"\x7fELF")


def test_the_exit_status_is_the_tools_own(tmp_path):
    (tmp_path / "k.ptx").write_text("no PTX\n")
    status, _, errors = said(warpsmith.paths()["TRITON_PTXAS_PATH"], "k.ptx", cwd=tmp_path)
    assert status == 255 and "fatal" in errors


def test_links_in_a_folder_of_ones_own(tmp_path):
    folder = warpsmith.tools_path(tmp_path / "tools")
    assert "ptxas" in os.listdir(folder) and "nvdisasm" in os.listdir(folder)
    assert warpsmith.tools_path(folder) == folder
    status, out, _ = said(sys.executable, "-m", "warpsmith", "install-links", "more", "--tool", "ptxas", cwd=tmp_path)
    assert status == 0 and out.startswith("more/ptxas -> ")
    assert said(str(tmp_path / "more" / "ptxas"), "--version")[0] == 0


def test_paths_for_a_shell():
    status, out, _ = said(sys.executable, "-m", "warpsmith", "paths")
    assert status == 0
    names = [line.split("=")[0] for line in out.splitlines()]
    assert names == ["export TRITON_PTXAS_PATH", "export TRITON_PTXAS_BLACKWELL_PATH", "export PATH"]
    assert said(sys.executable, "-m", "warpsmith", "paths", "x")[0] == 2


def test_triton(tmp_path):
    """A kernel of Triton's, compiled ahead of time, with Warpsmith in ptxas' place."""
    pytest.importorskip("triton")
    kernel = tmp_path / "kernel.py"
    kernel.write_text(
        """\
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)

signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
source = ASTSource(fn=add, signature=signature, constexprs={"BLOCK": 256})
made = triton.compile(source, target=GPUTarget("cuda", 90, 32))
open("add.cubin", "wb").write(made.asm["cubin"])
"""
    )
    # In between stands who notes what was asked.
    asked, between = tmp_path / "asked", tmp_path / "ptxas"
    ptxas = warpsmith.paths()["TRITON_PTXAS_PATH"]
    between.write_text(f'#!/bin/sh\necho "$@" >> {asked}\nexec {ptxas} "$@"\n')
    between.chmod(0o755)
    environment = {
        **os.environ,
        "TRITON_PTXAS_PATH": str(between),
        "TRITON_PTXAS_BLACKWELL_PATH": str(between),
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
    }
    status, _, errors = said(sys.executable, "kernel.py", cwd=tmp_path, env=environment)
    assert status == 0, errors
    assert "FADD" in warpsmith.disassemble((tmp_path / "add.cubin").read_bytes())
    assert asked.read_text().count("--gpu-name=sm_90") == 1
