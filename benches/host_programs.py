#!/usr/bin/env python3
"""First contact with CUDA programs: built by our nvcc alone, with no toolkit, and run with no GPU.

    host_programs.py --nvcc NVCC --draw NAME --sheet FILE [--reference NVCC] [--seed N --count N --each N] [--folders] FOLDER...

NVCC is a link of that name to `warpsmith`; its folder is put first on the path, as an installation would be. FOLDER is a checkout of git, or holds its
commit in a file `.rev`. A program is a file `.cu` that defines `main`; with `--folders`, a folder that has one, with all its `.cu` and `.cpp`.
`--seed` draws `--count` programs, `--each` of one checkout at most; without it all are taken. With `--reference`, NVIDIA's nvcc builds each first, and what it
does not build is left out (it wants another file, a library, or an older compiler): so what is left is what a user could have expected.
A row of the sheet (tab-separated) has

    draw, repository, commit, program, built (ok, no), run (status; `time`: the limit passed), seconds to build, seconds of the reference, what was said first

A draw that was looked at is a regression test from then on: draw fresh repositories to measure again.
"""

import argparse
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import tempfile

from cmake_projects import checkout

MAIN = re.compile(r"^\s*(?:extern\s+\"C\"\s+)?(?:int|auto|void)\s+main\s*\(", re.MULTILINE)


def call(command, folder, environment, limit):
    """The exit status, what was said, and the seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=limit, stdin=subprocess.DEVNULL)
        status, said = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, said = 124, ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def programs(top, folders):
    """The name of each program of a checkout, and its sources."""
    found = {}
    for path in sorted(top.rglob("*.cu")):
        if folders:
            beside = [at for at in sorted(path.parent.iterdir()) if at.suffix in (".cu", ".cpp", ".cc")]
            if any(MAIN.search(at.read_text(errors="replace")) for at in beside):
                found[str(path.parent.relative_to(top))] = beside
        elif path.is_file() and MAIN.search(path.read_text(errors="replace")):
            found[str(path.relative_to(top))] = [path]
    return found


def row(top, name, sources, arguments, environment):
    """The row of a program, or nothing where the reference does not build it."""
    with tempfile.TemporaryDirectory() as scratch:
        made = pathlib.Path(scratch) / "a.out"
        options = [f"-I{folder.resolve()}" for folder in arguments.include] + arguments.option
        command = [*options, *map(str, sources), "-o", str(made)]
        folder = sources[0].parent
        spent = ""
        if arguments.reference:
            status, _, spent = call([str(arguments.reference), *command], folder, os.environ, 300)
            if status:
                return None
            made.unlink()
            spent = f"{spent:.1f}"
        status, said, own = call([str(arguments.nvcc), *command], folder, environment, 300)
        built, ran, what = ("no" if status else "ok"), "-", ""
        if status:
            lines = [line.strip() for line in said.splitlines() if re.search(r"error|undefined reference|fatal|panicked", line)]
            what = f"status {status}: " + (lines[0][:160] if lines else "")
        else:
            # A copy of the folder, for what the program reads beside it and what it writes.
            there = pathlib.Path(scratch) / "there"
            shutil.copytree(folder, there, symlinks=True)
            status, said, _ = call([str(made)], there, environment, arguments.limit)
            ran = "time" if status == 124 else str(status)
            lines = [line.strip() for line in said.splitlines() if line.strip()]
            what = lines[-1][:160] if status not in (0, 124) and lines else ""
        for place in (scratch, top.parent):
            what = what.replace(f"{place}/", "")
        return [arguments.draw, top.name, checkout(top)[1], name, built, ran, f"{own:.1f}", spent, what.replace("\t", " ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--nvcc", required=True, type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--draw", required=True)
    parser.add_argument("--sheet", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--folders", action="store_true")
    parser.add_argument("--include", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--option", action="append", default=[], help="one more word for both compilers")
    parser.add_argument("--limit", type=int, default=20, help="seconds that a program may run")
    arguments = parser.parse_args()
    path = f"{arguments.nvcc.resolve().parent}:{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path, LD_LIBRARY_PATH="")
    drawn = []
    for top in arguments.checkouts:
        own = [(top.resolve(), name, sources) for name, sources in programs(top.resolve(), arguments.folders).items()]
        if arguments.seed is not None:
            random.Random(f"{arguments.seed} {top.name}").shuffle(own)
            own = own[: arguments.each]
        drawn += own
    if arguments.seed is not None:
        random.Random(arguments.seed).shuffle(drawn)
        drawn = drawn[: arguments.count]
    print(f"{len(drawn)} programs are tried")
    for top, name, sources in drawn:
        found = row(top, name, sources, arguments, environment)
        if found is None:
            print(f"{top.name}\t{name}\tnot built by the reference", flush=True)
            continue
        line = "\t".join(found)
        print(line, flush=True)
        with arguments.sheet.open("a") as sheet:
            sheet.write(line + "\n")


if __name__ == "__main__":
    main()
