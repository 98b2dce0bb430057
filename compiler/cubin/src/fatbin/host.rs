//! Fatbins in the objects, libraries and programs of the host.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};

use super::{Entry, entries};
use crate::CubinError;

/// The sections that carry fatbins, and whether their code is still to be linked.
#[rustfmt::skip]
const SECTIONS: &[(&str, bool)] = &[
    (".nv_fatbin",      false),
    ("__nv_relfatbin",  true),
];

/// A fatbin in a host object.
#[derive(Clone, Debug)]
pub struct HostFatbin<'data> {
    /// Whether its code is relocatable (`nvcc -dc`).
    pub relocatable: bool,
    /// Its images.
    pub entries: Vec<Entry<'data>>,
}

/// The fatbins of a host object (ELF), in the order of the file; none where it carries none.
///
/// # Errors
/// Where the bytes are no ELF object, or one of the fatbins is damaged.
pub fn of_host_object(bytes: &[u8]) -> Result<Vec<HostFatbin<'_>>, CubinError> {
    let object = object::File::parse(bytes).map_err(|error| CubinError::new(0, "file", error.to_string()))?;
    let mut found = Vec::new();
    for &(name, relocatable) in SECTIONS {
        for section in object.sections().filter(|section| section.name() == Ok(name)) {
            let start = section.file_range().map_or(0, |range| range.0);
            let data = section.data();
            let data = data.map_err(|error| CubinError::new(start, format!("section {name}"), error.to_string()))?;
            fatbins(data, start, relocatable, &mut found)?;
        }
    }
    Ok(found)
}

/// The fatbins of a section, which lie one after the other with zeros between.
fn fatbins<'data>(
    data: &'data [u8],
    start: u64,
    relocatable: bool,
    found: &mut Vec<HostFatbin<'data>>,
) -> Result<(), CubinError> {
    let mut at = 0;
    while let Some(skipped) = data.get(at..).and_then(|rest| rest.iter().position(|&byte| byte != 0)) {
        at += skipped;
        let (entries, length) = entries(&data[at..]).map_err(|error| CubinError {
            offset: error.offset + start + at as u64,
            ..error
        })?;
        found.push(HostFatbin { relocatable, entries });
        at += length;
    }
    Ok(())
}

/// What the symbol of a wrapper begins with that a unit compiled with `-rdc=true` has.
const WRAPPER: &str = "__fatbinwrap";

/// The names by which a device link knows the units of a host object, in the order of their fatbins: what is behind `__fatbinwrap` in the symbols of their wrappers.
///
/// # Errors
/// Where the bytes are no ELF object.
pub fn linked_modules(bytes: &[u8]) -> Result<Vec<String>, CubinError> {
    let object = object::File::parse(bytes).map_err(|error| CubinError::new(0, "file", error.to_string()))?;
    let defined = object.symbols().filter(|symbol| symbol.is_definition());
    let mut found: Vec<(u64, String)> = defined
        .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.strip_prefix(WRAPPER)?.to_owned())))
        .collect();
    found.sort();
    Ok(found.into_iter().map(|(_, name)| name).collect())
}

/// The members of an archive: the name of each, and its bytes.
pub type Members<'data> = Vec<(String, &'data [u8])>;

/// The members of an archive (`ar`) with their names; none of a file that is no archive.
///
/// # Errors
/// Where the archive is damaged.
pub fn members_of_archive(bytes: &[u8]) -> Result<Option<Members<'_>>, CubinError> {
    if !bytes.starts_with(b"!<arch>\n") {
        return Ok(None);
    }
    let damaged = |error: object::Error| CubinError::new(0, "archive", error.to_string());
    let archive = ArchiveFile::parse(bytes).map_err(damaged)?;
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        members.push((name, member.data(bytes).map_err(damaged)?));
    }
    Ok(Some(members))
}
