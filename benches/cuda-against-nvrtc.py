#!/usr/bin/env python3
"""Processor time from CUDA C++ to a cubin: ours, nvcc's and NVRTC's, file by file in one run.

    cuda-against-nvrtc.py WARPSMITH LIBNVRTC [--arch sm_90] [--sample N] [--include FOLDER] FILE…

Ours and nvcc's (if it is on PATH) are whole processes, start included. NVRTC's is the call of nvrtcCompileProgram alone, in a process that has loaded the
library before; the first call of each process, so that nothing is left over from another file. Files that one of them refuses are left out of its column.
"""

import argparse, ctypes, glob, math, os, resource, shutil, subprocess, sys, tempfile


def processor_time(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run(command):
    """Seconds of processor time of a command with all that it starts, or None if it fails."""
    before = processor_time(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return processor_time(resource.RUSAGE_CHILDREN) - before if done.returncode == 0 else None


def nvrtc(library, file, options):
    """What a child process measures of NVRTC."""
    command = [sys.executable, __file__, "--child", library, file, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else None


def child(library, file, options):
    for part in glob.glob(os.path.join(os.path.dirname(library), "libnvrtc-builtins.so*")):
        ctypes.CDLL(part)  # It would be looked for in the loader's folders.
    functions = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    with open(file, "rb") as source:
        text = source.read()
    if functions.nvrtcCreateProgram(ctypes.byref(program), text, file.encode(), 0, None, None):
        return 1
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    before = processor_time(resource.RUSAGE_SELF)
    if functions.nvrtcCompileProgram(program, len(options), given):
        return 1
    print(processor_time(resource.RUSAGE_SELF) - before)
    return 0


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2], sys.argv[3], sys.argv[4:])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpsmith")
    parser.add_argument("library")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    includes = [f"-I{folder}" for folder in arguments.include]
    nvcc = shutil.which("nvcc")
    times = {"nvcc": [], "NVRTC": []}
    total = {name: [0.0, 0.0] for name in times}
    with tempfile.TemporaryDirectory() as folder:
        to = os.path.join(folder, "out.cubin")
        for file in arguments.files[:: arguments.sample]:
            ours = run([arguments.warpsmith, file, f"-arch={arguments.arch}", "-cubin", "-o", to, *includes])
            if ours is None:
                continue
            options = [f"--gpu-architecture={arguments.arch}", *includes]
            theirs = {"NVRTC": nvrtc(arguments.library, file, options)}
            if nvcc:
                theirs["nvcc"] = run([nvcc, "-cubin", f"-arch={arguments.arch}", *includes, file, "-o", to])
            for name, seconds in theirs.items():
                if seconds is not None:
                    times[name].append(seconds / max(ours, 1e-4))
                    total[name][0] += ours
                    total[name][1] += seconds
    for name, ratios in times.items():
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            ours, theirs = total[name]
            print(f"{name}: {len(ratios)} files, {theirs:.2f} s against {ours:.2f} s of ours: {theirs / ours:.1f} times, geometric mean {mean:.1f} times")
    return 0


sys.exit(main())
