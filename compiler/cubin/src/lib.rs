//! CUDA ELF files (cubins): lossless reading and writing.
//!
//! **What enters**: the bytes of a cubin as ptxas, nvlink or nvcc write it (64-bit little-endian ELF,
//! `e_machine` 190), or, on the building side, sections, symbols and relocations made by an assembler.
//!
//! **What leaves**: a [`Cubin`], an editable value: header, sections in file order with typed content,
//! symbols, string tables, relocations, program headers. [`Cubin::write`] turns it back into bytes.
//!
//! **Invariants**
//! - `Cubin::read(bytes)?.write() == bytes` for every file that the vendor's tools write. Where a file
//!   departs from the [layout policy](mod@layout), the departure is a fact of the model ([`Placement`]).
//! - File offsets, sizes and counts are never stored: they are derived on writing, so that an edit of any
//!   content gives a consistent file.
//! - Reading never panics, and never allocates more than a small multiple of the input's size.
//!
//! **Where to start**: [`model`] has the value itself; [`read`](mod@read) and [`layout`] are the two
//! directions. The CUDA constants are tables, one row each: [`section_type`], [`section_flag`],
//! [`symbol`], [`relocation`], [`eiattr`], [`compat`], [`header`]. [`info`] gives `.nv.info` records,
//! [`note`] the notes, [`build`] makes a cubin from parts, [`detect`] names files that are no cubins, [`fatbin`] reads and
//! writes files of several images.

pub mod build;
pub mod callgraph;
pub mod compat;
pub mod detect;
pub mod eiattr;
pub mod error;
pub mod fatbin;
pub mod header;
pub mod info;
pub mod layout;
pub mod model;
pub mod note;
pub mod read;
pub mod relocation;
pub mod section_flag;
pub mod section_type;
pub mod strings;
pub mod symbol;
mod target;

pub use eiattr::{Eiattr, Payload};
pub use error::CubinError;
pub use header::{FileType, Flags, Header};
pub use info::{InfoFormat, InfoRecord, InfoValue};
pub use model::{Content, Cubin, Extent, Placement, Section, SectionIndex, SectionKind, Segment, SymbolIndex};
pub use relocation::{Relocation, RelocationType};
pub use section_flag::SectionFlags;
pub use section_type::SectionType;
pub use strings::StringTable;
pub use symbol::{Symbol, SymbolBinding, SymbolOther, SymbolSection, SymbolType, SymbolVisibility};
