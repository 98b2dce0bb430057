//! Loads, stores, atomic operations and copies.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand},
    table::{Type, TypeKind},
};

use super::{
    Decoded, Decoder, Location, M, O, Unsupported, first_type,
    integer::{format, kind},
    is_signed,
};
use crate::ptx::{
    arithmetic::{Function, Real, Whole},
    code::{Access, Op, SINK_SLOT, Source, Space, Test, Update},
};
use warpsmith_numerics::float::{MinMax, Modifiers};

/// The state space of an access; none: generic.
fn space(variant: &Variant) -> Space {
    let found = variant.modifiers.iter().flatten().find_map(|modifier| match modifier {
        M::Const => Some(Space::Constant),
        M::Global => Some(Space::Global),
        M::Local => Some(Space::Local),
        M::Shared | M::SharedCta | M::SharedCluster => Some(Space::Shared),
        M::Param | M::ParamEntry => Some(Space::Parameter),
        M::ParamFunc => Some(Space::Local),
        _ => None,
    });
    found.unwrap_or(Space::Generic)
}

fn is_strong(variant: &Variant) -> bool {
    [
        M::Volatile,
        M::Relaxed,
        M::Acquire,
        M::Release,
        M::AcqRel,
        M::Mmio,
        M::Cv,
    ]
    .iter()
    .any(|modifier| variant.has(*modifier))
}

