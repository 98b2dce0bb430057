//! Support for the tests that cross crates: reproducible random numbers and random instructions drawn from the tables.

pub mod c_suites;
pub mod cubin_shape;
pub mod cuda_differential;
pub mod differential;
pub mod emulator_agreement;
pub mod fuzz;
pub mod generate;
pub mod generate_cuda;
pub mod gpu;
pub mod issue_model;
pub mod kernel_agreement;
pub mod progress;
pub mod ptx_agreement;
pub mod reduce;

/// The code of the tutorial for Rust programmers, which is so compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tutorials/rust.md")]
mod rust_tutorial {}

use warpsmith_sass::{Control, FieldKind, Form, Instruction, RegisterClass};
use warpsmith_target::Isa;

/// A small reproducible generator (xorshift64*): the same seed gives the same sequence on every host.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator for `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The next 128 bits.
    pub fn next_u128(&mut self) -> u128 {
        u128::from(self.next_u64()) << 64 | u128::from(self.next_u64())
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound
    }
}

/// A random word of `form`: every modifier takes its legal values, registers and numbers anything the form accepts, the guard and
/// the control word (without reuse flags) anything legal.
pub fn random_instruction(form: &Form, isa: Isa, random: &mut Random) -> u128 {
    let mut word = form.default_word(isa);
    for field in form.fields.iter().filter(|f| f.exists_on(isa)) {
        for _ in 0..20 {
            let length = field.bits.length();
            let any = random.next_u64() & if length >= 64 { u64::MAX } else { (1 << length) - 1 };
            let value = match &field.kind {
                FieldKind::Enumeration { set, .. } => {
                    let legal: Vec<u64> = set
                        .members
                        .iter()
                        .filter(|m| m.exists_on(isa))
                        .map(|m| u64::from(m.value))
                        .collect();
                    if legal.is_empty() {
                        break;
                    } else {
                        legal[random.below(legal.len() as u64) as usize]
                    }
                }
                FieldKind::Register(register) => match (register.class, random.below(8)) {
                    (RegisterClass::Gpr | RegisterClass::UniformGpr, 0) => u64::MAX,
                    _ => any,
                },
                FieldKind::Unsigned { .. } | FieldKind::Signed { .. } => match random.below(6) {
                    0 => 0,
                    1 => 1 << random.below(u64::from(length.max(1))),
                    _ => any,
                },
                FieldKind::Float(_) => match random.below(6) {
                    0 => 0,
                    1 => random.below(256) << (length - 8),
                    _ => any,
                },
                FieldKind::Flag { .. }
                | FieldKind::Relative { .. }
                | FieldKind::Scoreboards { .. }
                | FieldKind::Group(_) => any,
            };
            let candidate = field.bits.write(word, value);
            if form.accepts(candidate, isa) {
                word = candidate;
                break;
            }
        }
        if let Some(d) = field.decoration() {
            for bit in [d.neg, d.abs, d.inv, d.not].into_iter().flatten() {
                word |= u128::from(random.below(2)) << bit;
            }
        }
    }
    if random.below(4) == 0 {
        word = word & !(0xf << 12) | u128::from(random.below(16)) << 12;
    }
    let scoreboard = |n: u64| (n < 6).then_some(n as u8);
    Control {
        stall: 1 + random.below(11) as u8,
        keep_issuing: random.below(2) != 0,
        write_scoreboard: scoreboard(random.below(8)),
        read_scoreboard: scoreboard(random.below(8)),
        wait_mask: random.below(64) as u8,
        reuse: 0,
    }
    .write(word)
}

/// Whether an assembled word is a golden one, but for its control word and for bits that print nothing: the table fills these as ptxas does, and probes
/// among the golden words have nothing there. (`tests/hidden_bits.rs` has words of ptxas.)
pub fn is_golden(assembled: &Instruction, golden: u128) -> bool {
    let form = assembled.form();
    let filled = form
        .fields
        .iter()
        .fold(form.default_word(assembled.isa()), |word, field| {
            field.bits.write(word, 0)
        });
    (assembled.word() ^ golden) & !Control::MASK & !filled == 0
}

/// The golden pairs of a generation: words and the text nvdisasm prints for them, `!illegal` for those it refuses.
///
/// # Panics
/// If the file in `golden/` is missing or damaged.
pub fn golden(isa: Isa) -> Vec<(u128, String)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("golden/sm_{}.tsv.zst", isa.name()));
    let file = std::fs::File::open(&path).expect("the golden file is there");
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).expect("a zstd frame");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut decoder, &mut text).expect("the golden file is whole");
    text.lines()
        .map(|line| {
            let (word, text) = line.split_once('\t').expect("word<TAB>text");
            (
                u128::from_str_radix(word, 16).expect("a hexadecimal word"),
                text.to_string(),
            )
        })
        .collect()
}

/// The sample cubins in `cubins/`, in the order of their names.
///
/// # Panics
/// If the folder cannot be read.
pub fn sample_cubins() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cubins");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the samples are there")
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "cubin"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).expect("a readable sample"))
        .collect()
}
