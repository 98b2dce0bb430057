//! Where an array comes from, in the short notation of the command line and launch files: `zeros:f32:1024`, `npy:PATH`, ….

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::array::{Array, Element, Kind};
use super::npy;
use crate::files;

/// The largest array that a few letters can ask for, in bytes.
const LARGEST: u64 = 1 << 32;

/// Bytes that all arrays of a run may have beyond the files that they are read from, unless it is said how many.
const USUAL_ROOM: u64 = 64 << 20;

/// Where the arrays of a run come from: the folder that paths start at, and how much memory they may still take.
#[derive(Debug)]
pub(crate) struct Sources {
    folder: PathBuf,
    room: u64,
    left: Cell<u64>,
    /// The files that were read, whose bytes were added to the room.
    known: RefCell<HashSet<PathBuf>>,
}

impl Sources {
    /// Sources with paths relative to `folder` that may take so many bytes.
    pub(crate) fn new(folder: &Path, room: Option<u64>) -> Sources {
        let room = room.unwrap_or(USUAL_ROOM);
        Sources {
            folder: folder.to_path_buf(),
            room,
            left: Cell::new(room),
            known: RefCell::default(),
        }
    }

    /// How many bytes they could take at the start.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    /// A path as one that can be opened.
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        self.folder.join(text)
    }

    /// Takes so many bytes, or says that there are not as many.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), String> {
        let left = self.left.get().checked_sub(bytes).ok_or_else(|| {
            format!(
                "{bytes} bytes more are asked for, and arrays may have {} in all: `memory = BYTES` in a launch file or --memory BYTES allows more",
                self.room
            )
        })?;
        self.left.set(left);
        Ok(())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let place = self.path(path);
        let bytes = files::read(&place).map_err(|error| match error {
            files::ReadError::Open(error) | files::ReadError::Read(error) => format!("{path}: cannot read: {error}"),
        })?;
        let size = bytes.len() as u64;
        if self.known.borrow_mut().insert(place) {
            self.left.set(self.left.get().saturating_add(size));
        }
        self.take(size)?;
        Ok(bytes)
    }
}

/// The notation, for help and messages.
pub(crate) const HELP: &str = "\
zeros:TYPE:COUNT, uninitialised:TYPE:COUNT (buffers only), fill:TYPE:COUNT:VALUE, iota:TYPE:COUNT[:START[:STEP]], random:TYPE:COUNT[:SEED[:LOW:HIGH]], \
list:TYPE:VALUE,VALUE,…, text:TEXT (with a zero byte at the end), file:[TYPE:]PATH, npy:PATH";

/// The words that sources start with.
const WORDS: [&str; 8] = ["zeros", "fill", "iota", "random", "list", "text", "file", "npy"];

/// Whether `text` starts as a source does.
pub(crate) fn is_source(text: &str) -> bool {
    text.split_once(':').is_some_and(|(word, _)| WORDS.contains(&word))
}

/// Makes the array that `text` describes.
pub(crate) fn array(text: &str, sources: &Sources) -> Result<Array, String> {
    let wrong = || format!("`{text}` describes no array; there are {HELP}");
    let (word, rest) = text.split_once(':').ok_or_else(wrong)?;
    match word {
        "text" => Ok(Array::from_bytes(Element::U8, [rest.as_bytes(), &[0]].concat())),
        "npy" => npy::read(&sources.read(rest)?).map_err(|reason| format!("{rest}: {reason}")),
        "file" => {
            let typed = rest
                .split_once(':')
                .and_then(|(name, path)| Some((Element::from_name(name)?, path)));
            let (element, path) = typed.unwrap_or((Element::U8, rest));
            let bytes = sources.read(path)?;
            if bytes.len() % element.size() != 0 {
                return Err(format!(
                    "{path}: {} bytes are no whole number of {element}",
                    bytes.len()
                ));
            }
            Ok(Array::from_bytes(element, bytes))
        }
        "list" => {
            let (name, values) = rest.split_once(':').ok_or_else(wrong)?;
            list(named(name)?, values.split(','))
        }
        "zeros" | "fill" | "iota" | "random" => generated(word, rest, sources).unwrap_or_else(|| Err(wrong())),
        _ => Err(wrong()),
    }
}

