#!/usr/bin/env python3
"""Computes what the kernels of this folder must give, independently of Warpsmith, and writes it as .npy files.

    python3 expected.py [KERNEL...]

Each folder's expected.py is executed with the functions below as its names; `save` writes into its folder. Standard library only.
"""
import math
import struct
import sys
from fractions import Fraction
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TYPES = {
    "u8": ("|u1", "B"), "s8": ("|i1", "b"), "u16": ("<u2", "H"), "s16": ("<i2", "h"), "u32": ("<u4", "I"), "s32": ("<i4", "i"),
    "u64": ("<u8", "Q"), "s64": ("<i8", "q"), "f16": ("<f2", "e"), "f32": ("<f4", "f"), "f64": ("<f8", "d"),
}
U32 = 0xFFFFFFFF
U64 = 0xFFFFFFFFFFFFFFFF


def mixed(seed, index):
    """64 random bits: SplitMix64 after index + 1 steps, as in sources `random:` of launch files."""
    state = (seed + 0x9E3779B97F4A7C15 * (index + 1)) & U64
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & U64
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & U64
    return state ^ (state >> 31)


def random(kind, count, seed=0, low=None, high=None):
    """The list that the source random:KIND:COUNT:SEED:LOW:HIGH gives."""
    words = [mixed(seed, index) for index in range(count)]
    if kind in ("f32", "f64", "f16"):
        low, high = (0.0, 1.0) if low is None else (low, high)
        return [as_type(kind, low + (high - low) * ((word >> 40) / float(1 << 24))) for word in words]
    if low is not None:
        return [low + word % (high - low) for word in words]
    return [as_type(kind, word) for word in words]


def as_type(kind, value):
    """The value as the type keeps it: integers wrapped, floats rounded."""
    if kind[0] == "f":
        try:
            return struct.unpack("<" + TYPES[kind][1], struct.pack("<" + TYPES[kind][1], value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    bits = int(kind[1:])
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


def f32(value):
    """The nearest single, ties to even."""
    return as_type("f32", value)


def bits32(value):
    """The bits of a single."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def from_bits32(bits):
    """The single of these bits."""
    return struct.unpack("<f", struct.pack("<I", bits & U32))[0]


def bits64(value):
    """The bits of a double."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def from_bits64(bits):
    """The double of these bits."""
    return struct.unpack("<d", struct.pack("<Q", bits & U64))[0]


def s32(value):
    """Wrapped to 32 bits with sign."""
    return as_type("s32", value)


def rotate_left(value, count, width=32):
    """Rotated bits."""
    mask = (1 << width) - 1
    return ((value << count) | (value >> (width - count))) & mask


def npy(kind, values, shape=None):
    """The bytes of an .npy file."""
    descriptor, code = TYPES[kind]
    shape = shape or (len(values),)
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descriptor, tuple(shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack("<%d%s" % (len(values), code), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def run(folder):
    """Executes the expected.py of one kernel."""
    def save(name, kind, values, shape=None):
        assert folder.joinpath("launch.toml").read_text().find(name + ".npy") >= 0, name + " is not used"
        folder.joinpath(name + ".npy").write_bytes(npy(kind, list(values), shape))

    names = {name: value for name, value in globals().items() if not name.startswith("_")}
    script = folder / "expected.py"
    exec(compile(script.read_text(), str(script), "exec"), {**names, "save": save})


if __name__ == "__main__":
    for script in sorted(FOLDER.glob("*/expected.py")):
        if len(sys.argv) == 1 or script.parent.name in sys.argv[1:]:
            run(script.parent)
