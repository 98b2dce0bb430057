//! What is to be run: a module, buffers, launches, and what is done with the results. Made from a command line or a launch file.

use std::path::{Path, PathBuf};

use super::array::{Array, Element};
use super::source::Sources;
use super::tensor_map::NamedMap;
use super::textures::Textures;
use super::{On, npy, source};

/// Everything about one run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The file with the kernels.
    pub module: PathBuf,
    /// A cubin, or a listing of one, that is run in place of the module.
    pub code: Option<PathBuf>,
    /// The target that the PTX is compiled for, to run the machine code in its place.
    pub arch: Option<warpsmith_target::Sm>,
    /// What runs the kernels, where it is not left to the file.
    pub on: Option<On>,
    /// Memory of the device that has a name.
    pub buffers: Vec<Buffer>,
    /// Tensors in buffers.
    pub tensor_maps: Vec<NamedMap>,
    /// Textures, samplers and surfaces.
    pub textures: Textures,
    /// Values of module variables other than those that the module gives.
    pub variables: Vec<(String, Array)>,
    /// What is launched, one after the other.
    pub launches: Vec<Launch>,
    /// What becomes of the results, in order.
    pub outputs: Vec<Output>,
    /// What the kernels must have printed.
    pub prints: Option<String>,
    /// A part of the message of the fault that must happen.
    pub fault: Option<String>,
    /// Bytes that the module's variables may have.
    pub memory: u64,
    /// How the run is done.
    pub settings: Settings,
}

/// How a run is done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// Decides in which order threads run.
    pub seed: Option<u64>,
    /// The most instructions of all threads together.
    pub budget: Option<u64>,
    /// Report races.
    pub races: bool,
    /// Report reads of memory that nobody wrote.
    pub uninitialised: bool,
    /// Complete asynchronous copies at random later times.
    pub copies: bool,
    /// Report registers that are touched too early.
    pub hazards: bool,
    /// Report uses of registers that nobody wrote.
    pub registers: bool,
    /// The most faults that are reported.
    pub faults: Option<usize>,
    /// Host threads; 0 stands for all.
    pub threads: Option<usize>,
    /// Count instructions and memory accesses.
    pub statistics: bool,
    /// Print the machine code.
    pub listing: bool,
}

/// A named piece of the device's memory.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Its name in arguments and expectations.
    pub name: String,
    /// What it holds before the first launch.
    pub array: Array,
    /// Whether anything was written to it before the first launch.
    pub initialised: bool,
}

/// One launch of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// Its name; `None`: the module's only kernel.
    pub kernel: Option<String>,
    /// CTAs in each direction.
    pub grid: [u32; 3],
    /// Threads of a CTA in each direction.
    pub block: [u32; 3],
    /// CTAs of a cluster in each direction; ones: as the kernel says.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// One for each parameter.
    pub arguments: Vec<Argument>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A number of this type, or of the parameter's.
    Number(Option<Element>, String),
    /// Address of a buffer (an index into [`Plan::buffers`]) and an offset in bytes.
    Address(usize, u64),
    /// A tensor map (an index into [`Plan::tensor_maps`]): its bytes, or its address.
    TensorMap(usize),
    /// The handle of a texture, sampler or surface (an index into [`Plan::textures`]).
    Handle(usize),
    /// The bytes of a structure passed by value.
    Bytes(Vec<u8>),
}

/// What becomes of a buffer or a module's variable after the last launch.
#[derive(Debug)]
pub(crate) enum Output {
    /// The first elements are printed.
    Print(String),
    /// It is written to a file: `.npy`, else its bytes.
    Save(String, PathBuf),
    /// It is compared.
    Expect(String, Expectation),
}

/// What a buffer must hold.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    /// The values.
    pub values: Values,
    /// How far each may be off: at most this, times the expected value's magnitude where that is above 1. 0: all bits are equal.
    pub tolerance: f64,
}

/// Expected values.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    /// An array with a type of its own.
    Array(Array),
    /// Numbers that are read in the buffer's type.
    Numbers(Vec<String>),
}

impl Plan {
    /// Takes a buffer in; a name is used once.
    pub(crate) fn add_buffer(&mut self, name: &str, source: &str, sources: &Sources) -> Result<usize, String> {
        if !is_name(name) {
            return Err(format!(
                "`{name}` is no name: letters, digits and _ are, a digit not first"
            ));
        }
        if self.buffer(name).is_some() {
            return Err(format!("there are two buffers `{name}`"));
        }
        let (array, initialised) = match source.strip_prefix("uninitialised:") {
            Some(rest) => (source::array(&format!("zeros:{rest}"), sources)?, false),
            None => (source::array(source, sources)?, true),
        };
        self.buffers.push(Buffer {
            name: name.to_owned(),
            array,
            initialised,
        });
        Ok(self.buffers.len() - 1)
    }

