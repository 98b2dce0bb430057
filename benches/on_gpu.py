#!/usr/bin/env python3
"""Triton's tutorials on a GPU with a ptxas of your choice, and which instructions of a kernel have to wait longer for it to run right.

    on_gpu.py tutorials FOLDER --ptxas LINK [--only 05 gluon/07 ...] [--jobs N] [--seconds N]
    on_gpu.py slack TEST --kernel NAME --ptxas LINK [--at-once N]

LINK is a link named ptxas to `warpsmith`, or the real one, to compare; torch with CUDA, triton and pytest are needed. `tutorials` runs the checks of Triton's
`python/tutorials`: the tests of those that have some, the others as programs; benchmarks are left out. `slack` runs one test, as pytest names it, with the
control words of a kernel changed: all stall counts at least 11, all instructions waiting for all scoreboards, or both. Where that helps, it looks for the
shortest range of instructions that has to be changed: what stands there comes too early, or nothing has waited for it. Both take a program prefix after
`--`, such as `-- benches/triton_emulated.py --library ... --ptxas ...`, to run in the emulator.
"""

import argparse, concurrent.futures, os, pathlib, re, shutil, signal, struct, subprocess, sys, tempfile

# The least stall count, and whether to wait. A scoreboard can be waited for two cycles after it is set; stall counts beyond 11 go with other bits.
MODES = {"waits": (2, True), "stalls": (11, False), "both": (11, True)}


# ---- as a plugin of pytest, and in programs that are run ----

def without_benchmarks():
    import triton.testing
    triton.testing.Mark.run = lambda *_, **__: None


def pytest_configure():
    without_benchmarks()


def pytest_runtest_logreport(report):
    """After a fault the process has no GPU any more: what comes next gets a new one, under pytest-xdist."""
    if report.failed and os.environ.get("PYTEST_XDIST_WORKER"):
        import torch
        try:
            torch.cuda.synchronize()
        except Exception:
            os._exit(1)


# ---- control words ----

def functions(cubin):
    """Offset and size of each function's code."""
    start, = struct.unpack_from("<Q", cubin, 0x28)
    count, names = struct.unpack_from("<HH", cubin, 0x3c)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, start + 64 * at) for at in range(count)]
    for name, _, _, _, offset, size, *_ in headers:
        at = headers[names][4] + name
        if cubin[at:cubin.index(b"\0", at)].startswith(b".text."):
            yield offset, size


def slackened(cubin, mode, first, end):
    """The cubin with the control words of instructions first to end changed, and how many instructions it has."""
    cubin, (stall, waits), number = bytearray(cubin), MODES[mode], 0
    for offset, size in sorted(functions(cubin)):
        for at in range(offset + 8, offset + size, 16):
            if first <= number < end:
                word, = struct.unpack_from("<Q", cubin, at)
                if word >> 41 & 15 < stall:
                    word = word & ~(15 << 41) | stall << 41
                if waits:
                    word |= 63 << 52
                struct.pack_into("<Q", cubin, at, word)
            number += 1
    return bytes(cubin), number


# ---- running ----

def run(command, seconds, **more):
    """What a program prints, and how it ends: a number, or None after so many seconds."""
    environment = dict(os.environ, PYTHONUNBUFFERED="1", **more)
    program = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        text, _ = program.communicate(timeout=seconds)
        return text, program.returncode
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        return program.communicate()[0], None