impl Decoder<'_> {
    /// Instructions that touch memory.
    pub(super) fn memory(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::Ld | O::Ldu => self.load(variant, operands),
            O::St => self.store(variant, operands),
            O::Atom => self.atomic(variant, operands, true),
            O::Red => self.atomic(variant, operands, false),
            O::CpAsync => self.copy_async(variant, operands),
            O::Prefetch | O::Prefetchu | O::Applypriority | O::CpAsyncBulkPrefetch | O::CpAsyncBulkPrefetchTensor => {
                self.nothing()
            }
            // Discarded data is undefined; that it stays is one of the values it may have.
            O::Discard => self.nothing(),
            O::CreatepolicyFractional | O::CreatepolicyRange | O::CreatepolicyCvt => self.policy(operands),
            O::StBulk => self.store_bulk(variant, operands),
            O::Alloca => self.alloca(operands),
            O::Stacksave => self.stack_save(operands),
            O::Stackrestore => self.stack_restore(operands),
            _ => return None,
        })
    }

    pub(super) fn nothing(&mut self) -> Decoded {
        self.push(Op::Nothing);
        Ok(())
    }

    fn policy(&mut self, operands: &[Operand]) -> Decoded {
        let [d, ..] = operands else { return Err(Unsupported) };
        let (d, a) = (self.destination(d)?, self.constant(0));
        self.push(Op::Move { d, a });
        Ok(())
    }

    /// The space that an access to `.param` means: parameters of the kernel, or the frame.
    fn parameter_space(&self, operand: &Operand) -> Space {
        match *operand {
            Operand::Address(Address {
                base: AddressBase::Variable(id),
                ..
            })
            | Operand::Variable(id, _)
            | Operand::Element(id, ..) => match self.layout.location(id) {
                Some(Location::Parameter(_)) if self.function.kernel => Space::Parameter,
                _ => Space::Local,
            },
            _ if self.function.kernel => Space::Parameter,
            _ => Space::Local,
        }
    }

    pub(super) fn access(&mut self, variant: &Variant, address: &Operand, of: Type) -> Result<Access, Unsupported> {
        let mut space = space(variant);
        if space == Space::Parameter {
            space = self.parameter_space(address);
        }
        let (address, offset, narrow) = self.address(address)?;
        Ok(Access {
            space,
            bytes: (of.bits() / 8).clamp(1, 16) as u8,
            count: 1,
            signed: is_signed(of),
            width: 0,
            strong: is_strong(variant),
            address,
            offset,
            narrow,
        })
    }

    /// The slots or values of elements in the lists of the function; a 128-bit element has two.
    fn list_of_destinations(&mut self, elements: &[Operand], of: Type) -> Result<u32, Unsupported> {
        let mut slots = Vec::new();
        for element in elements {
            let slot = self.destination(element)?;
            slots.push(slot);
            if of.bits() == 128 {
                slots.push(if slot == SINK_SLOT { slot } else { slot + 1 });
            }
        }
        let list = self.code.lists.len() as u32;
        self.code.lists.extend(slots);
        Ok(list)
    }

    fn values(&mut self, elements: &[Operand], of: Type) -> Result<Vec<u32>, Unsupported> {
        let mut values = Vec::new();
        for element in elements {
            let value = self.value(element, of)?;
            values.push(value.0);
            if of.bits() == 128 {
                let high = match value.place() {
                    Ok(slot) => Source::slot(slot as u32 + 1),
                    Err(_) => self.constant(0),
                };
                values.push(high.0);
            }
        }
        Ok(values)
    }

    fn load(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, address, ..] = operands else {
            return Err(Unsupported);
        };
        let elements = self.elements(d);
        let access = self.access(variant, address, of)?;
        let width = self.width(&elements[0], of);
        let list = self.list_of_destinations(&elements, of)?;
        self.push(Op::Load {
            access: Access {
                count: elements.len() as u8,
                width: width.min(64) as u8,
                ..access
            },
            list,
        });
        Ok(())
    }

    /// `st.async` to global memory.
    pub(super) fn memory_store(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(self.store(variant, operands))
    }

    /// `red.async` with no barrier object.
    pub(super) fn memory_reduction(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(self.atomic(variant, operands, false))
    }

    fn store(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [address, b, ..] = operands else {
            return Err(Unsupported);
        };
        let elements = self.elements(b);
        let access = self.access(variant, address, of)?;
        let values = self.values(&elements, of)?;
        let list = self.code.lists.len() as u32;
        self.code.lists.extend(values);
        self.push(Op::Store {
            access: Access {
                count: elements.len() as u8,
                ..access
            },
            list,
        });
        Ok(())
    }

    pub(super) fn update(variant: &Variant, of: Type) -> Result<Update, Unsupported> {
        let maximum = variant.has(M::Max);
        if matches!(of.kind(), TypeKind::Float | TypeKind::Packed) {
            let format = format(of)?;
            let packed = of.kind() == TypeKind::Packed;
            let modifiers = Modifiers::default();
            let extreme = MinMax::default();
            return Ok(Update::Function(match (variant.has(M::Add), packed) {
                (true, true) => Function::PackedReal {
                    operation: Real::Add,
                    format,
                    modifiers,
                },
                (true, false) => Function::Real {
                    operation: Real::Add,
                    format,
                    modifiers,
                },
                (false, true) => Function::PackedExtreme {
                    maximum,
                    format,
                    modifiers: extreme,
                },
                (false, false) => Function::Extreme {
                    maximum,
                    format,
                    modifiers: extreme,
                    operands: 2,
                },
            }));
        }
        let operation = variant.modifiers.iter().flatten().find_map(|modifier| match modifier {
            M::Add => Some(Whole::Add),
            M::And => Some(Whole::And),
            M::Or => Some(Whole::Or),
            M::Xor => Some(Whole::Xor),
            M::Min => Some(Whole::Minimum),
            M::Max => Some(Whole::Maximum),
            _ => None,
        });
        Ok(match operation {
            Some(operation) => Update::Function(Function::Whole(operation, kind(of)?)),
            None if variant.has(M::Exch) => Update::Exchange,
            None if variant.has(M::Cas) => Update::CompareAndSwap,
            None if variant.has(M::Inc) => Update::Increment,
            None if variant.has(M::Dec) => Update::Decrement,
            None => return Err(Unsupported),
        })
    }

    /// `atom d, [a], b{, c}` and `red [a], b`. An optional last operand of others than `cas` is a cache policy or the old value's complement.
    fn atomic(&mut self, variant: &Variant, operands: &[Operand], returns: bool) -> Decoded {
        let of = first_type(variant)?;
        let (d, rest) = match (returns, operands) {
            (true, [d, rest @ ..]) => (*d, rest),
            _ => (Operand::Sink, operands),
        };
        let [address, b, rest @ ..] = rest else {
            return Err(Unsupported);
        };
        let update = Self::update(variant, of)?;
        let hinted = variant.has(M::L2CacheHint);
        let swap = match (update, rest) {
            (Update::CompareAndSwap, [c, ..]) => Some(*c),
            (_, []) => None,
            (_, [_]) if hinted => None,
            _ => return Err(Unsupported),
        };
        let operands = self.elements(b);
        let destinations = match d {
            Operand::Sink => vec![Operand::Sink; operands.len()],
            d => self.elements(&d),
        };
        let access = self.access(variant, address, of)?;
        let values = self.values(&operands, of)?;
        let swaps = match swap {
            Some(swap) => self.values(&[swap], of)?,
            None => Vec::new(),
        };
        let list = self.list_of_destinations(&destinations, of)?;
        self.code.lists.extend(values);
        self.code.lists.extend(swaps);
        self.push(Op::Atomic {
            access: Access {
                count: operands.len() as u8,
                strong: true,
                ..access
            },
            update,
            list,
        });
        Ok(())
    }

    fn copy_async(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [to, from, Operand::Integer(size, _), rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (from, from_offset, narrow) = self.address(from)?;
        let (to, to_offset, _) = self.address(to)?;
        let rest = if variant.has(M::L2CacheHint) {
            &rest[..rest.len().saturating_sub(1)]
        } else {
            rest
        };
        let mut ignore = Test {
            negated: true,
            ..Test::ALWAYS
        };
        let mut bytes = None;
        match rest {
            [] => {}
            [operand] => match self.test(operand) {
                Ok(test) if !matches!(operand, Operand::Integer(..)) && self.is_predicate(operand) => ignore = test,
                _ => bytes = Some(self.value(operand, Type::U32)?),
            },
            _ => return Err(Unsupported),
        }
        self.push(Op::CopyAsync {
            from: Access {
                space: Space::Global,
                bytes: *size as u8,
                count: 1,
                signed: false,
                width: 0,
                strong: false,
                address: from,
                offset: from_offset,
                narrow,
            },
            to,
            to_offset,
            size: bytes,
            ignore,
        });
        Ok(())
    }

    fn is_predicate(&self, operand: &Operand) -> bool {
        match *operand {
            Operand::Register(register) | Operand::Not(register) => {
                matches!(self.home(register), Ok(super::Home::Predicate(_)))
            }
            _ => false,
        }
    }

    fn store_bulk(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [address, size, ..] = operands else {
            return Err(Unsupported);
        };
        let access = self.access(variant, address, Type::B8)?;
        let size = self.value(size, Type::U64)?;
        self.push(Op::StoreBulk {
            address: access.address,
            offset: access.offset,
            space: access.space,
            size,
        });
        Ok(())
    }

    fn alloca(&mut self, operands: &[Operand]) -> Decoded {
        let [d, size, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let align = match rest {
            [Operand::Integer(align, _)] => (*align).max(1),
            _ => 8,
        };
        let size = self.value(size, Type::U64)?;
        let d = self.destination(d)?;
        self.push(Op::Allocate { d, size, align });
        Ok(())
    }

    fn stack_save(&mut self, operands: &[Operand]) -> Decoded {
        let [d] = operands else { return Err(Unsupported) };
        let d = self.destination(d)?;
        self.push(Op::StackSave { d });
        Ok(())
    }

    fn stack_restore(&mut self, operands: &[Operand]) -> Decoded {
        let [a] = operands else { return Err(Unsupported) };
        let a = self.value(a, Type::U64)?;
        self.push(Op::StackRestore { a });
        Ok(())
    }
}
