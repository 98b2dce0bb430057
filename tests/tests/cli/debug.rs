//! `-G`: what a debugger reads in the cubin.

use std::collections::HashMap;
use std::fmt::Write as _;

use gimli::{AttributeValue, DW_AT_name, EndianSlice, LittleEndian, Operation};
use warpsmith_cubin::Cubin;

use super::support::Folder;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Unit<'a> = gimli::Unit<Slice<'a>>;

const SOURCE: &str = "\
namespace shapes { enum Colour : unsigned char { Red, Green = 5 }; }
struct Node { Node *next; unsigned flag : 3, rest : 5; float at[2][4]; };
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int twice(const int &x) { return x * 2; }
extern \"C\" __global__ void k(Node *out, int n, shapes::Colour colour) {
  __shared__ int tile[32];
  for (int i = 0; i < n; ++i) {
    float n = table[i & 3];
    out->at[0][i & 3] = n + colour;
  }
  tile[threadIdx.x] = twice(n);
  out->rest = tile[0];
}
";

/// A line for each entry: what it is, its name, type and place.
fn tree(cubin: &Cubin) -> String {
    let load = |id: gimli::SectionId| -> gimli::Result<Slice<'_>> {
        let section = cubin.section_by_name(id.name());
        let bytes = section.and_then(|(index, _)| cubin.section_bytes(index));
        Ok(EndianSlice::new(bytes.unwrap_or_default(), LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(load).unwrap();
    let header = dwarf.units().next().unwrap().unwrap();
    let unit = dwarf.unit(header).unwrap();
    let names = names(&unit);
    let mut text = String::new();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs().unwrap() {
        let tag = entry.tag().to_string();
        let indent = 2 * entry.depth() as usize;
        let _ = write!(text, "{:indent$}{}", "", tag.trim_start_matches("DW_TAG_"));
        for attribute in entry.attrs() {
            let name = attribute.name().to_string();
            let name = name.trim_start_matches("DW_AT_");
            match attribute.value() {
                AttributeValue::String(value) if attribute.name() == DW_AT_name => {
                    let _ = write!(text, " {}", value.to_string_lossy());
                }
                AttributeValue::UnitRef(ty) => {
                    let ty = names.get(&ty.0).cloned().unwrap_or_default();
                    let _ = write!(text, ": {ty}");
                }
                AttributeValue::Block(place) | AttributeValue::Exprloc(gimli::Expression(place)) => {
                    let _ = write!(text, " {name}={}", operations(place, &unit));
                }
                AttributeValue::Udata(value) if name != "decl_file" => {
                    let _ = write!(text, " {name}={value}");
                }
                _ => {}
            }
        }
        text.push('\n');
        if let (Some(AttributeValue::Addr(low)), Some(AttributeValue::Addr(high))) = (
            entry.attr_value(gimli::DW_AT_low_pc),
            entry.attr_value(gimli::DW_AT_high_pc),
        ) {
            assert!(low < high, "{text}");
        }
    }
    text
}

/// The names of types, and what makes those without one.
fn names(unit: &Unit<'_>) -> HashMap<usize, String> {
    let mut found: HashMap<usize, (String, Option<usize>)> = HashMap::new();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs().unwrap() {
        let tag = entry.tag().to_string();
        let name = match entry.attr_value(DW_AT_name) {
            Some(AttributeValue::String(name)) => name.to_string_lossy().into_owned(),
            _ => tag.trim_start_matches("DW_TAG_").trim_end_matches("_type").to_string(),
        };
        let of = match entry.attr_value(gimli::DW_AT_type) {
            Some(AttributeValue::UnitRef(of)) if entry.attr_value(DW_AT_name).is_none() => Some(of.0),
            _ => None,
        };
        found.insert(entry.offset().0, (name, of));
    }
    let whole = |offset: &usize| {
        let (mut name, mut next) = found[offset].clone();
        while let Some(of) = next {
            let _ = write!(name, " {}", found[&of].0);
            next = found[&of].1;
        }
        name
    };
    found.keys().map(|offset| (*offset, whole(offset))).collect()
}

fn operations(place: Slice<'_>, unit: &Unit<'_>) -> String {
    let mut operations = gimli::Expression(place).operations(unit.encoding());
    let mut shown = Vec::new();
    while let Some(operation) = operations.next().unwrap() {
        shown.push(match operation {
            Operation::Nop => continue,
            Operation::FrameOffset { offset } => format!("frame{offset:+}"),
            Operation::PlusConstant { value } => format!("+{value}"),
            Operation::Address { address } => format!("@{address}"),
            Operation::CallFrameCFA => "caller".to_string(),
            other => format!("{other:?}"),
        });
    }
    shown.join(" ")
}

#[test]
fn variables_and_types() {
    let folder = Folder::new("debug-variables");
    folder.write("k.cu", SOURCE);
    folder.run("k.cu -G -arch=sm_90 -cubin -o k.cubin").success();
    let cubin = Cubin::read(&folder.read("k.cubin")).unwrap();
    assert_eq!(
        tree(&cubin),
        "\
compile_unit k.cu
  base_type int byte_size=4
  base_type __ARRAY_SIZE_TYPE__ byte_size=8
  base_type unsigned int byte_size=4
  base_type float byte_size=4
  variable table: array int decl_line=3 location=@0
  array_type: int
    subrange_type: __ARRAY_SIZE_TYPE__ count=4
  subprogram frame_base=caller twice decl_line=4: int
    formal_parameter x: reference const int decl_line=4 location=frame-16 +0
  reference_type: const int
  const_type: int
  subprogram frame_base=caller k decl_line=5: void
    formal_parameter out: pointer Node decl_line=5 location=frame-32 +0
    formal_parameter n: int decl_line=5 location=frame-32 +8
    formal_parameter colour: shapes::Colour decl_line=5 location=frame-32 +12
    lexical_block
      lexical_block
        variable i: int decl_line=7 location=frame-32 +16
        lexical_block
          variable n: float decl_line=8 location=frame-32 +20
      variable tile: array int decl_line=6 location=@1024
  unspecified_type void
  pointer_type: Node
  structure_type Node byte_size=48 decl_line=2
    member next: pointer Node decl_line=2 data_member_location=+0
    member flag: unsigned int decl_line=2 byte_size=4 bit_size=3 bit_offset=29 data_member_location=+8
    member rest: unsigned int decl_line=2 byte_size=4 bit_size=5 bit_offset=24 data_member_location=+8
    member at: array float decl_line=2 data_member_location=+12
  array_type: float
    subrange_type: __ARRAY_SIZE_TYPE__ count=2
    subrange_type: __ARRAY_SIZE_TYPE__ count=4
  enumeration_type shapes::Colour byte_size=1 decl_line=1
    enumerator Red
    enumerator Green
  array_type: int
    subrange_type: __ARRAY_SIZE_TYPE__ count=32
"
    );
}

#[test]
fn lines_alone() {
    let folder = Folder::new("debug-lines");
    folder.write("k.cu", SOURCE);
    folder.run("k.cu -lineinfo -arch=sm_90 -cubin -o k.cubin").success();
    let cubin = Cubin::read(&folder.read("k.cubin")).unwrap();
    let has = |name| cubin.section_by_name(name).is_some();
    assert!(has(".debug_line") && has(".nv_debug_line_sass") && !has(".debug_info"));
}
