//! Real algorithms as PTX, run by `warpsmith run`: each `tests/kernels/NAME/launch.toml` says what is run and what must come out, computed by an
//! independent program (`expected.py`).
//!
//! Every kernel runs in the interpreter; compiled by the back end, for a third of the encoding generations in turn (for all with `EVERY_TARGET=1`), in the
//! emulator of machine code, which looks for registers that are touched too early; and so does `sm_NN.sass` beside it, a listing of the cubin that ptxas 13.0 (-O3) made for that
//! SM. `cargo xtask compare emulator listings` writes these.
//!
//! `tests/kernels/unsupported.txt` names kernels that the interpreter cannot run yet, one line each: the name, then words that are in the message.
//! `tests/kernels/refused.txt` names kernels that the back end refuses: the name, targets, then words of the message. Such a kernel must still fail in
//! that way, and on these targets alone; one that runs is to be taken off the list. `cargo xtask bless kernels` writes `refused.txt` anew.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use libtest_mimic::{Arguments, Failed, Trial};
use warpsmith_tests::{differential::campaign::TARGETS, emulator_agreement::ptxas::for_target};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let list = fs::read_to_string(folder.join("unsupported.txt")).expect("the list is readable");
    let unsupported: Vec<(String, String)> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, reason)| (name.to_owned(), reason.trim().to_owned()))
        .collect();
    let mut launches: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder is readable").path().join("launch.toml"))
        .filter(|path| path.exists())
        .collect();
    launches.sort();
    let missing: Vec<String> = unsupported
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| !folder.join(name).exists())
        .collect();
    let listings: Vec<(PathBuf, PathBuf)> = launches
        .iter()
        .flat_map(|launch| listings_beside(launch).into_iter().map(|code| (launch.clone(), code)))
        .collect();
    let refusals = Arc::new(Refusals::read(&folder.join("refused.txt")));
    let mut trials = compiled(&launches, &refusals);
    trials.extend(launches.into_iter().map(|path| {
        let name = name_of(&path);
        let reason = unsupported
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, reason)| reason.clone());
        Trial::test(name, move || check(&path, None, reason.as_deref()))
    }));
    trials.extend(listings.into_iter().map(|(launch, code)| {
        let name = code.strip_prefix(&folder).unwrap_or(&code).with_extension("");
        let name = name.to_string_lossy().into_owned();
        Trial::test(name, move || check(&launch, Some(&code), None))
    }));
    let lost = refusals.lost(&folder);
    trials.push(Trial::test("the lists name kernels", move || {
        match missing.is_empty() && lost.is_empty() {
            true => Ok(()),
            false => Err(format!("there is no {}", [missing, lost].concat().join(", ")).into()),
        }
    }));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    refusals.write();
    conclusion.exit();
}

/// The name of the folder of a launch file.
fn name_of(launch: &Path) -> String {
    let folder = launch.parent().and_then(Path::file_name).expect("it is in a folder");
    folder.to_string_lossy().into_owned()
}

/// The listings in the folder of a launch file, in order.
fn listings_beside(launch: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(launch.parent().unwrap_or(Path::new(""))).expect("the folder exists");
    let paths = folder.map(|entry| entry.expect("the folder is readable").path());
    let mut listings: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "sass"))
        .collect();
    listings.sort();
    listings
}

/// The list of refused kernels, and where it is blessed what it should be.
#[derive(Debug)]
struct Refusals {
    path: PathBuf,
    /// By kernel and target: words of the message.
    listed: BTreeMap<(String, String), String>,
    /// What a blessing run finds.
    found: Option<Mutex<Found>>,
}

/// By kernel and message, the targets.
type Found = BTreeMap<(String, String), Vec<String>>;

const HEAD: &str = "# Kernels that the back end refuses: NAME, TARGETS, then words of the message. `cargo xtask bless kernels` writes this file.\n";

impl Refusals {
    fn read(path: &Path) -> Refusals {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut listed = BTreeMap::new();
        for line in lines {
            let mut words = line.splitn(3, ' ');
            if let (Some(name), Some(targets), Some(reason)) = (words.next(), words.next(), words.next()) {
                listed.extend(
                    targets
                        .split(',')
                        .map(|target| ((name.to_owned(), target.to_owned()), reason.to_owned())),
                );
            }
        }
        Refusals {
            path: path.to_owned(),
            listed,
            found: std::env::var_os("WARPSMITH_BLESS").map(|_| Mutex::default()),
        }
    }

    /// Names and targets of the list that there are not.
    fn lost(&self, folder: &Path) -> Vec<String> {
        let names = self.listed.keys().filter(|(name, target)| {
            !folder.join(name).is_dir() || !TARGETS.iter().any(|own| target.trim_end_matches('a') == *own)
        });
        names.map(|(name, target)| format!("{name} for {target}")).collect()
    }

