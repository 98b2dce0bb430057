//! Half precision on the host: what the host's compiler reads in place of the device's instructions in `cuda_fp16.h`.
//!
//! Each statement with an instruction becomes `__WARPSMITH_EITHER(that statement, the host's words)`, of which each side reads its own. The words are calls of
//! functions of `warpsmith/host_half.h`. Instructions that have none here are the device's alone.

use std::fmt::Write as _;

/// The header with words for both sides.
pub(crate) fn for_both(header: &str) -> String {
    let mut text = String::with_capacity(2 * header.len());
    let mut rest = header;
    while let Some(start) = rest.find("asm(") {
        let (before, from) = rest.split_at(start);
        let Some(end) = from.find(");").map(|at| at + 1) else {
            break;
        };
        let (statement, after) = from.split_at(end);
        text.push_str(before);
        match host_words(statement) {
            Some(words) => text.extend(["__WARPSMITH_EITHER(", statement, ", ", &words, ")"]),
            None => text.push_str(statement),
        }
        rest = after;
    }
    text + rest
}

/// The header for both sides where it is made of functions of the device: on the host their names are those of the host's functions.
pub(crate) fn with_hosts_functions(header: &str) -> String {
    let mut text = String::from("#ifndef __CUDA_ARCH__\n");
    let names = functions_of_host();
    for name in &names {
        let _ = writeln!(text, "#define {name} __warpsmith_host{name}");
    }
    text += "#endif\n";
    text += header;
    for name in &names {
        let _ = writeln!(text, "#undef {name}");
    }
    text
}

/// The functions of the device that `warpsmith/host_half.h` has for the host.
fn functions_of_host() -> Vec<String> {
    let of_bits = [
        "__float_as_int",
        "__float_as_uint",
        "__uint_as_float",
        "__saturatef",
        "__double2float_rz",
    ];
    let mut names: Vec<String> = of_bits.map(String::from).into();
    for integer in ["int", "uint", "ll", "ull"] {
        for rounding in ["rn", "rz", "rd", "ru"] {
            names.extend([
                format!("__float2{integer}_{rounding}"),
                format!("__{integer}2float_{rounding}"),
            ]);
        }
    }
    names
}

/// What the host does where the device has an instruction.
fn host_words(statement: &str) -> Option<String> {
    let operands = operands(statement);
    let (to, from) = operands.split_first()?;
    let all = from.join(", ");
    let words = |function: &str, instruction: &str| Some(format!("{to} = {function}({instruction}, {all})"));
    if statement.starts_with("asm(instruction ") {
        let function = if *to == "bits" {
            "__warpsmith_host_half"
        } else {
            "__warpsmith_host_half2"
        };
        return words(function, "instruction");
    }
    if statement.contains("setp.\" #name") {
        return words("__warpsmith_host_compare", "#name");
    }
    if statement.contains("set.\" #name") {
        return words("__warpsmith_host_compare2", "#name");
    }
    let parts: Vec<&str> = statement.split(['"', ' ']).nth(1)?.split('.').collect();
    // `rn`, `rz`, `rm` or `rp`, behind which integers have an `i`.
    let rounding = |mode: &str| mode.chars().nth(1);
    match parts[..] {
        ["cvt", "rn", "f16", "f32"] => Some(format!("{to} = __warpsmith_host_float_to_half({all})")),
        ["cvt", "f32", "f16"] => Some(format!("{to} = __warpsmith_host_half_to_float({all})")),
        ["cvt", mode, "f16", _] => Some(format!("{to} = __warpsmith_host_to_half({all}, '{}')", rounding(mode)?)),
        ["cvt", mode, _, "f16"] => Some(format!(
            "{to} = __warpsmith_host_integer<decltype({to})>({all}, '{}')",
            rounding(mode)?
        )),
        ["neg", "f16"] => Some(format!("{to} = {all} ^ 0x8000")),
        ["neg", "f16x2"] => Some(format!("{to} = {all} ^ 0x80008000u")),
        ["abs", "f16"] => Some(format!("{to} = {all} & 0x7fff")),
        ["abs", "f16x2"] => Some(format!("{to} = {all} & 0x7fff7fffu")),
        ["sqrt", ..] => Some(format!("{to} = __builtin_sqrtf({all})")),
        ["rcp", ..] => Some(format!("{to} = 1.0f / {all}")),
        _ => None,
    }
}

/// The expressions of the operands, the result first: what stands in parentheses behind the constraints.
fn operands(statement: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = statement;
    while let Some(start) = rest.find("\"(") {
        rest = &rest[start + 2..];
        let mut depth = 1;
        let end = rest.find(|sign| {
            depth += match sign {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some(end) = end else { break };
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_in_the_header_of_bfloat16_have_functions_of_the_host() {
        let header = warpsmith_cuda::source::headers::find("cuda_bf16.h").expect("it is built in");
        let words = header.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        let conversion =
            |word: &&str| word.contains("_as_float") || word.contains("__float") || word.contains("2float_");
        let names = functions_of_host();
        for word in words.filter(conversion).filter(|word| !word.contains("bfloat")) {
            assert!(names.iter().any(|name| name == word), "{word}");
        }
    }

    #[test]
    fn the_hosts_words_stand_beside_the_devices_instructions() {
        let of = |statement: &str| for_both(&format!("    {statement};\n"));
        assert_eq!(
            of("asm(\"cvt.rmi.s32.f16 %0, %1;\" : \"=r\"(result) : \"h\"(a.__x))"),
            "    __WARPSMITH_EITHER(asm(\"cvt.rmi.s32.f16 %0, %1;\" : \"=r\"(result) : \"h\"(a.__x)), \
             result = __warpsmith_host_integer<decltype(result)>(a.__x, 'm'));\n"
        );
        assert_eq!(
            of(
                "asm(instruction \" %0, %1, %2;\" : \"=r\"(word) : \"r\"(__warpsmith_word(a)), \"r\"(__warpsmith_word(b)))"
            ),
            "    __WARPSMITH_EITHER(asm(instruction \" %0, %1, %2;\" : \"=r\"(word) : \"r\"(__warpsmith_word(a)), \
             \"r\"(__warpsmith_word(b))), word = __warpsmith_host_half2(instruction, __warpsmith_word(a), __warpsmith_word(b)));\n"
        );
        let alone =
            "    asm volatile(\"atom.add.noftz.f16 %0, [%1], %2;\" : \"=h\"(old) : \"l\"(address) : \"memory\");\n";
        assert_eq!(for_both(alone), alone);
    }

    /// Only atomic operations are the device's alone, and what the header itself has for the host otherwise: `htanh_approx`.
    #[test]
    fn every_instruction_of_the_header_has_words() {
        let header = warpsmith_cuda::source::headers::find("cuda_fp16.h").expect("it is built in");
        let statements = header.matches("asm(").count() - header.matches("asm(\"tanh.approx").count();
        assert_eq!(for_both(header).matches("__WARPSMITH_EITHER(asm(").count(), statements);
    }
}
