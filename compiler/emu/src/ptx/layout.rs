//! Where variables are: sizes, alignments and addresses, and the initial contents of global and constant memory.

mod shared;

use rustc_hash::FxHashMap;
use warpsmith_numerics::{convert, format};
use warpsmith_ptx::{
    module::{AddressTarget, FunctionId, Initializer, Item, Linkage, Module, Space, Statement, Variable, VariableId},
    table::{Type, TypeKind},
};

use super::{Device, Fault, FaultKind, code::FUNCTION_BASE, decode::load_fault};

/// The address of a variable in its own space. Those of global and constant memory are generic addresses at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Global(u64),
    Constant(u64),
    Shared(u64),
    /// Of a kernel: offset in the parameter block.
    Parameter(u64),
}

/// Addresses of all variables of a module but those in frames.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    locations: FxHashMap<VariableId, Location>,
    aliases: FxHashMap<FunctionId, FunctionId>,
    /// Bytes of shared memory of each kernel, before dynamic shared memory, which begins there.
    pub(crate) shared_bytes: FxHashMap<FunctionId, u64>,
    pub(crate) constant_ranges: Vec<(u64, u64)>,
    pub(crate) explicit_cluster: bool,
    /// Variables that hold handles of textures, samplers and surfaces.
    pub(crate) handles: super::texture::Handles,
    /// Address and size by name, of global and constant variables.
    pub(crate) named: FxHashMap<String, (u64, u64)>,
}

/// Bytes of one element of a type. Texture handles have the 8 bytes that a pointer to them would have.
fn element_bytes(element: Type) -> u64 {
    match element.kind() {
        TypeKind::Predicate => 1,
        _ => u64::from(element.bits().div_ceil(8)),
    }
}

/// Bytes of a variable; open dimensions are as large as the initialiser.
pub(crate) fn size(variable: &Variable) -> u64 {
    let open = match &variable.initializer {
        Some(Initializer::List(values, _)) => values.len() as u64,
        _ => 0,
    };
    let extent = |dimension: &Option<u64>| dimension.filter(|n| *n != 0).unwrap_or(open);
    let elements = variable.dimensions.iter().map(extent).fold(1, u64::saturating_mul);
    elements
        .saturating_mul(element_bytes(variable.element))
        .saturating_mul(u64::from(variable.vector.max(1)))
}

/// Alignment of a variable in bytes.
pub(crate) fn alignment(variable: &Variable) -> u64 {
    let natural = element_bytes(variable.element) * u64::from(variable.vector.max(1));
    natural
        .max(u64::from(variable.alignment.unwrap_or(1)))
        .next_power_of_two()
}

/// Larger than any memory; sums of two such numbers do not overflow.
const LARGEST: u64 = 1 << 60;

/// The next multiple of an alignment.
pub(super) fn align_up(address: u64, align: u64) -> u64 {
    address
        .checked_next_multiple_of(align.max(1))
        .map_or(LARGEST, |address| address.min(LARGEST))
}

/// Gives the variables one after the other addresses from `start` on; the end.
fn pack(module: &Module, variables: &[VariableId], start: u64, mut place: impl FnMut(VariableId, u64)) -> u64 {
    variables.iter().fold(start, |end, &id| {
        let variable = &module.variables[id.0 as usize];
        let address = align_up(end, alignment(variable));
        place(id, address);
        address.saturating_add(size(variable)).min(LARGEST)
    })
}

/// Bytes of a variable of a thread or CTA: no SM has more for one.
const MOST_INNER: u64 = 512 << 10;
/// Bytes of all such variables of a module, which no thread has at once.
const MOST_INNER_IN_ALL: u64 = 64 << 20;

