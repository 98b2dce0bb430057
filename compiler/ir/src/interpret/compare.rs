//! Two versions of a function on the same inputs.

use super::value::Datum;
use super::{Launch, Machine, Stop};
use crate::context::Context;
use crate::integer::Integer;
use crate::module::{FunctionId, Module};
use crate::types::{AddressSpace, Type};
use warpsmith_base::Random;

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The second version does what the first does, as far as that is defined.
    Same,
    /// Nothing can be said: the first version did something undefined, or one did what cannot be interpreted.
    Unknown(Stop),
    /// The second version does something else.
    Different(String),
}

/// Bytes that a pointer among the arguments points to.
const BUFFER: usize = 1024;
/// Steps that the first version may take; the second may take more.
const STEPS: u64 = 200_000;

/// Runs the function of a name in two versions of a module on inputs made from `seed`: a kernel with a block of four threads, any other function with one. Pointers among
/// the arguments point to 1,024 bytes each. What is compared are the result, those bytes, and what variables in global memory hold at the end.
pub fn compare(before: &Module, after: &Module, name: &str, seed: u64) -> Outcome {
    let (first, second) = match (run(before, name, seed, STEPS), run(after, name, seed, 8 * STEPS)) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(stop), _) | (Ok(_), Err(stop @ Stop::Unsupported(_))) => return Outcome::Unknown(stop),
        (Ok(_), Err(stop)) => return Outcome::Different(format!("it stops: {stop}")),
    };
    if !second.result.refines(&first.result) {
        return Outcome::Different(format!("it gives {:?}, not {:?}", second.result, first.result));
    }
    for (name, bytes) in &first.memory {
        let Some((_, others)) = second.memory.iter().find(|(other, _)| other == name) else {
            continue;
        };
        let differs = bytes
            .iter()
            .zip(others)
            .position(|(byte, other)| byte.is_some() && byte != other);
        if let Some(place) = differs {
            return Outcome::Different(format!(
                "byte {place} of {name} is {:?}, not {:?}",
                others[place], bytes[place]
            ));
        }
    }
    Outcome::Same
}

/// What is left when a function has run.
struct End {
    result: Datum,
    /// The bytes of buffers and variables by their names.
    memory: Vec<(String, Vec<Option<u8>>)>,
}

fn run(module: &Module, name: &str, seed: u64, steps: u64) -> Result<End, Stop> {
    let missing = || Stop::unsupported(format!("@{name}, which is not there,"));
    let id: FunctionId = module.symbols.function_named(name).ok_or_else(missing)?;
    let declaration = &module.symbols.functions[id];
    let context = module.context();
    let mut machine = Machine::new(module);
    machine.steps_left = steps;
    let mut random = Values(Random::new(seed));
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    let data = context.function_data(declaration.ty);
    for (index, &ty) in data.parameters.iter().enumerate() {
        let attributes = declaration.parameters.get(index);
        if let (Some(ty), Type::Pointer(_)) = (attributes.and_then(|attributes| attributes.byval), ty) {
            arguments.push(random.value(context, ty));
            continue;
        }
        arguments.push(match ty {
            Type::Pointer(AddressSpace::SHARED | AddressSpace::LOCAL | AddressSpace::SHARED_CLUSTER) => {
                Datum::int(64, 64)
            }
            Type::Pointer(_) => {
                let bytes: Vec<u8> = (0..BUFFER).map(|place| random.byte(place)).collect();
                let address = machine.allocate(&bytes);
                buffers.push(address);
                Datum::int(64, address)
            }
            _ => random.value(context, ty),
        });
    }
    let result = if declaration.is_kernel() {
        let launch = Launch {
            dynamic_shared: BUFFER as u64,
            ..Launch::line(1, 4)
        };
        machine.launch(id, launch, &arguments).map(|()| Datum::void())?
    } else {
        machine.call(id, &arguments)?
    };
    let mut memory = Vec::new();
    for (index, &address) in buffers.iter().enumerate() {
        let bytes = machine.region(address).map(|region| region.bytes().to_vec());
        memory.push((format!("buffer {index}"), bytes.unwrap_or_default()));
    }
    for (id, global) in module.globals() {
        let visible = !global.linkage.is_local();
        if let (true, Some(region)) = (visible, machine.address(id).and_then(|address| machine.region(address))) {
            memory.push((format!("@{}", global.name), region.bytes().to_vec()));
        }
    }
    Ok(End { result, memory })
}

/// Values for a function, with small and extreme ones among them.
struct Values(Random);

impl Values {
    /// Mostly small integers of 32 bits, little endian, some of them anything.
    fn byte(&mut self, place: usize) -> u8 {
        let any = self.0.next_u64();
        match (place % 4, any >> 32 & 7) {
            (_, 0) => any as u8,
            (0, _) => (any & 0x1f) as u8,
            _ => 0,
        }
    }

    fn value(&mut self, context: &Context, ty: Type) -> Datum {
        if let Some(count) = context.element_count(ty) {
            let elements = (0..count.min(BUFFER as u64)).map(|index| match context.element(ty, index) {
                Some(element) => self.value(context, element),
                None => Datum::Poison,
            });
            return Datum::Composite(elements.collect());
        }
        let bits = context.bit_size(ty) as u32;
        let (kind, any) = (self.0.next_u64() % 8, self.0.next_u64());
        let value = match (ty, kind) {
            // 1.0, -2.5 and 0.1, as single precision; others by their bits.
            (Type::Float, 0..=3) => Integer::new(
                32,
                [0x3f80_0000, 0xc020_0000, 0x3dcc_cccd, 0x4220_0000][(any & 3) as usize],
            ),
            (Type::Double, 0..=3) => Integer::new(
                64,
                [0x3ff0_0000_0000_0000, 0xc004_0000_0000_0000, 0x4044_0000_0000_0000, 0][(any & 3) as usize],
            ),
            (_, 0..=3) => Integer::new(bits, u128::from(any % 16)),
            (_, 4) => Integer::ones(bits),
            (_, 5) => Integer::new(bits, 1).shift_left((any % u64::from(bits.max(1))) as u32),
            _ => Integer::from_words(bits, &[any, self.0.next_u64()]),
        };
        Datum::Bits(value)
    }
}