/// An array of the values given as texts.
pub(crate) fn list<'t>(element: Element, values: impl IntoIterator<Item = &'t str>) -> Result<Array, String> {
    let bits: Result<Vec<u64>, String> = values
        .into_iter()
        .map(str::trim)
        .filter(|value| !value.is_empty())
        .map(|value| element.parse(value))
        .collect();
    Ok(Array::from_bits(element, bits?))
}

/// The element type of a name.
pub(crate) fn named(name: &str) -> Result<Element, String> {
    Element::from_name(name).ok_or_else(|| format!("there is no type `{name}`; there are {}", Element::all_names()))
}

/// `WORD:TYPE:COUNT` and more; `None` where the number of parts is wrong.
fn generated(word: &str, rest: &str, sources: &Sources) -> Option<Result<Array, String>> {
    let parts: Vec<&str> = rest.split(':').collect();
    let (&name, &count, more) = match parts.as_slice() {
        [name, count, more @ ..] => (name, count, more),
        _ => return None,
    };
    let fits = match word {
        "zeros" => more.is_empty(),
        "fill" => more.len() == 1,
        "iota" => more.len() <= 2,
        _ => matches!(more.len(), 0 | 1 | 3),
    };
    fits.then(|| {
        let element = named(name)?;
        let count = length(element, count)?;
        sources.take(count * element.size() as u64)?;
        match word {
            "zeros" => Ok(Array::from_bytes(element, vec![0; count as usize * element.size()])),
            "fill" => {
                let bits = element.parse(more[0])?;
                Ok(Array::from_bits(element, (0..count).map(|_| bits)))
            }
            "iota" => iota(element, count, more),
            _ => random(element, count, more),
        }
    })
}

fn length(element: Element, text: &str) -> Result<u64, String> {
    let count: u64 = text
        .replace('_', "")
        .parse()
        .map_err(|_| format!("`{text}` is no number of elements"))?;
    match count.checked_mul(element.size() as u64) {
        Some(size) if size <= LARGEST => Ok(count),
        _ => Err(format!("{count} elements of {element} are more than {LARGEST} bytes")),
    }
}

/// START, START + STEP, …; integers wrap, floating-point numbers are computed in double precision.
fn iota(element: Element, count: u64, more: &[&str]) -> Result<Array, String> {
    let number = |index: usize, default: u64| match more.get(index) {
        Some(text) => element.parse(text),
        None => Ok(element.integer(i128::from(default))),
    };
    let (start, step) = (number(0, 0)?, number(1, 1)?);
    Ok(match element.kind() {
        Kind::Float => {
            let (start, step) = (element.value(start), element.value(step));
            Array::from_bits(
                element,
                (0..count).map(|index| element.float(start + step * index as f64)),
            )
        }
        Kind::Unsigned | Kind::Signed => {
            let value = |index: u64| start.wrapping_add(step.wrapping_mul(index));
            Array::from_bits(
                element,
                (0..count).map(|index| element.integer(i128::from(value(index)))),
            )
        }
    })
}

/// Random elements, the same for the same seed everywhere, each from its index alone.
///
/// With w = `mixed(SEED, index)`: an integer is LOW + w mod (HIGH − LOW), or the lowest bits of w without bounds; a floating-point number is
/// LOW + (HIGH − LOW) · (w >> 40) / 2²⁴ in double precision, rounded once, with bounds 0 and 1 where none are given.
fn random(element: Element, count: u64, more: &[&str]) -> Result<Array, String> {
    let seed: u64 = match more.first() {
        Some(text) => Element::U64.parse(text)?,
        None => 0,
    };
    if element.kind() == Kind::Float {
        let bound = |index: usize, default: f64| match more.get(index) {
            Some(text) => Element::F64.parse(text).map(f64::from_bits),
            None => Ok(default),
        };
        let (low, high) = (bound(1, 0.0)?, bound(2, 1.0)?);
        let value = |index| low + (high - low) * ((mixed(seed, index) >> 40) as f64 / f64::from(1 << 24));
        return Ok(Array::from_bits(
            element,
            (0..count).map(|index| element.float(value(index))),
        ));
    }
    let Some((low, high)) = more.get(1).zip(more.get(2)) else {
        return Ok(Array::from_bits(
            element,
            (0..count).map(|index| element.integer(i128::from(mixed(seed, index)))),
        ));
    };
    let (low, high) = (integer(element, low)?, integer(element, high)?);
    if low >= high {
        return Err(format!("no number is at least {low} and below {high}"));
    }
    let value = |index| low + i128::from(mixed(seed, index)) % (high - low);
    Ok(Array::from_bits(
        element,
        (0..count).map(|index| element.integer(value(index))),
    ))
}

