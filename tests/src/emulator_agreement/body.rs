//! Kernels around one instruction: sources are loaded from a buffer, what it writes is stored.
//!
//! Every register has a slot: 16 bytes for each thread, in the buffer of values and, if it is written, in the buffer of results. Memory that an
//! instruction accesses is an area of 64 bytes for each thread, in global, shared or local memory.

use std::fmt::Write as _;

use warpsmith_ptx::{
    examples::REGISTERS,
    module::{AddressBase, Body, Instruction, Module, Operand, Register, Statement},
    table::{Kind, OperandSpec, Role, Shape},
};

/// Threads of a CTA; the shared areas of these are in one variable.
pub const CTA: usize = 128;
/// Bytes of a thread's area.
pub const AREA: usize = 64;

/// Opcodes that this scheme cannot say anything about: control, barriers, asynchronous copies, textures, what depends on addresses, opaque values.
const NOT_COVERED: &[&str] = &[
    "alloca",
    "applypriority",
    "bar",
    "barrier",
    "bra",
    "brkpt",
    "brx",
    "call",
    "clusterlaunchcontrol",
    "cp",
    "createpolicy",
    "cvta",
    "discard",
    "exit",
    "getctarank",
    "griddepcontrol",
    "isspacep",
    "istypep",
    "mapa",
    "mbarrier",
    "multimem",
    "ret",
    "setmaxnreg",
    "stackrestore",
    "stacksave",
    "suld",
    "suq",
    "sured",
    "sust",
    "tcgen05",
    "tensormap",
    "tex",
    "tld4",
    "trap",
    "txq",
    "wgmma",
];
/// The same, by the start of the mnemonic.
const NOT_COVERED_FORMS: &[&str] = &[
    "wmma.load",
    "wmma.store",
    "st.async",
    "red.async",
    "st.bulk",
    "ld.param",
    "st.param",
    "fence.proxy.tensormap",
];

/// A register of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// With its `%`.
    pub name: String,
    /// Type in its declaration.
    pub register: &'static str,
    /// An instruction of the body writes it.
    pub written: bool,
    /// It holds an address.
    address: bool,
}

/// Where an instruction's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Global,
    Shared,
    Local,
    Constant,
}

/// An instruction, with others that it needs to show its effect.
#[derive(Clone, Debug)]
pub struct Case {
    /// As it was given.
    pub text: String,
    /// What is run.
    body: String,
    /// Its registers, in order of their first place; those that are not written first.
    pub values: Vec<Value>,
}

/// Why an instruction is not covered; `None`: it is.
pub fn not_covered(text: &str) -> Option<&'static str> {
    let mnemonic = text.trim_start_matches('{').trim_start();
    let mnemonic = mnemonic
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .trim_end_matches(';');
    let opcode = mnemonic.split('.').next().unwrap_or_default();
    if NOT_COVERED.contains(&opcode) || NOT_COVERED_FORMS.iter().any(|form| mnemonic.starts_with(form)) {
        return Some("outside the scheme");
    }
    if [
        "%clock",
        "%globaltimer",
        "%smid",
        "%nsmid",
        "%warpid",
        "%nwarpid",
        "%gridid",
        "%pm",
        "%envreg",
        "%total_smem",
        "%aggr_smem",
        "%dynamic_smem",
        "%reserved_smem",
    ]
    .iter()
    .any(|name| text.contains(name))
    {
        return Some("a value of the device");
    }
    if text.contains(".param") || text.contains("[P") || text.contains("[Q") {
        return Some("parameters");
    }
    None
}

impl Case {
    /// A case with all that its text says; what it writes is not known yet.
    pub fn new(text: &str) -> Case {
        let mut body = text.to_owned();
        // Carries come from an instruction before, and are shown by one after.
        let mnemonic = text.split_whitespace().next().unwrap_or_default();
        if mnemonic.starts_with("addc") || mnemonic.starts_with("madc") {
            body = format!("add.cc.u32 %b32_250, %b32_200, %b32_201; {body}");
        } else if mnemonic.starts_with("subc") {
            body = format!("sub.cc.u32 %b32_250, %b32_200, %b32_201; {body}");
        }
        if mnemonic.starts_with("sub") && mnemonic.contains(".cc") {
            body.push_str(" subc.u32 %b32_251, 0, 0;");
        } else if mnemonic.contains(".cc") {
            body.push_str(" addc.u32 %b32_251, 0, 0;");
        }
        if ["redux", "shfl", "vote", "match", "elect"]
            .iter()
            .any(|opcode| mnemonic.starts_with(opcode))
        {
            // The last operand says which threads take part: all do.
            if let Some((start, _)) = text.rsplit_once(", ") {
                body = format!("{start}, 0xffffffff;");
            }
        }
        for (variable, register) in [("[sm", "[%zs"), ("[gv", "[%zg"), ("[lm", "[%zl"), ("[cm", "[%zc")] {
            body = body.replace(variable, register);
        }
        let mut values: Vec<Value> = Vec::new();
        for name in registers(&body) {
            if let (Some(register), false) = (register_type(name), values.iter().any(|value| value.name == name)) {
                values.push(Value {
                    name: name.to_owned(),
                    register,
                    written: false,
                    address: false,
                });
            }
        }
        Case {
            text: text.to_owned(),
            body,
            values,
        }
    }

