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

/// As clang writes it of code that is not optimised, but for `%s` and `%twice`, which are known by their values, and `%big`, by an address.
const IR: &str = "\
target triple = \"nvptx64-nvidia-cuda\"
%node = type { ptr, i8, [2 x [4 x float]] }
@table = addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4, !dbg !5
define ptx_kernel void @k(ptr noundef %out, i32 noundef %n, ptr noundef %big) !dbg !20 {
entry:
  %out.addr = alloca ptr, align 8
  %i = alloca i32, align 4
  store ptr %out, ptr %out.addr, align 8
  call void @llvm.dbg.declare(metadata ptr %out.addr, metadata !30, metadata !DIExpression()), !dbg !40
  call void @llvm.dbg.value(metadata i32 %n, i64 0, metadata !31, metadata !DIExpression()), !dbg !40
    #dbg_declare(ptr %big, !32, !DIExpression(), !40)
  store i32 0, ptr %i, align 4, !dbg !41
    #dbg_declare(ptr %i, !33, !DIExpression(DW_OP_constu, 6, DW_OP_swap, DW_OP_xderef), !41)
  br label %loop, !dbg !41
loop:
  %s = phi i64 [ 0, %entry ], [ %s.next, %loop ]
    #dbg_value(i64 %s, !34, !DIExpression(DW_OP_plus_uconst, 2, DW_OP_stack_value), !42)
  %c = icmp sgt i32 %n, 3, !dbg !42
    #dbg_value(i1 %c, !36, !DIExpression(), !42)
  %twice = mul i32 %n, 2, !dbg !43
    #dbg_value(i32 %twice, !35, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !43)
    #dbg_value(float poison, !35, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !43)
  %s.next = add i64 %s, 1, !dbg !42
  br i1 %c, label %loop, label %end, !dbg !44
end:
  ret void, !dbg !45
}
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, i64, metadata, metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: \"clang\", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: \"k.cu\", directory: \"/src\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
!4 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !3)
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(name: \"table\", scope: !0, file: !1, line: 1, type: !7, isLocal: true, isDefinition: true)
!7 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 128, elements: !8)
!8 = !{!9}
!9 = !DISubrange(count: 4)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !11, size: 64)
!11 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"Node\", scope: !12, file: !1, line: 2, size: 384, flags: DIFlagTypePassByValue | DIFlagTrivial, elements: !13)
!12 = !DINamespace(name: \"shapes\", scope: null)
!13 = !{!14, !15, !16, !19}
!14 = !DIDerivedType(tag: DW_TAG_member, name: \"next\", scope: !11, file: !1, line: 2, baseType: !10, size: 64)
!15 = !DIDerivedType(tag: DW_TAG_member, name: \"rest\", scope: !11, file: !1, line: 2, baseType: !17, size: 5, offset: 67, flags: DIFlagBitField, extraData: i64 64)
!16 = !DIDerivedType(tag: DW_TAG_member, name: \"at\", scope: !11, file: !1, line: 2, baseType: !18, size: 256, offset: 96)
!17 = !DIBasicType(name: \"unsigned int\", size: 32, encoding: DW_ATE_unsigned)
!18 = !DICompositeType(tag: DW_TAG_array_type, baseType: !50, size: 256, elements: !51)
!19 = !DISubprogram(name: \"method\", scope: !11, file: !1, line: 2, type: !21, spFlags: 0)
!20 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 5, type: !21, scopeLine: 5, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!21 = !DISubroutineType(types: !22)
!22 = !{null, !10, !3, !11}
!23 = distinct !DILexicalBlock(scope: !20, file: !1, line: 7, column: 3)
!24 = !DILexicalBlockFile(scope: !23, file: !1, discriminator: 2)
!25 = distinct !DILexicalBlock(scope: !24, file: !1, line: 8, column: 5)
!26 = distinct !DISubprogram(name: \"twice\", scope: !1, file: !1, line: 4, type: !27, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit, unit: !0)
!27 = !DISubroutineType(types: !28)
!28 = !{!3, !3}
!30 = !DILocalVariable(name: \"out\", arg: 1, scope: !20, file: !1, line: 5, type: !10)
!31 = !DILocalVariable(name: \"n\", arg: 2, scope: !20, file: !1, line: 5, type: !3)
!32 = !DILocalVariable(name: \"big\", arg: 3, scope: !20, file: !1, line: 5, type: !11)
!33 = !DILocalVariable(name: \"i\", scope: !23, file: !1, line: 7, type: !3)
!34 = !DILocalVariable(name: \"s\", scope: !25, file: !1, line: 8, type: !52)
!35 = !DILocalVariable(name: \"pair\", arg: 1, scope: !26, file: !1, line: 4, type: !53)
!36 = !DILocalVariable(name: \"go\", scope: !25, file: !1, line: 8, type: !54)
!40 = !DILocation(line: 5, column: 1, scope: !20)
!41 = !DILocation(line: 7, column: 8, scope: !23)
!42 = !DILocation(line: 8, column: 6, scope: !25)
!43 = !DILocation(line: 4, column: 9, scope: !26, inlinedAt: !46)
!44 = !DILocation(line: 7, column: 30, scope: !24)
!45 = !DILocation(line: 10, column: 1, scope: !20)
!46 = distinct !DILocation(line: 8, column: 20, scope: !25)
!50 = !DIBasicType(name: \"float\", size: 32, encoding: DW_ATE_float)
!51 = !{!55, !9}
!52 = !DIDerivedType(tag: DW_TAG_typedef, name: \"size\", file: !1, line: 1, baseType: !56)
!53 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Pair\", file: !1, line: 3, size: 64, elements: !57)
!54 = !DIBasicType(name: \"bool\", size: 8, encoding: DW_ATE_boolean)
!55 = !DISubrange(count: 2)
!56 = !DIBasicType(name: \"long\", size: 64, encoding: DW_ATE_signed)
!57 = !{}
";

#[test]
fn variables_and_types_of_llvm() {
    let folder = Folder::new("debug-llvm");
    folder.write("k.ll", IR);
    folder.run("k.ll -G -arch=sm_90 -cubin -o k.cubin").success();
    let cubin = Cubin::read(&folder.read("k.cubin")).unwrap();
    assert_eq!(
        tree(&cubin),
        "\
compile_unit k.cu
  base_type int byte_size=4
  base_type __ARRAY_SIZE_TYPE__ byte_size=8
  base_type unsigned int byte_size=4
  base_type float byte_size=4
  base_type long byte_size=8
  base_type bool byte_size=1
  variable table: array const int decl_line=1 location=@0
  array_type: const int
    subrange_type: __ARRAY_SIZE_TYPE__ count=4
  const_type: int
  subprogram frame_base=caller k decl_line=5: void
    formal_parameter out: pointer shapes::Node decl_line=5 location=frame-96 +72
    formal_parameter n: int decl_line=5 location=frame-96 +64
    formal_parameter big: reference shapes::Node decl_line=5 location=frame-96 +48
    lexical_block
      variable i: int decl_line=7 location=frame-96 +80
      lexical_block
        variable s: long decl_line=8 location=frame-96 +32
        variable go: bool decl_line=8 location=frame-96 +16
        lexical_block
          variable pair: Pair decl_line=4 location=frame-96 +0
  unspecified_type void
  pointer_type: shapes::Node
  structure_type shapes::Node byte_size=48 decl_line=2
    member next: pointer shapes::Node decl_line=2 data_member_location=+0
    member rest: unsigned int decl_line=2 byte_size=4 bit_size=5 bit_offset=24 data_member_location=+8
    member at: array float decl_line=2 data_member_location=+12
  array_type: float
    subrange_type: __ARRAY_SIZE_TYPE__ count=2
    subrange_type: __ARRAY_SIZE_TYPE__ count=4
  reference_type: shapes::Node
  structure_type Pair byte_size=8 decl_line=3
"
    );
    folder.run("k.ll -arch=sm_90 -cubin -o k.cubin").success();
    let cubin = Cubin::read(&folder.read("k.cubin")).unwrap();
    assert!(cubin.section_by_name(".debug_info").is_none());
}

#[test]
fn debug_information_of_llvm_that_cannot_be_told() {
    let folder = Folder::new("debug-llvm-refused");
    let cases = [
        (
            "!DIExpression(DW_OP_plus_uconst, 2, DW_OP_stack_value)",
            "!DIExpression(DW_OP_lit2, DW_OP_mul, DW_OP_stack_value)",
            "the place of the variable s cannot be told to a debugger: DW_OP_lit2 in its expression is not supported",
        ),
        (
            "ptr %big, !32, !DIExpression()",
            "ptr %big, !32, !DIExpression(DW_OP_LLVM_fragment, 0, 64)",
            "the place of the variable big cannot be told to a debugger: its parts are in several places",
        ),
        (
            "#dbg_value(i64 %s, !34",
            "#dbg_value(!DIArgList(i64 %s, i32 %n), !34",
            "a variable that is computed of several values is not supported",
        ),
        (
            "encoding: DW_ATE_boolean",
            "encoding: DW_ATE_decimal_float",
            "the debug encoding DW_ATE_decimal_float is not supported",
        ),
        (
            "DIDerivedType(tag: DW_TAG_typedef",
            "DIDerivedType(tag: DW_TAG_set_type",
            "the debug type DW_TAG_set_type is not supported",
        ),
        (
            "#dbg_value(i64 %s, !34",
            "#dbg_value(i64 %s, !33",
            "the place of the variable i cannot be told to a debugger: it has several",
        ),
    ];
    for (old, new, message) in cases {
        assert!(IR.contains(old), "{old}");
        folder.write("k.ll", IR.replacen(old, new, 1));
        let refusal = folder.run("k.ll -G -arch=sm_90 -cubin -o k.cubin").refusal();
        assert!(refusal.contains(message), "{message}\n{refusal}");
        // It matters to debuggers alone.
        folder.run("k.ll -arch=sm_90 -cubin -o k.cubin").success();
    }
}
