#!/usr/bin/env python3
"""First contact with libraries: CUDA units drawn from checkouts of public repositories, compiled by nvcc and by us.

    first_contact.py --nvcc NVCC --warpsmith WARPSMITH --seed N [--count 20] [--include DIR]... [--sheet FILE] CHECKOUT...

The units are the .cu files that git tracks in the checkouts, in an order that the seed and their names alone decide.
Each is given to nvcc first, with the folders above it, the repository's own include folders, and for a header that is
missing the folder of the repository that has it. One that nvcc refuses (most lack a dependency or a configured header)
or that has no kernel is listed and does not count. The others are
compiled by ours with the same options, before anything is mended for them. A row of the sheet (tab-separated) has

    repository, commit, unit, edition, verdict, kernels of nvcc's, kernels of both by name, seconds of nvcc's, of ours, what was said

with these verdicts: `equal` (the kernels' names are nvcc's), `unnamed` (they are but for the id of an unnamed
namespace), `kernels` (they are not), `refused`, `crashed`, `timeout`, and in front of them `-` for what does not count.
A draw that was looked at is a regression test from then on: draw with fresh repositories to measure again.
"""

import argparse
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", re.M)
# nvcc's id of a unit (_GLOBAL__N__<8 hex>_<len>_<file>_<8 hex>[_<number>]) and ours.
UNNAMED = re.compile(r"(\d+)(?=_GLOBAL__N_)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=pathlib.Path, metavar="CHECKOUT")
    parser.add_argument("--nvcc", required=True, type=pathlib.Path)
    parser.add_argument("--warpsmith", required=True, type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path, help="whose headers ours reads (the one of nvcc)")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--count", type=int, default=20, help="units that nvcc takes")
    parser.add_argument("--per-repository", type=int, default=3, help="the most units of one repository that count")
    parser.add_argument("--tries", type=int, default=9, help="the most units of one repository that nvcc is asked for")
    parser.add_argument("--include", action="append", default=[], help="a folder for both, such as that of a library")
    parser.add_argument("--define", action="append", default=[], help="a macro for both")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--editions", default="c++17,c++20", help="tried in this order until nvcc takes the unit")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one compilation")
    parser.add_argument("--sheet", type=pathlib.Path)
    return parser.parse_args()


def git(checkout, *command):
    return subprocess.run(["git", "-C", checkout, *command], capture_output=True, text=True, check=True).stdout


def draw(checkouts, seed):
    """All units in seeded order. The order of one repository's units does not depend on the other repositories."""
    lists = []
    for checkout in sorted(checkouts, key=lambda path: path.name):
        units = sorted(path for path in git(checkout, "ls-files", "*.cu").splitlines() if path)
        random.Random(f"{seed} {checkout.name}").shuffle(units)
        lists.append([(checkout, unit) for unit in units])
    random.Random(seed).shuffle(lists)
    # Round-robin, so that a large repository is not the whole draw.
    for turn in range(max(map(len, lists), default=0)):
        yield from (units[turn] for units in lists if turn < len(units))


def include_folders(checkout, unit):
    """The folders above the unit up to the repository, and the repository's include folders."""
    above = [checkout / parent for parent in pathlib.PurePath(unit).parents]
    named = {
        checkout / pathlib.PurePath(*parts[: index + 1])
        for path in git(checkout, "ls-files", "*.h", "*.hpp", "*.cuh", "*.hh", "*.inl").splitlines()
        for parts in [pathlib.PurePath(path).parts[:-1]]
        for index, part in enumerate(parts)
        if part in ("include", "inc", "src", "csrc")
    }
    return list(dict.fromkeys(above + sorted(named)))


def folder_of_missing(checkout, said):
    """The one folder of the repository under which the header is that was not found, if there is one."""
    missing = re.search(r"fatal error: (\S+): No such file", said)
    if not missing or ".." in missing[1]:
        return None
    name = "/" + missing[1]
    tracked = git(checkout, "ls-files", "*/" + missing[1]).splitlines()
    folders = sorted({path[: -len(name)] for path in tracked if path.endswith(name)}, key=lambda path: (path.count("/"), path))
    return checkout / folders[0] if folders else None


def run(command, folder, seconds):
    """Exit status (None: out of time), what was said, seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    # A session of its own, so that what nvcc has started ends with it.
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with subprocess.Popen(command, cwd=folder, start_new_session=True, **pipes) as child:
        try:
            said, _ = child.communicate(timeout=seconds)
            status = child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            status, said = None, ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return status, said, spent or time.monotonic() - began


def without_unnamed(name):
    """A kernel's name with `*` for each unnamed namespace. Digits may follow its id, so that only the length before it says where it ends."""
    parts, rest = [], name
    while found := UNNAMED.search(rest):
        parts.append(rest[: found.start()])
        rest = rest[found.end() + int(found.group(1)) :]
    return "*".join([*parts, rest])


