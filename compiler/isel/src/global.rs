//! Variables of the module: their directives, initial values, and order.

use std::fmt::Write as _;

use warpsmith_ir::{
    AddressSpace, BinaryOp, CastOp, Constant, ConstantExpression, ConstantId, Context, Global, GlobalId, GlobalRole,
    Linkage, Type,
};

use crate::module::Scope;
use crate::parts::{Scalar, scalar};

/// An address that is known when the module is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbolic {
    /// The name in PTX.
    pub(crate) name: String,
    /// Bytes beyond it.
    pub(crate) offset: i64,
    /// The state space of the symbol; generic for functions.
    pub(crate) space: AddressSpace,
    /// Whether the generic address is meant rather than the one within the state space.
    pub(crate) generic: bool,
}

/// The state space that a variable is put into: those without one are in global memory.
pub(crate) fn space_of(global: &Global) -> AddressSpace {
    if global.space == AddressSpace::GENERIC {
        AddressSpace::GLOBAL
    } else {
        global.space
    }
}

/// The address that a constant is, if it is one of a symbol.
pub(crate) fn symbolic(scope: &Scope<'_>, constant: ConstantId) -> Option<Symbolic> {
    let context = scope.context();
    match context.constant(constant) {
        Constant::Global { global, .. } => {
            let data = &scope.module.symbols.globals[*global];
            Some(Symbolic {
                name: scope.global_name(*global).to_owned(),
                offset: 0,
                space: space_of(data),
                generic: data.space == AddressSpace::GENERIC,
            })
        }
        Constant::Function(function) => Some(Symbolic {
            name: scope.function_name(*function).to_owned(),
            offset: 0,
            space: AddressSpace::GENERIC,
            generic: false,
        }),
        Constant::Alias { alias, .. } => {
            let data = &scope.module.symbols.aliases[*alias];
            if matches!(data.ty, Type::Function(_)) {
                let name = scope.alias_name(*alias).to_owned();
                return Some(Symbolic {
                    name,
                    offset: 0,
                    space: AddressSpace::GENERIC,
                    generic: false,
                });
            }
            // PTX has no aliases of variables.
            symbolic(scope, data.target)
        }
        Constant::Expression(ConstantExpression::Gep {
            source, base, indices, ..
        }) => {
            let base = symbolic(scope, *base)?;
            let offset = constant_offset(context, *source, indices)?;
            Some(Symbolic {
                offset: base.offset.wrapping_add(offset),
                ..base
            })
        }
        Constant::Expression(ConstantExpression::Cast { op, operand, ty }) => {
            let inner = symbolic(scope, *operand)?;
            match op {
                CastOp::AddrSpaceCast if *ty == Type::POINTER && inner.space != AddressSpace::GENERIC => {
                    Some(Symbolic { generic: true, ..inner })
                }
                CastOp::AddrSpaceCast if *ty == Type::Pointer(inner.space) => Some(Symbolic {
                    generic: false,
                    ..inner
                }),
                CastOp::PtrToInt if *ty == Type::I64 => Some(inner),
                CastOp::IntToPtr | CastOp::BitCast => Some(inner),
                _ => None,
            }
        }
        Constant::Expression(ConstantExpression::Binary { op, left, right }) => {
            let (base, number) = match (symbolic(scope, *left), symbolic(scope, *right)) {
                (Some(base), None) => (base, integer(context, *right)?),
                (None, Some(base)) if *op == BinaryOp::Add => (base, integer(context, *left)?),
                _ => return None,
            };
            let offset = match op {
                BinaryOp::Add => base.offset.wrapping_add(number),
                BinaryOp::Sub => base.offset.wrapping_sub(number),
                _ => return None,
            };
            Some(Symbolic { offset, ..base })
        }
        _ => None,
    }
}

