//! How parameters and results are passed: the PTX ABI. Source: the PTX interoperability document (chapter 3, calling convention) and PTX ISA chapter 7.

use std::fmt::Write as _;

use warpsmith_ir::{Context, Declaration, FunctionData, ParameterAttributes, Type};

use crate::parts::{Scalar, scalar};

/// How a value crosses a call, or enters a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// As one `.param` of a fundamental type of so many bits; small integers are widened to 32.
    Scalar {
        /// Its size.
        bits: u32,
    },
    /// As an aligned array of bytes.
    Bytes {
        /// Its size.
        size: u64,
        /// Its alignment.
        align: u32,
    },
}

/// How a value of a type is passed between device functions.
pub(crate) fn passing(context: &Context, ty: Type, attributes: &ParameterAttributes) -> Passing {
    if let Some(object) = attributes.byval {
        let align = attributes
            .align
            .max(attributes.stack_align)
            .max(if attributes.align == 0 {
                context.alignment(object)
            } else {
                1
            });
        return Passing::Bytes {
            size: context.size(object),
            align,
        };
    }
    match scalar(ty) {
        Some(Scalar::Int(bits)) => Passing::Scalar {
            bits: if bits <= 32 { 32 } else { 64 },
        },
        Some(other) => Passing::Scalar { bits: other.bits() },
        None => Passing::Bytes {
            size: context.size(ty),
            // No parameter may be aligned to more.
            align: context.alignment(ty).max(attributes.stack_align).min(128),
        },
    }
}

/// Whether PTX can name the parameter at all: parameters without bytes are left out.
pub(crate) fn is_passed(passing: Passing) -> bool {
    !matches!(passing, Passing::Bytes { size: 0, .. })
}

/// What the parameter of a function's result is called: clients of libNVVM look for the name that LLVM's back end has, too.
pub(crate) const RESULT: &str = "func_retval0";

/// Writes `.param … NAME` for a device function.
pub(crate) fn write_parameter(text: &mut String, passing: Passing, name: &str) {
    let _ = match passing {
        Passing::Scalar { bits } => write!(text, ".param .b{bits} {name}"),
        Passing::Bytes { size, align } => write!(text, ".param .align {align} .b8 {name}[{size}]"),
    };
}

/// Writes the head of a device function without its linkage: `.func (RESULT) NAME(PARAMETERS)`.
pub(crate) fn write_function(text: &mut String, context: &Context, declaration: &Declaration, name: &str) {
    let data = context.function_data(declaration.ty);
    text.push_str(".func ");
    write_result(text, context, data, &declaration.result_attributes, RESULT);
    text.push_str(name);
    text.push('(');
    let mut separator = "\n";
    for (number, &ty) in data.parameters.iter().enumerate() {
        let passing = passing(context, ty, attributes_of(&declaration.parameters, number));
        if is_passed(passing) {
            let _ = write!(text, "{separator}\t");
            write_parameter(text, passing, &format!("{name}_param_{number}"));
            separator = ",\n";
        }
    }
    if data.variadic {
        let _ = write!(text, "{separator}\t.param .align 8 .b8 {name}_vararg[]");
        separator = ",\n";
    }
    close(text, separator);
    if declaration.attributes.noreturn && data.result == Type::Void {
        text.push_str("\n.noreturn");
    }
}

/// Writes `(.param … NAME) `, or nothing for a function without result.
pub(crate) fn write_result(
    text: &mut String,
    context: &Context,
    data: &FunctionData,
    attributes: &ParameterAttributes,
    name: &str,
) {
    if let Some(passing) = result_passing(context, data, attributes) {
        text.push('(');
        write_parameter(text, passing, name);
        text.push_str(") ");
    }
}

/// How the result is passed, if there is any.
pub(crate) fn result_passing(
    context: &Context,
    data: &FunctionData,
    attributes: &ParameterAttributes,
) -> Option<Passing> {
    (data.result != Type::Void)
        .then(|| passing(context, data.result, attributes))
        .filter(|passing| is_passed(*passing))
}

/// The attributes of a parameter by its number; none for those beyond the list.
pub(crate) fn attributes_of(attributes: &[ParameterAttributes], number: usize) -> &ParameterAttributes {
    const NONE: &ParameterAttributes = &ParameterAttributes {
        byval: None,
        sret: None,
        align: 0,
        stack_align: 0,
        dereferenceable: 0,
        dereferenceable_or_null: 0,
        extension: warpsmith_ir::Extension::None,
        noalias: false,
        readonly: false,
        writeonly: false,
        readnone: false,
        nocapture: false,
        nofree: false,
        nonnull: false,
        noundef: false,
        inreg: false,
        returned: false,
        immarg: false,
        grid_constant: false,
    };
    attributes.get(number).unwrap_or(NONE)
}

