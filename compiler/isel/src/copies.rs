//! Copies that happen at once, put into an order: what the phis of a block mean at the end of a block before it.

use crate::register::{Operand, Register};

/// Orders copies `(destination, source)` that are meant to happen at the same time. Destinations differ. Where registers are exchanged in a ring, `temporary`
/// makes a register of the class of its argument that holds one of them meanwhile.
pub(crate) fn sequentialise(
    copies: &[(Register, Operand)],
    mut temporary: impl FnMut(Register) -> Register,
) -> Vec<(Register, Operand)> {
    let mut waiting: Vec<(Register, Operand)> = copies
        .iter()
        .copied()
        .filter(|(destination, source)| *source != Operand::Register(*destination))
        .collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let free = waiting.iter().position(|(destination, _)| {
            !waiting
                .iter()
                .any(|(_, source)| *source == Operand::Register(*destination))
        });
        match free {
            Some(index) => ordered.push(waiting.remove(index)),
            None => {
                // Every destination is still to be read: break a ring by keeping one of them elsewhere.
                let (destination, _) = waiting[0];
                let kept = temporary(destination);
                ordered.push((kept, Operand::Register(destination)));
                for (_, source) in &mut waiting {
                    if *source == Operand::Register(destination) {
                        *source = Operand::Register(kept);
                    }
                }
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::sequentialise;
    use crate::register::{Class, Operand, Register};

    fn r(number: u32) -> Register {
        Register {
            class: Class::B32,
            number,
        }
    }

    fn ordered(copies: &[(u32, u32)]) -> String {
        let copies: Vec<_> = copies
            .iter()
            .map(|&(to, from)| (r(to), Operand::Register(r(from))))
            .collect();
        let mut next = 100;
        let result = sequentialise(&copies, |_| {
            next += 1;
            r(next)
        });
        result.iter().map(|(to, from)| format!("{}={from} ", to)).collect()
    }

    #[test]
    fn a_chain_is_copied_from_its_end() {
        assert_eq!(ordered(&[(1, 2), (2, 3)]), "%r1=%r2 %r2=%r3 ");
        assert_eq!(ordered(&[(2, 3), (1, 2)]), "%r1=%r2 %r2=%r3 ");
    }

    #[test]
    fn an_exchange_needs_a_third_register() {
        assert_eq!(ordered(&[(1, 2), (2, 1)]), "%r101=%r1 %r1=%r2 %r2=%r101 ");
    }

    #[test]
    fn a_ring_beside_its_readers() {
        assert_eq!(
            ordered(&[(1, 2), (2, 3), (3, 1), (4, 1)]),
            "%r4=%r1 %r101=%r1 %r1=%r2 %r2=%r3 %r3=%r101 "
        );
    }

    #[test]
    fn a_copy_to_itself_is_nothing() {
        assert_eq!(ordered(&[(1, 1)]), "");
    }
}
