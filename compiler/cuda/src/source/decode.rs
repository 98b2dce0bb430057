//! Spellings of literals → their values [lex.literal].

use super::Context;
use super::diagnostic::Report;
use super::lexer::is_library_suffix;
use super::literal::{
    CharacterLiteral, Encoding, FloatLiteral, FloatSuffix, IntegerLiteral, IntegerSize, Literal, StringLiteral,
};
use super::map::Span;

/// The value of a preprocessing number. `None` after an error.
pub(crate) fn number(text: &str, span: Span, context: &mut Context) -> Option<Literal> {
    let lower = text.to_ascii_lowercase();
    let (base, digits_start) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, 2),
        [b'0', b'b', ..] => (2, 2),
        [b'0', second, ..] if second.is_ascii_digit() || *second == b'\'' => (8, 1),
        _ => (10, 0),
    };
    let body = number_end(&lower, digits_start, base);
    let (value, suffix) = text.split_at(body);
    let is_float = match base {
        16 => value[2..].contains(['.', 'p', 'P']),
        2 => value.contains('.'),
        _ => value.contains(['.', 'e', 'E']),
    };
    match is_float {
        true => float(value, suffix, base, span, context),
        false => integer(value, suffix, base, digits_start, span, context),
    }
}

/// Where the digits, point and exponent of a number end and its suffix begins.
fn number_end(lower: &str, start: usize, base: u32) -> usize {
    let bytes = lower.as_bytes();
    let digit = |byte: u8| match base {
        16 => byte.is_ascii_hexdigit(),
        _ => byte.is_ascii_digit(),
    };
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let exponent = match base {
            16 => byte == b'p',
            _ => byte == b'e',
        };
        if digit(byte) || byte == b'.' || byte == b'\'' && digit(next) {
            at += 1;
        } else if exponent && (next.is_ascii_digit() || matches!(next, b'+' | b'-')) {
            at += 2;
            while bytes
                .get(at)
                .is_some_and(|&byte| byte.is_ascii_digit() || byte == b'\'')
            {
                at += 1;
            }
            break;
        } else {
            break;
        }
    }
    at
}

fn bad_suffix(suffix: &str, span: Span, context: &mut Context) {
    context.error(span, format!("`{suffix}` is no suffix of a number"));
}

fn is_user_suffix(suffix: &str) -> bool {
    suffix.starts_with('_') || is_library_suffix(suffix)
}

fn integer(text: &str, suffix: &str, base: u32, start: usize, span: Span, context: &mut Context) -> Option<Literal> {
    let mut value: u128 = 0;
    let mut digits = 0;
    for character in text[start..].chars().filter(|&character| character != '\'') {
        let Some(digit) = character.to_digit(base) else {
            let message = format!("`{character}` is no digit of a number to the base {base}");
            context.error(span, message);
            return None;
        };
        digits += 1;
        let next = value
            .checked_mul(u128::from(base))
            .and_then(|value| value.checked_add(u128::from(digit)));
        let Some(next) = next else {
            context.error(span, "this number has more than 128 bits");
            return None;
        };
        value = next;
    }
    if digits == 0 && start == 2 {
        context.error(span, "digits are missing in this number");
        return None;
    }
    let mut literal = IntegerLiteral {
        value,
        base: base as u8,
        unsigned: false,
        size: IntegerSize::Int,
        user_suffix: None,
        spelling: String::new(),
    };
    let (unsigned, size) = match suffix.to_ascii_lowercase().as_str() {
        "" => (false, IntegerSize::Int),
        "u" => (true, IntegerSize::Int),
        "l" => (false, IntegerSize::Long),
        "ul" | "lu" => (true, IntegerSize::Long),
        "ll" if suffix != "lL" && suffix != "Ll" => (false, IntegerSize::LongLong),
        "ull" | "llu" if !suffix.contains("lL") && !suffix.contains("Ll") => (true, IntegerSize::LongLong),
        "z" => (false, IntegerSize::Size),
        "uz" | "zu" => (true, IntegerSize::Size),
        _ if is_user_suffix(suffix) => {
            literal.user_suffix = Some(context.interner.intern(suffix));
            literal.spelling = text.to_string();
            (false, IntegerSize::Int)
        }
        _ => {
            bad_suffix(suffix, span, context);
            return None;
        }
    };
    literal.unsigned = unsigned;
    literal.size = size;
    Some(Literal::Integer(literal))
}

