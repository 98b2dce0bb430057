//! Linking of device code: the PTX of all units that were compiled with `-rdc=true` becomes one module, and that machine code for each target.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use warpsmith::{Language, Source};
use warpsmith_base::Diagnostic;
use warpsmith_cubin::fatbin::{self, Image, ImageKind, TargetSuffix};
use warpsmith_host::device_link as code_of_link;
use warpsmith_ptx::link::{LinkError, Unit, link};
use warpsmith_target::Sm;

use super::error;
use crate::cc::images::{self, Wanted};
use crate::cc::job;
use crate::vendor::Parsed;
use crate::{Console, fatbinary, files};

/// A unit whose device code is to be linked.
struct Linked {
    /// The file that it is in, and its member of an archive.
    file: String,
    /// What its wrapper is called by.
    module: String,
    images: Vec<Image>,
}

/// What a device link makes.
pub(super) struct DeviceLink {
    /// The images.
    pub images: Vec<Image>,
    /// The fat binary of them.
    pub fatbin: Vec<u8>,
    /// The code for the host's compiler.
    pub code: String,
}

/// Links the device code of objects and archives, if there is any.
pub(super) fn run(
    paths: &[PathBuf],
    parsed: &Parsed,
    console: &mut Console,
) -> Result<Option<DeviceLink>, Vec<Diagnostic>> {
    let units = units(paths, parsed)?;
    if units.is_empty() {
        return Ok(None);
    }
    let mut images = Vec::new();
    for wanted in wanted(&units, parsed)? {
        images.push(image(&units, wanted, parsed, console)?);
    }
    let fatbin = fatbin::write(&images);
    let modules: Vec<&str> = units.iter().map(|unit| unit.module.as_str()).collect();
    let code = code_of_link(&modules, &fatbin);
    Ok(Some(DeviceLink { images, fatbin, code }))
}

/// The images that the options name; where they name none, machine code for the targets that the units have and PTX of the newest.
fn wanted(units: &[Linked], parsed: &Parsed) -> Result<Vec<Wanted>, Vec<Diagnostic>> {
    if ["arch", "code", "gencode"].iter().any(|option| parsed.has(option)) {
        return images::wanted(parsed);
    }
    let mut found: Vec<Wanted> = Vec::new();
    for image in units.iter().flat_map(|unit| &unit.images) {
        let one = image.target().parse().map(|sm| Wanted { sm, ptx: false });
        found.extend(one.ok().filter(|one| !found.contains(one)));
    }
    found.sort_by_key(|one| one.sm);
    found.extend(found.last().map(|one| Wanted { ptx: true, ..*one }));
    Ok(found)
}

/// All units of files and of the libraries that `-l` names, each once.
fn units(paths: &[PathBuf], parsed: &Parsed) -> Result<Vec<Linked>, Vec<Diagnostic>> {
    let libraries = parsed.texts("l").iter().filter_map(|name| library(name, parsed));
    let mut seen = HashSet::new();
    let mut units = Vec::new();
    for path in paths.iter().cloned().chain(libraries) {
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            continue;
        }
        let name = files::shown(&path);
        let bytes = files::read_input(&path)?;
        let damaged =
            |reason: warpsmith_cubin::CubinError| vec![Diagnostic::error(reason.to_string()).in_file(name.clone())];
        match fatbin::members_of_archive(&bytes).map_err(damaged)? {
            Some(members) => {
                for (member, bytes) in members {
                    units_of(&format!("{name}({member})"), bytes, &mut units)?;
                }
            }
            None => units_of(&name, &bytes, &mut units)?,
        }
    }
    Ok(units)
}

/// The archive of a library, where `-L` says.
fn library(name: &str, parsed: &Parsed) -> Option<PathBuf> {
    let mut paths = (parsed.texts("L").iter()).map(|folder| Path::new(folder).join(format!("lib{name}.a")));
    paths.find(|path| path.is_file())
}

