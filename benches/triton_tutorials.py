#!/usr/bin/env python3
"""Every kernel of Triton's tutorials, ahead of time and without a GPU, through Triton's own compiler and a ptxas of your choice.

    triton_tutorials.py TUTORIALS_FOLDER --ptxas PATH [--against PATH] [--targets 80,86,89,90,100,103,110,120,121]
                        [--keep FOLDER] [--only WORD,WORD] [--per-kernel N] [--slow SECONDS]

TUTORIALS_FOLDER is python/tutorials of a Triton checkout of the same release as the installed `triton` package. Nothing else is needed: no torch,
no pytest, no CUDA. Each tutorial is run once for each target, in a process of its own: its tests, with their parameters in a shuffled order, then
what it does as a program. Stand-ins take the place of

  - torch: tensors that know their shape, strides and type, and hold nothing;
  - Triton's driver: a GPU of that target whose launches do nothing;
  - benchmarks: every configuration of an autotuner is compiled, and none is better than another.

What Triton's own passes refuse (tcgen05 on sm_90, say) never reaches ptxas. Of each kernel at most N specialisations are compiled (`--per-kernel`;
0: all there are), the same ones in each run. ptxas is called by Triton itself, with its own options, through TRITON_PTXAS_PATH and
TRITON_PTXAS_BLACKWELL_PATH; `--against` names another, to show what it makes of the same PTX. `--keep` saves each PTX as
FOLDER/sm_NNa/TUTORIAL-KERNEL-HASH.ptx. The exit code is 1 where ptxas refused a module that the other, if there is one, accepts.
"""

import argparse, collections, hashlib, inspect, itertools, json, math, os, pathlib, random, subprocess, sys, tempfile, time, types
from unittest.mock import MagicMock, patch

# Folders below the tutorials, and what stands before the names of their tutorials; the command lines of tutorials with options; and the shared memory
# of a block where it is not that of sm_90.
FOLDERS = {"": "", "gluon/": "gluon-"}
PROGRAMS = {"09-persistent-matmul": [[], ["--prec", "fp8"]],
            "10-block-scaled-matmul": [["--format", name] for name in ("nvfp4", "mxfp4", "mxfp8", "mixed")]}
SHARED_MEMORY = {75: 65536, 80: 166912, 86: 101376, 87: 166912, 89: 101376, 120: 101376, 121: 101376}

# ---- torch without numbers ----

class dtype:
    def __init__(self, name, size):
        self.name, self.itemsize, self.is_floating_point = name, size, "float" in name

    __repr__ = lambda self: "torch." + self.name

dtype.__module__ = "torch"
DTYPES = {name: dtype(name, size) for name, size in dict(float64=8, float32=4, float16=2, bfloat16=2, float8_e4m3fn=1, float8_e5m2=1,
                                                         int64=8, int32=4, int16=2, int8=1, uint8=1, bool=1).items()}
DTYPES |= {short: DTYPES[name] for short, name in dict(double="float64", float="float32", half="float16", long="int64", int="int32").items()}

class device:
    def __init__(self, kind="cuda", index=0):
        self.type, self.index = str(kind).split(":")[0], index

    __str__ = lambda self: f"{self.type}:{self.index}"
    __eq__ = lambda self, other: str(self) == str(other)

def dense(shape):
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))

def flat(shape):
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else tuple(shape)

def broadcast(*shapes):
    aligned = itertools.zip_longest(*[reversed(shape) for shape in shapes], fillvalue=1)
    return tuple(reversed([next((n for n in sizes if n != 1), 1) for sizes in aligned]))

