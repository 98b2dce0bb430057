//! A program: PTX, and how it is launched.

use warpsmith_emu::{Device, Launch};
use warpsmith_gpu::Extents;

use super::Memory;
use crate::{
    Random,
    gpu::{Argument, Job},
};

/// PTX whose first line says how its kernel `k(.param .u64 out, .param .u64 in, .param .u32 n)` is launched:
///
/// ```text
/// // launch: grid 2 block 64 shared 0 out 4096 in 4096 seed 1
/// ```
///
/// `out` and `in` are sizes in bytes; `out` is zeroed, `in` holds edge values and random ones of the seed, and `n` is the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The whole text, the line included.
    pub text: String,
    /// CTAs.
    pub grid: u32,
    /// Threads of a CTA.
    pub block: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Bytes of the result.
    pub out: u32,
    /// Bytes of the input.
    pub input: u32,
    /// Chooses the input.
    pub seed: u64,
}

const START: &str = "// launch: ";

impl Program {
    /// The line and the rest of the text.
    pub fn new(shape: &Program, body: &str) -> Program {
        let Program {
            grid,
            block,
            shared,
            out,
            input,
            seed,
            ..
        } = shape;
        let line = format!("{START}grid {grid} block {block} shared {shared} out {out} in {input} seed {seed}\n");
        Program {
            text: line + body,
            ..shape.clone()
        }
    }

    /// Reads the line of a text.
    ///
    /// # Errors
    /// Where there is none, or it says something else.
    pub fn read(text: &str) -> Result<Program, String> {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(START))
            .ok_or_else(|| format!("no line `{START}grid 1 block 32 …`"))?;
        let mut program = Program {
            text: text.to_owned(),
            grid: 1,
            block: 32,
            shared: 0,
            out: 4096,
            input: 4096,
            seed: 0,
        };
        let mut words = line.split_whitespace();
        while let Some(key) = words.next() {
            let value = words.next().and_then(|word| word.parse::<u32>().ok());
            let value = value.ok_or_else(|| format!("a number is wanted after `{key}`"))?;
            match key {
                "grid" => program.grid = value,
                "block" => program.block = value,
                "shared" => program.shared = value,
                "out" => program.out = value,
                "in" => program.input = value,
                "seed" => program.seed = u64::from(value),
                _ => return Err(format!("there is no `{key}` of a launch")),
            }
        }
        Ok(program)
    }

    /// The text without the line.
    pub fn body(&self) -> String {
        let lines = self.text.lines().filter(|line| !line.starts_with(START));
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// Makes the buffers on a device; gives the launch and the address of the result.
    ///
    /// # Errors
    /// Where the sizes do not fit.
    pub fn prepare(&self, device: &mut Device) -> Result<(Launch, u64), String> {
        let said = |fault: warpsmith_emu::Fault| fault.to_string();
        let out = device.allocate(u64::from(self.out.max(16)), 256);
        let data = device.allocate(u64::from(self.input.max(16)), 256);
        device.write(out, &vec![0; self.out as usize]).map_err(said)?;
        device.write(data, &self.content()).map_err(said)?;
        let threads = self.grid.saturating_mul(self.block);
        let launch = Launch {
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            dynamic_shared: self.shared,
            cooperative: false,
            arguments: vec![
                out.to_le_bytes().to_vec(),
                data.to_le_bytes().to_vec(),
                threads.to_le_bytes().to_vec(),
            ],
            ..Launch::of("k")
        };
        Ok((launch, out))
    }

    /// The launch of a cubin on a GPU; the first buffer is the result.
    pub(crate) fn job<'a>(&self, cubin: &'a [u8]) -> Job<'a> {
        let threads = self.grid.saturating_mul(self.block);
        Job {
            cubin,
            kernel: "k",
            extents: Extents {
                grid: [self.grid, 1, 1],
                block: [self.block, 1, 1],
                shared: self.shared,
                ..Extents::default()
            },
            arguments: vec![
                Argument::Buffer(vec![0; self.out as usize]),
                Argument::Buffer(self.content()),
                Argument::Value(threads.to_le_bytes().to_vec()),
            ],
        }
    }

    /// What a run left.
    ///
    /// # Errors
    /// Where the buffer is gone.
    pub fn result(&self, device: &Device, out: u64) -> Result<Memory, String> {
        let bytes = device
            .read(out, u64::from(self.out))
            .map_err(|fault| fault.to_string())?;
        Ok(Memory(bytes))
    }

    /// The input: words that are edges of some type, and random ones.
    pub(crate) fn content(&self) -> Vec<u8> {
        let mut random = Random::new(self.seed.wrapping_add(0x1000));
        let mut bytes = Vec::new();
        while bytes.len() < self.input as usize {
            let word = match random.below(4) {
                0 => random.next_u64(),
                1 => random.below(64),
                _ => EDGES[random.below(EDGES.len() as u64) as usize],
            };
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.truncate(self.input as usize);
        bytes
    }
}

/// Integers and floating-point numbers of every width at which something changes; 64 bits hold one, two or four.
pub(crate) const EDGES: [u64; 36] = [
    0,
    1,
    u64::MAX,
    0xffff_ffff_0000_0000,
    0x0000_0000_ffff_ffff,
    0x8000_0000_7fff_ffff,
    0x7fff_ffff_8000_0000,
    0x8000_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x0000_0001_8000_0001,
    0x8000_7fff_ffff_0001,
    0x0000_001f_0000_0020,
    0x0000_0021_0000_003f,
    0x0000_0040_0000_0041,
    0x3f80_0000_bf80_0000,
    0x3f80_0001_3f7f_ffff,
    0x7f80_0000_ff80_0000,
    0x7fc0_0000_7f80_0001,
    0x0000_0001_8000_0000,
    0x0080_0000_807f_ffff,
    0x7f7f_ffff_ff7f_ffff,
    0x4f00_0000_cf00_0000,
    0x5f00_0000_df80_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0001,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x0010_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x41df_ffff_ffe0_0000,
    0x43e0_0000_0000_0000,
    0x3c00_bc00_7bff_0400,
    0x7c00_fc00_7e00_03ff,
    0x3f80_7f80_ff80_7fc0,
    0x4248_c248_0001_8001,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_read_back() {
        let shape = Program::read("// launch: grid 3 block 33 shared 16 out 64 in 128 seed 9\n").expect("a line");
        let program = Program::new(&shape, ".version 9.0\n");
        assert_eq!(Program::read(&program.text), Ok(program.clone()));
        assert_eq!(program.body(), ".version 9.0\n");
        assert!(Program::read("// launch: grid x").is_err());
        assert!(Program::read("").is_err());
    }
}
