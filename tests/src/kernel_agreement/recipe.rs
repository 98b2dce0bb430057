//! How a kernel is launched of which nothing is known but its parameters.

use std::fmt;

use warpsmith_emu::{Device, Fault};
use warpsmith_ptx::module::{Function, FunctionDirective, Module};
use warpsmith_ptx::table::TypeKind;

/// The addresses of the buffers of a launch, and the bytes of its arguments.
pub(super) type Filled = (Vec<u64>, Vec<Vec<u8>>);

use crate::Random;

/// Bytes from the start of a buffer to that of the next, at least: what lies behind a buffer is nobody's.
const WINDOW: u64 = 1 << 24;

/// What a parameter holds, as far as the module tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its size.
    pub bytes: usize,
    /// Whether it is a floating-point number.
    pub float: bool,
    /// Offsets in bytes at which pointers are.
    pub pointers: Vec<usize>,
    /// Offsets at which addresses are where nothing is, and those addresses.
    pub(super) nowhere: Vec<(usize, u64)>,
}

/// What a kernel says of its CTAs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The threads that it must have.
    pub required: Option<[u32; 3]>,
    /// The most that it may have.
    pub most: Option<u32>,
}

/// What a kernel of the module says of its CTAs.
pub fn limits(module: &Module, name: &str) -> Limits {
    let mut limits = Limits::default();
    let named = |function: &&Function| function.kernel && module.names.get(function.name) == name;
    let Some(function) = module.functions.iter().find(named) else {
        return limits;
    };
    let extent = |values: &[u64], axis: usize| values.get(axis).map_or(1, |&value| value as u32);
    for directive in &function.directives {
        if let FunctionDirective::RequiredThreads(values) = directive {
            limits.required = Some([0, 1, 2].map(|axis| extent(values, axis)));
        }
        if let FunctionDirective::MaxThreads(values) = directive {
            limits.most = Some(values.iter().product::<u64>() as u32);
        }
    }
    limits
}

/// The kernels of a module with their parameters.
pub fn parameters(text: &str, module: &Module) -> Vec<(String, Vec<Parameter>)> {
    let mut kernels = Vec::new();
    for function in module.functions.iter().filter(|function| function.kernel) {
        let Some(_) = &function.body else { continue };
        let rest = text.get(function.span.range().start..).unwrap_or_default();
        let body = rest.split("\n}").next().unwrap_or_default();
        let list = function.parameters.iter().map(|&id| {
            let variable = &module.variables[id.0 as usize];
            let name = variable.name.map_or("", |name| module.names.get(name));
            let elements: u64 = variable.dimensions.iter().map(|count| count.unwrap_or(1)).product();
            let bytes = u64::from(variable.element.bits() / 8) * elements * u64::from(variable.vector.max(1));
            let mut pointers = pointers_of(body, name);
            if variable.pointer.is_some() && pointers.is_empty() {
                pointers.push(0);
            }
            Parameter {
                bytes: bytes as usize,
                float: variable.element.kind() == TypeKind::Float,
                pointers,
                nowhere: Vec::new(),
            }
        });
        kernels.push((module.names.get(function.name).to_string(), list.collect()));
    }
    kernels
}

/// Offsets in a parameter from which addresses are loaded: what is converted to a global address.
fn pointers_of(body: &str, parameter: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for line in body.lines() {
        // `ld.param.b64 %rd1, [name+8];`, with blanks or a tab between.
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["ld.param.b64" | "ld.param.u64", register, place] = words[..] else {
            continue;
        };
        let place = place.trim_start_matches('[').trim_end_matches("];");
        let (name, offset) = place.split_once('+').unwrap_or((place, "0"));
        if name != parameter {
            continue;
        }
        let converted = format!("{};", register.trim_end_matches(','));
        let is_pointer = body.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next().is_some_and(|word| word.starts_with("cvta.to.global"))
                && words.last() == Some(converted.as_str())
        });
        if let (true, Ok(offset)) = (is_pointer, offset.parse()) {
            found.push(offset);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What buffers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Small 32-bit integers.
    Integers,
    /// `f32` from -2 to 2.
    Floats,
    /// `f64` from -2 to 2.
    Doubles,
    /// `f16` from -2 to 2.
    Halves,
    /// Any bytes.
    Bytes,
    /// Integers or `f32`, buffer by buffer.
    Mixed,
}

/// Bytes of dynamic shared memory: with 48 KiB of the kernel's own, still less than a CTA can have.
const DYNAMIC_SHARED: u32 = 160 << 10;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    content: Content,
    number: u32,
    seed: u64,
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (content, number, seed) = (self.content, self.number, self.seed);
        write!(
            f,
            "{content:?} {number} seed {seed} grid {:?} block {:?}",
            self.grid, self.block
        )
    }
}

impl Limits {
    /// The threads of a CTA that the kernel takes instead of these. One that says how many it takes at most is often written for as many, so that the first
    /// shape has them.
    fn applied(self, block: [u32; 3], shape: usize) -> [u32; 3] {
        match (self.required, self.most) {
            (Some(required), _) => required,
            (None, Some(most)) if shape == 0 || block.iter().product::<u32>() > most => [most, 1, 1],
            (None, _) => block,
        }
    }
}