class Tensor:
    is_cuda, requires_grad, device = True, False, device()

    def __init__(self, shape, dtype, strides=None, after=None):
        self.shape, self.dtype, self.strides = tuple(shape), dtype, tuple(strides or dense(shape))
        self.after = after  # the autograd function and the context that it comes from

    def like(self, shape=None, dtype=None, strides=None):
        return Tensor(self.shape if shape is None else shape, dtype or self.dtype, strides, self.after)

    ndim = property(lambda self: len(self.shape))
    T = mT = property(lambda self: self.transpose(-1, -2))
    data = property(lambda self: self)
    grad = property(lambda self: self.like(strides=self.strides), lambda self, value: None)
    data_ptr = lambda self: 1 << 20
    element_size = lambda self: self.dtype.itemsize
    numel = lambda self: math.prod(self.shape)
    size = lambda self, axis=None: self.shape if axis is None else self.shape[axis]
    stride = lambda self, axis=None: self.strides if axis is None else self.strides[axis]
    is_contiguous = lambda self: self.strides == dense(self.shape)
    is_dense = lambda self: self.permute(sorted(range(self.ndim), key=lambda i: -self.strides[i])).is_contiguous()
    contiguous = clone = lambda self: self.like()
    item = lambda self: 0
    tolist = lambda self: [0] * self.shape[0]
    half = lambda self: self.to(DTYPES["float16"])
    float = lambda self: self.to(DTYPES["float32"])
    flatten = lambda self: self.reshape(-1)
    select = lambda self, axis, index: self[(slice(None), ) * (axis % self.ndim) + (index, )]
    unsqueeze = lambda self, axis: self[(slice(None), ) * (axis % (self.ndim + 1)) + (None, )]
    expand = lambda self, *shape: self.like([m if n == -1 else n for n, m in zip(flat(shape), self.shape)])
    repeat = lambda self, *times: self.like([n * m for n, m in zip((1, ) * (len(flat(times)) - self.ndim) + self.shape, flat(times))])
    repeat_interleave = lambda self, times, dim: self.like([n * times if i == dim % self.ndim else n for i, n in enumerate(self.shape)])
    matmul = mm = lambda self, other: self.like([*broadcast(self.shape[:-2], other.shape[:-2]), self.shape[-2], other.shape[-1]])
    __matmul__ = matmul
    __bool__ = lambda self: True
    __int__ = __index__ = lambda self: 0
    __float__ = lambda self: 0.0
    __hash__ = object.__hash__
    __format__ = lambda self, form: format(0.0, form)
    __len__ = lambda self: self.shape[0]
    __iter__ = lambda self: (self[i] for i in range(self.shape[0]))
    __setitem__ = lambda self, index, value: None

    def to(self, *arguments, **named):
        return self.like(dtype=next((a for a in [*arguments, *named.values()] if isinstance(a, dtype)), None), strides=self.strides)

    type = to

    def permute(self, *axes):
        return self.like([self.shape[i] for i in flat(axes)], strides=[self.strides[i] for i in flat(axes)])

    def transpose(self, a, b):
        axes = list(range(self.ndim))
        axes[a], axes[b] = axes[b], axes[a]
        return self.permute(axes)

    def reshape(self, *shape):
        if isinstance(shape[0], dtype):  # view(dtype)
            return self.like([*self.shape[:-1], self.shape[-1] * self.dtype.itemsize // shape[0].itemsize], shape[0])
        known = math.prod(n for n in flat(shape) if n != -1)
        return self.like([self.numel() // known if n == -1 else n for n in flat(shape)])

    view = reshape

    def __getitem__(self, index):
        shape, strides, axes = [], [], list(zip(self.shape, self.strides))
        for i in index if isinstance(index, tuple) else [index]:
            if i is None:
                shape, strides = [*shape, 1], [*strides, 1]
                continue
            n, stride = axes.pop(0)
            if isinstance(i, slice):
                shape, strides = [*shape, len(range(*i.indices(n)))], [*strides, stride * (i.step or 1)]
            elif isinstance(i, Tensor):
                shape, strides = [*shape, i.numel()], [*strides, stride]
        return self.like([*shape, *[n for n, _ in axes]], strides=[*strides, *[stride for _, stride in axes]])

    def sum(self, dim=None, keepdim=False, axis=None):
        axis = axis if dim is None else dim
        return self.like([] if axis is None else [*self.shape[:axis % self.ndim], *[1] * keepdim, *self.shape[axis % self.ndim + 1:]])

    mean = any = all = argmin = argmax = sum

    def max(self, dim=None, keepdim=False):
        return self.sum() if dim is None else (self.sum(dim, keepdim), self.sum(dim, keepdim))

    min = max

    def combine(self, *others, **_):  # whatever is done element by element
        return self.like(broadcast(self.shape, *[other.shape for other in others if isinstance(other, Tensor)]))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.combine

    def backward(self, gradient=None, **_):
        if self.after:
            self.after[0].backward(self.after[1], self.like() if gradient is None else gradient)

for name in "add sub mul truediv floordiv mod pow and or xor lshift rshift radd rsub rmul rtruediv rpow neg invert abs".split():
    setattr(Tensor, f"__{name}__", Tensor.combine)
for name in "eq ne lt le gt ge".split():
    setattr(Tensor, f"__{name}__", lambda self, other: self.combine(other).to(DTYPES["bool"]))

class Function:  # torch.autograd.Function
    @classmethod
    def apply(cls, *arguments):
        context = types.SimpleNamespace()
        context.save_for_backward = lambda *tensors: setattr(context, "saved_tensors", tensors)
        result = cls.forward(context, *arguments)
        return Tensor(result.shape, result.dtype, result.strides, (cls, context))

class Torch(types.ModuleType):
    Tensor, dtype, device = Tensor, dtype, device
    version, jit = types.SimpleNamespace(hip=None, cuda="13.0"), types.SimpleNamespace(script=lambda function: function)
    testing, autograd = types.SimpleNamespace(assert_close=lambda *_, **__: None), types.SimpleNamespace(Function=Function)
    manual_seed = lambda *_: None
    allclose = lambda *_, **__: True
    arange = randperm = linspace = staticmethod(lambda *a, dtype=DTYPES["int64"], **_: Tensor([[a[0], a[-1] - a[0], a[-1]][len(a) - 1]], dtype))
    empty = zeros = ones = rand = randn = staticmethod(
        lambda *shape, size=None, dtype=None, **_: Tensor(flat(shape) if size is None else size, dtype or DTYPES["float32"]))
    empty_like = ones_like = randn_like = staticmethod(
        lambda t, dtype=None, **_: Tensor(t.shape, dtype or t.dtype, t.strides if t.is_dense() else None))
    randint = staticmethod(lambda *a, size=None, dtype=DTYPES["int64"], **_: Tensor(a[-1] if size is None else size, dtype))
    full = staticmethod(lambda shape, value, dtype=DTYPES["float32"], **_: Tensor(flat([shape]), dtype))

    def tensor(self, values, dtype=None, **_):
        values = values if isinstance(values, list) else [values]
        return Tensor([len(values)], dtype or DTYPES["int64" if values and all(isinstance(v, int) for v in values) else "float32"])

    def cat(self, tensors, dim=0):
        return tensors[0].like([sum(t.shape[dim] for t in tensors) if i == dim else n for i, n in enumerate(tensors[0].shape)])

    def where(self, condition, *values):
        tensors = [value for value in values if isinstance(value, Tensor)]
        return tensors[0].combine(condition, *tensors)

    def conv2d(self, x, w, stride=1, padding=0, **_):
        return x.like([x.shape[0], w.shape[0], *[(n + 2 * padding - k) // stride + 1 for n, k in zip(x.shape[2:], w.shape[2:])]])

    def __getattr__(self, name):  # a type, or the first tensor's method
        if name in DTYPES:
            return DTYPES[name]
        if name.startswith("__") or "float8" in name:
            raise AttributeError(name)
        return lambda *arguments, **named: getattr(next(a for a in arguments if isinstance(a, Tensor)), name)(*arguments[1:], **named)

def stand_in_torch(sm):
    torch = sys.modules["torch"] = Torch("torch")
    properties = types.SimpleNamespace(multi_processor_count=132, name=f"sm_{sm}", major=sm // 10, minor=sm % 10, total_memory=80 << 30)
    torch.nn = types.SimpleNamespace(functional=Torch("torch.nn.functional"))
    torch.cuda = MagicMock(**{"is_available.return_value": True, "get_device_capability.return_value": divmod(sm, 10),
                              "get_device_properties.return_value": properties, "current_device.return_value": 0})
    return torch

# ---- pytest that only notes what a test's marks say ----

class Skipped(Exception):
    pass

def skip(reason=""):
    raise Skipped(reason)

def mark(attribute, value):
    return lambda function: function.__dict__.setdefault(attribute, []).append(value) or function

def stand_in_pytest():
    sys.modules["pytest"] = types.SimpleNamespace(
        skip=skip, fixture=lambda function=None, **_: function or (lambda f: f), mark=types.SimpleNamespace(
            parametrize=lambda names, values, **_: mark("cases", ([name.strip() for name in names.split(",")], values)),
            skipif=lambda condition, **_: mark("unless", condition)))

def calls(test):
    """The arguments of each call of a test, shuffled."""
    if any(getattr(test, "unless", [])):
        return []
    fixtures = {key: MagicMock() for key, p in inspect.signature(test).parameters.items() if p.default is p.empty}
    axes = [[dict(zip(names, value if len(names) > 1 else [value])) for value in values] for names, values in getattr(test, "cases", [])]
    every = [fixtures | {name: value for part in parts for name, value in part.items()} for parts in itertools.product(*axes)]
    return random.Random(1).sample(every, len(every))

# ---- one tutorial for one target ----

class Kernel:
    """A compiled kernel whose launch does nothing."""
    n_regs, n_spills, function, packed_metadata, hash = 32, 0, None, None, ""

    def __init__(self, metadata=None):
        self.metadata, self.asm = metadata or types.SimpleNamespace(shared=0, num_warps=4), collections.defaultdict(str)

    run = _init_handles = launch_metadata = lambda self, *_, **__: None
    __getitem__ = lambda self, grid: self.run

def once(function, quantiles=None, **_):  # triton.testing.do_bench
    function()
    return [1.0] * len(quantiles) if quantiles else 1.0

class Report:  # triton.testing.perf_report
    def __init__(self, benchmarks):
        self.benchmarks = benchmarks if isinstance(benchmarks, list) else [benchmarks]

    def __call__(self, function):
        self.function = function
        return self

    def run(self, **_):
        for benchmark in self.benchmarks:
            for x, line in itertools.product({benchmark.x_vals[0], benchmark.x_vals[-1]}, benchmark.line_vals):
                named = dict(zip(benchmark.x_names, x)) if isinstance(x, tuple) else dict.fromkeys(benchmark.x_names, x)
                self.function(**named, **{benchmark.line_arg: line}, **benchmark.args)

def run_tutorial(path, name, sm, options, log):
    """Runs a tutorial. A JSON object in a line of the log is what became of a PTX module, or a kernel that Triton refused, or what ended a part early."""
    write = lambda **entry: print(json.dumps(entry), file=log, flush=True)
    torch = stand_in_torch(sm)
    stand_in_pytest()
    sys.modules |= {module: MagicMock() for module in ("matplotlib", "matplotlib.pyplot", "pandas", "tabulate", "triton.profiler", "triton.profiler.viewer")}
    sys.modules["triton.profiler.viewer"].parse.return_value = None, None
    import triton
    import triton.backends.nvidia.compiler as nvidia
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.errors import PTXASError
    triton.profiler = sys.modules["triton.profiler"]
    triton.profiler.viewer = sys.modules["triton.profiler.viewer"]
    triton._C.libtriton.nvidia.cublas = MagicMock()
    memory = dict(max_shared_mem=SHARED_MEMORY.get(sm, 232448), max_num_regs=65536, multiprocessor_count=132, warpSize=32)
    triton.runtime.driver.set_active(MagicMock(**{
        "get_current_target.return_value": triton.backends.compiler.GPUTarget("cuda", sm, 32), "get_current_device.return_value": 0,
        "get_current_stream.return_value": 0, "get_active_torch_device.return_value": torch.device(), "get_benchmarker.return_value": once,
        "utils.get_device_properties.return_value": memory}))
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = once
    triton.testing.perf_report = Report
    if nvidia.get_ptxas(sm).path != str(options.ptxas):
        sys.exit(f"Triton takes {nvidia.get_ptxas(sm).path} for its ptxas, not {options.ptxas}")

    results = {}  # the cubin or the error of each PTX module
    make_cubin, compile_kernel, prune = nvidia.CUDABackend.make_cubin, triton.compiler.compile, Autotuner.prune_configs

    def ptxas(backend, ptx, metadata, opt, capability):
        digest = hashlib.sha256(ptx.encode()).hexdigest()[:8]
        if digest not in results:
            entry = dict(ptx=f"{nvidia.sm_arch_from_capability(sm)}/{name}-{metadata['name'][:60]}-{digest}.ptx")
            if options.keep:
                file = options.keep / entry["ptx"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(ptx)
            for tool in ["against", "ptxas"] if options.against else ["ptxas"]:
                tool_path, start = types.SimpleNamespace(path=str(getattr(options, tool))), time.monotonic()
                try:
                    with patch.object(nvidia, "get_ptxas", lambda arch: tool_path):
                        results[digest] = make_cubin(backend, ptx, metadata, opt, capability), None
                except PTXASError as e:
                    results[digest] = None, str(e)
                entry[tool], entry[tool + "_seconds"] = results[digest][1], time.monotonic() - start
            write(**entry)
        cubin, error = results[digest]
        if error:
            raise PTXASError(error)
        return cubin

    tried = collections.defaultdict(set)  # the specialisations of each kernel

    def compile_one(src, target=None, options=options, limit=options.per_kernel, **_):
        seen, key = tried[src.name], src.hash() + str(options)
        if key in seen or limit and len(seen) >= limit:
            return Kernel()
        seen.add(key)
        try:
            return Kernel(compile_kernel(src, target=target, options=options).metadata)
        except PTXASError:
            return Kernel()
        except Exception as e:
            write(refused=f"{src.name}: {type(e).__name__}: {str(e)[-300:]}")
            return Kernel()

    def shuffled(tuner, named):
        configs = prune(tuner, named)
        return random.Random(1).sample(configs, len(configs))

    nvidia.CUDABackend.make_cubin, triton.compiler.compile, Autotuner.prune_configs = ptxas, compile_one, shuffled

    def part(what, function, *arguments, **named):
        try:
            return function(*arguments, **named)
        except (Skipped, SystemExit):
            pass
        except Exception as e:
            lines = [frame.lineno for frame in inspect.trace() if frame.filename == str(path)] or ["?"]
            write(ended=f"{what}, line {lines[-1]}: {type(e).__name__}: {str(e)[-300:]}")

    def execute(run_name, *arguments):
        sys.argv, text = [str(path), *arguments], path.read_text().replace("=10000", "=1")  # repetitions of a benchmark
        module = sys.modules[run_name] = types.ModuleType(run_name)
        module.__file__ = str(path)
        exec(compile(text, str(path), "exec"), module.__dict__)
        return module

    sys.path.insert(0, str(path.parent))
    if "\ndef test_" in path.read_text() and "__main__" in path.read_text():
        module = part("import", execute, path.stem)
        for test in [value for key, value in vars(module or types.SimpleNamespace()).items() if key.startswith("test_")]:
            for arguments in calls(test):
                part(test.__name__, test, **arguments)
    for arguments in PROGRAMS.get(path.stem, [[]]):
        part(" ".join(["program", *arguments]), execute, "__main__", *arguments)

# ---- all of them ----

def run_process(name, file, sm, options):
    """The log of a tutorial's process, and what it said where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        log.touch()
        command = [sys.executable, os.path.abspath(__file__), file, "--per-kernel", str(options.per_kernel), "--one", name, sm, log]
        for tool in ("ptxas", "against", "keep"):
            command += [f"--{tool}", getattr(options, tool)] if getattr(options, tool) else []
        environment = dict(os.environ, TRITON_PTXAS_PATH=str(options.ptxas), TRITON_PTXAS_BLACKWELL_PATH=str(options.ptxas),
                           TRITON_CACHE_DIR=folder + "/cache")
        ended = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        entries = [json.loads(line) for line in log.read_text().splitlines()]
    return entries, f"the process ended with {ended.returncode}: {ended.stderr.strip()[-500:]}" if ended.returncode else None

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = lambda text: pathlib.Path(text).absolute()
    parser.add_argument("tutorials", type=path)
    parser.add_argument("--ptxas", type=path, required=True)
    parser.add_argument("--against", type=path)
    parser.add_argument("--targets", default="80,86,89,90,100,103,110,120,121")
    parser.add_argument("--keep", type=path)
    parser.add_argument("--only", default="", help="the tutorials with one of these words in their names")
    parser.add_argument("--per-kernel", type=int, default=4)
    parser.add_argument("--slow", type=float, default=20, help="name the modules that take ptxas longer")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)  # in a tutorial's own process: its name, the target, the log
    options = parser.parse_args()
    if options.one:
        name, sm, log = options.one
        return run_tutorial(options.tutorials, name, int(sm), options, open(log, "a"))

    files = {prefix + file.stem: file for folder, prefix in FOLDERS.items() for file in sorted((options.tutorials / folder).glob("[0-9]*.py"))}
    files = {name: file for name, file in files.items() if any(word in name for word in options.only.split(","))}
    if not files:
        sys.exit(f"no tutorials in {options.tutorials}")
    totals = {}
    failed = False
    for sm in options.targets.split(","):
        print(f"sm_{sm:50} {'modules':>7} {'accepted':>9} {'against':>9} {'not to ptxas':>13} {'seconds':>9}")
        totals[sm] = total = collections.Counter()
        for name, file in files.items():
            start = time.monotonic()
            entries, problem = run_process(name, file, sm, options)
            modules = [entry for entry in entries if "ptx" in entry]
            row = dict(modules=len(modules), accepted=sum(m["ptxas"] is None for m in modules),
                       against=sum(m["against"] is None for m in modules) if options.against else "-", refused=sum("refused" in e for e in entries))
            total.update({key: value for key, value in row.items() if value != "-"})
            print(f"  {name:51} {row['modules']:>7} {row['accepted']:>9} {row['against']:>9} {row['refused']:>13} {time.monotonic() - start:>9.0f}", flush=True)
            for m in modules:
                for tool in ("ptxas", "against"):
                    if m.get(tool):
                        print(f"    {m['ptx']}, {tool}:", " ".join(m[tool].split("Repro command")[0].split()))
                if m["ptxas_seconds"] > options.slow:
                    print(f"    {m['ptx']}: {m['ptxas_seconds']:.0f} s", f"(against: {m['against_seconds']:.0f} s)" if options.against else "")
                failed |= bool(m["ptxas"] and not m.get("against"))
            for key, title in dict(refused="not to ptxas", ended="ended early").items():
                for message, times in collections.Counter(entry[key] for entry in entries if key in entry).items():
                    print(f"    {title}{f', {times} times' if times > 1 else ''}: {' '.join(message.split())}")
            if problem:
                failed = True
                print(f"    {problem}")
    for sm, total in totals.items():
        print(f"sm_{sm}: {total['accepted']} of {total['modules']} accepted" + (f", against: {total['against']}" if options.against else ""))
    return failed

if __name__ == "__main__":
    sys.exit(main())
