//! The images of a file, with the names that cuobjdump gives them.

use std::path::Path;

use warpsmith_cubin::Cubin;
use warpsmith_cubin::fatbin::{self, Compression, Image, ImageKind};

/// An image and its name.
pub(super) struct Named {
    pub image: Image,
    /// `STEM.N.sm_90.cubin`, N counted by kind; with an identifier and for a bare cubin `STEM.sm_90.cubin`.
    pub name: String,
    /// Whether the file is the cubin itself.
    pub bare: bool,
}

/// What one image is called in lists.
pub(super) const fn word(kind: ImageKind) -> &'static str {
    match kind {
        ImageKind::Ptx => "ptx",
        ImageKind::Elf => "elf",
        ImageKind::Nvvm => "nvvm",
        ImageKind::Other(_) => "unknown",
    }
}

/// The images of a fatbin, a host object or a cubin. `None` where the file holds no device code.
///
/// Of a host object those that run; where there are none, or with `all`, the relocatable ones.
pub(super) fn of_file(path: &Path, bytes: &[u8], all: bool) -> Result<Option<Vec<Named>>, String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if bytes.starts_with(&fatbin::MAGIC) {
        let (images, _) = fatbin::read(bytes).map_err(|error| error.to_string())?;
        return Ok(Some(named(&stem, images)));
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    if let Ok(cubin) = Cubin::read(bytes) {
        let sm = cubin.target().ok_or("the target of the cubin is unknown")?;
        return Ok(Some(vec![Named {
            image: Image::elf(sm, bytes.to_vec()),
            name: format!("{stem}.{sm}.cubin"),
            bare: true,
        }]));
    }
    let found = fatbin::of_host_object(bytes).map_err(|error| error.to_string())?;
    let executable = found.iter().any(|one| !one.relocatable);
    let chosen = found.into_iter().filter(|one| all || !executable || !one.relocatable);
    let images: Vec<Image> = chosen.flat_map(|one| one.images).collect();
    Ok((!images.is_empty()).then(|| named(&stem, images)))
}

fn named(stem: &str, images: Vec<Image>) -> Vec<Named> {
    let (mut cubins, mut texts) = (0, 0);
    let name = |image: &Image| {
        let (count, end) = match image.kind {
            ImageKind::Ptx => (&mut texts, "ptx"),
            ImageKind::Elf | ImageKind::Nvvm | ImageKind::Other(_) => (&mut cubins, "cubin"),
        };
        *count += 1;
        match Path::new(&image.identifier).file_stem() {
            Some(own) => format!("{}.{}.{end}", own.to_string_lossy(), image.target()),
            None => format!("{stem}.{count}.{}.{end}", image.target()),
        }
    };
    let names: Vec<String> = images.iter().map(name).collect();
    let pairs = images.into_iter().zip(names);
    pairs
        .map(|(image, name)| Named {
            image,
            name,
            bare: false,
        })
        .collect()
}

/// The head of an image in a dump; none for a cubin's own.
pub(super) fn head(named: &Named) -> String {
    let image = &named.image;
    if named.bare {
        return String::new();
    }
    let (kind, target) = (word(image.kind), image.target());
    let mut text = format!(
        "\nFatbin {kind} code:\n================\narch = {target}\ncode version = [{},{}]\nhost = linux\ncompile_size = 64bit\n",
        image.version.0, image.version.1
    );
    if image.compression != Compression::None {
        text.push_str("compressed\n");
    }
    if !image.identifier.is_empty() {
        text.push_str(&format!("identifier = {}\n", image.identifier));
    }
    if image.debug {
        text.push_str("has debug info\n");
    }
    if image.kind == ImageKind::Ptx {
        text.push_str(&format!("ptxasOptions = {}\n", image.options));
    }
    text
}
