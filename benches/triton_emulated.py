#!/usr/bin/env python3
"""Runs a program that uses Triton and torch with no GPU: kernels are compiled by a ptxas of your choice and run in Warpsmith's emulator.

    triton_emulated.py --library libwarpsmith_libcuda.so --ptxas PATH [--gpu sm_90a] SCRIPT [ARGS]
    triton_emulated.py --library libwarpsmith_libcuda.so --ptxas PATH [--gpu sm_90a] -m pytest TESTS

`triton` and any build of torch (its CPU part is all that is used) are needed. The library stands in for libcuda.so.1
(`cargo build --release -p warpsmith-libcuda`; its variables WARPSMITH_GPU_* choose multiprocessors, checks and interleaving); `--ptxas` is a link
named ptxas to `warpsmith`, or the real one, to compare. Here torch is told that there is a GPU: tensors "on cuda" are on the CPU, and the driver
gets the memory of all tensors around each launch. Programs should be small: a product of 512 x 512 x 512 takes some seconds. What uses torch's own
CUDA kernels, CUDA graphs or streams that overlap finds none; timings mean nothing, and autotuners take the first configuration.
"""

import argparse, atexit, contextlib, ctypes, gc, os, pathlib, runpy, shutil, sys, tempfile, types


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--ptxas", required=True, type=pathlib.Path)
    parser.add_argument("--gpu", default="sm_90a")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module, such as pytest")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.program:
        parser.error("a script or a module is wanted")
    for path in (given.library, given.ptxas):
        if not path.exists():
            parser.error(f"{path} is not there")
    return given


def start_again(given):
    """The library has to be on the loader's path when the process starts."""
    folder = tempfile.mkdtemp(prefix="emulated-driver-")
    os.symlink(given.library.resolve(), os.path.join(folder, "libcuda.so.1"))
    os.symlink("libcuda.so.1", os.path.join(folder, "libcuda.so"))
    path = os.environ.get("LD_LIBRARY_PATH")
    ptxas = str(given.ptxas.absolute())
    os.environ.update(LD_LIBRARY_PATH=folder + (":" + path if path else ""), TRITON_LIBCUDA_PATH=folder, TRITON_PTXAS_PATH=ptxas,
                      TRITON_PTXAS_BLACKWELL_PATH=ptxas, WARPSMITH_GPU=given.gpu, TRITON_CACHE_DIR=os.environ.get("TRITON_CACHE_DIR", os.path.join(folder, "cache")))
    os.execv(sys.executable, [sys.executable, *sys.argv])


# ---- torch on the CPU that says it is on a GPU ----

def is_cuda(device):
    import torch
    if isinstance(device, torch.device):
        return device.type == "cuda"
    return isinstance(device, str) and device.startswith("cuda") or type(device) is int


def pretend(driver):
    import torch
    from torch.overrides import TorchFunctionMode
    here = torch.device("cpu", 0)

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, kinds, given=(), named=None):
            named = dict(named or {})
            named.pop("pin_memory", None)
            if is_cuda(named.get("device")):
                named["device"] = "cpu"
            if function is torch.Tensor.cuda:
                return given[0]
            if function is torch.Tensor.to:
                given = tuple("cpu" if isinstance(value, (str, torch.device)) and is_cuda(value) else value for value in given)
            if function == torch.Tensor.is_cuda.__get__:
                return True
            if function == torch.Tensor.device.__get__:
                return here
            return function(*given, **named)

    class Done:
        """A stream, an event, a device: nothing is ever waited for."""
        cuda_stream = 0
        def __init__(self, *_, **__): pass
        def __enter__(self): return self
        def __exit__(self, *_): pass
        def __getattr__(self, _): return lambda *_, **__: None
        def elapsed_time(self, _): return 1.0

    def attribute(number):
        value = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(value), number, 0)
        return value.value

    major, minor, memory = attribute(75), attribute(76), 64 << 30
    properties = types.SimpleNamespace(name="emulated", major=major, minor=minor, multi_processor_count=attribute(16), total_memory=memory,
                                       shared_memory_per_block_optin=attribute(97), shared_memory_per_multiprocessor=attribute(81),
                                       warp_size=32, max_threads_per_multi_processor=attribute(39), regs_per_multiprocessor=attribute(82),
                                       L2_cache_size=attribute(38))
    values = dict(is_available=True, is_initialized=True, current_device=0, device_count=1, get_device_capability=(major, minor),
                  get_device_properties=properties, get_device_name="emulated", current_stream=Done(), default_stream=Done(),
                  mem_get_info=(memory, memory), memory_allocated=0, is_current_stream_capturing=False, synchronize=None, set_device=None,
                  empty_cache=None, manual_seed=None, manual_seed_all=None, _lazy_init=None)
    for name, value in values.items():
        setattr(torch.cuda, name, lambda *_, value=value, **__: value)
    for name in ("Event", "Stream", "device"):
        setattr(torch.cuda, name, Done)
    torch.cuda.stream = lambda stream: stream
    torch._C._cuda_getCurrentRawStream = lambda *_: 0
    Mode().__enter__()
    return here