    /// Takes from the parsed kernel which registers are written, and which hold addresses.
    pub fn learn(&mut self, module: &Module, kernel: &Body) {
        for statement in &kernel.statements {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            let operands = top(kernel, instruction);
            let form = module.variants[instruction.variant.0 as usize].form();
            for (operand, specification) in operands.iter().zip(form.operands) {
                let written = is_written(specification);
                visit(kernel, operand, false, &mut |register, address| {
                    let name = name_of(module, kernel, register);
                    if let Some(value) = self.values.iter_mut().find(|value| value.name == name) {
                        value.written |= written && !address;
                        value.address |= address;
                    }
                });
            }
        }
        self.values.sort_by_key(|value| value.written);
    }

    fn space(&self) -> Option<Space> {
        let used = self.body.contains('[');
        used.then(|| match &self.body {
            body if body.contains(".shared") || body.contains("matrix") || body.contains("[%zs") => Space::Shared,
            body if body.contains(".local") || body.contains("[%zl") => Space::Local,
            body if body.contains(".const") || body.contains("[%zc") => Space::Constant,
            _ => Space::Global,
        })
    }

    /// The kernel that only declares registers: enough for [`Case::learn`].
    pub fn probe(&self, name: &str) -> String {
        format!(
            ".visible .entry {name}(.param .u64 P, .param .u32 Q) {{ {}{} L: ret; }}\n",
            self.declarations(),
            self.body
        )
    }

    fn declarations(&self) -> String {
        let mut text = String::from(
            ".reg .b64 %zi, %zo, %zg, %zs, %zl, %zc, %za, %zb; .reg .b32 %zt, %zk, %zw, %zx, %zy, %zz; .reg .b16 %zh; ",
        );
        for value in &self.values {
            let _ = write!(text, ".reg .{} {}; ", value.register, value.name);
        }
        text
    }

    /// The kernel, on one line: parameters are the addresses of values, results and areas.
    pub fn kernel(&self, name: &str) -> String {
        let mut text = format!(
            ".visible .entry {name}(.param .u64 P, .param .u64 Q, .param .u64 R) {{ {}",
            self.declarations()
        );
        let space = self.space();
        match space {
            Some(Space::Shared) => text.push_str(&format!(".shared .align 64 .b8 sh[{}]; ", CTA * AREA)),
            Some(Space::Local) => text.push_str(".local .align 16 .b8 lo[64]; "),
            Some(Space::Global | Space::Constant) | None => {}
        }
        text.push_str(concat!(
            "ld.param.u64 %zi, [P]; ld.param.u64 %zo, [Q]; ld.param.u64 %zg, [R]; ",
            "mov.u32 %zt, %tid.x; mov.u32 %zk, %ctaid.x; mov.u32 %zw, %ntid.x; mad.lo.u32 %zk, %zk, %zw, %zt; ",
            "mul.wide.u32 %za, %zk, 16; add.u64 %zi, %zi, %za; add.u64 %zo, %zo, %za; mul.wide.u32 %za, %zk, 64; add.u64 %zg, %zg, %za; ",
        ));
        let address = match space {
            Some(Space::Global) | None => "%zg",
            Some(Space::Shared) => {
                text.push_str("mov.u64 %zs, sh; mul.wide.u32 %za, %zt, 64; add.u64 %zs, %zs, %za; ");
                copy(&mut text, "global", "%zg", "shared", "%zs");
                text.push_str("bar.sync 0; ");
                match self.body.contains(".shared") || self.body.contains("[%zs") {
                    true => "%zs",
                    false => {
                        text.push_str("cvta.shared.u64 %za, %zs; ");
                        "%za"
                    }
                }
            }
            Some(Space::Local) => {
                text.push_str("mov.u64 %zl, lo; ");
                copy(&mut text, "global", "%zg", "local", "%zl");
                "%zl"
            }
            Some(Space::Constant) => {
                text.push_str(
                    "mov.u64 %zc, cm; and.b32 %zw, %zt, 15; mul.wide.u32 %za, %zw, 64; add.u64 %zc, %zc, %za; ",
                );
                "%zc"
            }
        };
        for value in self.values.iter().filter(|value| value.address) {
            let _ = write!(text, "mov.b64 {}, {address}; ", value.name);
        }
        for (slot, value) in self.values.iter().enumerate().filter(|(_, value)| !value.address) {
            load(&mut text, value, slot);
        }
        text.push_str(&self.body);
        text.push(' ');
        match space {
            Some(Space::Shared) => {
                text.push_str("bar.sync 0; ");
                copy(&mut text, "shared", "%zs", "global", "%zg");
            }
            Some(Space::Local) => copy(&mut text, "local", "%zl", "global", "%zg"),
            Some(Space::Global | Space::Constant) | None => {}
        }
        for (slot, value) in self.values.iter().enumerate().filter(|(_, value)| value.written) {
            store(&mut text, value, slot);
        }
        text.push_str("L: ret; }\n");
        text
    }
}

