//! A run of the face.

use std::ffi::OsString;
use std::path::Path;

use warpsmith_base::write_atomically;
use warpsmith_cubin::Cubin;
use warpsmith_cubin::fatbin::{Image, ImageKind};

use super::images::{self, Named};
use super::options::{OPTIONS, REFUSED};
use super::resources;
use crate::vendor::Parsed;
use crate::{Console, exit, files, vendor};

/// Why a run ends without success: the grade of the message, its text, and the exit status.
struct Failure(&'static str, String, u8);

fn fatal(text: impl Into<String>) -> Failure {
    Failure("fatal   ", text.into(), exit::CUOBJDUMP.input)
}

/// Runs the face with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    let parsed = vendor::parse(OPTIONS, arguments);
    let text = if let Some(mistake) = &parsed.mistake {
        Err(fatal(mistake.clone()))
    } else if parsed.has("V") {
        Ok(version().into_bytes())
    } else if parsed.has("h") || arguments.is_empty() {
        Ok(help().into_bytes())
    } else {
        show(&parsed)
    };
    let printed = text.and_then(|text| {
        let printed = console.print(&text);
        printed.map_err(|error| fatal(format!("Cannot write to standard output: {error}")))
    });
    match printed {
        Ok(()) => 0,
        Err(Failure(grade, message, status)) => {
            console.complain(&format!("cuobjdump {grade}: {message}\n"));
            vendor::suggest(&parsed, "cuobjdump", console);
            status
        }
    }
}

fn help() -> String {
    format!(
        "\nUsage  : cuobjdump [options] <file>\n\nWarpsmith in the place of cuobjdump, release 13.0.\n\nOptions\n=======\n\n{}",
        vendor::help(OPTIONS)
    )
}

fn version() -> String {
    format!(
        "cuobjdump: NVIDIA (R) fatbinary dump utility\nwarpsmith {} in the place of it; options as of Cuda compilation tools, release 13.0, V13.0.88\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn show(parsed: &Parsed) -> Result<Vec<u8>, Failure> {
    if let Some(option) = REFUSED.iter().find(|option| parsed.has(option)) {
        return Err(fatal(format!("'-{option}' is not supported yet")));
    }
    let [file] = &parsed.files[..] else {
        return Err(fatal("One input file is wanted"));
    };
    let path = Path::new(file);
    let shown = files::shown(path);
    let bytes = files::read(path).map_err(|_| fatal(format!("Could not open input file '{shown}'")))?;
    let found = images::of_file(path, &bytes, parsed.has("all"));
    let found = found.map_err(|error| fatal(format!("'{shown}': {error}")))?;
    let Some(mut images) = found else {
        return Err(Failure(
            "info    ",
            format!("File '{shown}' does not contain device code"),
            exit::CUOBJDUMP_NO_CODE,
        ));
    };
    if let Some(target) = parsed.text("arch") {
        images.retain(|named| named.image.target() == target);
    }
    for (option, kind) in [("xelf", ImageKind::Elf), ("xptx", ImageKind::Ptx)] {
        if parsed.has(option) {
            let chosen = of_kind(&images, kind).filter(|(_, named)| is_named(named, parsed.texts(option)));
            bounded(chosen.map(|(_, named)| named), bytes.len(), &shown)?;
            return extract(&images, kind, parsed.texts(option)).map(String::into_bytes);
        }
    }
    if parsed.has("lelf") || parsed.has("lptx") {
        return Ok(list(&images, parsed).into_bytes());
    }
    let shows = |named: &&Named| match named.image.kind {
        ImageKind::Ptx => parsed.has("ptx"),
        ImageKind::Elf => parsed.has("sass") || parsed.has("res-usage"),
        ImageKind::Nvvm | ImageKind::Other(_) => false,
    };
    bounded(images.iter().filter(shows), bytes.len(), &shown)?;
    dump(&images, parsed)
}

fn of_kind<'n, 'd>(images: &'n [Named<'d>], kind: ImageKind) -> impl Iterator<Item = (usize, &'n Named<'d>)> {
    let chosen = images.iter().filter(move |named| named.image.kind == kind);
    chosen.enumerate().map(|(index, named)| (index + 1, named))
}

