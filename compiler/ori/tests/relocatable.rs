//! Relocatable files: what is left to the linker, and what it is told.

use warpsmith_cubin::{Content, Cubin, Relocation, SymbolBinding, SymbolSection, callgraph, info};
use warpsmith_ori::{ObjectOptions, Options, compile_with_options};

/// Every way in which a function can be named, and a variable of each kind, here and elsewhere.
const MODULE: &str = ".version 8.0
.target sm_80
.address_size 64
.extern .func none ();
.extern .func (.param .b64 r) wide (.param .f32 a, .param .align 4 .b8 b[12]);
.extern .const .align 4 .b8 there[32];
.const .align 4 .b32 here[2] = {1, 2};
.extern .global .align 4 .b8 far[16];
.extern .shared .align 4 .b8 dynamic[];
.func (.param .b32 r) own (.param .b32 a) {
 .reg .b32 %r<2>;
 ld.param.b32 %r1, [a];
 add.s32 %r1, %r1, 1;
 st.param.b32 [r], %r1;
 ret;
}
.visible .global .align 8 .u64 table[1] = {own};
.visible .entry k(.param .u64 out, .param .u64 to) {
 .reg .b32 %r<9>;
 .reg .b64 %rd<9>;
 .shared .align 4 .b8 mine[64];
 ld.param.u64 %rd1, [out];
 ld.param.u64 %rd2, [to];
 call none;
 mov.u64 %rd3, wide;
 st.global.u64 [%rd1], %rd3;
 p: .callprototype (.param .b32 _) _ (.param .b32 _);
 {
  .param .b32 x;
  .param .b32 y;
  st.param.b32 [x], 3;
  call (y), %rd2, (x), p;
  ld.param.b32 %r1, [y];
 }
 ld.const.u32 %r2, [here+4];
 ld.const.u32 %r3, [there];
 ld.global.u32 %r4, [far];
 ld.shared.u32 %r5, [dynamic];
 st.shared.u32 [mine], %r1;
 ld.global.u64 %rd4, [table];
 add.s32 %r1, %r2, %r3;
 add.s32 %r1, %r1, %r4;
 add.s32 %r1, %r1, %r5;
 st.global.u32 [%rd1], %r1;
 st.global.u64 [%rd1], %rd4;
 ret;
}
";

fn compiled(sm: &str) -> Cubin {
    compiled_text(&MODULE.replace("sm_80", sm), sm)
}

fn compiled_text(text: &str, sm: &str) -> Cubin {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert_eq!(parsed.problems.len(), 0);
    let options = Options {
        object: ObjectOptions {
            relocatable: true,
            ..ObjectOptions::default()
        },
        ..Options::default()
    };
    compile_with_options(&parsed.module, sm.parse().unwrap(), &options)
        .unwrap()
        .cubin
}

/// Type and symbol of each relocation of a section, each once, in alphabetical order.
fn relocations(cubin: &Cubin, section: &str) -> Vec<String> {
    let Some((_, section)) = cubin.section_by_name(section) else {
        return Vec::new();
    };
    let Content::Relocations { entries, .. } = &section.content else {
        panic!("no relocations")
    };
    let line = |entry: &Relocation| {
        let name = entry.relocation_type.name().unwrap_or("?");
        format!(
            "{} {}",
            name.trim_start_matches("R_CUDA_"),
            cubin.symbols()[entry.symbol as usize].name
        )
    };
    let mut lines: Vec<String> = entries.iter().map(line).collect();
    lines.sort();
    lines.dedup();
    lines
}

#[test]
fn addresses_are_left_to_the_linker() {
    assert_eq!(
        relocations(&compiled("sm_80"), ".rela.text.k"),
        [
            "ABS32_32 $__mine__12",
            "ABS32_32 dynamic",
            "ABS32_32 here",
            "ABS32_32 there",
            "ABS32_HI_32 far",
            "ABS32_HI_32 k",
            "ABS32_HI_32 table",
            "ABS32_HI_32 wide",
            "ABS32_LO_32 far",
            "ABS32_LO_32 k",
            "ABS32_LO_32 table",
            "ABS32_LO_32 wide",
            "ABS47_34 none",
        ]
    );
    assert_eq!(relocations(&compiled("sm_80"), ".rel.nv.global.init"), ["64 own"]);
    // Functions are shared through a table.
    let later = compiled("sm_90");
    assert_eq!(relocations(&later, ".rela.nv.global.init"), ["UNIFIED own"]);
    let code = relocations(&later, ".rela.text.k");
    for wanted in [
        "ABS55_16_34 none",
        "ABS56_16_34 __UFT_OFFSET",
        "UNIFIED32_LO_32 wide",
        "ABS32_LO_32 k",
    ] {
        assert!(code.iter().any(|line| line == wanted), "{wanted} in {code:?}");
    }
}

