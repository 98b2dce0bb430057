//! A run of the face.

use std::ffi::OsString;
use std::path::Path;

use warpsmith_base::write_atomically;
use warpsmith_cubin::Cubin;
use warpsmith_cubin::fatbin::{self, Compression, Image, ImageKind};
use warpsmith_target::Sm;

use super::embed::{self, Embedding};
use super::options::OPTIONS;
use crate::vendor::Parsed;
use crate::{Console, exit, files, vendor};

/// Runs the face with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    let parsed = vendor::parse(OPTIONS, arguments);
    let text = if let Some(mistake) = &parsed.mistake {
        Err(mistake.clone())
    } else if parsed.has("V") {
        Ok(version())
    } else if parsed.has("h") || arguments.is_empty() {
        Ok(help())
    } else {
        make(&parsed).map(|()| String::new())
    };
    let printed = text.and_then(|text| {
        let printed = console.print(text.as_bytes());
        printed.map_err(|error| format!("Cannot write to standard output: {error}"))
    });
    match printed {
        Ok(()) => 0,
        Err(message) => {
            console.complain(&format!("fatbinary fatal   : {message}\n"));
            vendor::suggest(&parsed, "fatbinary", console);
            exit::FATBINARY.input
        }
    }
}

fn help() -> String {
    format!(
        "\nUsage  : fatbinary [options]\n\nWarpsmith in the place of fatbinary, release 13.0.\n\nOptions\n=======\n\n{}",
        vendor::help(OPTIONS)
    )
}

fn version() -> String {
    format!(
        "fatbinary: NVIDIA (R) fatbinary creator\nwarpsmith {} in the place of it; options as of Cuda compilation tools, release 13.0, V13.0.88\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Makes the files that the options ask for.
fn make(parsed: &Parsed) -> Result<(), String> {
    if parsed.has("32") {
        return Err("'--32' is not supported: there is no code of 32 bits for today's targets".into());
    }
    if parsed.has("image2") {
        return Err("'--image2' (host objects and libraries) is not supported yet".into());
    }
    let images = specifications(parsed.texts("image3"))?;
    let images: Vec<Image> = images.iter().map(|one| image(one, parsed)).collect::<Result<_, _>>()?;
    let bytes = fatbin::write(&images);
    let embedding = Embedding {
        relocatable: parsed.has("c"),
        linked: parsed.has("link"),
        array: parsed.has("no-asm"),
    };
    let source = parsed
        .text("fatbin")
        .map(|name| (name, embed::source(&bytes, embedding)));
    let outputs = [
        parsed.text("create").map(|name| (name, bytes.as_slice())),
        source.as_ref().map(|(name, text)| (*name, text.as_bytes())),
    ];
    for (name, content) in outputs.into_iter().flatten() {
        let written = write_atomically(Path::new(name), content);
        written.map_err(|error| format!("Could not open output file '{name}': {}", error.reason))?;
    }
    Ok(())
}

/// What one `--image3` says.
#[derive(Default)]
struct Specification {
    kind: Option<ImageKind>,
    target: Option<Sm>,
    file: Option<String>,
}

/// The words of all `--image3`; a keyword that was there already begins the next image.
fn specifications(words: &[String]) -> Result<Vec<Specification>, String> {
    let mut images: Vec<Specification> = Vec::new();
    for word in words {
        let (keyword, value) = word
            .split_once('=')
            .ok_or_else(|| format!("'{word}' in image3 is no KEYWORD=VALUE"))?;
        let begins = images.last().is_none_or(|image| match keyword {
            "kind" => image.kind.is_some(),
            "sm" => image.target.is_some(),
            _ => image.file.is_some(),
        });
        if begins {
            images.push(Specification::default());
        }
        let Some(image) = images.last_mut() else { continue };
        match keyword {
            "kind" => {
                image.kind = Some(match value {
                    "elf" => ImageKind::Elf,
                    "ptx" => ImageKind::Ptx,
                    _ => return Err("Missing or unknown kind in image3".into()),
                });
            }
            "sm" => {
                let target = format!("sm_{value}").parse();
                image.target = Some(target.map_err(|_| format!("Unknown sm '{value}' in image3"))?);
            }
            "file" => image.file = Some(value.to_owned()),
            _ => return Err(format!("Keyword '{keyword}' is not defined for option 'image3'")),
        }
    }
    Ok(images)
}

fn image(specification: &Specification, parsed: &Parsed) -> Result<Image, String> {
    let kind = specification.kind.ok_or("Missing or unknown kind in image3")?;
    let sm = specification.target.ok_or("Missing sm in image3")?;
    let name = specification.file.as_deref().ok_or("Missing file in image3")?;
    let bytes = files::read(Path::new(name)).map_err(|_| format!("Could not open input file '{name}'"))?;
    let mut image = if kind == ImageKind::Elf {
        check_cubin(&bytes, sm, name)?;
        Image::elf(sm, bytes)
    } else {
        let version = ptx_version(&bytes).ok_or_else(|| format!("'{name}' is no PTX: it has no .version"))?;
        Image::ptx(sm, version, bytes)
    };
    image.identifier = parsed.text("ident").unwrap_or_default().to_owned();
    image.debug = parsed.has("g");
    image.compression = compression(parsed, kind);
    if kind == ImageKind::Ptx {
        image.options = parsed.text("cmdline").unwrap_or_default().to_owned();
    }
    Ok(image)
}

/// How an image is stored. Observed: PTX is compressed; a cubin where all are to be, and where it is relocatable or for a debugger.
fn compression(parsed: &Parsed, kind: ImageKind) -> Compression {
    let mode = parsed.keyword("compress-mode");
    let all = parsed.has("compress-all") || parsed.has("g") || parsed.has("c") || mode == Some("size");
    let never = parsed.keyword("compress") == Some("false") || mode == Some("none");
    match mode {
        _ if never || (kind != ImageKind::Ptx && !all) => Compression::None,
        Some("speed") => Compression::Lz4,
        _ => Compression::Zstandard,
    }
}

fn check_cubin(bytes: &[u8], sm: Sm, name: &str) -> Result<(), String> {
    let cubin = Cubin::read(bytes).map_err(|error| format!("fatbinary elf mismatch: '{name}': {error}"))?;
    let number = |sm: Sm| sm.name().trim_end_matches(['a', 'f']).to_owned();
    match cubin.target() {
        Some(target) if number(target) != number(sm) => Err(format!(
            "fatbinary elf mismatch: elf arch does not match user-specified arch: '{name}' is for {target}, not {sm}"
        )),
        _ => Ok(()),
    }
}

/// The numbers of the `.version` of a PTX text.
pub(crate) fn ptx_version(text: &[u8]) -> Option<(u16, u16)> {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.lines().map(str::trim);
    let version = lines.find_map(|line| line.strip_prefix(".version"))?;
    let (major, minor) = version.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
