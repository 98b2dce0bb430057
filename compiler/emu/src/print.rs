//! `printf` formats, with arguments as device code lays them out in memory.

/// The most digits of a number.
const PRECISION_LIMIT: i64 = 1000;

/// The longest text of one call.
const TEXT_LIMIT: usize = 1 << 16;

/// Reads a number of this many bytes at an address of the thread that prints.
pub(crate) type Fetch<'f, E> = dyn FnMut(u64, usize) -> Result<u64, E> + 'f;

/// The next multiple of a power of two.
fn aligned(address: u64, bytes: u64) -> u64 {
    address.wrapping_add(bytes - 1) & !(bytes - 1)
}

/// A text that ends with a zero byte.
pub(crate) fn text<E>(fetch: &mut Fetch<'_, E>, address: u64) -> Result<String, E> {
    let mut bytes = Vec::new();
    while bytes.len() < TEXT_LIMIT {
        match fetch(address.wrapping_add(bytes.len() as u64), 1)? {
            0 => break,
            byte => bytes.push(byte as u8),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `vprintf(format, arguments)`: appends the text, and gives the number of arguments, as the device's does.
pub(crate) fn format<E>(into: &mut String, fetch: &mut Fetch<'_, E>, format: u64, arguments: u64) -> Result<u64, E> {
    let format = text(fetch, format)?;
    let mut next = arguments;
    let mut count = 0;
    let mut rest = format.as_str();
    while let Some(start) = rest.find('%') {
        into.push_str(&rest[..start]);
        let (spec, after) = Spec::parse(&rest[start..]);
        rest = after;
        if spec.conversion == '%' {
            into.push('%');
            continue;
        }
        let Some(bytes) = spec.bytes() else {
            into.push_str(spec.text);
            continue;
        };
        let mut star = |fetch: &mut Fetch<'_, E>| -> Result<Option<i64>, E> {
            next = aligned(next, 4);
            let value = fetch(next, 4)?;
            next = next.wrapping_add(4);
            Ok(Some(i64::from(value as i32)))
        };
        let width = if spec.star_width { star(fetch)? } else { spec.width };
        let precision = if spec.star_precision {
            star(fetch)?
        } else {
            spec.precision
        };
        let precision = precision.map(|precision| precision.min(PRECISION_LIMIT));
        next = aligned(next, bytes);
        let value = fetch(next, bytes as usize)?;
        next = next.wrapping_add(bytes);
        count += 1;
        let body = if spec.conversion == 's' {
            let string = match value {
                0 => "(null)".to_string(),
                address => text(fetch, address)?,
            };
            match precision {
                Some(limit) if limit >= 0 => string.chars().take(limit as usize).collect(),
                _ => string,
            }
        } else {
            spec.number(value, precision)
        };
        spec.pad(&body, width, precision, into);
    }
    into.push_str(rest);
    Ok(count)
}

/// A conversion of a format string.
#[derive(Debug)]
struct Spec<'f> {
    text: &'f str,
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: Option<i64>,
    precision: Option<i64>,
    star_width: bool,
    star_precision: bool,
    long: bool,
    conversion: char,
}

impl<'f> Spec<'f> {
    /// Reads what starts with a percent sign; gives the rest, too.
    fn parse(text: &'f str) -> (Spec<'f>, &'f str) {
        let bytes = text.as_bytes();
        let mut at = 1;
        let peek = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let mut spec = Spec {
            text,
            left: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            width: None,
            precision: None,
            star_width: false,
            star_precision: false,
            long: false,
            conversion: '?',
        };
        loop {
            match peek(at) {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            at += 1;
        }
        let number = |at: &mut usize| {
            let start = *at;
            while peek(*at).is_ascii_digit() {
                *at += 1;
            }
            text[start..*at].parse::<i64>().unwrap_or(0).min(TEXT_LIMIT as i64)
        };
        if peek(at) == b'*' {
            spec.star_width = true;
            at += 1;
        } else if peek(at).is_ascii_digit() {
            spec.width = Some(number(&mut at));
        }
        if peek(at) == b'.' {
            at += 1;
            if peek(at) == b'*' {
                spec.star_precision = true;
                at += 1;
            } else {
                spec.precision = Some(number(&mut at));
            }
        }
        while matches!(peek(at), b'l' | b'h' | b'z' | b'j' | b't') {
            spec.long |= peek(at) != b'h';
            at += 1;
        }
        spec.conversion = char::from(peek(at));
        let mut end = (at + 1).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        spec.text = &text[..end];
        (spec, &text[end..])
    }

    /// Bytes of the argument.
    fn bytes(&self) -> Option<u64> {
        match self.conversion {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => Some(if self.long { 8 } else { 4 }),
            'c' => Some(4),
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' | 's' | 'p' => Some(8),
            _ => None,
        }
    }

    /// A number without padding.
    fn number(&self, value: u64, precision: Option<i64>) -> String {
        let signed = if self.long {
            value as i64
        } else {
            i64::from(value as i32)
        };
        let sign = |negative: bool| match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        };
        let digits = |text: String| match precision {
            Some(least) if (text.len() as i64) < least => "0".repeat(least as usize - text.len()) + &text,
            _ => text,
        };
        match self.conversion {
            'd' | 'i' => format!("{}{}", sign(signed < 0), digits(signed.unsigned_abs().to_string())),
            'u' => digits(value.to_string()),
            'x' if self.alternate && value != 0 => format!("0x{}", digits(format!("{value:x}"))),
            'x' => digits(format!("{value:x}")),
            'X' if self.alternate && value != 0 => format!("0X{}", digits(format!("{value:X}"))),
            'X' => digits(format!("{value:X}")),
            'o' if self.alternate => format!("0{}", digits(format!("{value:o}"))),
            'o' => digits(format!("{value:o}")),
            'c' => char::from(value as u8).to_string(),
            'p' => format!("{value:#x}"),
            _ => {
                let number = f64::from_bits(value);
                let body = self.real(number.abs(), precision.unwrap_or(6).max(0) as usize);
                format!("{}{body}", sign(number.is_sign_negative() && !number.is_nan()))
            }
        }
    }

    /// The magnitude of a floating-point number.
    fn real(&self, number: f64, precision: usize) -> String {
        let upper = self.conversion.is_ascii_uppercase();
        let text = if number.is_nan() {
            "nan".to_string()
        } else if number.is_infinite() {
            "inf".to_string()
        } else {
            match self.conversion.to_ascii_lowercase() {
                'f' => format!("{number:.precision$}"),
                'e' => exponential(number, precision),
                'g' => general(number, precision.max(1), self.alternate),
                _ => hexadecimal(number),
            }
        };
        if upper { text.to_uppercase() } else { text }
    }

    fn pad(&self, body: &str, width: Option<i64>, precision: Option<i64>, into: &mut String) {
        let wanted = width.unwrap_or(0);
        let left = self.left || wanted < 0;
        let missing = (wanted.unsigned_abs().min(TEXT_LIMIT as u64) as usize).saturating_sub(body.chars().count());
        let whole = matches!(self.conversion, 'd' | 'i' | 'u' | 'x' | 'X' | 'o');
        let real = matches!(self.conversion, 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A');
        if left {
            into.push_str(body);
            into.extend(std::iter::repeat_n(' ', missing));
        } else if self.zero && (real || whole && precision.is_none()) && !body.ends_with(['f', 'n', 'F', 'N']) {
            let prefix = body.len() - body.trim_start_matches(['-', '+', ' ']).len();
            let prefix = if body[prefix..].starts_with("0x") || body[prefix..].starts_with("0X") {
                prefix + 2
            } else {
                prefix
            };
            into.push_str(&body[..prefix]);
            into.extend(std::iter::repeat_n('0', missing));
            into.push_str(&body[prefix..]);
        } else {
            into.extend(std::iter::repeat_n(' ', missing));
            into.push_str(body);
        }
    }
}

fn exponential(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!(
        "{mantissa}e{}{:02}",
        if exponent < 0 { '-' } else { '+' },
        exponent.abs()
    )
}

fn general(number: f64, precision: usize, keep_zeros: bool) -> String {
    let rounded = exponential(number, precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trimmed = |text: &str| {
        if keep_zeros || !text.contains('.') {
            text.to_string()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "+00"));
        format!("{}e{exponent}", trimmed(mantissa))
    } else {
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        trimmed(&format!("{number:.decimals$}"))
    }
}

fn hexadecimal(number: f64) -> String {
    let bits = number.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let digits = format!("{mantissa:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    match (exponent, mantissa) {
        (0, 0) => "0x0p+0".to_string(),
        (0, _) => format!("0x0{point}{digits}p-1022"),
        _ => format!("0x1{point}{digits}p{:+}", exponent - 1023),
    }
}