fn list(images: &[Named], parsed: &Parsed) -> String {
    let mut text = String::new();
    for (option, kind, word) in [("lelf", ImageKind::Elf, "ELF"), ("lptx", ImageKind::Ptx, "PTX")] {
        if parsed.has(option) {
            for (index, named) in of_kind(images, kind) {
                text.push_str(&format!("{word} file {index:4}: {}\n", named.name));
            }
        }
    }
    text
}

/// Bytes that images may have in all beyond [`FACTOR`] times the file's: a few bytes can be made to become any amount of text or any number of files.
const FREE: u64 = 64 << 20;
/// How many times larger than the file its images may be in all.
const FACTOR: u64 = 64;

/// Refuses images that are far larger than the file.
fn bounded<'n, 'd: 'n>(images: impl Iterator<Item = &'n Named<'d>>, file: usize, shown: &str) -> Result<(), Failure> {
    let bytes = images.map(Named::size).fold(0, u64::saturating_add);
    if bytes > FREE.saturating_add(FACTOR.saturating_mul(file as u64)) {
        return Err(fatal(format!(
            "Images of '{shown}' have {bytes} bytes in all, and the file {file}"
        )));
    }
    Ok(())
}

/// Whether one of the texts is part of an image's name, or stands for all.
fn is_named(named: &Named, texts: &[String]) -> bool {
    let is_part = |part: &String| part == "all" || named.name.contains(part.as_str());
    texts.iter().any(is_part)
}

/// Writes the images of a kind whose names contain one of the texts to files in the current folder.
fn extract(images: &[Named], kind: ImageKind, texts: &[String]) -> Result<String, Failure> {
    let what = if kind == ImageKind::Ptx {
        "PTX file and ptxas options"
    } else {
        "ELF file"
    };
    let mut text = String::new();
    for (index, named) in of_kind(images, kind) {
        if !is_named(named, texts) {
            continue;
        }
        let image = whole(named)?;
        let bytes = if kind == ImageKind::Ptx {
            image.text()
        } else {
            &image.bytes
        };
        let written = write_atomically(Path::new(&named.name), bytes);
        written.map_err(|error| fatal(format!("Could not write '{}': {}", named.name, error.reason)))?;
        let target = named.image.target();
        let options = match kind {
            ImageKind::Ptx => format!(" -arch={target} {}", named.image.options),
            ImageKind::Elf | ImageKind::Nvvm | ImageKind::Other(_) => String::new(),
        };
        text.push_str(&format!("Extracting {what} {index:4}: {}{options}\n", named.name));
    }
    Ok(text)
}

/// The heads of all images, with the parts that are asked for.
fn dump(images: &[Named], parsed: &Parsed) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    for named in images {
        out.extend_from_slice(images::head(named).as_bytes());
        match named.image.kind {
            ImageKind::Ptx if parsed.has("ptx") => {
                out.extend_from_slice(whole(named)?.text());
                out.push(b'\n');
            }
            ImageKind::Elf if parsed.has("sass") || parsed.has("res-usage") => machine_code(named, parsed, &mut out)?,
            ImageKind::Ptx | ImageKind::Elf | ImageKind::Nvvm | ImageKind::Other(_) => {}
        }
    }
    Ok(out)
}

/// An image with its bytes.
fn whole(named: &Named) -> Result<Image, Failure> {
    let image = named
        .whole()
        .map_err(|reason| fatal(format!("'{}': {reason}", named.name)))?;
    match image.kind == ImageKind::Elf && !image.bytes.starts_with(b"\x7fELF") {
        true => Err(fatal(format!("Invalid ELF in '{}'", named.name))),
        false => Ok(image),
    }
}

fn machine_code(named: &Named, parsed: &Parsed, out: &mut Vec<u8>) -> Result<(), Failure> {
    let wrong = |reason: String| fatal(format!("'{}': {reason}", named.name));
    let cubin = Cubin::read(&whole(named)?.bytes).map_err(|error| wrong(error.to_string()))?;
    if parsed.has("res-usage") {
        out.extend_from_slice(resources::text(&cubin).as_bytes());
    }
    if parsed.has("sass") {
        let target = named.image.target();
        let sm = target
            .parse()
            .map_err(|_| wrong(format!("there is no target {target}")))?;
        let listed = warpsmith_listing::dump_functions(&cubin, sm, parsed.texts("fun"), out);
        listed.map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}