/// Bytes between the values of one register and the next.
pub const SLOT: usize = super::values::THREADS * 16;

/// What stands before the kernels: so many lines.
pub const HEAD_LINES: usize = 4;

/// The start of a module for a target.
pub fn head(target: &str) -> String {
    let words: Vec<String> = (0..256_u32)
        .map(|word| word.wrapping_mul(0x9e37_79b1).to_string())
        .collect();
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.const .align 64 .b32 cm[256] = {{{}}};\n",
        words.join(", ")
    )
}

fn copy(text: &mut String, from: &str, source: &str, to: &str, destination: &str) {
    for offset in (0..AREA).step_by(16) {
        let _ = write!(
            text,
            "ld.{from}.v4.b32 {{%zw, %zx, %zy, %zz}}, [{source}+{offset}]; st.{to}.v4.b32 [{destination}+{offset}], {{%zw, %zx, %zy, %zz}}; "
        );
    }
}

fn load(text: &mut String, value: &Value, slot: usize) {
    let (name, place) = (&value.name, format!("[%zi+{}]", slot * SLOT));
    let _ = match value.register {
        "pred" => write!(
            text,
            "ld.global.b32 %zw, {place}; and.b32 %zw, %zw, 1; setp.ne.u32 {name}, %zw, 0; "
        ),
        "b128" => write!(
            text,
            "ld.global.v2.b64 {{%za, %zb}}, {place}; mov.b128 {name}, {{%za, %zb}}; "
        ),
        "f16x2" => write!(text, "ld.global.b32 {name}, {place}; "),
        "f16" => write!(text, "ld.global.b16 {name}, {place}; "),
        other => write!(text, "ld.global.{other} {name}, {place}; "),
    };
}

fn store(text: &mut String, value: &Value, slot: usize) {
    let (name, place) = (&value.name, format!("[%zo+{}]", slot * SLOT));
    let _ = match value.register {
        "pred" => write!(text, "selp.b32 %zw, 1, 0, {name}; st.global.b32 {place}, %zw; "),
        "b128" => write!(
            text,
            "mov.b128 {{%za, %zb}}, {name}; st.global.v2.b64 {place}, {{%za, %zb}}; "
        ),
        "f16x2" => write!(text, "st.global.b32 {place}, {name}; "),
        "f16" => write!(text, "st.global.b16 {place}, {name}; "),
        other => write!(text, "st.global.{other} {place}, {name}; "),
    };
}

/// The names that look like registers.
fn registers(body: &str) -> impl Iterator<Item = &str> {
    body.match_indices('%').map(|(start, _)| {
        let rest = &body[start + 1..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &body[start..start + 1 + end]
    })
}

/// The type of a register by its name: `%b32_7` of the examples, `%r7` of the snippets. `None`: no register of ours.
fn register_type(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('%');
    if let Some((start, number)) = name.split_once('_') {
        let known = match start {
            "q128" => Some("b128"),
            _ => REGISTERS.iter().copied().find(|own| *own == start),
        };
        return known.filter(|_| number.parse::<u8>().is_ok());
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.len() == name.len() {
        return None;
    }
    match letters {
        "r" | "q" | "u" | "t" | "wi" => Some("b32"),
        "rd" | "qd" | "ud" => Some("b64"),
        "h" => Some("b16"),
        "f" | "qf" | "uf" | "w" => Some("f32"),
        "fd" | "qfd" => Some("f64"),
        "p" => Some("pred"),
        "hx" => Some("f16x2"),
        _ => None,
    }
}

fn top<'b>(body: &'b Body, instruction: &Instruction) -> &'b [Operand] {
    let first = instruction.first_operand as usize;
    body.operands
        .get(first..first + usize::from(instruction.operand_count))
        .unwrap_or_default()
}

