//! Programs, objects and libraries of the host: `-c`, linking, `-lib`, `-shared`, `-run`.
//!
//! A CUDA source goes three ways: its device's side becomes a fat binary, the host's C++ compiler preprocesses it, and the host's side of that text
//! ([`warpsmith_host`]), with the fat binary and its registration behind it, is compiled by the same compiler. Sources of the host go to it as they are.

mod compiler;
mod device_link;
mod inputs;
mod shown;

use std::path::{Path, PathBuf};

use warpsmith_base::Diagnostic;
use warpsmith_cubin::fatbin::{Image, ImageKind};
use warpsmith_host::{Registration, Sharing, registration, split};

use super::job::{self, DeviceSide};
use crate::vendor::Parsed;
use crate::{Console, files};
use compiler::HostCompiler;
use inputs::{Input, Kind};

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    /// An object of each source.
    Object,
    /// The preprocessed host's side of each source.
    HostSide,
    /// A program.
    Program,
    /// A shared library.
    Shared,
    /// An archive.
    Archive,
    /// The device code of objects, linked: an object of the host.
    DeviceLink,
}

/// What a command line wants of the host, if it does. `is_nvcc`: Warpsmith stands for nvcc, which links where nothing else is said.
pub(super) fn product(parsed: &Parsed, is_nvcc: bool) -> Option<Product> {
    if parsed.has("dlink") {
        return Some(Product::DeviceLink);
    }
    let of_device = [
        "ptx",
        "cubin",
        "fatbin",
        "S",
        "E",
        "M",
        "MM",
        "print-config",
        "dump-ir",
        "dump-hir",
    ];
    if of_device.iter().any(|option| parsed.has(option)) {
        return None;
    }
    let named = [
        ("c", Product::Object),
        ("dc", Product::Object),
        ("dw", Product::Object),
        ("cuda", Product::HostSide),
        ("lib", Product::Archive),
        ("shared", Product::Shared),
    ];
    if let Some((_, product)) = named.iter().find(|(option, _)| parsed.has(option)) {
        return Some(*product);
    }
    let output = parsed.text("o");
    let only_objects = || {
        parsed
            .files
            .iter()
            .any(|file| Kind::of(Path::new(file), parsed).is_linked())
    };
    let links = parsed.has("link") || parsed.has("run") || parsed.has("dryrun") || only_objects();
    let is_named = output.is_some_and(job::is_program);
    // Build systems ask `nvcc -v NAME` for its settings, without a file of the name.
    let of_host = |file| parsed.has("v") || Kind::of(Path::new(file), parsed).is_of_host();
    let as_nvcc = is_nvcc && output.is_none() && parsed.files.iter().all(of_host);
    (links || is_named || as_nvcc).then_some(Product::Program)
}

pub(super) fn error(text: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error(text)]
}

/// Makes what is wanted of the host. Returns the exit status.
pub(super) fn run(parsed: &Parsed, product: Product, console: &mut Console) -> Result<u8, Vec<Diagnostic>> {
    job::refuse(parsed)?;
    let compiler = HostCompiler::find(parsed)?;
    if parsed.has("v") || parsed.has("dryrun") {
        console.complain(&shown::settings(&compiler));
    }
    let inputs = inputs::read(parsed, product)?;
    let mut made = Made {
        parsed,
        compiler: &compiler,
        product,
        folder: None,
    };
    let mut linked = Vec::new();
    for input in &inputs {
        match input.kind {
            Kind::Cuda => linked.push(made.cuda(input, console)?),
            Kind::Source => linked.push(made.source(input, console)?),
            Kind::Object | Kind::Library => linked.push(input.path.clone()),
        }
    }
    match product {
        Product::Object | Product::HostSide => Ok(0),
        Product::Archive => {
            let output = PathBuf::from(parsed.text("o").unwrap_or("a.a"));
            compiler.archive(&linked, &output, console).map(|()| 0)
        }
        Product::DeviceLink => {
            device_link::refuse(parsed)?;
            made.device_link(&linked, console).map(|()| 0)
        }
        Product::Program | Product::Shared => {
            let output = output_of_link(parsed, product);
            linked.extend(made.linked_device_code(&linked, console)?);
            compiler.link(&linked, &output, product == Product::Shared, console)?;
            if parsed.has("run") && !parsed.has("dryrun") {
                compiler.run(&output)
            } else {
                Ok(0)
            }
        }
    }
}