/// Ends a list of parameters, of which the next would stand behind `separator`. Clients of libNVVM look for `kernel()`.
fn close(text: &mut String, separator: &str) {
    text.push_str(if separator == "\n" { ")" } else { "\n)" });
}

/// Writes the head of a kernel without its linkage: `.entry NAME(PARAMETERS)`.
pub(crate) fn write_kernel(text: &mut String, context: &Context, declaration: &Declaration, name: &str) {
    let data = context.function_data(declaration.ty);
    let _ = write!(text, ".entry {name}(");
    let mut separator = "\n";
    for (number, &ty) in data.parameters.iter().enumerate() {
        let attributes = attributes_of(&declaration.parameters, number);
        let Some(parameter) = kernel_parameter(context, ty, attributes, &format!("{name}_param_{number}")) else {
            continue;
        };
        let _ = write!(text, "{separator}\t{parameter}");
        separator = ",\n";
    }
    close(text, separator);
    write_properties(text, declaration);
}

/// `.param … NAME` of a kernel; `None` for a parameter without bytes.
fn kernel_parameter(context: &Context, ty: Type, attributes: &ParameterAttributes, name: &str) -> Option<String> {
    let bytes = |size: u64, align: u32| (size > 0).then(|| format!(".param .align {align} .b8 {name}[{size}]"));
    if let Some(object) = attributes.byval {
        let align = if attributes.align == 0 {
            context.alignment(object)
        } else {
            attributes.align
        };
        return bytes(context.size(object), align);
    }
    let Some(scalar) = scalar(ty) else {
        return bytes(context.size(ty), context.alignment(ty));
    };
    let ty = match scalar {
        Scalar::Int(bits) => format!("u{}", bits.next_power_of_two().max(8)),
        Scalar::Float => "f32".to_owned(),
        Scalar::Double => "f64".to_owned(),
        Scalar::Half | Scalar::BFloat => "b16".to_owned(),
        Scalar::Pointer(space) => return Some(pointer_parameter(space, attributes, name)),
        Scalar::HalfPair | Scalar::BFloatPair => "b32".to_owned(),
    };
    Some(format!(".param .{ty} {name}"))
}

fn pointer_parameter(space: warpsmith_ir::AddressSpace, attributes: &ParameterAttributes, name: &str) -> String {
    use warpsmith_ir::AddressSpace;
    let space = match space {
        AddressSpace::GLOBAL => " .global",
        AddressSpace::SHARED => " .shared",
        AddressSpace::CONSTANT => " .const",
        AddressSpace::LOCAL => " .local",
        _ => "",
    };
    if space.is_empty() && attributes.align <= 1 {
        return format!(".param .u64 {name}");
    }
    format!(".param .u64 .ptr{space} .align {} {name}", attributes.align.max(1))
}

/// Writes the performance directives of a kernel, each on a line. As in nvcc's PTX, a bound of 0 is none: `__launch_bounds__(128, 0)`.
fn write_properties(text: &mut String, declaration: &Declaration) {
    let Some(properties) = &declaration.kernel else { return };
    let mut directive = |name: &str, values: &[u32]| {
        let values: Vec<String> = values.iter().map(u32::to_string).collect();
        let _ = write!(text, "\n{name} {}", values.join(", "));
    };
    let is_bound = |number: &u32| *number != 0;
    if let Some(threads) = properties
        .maximum_threads
        .filter(|threads| threads.iter().all(is_bound))
    {
        directive(".maxntid", &threads);
    }
    if let Some(threads) = properties
        .required_threads
        .filter(|threads| threads.iter().all(is_bound))
    {
        directive(".reqntid", &threads);
    }
    if let Some(blocks) = properties.minimum_blocks.filter(is_bound) {
        directive(".minnctapersm", &[blocks]);
    }
    if let Some(registers) = properties.maximum_registers.filter(is_bound) {
        directive(".maxnreg", &[registers]);
    }
    if let Some(cluster) = properties.cluster {
        let _ = write!(text, "\n.explicitcluster");
        if cluster != [0; 3] {
            let [x, y, z] = cluster;
            let _ = write!(text, "\n.reqnctapercluster {x}, {y}, {z}");
        }
    }
    if let Some(blocks) = properties.maximum_cluster_blocks.filter(is_bound) {
        let _ = write!(text, "\n.maxclusterrank {blocks}");
    }
}
