//! What the inputs of a link are.

use super::{Code, Failed};
use crate::lto;

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ptx,
    LtoIr,
    /// Objects of which a link takes those that define what is missing.
    Library,
}

/// Whatever it is: the bytes say (`NVJITLINK_INPUT_ANY`).
const ANY: i32 = 10;

/// A kind of input: its number and name (`nvJitLinkInputType`), and which bytes are one.
struct Row {
    number: i32,
    name: &'static str,
    is_one: fn(&[u8]) -> bool,
    /// What it is; what the others are called.
    is: Result<Kind, &'static str>,
}

const ROWS: [Row; 7] = [
    Row {
        number: 1,
        name: "CUBIN",
        is_one: |bytes| is_elf(bytes) && is_for_gpu(bytes),
        is: Err("a cubin"),
    },
    Row {
        number: 2,
        name: "PTX",
        is_one: is_ptx,
        is: Ok(Kind::Ptx),
    },
    Row {
        number: 3,
        name: "LTOIR",
        is_one: lto::is_one,
        is: Ok(Kind::LtoIr),
    },
    Row {
        number: 4,
        name: "FATBIN",
        is_one: is_fatbin,
        is: Err("a fat binary"),
    },
    Row {
        number: 5,
        name: "OBJECT",
        is_one: |bytes| is_elf(bytes) && !is_for_gpu(bytes),
        is: Err("an object of the host"),
    },
    Row {
        number: 6,
        name: "LIBRARY",
        is_one: |bytes| bytes.starts_with(b"!<arch>\n"),
        is: Ok(Kind::Library),
    },
    Row {
        number: 7,
        name: "INDEX",
        is_one: |_| false,
        is: Err("an index"),
    },
];

fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// Whether an ELF file's machine is CUDA's.
fn is_for_gpu(bytes: &[u8]) -> bool {
    bytes.get(18..20) == Some(&[190, 0])
}

fn is_fatbin(bytes: &[u8]) -> bool {
    bytes.starts_with(&0xBA55_ED50_u32.to_le_bytes())
}

/// Whether `.version` comes first, but for blanks and comments.
fn is_ptx(bytes: &[u8]) -> bool {
    let mut rest = bytes.trim_ascii_start();
    loop {
        let end = match rest {
            [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n'),
            [b'/', b'*', body @ ..] => body.windows(2).position(|pair| pair == b"*/").map(|end| end + 4),
            _ => return rest.starts_with(b".version"),
        };
        rest = match end {
            Some(end) => rest[end..].trim_ascii_start(),
            None => return false,
        };
    }
}

/// What an input of a program is that says its kind.
///
/// # Errors
/// It is not of that kind, or of one that is not linked.
pub(super) fn kind_of(number: i32, name: &str, bytes: &[u8]) -> Result<Kind, Failed> {
    let found = ROWS.iter().find(|row| (row.is_one)(bytes));
    if number == ANY {
        let unknown = || (Code::UnrecognizedInput, format!("unrecognized input type: {name}\n"));
        return linked(found.ok_or_else(unknown)?, name);
    }
    let row = ROWS.iter().find(|row| row.number == number);
    let row = row.ok_or_else(|| (Code::IncorrectInputType, format!("unsupported input type: {name}\n")))?;
    if !(row.is_one)(bytes) {
        let text = format!(
            "ERROR 1: bad input: does not match type NVJITLINK_INPUT_{}{name}\n",
            row.name
        );
        return Err((Code::IncorrectInputType, text));
    }
    linked(row, name)
}

fn linked(row: &Row, name: &str) -> Result<Kind, Failed> {
    row.is.map_err(|what| {
        let text =
            format!("error   : {name} is {what}, which Warpsmith's nvJitLink does not link: PTX and LTO-IR are\n");
        (Code::UnrecognizedInput, text)
    })
}

#[cfg(test)]
mod tests {
    use super::is_ptx;

    #[test]
    fn ptx_begins_with_its_version() {
        assert!(is_ptx(b"// a\n\n/* b\n */ .version 9.0"));
        for other in [
            "",
            "hello .version 9.0",
            ".target sm_90",
            "// .version",
            "/* .version 9.0",
            "/*/ .version",
        ] {
            assert!(!is_ptx(other.as_bytes()), "{other}");
        }
    }
}
