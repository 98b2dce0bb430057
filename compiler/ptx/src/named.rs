//! Which registers of a function its text names.

use crate::module::{AddressBase, Body, Function, Module, Operand, Register, RegisterRange, Space, Statement};

/// So many registers are taken as they are declared, whatever the text names.
const FEW: u64 = 1 << 14;

/// A numbering of the registers of a body that takes no room for what is only declared: `.reg .b32 %r<67108864>` is fourteen bytes of text.
///
/// Where few are declared, or not many more than the text has operands, each has the number of its declaration. Otherwise those are counted, in the same
/// order, that parameters, operands and guards name.
#[derive(Clone, Debug)]
pub struct NamedRegisters {
    count: usize,
    /// The numbers of declaration of those that count, ascending; none where all do.
    named: Option<Vec<u32>>,
}

impl NamedRegisters {
    /// The registers of a function with this body. The first are its parameters, where these are registers.
    pub fn of(module: &Module, function: &Function, body: &Body) -> NamedRegisters {
        let parameters = function.returns.iter().chain(&function.parameters);
        let parameters = parameters.filter(|id| module.variables[id.0 as usize].space == Space::Register);
        let parameters = parameters.count();
        let declared = body.registers.last().map_or(0, |range| {
            u64::from(range.first.0) + u64::from(range.count.unwrap_or(1))
        });
        if declared <= FEW.max(body.operands.len() as u64) {
            return NamedRegisters {
                count: declared as usize,
                named: None,
            };
        }
        let guards = body.statements.iter().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction.guard?.register.0),
            _ => None,
        });
        let operands = body.operands.iter().filter_map(|operand| match *operand {
            Operand::Register(register)
            | Operand::Component(register, _)
            | Operand::Selected(register, _)
            | Operand::Not(register)
            | Operand::Negative(register, _)
            | Operand::Element(_, Some(register), _) => Some(register.0),
            Operand::Address(address) => match address.base {
                AddressBase::Register(register) => Some(register.0),
                AddressBase::Variable(_) | AddressBase::Absolute => None,
            },
            Operand::Element(_, None, _)
            | Operand::Special(..)
            | Operand::Integer(..)
            | Operand::Double(_)
            | Operand::Single(_)
            | Operand::Variable(..)
            | Operand::Function(_)
            | Operand::Label(_)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::Pair(_)
            | Operand::List(_)
            | Operand::Sink => None,
        });
        let mut named: Vec<u32> = (0..parameters as u32).chain(guards).chain(operands).collect();
        named.sort_unstable();
        named.dedup();
        NamedRegisters {
            count: named.len(),
            named: Some(named),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of a register; none where the text does not name it.
    pub fn index(&self, register: Register) -> Option<usize> {
        match &self.named {
            Some(named) => named.binary_search(&register.0).ok(),
            None => Some(register.0 as usize).filter(|index| *index < self.count),
        }
    }

    /// Those of a declaration, in order: how many it declares before each.
    pub fn of_range(&self, range: &RegisterRange) -> impl Iterator<Item = u32> + '_ {
        let (first, end) = (range.first.0, range.first.0 + range.count.unwrap_or(1));
        let (all, some) = match &self.named {
            None => (0..end - first, &[][..]),
            Some(named) => {
                let from = named.partition_point(|number| *number < first);
                let to = named.partition_point(|number| *number < end);
                (0..0, &named[from..to])
            }
        };
        all.chain(some.iter().map(move |number| number - first))
    }
}

#[cfg(test)]
mod tests {
    use super::NamedRegisters;
    use crate::{module::Register, parse};

    fn named(body: &str) -> (NamedRegisters, Vec<Vec<u32>>) {
        let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{ {body} ret; }}\n");
        let parsed = parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let function = &parsed.module.functions[0];
        let body = function.body.as_ref().unwrap();
        let named = NamedRegisters::of(&parsed.module, function, body);
        let ranges = body.registers.iter().map(|range| named.of_range(range).collect());
        let ranges = ranges.collect();
        (named, ranges)
    }

    #[test]
    fn few_registers_are_numbered_as_declared() {
        let (named, ranges) = named(".reg .b32 %r<3>, %s; .reg .pred %p<2>; mov.b32 %r1, 1;");
        assert_eq!(named.count(), 6);
        assert_eq!(ranges, [vec![0, 1, 2], vec![0], vec![0, 1]]);
        assert_eq!(named.index(Register(5)), Some(5));
        assert_eq!(named.index(Register(6)), None);
    }

    #[test]
    fn of_many_those_count_that_are_named() {
        let (named, ranges) = named(
            ".reg .b32 %r<67108864>; .reg .pred %p<67108864>; .reg .b64 %d<9>; \
             mov.b32 %r9, %r67108863; @%p7 ld.global.b32 %r2, [%d4+8]; add.s32 %r9, %r9, -1;",
        );
        assert_eq!(ranges, [vec![2, 9, 67_108_863], vec![7], vec![4]]);
        assert_eq!(named.count(), 5);
        assert_eq!(named.index(Register(9)), Some(1));
        assert_eq!(named.index(Register(3)), None);
        assert_eq!(named.index(Register(2 * 67_108_864 + 4)), Some(4));
    }
}
