//! Example lines for every form of the instruction tables, legal ones and ones with a single fault, for tests that ask another judge.
//!
//! Enter: the tables. Leave: bodies of one instruction that use the registers and variables of [`module`], which wraps bodies into a
//! module with one kernel each. Every slot value and every optional operand of every form occurs in some legal example, as far as the
//! rules of the form allow any.

use std::fmt::Write as _;

use crate::{
    instruction::{Draft, Gates, Piece},
    module::Version,
    table::{FORMS, FormId, MODIFIERS, Modifier},
};

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Whose form it was made from.
    pub form: FormId,
    /// `add.s32 %s1, %s2, %s3;`
    pub text: String,
    /// What was changed to make it illegal; `None`: legal by the tables for `gates`.
    pub fault: Option<&'static str>,
    /// Why the manual has no such instruction, if only ptxas has it.
    pub beyond: Option<&'static str>,
}

/// Types of registers, and the names that [`module`] declares for them: `%b32_0` to `%b32_255` and so on.
pub const REGISTERS: &[&str] = &[
    "b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "f16x2", "b64", "u64", "s64", "f64",
    "b128", "pred",
];

/// Wraps bodies into a module: one kernel for each body, on one line each, and its first line number.
pub fn module(bodies: &[&str], gates: Gates) -> String {
    let Gates {
        version,
        target,
        independent_textures,
    } = gates;
    let mode = if independent_textures {
        ", texmode_independent"
    } else {
        ""
    };
    let mut text = format!(".version {version}\n.target {target}{mode}\n.address_size 64\n");

    text.push_str(concat!(
        ".global .align 16 .b32 gv[256];\n.shared .align 16 .b8 sm[1024];\n.const .align 16 .b8 cm[1024];\n",
        ".global .texref tex;\n.global .surfref surf;\n",
        ".func (.param .b32 r) f_ra(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }\n",
        ".func (.param .b32 r) f_r() { .reg .b32 %x; mov.b32 %x, 0; st.param.b32 [r], %x; ret; }\n",
        ".func f_a(.param .b32 a) { ret; }\n.func f_n() { ret; }\n",
    ));
    for (number, body) in bodies.iter().enumerate() {
        let _ = write!(text, ".entry k{number}(.param .u64 P, .param .u32 Q) {{ ");
        for name in REGISTERS.iter().filter(|name| declarable(name, gates)) {
            let _ = write!(text, ".reg .{name} %{name}_<256>; ");
        }
        text.push_str(".local .align 16 .b8 lm[128]; ");
        if body.starts_with("st.") {
            text.push_str(".param .align 16 .b8 pl[128]; ");
        }
        if body.starts_with("call") {
            text.push_str(".param .b32 pr; .param .b32 pa; ");
            text.push_str(
                "T_ra: .callprototype (.param .b32 _) _ (.param .b32 _); T_r: .callprototype (.param .b32 _) _ (); ",
            );
            text.push_str("T_a: .callprototype _ (.param .b32 _); T_n: .callprototype _ (); ");
        }
        if body.starts_with("brx") {
            text.push_str("T_b: .branchtargets L, M; M: ");
        }
        let _ = writeln!(text, "{body} L: ret; }}");
    }
    text
}

/// Whether the version and target have registers of the type.
fn declarable(name: &str, gates: Gates) -> bool {
    let (version, target) = match name {
        "b128" => (Version { major: 8, minor: 3 }, 70),
        "f16x2" => (Version { major: 4, minor: 2 }, 53),
        _ => return true,
    };
    version <= gates.version && target <= gates.target.number
}

