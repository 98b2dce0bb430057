"""``warpsmith.compile``: what is made of sources, and what is said of those that are wrong."""

import pathlib
import signal
import threading
import time

import pytest
import warpsmith

SAXPY = """\
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
NOTHING = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"


def test_a_cubin_and_what_it_takes():
    artifact = warpsmith.compile(SAXPY)
    assert artifact.arch == "sm_90"
    assert artifact.cubin.startswith(b"\x7fELF")
    assert ".visible .entry saxpy(" in artifact.ptx
    saxpy = artifact.kernels["saxpy"]
    assert 0 < saxpy.registers <= 24
    assert (saxpy.barriers, saxpy.spill_store_bytes, saxpy.shared_bytes) == (0, 0, 0)
    assert artifact.diagnostics == artifact.remarks == []


def test_each_language_is_found_out():
    assert warpsmith.compile(NOTHING).arch == "sm_80"
    ir = "define ptx_kernel void @nothing() {\n  ret void\n}\n"
    assert "nothing" in warpsmith.compile(ir, arch="sm_75").kernels
    assert "nothing" in warpsmith.compile("__global__ void nothing() {}", name="k.cu", emit="cubin").ptx


def test_emit_says_how_far():
    assert warpsmith.compile(SAXPY, emit="check").ptx is None
    assert "define" in warpsmith.compile(SAXPY, emit="ir").ir
    ptx = warpsmith.compile(SAXPY, emit="ptx")
    assert ptx.cubin is None and "fma.rn.f32" in ptx.ptx


def test_options_have_the_names_of_the_library():
    assert "fma" not in warpsmith.compile(SAXPY, emit="ptx", contract=False).ptx
    assert "fma.rn.ftz.f32" in warpsmith.compile(SAXPY, emit="ptx", fast_math=True).ptx
    assert "fma.rn.f32" in warpsmith.compile(SAXPY, emit="ptx", fast_math=True, flush_denormals=False).ptx
    assert ".version 7.8" in warpsmith.compile(SAXPY, emit="ptx", ptx_version="7.8").ptx
    assert ".loc" in warpsmith.compile(SAXPY, emit="ptx", line_info=True).ptx


def test_headers_and_definitions_from_memory():
    source = '#include "scale.h"\n__global__ void k(int *x) { *x *= SCALE * N; }\n'
    headers = {"scale.h": "#define SCALE 3\n"}
    artifact = warpsmith.compile(source, name="deep/k.cu", headers=headers, definitions={"N": 5})
    assert artifact.dependencies == ["deep/k.cu", "scale.h"]
    assert "15" in artifact.ptx
    again = warpsmith.compile(source, name="deep/k.cu", headers=headers, definitions=["N=5"])
    assert again.cubin == artifact.cubin


def test_names_of_instances():
    source = "template <class T> __global__ void scale(T *x) { *x *= 2; } __device__ int table[4];"
    artifact = warpsmith.compile(source, names=["scale<float>", "&table"])
    assert artifact.names == {"scale<float>": "_Z5scaleIfEvPT_", "&table": "table"}
    assert list(artifact.kernels) == ["_Z5scaleIfEvPT_"]


def test_files(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "n.h").write_text("constexpr int n = 7;\n")
    path = tmp_path / "k.cu"
    path.write_text("#include <n.h>\n__global__ void k(int *x) { *x = n; }\n")
    artifact = warpsmith.compile(path, folders=[tmp_path / "include"])
    assert artifact.dependencies == [str(path), str(tmp_path / "include" / "n.h")]
    with pytest.raises(ValueError, match="is the name of a file"):
        warpsmith.compile(str(path))


def test_what_is_wrong_has_its_place():
    with pytest.raises(warpsmith.CompileError) as raised:
        warpsmith.compile("__global__ void k(int *x) {\n    *x = y;\n}\n", name="bad.cu")
    (error,) = raised.value.diagnostics
    assert (error.severity, error.file, error.line, error.column) == ("error", "bad.cu", 2, 10)
    assert error.message == "`y` is not declared"
    assert "2 |     *x = y;\n  |          ^" in str(raised.value)


def test_what_is_not_supported_is_another_error():
    with pytest.raises(warpsmith.UnsupportedError, match="`throw` is not supported in device code"):
        warpsmith.compile("__global__ void k() { throw 1; }\n", name="k.cu")


def test_warnings():
    source = "__global__ void k(int *x) { int unused; *x = 1; }\n"
    (warning,) = warpsmith.compile(source, name="k.cu").diagnostics
    assert (warning.severity, warning.number) == ("warning", 177)
    assert warpsmith.compile(source, no_warnings=True).diagnostics == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"arch": "sm_91"}, "sm_9"),
        ({"emit": "sass"}, "emit: it is check, ir, ptx or cubin, not `sass`"),
        ({"level": 4}, "level: it is 0, 1, 2 or 3, not 4"),
        ({"language": "opencl"}, "language: it is cuda, ptx or ir, not `opencl`"),
        ({"ptx_version": "1.9"}, "there is no version 1.9 of PTX"),
        ({"maximum_registers": -1}, "maximum_registers: "),
    ],
)
def test_values_that_an_option_cannot_have(options, reason):
    with pytest.raises(ValueError, match=reason):
        warpsmith.compile(SAXPY, **options)


def test_listings():
    artifact = warpsmith.compile(SAXPY)
    assert "FFMA" in warpsmith.disassemble(artifact)
    assert warpsmith.disassemble(artifact.cubin, style="warpsmith").startswith(".target sm_90\n")
    with pytest.raises(warpsmith.CompileError):
        warpsmith.disassemble(b"no cubin")


def test_targets_and_version():
    assert {"sm_75", "sm_90a", "sm_121"} <= set(warpsmith.targets())
    assert warpsmith.__version__.count(".") == 2


def long_source() -> str:
    """Functions that take some seconds to compile."""
    line = "x = x * {0} + y / (x + {0}); y = sinf(x) + cosf(y * {0});"
    body = "\n".join(line.format(f"{number}.5f") for number in range(300))
    kernels = (f"__global__ void k{number}(float *p, float x, float y) {{ {body} *p = x + y; }}" for number in range(20))
    return "\n".join(kernels)


def test_another_thread_cancels():
    cancel = warpsmith.Cancel()
    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(warpsmith.Cancelled):
        warpsmith.compile(long_source(), cancel=cancel)
    assert cancel.is_cancelled


def test_an_interrupt_ends_a_compile():
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        warpsmith.compile(long_source())
    assert time.monotonic() - start < 5


def test_other_threads_run_meanwhile():
    count = 0
    done = threading.Event()

    def counts():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=counts)
    thread.start()
    warpsmith.compile(long_source(), emit="ptx")
    done.set()
    thread.join()
    assert count > 20


def test_the_same_bytes_each_time():
    assert warpsmith.compile(SAXPY).cubin == warpsmith.compile(pathlib.Path(__file__).parent / "saxpy.cu", name="source").cubin