impl Recipe {
    /// All that are tried of a kernel with these limits, each shape with one content before any with the next.
    pub fn all(limits: Limits) -> Vec<Recipe> {
        let mut list = Vec::new();
        let contents = [
            Content::Floats,
            Content::Integers,
            Content::Mixed,
            Content::Doubles,
            Content::Halves,
            Content::Mixed,
            Content::Bytes,
        ];
        let shapes = [
            ([2, 1, 1], [64, 1, 1], 64),
            ([2, 2, 1], [16, 16, 1], 32),
            ([1, 1, 1], [256, 1, 1], 16),
            ([3, 2, 2], [32, 2, 2], 9),
            ([1, 1, 1], [32, 1, 1], 3),
            // What works on whole tiles takes no smaller sizes.
            ([2, 2, 1], [256, 1, 1], 256),
        ];
        for (kind, content) in contents.into_iter().enumerate() {
            for (index, (grid, block, number)) in shapes.into_iter().enumerate() {
                list.push(Recipe {
                    content,
                    number,
                    seed: 1 + (kind + shapes.len() * index) as u64,
                    grid,
                    block: limits.applied(block, index),
                    shared: DYNAMIC_SHARED,
                });
            }
        }
        list
    }

    /// Of each shape those that fill buffers with single-precision numbers and with integers.
    pub fn shapes(recipes: &[Recipe]) -> Vec<Recipe> {
        let kinds = |recipe: &&Recipe| matches!(recipe.content, Content::Floats | Content::Integers);
        recipes.iter().filter(kinds).copied().collect()
    }

    /// Whether buffers hold numbers of 16 bits.
    pub fn has_halves(&self) -> bool {
        self.content == Content::Halves
    }

    /// Allocates and fills a buffer for each pointer; gives their addresses and the launch's arguments.
    ///
    /// # Errors
    /// None that can be expected: the buffers are there.
    pub fn fill(&self, device: &mut Device, parameters: &[Parameter], size: u64) -> Result<Filled, Box<Fault>> {
        let mut random = Random::new(self.seed);
        let mut buffers = Vec::new();
        let mut arguments = Vec::new();
        for parameter in parameters {
            let mut bytes = self.scalar(parameter);
            for (offset, address) in &parameter.nowhere {
                bytes[*offset..offset + 8].copy_from_slice(&address.to_le_bytes());
            }
            for &offset in &parameter.pointers {
                let address = device.allocate(size, WINDOW);
                device.write(address, &self.bytes(&mut random, size as usize))?;
                buffers.push(address);
                if let Some(place) = bytes.get_mut(offset..offset + 8) {
                    place.copy_from_slice(&address.to_le_bytes());
                }
            }
            arguments.push(bytes);
        }
        Ok((buffers, arguments))
    }

    /// What pages hold, as many bytes as are wanted.
    pub(super) fn page(&self, size: usize) -> Vec<u8> {
        self.bytes(&mut Random::new(self.seed), size)
    }

    /// A parameter that is no pointer: the recipe's number, in every word of a structure.
    fn scalar(&self, parameter: &Parameter) -> Vec<u8> {
        // Above 1 with some sizes, below with others: shares are to be at most 1.
        let fraction = if self.number.is_multiple_of(3) || self.number == 32 {
            0.5
        } else {
            1.0 + 1.0 / f64::from(self.number)
        };
        match (parameter.float, parameter.bytes) {
            (true, 4) => (fraction as f32).to_le_bytes().to_vec(),
            (true, 8) => fraction.to_le_bytes().to_vec(),
            // A `bool`, which is 0 or 1.
            (_, 1) => vec![1],
            (_, bytes @ (2 | 4 | 8)) => u64::from(self.number).to_le_bytes()[..bytes].to_vec(),
            (_, bytes) => self.number.to_le_bytes().into_iter().cycle().take(bytes).collect(),
        }
    }

    fn bytes(&self, random: &mut Random, size: usize) -> Vec<u8> {
        let content = match self.content {
            Content::Mixed if random.below(2) == 0 => Content::Integers,
            Content::Mixed => Content::Floats,
            content => content,
        };
        let bound = u64::from(self.number).min(16);
        let number = |random: &mut Random| random.below(4001) as f64 / 1000.0 - 2.0;
        let mut out = Vec::with_capacity(size);
        while out.len() < size {
            match content {
                Content::Floats | Content::Mixed => out.extend((number(random) as f32).to_le_bytes()),
                Content::Doubles => out.extend(number(random).to_le_bytes()),
                // A sign, an exponent from 2^-6 to 1, and a fraction.
                Content::Halves => {
                    let bits = random.below(1 << 15) as u16;
                    out.extend((bits & 0x83ff | (0x2400 + (bits >> 2 & 0x1c00)) | bits << 15).to_le_bytes());
                }
                Content::Integers => out.extend((random.below(bound) as u32).to_le_bytes()),
                Content::Bytes => out.extend(random.next_u64().to_le_bytes()),
            }
        }
        out.truncate(size);
        out
    }
}