/// The number that a constant is, also as an address.
fn integer(context: &Context, constant: ConstantId) -> Option<i64> {
    match context.constant(constant) {
        Constant::Int(value) => value.to_i64().or(value.to_u64().map(|value| value as i64)),
        Constant::Null(_) => Some(0),
        Constant::Expression(ConstantExpression::Cast {
            op: CastOp::IntToPtr | CastOp::PtrToInt,
            operand,
            ty,
        }) if context.bit_size(*ty) == 64 => integer(context, *operand),
        Constant::Expression(ConstantExpression::Gep {
            source, base, indices, ..
        }) => Some(integer(context, *base)?.wrapping_add(constant_offset(context, *source, indices)?)),
        _ => None,
    }
}

/// The bytes that constant indices step over.
pub(crate) fn constant_offset(context: &Context, source: Type, indices: &[ConstantId]) -> Option<i64> {
    let (first, rest) = indices.split_first()?;
    let mut offset = integer(context, *first)?.wrapping_mul(context.size(source) as i64);
    let mut ty = source;
    for index in rest {
        let index = integer(context, *index)?;
        let step = match ty {
            Type::Struct(_) => context.offset_of(ty, index as u64) as i64,
            // An index of an array may be beyond it, or negative.
            Type::Array(_) => context.offset_of(ty, 1).wrapping_mul(index as u64) as i64,
            Type::Vector(_) => context.offset_of(ty, 1).wrapping_mul(index as u64) as i64,
            _ => return None,
        };
        offset = offset.wrapping_add(step);
        ty = context.element(ty, if matches!(ty, Type::Struct(_)) { index as u64 } else { 0 })?;
    }
    Some(offset)
}