/// The machine code of a link for one target.
fn only_image(images: &[Image]) -> Result<&[u8], Vec<Diagnostic>> {
    match images {
        [image] if image.kind == ImageKind::Elf => Ok(&image.bytes),
        _ => Err(error("one target is wanted for -cubin: -arch=sm_NN with -code=sm_NN")),
    }
}

/// What a link makes where `-o` does not say it.
fn output_of_link(parsed: &Parsed, product: Product) -> PathBuf {
    let usual = if product == Product::Shared { "a.so" } else { "a.out" };
    parsed.text("o").map_or_else(
        || job::in_folder(parsed.text("odir"), PathBuf::from(usual)),
        PathBuf::from,
    )
}

/// Objects as they are made.
struct Made<'a> {
    parsed: &'a Parsed,
    compiler: &'a HostCompiler<'a>,
    product: Product,
    /// Where objects are that are only linked.
    folder: Option<Temporary>,
}

impl Made<'_> {
    /// The object of a CUDA source.
    fn cuda(&mut self, input: &Input, console: &mut Console) -> Result<PathBuf, Vec<Diagnostic>> {
        let output = self.output(input)?;
        if self.parsed.has("dryrun") {
            console.complain(&shown::of_cuda(self.compiler, &input.path, &output));
            return Ok(output);
        }
        let device = job::device_side(&input.path, self.parsed, console)?;
        let text = self.host_side(input, &device, console)?;
        self.keep(input, &device, &text, console)?;
        if self.product == Product::HostSide {
            files::write_output(Some(&output), text.as_bytes(), console)?;
        } else {
            self.compiler.compile_text(&text, &output, console)?;
        }
        let described = self.parsed.text("o").filter(|_| self.product != Product::Object);
        device.write_dependencies(self.parsed, described.map_or(output.as_path(), Path::new), console)?;
        Ok(output)
    }

    /// The host's side of a source, with the device's side behind it.
    fn host_side(&self, input: &Input, device: &DeviceSide, console: &mut Console) -> Result<String, Vec<Diagnostic>> {
        let text = self.compiler.preprocess(&input.path, console)?;
        let name = files::shown(&input.path);
        let sharing = match device.module {
            Some(_) => Sharing::Linked,
            None => Sharing::None,
        };
        let split = split(&name, &text, self.compiler.standard(), sharing).map_err(|messages| {
            console.complain(&messages);
            vec![Diagnostic::error("not compiled").in_file(name.clone())]
        })?;
        let registration = registration(&Registration {
            entities: &device.entities,
            fatbin: &device.fatbin,
            names_closures: !self.compiler.is_clang(),
            per_thread_stream: self.parsed.keyword("default-stream") == Some("per-thread"),
            module: device.module.as_deref(),
        })
        .map_err(|errors| {
            let errors = errors
                .into_iter()
                .map(|error| Diagnostic::error(error).in_file(name.clone()));
            errors.collect::<Vec<_>>()
        })?;
        Ok(split + &registration)
    }

    /// The object of a source of the host.
    fn source(&mut self, input: &Input, console: &mut Console) -> Result<PathBuf, Vec<Diagnostic>> {
        let output = self.output(input)?;
        self.compiler
            .compile_file(&input.path, &output, self.product == Product::HostSide, console)?;
        Ok(output)
    }

    /// `-keep`
    fn keep(
        &self,
        input: &Input,
        device: &DeviceSide,
        text: &str,
        console: &mut Console,
    ) -> Result<(), Vec<Diagnostic>> {
        if !(self.parsed.has("keep") || self.parsed.has("save-temps")) {
            return Ok(());
        }
        let kept = |end: &str| {
            job::in_folder(
                Some(self.parsed.text("keep-dir").unwrap_or_default()),
                input.path.with_extension(end),
            )
        };
        for (sm, ptx) in &device.ptx {
            let end = if device.ptx.len() == 1 {
                "ptx".to_owned()
            } else {
                format!("{sm}.ptx")
            };
            files::write_output(Some(&kept(&end)), ptx.as_bytes(), console)?;
        }
        files::write_output(Some(&kept("fatbin")), &device.fatbin, console)?;
        files::write_output(Some(&kept("cudafe1.ii")), text.as_bytes(), console)
    }

    /// What the object of a source is called.
    fn output(&mut self, input: &Input) -> Result<PathBuf, Vec<Diagnostic>> {
        let end = if self.product == Product::HostSide {
            "cu.cpp.ii"
        } else {
            "o"
        };
        match self.product {
            Product::Object | Product::HostSide => {
                if let Some(name) = self.parsed.text("o") {
                    return Ok(PathBuf::from(name));
                }
                let folder = self.parsed.text("odir").unwrap_or_default();
                Ok(job::in_folder(Some(folder), input.path.with_extension(end)))
            }
            Product::Program | Product::Shared | Product::Archive | Product::DeviceLink => {
                let stem = input.path.file_stem().unwrap_or_default().to_string_lossy();
                // Sources of different folders may have one name.
                self.temporary(&match input.number {
                    0 => format!("{stem}.o"),
                    number => format!("{stem}.{number}.o"),
                })
            }
        }
    }

    /// A file that goes when all is done.
    fn temporary(&mut self, name: &str) -> Result<PathBuf, Vec<Diagnostic>> {
        if self.folder.is_none() {
            self.folder = Some(Temporary::new()?);
        }
        let folder = self.folder.as_ref();
        Ok(folder.map_or_else(PathBuf::new, |folder| folder.0.join(name)))
    }

    /// The object that a link needs beside others whose device code is to be linked; none where there is no such code.
    fn linked_device_code(
        &mut self,
        objects: &[PathBuf],
        console: &mut Console,
    ) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
        if self.parsed.has("dryrun") || self.parsed.has("nodlink") {
            return Ok(None);
        }
        let Some(link) = device_link::run(objects, self.parsed, console)? else {
            return Ok(None);
        };
        // No source's object has a blank in the end of its name.
        let output = self.temporary("device link.o")?;
        self.compiler.compile_text(&link.code, &output, console)?;
        Ok(Some(output))
    }

    /// `-dlink`
    fn device_link(&self, objects: &[PathBuf], console: &mut Console) -> Result<(), Vec<Diagnostic>> {
        let end = match () {
            () if self.parsed.has("cubin") => "cubin",
            () if self.parsed.has("fatbin") => "fatbin",
            () => "o",
        };
        let usual = || job::in_folder(self.parsed.text("odir"), PathBuf::from(format!("a_dlink.{end}")));
        let output = self.parsed.text("o").map_or_else(usual, PathBuf::from);
        if self.parsed.has("dryrun") {
            return Ok(());
        }
        let link = device_link::run(objects, self.parsed, console)?;
        match (end, link) {
            ("o", link) => {
                // Build systems link what there is none of, too.
                let code = link.map_or_else(String::new, |link| link.code);
                self.compiler.compile_text(&code, &output, console)
            }
            ("cubin", Some(link)) => files::write_output(Some(&output), only_image(&link.images)?, console),
            (_, Some(link)) => files::write_output(Some(&output), &link.fatbin, console),
            (_, None) => Err(error("there is no device code to link: -dc makes it")),
        }
    }
}

/// A folder that goes when it is done with.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary, Vec<Diagnostic>> {
        let base = std::env::temp_dir();
        for number in 0..1000 {
            let folder = base.join(format!("warpsmith-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Temporary(folder)),
                Err(reason) if reason.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(reason) => return Err(error(format!("cannot make a folder in `{}`: {reason}", base.display()))),
            }
        }
        Err(error(format!("cannot make a folder in `{}`", base.display())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