# ---- Triton ----

@contextlib.contextmanager
def shared_tensors(driver):
    """The memory of all tensors, as the driver's during a launch."""
    import torch
    held = {}
    with torch._C.DisableTorchFunction():
        for thing in gc.get_objects():
            if issubclass(type(thing), torch.Tensor) and thing.device.type == "cpu" and thing.layout == torch.strided:
                storage = thing.untyped_storage()
                held[storage.data_ptr()] = storage.nbytes()
    held = {start: size for start, size in held.items() if start and size}
    for start, size in held.items():
        if driver.cuMemHostRegister_v2(ctypes.c_void_p(start), ctypes.c_size_t(size), 0):
            raise MemoryError(f"the memory of a tensor at {start:#x} cannot be registered")
    try:
        yield
    finally:
        for start in held:
            driver.cuMemHostUnregister(ctypes.c_void_p(start))


def prepare(driver, here):
    import torch, triton
    import triton.backends.nvidia.driver as backend
    from triton._C import libtriton
    with contextlib.suppress(AttributeError):
        libtriton.nvidia.cublas.CublasLt = lambda *_: None
    backend.CudaDriver.get_active_torch_device = lambda self: here
    make = backend.CudaLauncher.__init__

    def init(self, *given, **named):
        make(self, *given, **named)
        launch = self.launch

        def shared(*values):
            with shared_tensors(driver):
                return launch(*values)
        self.launch = shared
    backend.CudaLauncher.__init__ = init

    # Kernels rely on an alignment of scratch memory that a GPU's allocator gives and the host's does not.
    set_allocator = triton.set_allocator

    def aligned(allocate):
        def allocated(size, align, stream):
            memory = allocate(size, align, stream)
            if memory.data_ptr() % 512:
                memory = torch.empty(memory.numel() + 512, dtype=torch.int8)
                memory = memory[-memory.data_ptr() % 512:]
            return memory
        set_allocator(allocated)
    triton.set_allocator = aligned
    # Nothing is timed.
    triton.testing.Mark.run = lambda *_, **__: None
    autotune = triton.autotune
    triton.autotune = lambda configs, key, **named: autotune(list(configs)[:1], key, **named)


def main():
    given = arguments()
    if given.gpu != os.environ.get("WARPSMITH_GPU") or "emulated-driver-" not in os.environ.get("LD_LIBRARY_PATH", ""):
        start_again(given)
    atexit.register(shutil.rmtree, os.environ["TRITON_LIBCUDA_PATH"], ignore_errors=True)
    driver = ctypes.CDLL("libcuda.so.1")
    if driver.cuInit(0):
        sys.exit("triton_emulated.py: the library does not start, for the reason above")
    prepare(driver, pretend(driver))
    program, *sys.argv[1:] = given.program
    sys.argv[0] = program
    if given.module:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(pathlib.Path(program).resolve().parent)
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