/// The variables that are written, each after those that its initial value names.
pub(crate) fn order(scope: &Scope<'_>) -> Vec<GlobalId> {
    let mut done = vec![false; scope.module.symbols.globals.len()];
    let mut order = Vec::new();
    for (id, global) in scope.module.globals() {
        if !is_written(global) {
            continue;
        }
        // A stack of variables, each with those that it still waits for.
        let mut stack = vec![(id, references(scope, id))];
        while let Some((id, waiting)) = stack.last_mut() {
            let id = *id;
            if done[id.index()] {
                stack.pop();
                continue;
            }
            match waiting.pop() {
                Some(next) if !done[next.index()] && !stack.iter().any(|(open, _)| *open == next) => {
                    stack.push((next, references(scope, next)));
                }
                Some(_) => {}
                None => {
                    done[id.index()] = true;
                    order.push(id);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// Whether a variable is part of the program: `llvm.used` and its like are notes to the compiler.
fn is_written(global: &Global) -> bool {
    !global.name.starts_with("llvm.") && global.section.as_deref() != Some("llvm.metadata")
}

/// The variables that an initial value names, the first last.
fn references(scope: &Scope<'_>, id: GlobalId) -> Vec<GlobalId> {
    let mut found = Vec::new();
    let mut open: Vec<ConstantId> = scope.module.symbols.globals[id].initializer.into_iter().collect();
    while let Some(constant) = open.pop() {
        match scope.context().constant(constant) {
            Constant::Global { global, .. } => found.push(*global),
            Constant::Alias { alias, .. } => open.push(scope.module.symbols.aliases[*alias].target),
            Constant::Aggregate { elements, .. } => open.extend(elements.iter()),
            Constant::Expression(expression) => match expression {
                ConstantExpression::Gep { base, .. } => open.push(*base),
                ConstantExpression::Cast { operand, .. } => open.push(*operand),
                ConstantExpression::Binary { left, right, .. } => open.extend([*left, *right]),
            },
            _ => {}
        }
    }
    found
}

/// Writes the declaration of a variable; what cannot be said in PTX is the error.
pub(crate) fn write(text: &mut String, scope: &Scope<'_>, id: GlobalId) -> Result<(), String> {
    let context = scope.context();
    let global = &scope.module.symbols.globals[id];
    let name = scope.global_name(id);
    let declared_only = global.initializer.is_none() || global.linkage == Linkage::AvailableExternally;
    text.push_str(match global.linkage {
        Linkage::Common if space_of(global) != AddressSpace::GLOBAL => linkage(Linkage::Weak, declared_only),
        stated => linkage(stated, declared_only),
    });
    let directive = match space_of(global) {
        AddressSpace::GLOBAL => ".global",
        AddressSpace::SHARED => ".shared",
        AddressSpace::CONSTANT => ".const",
        AddressSpace::LOCAL => ".local",
        other => return Err(format!("a variable in address space {}", other.0)),
    };
    match global.role {
        GlobalRole::Plain => {}
        GlobalRole::Managed => {
            let _ = write!(text, "{directive} .attribute(.managed)");
        }
        GlobalRole::Texture => return finish(text, format_args!(".global .texref {name};")),
        GlobalRole::Surface => return finish(text, format_args!(".global .surfref {name};")),
        GlobalRole::Sampler => return finish(text, format_args!(".global .samplerref {name};")),
    }
    if global.role == GlobalRole::Plain {
        text.push_str(directive);
    }
    let align = global.align.max(context.alignment(global.ty));
    let _ = write!(text, " .align {align} ");
    let has_values = matches!(space_of(global), AddressSpace::GLOBAL | AddressSpace::CONSTANT);
    let initializer = global.initializer.filter(|_| !declared_only && has_values);
    let image = match initializer {
        Some(constant) => Image::new(scope, global.ty, constant)?,
        None => Image::default(),
    };
    match scalar(global.ty) {
        Some(part) if part.bits().is_power_of_two() => {
            let size = part.bits().max(8);
            let kind = match part {
                Scalar::Float => "f32".to_owned(),
                Scalar::Double => "f64".to_owned(),
                Scalar::Half | Scalar::BFloat => "b16".to_owned(),
                _ => format!("u{size}"),
            };
            let _ = write!(text, ".{kind} {name}");
            let width = u64::from(size / 8);
            if image.used(width) > 0 {
                text.push_str(" = ");
                match part {
                    Scalar::Float => {
                        let _ = write!(text, "0f{:08X}", image.element(0, width));
                    }
                    Scalar::Double => {
                        let _ = write!(text, "0d{:016X}", image.element(0, width));
                    }
                    _ => image.write(text, width),
                }
            }
        }
        _ => {
            let size = context.size(global.ty);
            let width = image.element_width(size);
            let kind = match (width, image.addresses.is_empty()) {
                (8, _) => "u64",
                (_, true) => "b8",
                // Bytes of addresses.
                (_, false) => "u8",
            };
            let count = if size == 0 && declared_only {
                String::new()
            } else {
                (size.max(1) / width).to_string()
            };
            let _ = write!(text, ".{kind} {name}[{count}]");
            if image.used(width) > 0 {
                text.push_str(" = {");
                image.write(text, width);
                text.push('}');
            }
        }
    }
    finish(text, format_args!(";"))
}

fn finish(text: &mut String, end: std::fmt::Arguments<'_>) -> Result<(), String> {
    let _ = text.write_fmt(end);
    text.push('\n');
    Ok(())
}

/// The linkage directive of a symbol.
pub(crate) fn linkage(linkage: Linkage, declared_only: bool) -> &'static str {
    match linkage {
        Linkage::ExternalWeak | Linkage::AvailableExternally => ".extern ",
        Linkage::Weak | Linkage::WeakOdr | Linkage::LinkOnce | Linkage::LinkOnceOdr => ".weak ",
        Linkage::External | Linkage::Appending if declared_only => ".extern ",
        Linkage::External | Linkage::Appending => ".visible ",
        Linkage::Common => ".common ",
        Linkage::Private | Linkage::Internal => "",
    }
}

/// The memory of an initial value. What follows the last byte that is not zero is left out: it takes no memory here, as in PTX.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    /// Addresses of eight bytes, by their offset, ascending.
    addresses: Vec<(u64, Symbolic)>,
}

/// The last byte of an initial value that is not zero comes before this.
const END_OF_VALUES: u64 = 1 << 30;

const TOO_FAR: &str = "an initial value with a gibibyte or more before its last byte that is not zero";

impl Image {
    fn new(scope: &Scope<'_>, ty: Type, constant: ConstantId) -> Result<Image, String> {
        let mut image = Image::default();
        image.fill(scope, ty, constant, 0)?;
        Ok(image)
    }

    /// Writes bytes where they belong.
    fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<(), String> {
        let Some(last) = bytes.iter().rposition(|&byte| byte != 0) else {
            return Ok(());
        };
        let bytes = &bytes[..=last];
        let end = offset + bytes.len() as u64;
        if end > END_OF_VALUES {
            return Err(TOO_FAR.into());
        }
        let (start, end) = (offset as usize, end as usize);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn fill(&mut self, scope: &Scope<'_>, ty: Type, constant: ConstantId, offset: u64) -> Result<(), String> {
        let context = scope.context();
        match context.constant(constant) {
            Constant::Int(value) => {
                let size = context.store_size(ty) as usize;
                let bytes: Vec<u8> = value
                    .words()
                    .iter()
                    .flat_map(|word| word.to_le_bytes())
                    .take(size)
                    .collect();
                self.put(offset, &bytes)?;
            }
            Constant::Float { bits, .. } => {
                self.put(offset, &bits.to_le_bytes()[..context.store_size(ty) as usize])?;
            }
            Constant::Null(_) | Constant::Zero(_) | Constant::Undef(_) | Constant::Poison(_) => {}
            Constant::Bytes { bytes, .. } => self.put(offset, bytes)?,
            Constant::Aggregate { elements, .. } => {
                for (index, element) in elements.iter().enumerate() {
                    let inner = context.element(ty, index as u64).unwrap_or(Type::Void);
                    self.fill(scope, inner, *element, offset + context.offset_of(ty, index as u64))?;
                }
            }
            _ => match symbolic(scope, constant) {
                None if integer(context, constant).is_some() => {
                    let value = integer(context, constant).unwrap_or(0);
                    self.put(offset, &value.to_le_bytes()[..context.store_size(ty).min(8) as usize])?;
                }
                Some(address) if context.size(ty) == 8 && offset < END_OF_VALUES => {
                    self.addresses.push((offset, address));
                }
                Some(_) if context.size(ty) == 8 => return Err(TOO_FAR.into()),
                _ => {
                    return Err("an initial value that is computed from addresses in a way that PTX cannot say".into());
                }
            },
        }
        Ok(())
    }

    /// Eight where there are addresses and all are at multiples of eight, else one.
    fn element_width(&self, size: u64) -> u64 {
        let words = size.is_multiple_of(8) && self.addresses.iter().all(|(offset, _)| offset.is_multiple_of(8));
        if !self.addresses.is_empty() && words { 8 } else { 1 }
    }

    /// How many elements of `width` bytes there are up to the last one that is not zero.
    fn used(&self, width: u64) -> u64 {
        let addresses = self.addresses.last().map_or(0, |(offset, _)| offset + 8);
        addresses.max(self.bytes.len() as u64).div_ceil(width)
    }

    /// Writes the elements of `width` bytes, with what stands between them.
    fn write(&self, text: &mut String, width: u64) {
        let mut addresses = self.addresses.iter().peekable();
        for index in 0..self.used(width) {
            if index != 0 {
                text.push_str(", ");
            }
            let at = index * width;
            while addresses.next_if(|(offset, _)| offset + 8 <= at).is_some() {}
            match addresses.peek() {
                Some((offset, address)) if *offset <= at && width == 8 => text.push_str(&address_text(address)),
                Some((offset, address)) if *offset <= at => {
                    let mask = 0xFFu64 << (8 * (at - offset));
                    let _ = write!(text, "0x{mask:X}({})", address_text(address));
                }
                _ => {
                    let _ = write!(text, "{}", self.element(index, width));
                }
            }
        }
    }

    /// An element that is a number.
    fn element(&self, index: u64, width: u64) -> u64 {
        let rest = self.bytes.get((index * width) as usize..).unwrap_or_default();
        let mut word = [0; 8];
        let count = rest.len().min(width as usize);
        word[..count].copy_from_slice(&rest[..count]);
        u64::from_le_bytes(word)
    }
}

/// An address in an initial value.
fn address_text(address: &Symbolic) -> String {
    let name = if address.generic {
        format!("generic({})", address.name)
    } else {
        address.name.clone()
    };
    if address.offset == 0 {
        name
    } else {
        format!("{name}{:+}", address.offset)
    }
}
