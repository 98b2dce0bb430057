//! Digests of everything that the compiler makes of the kernel suite, to see that a change of its insides changes no byte.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use rayon::prelude::*;
use warpsmith::{Failure, Options, Session, Source};
use warpsmith_target::Sm;
use warpsmith_tests::{differential::campaign::TARGETS, emulator_agreement::ptxas::for_target};

use crate::common::{self, Outcome};

/// Say which cubins of the kernel suite are no longer the same, byte for byte
///
/// Each kernel.ptx of tests/kernels is compiled for every target that can have it, and each kernel.cu for one of them, all at -O0 to
/// -O3. The digests of the cubins are compared with those in tests/digests.txt. Where cubins are meant to change, `--bless` writes
/// the digests anew.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the digests anew
    #[arg(long, conflicts_with = "filter")]
    bless: bool,
    /// How many differences are shown
    #[arg(long, value_name = "N", default_value_t = 40)]
    show: usize,
    /// Only kernels whose name has this part
    filter: Option<String>,
}

const HEAD: &str = "# Digests of cubins of tests/kernels: the kernel, the language of its source, target, level, and FNV-1a of the bytes.\n\
                    # `cargo xtask digest` compares, `cargo xtask digest --bless` writes this file.\n";

/// A source of a kernel.
#[derive(Debug)]
enum Text {
    Ptx(String),
    Cuda(String),
}

/// A cubin of the set.
#[derive(Debug)]
struct Job {
    kernel: String,
    /// The source; PTX says the target.
    text: Arc<Text>,
    sm: Sm,
    level: u8,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = match &*self.text {
            Text::Ptx(_) => "ptx",
            Text::Cuda(_) => "cuda",
        };
        write!(f, "{} {language} {} -O{}", self.kernel, self.sm, self.level)
    }
}

/// A line of the file: what a cubin is of, and its digest.
type Line = (String, String);

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let start = Instant::now();
    let mut jobs = jobs(&common::root().join("tests/kernels"))?;
    let fits = |name: &str| arguments.filter.as_ref().is_none_or(|filter| name.contains(filter));
    jobs.retain(|job| fits(&job.kernel));
    let made: Vec<Line> = jobs.par_iter().map(|job| (job.to_string(), job.digest())).collect();
    eprintln!("{} cubins in {:.0} s", made.len(), start.elapsed().as_secs_f64());
    let path = common::root().join("tests/digests.txt");
    if arguments.bless {
        let lines: String = made.iter().map(|(name, digest)| format!("{name} {digest}\n")).collect();
        fs::write(&path, HEAD.to_owned() + &lines).map_err(|error| format!("{}: {error}", path.display()))?;
        return Ok(Outcome::Good);
    }
    let mut known = lines(&common::read_text(&path)?);
    known.retain(|(name, _)| name.split(' ').next().is_some_and(fits));
    let differences = differences(&known, &made);
    print!("{}", shown(&differences, arguments.show));
    Ok(Outcome::good_if(differences.is_empty()))
}

/// Every cubin of the kernel suite, in order.
fn jobs(folder: &Path) -> Result<Vec<Job>, String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut kernels: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(said)? {
        kernels.push(entry.map_err(said)?.path());
    }
    kernels.sort();
    let mut jobs = Vec::new();
    for kernel in kernels {
        let (ptx, cuda) = (kernel.join("kernel.ptx"), kernel.join("kernel.cu"));
        if !ptx.exists() {
            continue;
        }
        let name = kernel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let targets = targets(&common::read_text(&ptx)?)?;
        for (sm, text) in &targets {
            jobs.extend(levels(&name, *sm, text));
        }
        if cuda.exists() {
            let text = Arc::new(Text::Cuda(common::read_text(&cuda)?));
            // What comes after the front end is looked at for every target above. Another kernel changes nothing of this one's turn.
            let turn = (fnv(name.as_bytes()) >> 32) % targets.len().max(1) as u64;
            let target = targets.get(turn as usize);
            jobs.extend(target.into_iter().flat_map(|(sm, _)| levels(&name, *sm, &text)));
        }
    }
    Ok(jobs)
}

