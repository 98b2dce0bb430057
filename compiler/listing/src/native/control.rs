//! The control word as text: `[s05 y w0 r- wait=01----]`.
//!
//! | item | meaning |
//! |---|---|
//! | `s05` | stall: cycles until the next instruction may issue |
//! | `y` or `-` | yield: prefer another warp; `-`: keep issuing from this one |
//! | `w0` or `w-` | scoreboard that is released when the result is written |
//! | `r0` or `r-` | scoreboard that is released when the sources have been read |
//! | `wait=01----` | scoreboards to wait for before issue |
//! | `reuse=0x1` | reuse flags, where they are not the `.reuse` marks in the text |
//!
//! Missing items have the values of [`Control::NONE`].

use std::fmt::Write;

use warpsmith_sass::Control;

use super::assemble::lexer::{Fault, Lexer};

/// Scoreboards that an instruction can wait for.
const SCOREBOARDS: u8 = 6;
/// Bits of the reuse field.
const REUSE_BITS: u8 = 0xf;

/// Appends a control word; its reuse flags only where they differ from those that the text shows.
pub(super) fn write_control(control: &Control, shown_reuse: u8, out: &mut String) {
    let yields = if control.keep_issuing { '-' } else { 'y' };
    let _ = write!(out, "[s{:02} {yields}", control.stall);
    for (letter, scoreboard) in [('w', control.write_scoreboard), ('r', control.read_scoreboard)] {
        out.push(' ');
        out.push(letter);
        out.push(scoreboard.map_or('-', |number| char::from(b'0' + number)));
    }
    out.push_str(" wait=");
    for number in 0..SCOREBOARDS {
        out.push(if control.wait_mask >> number & 1 != 0 {
            char::from(b'0' + number)
        } else {
            '-'
        });
    }
    if control.reuse != shown_reuse {
        let _ = write!(out, " reuse={:#x}", control.reuse);
    }
    out.push(']');
}

/// Reads the items after `[` up to and with `]`; the reuse flags only if they are given.
pub(super) fn read_control(line: &mut Lexer<'_>) -> Result<(Control, Option<u8>), Fault> {
    let mut control = Control::NONE;
    let mut reuse = None;
    loop {
        line.skip_blanks();
        if line.take(']') {
            return Ok((control, reuse));
        }
        let start = line.position();
        let item = line.take_while(|byte| !matches!(byte, b' ' | b'\t' | b']'));
        let refuse = || {
            let message = match item {
                "" => "`]` is missing after the control information".to_owned(),
                _ => format!("`{item}` is no control information: s00 to s15, y or -, wN, rN, wait=N…, reuse=N"),
            };
            Fault::new(start..start + item.len(), message)
        };
        match (item.as_bytes(), item.split_once('=')) {
            (_, Some(("wait", numbers))) => control.wait_mask = wait_mask(numbers).ok_or_else(refuse)?,
            (_, Some(("reuse", number))) => {
                let digits = number.strip_prefix("0x").ok_or_else(refuse)?;
                let flags = u8::from_str_radix(digits, 16).ok().filter(|&flags| flags <= REUSE_BITS);
                reuse = Some(flags.ok_or_else(refuse)?);
            }
            (b"y", _) => control.keep_issuing = false,
            (b"-", _) => control.keep_issuing = true,
            ([b's', ..], _) => {
                control.stall = item[1..].parse().ok().filter(|&stall| stall <= 15).ok_or_else(refuse)?
            }
            ([b'w', number], _) => control.write_scoreboard = scoreboard(*number).ok_or_else(refuse)?,
            ([b'r', number], _) => control.read_scoreboard = scoreboard(*number).ok_or_else(refuse)?,
            _ => return Err(refuse()),
        }
    }
}

/// `-` or a number; 6 has no meaning, but fits in the field.
fn scoreboard(digit: u8) -> Option<Option<u8>> {
    match digit {
        b'-' => Some(None),
        b'0'..=b'6' => Some(Some(digit - b'0')),
        _ => None,
    }
}

fn wait_mask(numbers: &str) -> Option<u8> {
    numbers.bytes().try_fold(0, |mask, byte| match byte {
        b'-' => Some(mask),
        b'0'..=b'5' => Some(mask | 1 << (byte - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(control: &Control, shown_reuse: u8) -> String {
        let mut out = String::new();
        write_control(control, shown_reuse, &mut out);
        out
    }

    #[test]
    fn control_words_go_both_ways() {
        for bits in (0..1u128 << 21).step_by(31) {
            let control = Control::read(bits << 105);
            let shown = if bits & 1 == 0 { control.reuse } else { 0 };
            let text = text(&control, shown);
            let mut line = Lexer::new(&text, 1..text.len());
            let (mut read, reuse) = read_control(&mut line).unwrap_or_else(|_| panic!("{text}"));
            read.reuse = reuse.unwrap_or(shown);
            assert_eq!(read, control, "{text}");
        }
    }

    #[test]
    fn how_it_looks() {
        assert_eq!(text(&Control::NONE, 0), "[s01 - w- r- wait=------]");
        let control = Control {
            stall: 12,
            keep_issuing: false,
            write_scoreboard: Some(0),
            read_scoreboard: Some(5),
            wait_mask: 0b10_0011,
            reuse: 2,
        };
        assert_eq!(text(&control, 0), "[s12 y w0 r5 wait=01---5 reuse=0x2]");
        assert_eq!(text(&control, 2), "[s12 y w0 r5 wait=01---5]");
    }
}