    /// The index of a buffer.
    pub(crate) fn buffer(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|buffer| buffer.name == name)
    }

    /// Reads an argument: `NAME=SOURCE` (a new buffer's address), `NAME` or `NAME+BYTES`, `TYPE:NUMBER`, `bytes:SOURCE` (a structure by
    /// value) or `NUMBER`.
    pub(crate) fn argument(&mut self, text: &str, sources: &Sources) -> Result<Argument, String> {
        if let Some((name, source)) = text.split_once('=') {
            return Ok(Argument::Address(self.add_buffer(name, source, sources)?, 0));
        }
        if let Some(index) = self.tensor_maps.iter().position(|map| map.name == text) {
            return Ok(Argument::TensorMap(index));
        }
        let (name, offset) = match text.split_once('+') {
            Some((name, offset)) => (name, Element::U64.parse(offset).ok()),
            None => (text, Some(0)),
        };
        if let Some((index, offset)) = self.buffer(name).zip(offset) {
            return Ok(Argument::Address(index, offset));
        }
        if let Some(index) = self.textures.find(text) {
            return Ok(Argument::Handle(index));
        }
        match text.split_once(':') {
            Some(("bytes", source)) => Ok(Argument::Bytes(source::array(source, sources)?.bytes)),
            Some((name, number)) => {
                let element = source::named(name)?;
                element.parse(number)?;
                Ok(Argument::Number(Some(element), number.to_owned()))
            }
            // Also `inf` and `nan`: what is a number is said by the parameter's type.
            None if is_name(text) && Element::F64.parse(text).is_err() => {
                Err(format!("there is no buffer `{text}`; {text}=SOURCE makes one"))
            }
            None => Ok(Argument::Number(None, text.to_owned())),
        }
    }
}

impl Expectation {
    /// Reads `SOURCE` or `PATH.npy`, each with `:TOLERANCE` behind it where the comparison is not exact.
    pub(crate) fn parse(text: &str, sources: &Sources) -> Result<Expectation, String> {
        if source::is_source(text) {
            return Ok(Expectation {
                values: Values::Array(source::array(text, sources)?),
                tolerance: 0.0,
            });
        }
        let (path, tolerance) = match text.rsplit_once(':') {
            Some((path, number)) if path.ends_with(".npy") => (path, tolerance(number)?),
            _ => (text, 0.0),
        };
        if !path.ends_with(".npy") {
            return Err(format!(
                "`{text}` is no expectation: PATH.npy, PATH.npy:TOLERANCE, {}",
                source::HELP
            ));
        }
        let array = source::array(&format!("npy:{path}"), sources)?;
        Ok(Expectation {
            values: Values::Array(array),
            tolerance,
        })
    }
}

/// A tolerance: a finite number, not negative.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| format!("`{text}` is no tolerance: a number that is not negative"))
}

/// The bytes of a file for an array, by the file's name.
pub(crate) fn file_bytes(array: &Array, path: &Path) -> Vec<u8> {
    match path.extension().is_some_and(|extension| extension == "npy") {
        true => npy::write(array),
        false => array.bytes.clone(),
    }
}

fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    text.bytes().next().is_some_and(letter) && text.bytes().all(|byte| letter(byte) || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_every_kind() {
        let mut plan = Plan::default();
        let mut argument = |text: &str| plan.argument(text, &Sources::new(Path::new(""), None));
        assert_eq!(argument("x=zeros:u32:4"), Ok(Argument::Address(0, 0)));
        assert_eq!(argument("y=iota:u8:4"), Ok(Argument::Address(1, 0)));
        assert_eq!(argument("x"), Ok(Argument::Address(0, 0)));
        assert_eq!(argument("y+2"), Ok(Argument::Address(1, 2)));
        assert_eq!(argument("-7"), Ok(Argument::Number(None, "-7".to_owned())));
        assert_eq!(argument("1e+3"), Ok(Argument::Number(None, "1e+3".to_owned())));
        assert_eq!(argument("inf"), Ok(Argument::Number(None, "inf".to_owned())));
        assert_eq!(
            argument("f16:1.5"),
            Ok(Argument::Number(Some(Element::F16), "1.5".to_owned()))
        );
        assert_eq!(argument("bytes:list:u16:1,2"), Ok(Argument::Bytes(vec![1, 0, 2, 0])));
    }

    #[test]
    fn arguments_that_are_refused() {
        let mut plan = Plan::default();
        let mut refused = |text: &str| {
            plan.argument(text, &Sources::new(Path::new(""), None))
                .expect_err("is refused")
        };
        assert_eq!(refused("x"), "there is no buffer `x`; x=SOURCE makes one");
        assert_eq!(
            refused("1x=zeros:u8:1"),
            "`1x` is no name: letters, digits and _ are, a digit not first"
        );
        assert_eq!(refused("u8:256"), "256 does not fit u8");
        assert_eq!(
            plan.argument("a=zeros:u8:1", &Sources::new(Path::new(""), None)),
            Ok(Argument::Address(0, 0))
        );
        let twice = plan.argument("a=zeros:u8:1", &Sources::new(Path::new(""), None));
        assert_eq!(twice, Err("there are two buffers `a`".to_owned()));
    }

    #[test]
    fn tolerances() {
        assert_eq!(tolerance("1e-6"), Ok(1e-6));
        for wrong in ["", "-1", "inf", "nan", "x"] {
            assert_eq!(
                tolerance(wrong),
                Err(format!("`{wrong}` is no tolerance: a number that is not negative"))
            );
        }
    }
}
