//! Which targets are compiled for, and which images a fatbin has: `-arch`, `-code` and `-gencode` as nvcc reads them.

use warpsmith_base::Diagnostic;
use warpsmith_target::Sm;

use crate::vendor::Parsed;

/// The target without any option, as nvcc's.
const USUAL: &str = "sm_75";

/// One image of a fatbin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub sm: Sm,
    /// PTX for the driver to compile, in place of machine code.
    pub ptx: bool,
}

/// The images that the options name, each once, in their order.
///
/// `-arch=sm_NN` alone stands for the machine code of sm_NN and its PTX; `-arch=compute_NN` for the PTX; with `-code` that says which.
/// `-gencode arch=…,code=…` adds what its `code` says.
pub(super) fn wanted(parsed: &Parsed) -> Result<Vec<Wanted>, Vec<Diagnostic>> {
    let mut images: Vec<Wanted> = Vec::new();
    let mut add = |name: &str, also_ptx: bool| -> Result<(), Vec<Diagnostic>> {
        let (sm, ptx) = target(name)?;
        let both = [Wanted { sm, ptx }, Wanted { sm, ptx: true }];
        for image in &both[..1 + usize::from(also_ptx && !ptx)] {
            if !images.contains(image) {
                images.push(*image);
            }
        }
        Ok(())
    };
    let codes = parsed.texts("code");
    for code in codes {
        add(code.trim_matches(BRACKETS), false)?;
    }
    if codes.is_empty() {
        for name in parsed.texts("arch") {
            match name.as_str() {
                "native" => add(&native(), true)?,
                "all" | "all-major" => {
                    let all: Vec<&str> = Sm::ALL
                        .iter()
                        .map(|sm| sm.name())
                        .filter(|sm| is_listed(sm, name))
                        .collect();
                    for (place, sm) in all.iter().enumerate() {
                        add(sm, place + 1 == all.len())?;
                    }
                }
                _ => add(name, true)?,
            }
        }
    }
    for word in parsed.texts("gencode") {
        let word = word.trim_matches(BRACKETS);
        match word.split_once('=') {
            Some(("arch", _)) => {}
            Some(("code", code)) => add(code.trim_matches(BRACKETS), false)?,
            Some(_) => return Err(error(format!("-gencode has no part `{word}`"))),
            None => add(word, false)?,
        }
    }
    if images.is_empty() {
        return Ok(vec![
            Wanted {
                sm: target(USUAL)?.0,
                ptx: false,
            },
            Wanted {
                sm: target(USUAL)?.0,
                ptx: true,
            },
        ]);
    }
    Ok(images)
}

/// The target of `-arch=native`: what programs run on here as far as the environment says, or the usual one.
fn native() -> String {
    let named = std::env::var("WARPSMITH_GPU").ok();
    named
        .filter(|name| name.parse::<Sm>().is_ok())
        .unwrap_or_else(|| USUAL.to_owned())
}

/// Whether a target is one of `-arch=all` or `all-major`: no suffix, and the first of its generation.
fn is_listed(sm: &str, list: &str) -> bool {
    let number = sm.trim_start_matches("sm_");
    number.bytes().all(|byte| byte.is_ascii_digit()) && (list == "all" || number.ends_with('0') || sm == USUAL)
}

/// The targets that the options name, each once: those of the images, but that PTX beside machine code needs no target of its own.
pub(super) fn targets(parsed: &Parsed) -> Result<Vec<Sm>, Vec<Diagnostic>> {
    let mut targets = Vec::new();
    for image in wanted(parsed)? {
        if !targets.contains(&image.sm) {
            targets.push(image.sm);
        }
    }
    Ok(targets)
}

/// What shells and scripts leave around lists.
const BRACKETS: [char; 4] = ['[', ']', '"', '\''];

/// The target of a name, and whether it is a virtual one.
fn target(name: &str) -> Result<(Sm, bool), Vec<Diagnostic>> {
    let number = name.strip_prefix("compute_").or(name.strip_prefix("lto_"));
    let spelled = number.map_or(name.to_string(), |number| format!("sm_{number}"));
    let sm = spelled
        .parse()
        .map_err(|_| error(format!("there is no target `{name}`; `warpsmith targets` lists them")))?;
    Ok((sm, number.is_some()))
}

fn error(text: String) -> Vec<Diagnostic> {
    vec![Diagnostic::error(text)]
}