fn is_written(specification: &OperandSpec) -> bool {
    match &specification.shape {
        Shape::One(_, kinds) => kinds.iter().any(writes),
        Shape::Pair(parts, _) | Shape::Vector(parts) | Shape::List(parts) => parts.iter().any(is_written),
        Shape::Bracket(_) => false,
    }
}

fn writes(kind: &Kind) -> bool {
    match &kind.role {
        Role::Out(_) | Role::Predicate { out: true } => true,
        Role::Vector(_, kind, _) | Role::List(kind) => writes(kind),
        _ => false,
    }
}

/// Every register of an operand, and whether it is an address.
fn visit(body: &Body, operand: &Operand, address: bool, found: &mut impl FnMut(Register, bool)) {
    match operand {
        Operand::Register(register)
        | Operand::Component(register, _)
        | Operand::Selected(register, _)
        | Operand::Not(register)
        | Operand::Negative(register, _) => found(*register, address),
        Operand::Element(_, Some(register), _) => found(*register, true),
        Operand::Address(place) => {
            if let AddressBase::Register(register) = place.base {
                found(register, true);
            }
        }
        Operand::Bracket(range) | Operand::Vector(range) | Operand::Pair(range) | Operand::List(range) => {
            let first = range.first as usize;
            for inner in body
                .operands
                .get(first..first + usize::from(range.count))
                .unwrap_or_default()
            {
                visit(body, inner, address, found);
            }
        }
        Operand::Special(..)
        | Operand::Integer(..)
        | Operand::Double(_)
        | Operand::Single(_)
        | Operand::Variable(..)
        | Operand::Element(_, None, _)
        | Operand::Function(_)
        | Operand::Label(_)
        | Operand::Sink => {}
    }
}

fn name_of(module: &Module, body: &Body, register: Register) -> String {
    let range = body.registers.iter().rev().find(|range| range.first.0 <= register.0);
    range.map_or_else(String::new, |range| module.names.get(range.name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(text: &str) -> Case {
        let mut case = Case::new(text);
        let text = head("sm_90a") + &case.probe("k");
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        case.learn(
            &parsed.module,
            parsed.module.functions[0].body.as_ref().expect("it has a body"),
        );
        case
    }

    fn names(case: &Case) -> Vec<(&str, bool, bool)> {
        case.values
            .iter()
            .map(|value| (value.name.as_str(), value.written, value.address))
            .collect()
    }

    #[test]
    fn operands_are_told_apart() {
        let case = learnt("setp.lt.and.u32 %pred_2|%pred_3, %u32_4, 7, !%pred_5;");
        assert_eq!(
            names(&case),
            [
                ("%u32_4", false, false),
                ("%pred_5", false, false),
                ("%pred_2", true, false),
                ("%pred_3", true, false)
            ]
        );
        let case = learnt("ld.global.v2.u32 {%u32_2, %u32_3}, [%b64_4];");
        assert_eq!(
            names(&case),
            [
                ("%b64_4", false, true),
                ("%u32_2", true, false),
                ("%u32_3", true, false)
            ]
        );
    }

    #[test]
    fn kernels_are_right_ptx() {
        for text in [
            "addc.cc.u32 %u32_2, %u32_3, %u32_4;",
            "ld.shared.b8 %b8_2, [%b64_3];",
            "mov.b128 %b128_2, %b128_3;",
            "fma.rn.f16x2 %f16x2_2, %f16x2_3, %f16x2_4, %f16x2_5;",
            "ld.const.f64 %f64_2, [cm];",
            "add.s16 %h1, %h2, %h3;",
        ] {
            let module = head("sm_90a") + &learnt(text).kernel("k");
            assert_eq!(warpsmith_ptx::parse(module.as_bytes()).problems, [], "{module}");
        }
    }

    #[test]
    fn what_is_not_covered() {
        assert!(not_covered("bar.sync 0;").is_some());
        assert!(not_covered("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1];").is_some());
        assert!(not_covered("mov.u32 %r1, %clock;").is_some());
        assert!(not_covered("barr %r1;").is_none());
    }
}