fn float(text: &str, suffix: &str, base: u32, span: Span, context: &mut Context) -> Option<Literal> {
    let plain = text.replace('\'', "");
    let bits = match base {
        16 => hexadecimal_float(&plain[2..]),
        2 => None,
        _ => decimal_float(&plain),
    };
    let Some((double, float)) = bits else {
        let mut report = Report::error(span, "this is no floating-point number");
        if base == 16 {
            report = report.note("a hexadecimal one needs an exponent, as in `0x1.8p3`");
        }
        context.diagnostics.emit(report);
        return None;
    };
    let mut literal = FloatLiteral {
        double,
        float,
        suffix: FloatSuffix::None,
        user_suffix: None,
        spelling: String::new(),
    };
    literal.suffix = match suffix {
        "" => FloatSuffix::None,
        "f" | "F" => FloatSuffix::Float,
        "l" | "L" => FloatSuffix::Long,
        "f16" | "F16" => FloatSuffix::Float16,
        "q" | "Q" | "f128" | "F128" => FloatSuffix::Float128,
        "f32" | "F32" => FloatSuffix::Float,
        "f64" | "F64" | "f32x" | "F32x" => FloatSuffix::None,
        "f64x" | "F64x" => FloatSuffix::Long,
        _ if is_user_suffix(suffix) => {
            literal.user_suffix = Some(context.interner.intern(suffix));
            literal.spelling = text.to_string();
            FloatSuffix::None
        }
        _ => {
            bad_suffix(suffix, span, context);
            return None;
        }
    };
    Some(Literal::Float(literal))
}

/// The bits of double and float, each rounded from the text.
fn decimal_float(text: &str) -> Option<(u64, u32)> {
    let double: f64 = text.parse().ok()?;
    let float: f32 = text.parse().ok()?;
    Some((double.to_bits(), float.to_bits()))
}

/// `1.8p3`, without its `0x`.
fn hexadecimal_float(text: &str) -> Option<(u64, u32)> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let exponent: i64 = match exponent.parse::<i64>() {
        Ok(exponent) => exponent.clamp(-1_000_000, 1_000_000),
        // So many digits that only the sign counts.
        Err(_)
            if !exponent.is_empty()
                && exponent
                    .trim_start_matches(['+', '-'])
                    .bytes()
                    .all(|b| b.is_ascii_digit()) =>
        {
            if exponent.starts_with('-') {
                -1_000_000
            } else {
                1_000_000
            }
        }
        Err(_) => return None,
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // 31 significant digits, and whether anything is lost after them.
    let mut bits: u128 = 0;
    let mut scale = exponent;
    let mut sticky = false;
    for (index, character) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = character.to_digit(16)?;
        let in_fraction = index >= whole.len();
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            scale -= if in_fraction { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            scale += if in_fraction { 0 } else { 4 };
        }
    }
    let double = round_binary(bits, scale, sticky, 53, -1022, 1023);
    let float = round_binary(bits, scale, sticky, 24, -126, 127);
    Some((double, float as u32))
}

/// `bits` · 2^`scale` rounded to the nearest number of a binary format, ties to even: its bits.
fn round_binary(bits: u128, scale: i64, sticky: bool, precision: i64, least: i64, most: i64) -> u64 {
    if bits == 0 {
        return 0;
    }
    let length = i64::from(128 - bits.leading_zeros());
    // The exponent of the leading bit, and of the last bit that is kept.
    let leading = scale + length - 1;
    let last = (leading - precision + 1).max(least - precision + 1);
    let drop = last - scale;
    let mut kept = match drop {
        ..=0 => bits << (-drop).min(127),
        1..=127 => bits >> drop,
        _ => 0,
    };
    let (half, below) = match drop {
        ..=0 => (false, false),
        1..=128 => (bits >> (drop - 1) & 1 == 1, bits & ((1u128 << (drop - 1)) - 1) != 0),
        _ => (false, true),
    };
    if half && (below || sticky || kept & 1 == 1) {
        kept += 1;
    }
    let hidden = 1u128 << (precision - 1);
    let mut exponent = last + precision - 1;
    if kept >= hidden << 1 {
        kept >>= 1;
        exponent += 1;
    }
    let infinity = ((most - least + 2) as u64) << (precision - 1);
    if kept >= hidden && exponent > most {
        return infinity;
    }
    match kept >= hidden {
        true => ((exponent - least + 1) as u64) << (precision - 1) | (kept - hidden) as u64,
        false => kept as u64,
    }
}