/// Calls by name, prototypes of functions whose address is taken, those of indirect calls, and who takes whose address; then the other functions that others see.
#[test]
fn the_call_graph_tells_prototypes() {
    let cubin = compiled("sm_80");
    let name = |index: u32| cubin.symbols()[index as usize].name.clone();
    let text = |offset: u32| match &cubin.section(2).unwrap().content {
        Content::Strings(strings) => strings.get(offset).unwrap_or("?").to_string(),
        _ => panic!("no strings"),
    };
    let pairs = |section: &str| {
        let (index, _) = cubin.section_by_name(section).unwrap();
        callgraph::pairs(cubin.section_bytes(index).unwrap()).unwrap()
    };
    let mut part = 0;
    let mut lines = Vec::new();
    for (first, second) in pairs(".nv.callgraph") {
        if first == 0 {
            part = second.wrapping_neg();
            continue;
        }
        let second = if part == 2 || part == 3 {
            text(second)
        } else {
            name(second)
        };
        lines.push(format!("{part} {} {second}", name(first)));
    }
    assert_eq!(
        lines,
        [
            "1 k none",
            "2 wide #lfb12",
            "2 own #ii",
            "3 k #ii",
            "4 k wide",
            "4 k own"
        ]
    );
    let others: Vec<_> = pairs(".nv.prototype")
        .iter()
        .map(|(symbol, of)| name(*symbol) + &text(*of))
        .collect();
    assert_eq!(others, ["none#v"]);
}

#[test]
fn what_is_nowhere_is_refused_where_nothing_is_linked() {
    let parsed = warpsmith_ptx::parse(MODULE.as_bytes());
    let errors = compile_with_options(&parsed.module, "sm_80".parse().unwrap(), &Options::default()).unwrap_err();
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let nowhere = "which 'k' names: no file is linked to this one (-c makes one that is linked later)";
    assert_eq!(
        texts[..2],
        [
            format!("Unresolved extern function 'none', {nowhere}"),
            format!("Unresolved extern function 'wide', {nowhere}")
        ]
    );
}

/// Textures, samplers and surfaces are symbols without a place, and loads of words to which the linker gives a place in constant bank 0.
#[test]
fn images_are_left_to_the_linker() {
    let text = |sm: &str| {
        format!(
            ".version 9.0\n.target {sm}, texmode_independent\n.address_size 64\n.global .texref image; .extern .global .texref other;
            .global .samplerref how; .global .surfref result;
            .visible .entry k(.param .u64 out) {{ .reg .f32 %f<9>; .reg .b32 %r<3>; .reg .b64 %d<3>; ld.param.u64 %d1, [out]; mov.f32 %f1, 0f3F000000;
            tex.2d.v4.f32.f32 {{%f2, %f3, %f4, %f5}}, [image, how, {{%f1, %f1}}]; tex.2d.v4.f32.f32 {{%f3, %f4, %f5, %f6}}, [other, how, {{%f1, %f1}}];
            add.f32 %f2, %f2, %f3; mov.b32 %r1, %f2; mov.u32 %r2, 0; sust.b.2d.b32.trap [result, {{%r2, %r2}}], %r1; ret; }}\n"
        )
    };
    for (sm, kind, records) in [
        (
            "sm_75",
            "CONST_FIELD21_38",
            &["SURFACE_BANK", "TEXTURE_BANK", "TEXTURE_BANK", "SURFACE_BANK"][..],
        ),
        ("sm_90", "CONST_FIELD21_38", &[]),
        ("sm_100", "CONST_FIELD22_37", &[]),
    ] {
        let cubin = compiled_text(&text(sm), sm);
        let named = ["how", "image", "other", "result"].map(|name| format!("{kind} {name}"));
        assert_eq!(relocations(&cubin, ".rela.text.k"), named, "{sm}");
        let kind_of = |name: &str| {
            let found = cubin.symbols().iter().find(|symbol| symbol.name == name);
            found.map(|symbol| (symbol.symbol_type.0, symbol.binding, symbol.section))
        };
        let symbols = ["image", "how", "result", "other"].map(kind_of);
        let outside = |number| Some((number, SymbolBinding::GLOBAL, SymbolSection::Undefined));
        assert_eq!(symbols, [outside(10), outside(11), outside(12), outside(10)], "{sm}");
        let (index, _) = cubin.section_by_name(".nv.info.k").expect("the kernel's information");
        let information = info::parse(cubin.section_bytes(index).expect("bytes"), 0).expect("records");
        let names = information.iter().filter_map(|record| record.attribute.name());
        let banks: Vec<&str> = names.filter_map(|name| name.strip_prefix("EIATTR_BINDLESS_")).collect();
        assert_eq!(banks, records, "{sm}");
    }
}

