//! The file around the code: sections, symbols, attributes and places of variables are those that ptxas 13.0.88 was seen to write for the same text.

use warpsmith_cubin::{Content, Cubin, SymbolSection};
use warpsmith_ori::{ObjectOptions, Options, compile, compile_with_options};
use warpsmith_ptx::{Severity, parse};

const MODULE: &str = "
.version 8.0
.target sm_75
.address_size 64
.global .align 4 .u32 unused_zero;
.visible .global .align 4 .u32 vis_zero;
.global .align 4 .u32 gz;
.visible .global .align 4 .u32 gi = 5;
.global .align 8 .u64 pt = generic(gi);
.global .align 8 .u64 ptg = generic(gz);
.const .align 4 .u32 c1 = 7;
.visible .const .align 4 .u32 c2[4] = {1,2,3,4};
.shared .align 4 .b8 sh[64];
.extern .shared .align 16 .b8 dyn[];
.visible .entry ka(.param .u64 p)
{
    .reg .u64 a; .reg .u32 r;
    ld.param.u64 a,[p]; cvta.to.global.u64 a,a; ld.global.u32 r,[gz]; st.global.u32 [a],r; ld.const.u32 r,[c1];
    st.global.u32 [a+4],r; st.shared.u32 [sh],r; bar.sync 0; ld.shared.u32 r,[sh+8]; st.global.u32 [a+8],r; ret;
}
.entry kb(.param .u64 p, .param .align 4 .b8 q[12]) .maxntid 128,1,1 .minnctapersm 2
{
    .reg .u64 a; .reg .u32 r;
    ld.param.u64 a,[p]; ld.param.u32 r,[q+8]; cvta.to.global.u64 a,a; st.global.u32 [a],r; ld.global.u32 r,[gi];
    st.global.u32 [a+4],r; st.shared.u32 [dyn+4],r; bar.sync 0; ld.shared.u32 r,[dyn]; st.global.u32 [a+8],r; ret;
}
.weak .entry kc(.param .u64 p) .maxnreg 32
{
    .reg .u64 a; .reg .u32 r;
    ld.param.u64 a,[p]; cvta.to.global.u64 a,a; mov.u32 r, %ctaid.z; st.global.u32 [a],r; ret;
}
";

