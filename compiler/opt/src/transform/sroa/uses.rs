//! What is done to an alloca, and where in it.

use warpsmith_ir::{Function, Instruction, InstructionId, Value};

use crate::{
    address,
    intrinsics::{self, TransferKind},
};

/// A load or store of a scalar or vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) id: InstructionId,
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// A copy or fill of a known number of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) id: InstructionId,
    /// Where in the alloca.
    pub(super) offset: u64,
    pub(super) size: u64,
    /// Whether the alloca is the source; a copy within the alloca is in the list twice.
    pub(super) reads: bool,
}

/// All uses of an alloca.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Bytes of the alloca.
    pub(super) size: u64,
    pub(super) accesses: Vec<Access>,
    pub(super) transfers: Vec<Transfer>,
    /// Markers of its life.
    pub(super) markers: Vec<InstructionId>,
    /// Address computations and casts, users after what they use.
    pub(super) addresses: Vec<InstructionId>,
}

/// The uses of an alloca, if they are all understood and within its bounds.
pub(super) fn find(function: &Function, alloca: InstructionId) -> Option<Uses> {
    let Instruction::Alloca { ty, count, .. } = function.instruction(alloca) else {
        return None;
    };
    let count = address::constant_int(function, *count)?;
    let size = function.context().size(*ty).checked_mul(u64::try_from(count).ok()?)?;
    let mut uses = Uses {
        size,
        ..Uses::default()
    };
    let mut work = vec![(Value::Instruction(alloca), 0u64)];
    while let Some((address, offset)) = work.pop() {
        for user in function.users(address) {
            uses.add(function, user, address, offset, &mut work)?;
        }
    }
    // Copies within the alloca would have to be cut the same way at both ends.
    let mut copied: Vec<InstructionId> = uses.transfers.iter().map(|transfer| transfer.id).collect();
    copied.sort_unstable();
    copied.windows(2).all(|pair| pair[0] != pair[1]).then_some(uses)
}

impl Uses {
    fn add(
        &mut self,
        function: &Function,
        user: InstructionId,
        address: Value,
        offset: u64,
        work: &mut Vec<(Value, u64)>,
    ) -> Option<()> {
        let instruction = function.instruction(user);
        let size_of = |ty| function.context().store_size(ty);
        match instruction {
            Instruction::Load { access, .. } if access.is_simple() => {
                let ty = function.result_type(user);
                self.access(user, offset, size_of(ty), ty.is_aggregate())?;
            }
            Instruction::Store { pointer, value, access }
                if access.is_simple() && *pointer == address && *value != address =>
            {
                let ty = function.type_of(*value);
                self.access(user, offset, size_of(ty), ty.is_aggregate())?;
            }
            Instruction::Gep { base, .. } if *base == address => {
                let step = address::constant_offset(function, user)?;
                let offset = offset.checked_add_signed(step).filter(|&offset| offset <= self.size)?;
                self.addresses.push(user);
                work.push((Value::Instruction(user), offset));
            }
            Instruction::Cast { .. } if function.result_type(user).is_pointer() => {
                self.addresses.push(user);
                work.push((Value::Instruction(user), offset));
            }
            _ if intrinsics::is_lifetime(instruction) => self.markers.push(user),
            _ => self.transfer(function, user, address, offset)?,
        }
        Some(())
    }

    fn access(&mut self, id: InstructionId, offset: u64, size: u64, is_aggregate: bool) -> Option<()> {
        let end = offset.checked_add(size)?;
        if is_aggregate || size == 0 || end > self.size {
            return None;
        }
        self.accesses.push(Access { id, offset, size });
        Some(())
    }

    fn transfer(&mut self, function: &Function, id: InstructionId, address: Value, offset: u64) -> Option<()> {
        let transfer = intrinsics::transfer(function, id)?;
        if transfer.volatile {
            return None;
        }
        let size = u64::try_from(address::constant_int(function, transfer.length)?).ok()?;
        if offset.checked_add(size)? > self.size {
            return None;
        }
        if transfer.destination == address {
            self.transfers.push(Transfer {
                id,
                offset,
                size,
                reads: false,
            });
        }
        if let TransferKind::Copy { source } | TransferKind::Move { source } = transfer.kind
            && source == address
        {
            self.transfers.push(Transfer {
                id,
                offset,
                size,
                reads: true,
            });
        }
        Some(())
    }
}