/// Legal examples of a form for a version and target; none where these do not have it.
pub fn legal(form: FormId, gates: Gates) -> Vec<Example> {
    let mut out: Vec<Example> = Vec::new();
    let mut add = |draft: &Draft| {
        let example = Example {
            form,
            text: line(draft),
            fault: None,
            beyond: draft.beyond,
        };
        if !out.contains(&example) {
            out.push(example);
        }
    };
    let slots = form.form().slots;
    let choices = std::iter::once(None).chain(slots.iter().enumerate().flat_map(|(index, slot)| {
        let absent = slot.optional.then_some(Some((index, None)));
        absent
            .into_iter()
            .chain(slot.values.iter().map(move |value| Some((index, Some(*value)))))
    }));
    for choice in choices {
        for groups in Draft::groups(form) {
            if let Some(draft) = Draft::find(form, choice, &groups, gates) {
                add(&draft);
            }
        }
    }
    out
}

/// The line of a draft.
fn line(draft: &Draft) -> String {
    let operands: Vec<String> = draft.operands.iter().map(text).collect();
    let mnemonic = mnemonic(draft);
    match operands.is_empty() {
        true => format!("{mnemonic};"),
        false => format!("{mnemonic} {};", operands.join(", ")),
    }
}

fn mnemonic(draft: &Draft) -> String {
    let mut text = draft.form.form().opcode.name().to_string();
    for modifier in draft.modifiers.iter().flatten() {
        let _ = write!(text, "{modifier}");
    }
    text
}

fn text(piece: &Piece) -> String {
    let join = |parts: &[Piece], between: &str| parts.iter().map(text).collect::<Vec<_>>().join(between);
    match piece {
        Piece::Text(text) => text.clone(),
        Piece::Bracket(parts) => format!("[{}]", join(parts, ", ")),
        Piece::Vector(parts) => format!("{{{}}}", join(parts, ", ")),
        Piece::Pair(parts) => join(parts, "|"),
        Piece::List(parts) => format!("({})", join(parts, ", ")),
    }
}

/// Examples with one fault each, made from a legal one: they must be refused.
pub fn faulty(form: FormId, gates: Gates) -> Vec<Example> {
    let Some(draft) = Draft::groups(form)
        .iter()
        .find_map(|groups| Draft::find(form, None, groups, gates))
    else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut add = |draft: &Draft, fault| {
        out.push(Example {
            form,
            text: line(draft),
            fault: Some(fault),
            beyond: draft.beyond,
        })
    };
    for (index, slot) in form.form().slots.iter().enumerate() {
        let Some(own) = draft.modifiers[index] else { continue };
        if !slot.optional {
            let mut changed = draft.clone();
            changed.modifiers[index] = None;
            add(&changed, "a mandatory modifier is missing");
        }
        // One modifier of the same class that the slot does not take, spread over the class by the form's number.
        let others: Vec<Modifier> = Modifier::ALL
            .iter()
            .copied()
            .filter(|m| m.class() == own.class() && !slot.values.contains(m))
            .collect();
        if !others.is_empty() {
            let mut changed = draft.clone();
            changed.modifiers[index] = Some(others[(usize::from(form.0) + index) % others.len()]);
            add(&changed, "another modifier of the same class");
        }
    }
    let mut alien = draft.clone();
    alien
        .modifiers
        .push(Some(Modifier::ALL[(usize::from(form.0) * 7) % MODIFIERS.len()]));
    add(&alien, "a modifier too many");
    for index in 0..draft.operands.len() {
        let mut fewer = draft.clone();
        fewer.operands.remove(index);
        add(&fewer, "an operand is missing");
        for wrong in [
            "%f64_9",
            "%b8_9",
            "%pred_9",
            "%b64_9",
            "7",
            "1.5",
            "[%b64_9]",
            "{%b32_8, %b32_9}",
            "_",
            "gv",
            "%tid.x",
        ] {
            let mut changed = draft.clone();
            changed.operands[index] = Piece::Text(wrong.into());
            add(&changed, "another operand");
        }
    }
    let mut more = draft.clone();
    more.operands.push(Piece::Text("%b32_9".into()));
    add(&more, "an operand too many");
    out
}

/// Every form.
pub fn forms() -> impl Iterator<Item = FormId> {
    (0..FORMS.len() as u16).map(FormId)
}