def pytest(given, test, cache, more=()):
    here = str(pathlib.Path(__file__).resolve().parent)
    folder = pathlib.Path(test.partition("::")[0]).resolve().parent
    path = os.pathsep.join([here, str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [*given.prefix, "-m", "pytest", "-q", "-p", "on_gpu", "-p", "no:cacheprovider", "--import-mode=importlib", "--tb=line", *more, test]
    return run([sys.executable, *command], given.seconds, TRITON_PTXAS_PATH=given.ptxas, TRITON_CACHE_DIR=cache, PYTHONPATH=path)


def tutorials(given):
    folder, bad = pathlib.Path(given.folder), False
    for path in sorted(folder.glob("[0-9]*.py")) + sorted(folder.glob("gluon/[0-9]*.py")):
        name = str(path.relative_to(folder).with_suffix(""))
        if given.only and not any(name.startswith(one) for one in given.only):
            continue
        with tempfile.TemporaryDirectory() as cache:
            if "\ndef test_" in path.read_text() and "pytest" in path.read_text():
                text, status = pytest(given, str(path), cache, ["-n", str(given.jobs)] if given.jobs > 1 else [])
                said = [line for line in text.splitlines() if re.search(r"\d+ (passed|failed|skipped|error)", line)][-1:]
                said += sorted(set(re.findall(r"^(?:FAILED|ERROR) \S+", text, re.M)))
                status = 0 if status == 5 else status  # there may be none for this GPU
            else:
                start = f"import sys, runpy; sys.path[:0] = [{str(pathlib.Path(__file__).parent)!r}]; import on_gpu; on_gpu.without_benchmarks(); "
                start += f"sys.argv = sys.argv[:1]; runpy.run_path({str(path)!r}, run_name='__main__')"
                program = pathlib.Path(cache) / "program.py"
                program.write_text(start)
                text, status = run([sys.executable, *given.prefix, str(program)], given.seconds, TRITON_PTXAS_PATH=given.ptxas, TRITON_CACHE_DIR=cache)
                said = [f"{text.count('✅')} right, {text.count('❌')} wrong"] if "✅" in text or "❌" in text else []
                said += [line for line in text.splitlines() if "Error" in line][-1:]
                status = status or "❌" in text
        bad |= status != 0
        print(f"{name}: {'fine' if status == 0 else 'did not end' if status is None else 'BAD'}", *said, sep="; ", flush=True)
    return bad


class Trials:
    """One test with changed cubins, several at once."""

    def __init__(self, given):
        self.given, self.folder = given, tempfile.TemporaryDirectory()
        self.base = os.path.join(self.folder.name, "base")
        self.text, self.status = pytest(given, given.test, self.base)
        self.cubins = {path: path.read_bytes() for path in pathlib.Path(self.base).glob(f"*/{given.kernel}.cubin")}

    def passes(self, mode, first, end):
        cache = tempfile.mkdtemp(dir=self.folder.name)
        shutil.copytree(self.base, cache, dirs_exist_ok=True)
        for group in pathlib.Path(cache).glob("*/__grp__*.json"):
            group.write_text(group.read_text().replace(self.base, cache))  # names its files by whole paths
        for path, cubin in self.cubins.items():
            (pathlib.Path(cache) / path.relative_to(self.base)).write_bytes(slackened(cubin, mode, first, end)[0])
        good = pytest(self.given, self.given.test, cache)[1] == 0
        shutil.rmtree(cache)
        return good

    def first_that_passes(self, mode, ranges):
        """The index of the first of some ranges that passes, each longer than the one before; or how many there are."""
        with concurrent.futures.ThreadPoolExecutor(self.given.at_once) as pool:
            good = list(pool.map(lambda one: self.passes(mode, *one), ranges))
        return good.index(True) if True in good else len(good)

    def narrowed(self, mode, low, high, of):
        """The least number between low and high for which the range of it passes, high being known to."""
        while high - low > 1:
            parts = self.given.at_once + 1
            cuts = sorted({low + (high - low) * part // parts for part in range(1, parts)} - {low, high})
            at = self.first_that_passes(mode, [of(cut) for cut in cuts])
            low, high = cuts[at - 1] if at else low, cuts[at] if at < len(cuts) else high
        return high


def slack(given):
    trials = Trials(given)
    if trials.status == 0 or not trials.cubins:
        print("the test passes as it is" if trials.status == 0 else f"no kernel {given.kernel} was compiled:\n{trials.text[-2000:]}")
        return trials.status != 0
    count = max(slackened(cubin, "both", 0, 0)[1] for cubin in trials.cubins.values())
    for mode in MODES:
        helps = trials.passes(mode, 0, count)
        print(f"{mode}: {'passes' if helps else 'fails'}", flush=True)
        if helps:
            end = trials.narrowed(mode, 0, count, lambda end: (0, end))
            length = trials.narrowed(mode, 0, end, lambda length: (end - length, end))
            print(f"instructions {end - length} to {end - 1} need it: {16 * (end - length):#x} to {16 * (end - 1):#x}, counted over the file's functions")
            return False
    return True


def arguments():
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument("--ptxas", required=True, type=os.path.abspath)
    both.add_argument("--seconds", type=int, default=600, help="for one tutorial or run of the test")
    many = what.add_parser("tutorials", parents=[both])
    many.add_argument("folder")
    many.add_argument("--only", nargs="+")
    many.add_argument("--jobs", type=int, default=1, help="processes of pytest-xdist")
    one = what.add_parser("slack", parents=[both])
    one.add_argument("test")
    one.add_argument("--kernel", required=True)
    one.add_argument("--at-once", type=int, default=8)
    given = parser.parse_args(sys.argv[1:at])
    given.prefix = sys.argv[at + 1:]
    return given


if __name__ == "__main__":
    given = arguments()
    sys.exit(tutorials(given) if given.what == "tutorials" else slack(given))