/// Refuses a module whose variables are larger than what there is.
fn check_sizes(device: &Device, module: &Module) -> Result<(), Fault> {
    let (mut outer, mut inner) = (0_u64, 0_u64);
    for variable in &module.variables {
        let bytes = size(variable);
        match variable.space {
            Space::Global | Space::Constant => outer = outer.saturating_add(bytes),
            Space::Shared | Space::Local | Space::Parameter => {
                inner = inner.saturating_add(bytes);
                if bytes > MOST_INNER || inner > MOST_INNER_IN_ALL {
                    let name = variable.name.map_or("", |name| module.names.get(name));
                    let message = format!("variable {name} has {bytes} bytes, more than a thread or CTA has for it");
                    return Err(Fault {
                        span: Some(variable.span),
                        ..Fault::new(FaultKind::Load, message)
                    });
                }
            }
            Space::Register | Space::Texture => {}
        }
    }
    device.check_variables(outer)
}

impl Layout {
    pub(crate) fn location(&self, id: VariableId) -> Option<Location> {
        self.locations.get(&id).copied()
    }

    /// What an alias stands for; other functions stand for themselves.
    pub(crate) fn alias(&self, id: FunctionId) -> FunctionId {
        self.aliases.get(&id).copied().unwrap_or(id)
    }

    /// Places all variables.
    pub(crate) fn of(device: &mut Device, module: &Module) -> Result<Layout, Fault> {
        check_sizes(device, module)?;
        let mut layout = Layout::default();
        let mut variables: Vec<VariableId> = Vec::new();
        let mut locals: Vec<(usize, Vec<VariableId>)> = Vec::new();
        for item in &module.items {
            match item {
                Item::Variable(id) => variables.push(*id),
                Item::Alias { alias, target, .. } => {
                    layout.aliases.insert(*alias, *target);
                }
                Item::VariableDeclaration(_)
                | Item::Function { .. }
                | Item::Pragma(..)
                | Item::File(_)
                | Item::Section(_) => {}
            }
        }
        for (index, function) in module.functions.iter().enumerate() {
            if function.kernel {
                let locations = &mut layout.locations;
                pack(module, &function.parameters, 0, |id, offset| {
                    locations.insert(id, Location::Parameter(offset));
                });
            }
            let Some(body) = &function.body else { continue };
            let inner = body.statements.iter().filter_map(|statement| match statement {
                Statement::Variable(id) => Some(*id),
                _ => None,
            });
            let inner: Vec<VariableId> = inner.collect();
            if function.kernel {
                locals.push((index, inner));
            } else {
                variables.extend(inner);
            }
        }
        (layout.shared_bytes, layout.locations) = shared::place(module, &layout.aliases, layout.locations);
        let all = variables
            .iter()
            .copied()
            .chain(locals.iter().flat_map(|(_, inner)| inner.iter().copied()));
        for id in all {
            layout.place_global(device, module, id)?;
        }
        layout.initialise(device, module)?;
        Ok(layout)
    }

    fn place_global(&mut self, device: &mut Device, module: &Module, id: VariableId) -> Result<(), Fault> {
        let variable = &module.variables[id.0 as usize];
        if !matches!(variable.space, Space::Global | Space::Constant | Space::Texture) || self.location(id).is_some() {
            return Ok(());
        }
        let name = variable.name.map_or("", |name| module.names.get(name));
        let bytes = size(variable);
        if variable.linkage == Linkage::External {
            // Another declaration of the same name may define it.
            return match self.named.get(name) {
                Some(&(address, _)) => {
                    self.locations.insert(id, Location::Global(address));
                    Ok(())
                }
                None => Err(load_fault(format!("the variable '{name}' is declared but not defined"))),
            };
        }
        let address = device.allocate(bytes, alignment(variable));
        if variable.space == Space::Constant {
            self.constant_ranges.push((address, address + bytes));
            self.locations.insert(id, Location::Constant(address));
        } else {
            self.locations.insert(id, Location::Global(address));
        }
        if let Some(kind) = super::texture::kind(variable.element) {
            self.handles.push((address, kind));
        }
        self.named.insert(name.to_string(), (address, bytes));
        Ok(())
    }

