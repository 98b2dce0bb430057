//! What is damaged: the small files of the tree, and what is made of them.

use std::fs;
use std::path::{Path, PathBuf};

use warpsmith_cubin::Cubin;
use warpsmith_cubin::fatbin::{self, Compression, Image};
use warpsmith_listing::Style;
use warpsmith_target::Sm;

use super::listing_of;
use super::readers::Reader;
use crate::Random;

/// Bytes of a file that is small.
const SMALL: u64 = 6 << 10;

/// The kernel that stands beside a file that is no kernel.
const KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n) {\n.reg .b64 %d<4>;\n.reg .b32 %r<4>;\n\
                      ld.param.u64 %d1, [a];\nmov.u32 %r1, %tid.x;\nst.global.u8 [%d1], %r1;\nret;\n}\n";

/// Files to damage.
pub(super) struct Seeds {
    files: Vec<Vec<u8>>,
    beside: Vec<(&'static str, Vec<u8>)>,
}

impl Seeds {
    /// Those of a reader.
    pub(super) fn of(reader: Reader) -> Seeds {
        let mut beside: Vec<(&'static str, Vec<u8>)> = Vec::new();
        let files = match reader {
            Reader::Ptx => {
                let mut files = texts("ptx");
                files.extend(EXTREMES.iter().map(|text| text.as_bytes().to_vec()));
                files
            }
            Reader::Cuda => texts("cu"),
            Reader::Ir => ir(),
            Reader::Cubin => cubins(),
            Reader::Fatbin => fatbins(),
            Reader::Listing => listings(),
            Reader::LaunchFile => {
                beside.push(("kernel.ptx", KERNEL.into()));
                launch_files()
            }
            Reader::Npy => {
                beside.push(("k.ptx", KERNEL.into()));
                arrays()
            }
            Reader::CommandLine => {
                beside.push(("k.ptx", KERNEL.into()));
                beside.push(("k.cu", b"__global__ void k(int *a) { *a = 1; }\n".to_vec()));
                beside.extend(crate::sample_cubins().pop().map(|cubin| ("k.cubin", cubin)));
                words()
            }
        };
        assert!(!files.is_empty(), "{reader:?} has something to damage");
        Seeds { files, beside }
    }

    /// One of them.
    pub(super) fn any(&self, random: &mut Random) -> &[u8] {
        &self.files[random.below(self.files.len() as u64) as usize]
    }

    /// What lies beside the damaged file.
    pub(super) fn beside(&self) -> &[(&'static str, Vec<u8>)] {
        &self.beside
    }
}

/// Texts whose numbers are the point.
const EXTREMES: [&str; 3] = [
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 16 .b8 x[1024] = {1};\n.global .b64 y[4][8];\n.shared .align 8 .b8 s[64];\n.const .b32 c[4] = {1, 2};\n\
     .visible .entry k(.param .align 8 .b8 p[16]) .maxntid 128 .minnctapersm 2 {\n.reg .b64 %d<64>;\n.reg .pred %p<4>;\n.local .align 16 .b8 l[256];\nmov.u64 %d1, l;\n\
     st.local.u64 [%d1+8], %d1;\nmov.u64 %d2, s;\nld.shared.u64 %d3, [%d2];\nst.global.u64 [x+8], %d3;\nret;\n}\n",
    ".version 8.0\n.target sm_80\n.address_size 64\n.func (.param .b32 r) f(.param .b32 a, .param .align 4 .b8 b[12]) {\n.reg .b32 %r<8>;\nld.param.b32 %r1, [a];\n\
     ld.param.b32 %r2, [b+4];\nadd.s32 %r3, %r1, %r2;\nst.param.b32 [r], %r3;\nret;\n}\n.visible .entry k(.param .u64 o) {\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n\
     ld.param.u64 %d1, [o];\n{\n.param .b32 a;\n.param .align 4 .b8 b[12];\n.param .b32 r;\nst.param.b32 [a], 1;\nst.param.b32 [b+4], 2;\ncall (r), f, (a, b);\n\
     ld.param.b32 %r1, [r];\n}\nst.global.u32 [%d1], %r1;\nret;\n}\n",
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u32 n) {\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n.reg .pred %p<3>;\n\
     ld.param.u32 %r1, [n];\nts: .branchtargets A, B, C;\nbrx.idx %r1, ts;\nA: mov.u32 %r2, 1;\nbra.uni E;\nB: mov.u32 %r2, 2;\nbra.uni E;\nC: mov.u32 %r2, 3;\nE:\n\
     ld.param.u64 %d1, [o];\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\nst.global.u32 [%d1], %r2;\nret;\n}\n",
];

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// The small files below a folder whose names end so.
fn below(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            below(&path, end, found);
        } else if path.extension().is_some_and(|own| own == end)
            && fs::metadata(&path).is_ok_and(|file| file.len() <= SMALL)
        {
            found.push(path);
        }
    }
}

fn small(end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["kernels", "found", "cubins"] {
        below(&tree().join(folder), end, &mut found);
    }
    found.sort();
    found
}