/// A table of a function: a local symbol in its bank, and a load that the linker gives bank and offset; the index is larger by what is subtracted there.
#[test]
fn tables_of_branches_are_left_to_the_linker() {
    const FUNCTION: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 r) f(.param .b32 a) {
 .reg .b32 %r<4>;
 ld.param.b32 %r1, [a];
 ts: .branchtargets A, B, C, A;
 us: .branchtargets A, C, B;
 and.b32 %r2, %r1, 3;
 brx.idx %r2, ts;
 A: mul.lo.s32 %r1, %r1, 5; bra E;
 B: popc.b32 %r1, %r1; bra E;
 C: xor.b32 %r1, %r1, 77; shr.u32 %r2, %r2, 1; brx.idx %r2, us;
 E: st.param.b32 [r], %r1;
 ret;
}
";
    for sm in ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] {
        let parsed = warpsmith_ptx::parse(FUNCTION.replace("sm_80", sm).as_bytes());
        let mut options = Options::default();
        options.object.relocatable = true;
        let cubin = compile_with_options(&parsed.module, sm.parse().unwrap(), &options)
            .unwrap()
            .cubin;
        assert_eq!(
            relocations(&cubin, ".rela.text.f"),
            [
                "CONST_FIELD21_38 f.const_opt.0.16",
                "CONST_FIELD21_38 f.const_opt.16.28"
            ],
            "{sm}"
        );
        let tables: Vec<_> = cubin
            .symbols()
            .iter()
            .filter(|symbol| symbol.name.contains("const_opt"))
            .map(|symbol| (symbol.value, symbol.size, symbol.other.0))
            .collect();
        assert_eq!(tables, [(0, 16, 0x81), (16, 12, 0x81)]);
        let (bank, section) = cubin.section_by_name(".nv.constant2.f").unwrap();
        assert_eq!(section.section_type.name(), Some("SHT_CUDA_CONSTANT_B2"));
        let bytes = cubin.section_bytes(bank).unwrap();
        assert!(bytes.len() == 28 && bytes.chunks_exact(4).all(|to| to[0] % 16 == 0 && to != [0; 4]));
        // Files without the twin of their code say so.
        assert_eq!(cubin.header.flags.0 & 7, 4);
    }
}

/// A variable of which each file has one is left to the linker with its alignment, as ptxas does (observed, 13.0.88); in a whole program it has a place.
#[test]
fn common_variables_have_no_place_before_they_are_linked() {
    const COMMON: u16 = 0xfff2;
    let text = |variables: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{variables}\n.visible .entry k(.param .u64 p)\n{{ .reg .b64 a, b; ld.param.u64 a, [p];\n\
             ld.global.u64 b, [env]; st.global.u64 [a], b; ret; }}\n"
        )
    };
    let cases = [
        (".common .global .align 8 .u64 env;", (8, 8)),
        (".common .global .align 16 .b8 env[40];", (16, 40)),
        (".common .global .u64 env;", (8, 8)),
        (".global .u32 own; .common .global .align 32 .u64 env;", (32, 8)),
        (
            ".common .global .u32 also; .common .global .align 8 .u64 env[2];",
            (8, 16),
        ),
    ];
    for (variables, (alignment, size)) in cases {
        let cubin = compiled_text(&text(variables), "sm_90");
        let (_, symbol) = cubin.symbol_by_name("env").unwrap();
        assert_eq!(symbol.section, SymbolSection::Reserved(COMMON), "{variables}");
        assert_eq!((symbol.value, symbol.size), (alignment, size), "{variables}");
        let has_own = cubin.section_by_name(".nv.global").is_some();
        assert_eq!(has_own, variables.contains("own"), "{variables}");
    }
    let parsed = warpsmith_ptx::parse(text(cases[0].0).as_bytes());
    let whole = warpsmith_ori::compile(&parsed.module, "sm_90".parse().unwrap()).unwrap();
    let (_, symbol) = whole.symbol_by_name("env").unwrap();
    assert!(matches!(symbol.section, SymbolSection::Section(_)));
}
