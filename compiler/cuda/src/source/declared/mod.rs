//! Which header declares a name: for notes about names of a header that a unit does not include.

use super::Context;
use super::headers;

/// A line for each built-in header: its name, then the names that it declares, with the namespaces around, and macros. A test makes it.
const TABLE: &str = include_str!("../../../headers/warpsmith/declared.tbl");

/// Namespaces as a whole, and what headers of the toolkit have that are none of ours, in the same form.
#[rustfmt::skip]
const OTHERS: [&str; 5] = [
    "cooperative_groups.h cooperative_groups",
    "mma.h nvcuda nvcuda::wmma",
    "cuComplex.h cuComplex cuFloatComplex cuDoubleComplex make_cuComplex make_cuFloatComplex make_cuDoubleComplex cuCreal cuCimag cuCabs cuConj cuCadd cuCsub cuCmul cuCdiv \
     cuCfma cuCrealf cuCimagf cuCabsf cuConjf cuCaddf cuCsubf cuCmulf cuCdivf cuCfmaf cuComplexFloatToDouble cuComplexDoubleToFloat",
    "cub/cub.cuh cub",
    "cuda/barrier cuda::barrier",
];

/// More than so many headers say nothing.
const MOST: usize = 3;

/// The headers that declare a name, which is written with the namespaces around it.
fn headers_of(name: &str) -> Vec<String> {
    // The headers of the standard's names in `cuda::std` are called so, too.
    if let Some(standard) = name.strip_prefix("cuda::std::") {
        let found = headers_of(&format!("std::{standard}")).into_iter();
        return found
            .map(|header| format!("cuda/std/{header}"))
            .filter(|header| headers::find(header).is_some())
            .collect();
    }
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).chain(OTHERS);
    let declaring = lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        let header = words.next()?;
        words.any(|word| word == name).then(|| header.to_string())
    });
    declaring.collect()
}

impl Context {
    /// What to say of a name that is not declared, if headers declare it of which none is included. The name is written with the namespaces around it.
    pub(crate) fn note_of_header(&self, name: &str) -> Option<String> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let found = headers_of(name);
        let is_included = |header: &String| {
            self.map.file_names().any(|file| {
                let before = file.strip_suffix(header.as_str());
                before.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
            })
        };
        if found.is_empty() || found.len() > MOST || found.iter().any(is_included) {
            return None;
        }
        let quoted: Vec<String> = found.iter().map(|header| format!("`<{header}>`")).collect();
        let of_toolkit = match found.iter().any(|header| headers::find(header).is_some()) {
            true => "",
            false => ", a header of the CUDA toolkit (`--cuda-path`)",
        };
        let which = match quoted.len() {
            1 => "which is not included",
            _ => "none of which is included",
        };
        Some(format!(
            "`{name}` is declared in {}{of_toolkit}, {which}",
            quoted.join(" and in ")
        ))
    }
}

#[cfg(test)]
mod tests;
