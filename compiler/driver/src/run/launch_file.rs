//! Launch files: a run written down in TOML.
//!
//! Top level: `module`, `kernel`, `grid`, `block`, `cluster`, `shared`, `arguments` (of one launch), `seed`, `budget`, `faults`, `threads`,
//! `check`, `prints`, `fault`; tables `[buffers]` and `[variables]` (NAME = SOURCE), `[tensor_maps]` (NAME = a
//! table, see `tensor_map.rs`), `[expect]` (NAME = SOURCE, path, list of numbers, or a table of `values`
//! and `tolerance`); `[textures]`, `[surfaces]` and `[samplers]` (see `textures.rs`); `[[launch]]` for several launches, which take from the top level what they do not say. Paths are relative to the file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use warpsmith_base::{Diagnostic, SourceText};

use super::plan::{Argument, Expectation, Launch, Output, Plan, Values, tolerance};
use super::source::{self, Sources};
use crate::{Console, files};

/// A message about bytes of the file.
pub(super) type Complaint = (Range<usize>, String);

pub(super) type Entry<'t, 'i> = &'t Spanned<DeValue<'i>>;

/// Reads a launch file; what is wrong is shown with its line.
pub(crate) fn read(path: &Path, memory: Option<u64>, console: &mut Console) -> Result<Plan, Vec<Diagnostic>> {
    let bytes = files::read_input(path)?;
    let text = warpsmith::readable(&bytes);
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&text, folder, memory).map_err(|(place, message)| {
        let source = SourceText::new(files::shown(path), text.as_str());
        let end = place.end.min(text.len());
        let diagnostic = Diagnostic::error(message).at(&source, place.start.min(end)..end);
        console.diagnose_in(&diagnostic, &source);
        vec![Diagnostic::error("refused").in_file(source.name())]
    })
}

fn parse(text: &str, folder: &Path, memory: Option<u64>) -> Result<Plan, Complaint> {
    let root = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        (error.span().unwrap_or(0..0), message)
    })?;
    let own = root.get_ref().get("memory").map(number).transpose()?;
    let reader = Reader {
        sources: Sources::new(folder, memory.or(own)),
    };
    reader.plan(root.get_ref(), root.span())
}

struct Reader {
    sources: Sources,
}

impl Reader {
    fn plan(&self, root: &DeTable, whole: Range<usize>) -> Result<Plan, Complaint> {
        let mut plan = Plan::default();
        let mut common = Common::default();
        let mut launches = None;
        // Buffers come first: arguments anywhere in the file name them.
        for (key, value) in root.iter() {
            match &**key.get_ref() {
                "buffers" => self.buffers(table(value)?, &mut plan)?,
                "variables" => self.variables(table(value)?, &mut plan)?,
                _ => {}
            }
        }
        super::textures::read(root, &self.sources, &mut plan)?;
        if let Some(maps) = root.get("tensor_maps") {
            super::tensor_map::read(table(maps)?, &mut plan)?;
        }
        for (key, value) in root.iter() {
            match &**key.get_ref() {
                "buffers" | "variables" | "tensor_maps" | "textures" | "surfaces" | "samplers" | "memory" => {}
                "module" => plan.module = self.path(string(value)?),
                "seed" => plan.settings.seed = Some(number(value)?),
                "budget" => plan.settings.budget = Some(number(value)?),
                "faults" => plan.settings.faults = Some(small(value)? as usize),
                "threads" => plan.settings.threads = Some(small(value)? as usize),
                "check" => checks(value, &mut plan)?,
                "prints" => plan.prints = Some(string(value)?.to_owned()),
                "fault" => plan.fault = Some(string(value)?.to_owned()),
                "expect" => self.expectations(table(value)?, &mut plan)?,
                "launch" => launches = Some(array(value)?),
                name => {
                    if !self.launch_key(name, value, &mut common, &mut plan)? {
                        return Err((key.span(), format!("there is no key `{name}`")));
                    }
                }
            }
        }
        plan.memory = self.sources.room();
        if plan.module == PathBuf::new() {
            return Err((
                whole.start..whole.start,
                "`module` is missing: the file with the kernels".to_owned(),
            ));
        }
        let Some(launches) = launches else {
            plan.launches.push(common.launch());
            return Ok(plan);
        };
        for launch in launches.iter() {
            let mut own = common.clone();
            for (key, value) in table(launch)?.iter() {
                let name = &**key.get_ref();
                if !self.launch_key(name, value, &mut own, &mut plan)? {
                    return Err((key.span(), format!("there is no key `{name}` of a launch")));
                }
            }
            let bytes = own.arguments.iter().map(|argument| match argument {
                Argument::Bytes(bytes) => bytes.len() as u64,
                _ => 0,
            });
            let bytes = bytes.fold(0, u64::saturating_add);
            self.sources
                .take(bytes.saturating_mul(own.repeat as u64 - 1))
                .map_err(|reason| (launch.span(), reason))?;
            plan.launches.extend(std::iter::repeat_n(own.launch(), own.repeat));
        }
        Ok(plan)
    }