fn cubin(text: &str, sm: &str) -> Cubin {
    let parsed = parse(text.as_bytes());
    assert!(
        parsed.problems.iter().all(|p| p.severity == Severity::Warning),
        "{:?}",
        parsed.problems
    );
    compile(&parsed.module, sm.parse().unwrap()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn sections(cubin: &Cubin) -> String {
    let names: Vec<&str> = cubin
        .sections
        .iter()
        .skip(1)
        .map(|section| section.name.as_str())
        .collect();
    names.join(" ")
}

/// The symbols with their sections and values.
fn symbols(cubin: &Cubin) -> String {
    let each = cubin.symbols().iter().skip(1).map(|symbol| {
        let section = match symbol.section {
            SymbolSection::Section(index) => cubin.section(index).map_or("?", |section| section.name.as_str()),
            _ => "-",
        };
        let name = if symbol.name.is_empty() { "''" } else { &symbol.name };
        match name == section {
            true => name.to_string(),
            false => format!("{name}={section}+{}", symbol.value),
        }
    });
    each.collect::<Vec<_>>().join(" ")
}

/// The names of a function's attributes.
fn attributes(cubin: &Cubin, section: &str) -> String {
    let (index, _) = cubin.section_by_name(section).unwrap();
    let records = cubin.info_records(index).unwrap();
    let names = records
        .iter()
        .map(|record| record.attribute.name().unwrap_or("?").trim_start_matches("EIATTR_"));
    names.collect::<Vec<_>>().join(" ")
}

fn relocations(cubin: &Cubin, section: &str) -> String {
    let Some((_, section)) = cubin.section_by_name(section) else {
        panic!("no {section}")
    };
    let Content::Relocations { entries, .. } = &section.content else {
        panic!()
    };
    let each = entries.iter().map(|entry| {
        let name = cubin.symbol(entry.symbol).map_or("?", |symbol| symbol.name.as_str());
        format!("{:#x} {:?} {name}", entry.offset, entry.relocation_type)
    });
    each.collect::<Vec<_>>().join(", ")
}

fn strings(cubin: &Cubin, table: &str) -> String {
    let (_, section) = cubin.section_by_name(table).unwrap();
    let Content::Strings(strings) = &section.content else {
        panic!()
    };
    String::from_utf8(strings.bytes().to_vec()).unwrap().replace('\0', " ")
}

#[test]
fn older_generations() {
    let cubin = cubin(MODULE, "sm_75");
    assert_eq!(
        sections(&cubin),
        ".shstrtab .strtab .symtab .debug_frame .note.nv.tkinfo .note.nv.cuinfo .nv.info .nv.info.kc .nv.info.kb \
         .nv.info.ka .nv.callgraph .nv.rel.action .rel.nv.constant4 .rel.nv.global.init .rel.debug_frame .nv.constant4 \
         .nv.constant3 .nv.constant0.kc .nv.constant0.kb .nv.constant0.ka .text.kc .text.kb .text.ka .nv.global.init \
         .nv.shared.kc .nv.global .nv.shared.kb .nv.shared.ka"
    );
    assert_eq!(
        symbols(&cubin),
        ".note.nv.tkinfo .note.nv.cuinfo kc=.text.kc+0 .text.kc .nv.global .nv.constant4 .nv.global.init .nv.constant3 \
         unused_zero=.nv.global+8 gz=.nv.global+0 pt=.nv.global.init+8 ptg=.nv.global.init+0 c1=.nv.constant3+16 \
         .nv.constant0.kc kb=.text.kb+0 .text.kb .nv.constant0.kb .text.ka .nv.shared.ka .nv.constant0.ka .debug_frame \
         .nv.callgraph .nv.rel.action vis_zero=.nv.global+4 gi=.nv.global.init+16 c2=.nv.constant3+0 ka=.text.ka+0"
    );
    assert_eq!(
        attributes(&cubin, ".nv.info"),
        "REGCOUNT FRAME_SIZE REGCOUNT FRAME_SIZE REGCOUNT FRAME_SIZE MIN_STACK_SIZE MIN_STACK_SIZE MIN_STACK_SIZE"
    );
    assert_eq!(
        attributes(&cubin, ".nv.info.kb"),
        "SW_WAR CUDA_API_VERSION PARAM_CBANK CBANK_PARAM_SIZE KPARAM_INFO KPARAM_INFO MAXREG_COUNT NUM_BARRIERS \
         MERCURY_ISA_VERSION EXIT_INSTR_OFFSETS MAX_THREADS"
    );
    assert_eq!(
        attributes(&cubin, ".nv.info.kc"),
        "SW_WAR CUDA_API_VERSION PARAM_CBANK CBANK_PARAM_SIZE KPARAM_INFO MAXREG_COUNT MERCURY_ISA_VERSION \
         EXIT_INSTR_OFFSETS CTAIDZ_USED"
    );
    assert_eq!(
        relocations(&cubin, ".rel.nv.constant4"),
        "0x28 R_CUDA_64 ptg, 0x20 R_CUDA_64 pt, 0x18 R_CUDA_64 gz, 0x10 R_CUDA_64 unused_zero, 0x8 R_CUDA_64 gi, \
         0x0 R_CUDA_64 vis_zero"
    );
    assert_eq!(
        relocations(&cubin, ".rel.nv.global.init"),
        "0x8 R_CUDA_G64 gi, 0x0 R_CUDA_G64 gz"
    );
    assert!(strings(&cubin, ".strtab").ends_with(" .nv.prototype .nv.rel.action vis_zero gi c2 ka "));
}

#[test]
fn hopper() {
    let cubin = cubin(MODULE, "sm_90");
    assert_eq!(
        sections(&cubin),
        ".shstrtab .strtab .symtab .debug_frame .note.nv.tkinfo .note.nv.cuinfo .nv.info .nv.compat .nv.info.kc \
         .nv.info.kb .nv.info.ka .nv.callgraph .rela.text.kb .rela.text.ka .rela.nv.constant4 .rela.nv.global.init \
         .rela.debug_frame .nv.constant4 .nv.constant3 .text.kc .text.kb .text.ka .nv.global.init .nv.shared.kc \
         .nv.shared.reserved.0 .nv.global .nv.shared.kb .nv.shared.ka .nv.constant0.kc .nv.constant0.kb .nv.constant0.ka"
    );
    assert_eq!(
        symbols(&cubin),
        ".note.nv.tkinfo .note.nv.cuinfo kc=.text.kc+0 .text.kc .nv.reservedSmem.offset0=-+0 \
         __nv_reservedSMEM_offset_0_alias=.nv.shared.reserved.0+0 .nv.global .nv.constant4 .nv.global.init .nv.constant3 \
         unused_zero=.nv.global+8 gz=.nv.global+0 pt=.nv.global.init+8 ptg=.nv.global.init+0 c1=.nv.constant3+16 \
         kb=.text.kb+0 .text.kb ''=-+0 .text.ka .nv.shared.ka .debug_frame .nv.callgraph vis_zero=.nv.global+4 \
         gi=.nv.global.init+16 c2=.nv.constant3+0 ka=.text.ka+0 .nv.constant0.kc .nv.constant0.kb .nv.constant0.ka"
    );
    assert_eq!(
        attributes(&cubin, ".nv.info.kb"),
        "CUDA_API_VERSION KPARAM_INFO KPARAM_INFO SPARSE_MMA_MASK MAXREG_COUNT NUM_BARRIERS MERCURY_ISA_VERSION \
         EXIT_INSTR_OFFSETS MAX_THREADS CBANK_PARAM_SIZE PARAM_CBANK SW_WAR"
    );
    // ptxas names sections before it renames them: the rest of the longer name is zero bytes.
    let names = strings(&cubin, ".shstrtab");
    assert!(
        names.contains(" .nv.constant4    .nv.global.init .nv.constant3     .text.kb "),
        "{names}"
    );
    assert!(
        names.contains(" .rel.nv.constant.pic .rela.nv.constant4    .rel.nv.global.init "),
        "{names}"
    );
    let size = |name: &str| cubin.section_by_name(name).unwrap().1.size();
    assert_eq!(
        [".nv.shared.kc", ".nv.shared.kb", ".nv.shared.ka"].map(size),
        [0x400, 0x400, 0x440]
    );
}

#[test]
fn blackwell_keeps_longer_names_for_symbols() {
    let cubin = cubin(MODULE, "sm_100");
    let names = strings(&cubin, ".strtab");
    assert!(
        names.contains(" .nv.global .nv.constant.pic .nv.global.init .nv.constant.user "),
        "{names}"
    );
    assert!(
        names.ends_with(" ka .nv.constant4 .nv.constant3 .nv.constant0.kc .nv.constant0.kb .nv.constant0.ka "),
        "{names}"
    );
    assert!(
        symbols(&cubin).contains(" .nv.reservedSmem.cap=-+1024 "),
        "{}",
        symbols(&cubin)
    );
    assert!(attributes(&cubin, ".nv.info.kc").contains(" VRC_CTA_INIT_COUNT EXIT_INSTR_OFFSETS "));
}

#[test]
fn variables_lie_by_alignment_and_size() {
    let declare = |list: &str| format!(".version 8.0\n.target sm_75\n{list}\n.visible .entry k() {{ ret; }}\n");
    for (list, places) in [
        (
            ".global .u32 a; .global .u32 b; .global .u32 c; .global .u32 d; .global .u32 e;",
            "a=0 b=16 c=8 d=12 e=4",
        ),
        (
            ".global .u8 x; .global .u32 a; .global .u32 b; .global .u64 q; .global .u32 c; .global .u64 r; .global .u32 d;",
            "x=32 a=28 b=16 q=8 c=24 r=0 d=20",
        ),
        (
            ".global .align 4 .b8 a[12]; .global .align 4 .b8 b[8]; .global .u32 c; .global .align 4 .b8 d[20]; \
             .global .align 4 .b8 e[8]; .global .align 4 .b8 f[8];",
            "a=28 b=12 c=0 d=40 e=4 f=20",
        ),
    ] {
        let cubin = cubin(&declare(list), "sm_75");
        let variables = cubin.symbols().iter().filter(|symbol| symbol.symbol_type.0 == 1);
        let found: Vec<String> = variables
            .map(|symbol| format!("{}={}", symbol.name, symbol.value))
            .collect();
        assert_eq!(found.join(" "), places);
    }
}

#[test]
fn addresses_in_initial_values() {
    let text = ".version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 gi = 5;
.global .align 8 .u64 p1[3] = {generic(gi), gi+4, 7};
.global .align 8 .u64 p2 = generic(gi);
.visible .global .align 8 .u64 p3 = generic(gi)+16;
.const .align 8 .u64 p4[2] = {generic(gi), p2};
.visible .entry k() { ret; }
";
    let old = cubin(text, "sm_75");
    assert_eq!(
        relocations(&old, ".rel.nv.constant3"),
        "0x8 R_CUDA_G64 p2, 0x0 R_CUDA_G64 gi"
    );
    assert_eq!(
        relocations(&old, ".rel.nv.global.init"),
        "0x10 R_CUDA_G64 gi, 0x0 R_CUDA_G64 gi"
    );
    assert_eq!(
        relocations(&old, ".rela.nv.global.init"),
        "0x8 R_CUDA_G64 gi, 0x18 R_CUDA_G64 gi"
    );
    let new = cubin(text, "sm_90");
    assert_eq!(
        relocations(&new, ".rela.nv.global.init"),
        "0x8 R_CUDA_G64 gi, 0x18 R_CUDA_G64 gi, 0x10 R_CUDA_G64 gi, 0x0 R_CUDA_G64 gi"
    );
}

#[test]
fn calls_of_the_system() {
    let text = ".version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry k()
{
    .reg .b64 a; .reg .b32 r;
    mov.u64 a, text;
    cvta.global.u64 a, a;
    { .param .b64 p0; .param .b64 p1; .param .b32 q;
      st.param.b64 [p0], a; st.param.b64 [p1], 0;
      call.uni (q), vprintf, (p0, p1);
      ld.param.b32 r, [q]; }
    ret;
}
";
    for (sm, wanted) in [
        (
            "sm_75",
            "MAXREG_COUNT EXTERNS MERCURY_ISA_VERSION SYSCALL_OFFSETS EXIT_INSTR_OFFSETS",
        ),
        (
            "sm_90",
            "MAXREG_COUNT EXTERNS MERCURY_ISA_VERSION SYSCALL_OFFSETS EXIT_INSTR_OFFSETS",
        ),
    ] {
        let cubin = cubin(text, sm);
        assert!(
            attributes(&cubin, ".nv.info.k").contains(wanted),
            "{}",
            attributes(&cubin, ".nv.info.k")
        );
        assert!(symbols(&cubin).contains(" vprintf=-+0"), "{}", symbols(&cubin));
    }
}

#[test]
fn code_ends_in_a_branch_to_itself_and_nops() {
    let text = ".version 8.0\n.target sm_75\n.visible .entry k() { ret; }\n";
    for (sm, size) in [("sm_75", 128), ("sm_80", 256), ("sm_90", 256), ("sm_120", 256)] {
        let cubin = cubin(text, sm);
        let (_, section) = cubin.section_by_name(".text.k").unwrap();
        assert_eq!(section.size(), size, "{sm}");
        let bytes = section.bytes().unwrap();
        // NOP, as ptxas writes it.
        let nop = 0x000f_c000_0000_0000_0000_0000_0000_7918_u128;
        assert_eq!(bytes[bytes.len() - 16..], nop.to_le_bytes(), "{sm}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (text, message) in [
        (
            ".version 8.0\n.target sm_75\n.shared .b8 s[50000];\n.entry k() { .reg .u32 r; ld.shared.u32 r,[s]; ret; }\n",
            "Entry function 'k' uses too much shared data (0xc350 bytes, 0xc000 max)",
        ),
        (
            ".version 8.0\n.target sm_75\n.const .b8 s[70000];\n.entry k() { ret; }\n",
            "File uses too much global constant data (0x11170 bytes, 0x10000 max)",
        ),
    ] {
        for sm in ["sm_75", "sm_90", "sm_120"] {
            let errors = compile(&parse(text.as_bytes()).module, sm.parse().unwrap()).unwrap_err();
            assert_eq!(errors[0].to_string(), message, "{sm}");
            assert_eq!(
                text[..errors[0].span.start as usize].matches('\n').count(),
                if text.contains(".shared") { 3 } else { 2 }
            );
        }
    }
}

#[test]
fn threads_do_not_change_the_file() {
    let mut text = ".version 8.0\n.target sm_75\n".to_string();
    for kernel in 0..40 {
        text.push_str(&format!(
            ".visible .entry k{kernel}(.param .u64 p) {{ .reg .u64 a; .reg .u32 r; ld.param.u64 a,[p]; \
             ld.global.u32 r,[a]; mad.lo.u32 r,r,r,{kernel}; st.global.u32 [a],r; ret; }}\n"
        ));
    }
    let module = parse(text.as_bytes()).module;
    let with = |threads| {
        let options = Options {
            threads,
            ..Options::default()
        };
        compile_with_options(&module, "sm_90".parse().unwrap(), &options)
            .unwrap()
            .cubin
            .write()
    };
    let one = with(1);
    for threads in [0, 2, 3, 8] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

/// Line tables of two inlined calls: the rows that ptxas writes for the same places.
#[test]
fn lines() {
    let text = ".version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    .loc 1 7 0
    ld.param.u64 %rd1, [p]; // the parameter
    .loc 1 7 30
    ld.global.u32 %r1, [%rd1+4];
    .loc 1 1 71, function_name $L__info_string0, inlined_at 1 7 30
    mul.lo.s32 %r2, %r1, %r1;
    .loc 1 7 30
    st.global.u32 [%rd1], %r2;
    ret;
}
    .file 1 \"/src/l.cu\"
    .section .debug_str
    {
$L__info_string0:
.b8 95,90,50,115,113,105,0
    }
";
    let parsed = parse(text.as_bytes());
    let options = Options {
        object: ObjectOptions {
            lines: Some(text.into()),
            ..ObjectOptions::default()
        },
        ..Options::default()
    };
    let cubin = compile_with_options(&parsed.module, "sm_75".parse().unwrap(), &options)
        .unwrap()
        .cubin;
    assert!(sections(&cubin).starts_with(
        ".shstrtab .strtab .symtab .debug_frame .debug_line .debug_str .nv_debug_line_sass .nv_debug_ptx_txt .note"
    ));
    let bytes = |name: &str| cubin.section_by_name(name).unwrap().1.bytes().unwrap().to_vec();
    assert_eq!(bytes(".debug_str"), b"_Z2sqi\0");
    let ptx = String::from_utf8(bytes(".nv_debug_ptx_txt")).unwrap();
    let wanted = ".version 8.0|.target sm_75|.address_size 64|.visible .entry k(.param .u64 p)|{|.reg .b32 %r<3>; .reg .b64 %rd<3>;||\
                  ld.param.u64 %rd1, [p];||ld.global.u32 %r1, [%rd1+4];||mul.lo.s32 %r2, %r1, %r1;||st.global.u32 [%rd1], %r2;|ret;|}|\
                  |.section .debug_str|{|$L__info_string0:||}|";
    assert_eq!(ptx.replace('\0', "|"), wanted);
    let line = bytes(".debug_line");
    // Version 2, the usual parameters, one folder, one file.
    let header = b"\x02\0\x21\0\0\0\x01\x01\xfb\x0e\x0a\0\x01\x01\x01\x01\0\0\0\x01/src\0\0l.cu\0\x01\0\0\0\0\0\0\0";
    assert_eq!(line[4..4 + header.len()], header[..]);
    let program = &line[4 + header.len()..];
    // The address, file 1, line 7, a row.
    assert_eq!(program[..17], [0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 3, 6, 1, 2]);
    // The call's row, what is inlined into it, line 1; then back to line 7, 16 bytes on.
    let inlined = [1, 0, 3, 0x90, 2, 0, 3, 0x7a, 1, 0, 3, 0x90, 0, 0];
    assert!(
        program.windows(inlined.len()).any(|window| window == inlined),
        "{program:x?}"
    );
    assert!(program.ends_with(&[0, 1, 1]));
}

/// The bytes of a section.
fn bytes_of(cubin: &Cubin, section: &str) -> Vec<u8> {
    let (_, section) = cubin.section_by_name(section).unwrap();
    section.bytes().unwrap_or(&[]).to_vec()
}

/// What a debugger is told of registers: both words of a 64-bit one, each from its writer to the end or the next writer.
#[test]
fn registers_for_a_debugger() {
    let text = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<2>; .reg .f32 x; .reg .pred q;
    ld.param.u64 %rd1,[p]; ld.global.f32 x,[%rd1]; setp.gt.f32 q,x,0f00000000; @q st.global.f32 [%rd1+4],x; ret;
}
";
    let parsed = parse(text.as_bytes());
    let options = Options {
        level: 0,
        object: ObjectOptions {
            debug: true,
            ..ObjectOptions::default()
        },
        ..Options::default()
    };
    let cubin = compile_with_options(&parsed.module, "sm_80".parse().unwrap(), &options)
        .unwrap()
        .cubin;
    assert_eq!(
        bytes_of(&cubin, ".nv_debug_info_reg_type"),
        b"k\0\x04\0\0\0\x03\x03\x0e\x10"
    );
    let table = bytes_of(&cubin, ".nv_debug_info_reg_sass");
    let rest = table.strip_prefix(b"k\0\x04\0\0\0").unwrap();
    let mut entries = Vec::new();
    let mut rest = rest;
    while !rest.is_empty() {
        let end = 4 + rest[4..].iter().position(|byte| *byte == 0).unwrap();
        let word = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
        let name = String::from_utf8(rest[4..end].to_vec()).unwrap();
        entries.push((word(0), name, word(end + 1) >> 24, word(end + 5) < word(end + 9)));
        rest = &rest[end + 13..];
    }
    let wanted = [(0, "%rd1", 5), (1, "%rd1", 5), (0, "x", 5), (0, "q", 2)];
    let wanted = wanted.map(|(word, name, class)| (word, name.to_string(), class, true));
    assert_eq!(entries, wanted);
}

/// What kernels say of their pointers, and textures of the whole file.
#[test]
fn spaces_of_pointers_and_textures() {
    let text = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr b, .param .u64 c, .param .u64 .ptr .shared d, .param .u64 .ptr .const e)
{
    .reg .b64 %t; .reg .f32 %f<5>;
    ld.param.u64 %t,[c]; tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4},[%t,{%f0}]; ld.param.u64 %t,[a]; st.global.f32 [%t],%f1; ret;
}
";
    let cubin = cubin(text, "sm_90");
    let info = bytes_of(&cubin, ".nv.info.k");
    let records = warpsmith_cubin::info::parse(&info, 0).unwrap();
    let parameters = records.iter().filter_map(|record| match &record.value {
        warpsmith_cubin::InfoValue::Sized(bytes) if record.attribute == warpsmith_cubin::Eiattr::KPARAM_INFO => {
            Some((bytes[8], bytes[9] & 0xf))
        }
        _ => None,
    });
    assert_eq!(parameters.collect::<Vec<_>>(), [(0, 4), (0, 2), (0, 0), (0, 5), (2, 4)]);
    assert_eq!(bytes_of(&cubin, ".nv.compat")[4..8], [2, 2, 2, 0]);
}