/// Prefix, content and suffix of a literal between quotes.
fn parts(text: &str, quote: char) -> Option<(&str, &str, &str)> {
    let is_quote = |byte: u8| char::from(byte) == quote;
    let open = text.bytes().position(is_quote)?;
    let close = text.bytes().rposition(is_quote)?;
    (close > open).then(|| (&text[..open], &text[open + 1..close], &text[close + 1..]))
}

fn encoding(prefix: &str) -> Encoding {
    match prefix.trim_end_matches('R') {
        "u8" => Encoding::Utf8,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        "L" => Encoding::Wide,
        _ => Encoding::Ordinary,
    }
}

/// The value of a character literal. `None` after an error.
pub(crate) fn character(text: &str, span: Span, context: &mut Context) -> Option<CharacterLiteral> {
    let (prefix, content, suffix) = parts(text, '\'')?;
    let encoding = encoding(prefix);
    let mut units = Vec::new();
    // For `'ab'` each character counts, for `'é'` each byte.
    let good = decode(content, encoding, &mut units, span, context);
    if !good {
        return None;
    }
    if units.is_empty() {
        context.error(span, "there is no character between these quotes");
        return None;
    }
    let multiple = units.len() > 1;
    if multiple && encoding != Encoding::Ordinary {
        context.error(span, "only one character that is one unit can be between these quotes");
        return None;
    }
    if units.len() > 4 {
        context.error(span, "at most four characters can be between these quotes");
        return None;
    }
    let value = match multiple {
        true => units.iter().fold(0u32, |value, &unit| value << 8 | unit & 0xff),
        false => units[0],
    };
    let user_suffix = (!suffix.is_empty()).then(|| context.interner.intern(suffix));
    Some(CharacterLiteral {
        encoding,
        value,
        multiple,
        user_suffix,
    })
}

/// The value of string literals that stand together. `None` after an error.
pub(crate) fn string_pieces(pieces: &[(&str, Span)], context: &mut Context) -> Option<StringLiteral> {
    let mut literal = StringLiteral {
        encoding: Encoding::Ordinary,
        units: Vec::new(),
        user_suffix: None,
    };
    let mut good = true;
    // The encoding and suffix of one hold for all [lex.string]/13.
    for &(text, span) in pieces {
        let Some((prefix, _, suffix)) = parts(text, '"') else {
            continue;
        };
        let encoding = encoding(prefix);
        if encoding != Encoding::Ordinary {
            if literal.encoding != Encoding::Ordinary && literal.encoding != encoding {
                let report = Report::error(span, "strings with different prefixes stand together")
                    .label(pieces[0].1, "the first of them");
                context.diagnostics.emit(report);
                good = false;
            }
            literal.encoding = encoding;
        }
        if !suffix.is_empty() {
            let symbol = context.interner.intern(suffix);
            if literal.user_suffix.is_some_and(|other| other != symbol) {
                context.error(span, "strings with different suffixes stand together");
                good = false;
            }
            literal.user_suffix = Some(symbol);
        }
    }
    for &(text, span) in pieces {
        let Some((prefix, content, _)) = parts(text, '"') else {
            continue;
        };
        match prefix.ends_with('R') {
            true => raw(content, literal.encoding, &mut literal.units),
            false => good &= decode(content, literal.encoding, &mut literal.units, span, context),
        }
    }
    good.then_some(literal)
}

