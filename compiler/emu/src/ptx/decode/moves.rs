//! `mov`, with packing and unpacking, and the conversions of addresses.

use warpsmith_ptx::{instruction::Variant, module::Operand, table::Type};

use super::{Decoded, Decoder, M, O, Unsupported, first_type};
use crate::ptx::{
    arithmetic::{Function, Kind, Whole},
    code::{LOCAL_WINDOW, Op, PARAMETER_WINDOW, SHARED_WINDOW, Source, Space, Test},
};

/// The state space of an address conversion or test.
fn space(variant: &Variant) -> Result<Space, Unsupported> {
    let found = variant.modifiers.iter().flatten().find_map(|modifier| match modifier {
        M::Const => Some(Space::Constant),
        M::Global => Some(Space::Global),
        M::Local => Some(Space::Local),
        M::Shared | M::SharedCta | M::SharedCluster => Some(Space::Shared),
        M::Param | M::ParamEntry => Some(Space::Parameter),
        _ => None,
    });
    found.ok_or(Unsupported)
}

impl Decoder<'_> {
    /// `mov`, `cvta` and `isspacep`.
    pub(super) fn moves(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        match variant.opcode {
            O::Mov => Some(self.mov(variant, operands)),
            O::Cvta | O::CvtaTo => Some(self.convert_address(variant, operands)),
            O::Isspacep => Some(self.is_space(variant, operands)),
            O::Mapa | O::Getctarank => Some(self.cluster_address(variant, operands)),
            _ => None,
        }
    }

    fn mov(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a] = operands else { return Err(Unsupported) };
        if of == Type::Pred {
            return self.move_predicate(d, a);
        }
        match (d, a) {
            (Operand::Vector(_), Operand::Vector(_)) => self.move_elements(of, d, a),
            (Operand::Vector(_), _) if variant.has(M::V2) || variant.has(M::V4) => {
                let Operand::Special(register, _) = *a else {
                    return Err(Unsupported);
                };
                let parts: Vec<Operand> = (0..4).map(|part| Operand::Special(register, Some(part))).collect();
                let targets = self.elements(d);
                self.move_all(of, &targets, &parts)
            }
            (Operand::Vector(_), _) => self.unpack(of, d, a),
            (_, Operand::Vector(_)) => self.pack(of, d, a),
            _ if of == Type::B128 => self.move_wide(d, a),
            _ => {
                let a = match self.opaque_parameter(a)? {
                    Some(handle) => handle,
                    None => self.value(a, of)?,
                };
                let d = self.destination(d)?;
                self.push(Op::Move { d, a });
                Ok(())
            }
        }
    }

    fn move_predicate(&mut self, d: &Operand, a: &Operand) -> Decoded {
        let p = self.predicate(d)?;
        let a = match *a {
            // `%is_explicit_cluster`
            Operand::Special(..) => Test {
                negated: !self.layout.explicit_cluster,
                ..Test::ALWAYS
            },
            _ => self.test(a)?,
        };
        self.push(Op::Logic {
            combine: crate::ptx::code::Combine::And,
            p,
            a,
            b: Test::ALWAYS,
        });
        Ok(())
    }

    fn move_elements(&mut self, of: Type, d: &Operand, a: &Operand) -> Decoded {
        let (targets, values) = (self.elements(d), self.elements(a));
        self.move_all(of, &targets, &values)
    }

    /// All sources are read before a destination is written.
    fn move_all(&mut self, of: Type, targets: &[Operand], values: &[Operand]) -> Decoded {
        let mut moves = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            if matches!(target, Operand::Sink) || matches!(value, Operand::Sink) {
                continue;
            }
            let a = self.value(value, of)?;
            let kept = self.temporary();
            self.push(Op::Move { d: kept, a });
            moves.push((self.destination(target)?, kept));
        }
        for (d, kept) in moves {
            self.push(Op::Move {
                d,
                a: Source::slot(kept),
            });
        }
        if targets.is_empty() {
            return Err(Unsupported);
        }
        Ok(())
    }

    fn move_wide(&mut self, d: &Operand, a: &Operand) -> Decoded {
        let a = self.value(a, Type::B64)?;
        let d = self.destination(d)?;
        let high = match a.place() {
            Ok(slot) => Source::slot(slot as u32 + 1),
            Err(_) => self.constant(0),
        };
        self.push(Op::Move { d, a });
        self.push(Op::Move { d: d + 1, a: high });
        Ok(())
    }

    /// `mov.b64 {a, b}, c`
    fn unpack(&mut self, of: Type, d: &Operand, a: &Operand) -> Decoded {
        let targets = self.elements(d);
        let bits = of.bits() / targets.len().max(1) as u32;
        let source = self.value(a, if of == Type::B128 { Type::B64 } else { of })?;
        // The source may be among the destinations.
        let kept = self.temporary();
        self.push(Op::Move { d: kept, a: source });
        let mut words = [Source::slot(kept); 2];
        if of == Type::B128 {
            let high = match source.place() {
                Ok(slot) => Source::slot(slot as u32 + 1),
                Err(_) => self.constant(0),
            };
            let kept = self.temporary();
            self.push(Op::Move { d: kept, a: high });
            words[1] = Source::slot(kept);
        }
        for (index, target) in targets.iter().enumerate() {
            if matches!(target, Operand::Sink) {
                continue;
            }
            let from = index as u32 * bits;
            let d = self.destination(target)?;
            self.push(Op::Extract {
                d,
                a: words[usize::from(from >= 64)],
                shift: (from % 64) as u8,
                bits: bits as u8,
            });
        }
        Ok(())
    }

    /// `mov.b64 c, {a, b}`
    fn pack(&mut self, of: Type, d: &Operand, a: &Operand) -> Decoded {
        let values = self.elements(a);
        let bits = of.bits() / values.len().max(1) as u32;
        let element = match bits {
            8 => Type::B8,
            16 => Type::B16,
            32 => Type::B32,
            64 => Type::B64,
            _ => return Err(Unsupported),
        };
        let zero = self.constant(0);
        let mut words = vec![self.temporary()];
        self.push(Op::Move { d: words[0], a: zero });
        if of == Type::B128 {
            words.push(self.temporary());
            self.push(Op::Move { d: words[1], a: zero });
        }
        for (index, value) in values.iter().enumerate() {
            if matches!(value, Operand::Sink) {
                continue;
            }
            let to = index as u32 * bits;
            let a = self.value(value, element)?;
            let d = words[usize::from(to >= 64)];
            self.push(Op::Insert {
                d,
                a,
                shift: (to % 64) as u8,
                bits: bits as u8,
            });
        }
        let d = self.destination(d)?;
        for (index, word) in words.iter().enumerate() {
            self.push(Op::Move {
                d: d + index as u32,
                a: Source::slot(*word),
            });
        }
        Ok(())
    }

    /// `cvta`: windows of the generic space are contiguous, so it is a sum or difference. Global and constant addresses are generic ones.
    fn convert_address(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a] = operands else { return Err(Unsupported) };
        let window = match space(variant)? {
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Parameter if self.function.kernel => PARAMETER_WINDOW,
            Space::Parameter => LOCAL_WINDOW,
            Space::Global | Space::Constant | Space::Generic => 0,
        };
        let a = self.value(a, of)?;
        let d = self.destination(d)?;
        let window = self.constant(window);
        let operation = if variant.opcode == O::Cvta {
            Whole::Add
        } else {
            Whole::Subtract
        };
        let kind = if of.bits() == 32 { Kind::U32 } else { Kind::U64 };
        self.push(Op::Compute {
            function: Function::Whole(operation, kind),
            d,
            a,
            b: window,
            c: window,
        });
        Ok(())
    }

    fn is_space(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [p, a] = operands else { return Err(Unsupported) };
        let space = space(variant)?;
        let p = self.predicate(p)?;
        let a = self.value(a, Type::U64)?;
        self.push(Op::IsSpace { p, a, space });
        Ok(())
    }

    fn cluster_address(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let generic = !variant.has(M::SharedCluster);
        let [d, a, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let a = self.value(a, of)?;
        let d = self.destination(d)?;
        match rest {
            [rank] => {
                let rank = self.value(rank, Type::U32)?;
                self.push(Op::MapAddress { d, a, rank, generic });
            }
            _ => self.push(Op::CtaRank { d, a, generic }),
        }
        Ok(())
    }
}
