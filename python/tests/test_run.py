"""``warpsmith.run``: kernels on arrays of NumPy's, with no GPU."""

import signal
import threading

import numpy
import pytest
import warpsmith

from test_compile import SAXPY


def arrays(count=512):
    return numpy.arange(count, dtype=numpy.float32), numpy.ones(count, dtype=numpy.float32)


@pytest.mark.parametrize("emit", ["cubin", "ptx"])
def test_saxpy(emit):
    artifact = warpsmith.compile(SAXPY, emit=emit)
    x, y = arrays()
    report = warpsmith.run(artifact, "saxpy", grid=4, block=128, args=[512, 2.0, x, y])
    assert (y == 2 * numpy.arange(512) + 1).all()
    assert (x == numpy.arange(512)).all()
    assert report.global_sectors == 192
    assert report.printed == ""


def test_a_source_is_compiled_and_its_only_kernel_run():
    x, y = arrays()
    warpsmith.run(SAXPY, grid=(4, 1), block=[128], args=[512, 2, x, y], check=["registers", "uninitialised"])
    assert y[511] == 1023


def test_a_source_for_a_target_is_run_as_machine_code():
    x, y = arrays()
    report = warpsmith.run(SAXPY, grid=4, block=128, args=[512, 2, x, y], arch="sm_75", check=["hazards"])
    assert report.opcodes["FFMA"] == 16
    report = warpsmith.run(SAXPY, grid=4, block=128, args=[512, 2, x, y], arch="sm_75", on="interpreter")
    assert report.opcodes["fma.rn.f32"] == 16
    with pytest.raises(ValueError, match="the check `registers` is for PTX, and this is machine code"):
        warpsmith.run(SAXPY, args=[512, 2, x, y], arch="sm_75", check=["registers"])
    with pytest.raises(ValueError, match="on: the artifact has no machine code"):
        warpsmith.run(warpsmith.compile(SAXPY, emit="ptx"), args=[512, 2, x, y], on="emulator")


def test_kernels_of_cpp_have_their_names():
    source = "__global__ void one(int *x) { *x = 1; }\n__global__ void two(int *x) { *x = 2; }\n"
    x = numpy.zeros(1, numpy.int32)
    warpsmith.run(source, "two", args=[x])
    assert x[0] == 2
    with pytest.raises(ValueError, match=r"there is no kernel `three`; there are one\(int\*\), two\(int\*\)"):
        warpsmith.run(source, "three", args=[x])
    with pytest.raises(ValueError, match="which kernel is meant must be said"):
        warpsmith.run(source, args=[x])


def test_printf():
    source = '#include <cstdio>\n__global__ void hello() { printf("hello from %d\\n", threadIdx.x); }\n'
    assert warpsmith.run(source, block=2).printed == "hello from 0\nhello from 1\n"


def test_numbers_are_fitted_to_their_parameters():
    source = """
    struct Pair { short a; float b; };
    extern "C" __global__ void k(double *out, char c, unsigned short s, long long l, double d, Pair p) {
        out[0] = c; out[1] = s; out[2] = l; out[3] = d; out[4] = p.a; out[5] = p.b;
    }
    """
    out = numpy.zeros(6)
    pair = numpy.array((7, 0, 0.5), dtype=[("a", "i2"), ("gap", "i2"), ("b", "f4")])[()]
    warpsmith.run(source, args=[out, -1, numpy.int64(65535), 1 << 40, 3, pair])
    assert out.tolist() == [-1, 65535, 1 << 40, 3, 7, 0.5]
    warpsmith.run(source, args=[out, True, 1, -1, numpy.float32(0.5), b"\7\0\0\0\0\0\0\0"])
    assert out.tolist() == [1, 1, -1, 0.5, 7, 0]


def test_a_tensor_of_dtypes():
    source = "#include <cuda_fp16.h>\n__global__ void k(__half *h, bool *b, double2 *z) { *h = *h + *h; *b = !*b; z->y = 4; }\n"
    h, b, z = numpy.array(1.5, numpy.float16), numpy.array([False]), numpy.array([1 + 2j])
    warpsmith.run(source, args=[h, b, z])
    assert (h, b[0], z[0]) == (3, True, 1 + 4j)


X, Y = arrays()


@pytest.mark.parametrize(
    ("args", "error", "reason"),
    [
        ([512, 2.0, X], ValueError, "has 4 parameters, but 3 arguments are given"),
        ([512.5, 2.0, X, Y], TypeError, "argument 0 of kernel `saxpy`: 512.5 is given, and the parameter is an integer"),
        ([1 << 32, 2.0, X, Y], ValueError, "argument 0 of kernel `saxpy`: 4294967296 does not fit 4 bytes"),
        ([X, 2.0, X, Y], TypeError, "the parameter is no address: it has 4 bytes"),
        ([512, 1e39, X, Y], ValueError, "argument 1 of kernel `saxpy`: 1e.39 is beyond a floating-point number of 4 bytes"),
        ([512, "2", X, Y], TypeError, "a number, an array of NumPy's or bytes are wanted, not str"),
        ([512, 2.0, X[::2], Y], ValueError, "argument 2 of kernel `saxpy`: the array is not contiguous"),
        ([512, 2.0, Y[:256], Y[128:]], ValueError, "shares a part of its memory with argument 2"),
        ([512, 2.0, X.astype(">f4"), Y], TypeError, "its bytes in another order"),
        ([512, 2.0, numpy.array([None]), Y], TypeError, "holds objects of Python's"),
    ],
)
def test_arguments_that_are_refused(args, error, reason):
    before = Y.copy()
    with pytest.raises(error, match=reason):
        warpsmith.run(SAXPY, grid=4, block=128, args=args)
    assert (before == Y).all()


