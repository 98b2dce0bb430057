//! The name of a unit among all units of a program: what keeps apart the entities of equal name in unnamed namespaces.
//!
//! It is made as NVIDIA's compiler (13.0) makes its module id, so that kernels have the same symbols. Observed, for `/home/a/t.cu` with the functions `f` and `g`:
//!
//! ```text
//! ef51aee3 _ 4 _ t_cu _ _Z1fv
//! │          │   │      └ the symbol of the first function that is defined with external linkage, and is neither inline nor of a template; from nine bytes on its CRC
//! │          │   └ the file's name, with `_` for each byte that is no letter or digit
//! │          └ the bytes of that name
//! └ the CRC of the file's path, absolute, without symbolic links
//! ```
//!
//! Where there is no such function, NVIDIA's compiler takes the time and its process; here it is the CRC of the text, so that equal input gives equal output.

use super::{FunctionId, Program, SymbolVariant, mangle_function};

/// The longest symbol that stands as it is.
const SHORT: usize = 8;

/// The name of the namespace without a name, where the unit has no name either.
pub(super) const UNNAMED: &str = "_GLOBAL__N_1";

/// A unit, as its name is made.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The absolute path of the main file.
    pub path: &'a str,
    /// The main file as the user named it: its last part counts.
    pub file: &'a str,
    /// The main file's text.
    pub text: &'a [u8],
}

/// The name of the unnamed namespaces of a unit: `_GLOBAL__N__ef51aee3_4_t_cu__Z1fv`.
pub fn unnamed_namespace(program: &Program, unit: Unit<'_>, first: Option<FunctionId>) -> String {
    let file = unit.file.rsplit(['/', '\\']).next().unwrap_or(unit.file);
    let last = match first.map(|first| mangle_function(program, first, SymbolVariant::Complete)) {
        Some(symbol) if symbol.len() <= SHORT => symbol,
        Some(symbol) => format!("{:08x}", crc32(symbol.as_bytes())),
        None => format!("{:08x}", crc32(unit.text)),
    };
    format!(
        "_GLOBAL__N__{:08x}_{}_{}_{last}",
        crc32(unit.path.as_bytes()),
        file.len(),
        identifier(file)
    )
}

fn identifier(file: &str) -> String {
    let letter = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte),
        false => '_',
    };
    file.bytes().map(letter).collect()
}

/// The cyclic redundancy check of IEEE 802.3, as `zlib` has it.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 }
        })
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As nvcc 13.0 makes them.
    #[test]
    fn paths_and_files_as_nvcc_names_them() {
        let name = |path, file| {
            let unit = Unit { path, file, text: b"" };
            unnamed_namespace(&Program::new(), unit, None)
        };
        assert_eq!(name("/home/a/t.cu", "t.cu"), "_GLOBAL__N__ef51aee3_4_t_cu_00000000");
        assert_eq!(
            name("/home/a/t.cu", "./a/b-c.cu"),
            "_GLOBAL__N__ef51aee3_6_b_c_cu_00000000"
        );
        assert_eq!(
            name("/home/a/t.cu", "ün-1 x.cu"),
            "_GLOBAL__N__ef51aee3_10___n_1_x_cu_00000000"
        );
    }

    #[test]
    fn checks_of_symbols() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"_Z5f1234v"), 0x49f0_ce9e);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