/// Parameters of more bytes than the first form of their description is for: 14 bits of a size would be others. What is said is what ptxas 13.0 says.
#[test]
fn parameters_of_many_bytes_are_described_whole() {
    let said = |bytes: u32| {
        let text = format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .align 8 .b8 a[{bytes}], .param .u64 .ptr .global .align 4 b)\n{{ ret; }}\n"
        );
        let records = warpsmith_cubin::info::parse(&bytes_of(&cubin(&text, "sm_90"), ".nv.info.k"), 0).unwrap();
        let parameters = records.iter().filter_map(|record| match &record.value {
            warpsmith_cubin::InfoValue::Sized(payload) => {
                let parameter = warpsmith_cubin::eiattr::KernelParameter::from_record(record.attribute, payload)?;
                let name = record.attribute.name()?;
                Some((name, parameter.offset, parameter.size, parameter.pointee))
            }
            _ => None,
        });
        parameters.collect::<Vec<_>>()
    };
    let (few, many) = ("EIATTR_KPARAM_INFO", "EIATTR_KPARAM_INFO_V2");
    assert_eq!(said(0x10f8), [(few, 0x10f8, 8, 0x402), (few, 0, 0x10f8, 0)]);
    assert_eq!(said(0x1100), [(many, 0x1100, 8, 0x402), (many, 0, 0x1100, 0)]);
    assert_eq!(said(0x7ff0), [(many, 0x7ff0, 8, 0x402), (many, 0, 0x7ff0, 0)]);
}