/// The units of an object. What is no ELF file, such as a script of the linker, has none.
fn units_of(file: &str, bytes: &[u8], units: &mut Vec<Linked>) -> Result<(), Vec<Diagnostic>> {
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(());
    }
    let damaged = |reason: warpsmith_cubin::CubinError| vec![Diagnostic::error(reason.to_string()).in_file(file)];
    let modules = fatbin::linked_modules(bytes).map_err(damaged)?;
    let found = fatbin::of_host_object(bytes).map_err(damaged)?;
    let relocatable = found.into_iter().filter(|one| one.relocatable);
    for (fatbin, module) in relocatable.zip(modules) {
        if units.iter().any(|unit| unit.module == module) {
            continue;
        }
        let texts = fatbin.entries.iter().filter(|one| one.head().kind == ImageKind::Ptx);
        let images = texts
            .map(|one| one.image())
            .collect::<Result<Vec<_>, _>>()
            .map_err(damaged)?;
        if images.is_empty() {
            let text = "its device code is no PTX, which is what is linked: compile it with code=compute_NN, too";
            return Err(vec![Diagnostic::error(text).in_file(file)]);
        }
        units.push(Linked {
            file: file.to_owned(),
            module,
            images,
        });
    }
    Ok(())
}

/// One image of all units.
fn image(units: &[Linked], wanted: Wanted, parsed: &Parsed, console: &mut Console) -> Result<Image, Vec<Diagnostic>> {
    let mut texts = Vec::new();
    for unit in units {
        let Some(image) = best(&unit.images, wanted.sm) else {
            let has: Vec<String> = unit.images.iter().map(Image::target).collect();
            let text = format!(
                "there is no device code for {} in it: it has that of {}",
                wanted.sm,
                has.join(", ")
            );
            return Err(vec![Diagnostic::error(text).in_file(unit.file.clone())]);
        };
        let text = String::from_utf8(image.text().to_vec());
        let text = text.map_err(|_| vec![Diagnostic::error("its PTX is not text").in_file(unit.file.clone())])?;
        texts.push((unit.file.as_str(), text));
    }
    let parts: Vec<Unit> = texts.iter().map(|(name, text)| Unit { name, text }).collect();
    let text = link(&parts, wanted.sm.name(), &warpsmith_ori::is_system_call).map_err(told)?;
    if wanted.ptx {
        let text = text.into_bytes();
        let version = fatbinary::ptx_version(&text).unwrap_or((9, 0));
        return Ok(Image::ptx(wanted.sm, version, text));
    }
    let name = "linked.ptx";
    let source = Source::new(Language::Ptx, name, text.into_bytes());
    Ok(Image::elf(wanted.sm, job::linked(&source, wanted.sm, parsed, console)?))
}

/// What is wrong, in the words of nvlink.
fn told(errors: Vec<LinkError>) -> Vec<Diagnostic> {
    let told = errors.into_iter().map(|error| match error {
        LinkError::Syntax { unit, message } => {
            Diagnostic::error(format!("its PTX cannot be read: {message}")).in_file(unit)
        }
        LinkError::Multiple { symbol, unit, first } => Diagnostic::error(format!(
            "Multiple definition of '{symbol}' in '{unit}', first defined in '{first}'"
        )),
        LinkError::Undefined { symbol, unit } => {
            Diagnostic::error(format!("Undefined reference to '{symbol}' in '{unit}'"))
        }
    });
    told.collect()
}

/// The image that serves a target best: its own, or that of the newest target before it.
fn best(images: &[Image], sm: Sm) -> Option<&Image> {
    let own = sm.to_string();
    let number: u32 = own
        .trim_start_matches("sm_")
        .trim_end_matches(['a', 'f'])
        .parse()
        .ok()?;
    let exact = images.iter().find(|image| image.target() == own);
    let before = images
        .iter()
        .filter(|image| image.suffix == TargetSuffix::Plain && image.sm <= number);
    exact.or_else(|| before.max_by_key(|image| image.sm))
}

/// Refuses what a device link does not make.
pub(super) fn refuse(parsed: &Parsed) -> Result<(), Vec<Diagnostic>> {
    match parsed.has("ptx") {
        true => Err(error("-dlink makes an object, -cubin or -fatbin, and no PTX")),
        false => Ok(()),
    }
}