/// The number that the bits of an integer element stand for.
fn integer(element: Element, text: &str) -> Result<i128, String> {
    let bits = element.parse(text)?;
    let unused = 64 - 8 * element.size() as u32;
    Ok(match element.kind() {
        Kind::Signed => i128::from((bits << unused) as i64 >> unused),
        Kind::Unsigned | Kind::Float => i128::from(bits),
    })
}

/// 64 random bits for an index: the output function of the SplitMix64 generator after `index` + 1 steps from `seed`.
fn mixed(seed: u64, index: u64) -> u64 {
    let state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index.wrapping_add(1)));
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match array(text, &Sources::new(Path::new(""), None)) {
            Ok(array) => array.show(8),
            Err(reason) => reason,
        }
    }

    #[test]
    fn every_source() {
        assert_eq!(shown("zeros:u8:3"), "u8[3] 0 0 0");
        assert_eq!(shown("fill:f32:2:-0.5"), "f32[2] -0.5 -0.5");
        assert_eq!(shown("iota:s32:4"), "s32[4] 0 1 2 3");
        assert_eq!(shown("iota:u8:3:254"), "u8[3] 254 255 0");
        assert_eq!(shown("iota:f64:3:1:0.5"), "f64[3] 1.0 1.5 2.0");
        assert_eq!(shown("list:s16:1,-2, 0x10"), "s16[3] 1 -2 16");
        assert_eq!(shown("text:a:b"), "u8[4] 97 58 98 0");
        assert_eq!(shown("random:s8:6:1:-2:3"), "s8[6] -2 2 -2 -2 -1 1");
    }

    #[test]
    fn random_numbers_are_those_of_splitmix64() {
        // The first outputs of the generator's reference implementation for the seed 1234567.
        let first = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!([0, 1, 2].map(|index| mixed(1_234_567, index)), first);
    }

    #[test]
    fn all_arrays_together_have_a_bound() {
        let sources = Sources::new(Path::new(""), Some(100));
        assert!(array("zeros:u32:20", &sources).is_ok());
        let refused = "24 bytes more are asked for, and arrays may have 100 in all: `memory = BYTES` in a launch file or --memory BYTES allows more";
        assert_eq!(array("iota:u64:3", &sources).map(|_| ()), Err(refused.to_owned()));
        assert!(array("fill:u8:20:1", &sources).is_ok());
        assert!(array("random:u8:1", &sources).is_err());
    }

    #[test]
    fn what_is_refused() {
        assert_eq!(
            shown("zeros:u7:3"),
            format!("there is no type `u7`; there are {}", Element::all_names())
        );
        assert_eq!(shown("zeros:u8:x"), "`x` is no number of elements");
        assert_eq!(
            shown("zeros:u64:4294967296"),
            "4294967296 elements of u64 are more than 4294967296 bytes"
        );
        assert_eq!(shown("random:u8:1:0:5:5"), "no number is at least 5 and below 5");
        for wrong in ["", "zeros", "zeros:u8", "zeros:u8:1:1", "random:u8:1:0:5", "ones:u8:1"] {
            assert_eq!(shown(wrong), format!("`{wrong}` describes no array; there are {HELP}"));
        }
        assert!(shown("npy:missing.npy").starts_with("missing.npy: cannot read: "));
    }
}
