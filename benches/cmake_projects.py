#!/usr/bin/env python3
"""First contact with CMake projects that have CUDA sources: configured, built and tested with our nvcc alone, with no toolkit and no GPU.

    cmake_projects.py --nvcc NVCC --draw NAME --sheet FILE [--define NAME=VALUE]... [--jobs N] PROJECT...

NVCC is a link of that name to `warpsmith`; its folder is put first on the path, as an installation would be. PROJECT is a folder with a CMakeLists.txt,
in a checkout of git, or in a folder that holds its commit in a file `.rev`. Where CTest knows tests they are run, else the programs that were built
(twelve at most, without arguments). A row of the sheet (tab-separated) has

    draw, repository, commit, project, configured, built, tests (passed of all; `run`: programs that end with 0), seconds, what was said first

A draw that was looked at is a regression test from then on: draw fresh repositories to measure again.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import time

PROGRAMS = 12


def call(command, folder, environment, limit):
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=limit, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, ""
    except OSError as reason:
        return 127, str(reason)


def first(text, pattern):
    found = [line.strip() for line in text.splitlines() if re.search(pattern, line)]
    return found[0][:140] if found else ""


def programs(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and os.access(path, os.X_OK) and "CMakeFiles" not in path.parts and ".so" not in path.suffixes and path.suffix not in (".a", ".sh", ".py"):
            yield path


def tested(project, build, environment, limit):
    """What the tests say, or the programs."""
    _, listed = call(["ctest", "-N"], build, environment, limit)
    count = re.search(r"Total Tests: (\d+)", listed)
    if count and int(count.group(1)):
        status, said = call(["ctest", "--timeout", str(limit)], build, environment, 20 * limit)
        found = re.search(r"(\d+) tests failed out of (\d+)", said)
        return (f"{int(found.group(2)) - int(found.group(1))}/{found.group(2)}" if found else f"status {status}"), first(said, r"\*\*\*")
    passed, said, all_of_them = 0, "", list(programs(build))[:PROGRAMS]
    for program in all_of_them:
        status, _ = call([program], project, environment, limit)
        passed += status == 0
        if status and not said:
            said = f"{program.name} ends with {status}"
    return f"run {passed}/{len(all_of_them)}", said


def checkout(project):
    """The folder of the checkout that a project is in, and its commit."""
    for top in [project, *project.parents]:
        if (top / ".rev").exists():
            return top, (top / ".rev").read_text().strip()[:12]

    def git(*words):
        return subprocess.run(["git", "-C", project, *words], capture_output=True, text=True, check=True).stdout.strip()

    return pathlib.Path(git("rev-parse", "--show-toplevel")), git("rev-parse", "HEAD")[:12]


def row(project, arguments, environment, build):
    top, commit = checkout(project)
    started = time.time()
    options = [f"-D{text}" for text in arguments.define]
    configure = ["cmake", "-S", project, "-B", build, f"-DCMAKE_CUDA_COMPILER={arguments.nvcc}", f"-DCMAKE_CUDA_ARCHITECTURES={arguments.arch}"]
    status, said = call([*configure, "-DCMAKE_BUILD_TYPE=Release", *options], project, environment, 300)
    configured, built, tests, what = ("ok" if status == 0 else "no"), "-", "-", ""
    if status:
        what = first(said, r"CMake Error")
    else:
        status, said = call(["cmake", "--build", build, f"-j{arguments.jobs}", "--", "-k"], project, environment, 900)
        built = {0: "ok", 124: "timeout"}.get(status, "no")
        what = first(said, r"error|undefined reference|fatal")
        if status == 0:
            tests, what = tested(project, build, environment, arguments.timeout)
    seconds = f"{time.time() - started:.0f}"
    return [arguments.draw, top.name, commit, str(project.relative_to(top)), configured, built, tests, seconds, what]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=pathlib.Path, metavar="PROJECT")
    parser.add_argument("--nvcc", required=True, type=pathlib.Path)
    parser.add_argument("--draw", required=True)
    parser.add_argument("--sheet", required=True, type=pathlib.Path)
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--arch", default="90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=int, default=60, help="seconds for a test or a program")
    arguments = parser.parse_args()
    environment = dict(os.environ, PATH=f"{arguments.nvcc.parent}:{os.environ['PATH']}", LD_LIBRARY_PATH="")
    for project in arguments.projects:
        with tempfile.TemporaryDirectory() as build:
            line = "\t".join(row(project.resolve(), arguments, environment, pathlib.Path(build)))
        print(line, flush=True)
        with arguments.sheet.open("a") as sheet:
            sheet.write(line + "\n")


if __name__ == "__main__":
    main()