fn texts(end: &str) -> Vec<Vec<u8>> {
    small(end).iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// How many CUDA sources are compiled for other readers' seeds.
const COMPILED: usize = 24;

/// The IR of small CUDA sources.
fn ir() -> Vec<Vec<u8>> {
    let modules = small("cu").into_iter().step_by(3).filter_map(|path| {
        let options = warpsmith_cuda::Options::for_target("sm_90");
        let compiled = warpsmith_cuda::compile(&warpsmith_cuda::source::Disk, path.to_str()?, &options);
        let text = compiled.module?.to_string();
        (text.len() < 4 * SMALL as usize).then(|| text.into_bytes())
    });
    modules.take(COMPILED).collect()
}

fn cubins() -> Vec<Vec<u8>> {
    let mut all = crate::sample_cubins();
    for text in texts("ptx").iter().step_by(8) {
        let parsed = warpsmith_ptx::parse(text);
        for sm in [Sm::Sm80, Sm::Sm90a] {
            if let (true, Ok(cubin)) = (parsed.problems.is_empty(), warpsmith_ori::compile(&parsed.module, sm)) {
                all.push(cubin.write());
            }
        }
    }
    all
}

fn fatbins() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for cubin in crate::sample_cubins() {
        for compression in [Compression::None, Compression::Lz4, Compression::Zstandard] {
            let mut elf = Image::elf(Sm::Sm90, cubin.clone());
            elf.compression = compression;
            elf.identifier = "source.cu".to_owned();
            let mut text = Image::ptx(Sm::Sm80, (8, 0), KERNEL.into());
            text.options = "-O3".to_owned();
            all.push(fatbin::write(&[elf, text]));
        }
    }
    all
}

fn listings() -> Vec<Vec<u8>> {
    let texts = cubins()
        .into_iter()
        .filter_map(|bytes| listing_of(&Cubin::read(&bytes).ok()?, Style::Warpsmith));
    texts.map(String::into_bytes).collect()
}

fn launch_files() -> Vec<Vec<u8>> {
    let mut all = texts("toml");
    // The kernel beside them stands for all.
    for text in &mut all {
        let replaced = String::from_utf8_lossy(text).replace("kernel.cu", "kernel.ptx");
        *text = replaced.into_bytes();
    }
    all.extend(
        [
            "module = \"kernel.ptx\"\narguments = [\"a\", 7]\nblock = [8, 1, 1]\ngrid = 2\n[buffers]\na = \"iota:u8:64\"\n[expect]\na = { values = [0, 1], tolerance = 0.5 }\n",
            "module = \"kernel.ptx\"\n[buffers]\na = \"zeros:u32:64\"\n[tensor_maps]\nt = { buffer = \"a\", type = \"u32\", sizes = [8, 8], box = [4, 4], swizzle = \"none\" }\n\
             [[launch]]\nkernel = \"k\"\narguments = [\"a\", 1]\nrepeat = 3\n",
            "module = \"kernel.ptx\"\narguments = [\"a\", 1]\n[buffers]\na = \"random:f32:16:1:0:2\"\n[textures]\np = { data = \"zeros:u8:64\", size = [8, 8], read = \"normalised\", filter = \"linear\", levels = 2 }\n\
             [surfaces]\nq = { data = \"zeros:u8:64\", size = [8, 8] }\n",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    all
}

fn arrays() -> Vec<Vec<u8>> {
    let mut all = texts("npy");
    for (version, length) in [(1_u8, 2_usize), (2, 4), (3, 4)] {
        for header in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
            "{'descr': '|u1', 'fortran_order': True, 'shape': (24,), }",
            "{'shape': (), 'fortran_order': False, 'descr': '<i8'}",
        ] {
            let mut bytes = b"\x93NUMPY".to_vec();
            bytes.extend([version, 0]);
            bytes.extend_from_slice(&(header.len() as u64).to_le_bytes()[..length]);
            bytes.extend_from_slice(header.as_bytes());
            bytes.resize(bytes.len() + 24, 7);
            all.push(bytes);
        }
    }
    all
}

/// The options that faces and commands know, by their help, with values.
fn words() -> Vec<Vec<u8>> {
    let mut all: Vec<String> = [
        "k.ptx",
        "k.cu",
        "k.cubin",
        "absent",
        "out",
        "-o",
        "-o=out",
        "0",
        "1",
        "-1",
        "255",
        "18446744073709551616",
        "true",
        "false",
        "sm_90",
        "-arch=sm_90",
        "-arch",
        "all",
        "kind=elf,sm=90,file=k.cubin",
        "kind=ptx,sm=80,file=k.ptx",
        "--",
        "-",
        "=",
        "--create=out",
        "run",
        "disasm",
        "asm",
        "ptx",
        "compile",
        "targets",
        "check",
        "--arg",
        "a=zeros:u8:8",
        "3",
        "\u{e9}",
        "--face",
        "ptxas",
    ]
    .map(str::to_owned)
    .to_vec();
    for line in [
        "--face ptxas --help",
        "--face nvcc --help",
        "--face nvdisasm --help",
        "--face cuobjdump --help",
        "--face fatbinary --help",
        "disasm --help",
        "asm --help",
        "run --help",
        "compile --help",
        "ptx --help",
    ] {
        let arguments: Vec<_> = std::iter::once("warpsmith")
            .chain(line.split(' '))
            .map(Into::into)
            .collect();
        let mut out = Vec::new();
        let _ = warpsmith_driver::run(&arguments, &mut out, &mut Vec::new());
        let text = String::from_utf8_lossy(&out).into_owned();
        let options = text
            .split(|c: char| c.is_whitespace() || "(),'[]".contains(c))
            .filter(|word| word.starts_with('-') && word.len() > 1);
        all.extend(options.map(str::to_owned));
    }
    // What asks for an executable of the host, or reads options from files, is tried by itself.
    all.sort();
    all.dedup();
    all.into_iter().map(String::into_bytes).collect()
}