/// The content of a raw string, with its delimiters.
fn raw(content: &str, encoding: Encoding, units: &mut Vec<u32>) {
    let open = content.find('(').map_or(0, |open| open + 1);
    let close = content.rfind(')').unwrap_or(content.len()).max(open);
    for character in content[open..close].chars().filter(|&character| character != '\r') {
        push(character, encoding, units);
    }
}

/// Adds a character in the encoding.
fn push(character: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Ordinary | Encoding::Utf8 => {
            let mut buffer = [0; 4];
            units.extend(character.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Encoding::Utf16 => {
            let mut buffer = [0; 2];
            units.extend(character.encode_utf16(&mut buffer).iter().map(|&unit| u32::from(unit)));
        }
        Encoding::Utf32 | Encoding::Wide => units.push(character as u32),
    }
}

/// Adds the characters of a literal, escape sequences decoded. False after an error.
fn decode(content: &str, encoding: Encoding, units: &mut Vec<u32>, span: Span, context: &mut Context) -> bool {
    let mut good = true;
    // Most have no escape sequence.
    let plain = content.bytes().position(|byte| byte == b'\\').unwrap_or(content.len());
    let (plain, rest) = content.split_at(plain);
    match encoding {
        Encoding::Ordinary | Encoding::Utf8 => units.extend(plain.bytes().map(u32::from)),
        Encoding::Utf16 | Encoding::Utf32 | Encoding::Wide => {
            plain.chars().for_each(|character| push(character, encoding, units));
        }
    }
    let mut rest = rest.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            push(character, encoding, units);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let simple = match escape {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            'e' | 'E' => Some('\u{1b}'),
            '\\' | '\'' | '"' | '?' => Some(escape),
            _ => None,
        };
        if let Some(simple) = simple {
            units.push(simple as u32);
            continue;
        }
        let (digits, base) = match escape {
            'x' => (take_digits(&mut rest, 16, usize::MAX), 16),
            'u' => (take_digits(&mut rest, 16, 4), 16),
            'U' => (take_digits(&mut rest, 16, 8), 16),
            '0'..='7' => {
                let more = take_digits(&mut rest, 8, 2);
                (format!("{escape}{more}"), 8)
            }
            _ => {
                context.error(span, format!("there is no escape sequence `\\{escape}`"));
                good = false;
                continue;
            }
        };
        let value = u32::from_str_radix(&digits, base).ok();
        let limit = match encoding.unit_size() {
            1 => 0xff,
            2 => 0xffff,
            _ => u32::MAX,
        };
        match (escape, value) {
            ('u' | 'U', Some(value)) if digits.len() == if escape == 'u' { 4 } else { 8 } => {
                match char::from_u32(value) {
                    Some(character) => push(character, encoding, units),
                    None => {
                        context.error(span, format!("there is no character with the number {value:#x}"));
                        good = false;
                    }
                }
            }
            ('u' | 'U', _) => {
                let wanted = if escape == 'u' { 4 } else { 8 };
                context.error(
                    span,
                    format!("`\\{escape}` must be followed by {wanted} hexadecimal digits"),
                );
                good = false;
            }
            (_, Some(value)) if value <= limit => units.push(value),
            _ if digits.is_empty() => {
                context.error(span, "`\\x` must be followed by hexadecimal digits");
                good = false;
            }
            _ => {
                context.error(
                    span,
                    format!("the number of this escape sequence `\\{escape}…` is too large for its literal"),
                );
                good = false;
            }
        }
    }
    good
}