    /// Compares what the compiler said with the list.
    fn judge(&self, name: &str, target: &str, message: Option<String>) -> Result<(), Failed> {
        let message = message.map(|text| reason(&text));
        if let Some(found) = &self.found {
            if let Some(message) = message {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                let targets = found.entry((name.to_owned(), message)).or_default();
                targets.push(target.to_owned());
            }
            return Ok(());
        }
        let listed = self.listed.get(&(name.to_owned(), target.to_owned()));
        match (listed, message) {
            (None, None) => Ok(()),
            (Some(_), None) => Err("it compiles now: take it off refused.txt".into()),
            (Some(words), Some(message)) if message.contains(words.as_str()) => Ok(()),
            (Some(words), Some(message)) => Err(format!("it is refused, but not with `{words}`:\n{message}").into()),
            (None, Some(message)) => Err(message.into()),
        }
    }

    fn write(&self) {
        let Some(found) = &self.found else { return };
        let mut text = HEAD.to_owned();
        for ((name, message), targets) in found.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            targets.sort_by_key(|target| TARGETS.iter().position(|own| target.trim_end_matches('a') == *own));
            text.push_str(&format!("{name} {} {message}\n", targets.join(",")));
        }
        fs::write(&self.path, text).expect("the list can be written");
    }
}

/// What a compiler's message says, without places, numbers of registers and the like.
fn reason(message: &str) -> String {
    let line = message.lines().find(|line| line.contains("error")).unwrap_or(message);
    let text = line.split_once("error: ").map_or(line, |(_, rest)| rest);
    let text = text.strip_prefix("in function '").unwrap_or(text);
    let text = text.split_once("': ").map_or(text, |(_, rest)| rest);
    text.trim().to_owned()
}

/// How many of the generations a kernel is compiled for: every third, starting with another for each kernel.
const EVERY: usize = 3;

/// Every kernel for targets of several generations that have what it needs. What the emulator cannot look for in machine code, races, is left out.
fn compiled(launches: &[PathBuf], refusals: &Arc<Refusals>) -> Vec<Trial> {
    let mut trials = Vec::new();
    let all = ["EVERY_TARGET", "WARPSMITH_BLESS"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    for (number, launch) in launches.iter().enumerate() {
        let name = name_of(launch);
        let file = fs::read_to_string(launch).expect("the launch file is readable");
        let module = file.lines().find_map(|line| line.strip_prefix("module = "));
        let module = module.unwrap_or_default().trim().trim_matches('"');
        let path = launch.with_file_name(module);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if file.contains("\"races\"") {
            continue;
        }
        let turn = |index: usize| all || (index + number).is_multiple_of(EVERY);
        for plain in (0..)
            .zip(TARGETS)
            .filter(|(index, _)| turn(*index))
            .map(|(_, target)| target)
        {
            let own = format!("{plain}a");
            let chosen = [plain, &own]
                .into_iter()
                .find_map(|target| Some((target, for_target(&text, target)?)));
            let Some((target, text)) = chosen else { continue };
            let (target, launch, name, refusals) =
                (target.to_owned(), launch.clone(), name.clone(), Arc::clone(refusals));
            let title = format!("{name}/compiled/{target}");
            trials.push(Trial::test(title, move || {
                let made = compile(&name, &target, &text);
                refusals.judge(&name, &target, made.as_ref().err().cloned())?;
                match made {
                    Ok(cubin) => check(&launch, Some(&cubin), None),
                    Err(_) => Ok(()),
                }
            }));
        }
    }
    trials
}

/// Compiles with the command line; the cubin's path.
fn compile(name: &str, target: &str, text: &str) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{name}.{target}.ptx"));
    let cubin = path.with_extension("cubin");
    fs::write(&path, text).map_err(|error| error.to_string())?;
    let command: Vec<OsString> = [
        "warpsmith".into(),
        "compile".into(),
        "--arch".into(),
        target.into(),
        "-o".into(),
        cubin.clone().into(),
        path.into(),
    ]
    .into();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    match warpsmith_driver::run(&command, &mut out, &mut errors) {
        0 => Ok(cubin),
        _ => Err(String::from_utf8_lossy(&errors).into_owned()),
    }
}

/// Runs a launch file, with this machine code in place of its module; it must succeed, or fail for the reason given.
fn check(launch: &Path, code: Option<&Path>, reason: Option<&str>) -> Result<(), Failed> {
    let mut command: Vec<OsString> = ["warpsmith".into(), "run".into(), launch.into()].into();
    if let Some(code) = code {
        command.extend(["--check".into(), "hazards".into(), "--code".into(), code.into()]);
    }
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let status = warpsmith_driver::run(&command, &mut out, &mut errors);
    let message = String::from_utf8(errors)?;
    match (status, reason) {
        (0, None) => Ok(()),
        (0, Some(_)) => Err("it runs now: take it off unsupported.txt".into()),
        (_, Some(reason)) if message.contains(reason) => Ok(()),
        (_, Some(reason)) => Err(format!("it fails, but not with `{reason}`:\n{message}").into()),
        (_, None) => Err(message.into()),
    }
}
