//! The functions that the run-time system of a device provides: printing, the heap and assertions.

use super::{
    FaultKind,
    arithmetic::truncated,
    code::{Call, LANES, Lanes, Passed, Source, Space, System},
    machine::{Machine, Site, Trouble},
    warp::{Warp, lanes_of},
};

/// The most digits of a number.
const PRECISION_LIMIT: i64 = 1000;

/// The next multiple of a power of two.
fn aligned(address: u64, bytes: u64) -> u64 {
    address.wrapping_add(bytes - 1) & !(bytes - 1)
}

/// The longest text of one call.
const TEXT_LIMIT: usize = 1 << 16;

impl Machine<'_> {
    /// A call of the run-time system, lane after lane.
    pub(crate) fn system(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        system: System,
        call: &Call,
        active: u32,
    ) -> Result<(), Trouble> {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            arguments.push(self.scalar(site, warp, *argument, active)?);
        }
        let argument = |index: usize, lane: usize| arguments.get(index).map_or(0, |values: &Lanes| values[lane]);
        let mut results = [0; LANES];
        for lane in lanes_of(active) {
            results[lane] = match system {
                System::Printf => self.print(site, warp, lane, argument(0, lane), argument(1, lane))?,
                System::Malloc => self.memory.allocate(argument(0, lane).min(1 << 32)),
                System::Free => {
                    self.free(argument(0, lane)).map_err(|trouble| trouble.at(lane))?;
                    0
                }
                System::AssertFail => {
                    let text = |machine: &mut Self, site: &mut Site<'_>, warp: &mut Warp, index| {
                        machine.text(site, warp, lane, argument(index, lane))
                    };
                    let what = text(self, site, warp, 0)?;
                    let file = text(self, site, warp, 1)?;
                    let function = text(self, site, warp, 3)?;
                    let line = argument(2, lane) as u32;
                    let message = format!("{file}:{line}: {function}: Assertion `{what}` failed");
                    return Err(Trouble::new(FaultKind::Assert, message).at(lane));
                }
            };
        }
        match call.results.first() {
            Some(Passed::Frame { offset, bytes }) => {
                let frame = *warp.read(site.code, Source::slot(super::code::FRAME_SLOT));
                for lane in lanes_of(active) {
                    let at = frame[lane] + u64::from(*offset);
                    self.write_one(
                        site,
                        warp,
                        lane,
                        Space::Local,
                        at,
                        (*bytes).min(8) as usize,
                        results[lane],
                    )?;
                }
            }
            Some(Passed::Value { source, bytes }) => {
                if let Ok(slot) = source.place() {
                    let values = results.map(|value| truncated(value, 8 * bytes));
                    warp.write(slot as u32, active, &values);
                }
            }
            Some(Passed::Predicate(_) | Passed::Nothing) | None => {}
        }
        Ok(())
    }

    /// An argument as a number.
    fn scalar(&mut self, site: &mut Site<'_>, warp: &mut Warp, passed: Passed, active: u32) -> Result<Lanes, Trouble> {
        match passed {
            Passed::Frame { offset, bytes } => {
                let frame = *warp.read(site.code, Source::slot(super::code::FRAME_SLOT));
                let mut values = [0; LANES];
                for lane in lanes_of(active) {
                    let at = frame[lane] + u64::from(offset);
                    values[lane] = self.read_one(site, warp, lane, Space::Local, at, bytes.min(8) as usize)?;
                }
                Ok(values)
            }
            Passed::Value { source, .. } => Ok(*warp.read(site.code, source)),
            Passed::Predicate(_) | Passed::Nothing => Ok([0; LANES]),
        }
    }

    fn free(&mut self, address: u64) -> Result<(), Trouble> {
        if address == 0 {
            return Ok(());
        }
        if self.memory.free(address) {
            return Ok(());
        }
        let message = format!("free of {address:#x}, which malloc did not give or which is free already");
        Err(Trouble::new(FaultKind::OutOfBounds, message))
    }

    /// A text that ends with a zero byte.
    fn text(&mut self, site: &mut Site<'_>, warp: &mut Warp, lane: usize, address: u64) -> Result<String, Trouble> {
        let mut bytes = Vec::new();
        while bytes.len() < TEXT_LIMIT {
            let at = address.wrapping_add(bytes.len() as u64);
            match self.read_one(site, warp, lane, Space::Generic, at, 1)? {
                0 => break,
                byte => bytes.push(byte as u8),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// `vprintf(format, arguments)`: the number of arguments, as the device's does.
    fn print(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        lane: usize,
        format: u64,
        arguments: u64,
    ) -> Result<u64, Trouble> {
        let format = self.text(site, warp, lane, format)?;
        let mut next = arguments;
        let mut count = 0;
        let mut text = String::new();
        let mut rest = format.as_str();
        while let Some(start) = rest.find('%') {
            text.push_str(&rest[..start]);
            let (spec, after) = Spec::parse(&rest[start..]);
            rest = after;
            if spec.conversion == '%' {
                text.push('%');
                continue;
            }
            let Some(bytes) = spec.bytes() else {
                text.push_str(spec.text);
                continue;
            };
            let mut star = || -> Result<Option<i64>, Trouble> {
                next = aligned(next, 4);
                let value = self.read_one(site, warp, lane, Space::Generic, next, 4)?;
                next = next.wrapping_add(4);
                Ok(Some(i64::from(value as i32)))
            };
            let width = if spec.star_width { star()? } else { spec.width };
            let precision = if spec.star_precision { star()? } else { spec.precision };
            let precision = precision.map(|precision| precision.min(PRECISION_LIMIT));
            next = aligned(next, bytes);
            let value = self.read_one(site, warp, lane, Space::Generic, next, bytes as usize)?;
            next = next.wrapping_add(bytes);
            count += 1;
            let body = if spec.conversion == 's' {
                let string = if value == 0 {
                    "(null)".to_string()
                } else {
                    self.text(site, warp, lane, value)?
                };
                match precision {
                    Some(limit) if limit >= 0 => string.chars().take(limit as usize).collect(),
                    _ => string,
                }
            } else {
                spec.number(value, precision)
            };
            spec.pad(&body, width, precision, &mut text);
        }
        text.push_str(rest);
        self.printed.entry(site.cta().number).or_default().push_str(&text);
        Ok(count)
    }
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