/// The targets that can have a text of PTX, each with the text for it: of each generation the plain one or, where the text needs that, its variant `a`.
fn targets(ptx: &str) -> Result<Vec<(Sm, Arc<Text>)>, String> {
    let mut found = Vec::new();
    for plain in TARGETS {
        let own = format!("{plain}a");
        let mut variants = [plain, &own].into_iter();
        if let Some((name, text)) = variants.find_map(|name| Some((name, for_target(ptx, name)?))) {
            found.push((common::sm(name)?, Arc::new(Text::Ptx(text))));
        }
    }
    Ok(found)
}

fn levels<'a>(kernel: &'a str, sm: Sm, text: &'a Arc<Text>) -> impl Iterator<Item = Job> + 'a {
    (0..4).map(move |level| Job {
        kernel: kernel.to_owned(),
        text: Arc::clone(text),
        sm,
        level,
    })
}

impl Job {
    /// The digest of the cubin; of what is refused, that there is none.
    fn digest(&self) -> String {
        let mut options = Options::new(self.sm);
        options.level = self.level;
        options.threads = 1;
        let source = match &*self.text {
            Text::Ptx(text) => Source::ptx("kernel.ptx", text),
            Text::Cuda(text) => Source::cuda("kernel.cu", text),
        };
        match Session::new(options).compile(&source) {
            Ok(artifact) => match artifact.cubin {
                Some(cubin) => format!("{:016x}", fnv(&cubin)),
                None => "no cubin".to_owned(),
            },
            Err(Failure::Rejected(_)) => "rejected".to_owned(),
            Err(Failure::Unsupported(_)) => "unsupported".to_owned(),
            Err(Failure::Internal(_)) => "internal error".to_owned(),
            Err(Failure::Cancelled) => "cancelled".to_owned(),
        }
    }
}

/// FNV-1a, of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The lines of a file of digests.
fn lines(text: &str) -> Vec<Line> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            // The level is the fourth word.
            let end = line.match_indices(' ').nth(3)?.0;
            Some((line[..end].to_owned(), line[end + 1..].to_owned()))
        })
        .collect()
}

/// What differs, a line each.
fn differences(known: &[Line], made: &[Line]) -> Vec<String> {
    let before: BTreeMap<&str, &str> = known
        .iter()
        .map(|(name, digest)| (name.as_str(), digest.as_str()))
        .collect();
    let now: BTreeMap<&str, &str> = made
        .iter()
        .map(|(name, digest)| (name.as_str(), digest.as_str()))
        .collect();
    let changed = made
        .iter()
        .filter_map(|(name, digest)| match before.get(name.as_str()) {
            Some(before) if before == digest => None,
            Some(before) => Some(format!("{name}: was {before}, is {digest}")),
            None => Some(format!("{name}: is {digest}, and was not there")),
        });
    let lost = known.iter().filter(|(name, _)| !now.contains_key(name.as_str()));
    changed
        .chain(lost.map(|(name, digest)| format!("{name}: was {digest}, and is not made")))
        .collect()
}

/// The first differences, and a line that counts them.
fn shown(differences: &[String], most: usize) -> String {
    let mut text: String = differences.iter().take(most).map(|line| format!("{line}\n")).collect();
    let left = differences.len().saturating_sub(most);
    if left > 0 {
        text += &format!("… and {left} more (--show N)\n");
    }
    match differences.len() {
        0 => text += "no cubin has changed\n",
        1 => text += "1 cubin has changed\n",
        count => text += &format!("{count} cubins have changed\n"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_comes_or_goes_is_named() {
        let known = lines("# head\na ptx sm_75 -O0 01\na ptx sm_75 -O1 02\nb cuda sm_90a -O3 internal error\n");
        assert_eq!(known[2], ("b cuda sm_90a -O3".to_owned(), "internal error".to_owned()));
        assert_eq!(shown(&differences(&known, &known), 5), "no cubin has changed\n");
        let made = lines("a ptx sm_75 -O0 01\na ptx sm_75 -O1 03\nc ptx sm_90 -O0 04\n");
        assert_eq!(
            shown(&differences(&known, &made), 2),
            "a ptx sm_75 -O1: was 02, is 03\nc ptx sm_90 -O0: is 04, and was not there\n\
             … and 1 more (--show N)\n3 cubins have changed\n"
        );
        assert_eq!(
            differences(&known, &made)[2],
            "b cuda sm_90a -O3: was internal error, and is not made"
        );
    }

    /// The values are those that its authors publish.
    #[test]
    fn the_digest_is_fnv_1a() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