def kernels(ptx):
    return set(ENTRY.findall(ptx.read_text(errors="replace"))) if ptx.exists() else set()


def first_error(said):
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"error|panicked|internal", line)), lines[0] if lines else "")[:300]


def try_unit(options, checkout, unit):
    shared = ["-ptx", f"-arch={options.arch}", "-w", "--expt-relaxed-constexpr", "--extended-lambda"]
    shared += [f"-D{macro}" for macro in options.define]
    shared += [f"-I{folder}" for folder in include_folders(checkout, unit)]
    shared += [f"-I{folder}" for folder in options.include]
    source = str(checkout / unit)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        theirs, ours = folder / "theirs.ptx", folder / "ours.ptx"
        for edition in options.editions.split(","):
            for _ in range(8):
                command = [options.nvcc, *shared, "-Xcicc", "-O0", f"-std={edition}", source, "-o", theirs]
                status, said, nvcc_seconds = run(command, folder, options.timeout)
                more = folder_of_missing(checkout, said)
                if status == 0 or not more or f"-I{more}" in shared:
                    break
                shared.append(f"-I{more}")
            if status == 0:
                break
        if status != 0:
            return edition, "-nvcc", 0, 0, nvcc_seconds, 0.0, first_error(said)
        wanted = kernels(theirs)
        if not wanted:
            return edition, "-no kernel", 0, 0, nvcc_seconds, 0.0, ""
        command = [options.warpsmith, "--face", "nvcc", *shared, f"-std={edition}", source, "-o", ours]
        if options.toolkit:
            command += ["-cuda-path", options.toolkit]
        status, said, seconds = run(command, folder, options.timeout)
        found = kernels(ours)
    anonymous = lambda names: {without_unnamed(name) for name in names}
    if status is None:
        verdict = "timeout"
    elif status < 0 or "panicked" in said or "internal error" in said:
        verdict = "crashed"
    elif status != 0:
        verdict = "refused"
    elif found == wanted:
        verdict = "equal"
    elif anonymous(found) == anonymous(wanted):
        verdict = "unnamed"
    else:
        verdict = "kernels"
        more, less = sorted(found - wanted), sorted(wanted - found)
        said = f"error: missing {len(less)} {less[:1]}, more {len(more)} {more[:1]}"
    said = first_error(said) if verdict not in ("equal", "unnamed") else ""
    return edition, verdict, len(wanted), len(found & wanted), nvcc_seconds, seconds, said


def main():
    options = arguments()
    options.nvcc, options.warpsmith = options.nvcc.absolute(), options.warpsmith.absolute()
    checkouts = [checkout.absolute() for checkout in options.checkouts]
    commits = {checkout: git(checkout, "rev-parse", "HEAD").strip()[:12] for checkout in checkouts}
    sheet = open(options.sheet, "w") if options.sheet else None
    kept, tried, rows = {}, {}, []
    for checkout, unit in draw(checkouts, options.seed):
        if len(rows) >= options.count:
            break
        if kept.get(checkout, 0) >= options.per_repository or tried.get(checkout, 0) >= options.tries:
            continue
        tried[checkout] = tried.get(checkout, 0) + 1
        row = try_unit(options, checkout, unit)
        line = "\t".join([checkout.name, commits[checkout], unit, *(f"{x:.1f}" if isinstance(x, float) else str(x) for x in row)])
        print(line, flush=True)
        if sheet:
            print(line, file=sheet, flush=True)
        if not row[1].startswith("-"):
            kept[checkout] = kept.get(checkout, 0) + 1
            rows.append(row)
    count = lambda *verdicts: sum(row[1] in verdicts for row in rows)
    print(
        f"seed {options.seed}: {len(checkouts)} repositories, {sum(tried.values())} units tried, {len(rows)} that nvcc takes with kernels, "
        f"of {len(kept)} repositories\n"
        f"right set of kernels {count('equal', 'unnamed')} (by exact name {count('equal')}), wrong set {count('kernels')}, "
        f"refused {count('refused')}, crashed {count('crashed')}, out of time {count('timeout')}\n"
        f"processor time: nvcc {sum(row[4] for row in rows):.0f} s, ours {sum(row[5] for row in rows):.0f} s"
    )
    return 0 if count("equal", "unnamed") == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
