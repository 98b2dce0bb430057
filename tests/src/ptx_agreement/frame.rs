//! The module that stands around the lines under test.
//!
//! In [`Frame::Lines`] every line finds the same names: `%r0`-`%r63` (`.b32`), `%rd` (`.b64`), `%h` (`.b16`), `%f` (`.f32`), `%fd` (`.f64`), `%p` (`.pred`),
//! `%q128_` (`.b128`, from version 8.3), `%s` `%uu` `%sl` `%ul` `%ss` `%us` (integers), `%b` (`.b8`), `%hf` (`.f16`), `%hx` (`.f16x2`, where target and version have it), `%v2_` and `%v4_`
//! (vectors); the variables `gv` (`.global`), `sm` (`.shared`), `cm` (`.const`), `lm` (`.local`), `tex`, `smp`, `surf`; the parameters `P` (`.u64`) and `Q` (`.u32`);
//! the function `fn` and the label `L`.

use super::ours;
use warpsmith_ptx::examples;

/// Registers of every kernel, but for `.b128` and `.f16x2`.
const REGISTERS: &str = "\
.reg .b32 %r<64>;.reg .b64 %rd<64>;.reg .f32 %f<64>;.reg .f64 %fd<64>;.reg .b16 %h<64>;.reg .pred %p<64>;\
.reg .s32 %s<8>;.reg .u32 %uu<8>;.reg .s64 %sl<8>;.reg .u64 %ul<8>;.reg .s16 %ss<8>;.reg .u16 %us<8>;.reg .b8 %b<8>;\
.reg .b32 %q<4>,%u<4>,%t<4>;.reg .b64 %qd<4>,%ud<4>,%pp;.reg .f32 %qf<4>,%uf<4>,%w<128>;.reg .f64 %qfd<4>;.reg .b32 %wi<128>;\
.reg .v2 .b32 %v2_<4>;.reg .v4 .f32 %v4_<4>;.reg .f16 %hf<4>;.local .align 16 .b8 lm[128];";

/// Targets with the versions that know them.
pub const TARGETS: &[(&str, &[&str])] = &[
    ("sm_20", &["3.1", "9.0"]),
    ("sm_35", &["3.2", "5.0"]),
    ("sm_50", &["4.0", "6.3"]),
    ("sm_61", &["5.0", "6.4", "9.0"]),
    ("sm_70", &["6.0", "7.2", "8.8"]),
    ("sm_75", &["6.5", "7.0", "8.0", "8.6", "9.0"]),
    ("sm_80", &["7.0", "8.0", "8.6", "9.0"]),
    ("sm_86", &["7.1", "8.0", "8.6", "9.0"]),
    ("sm_90a", &["8.0", "8.6", "9.0"]),
    ("sm_100a", &["8.6", "8.8", "9.0"]),
    ("sm_120a", &["8.7", "8.8", "9.0"]),
];

/// Which names stand around a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frame {
    /// Those listed above; the body is on the second of three lines of its kernel.
    Lines,
    /// Those of [`warpsmith_ptx::examples`]; a kernel is one line.
    Examples {
        /// Whether the module is `texmode_independent`.
        independent_textures: bool,
    },
}

impl Frame {
    /// A module with a kernel for each of `bodies`.
    pub fn module<'a>(self, bodies: impl Iterator<Item = &'a str>, target: &str, version: &str) -> String {
        match self {
            Frame::Lines => {
                let kernels: String = bodies
                    .enumerate()
                    .map(|(n, body)| kernel(n, body, target, version))
                    .collect();
                header(target, version, kernels.contains("smp")) + &kernels
            }
            Frame::Examples { independent_textures } => {
                let gates = ours::gates(target, version, independent_textures);
                examples::module(&bodies.collect::<Vec<_>>(), gates)
            }
        }
    }

    /// The kernel that line `line` of such a module belongs to, and which line of the kernel it is.
    pub fn place(self, line: u32) -> Option<(usize, usize)> {
        let (before, each) = match self {
            Frame::Lines => (HEADER_LINES, KERNEL_LINES),
            Frame::Examples { .. } => (self.module(std::iter::empty(), "sm_90a", "9.0").lines().count(), 1),
        };
        let offset = (line as usize).checked_sub(before + 1)?;
        Some((offset / each, offset % each))
    }
}

/// Lines of [`header`].
const HEADER_LINES: usize = 11;

/// Lines of [`kernel`].
const KERNEL_LINES: usize = 3;

/// Version, target and what is declared outside kernels.
fn header(target: &str, version: &str, sampler: bool) -> String {
    // Samplers on their own are for independent texture mode only; ptxas finds that out late.
    let sampler = if sampler { ".global .samplerref smp;" } else { "" };
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .global .align 16 .b32 gv[256];\n.shared .align 16 .b8 sm[1024];\n.const .align 16 .b8 cm[1024];\n\
         .global .texref tex;\n{sampler}\n.global .surfref surf;\n\
         .visible .func (.param .b32 r) fn(.param .b32 a)\n{{ .reg .b32 %r<4>; ld.param.b32 %r1,[a]; st.param.b32 [r],%r1; ret; }}\n"
    )
}

/// A kernel with `body`, which is put on one line.
fn kernel(number: usize, body: &str, target: &str, version: &str) -> String {
    let version = ours::version(version);
    let quads = if version >= ours::version("8.3") {
        ".reg .b128 %q128_<8>;"
    } else {
        ""
    };
    let pairs = if version >= ours::version("4.2") && ours::gates(target, "9.0", false).target.number >= 53 {
        ".reg .f16x2 %hx<4>;"
    } else {
        ""
    };
    let label = if body.contains("L:") { "" } else { "L: " };
    let body = body.replace(['\n', '\r'], " ");
    format!(".entry k{number}(.param .u64 P,.param .u32 Q){{{REGISTERS}{quads}{pairs}\n{body}\n{label}ret;}}\n")
}