    /// Writes initial values; what has none is zero.
    fn initialise(&self, device: &mut Device, module: &Module) -> Result<(), Fault> {
        for (index, variable) in module.variables.iter().enumerate() {
            let (Some(Location::Global(address) | Location::Constant(address)), false) = (
                self.location(VariableId(index as u32)),
                variable.linkage == Linkage::External,
            ) else {
                continue;
            };
            if variable.initializer.is_none() {
                device.mark_written(address);
                continue;
            }
            if let Some(handle) = super::texture::initial_handle(device, module, variable)? {
                device.write(address, &handle.to_le_bytes())?;
                continue;
            }
            let mut bytes = vec![0; usize::try_from(size(variable)).unwrap_or(0)];
            if let Some(initializer) = &variable.initializer {
                let mut extents: Vec<u64> = variable.dimensions.iter().map(|d| d.unwrap_or(0)).collect();
                if variable.vector > 1 {
                    extents.push(u64::from(variable.vector));
                }
                self.fill(initializer, variable.element, &extents, &mut bytes);
            }
            if !bytes.is_empty() {
                device.write(address, &bytes)?;
            }
        }
        Ok(())
    }

    /// Fills the bytes of an array with the values of its initialiser; nested lists fill one row each.
    fn fill(&self, initializer: &Initializer, element: Type, extents: &[u64], bytes: &mut [u8]) {
        let width = element_bytes(element) as usize;
        match initializer {
            Initializer::List(values, _) => {
                let inner = extents.get(1..).unwrap_or(&[]);
                let row = inner.iter().fold(width as u64, |n, extent| n.saturating_mul(*extent)) as usize;
                let mut at = 0;
                for value in values {
                    let step = if matches!(value, Initializer::List(..)) {
                        row
                    } else {
                        width
                    };
                    let Some(part) = bytes.get_mut(at..) else { return };
                    let end = step.min(part.len());
                    self.fill(value, element, inner, &mut part[..end]);
                    at += step.max(1);
                }
            }
            Initializer::Fields(..) => {}
            _ => {
                let value = self.scalar(initializer, element).to_le_bytes();
                let end = width.min(bytes.len()).min(8);
                bytes[..end].copy_from_slice(&value[..end]);
            }
        }
    }

    fn scalar(&self, initializer: &Initializer, element: Type) -> u64 {
        let from_double = |bits: u64| {
            let to = match element {
                Type::F16 => format::F16,
                Type::Bf16 => format::BF16,
                Type::F32 | Type::B32 => format::F32,
                _ => return bits,
            };
            convert::float_to_float(format::F64, to, convert::Modifiers::default(), bits)
        };
        match *initializer {
            Initializer::Integer(value, _) => match element {
                Type::F32 | Type::F64 | Type::F16 => {
                    let number =
                        convert::integer_to_float(convert::S64, format::F64, convert::Modifiers::default(), value);
                    from_double(number)
                }
                _ => value,
            },
            Initializer::Float(bits, _) => from_double(bits),
            Initializer::Single(bits, _) if element.bits() == 64 => {
                convert::float_to_float(format::F32, format::F64, convert::Modifiers::default(), u64::from(bits))
            }
            Initializer::Single(bits, _) => u64::from(bits),
            Initializer::Address {
                target,
                offset,
                generic,
                mask,
                ..
            } => {
                let base = match target {
                    AddressTarget::Function(id) => FUNCTION_BASE + 16 * u64::from(self.alias(id).0),
                    AddressTarget::Variable(id) => match self.location(id) {
                        Some(Location::Global(address) | Location::Constant(address)) => address,
                        Some(Location::Shared(address)) if generic => super::code::SHARED_WINDOW + address,
                        Some(Location::Shared(address) | Location::Parameter(address)) => address,
                        None => 0,
                    },
                };
                let value = base.wrapping_add_signed(offset);
                match mask {
                    Some(mask) if mask != 0 => (value & mask) >> mask.trailing_zeros(),
                    _ => value,
                }
            }
            Initializer::List(..) | Initializer::Fields(..) => 0,
        }
    }
}
