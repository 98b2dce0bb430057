//! Warpsmith's own listing, and the assembler that turns it back into the same file.
//!
//! **What enters**: a [`Cubin`](warpsmith_cubin::Cubin), or the text of a listing. **What leaves**: a listing that says
//! everything about the file ([`disassemble`]), or the bytes of a file ([`assemble`]).
//!
//! **Invariants**
//! - `assemble(disassemble(cubin)) == cubin.write()` for every cubin, whatever it holds, unless the listing is of code only.
//! - What follows from other lines is not written: section numbers, sizes and offsets, program headers, and what ptxas always
//!   puts into a section's header (`usual`). So a listing can be edited: instructions can be put in and taken out, and
//!   branches, symbol sizes, `.nv.info` offsets and relocations follow.
//! - No text panics the assembler. It reports all that is wrong in one run, with line, column and reason, and writes nothing then.
//!
//! **Where to start**: `listing` writes the file's directives and the sections, `code` the instructions; `assemble`
//! reads the lines, `assemble::finish` turns names into numbers. `usual` has the rules that both share.
//!
//! # The grammar
//!
//! One statement to the line. `//` begins a comment that ends with the line; `/* … */` is a comment between words, such as the
//! address before an instruction. Numbers are decimal, or hexadecimal with `0x`. A name is a run of letters, digits and `_ . $ %`
//! that does not begin with a digit, or a string in quotation marks; the escapes are `\n \t \" \\ \xNN`. `hex` is `x"0a0b"`.
//!
//! ```text
//! listing   = { [ label ":" ] [ statement ] }  ".end"
//!
//! file      = ".target" ( sm_NN[a|f] | "unknown" )
//!           | ".type" ( "executable" | "relocatable" | number )
//!           | ".header" field "=" number { "," … }        fields of the ELF header that are not the target's usual ones:
//!                                                         os_abi abi_version version entry flags segment_header_size
//!                                                         section_names
//!           | ".segments" "none" | ".segment" type { "," … }
//!                                                         program headers, where they are not the usual ones: flags=
//!                                                         virtual_address= physical_address= align=, and what is covered:
//!                                                         table, or first= last= (sections), or offset= file_size=
//!                                                         memory_size=
//!           | ".section_table" place | ".segment_table" place | ".trailing" hex
//! place     = "gap=" number | "after=" hex | "at=" number where the layout is not the usual one
//!
//! section   = ".section" name "," type { "," attribute }  type: the ELF name without SHT_, or a number
//! attribute = "alloc" | "write" | "exec" | "tls" | "info_link" | "mercury" | "flags=" number
//!           | "registers=" number | "barriers=" number    of code: parts of sh_info and sh_flags
//!           | "link=" section | "info=" number | "align=" number | "entry_size=" number | "address=" number
//!           | "mirror=" section                           has the bytes of that section
//!           | "descending" | "name_at=" number | place
//!
//! code      = [ control ] instruction [ ";" ] [ "^" number ]
//! control   = "[" { "s" stall | "y" | "-" | "w" n | "r" n | "wait=" digits | "reuse=" number } "]"
//! data      = ( ".byte" | ".short" | ".word" | ".quad" ) sum { "," sum }
//!           | ".word128" number | ".bytes" hex | ".zero" count | ".ascii" string | ".asciz" string
//!           | ".rela" type "," symbol [ "," sum ] [ "," "at=" number ]
//!           | ".rel" type "," symbol [ "," "at=" number ]
//! info      = ".info" [ "." format ] attribute [ operand { "," operand } ]
//!           | ".compat" [ "." format ] attribute [ operand { "," operand } ]
//! operand   = symbol | sum | hex                          as the attribute has them; hex: bytes after the last
//! pairs     = ".pair" symbol "," symbol                   call graph and prototypes
//! table     = ".strings" string { "," string }
//!           | ".symbol" name { "," … }                    type and binding (without STT_ and STB_), names of st_other
//!                                                         bits; in= section, value= sum, size= sum, reserved= name_at=
//!                                                         type= bind= other=
//!           | ".entry" offset "," type "," symbol [ "," sum ]
//!           | ".nobits" size | ".null" size
//!
//! sum       = [ "-" ] term { ( "+" | "-" ) term }         term: number or label; a label is its offset in its section
//! symbol    = name | number                               of the table that sh_link of the section names
//! ```
//!
//! **Instructions** have the text of nvdisasm, with labels as branch targets. `^` turns bits of the word over: it stands where bits
//! that print nothing are not as usual. Words that are no instruction are `.word128`. The control information says
//! the stall in cycles (`s05`), yield (`y`), the scoreboards that are released at the write (`w0`) and after the reads (`r1`) and
//! those to wait for (`wait=01----`); see `control`. Without brackets an instruction stalls for one cycle and has no scoreboards.
//!
//! **Relocations** stand before the bytes that they change, and go to the relocation section of these. Where one has its entries
//! from the last to the first, it says `descending`; entries in no order stand in the relocation section itself, as `.entry`.
//!
//! **Symbols** of code and data have a label in their section, which is their value. Not adapted when code moves: offsets inside
//! debug sections, and jump tables that no relocation names.
//!
//! ```
//! use warpsmith_listing::native::assemble;
//!
//! let source = "\
//! .target sm_90
//! .section .text.k, PROGBITS, alloc, exec
//! loop:
//!     [s05 y w- r- wait=------] IADD3 R1, R1, -0x1, RQ
//!     BRA lop
//! .end
//! ";
//! let errors = assemble(source, "k.sass").unwrap_err();
//! let errors: Vec<String> = errors.iter().map(|error| error.to_string()).collect();
//! assert_eq!(errors, [
//!     "error: k.sass:4:51: instruction: IADD3: no form of sm_90 goes on with `RQ`",
//!     "error: k.sass:5:9: instruction: there is no label `lop`",
//! ]);
//! ```

mod assemble;
mod code;
mod control;
mod data;
mod info;
mod labels;
mod listing;
mod names;
mod records;
mod summary;
mod symbols;
mod usual;

pub use assemble::{Assembled, assemble, assemble_to_run};
pub use listing::disassemble;
pub(crate) use names::name_text;