fn take_digits(rest: &mut std::str::Chars<'_>, base: u32, most: usize) -> String {
    let mut digits = String::new();
    while digits.len() < most {
        match rest.clone().next() {
            Some(character) if character.is_digit(base) => {
                digits.push(character);
                rest.next();
            }
            Some(_) | None => break,
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::super::Interner;
    use super::*;

    fn integer_of(text: &str) -> String {
        let mut context = Context::new();
        match number(text, Span::NONE, &mut context) {
            Some(Literal::Integer(literal)) => {
                let suffix = literal
                    .user_suffix
                    .map_or(String::new(), |suffix| format!(" {}", context.text(suffix)));
                let unsigned = if literal.unsigned { "u" } else { "" };
                format!("{} {unsigned}{:?}{suffix}", literal.value, literal.size)
            }
            Some(other) => format!("{other:?}"),
            None => context.diagnostics.reports()[0].message.clone(),
        }
    }

    fn double_of(text: &str) -> (f64, f32) {
        let mut context = Context::new();
        match number(text, Span::NONE, &mut context) {
            Some(Literal::Float(literal)) => (f64::from_bits(literal.double), f32::from_bits(literal.float)),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(integer_of("0"), "0 Int");
        assert_eq!(integer_of("1'000ull"), "1000 uLongLong");
        assert_eq!(integer_of("0x1FuL"), "31 uLong");
        assert_eq!(integer_of("0b101"), "5 Int");
        assert_eq!(integer_of("0777"), "511 Int");
        assert_eq!(integer_of("12_km"), "12 Int _km");
        assert_eq!(
            integer_of("340282366920938463463374607431768211455"),
            "340282366920938463463374607431768211455 Int"
        );
    }

    #[test]
    fn wrong_integers() {
        assert_eq!(integer_of("089"), "`8` is no digit of a number to the base 8");
        assert_eq!(integer_of("0b12"), "`2` is no digit of a number to the base 2");
        assert_eq!(integer_of("1lul"), "`lul` is no suffix of a number");
        assert_eq!(integer_of("0x"), "digits are missing in this number");
        assert_eq!(
            integer_of("340282366920938463463374607431768211456"),
            "this number has more than 128 bits"
        );
    }

    #[test]
    fn floats() {
        assert_eq!(double_of("1.5").0, 1.5);
        assert_eq!(double_of("1e3f").1, 1000.0);
        assert_eq!(double_of(".5'0").0, 0.5);
        assert_eq!(double_of("012.5").0, 12.5);
        assert_eq!(double_of("0x1.8p3").0, 12.0);
        assert_eq!(double_of("0x.8p0").0, 0.5);
        assert_eq!(double_of("0x1p-1074").0, 5e-324);
        assert_eq!(double_of("0x1p-1075").0, 0.0);
        assert_eq!(double_of("0x1.8p-1075").0, 5e-324);
        assert_eq!(double_of("0x1.fffffffffffff8p1023").0, f64::INFINITY);
        assert_eq!(double_of("0x1.fffffffffffff7p1023").0, f64::MAX);
        assert_eq!(double_of("0x1.000001p0").1, 1.0);
        assert_eq!(double_of("0x1.0000011p0").1, 1.0 + f32::EPSILON);
        assert_eq!(
            double_of("0x123456789abcdef0123456789abcdef01p0").0,
            0x0123_4567_89ab_cdef_u64 as f64 * 2f64.powi(72)
        );
        assert_eq!(integer_of("0x1.8"), "this is no floating-point number");
    }

    fn units(text: &str) -> Vec<u32> {
        let mut context = Context {
            interner: Interner::new(),
            ..Context::default()
        };
        let literal = string_pieces(&[(text, Span::NONE)], &mut context);
        literal.map_or(Vec::new(), |literal| literal.units)
    }

    #[test]
    fn strings() {
        assert_eq!(units(r#""a\n\x41\101\0""#), [97, 10, 65, 65, 0]);
        assert_eq!(units(r#""é\u00e9""#), [0xc3, 0xa9, 0xc3, 0xa9]);
        assert_eq!(units(r#"u"😀""#), [0xd83d, 0xde00]);
        assert_eq!(units(r#"L"\xffffffff""#), [0xffff_ffff]);
        assert_eq!(units("R\"x(a\\n)\" )x\""), [97, 92, 110, 41, 34, 32]);
        assert_eq!(units(r#""\xfff""#), []);
    }

    #[test]
    fn characters() {
        let mut context = Context::new();
        let mut value =
            |text| character(text, Span::NONE, &mut context).map(|literal| (literal.value, literal.multiple));
        assert_eq!(value("'a'"), Some((97, false)));
        assert_eq!(value("'\\''"), Some((39, false)));
        assert_eq!(value("'ab'"), Some((0x6162, true)));
        assert_eq!(value("U'😀'"), Some((0x1f600, false)));
        assert_eq!(value("''"), None);
    }
}
