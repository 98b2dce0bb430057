//! Attributes in the text.

use std::fmt::Write;

use super::constants::Terms;
use super::names::escaped;
use crate::attributes::{
    Extension, FunctionAttributes, Inlining, KernelProperties, MemoryEffects, ParameterAttributes,
};
use crate::module::Convention;
use crate::text::Dialect;

impl Terms<'_> {
    /// Attributes of a parameter, each after a space.
    pub(super) fn parameter_attributes(&self, attributes: &ParameterAttributes) -> String {
        let mut out = String::new();
        let modern = self.dialect == Dialect::Modern;
        let flags = [
            (attributes.extension == Extension::Sign, "signext"),
            (attributes.extension == Extension::Zero, "zeroext"),
            (attributes.noundef && modern, "noundef"),
            (attributes.inreg, "inreg"),
            (attributes.noalias, "noalias"),
            (attributes.nocapture, "nocapture"),
            (attributes.nofree && modern, "nofree"),
            (attributes.nonnull, "nonnull"),
            (attributes.readnone, "readnone"),
            (attributes.readonly, "readonly"),
            (attributes.writeonly, "writeonly"),
            (attributes.returned, "returned"),
            (attributes.immarg && modern, "immarg"),
        ];
        flags.iter().filter(|(set, _)| *set).for_each(|(_, text)| {
            let _ = write!(out, " {text}");
        });
        for (name, ty) in [("byval", attributes.byval), ("sret", attributes.sret)] {
            let _ = match ty {
                Some(ty) if modern => write!(out, " {name}({})", self.ty(ty)),
                Some(_) => write!(out, " {name}"),
                None => Ok(()),
            };
        }
        if attributes.align != 0 {
            let _ = write!(out, " align {}", attributes.align);
        }
        // The old dialect says it in `nvvm.annotations`.
        if attributes.stack_align != 0 && modern {
            let _ = write!(out, " alignstack({})", attributes.stack_align);
        }
        if attributes.dereferenceable != 0 {
            let _ = write!(out, " dereferenceable({})", attributes.dereferenceable);
        }
        if attributes.dereferenceable_or_null != 0 {
            let _ = write!(out, " dereferenceable_or_null({})", attributes.dereferenceable_or_null);
        }
        if attributes.grid_constant && modern {
            out.push_str(" \"nvvm.grid_constant\"");
        }
        out
    }

    /// Attributes of a function or call, each after a space; with those of a kernel where the dialect has them here.
    pub(super) fn function_attributes(
        &self,
        attributes: &FunctionAttributes,
        kernel: Option<&KernelProperties>,
    ) -> String {
        let mut out = String::new();
        let modern = self.dialect == Dialect::Modern;
        let flags = [
            (attributes.inlining == Inlining::Always, "alwaysinline"),
            (attributes.inlining == Inlining::Hint, "inlinehint"),
            (attributes.inlining == Inlining::Never, "noinline"),
            (attributes.cold, "cold"),
            (attributes.convergent, "convergent"),
            (attributes.minsize, "minsize"),
            (attributes.mustprogress && modern, "mustprogress"),
            (attributes.nofree && modern, "nofree"),
            (attributes.norecurse, "norecurse"),
            (attributes.noreturn, "noreturn"),
            (attributes.nosync && modern, "nosync"),
            (attributes.nounwind, "nounwind"),
            (attributes.optnone, "optnone"),
            (attributes.optsize, "optsize"),
            (attributes.speculatable, "speculatable"),
            (attributes.willreturn && modern, "willreturn"),
        ];
        flags.iter().filter(|(set, _)| *set).for_each(|(_, text)| {
            let _ = write!(out, " {text}");
        });
        if modern {
            memory_modern(attributes.memory, &mut out)
        } else {
            memory_old(attributes.memory, &mut out)
        }
        for (key, value) in &attributes.strings {
            let _ = write!(out, " \"{}\"", escaped(key.as_bytes()));
            if !value.is_empty() {
                let _ = write!(out, "=\"{}\"", escaped(value.as_bytes()));
            }
        }
        if let (Some(kernel), true) = (kernel, modern) {
            kernel_attributes(kernel, &mut out);
        }
        out
    }
}

fn memory_modern(memory: MemoryEffects, out: &mut String) {
    const ACCESS: [&str; 4] = ["none", "read", "write", "readwrite"];
    let [arguments, inaccessible, other] = memory.parts();
    if memory == MemoryEffects::ANY {
        return;
    }
    let mut parts = Vec::new();
    if other != 0 || memory.is_none() {
        parts.push(ACCESS[other as usize].to_owned());
    }
    for (name, access) in [("argmem", arguments), ("inaccessiblemem", inaccessible)] {
        if access != other {
            parts.push(format!("{name}: {}", ACCESS[access as usize]));
        }
    }
    let _ = write!(out, " memory({})", parts.join(", "));
}

/// LLVM 7 says what and where apart, and cannot say all; what is written allows no less than what is meant.
fn memory_old(memory: MemoryEffects, out: &mut String) {
    let [arguments, inaccessible, other] = memory.parts();
    let access = match arguments | inaccessible | other {
        0 => " readnone",
        1 => " readonly",
        2 => " writeonly",
        _ => "",
    };
    let place = match (arguments, inaccessible, other) {
        (1.., 0, 0) => " argmemonly",
        (0, 1.., 0) => " inaccessiblememonly",
        (1.., 1.., 0) => " inaccessiblemem_or_argmemonly",
        _ => "",
    };
    out.push_str(access);
    out.push_str(place);
}

fn kernel_attributes(kernel: &KernelProperties, out: &mut String) {
    let triples = [
        ("nvvm.maxntid", kernel.maximum_threads),
        ("nvvm.reqntid", kernel.required_threads),
        ("nvvm.cluster_dim", kernel.cluster),
    ];
    for (name, value) in triples {
        if let Some([x, y, z]) = value {
            let _ = write!(out, " \"{name}\"=\"{x},{y},{z}\"");
        }
    }
    let numbers = [
        ("nvvm.minctasm", kernel.minimum_blocks),
        ("nvvm.maxnreg", kernel.maximum_registers),
        ("nvvm.maxclusterrank", kernel.maximum_cluster_blocks),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            let _ = write!(out, " \"{name}\"=\"{value}\"");
        }
    }
}

/// A calling convention, followed by a space, or nothing.
pub(super) fn convention(convention: Convention, kernel: bool, dialect: Dialect) -> String {
    match convention {
        _ if kernel && dialect == Dialect::Modern => "ptx_kernel ".to_owned(),
        Convention::C => String::new(),
        Convention::Fast => "fastcc ".to_owned(),
        Convention::Cold => "coldcc ".to_owned(),
        Convention::Numbered(number) => format!("cc {number} "),
    }
}