/// How particular to its SM the code is, whether it uses or changes tensor maps, and products of integers in tensor memory, as ptxas says it.
#[test]
fn what_other_sms_can_make_of_the_code_is_said() {
    let said = |sm: &str, body: &str| {
        let text = format!(
            ".version 9.0\n.target {sm}\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .u64 %d<4>; .reg .u32 %r<8>; .reg .f32 %f<8>;
            .shared .align 128 .b8 s[256]; ld.param.u64 %d0, [p]; mov.u32 %r0, s; {body} ret;\n}}\n"
        );
        let records = warpsmith_cubin::info::parse(&bytes_of(&cubin(&text, sm), ".nv.compat"), 0).unwrap();
        let value = |code: u8| {
            let found = records.iter().find(|record| record.attribute.0 == code);
            found.and_then(|record| match record.value {
                warpsmith_cubin::InfoValue::Byte(value, _) => Some(value),
                _ => None,
            })
        };
        [value(2), value(3), value(5)].map(Option::unwrap)
    };
    let plain = "ld.global.u32 %r1, [%d0]; st.global.u32 [%d0+4], %r1;";
    let copy = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d0, {0}], [%r0];";
    let product = "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d0, 1, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.global.f32 [%d0], %f0;";
    assert_eq!(said("sm_90a", plain), [1, 0, 5]);
    assert_eq!(said("sm_90a", copy), [2, 1, 5]);
    assert_eq!(said("sm_90a", product), [4, 0, 5]);
    assert_eq!(said("sm_90a", &format!("{copy} {product}")), [4, 1, 5]);
    assert_eq!(said("sm_100a", copy), [2, 1, 5]);
    assert_eq!(said("sm_100a", "tcgen05.shift.cta_group::1.down [%r0];"), [3, 0, 5]);
}