def test_a_launch_that_is_refused():
    with pytest.raises(ValueError, match="grid: one to three numbers are wanted, not 4"):
        warpsmith.run(SAXPY, grid=(1, 1, 1, 1), args=[1, 2.0, X, Y])
    with pytest.raises(ValueError, match="block: 0 is not possible"):
        warpsmith.run(SAXPY, block=0, args=[1, 2.0, X, Y])
    with pytest.raises(ValueError, match="there is no check `race`; there are races"):
        warpsmith.run(SAXPY, check="race", args=[1, 2.0, X, Y])


def test_read_only_arrays_may_be_read():
    x, y = arrays()
    x.flags.writeable = False
    warpsmith.run(SAXPY, grid=4, block=128, args=[512, 2.0, x, y])
    assert y[511] == 1023
    y.flags.writeable = False
    with pytest.raises(ValueError, match="argument 3: the kernel wrote to an array that is read-only"):
        warpsmith.run(SAXPY, grid=4, block=128, args=[512, 2.0, x, y])


def test_an_array_that_is_given_twice_is_one():
    y = numpy.ones(4, numpy.float32)
    warpsmith.run(SAXPY, block=4, args=[4, 2.0, y, y])
    assert y.tolist() == [3, 3, 3, 3]


def test_a_cubin_alone_does_not_say_types():
    cubin = warpsmith.compile(SAXPY).cubin
    x, y = arrays()
    with pytest.raises(TypeError, match="the cubin says that the parameter has 4 bytes, and not its type"):
        warpsmith.run(cubin, grid=4, block=128, args=[512, 2.0, x, y])
    warpsmith.run(cubin, grid=4, block=128, args=[numpy.int32(512), numpy.float32(2), x, y])
    assert y[511] == 1023


def test_a_fault_has_its_place_and_leaves_arrays_alone():
    source = SAXPY.replace("i < n", "i <= n")
    x, y = arrays()
    with pytest.raises(warpsmith.Fault) as raised:
        warpsmith.run(source, grid=5, block=128, args=[512, 2.0, x, y])
    fault = raised.value
    assert (fault.kind, fault.kernel) == ("out-of-bounds access", "saxpy")
    assert (fault.cta, fault.thread) == ((4, 0, 0), (0, 0, 0))
    assert (fault.diagnostics[0].line, fault.diagnostics[0].column) == (3, 28)
    assert "3 |     if (i <= n) y[i] = a * x[i] + y[i];" in str(fault)
    assert "`args[2][512]`, and `args[2]` has 512 elements of f32" in str(fault)
    assert (y == 1).all()


def test_machine_code_knows_the_lines_that_it_was_compiled_with():
    artifact = warpsmith.compile(SAXPY.replace("i < n", "true"), line_info=True)
    x, y = arrays(4)
    with pytest.raises(warpsmith.Fault, match=r"source:3:"):
        warpsmith.run(artifact, block=5, args=[4, 2.0, x, y])


def test_a_fault_in_ptx_shows_the_line_of_ptx():
    ptx = warpsmith.compile(SAXPY.replace("i < n", "true"), emit="ptx").ptx
    x, y = arrays(4)
    with pytest.raises(warpsmith.Fault, match=r"ld.global"):
        warpsmith.run(warpsmith.compile(ptx, emit="ptx"), block=5, args=[4, 2.0, x, y])


def test_races():
    source = """\
extern "C" __global__ void reverse(int *data) {
    __shared__ int tile[64];
    tile[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = tile[63 - threadIdx.x];
}
"""
    data = numpy.arange(64, dtype=numpy.int32)
    with pytest.raises(warpsmith.Fault) as raised:
        warpsmith.run(source, block=64, args=[data], check=["races"])
    assert raised.value.kind == "data race"
    assert "the access before" in str(raised.value)


FOREVER = "__global__ void forever(volatile int *x) { while (*x == 0) {} }\n"


def test_a_budget():
    with pytest.raises(warpsmith.Fault) as raised:
        warpsmith.run(FOREVER, args=[numpy.zeros(1, numpy.int32)], budget=10_000)
    assert raised.value.kind == "instruction budget spent"


def test_an_interrupt_ends_a_run():
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        warpsmith.run(FOREVER, args=[numpy.zeros(1, numpy.int32)])


def test_another_thread_cancels():
    cancel = warpsmith.Cancel()
    artifact = warpsmith.compile(FOREVER)
    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(warpsmith.Cancelled):
        warpsmith.run(artifact, args=[numpy.zeros(1, numpy.int32)], cancel=cancel)