    /// Reads a key that a launch or the top level may have; returns whether it is one.
    fn launch_key(&self, name: &str, value: Entry, launch: &mut Common, plan: &mut Plan) -> Result<bool, Complaint> {
        match name {
            "kernel" => launch.kernel = Some(string(value)?.to_owned()),
            "grid" => launch.grid = dimensions(value)?,
            "block" => launch.block = dimensions(value)?,
            "cluster" => launch.cluster = dimensions(value)?,
            "shared" => launch.shared = small(value)?,
            "repeat" => launch.repeat = repeats(value)?,
            "arguments" => {
                let values = array(value)?.iter().map(|value| self.argument(value, plan));
                launch.arguments = values.collect::<Result<_, _>>()?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn argument(&self, value: Entry, plan: &mut Plan) -> Result<Argument, Complaint> {
        match value.get_ref() {
            DeValue::String(text) => plan
                .argument(text, &self.sources)
                .map_err(|reason| (value.span(), reason)),
            _ => Ok(Argument::Number(None, literal(value)?)),
        }
    }

    fn buffers(&self, table: &DeTable, plan: &mut Plan) -> Result<(), Complaint> {
        table.iter().try_for_each(|(name, value)| {
            plan.add_buffer(name.get_ref(), string(value)?, &self.sources)
                .map(|_| ())
                .map_err(|reason| (value.span(), reason))
        })
    }

    fn variables(&self, table: &DeTable, plan: &mut Plan) -> Result<(), Complaint> {
        table.iter().try_for_each(|(name, value)| {
            let array = source::array(string(value)?, &self.sources).map_err(|reason| (value.span(), reason))?;
            plan.variables.push((name.get_ref().to_string(), array));
            Ok(())
        })
    }

    fn expectations(&self, table: &DeTable, plan: &mut Plan) -> Result<(), Complaint> {
        table.iter().try_for_each(|(name, value)| {
            let expectation = self.expectation(value)?;
            plan.outputs
                .push(Output::Expect(name.get_ref().to_string(), expectation));
            Ok(())
        })
    }

    fn expectation(&self, value: Entry) -> Result<Expectation, Complaint> {
        match value.get_ref() {
            DeValue::String(text) => Expectation::parse(text, &self.sources).map_err(|reason| (value.span(), reason)),
            DeValue::Array(values) => Ok(Expectation {
                values: Values::Numbers(values.iter().map(literal).collect::<Result<_, _>>()?),
                tolerance: 0.0,
            }),
            DeValue::Table(table) => {
                let (mut values, mut allowed) = (None, 0.0);
                for (key, value) in table.iter() {
                    match &**key.get_ref() {
                        "values" => values = Some(self.expectation(value)?.values),
                        "tolerance" => {
                            allowed = tolerance(&literal(value)?).map_err(|reason| (value.span(), reason))?;
                        }
                        name => return Err((key.span(), format!("there is no key `{name}` of an expectation"))),
                    }
                }
                Ok(Expectation {
                    values: values.ok_or_else(|| (value.span(), "`values` is missing".to_owned()))?,
                    tolerance: allowed,
                })
            }
            _ => Err(wrong(value, "a text, a list of numbers or a table")),
        }
    }

    fn path(&self, text: &str) -> PathBuf {
        self.sources.path(text)
    }
}

/// What a launch or the top level says about launches.
#[derive(Clone)]
struct Common {
    kernel: Option<String>,
    grid: [u32; 3],
    block: [u32; 3],
    cluster: [u32; 3],
    shared: u32,
    repeat: usize,
    arguments: Vec<Argument>,
}

impl Default for Common {
    fn default() -> Common {
        Common {
            kernel: None,
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            shared: 0,
            repeat: 1,
            arguments: Vec::new(),
        }
    }
}

impl Common {
    fn launch(&self) -> Launch {
        Launch {
            kernel: self.kernel.clone(),
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            shared: self.shared,
            arguments: self.arguments.clone(),
        }
    }
}

fn wrong(value: Entry, wanted: &str) -> Complaint {
    (
        value.span(),
        format!("{wanted} is wanted, not {}", value.get_ref().type_str()),
    )
}

pub(super) fn string<'t>(value: &'t Spanned<DeValue<'_>>) -> Result<&'t str, Complaint> {
    value.get_ref().as_str().ok_or_else(|| wrong(value, "a text"))
}

pub(super) fn table<'t, 'i>(value: &'t Spanned<DeValue<'i>>) -> Result<&'t DeTable<'i>, Complaint> {
    value.get_ref().as_table().ok_or_else(|| wrong(value, "a table"))
}

pub(super) fn array<'t, 'i>(value: &'t Spanned<DeValue<'i>>) -> Result<&'t DeArray<'i>, Complaint> {
    value.get_ref().as_array().ok_or_else(|| wrong(value, "an array"))
}

/// A number as text that [`super::array::Element::parse`] reads.
pub(super) fn literal(value: Entry) -> Result<String, Complaint> {
    match value.get_ref() {
        DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix())
            .map(|value| value.to_string())
            .map_err(|_| (value.span(), "the number is too large".to_owned())),
        DeValue::Float(float) => Ok(float.as_str().to_owned()),
        DeValue::Boolean(truth) => Ok(u8::from(*truth).to_string()),
        // Numbers that TOML cannot write, such as bits of a float.
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => Err(wrong(value, "a number")),
    }
}

pub(super) fn number(value: Entry) -> Result<u64, Complaint> {
    let integer = value.get_ref().as_integer().ok_or_else(|| wrong(value, "an integer"))?;
    u64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| {
        (
            value.span(),
            "a number from 0 to 18446744073709551615 is wanted".to_owned(),
        )
    })
}

pub(super) fn small(value: Entry) -> Result<u32, Complaint> {
    u32::try_from(number(value)?).map_err(|_| (value.span(), "a number below 4294967296 is wanted".to_owned()))
}

/// A number that may be negative.
pub(super) fn integer(value: Entry) -> Result<i32, Complaint> {
    literal(value)?
        .parse()
        .map_err(|_| (value.span(), "an integer of 32 bits is wanted".to_owned()))
}

/// How often a launch is done.
fn repeats(value: Entry) -> Result<usize, Complaint> {
    match small(value)? {
        count @ 1..=65_536 => Ok(count as usize),
        _ => Err((value.span(), "1 to 65536 repetitions are wanted".to_owned())),
    }
}

/// An integer, or a list of one to three.
pub(super) fn dimensions(value: Entry) -> Result<[u32; 3], Complaint> {
    let mut sizes = [1; 3];
    let size = |value: Entry| match small(value)? {
        0 => Err((value.span(), "a size is at least 1".to_owned())),
        size => Ok(size),
    };
    match value.get_ref().as_array() {
        None => sizes[0] = size(value)?,
        Some(array) if (1..=3).contains(&array.len()) => {
            for (own, value) in sizes.iter_mut().zip(array.iter()) {
                *own = size(value)?;
            }
        }
        Some(_) => return Err((value.span(), "one to three sizes are wanted".to_owned())),
    }
    Ok(sizes)
}

fn checks(value: Entry, plan: &mut Plan) -> Result<(), Complaint> {
    for check in array(value)?.iter() {
        match string(check)? {
            "races" => plan.settings.races = true,
            "uninitialised" => plan.settings.uninitialised = true,
            "copies" => plan.settings.copies = true,
            "hazards" => plan.settings.hazards = true,
            "registers" => plan.settings.registers = true,
            name => {
                let all = "races, uninitialised, copies, hazards and registers";
                let message = format!("there is no check `{name}`; there are {all}");
                return Err((check.span(), message));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_launches() {
        let text = "\
module = \"k.ptx\"
block = 32
[[launch]]
kernel = \"a\"
grid = [2, 3]
arguments = [\"x\", 7, 1.5]
[[launch]]
kernel = \"b\"
repeat = 2
[buffers]
x = \"zeros:u8:4\"
[expect]
x = { values = [1, 0x02, 3, 4], tolerance = 0.5 }
";
        let plan = parse(text, Path::new("folder"), None).expect("is right");
        assert_eq!(plan.module, Path::new("folder/k.ptx"));
        let kernels: Vec<_> = plan.launches.iter().map(|launch| launch.kernel.as_deref()).collect();
        assert_eq!(kernels, [Some("a"), Some("b"), Some("b")]);
        assert_eq!((plan.launches[0].grid, plan.launches[1].block), ([2, 3, 1], [32, 1, 1]));
        let number = |text: &str| Argument::Number(None, text.to_owned());
        assert_eq!(
            plan.launches[0].arguments,
            [Argument::Address(0, 0), number("7"), number("1.5")]
        );
        let [Output::Expect(name, expectation)] = plan.outputs.as_slice() else {
            panic!("one expectation");
        };
        assert_eq!((name.as_str(), expectation.tolerance), ("x", 0.5));
        assert!(matches!(&expectation.values, Values::Numbers(numbers) if *numbers == ["1", "2", "3", "4"]));
    }

    #[test]
    fn tensor_maps() {
        let start = "module = \"k.ptx\"\narguments = [\"m\"]\nbuffers = { x = \"zeros:f16:512\" }\n[tensor_maps]\n";
        let map =
            "m = { buffer = \"x\", type = \"f16\", sizes = [16, 32], box = [8, 4], swizzle = \"32B\", fill = \"nan\" }";
        let plan = parse(&format!("{start}{map}"), Path::new(""), None).expect("is right");
        assert_eq!(plan.launches[0].arguments, [Argument::TensorMap(0)]);
        let map = plan.tensor_maps[0].map;
        assert_eq!((map.rank, map.strides[0], map.fill_nan), (2, 32, true));
        let refused = |map: &str| {
            parse(&format!("{start}m = {map}"), Path::new(""), None)
                .expect_err("is refused")
                .1
        };
        assert_eq!(refused("{ buffer = \"y\" }"), "there is no buffer `y`");
        assert_eq!(
            refused("{ buffer = \"x\", type = \"f8\" }"),
            "tensors have no type `f8`"
        );
        assert_eq!(
            refused("{ buffer = \"x\", type = \"f16\", sizes = [16, 32] }"),
            "`box` of the tensor map is missing"
        );
        assert_eq!(
            refused("{ buffer = \"x\", type = \"f16\", sizes = [16, 32], box = [4, 4] }"),
            "a box of rows of 8 bytes, not a multiple of 16"
        );
    }

    #[test]
    fn what_is_refused() {
        let refused = |text: &str| {
            let (place, message) = parse(text, Path::new(""), None).expect_err("is refused");
            format!("{}: {message}", &text[place])
        };
        assert_eq!(refused(""), ": `module` is missing: the file with the kernels");
        assert_eq!(refused("modul = 1"), "modul: there is no key `modul`");
        assert_eq!(refused("module = 1"), "1: a text is wanted, not integer");
        assert_eq!(refused("block = 0"), "0: a size is at least 1");
        assert_eq!(
            refused("grid = [1, 2, 3, 4]"),
            "[1, 2, 3, 4]: one to three sizes are wanted"
        );
        assert_eq!(
            refused("shared = -1"),
            "-1: a number from 0 to 18446744073709551615 is wanted"
        );
        assert_eq!(
            refused("arguments = [\"x\"]"),
            "\"x\": there is no buffer `x`; x=SOURCE makes one"
        );
        assert_eq!(
            refused("check = [\"all\"]"),
            "\"all\": there is no check `all`; there are races, uninitialised, copies, hazards and registers"
        );
        assert_eq!(
            refused("[[launch]]\nmodule = \"a\""),
            ": `module` is missing: the file with the kernels"
        );
        assert_eq!(
            refused("module = \"a\"\n[[launch]]\nseed = 1"),
            "seed: there is no key `seed` of a launch"
        );
        assert!(parse("block = ", Path::new(""), None).is_err());
    }
}
