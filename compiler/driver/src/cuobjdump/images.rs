//! The images of a file, with the names that cuobjdump gives them.

use std::path::Path;

use warpsmith_cubin::Cubin;
use warpsmith_cubin::fatbin::{self, Compression, Entry, Image, ImageKind};

/// An image and its name.
pub(super) struct Named<'data> {
    /// What its header says.
    pub image: Image,
    /// Where its bytes are, which come one image at a time: together they may be many times the file.
    bytes: Bytes<'data>,
    /// `STEM.N.sm_90.cubin`, N counted by kind; with an identifier and for a bare cubin `STEM.sm_90.cubin`.
    pub name: String,
    /// Whether the file is the cubin itself.
    pub bare: bool,
}

enum Bytes<'data> {
    File(&'data [u8]),
    Entry(Entry<'data>),
}

impl Named<'_> {
    /// Bytes of the image.
    pub(super) fn size(&self) -> u64 {
        match &self.bytes {
            Bytes::File(bytes) => bytes.len() as u64,
            Bytes::Entry(entry) => entry.size(),
        }
    }

    /// The image with its bytes.
    pub(super) fn whole(&self) -> Result<Image, String> {
        match &self.bytes {
            Bytes::File(bytes) => Ok(Image {
                bytes: bytes.to_vec(),
                ..self.image.clone()
            }),
            Bytes::Entry(entry) => entry.image().map_err(|error| error.to_string()),
        }
    }
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
pub(super) fn of_file<'data>(path: &Path, bytes: &'data [u8], all: bool) -> Result<Option<Vec<Named<'data>>>, String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if bytes.starts_with(&fatbin::MAGIC) {
        let (entries, _) = fatbin::entries(bytes).map_err(|error| error.to_string())?;
        return Ok(Some(named(&stem, entries)));
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    if let Ok(cubin) = Cubin::read(bytes) {
        let sm = cubin.target().ok_or("the target of the cubin is unknown")?;
        return Ok(Some(vec![Named {
            image: Image::elf(sm, bytes.get(..MAGIC_AND_VERSIONS).unwrap_or(bytes).to_vec()),
            bytes: Bytes::File(bytes),
            name: format!("{stem}.{sm}.cubin"),
            bare: true,
        }]));
    }
    let found = fatbin::of_host_object(bytes).map_err(|error| error.to_string())?;
    let executable = found.iter().any(|one| !one.relocatable);
    let chosen = found.into_iter().filter(|one| all || !executable || !one.relocatable);
    let entries: Vec<Entry> = chosen.flat_map(|one| one.entries).collect();
    Ok((!entries.is_empty()).then(|| named(&stem, entries)))
}

/// The first bytes of an ELF file, which have its versions.
const MAGIC_AND_VERSIONS: usize = 16;

fn named<'data>(stem: &str, entries: Vec<Entry<'data>>) -> Vec<Named<'data>> {
    let (mut cubins, mut texts) = (0, 0);
    let mut name = |image: &Image| {
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
    let names: Vec<String> = entries.iter().map(|entry| name(entry.head())).collect();
    let pairs = entries.into_iter().zip(names);
    pairs
        .map(|(entry, name)| Named {
            image: entry.head().clone(),
            bytes: Bytes::Entry(entry),
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
