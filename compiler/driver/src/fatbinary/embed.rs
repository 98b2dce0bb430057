//! C source that embeds a fatbin in a host program, as the CUDA runtime finds it there: the data in one section, a wrapper that
//! points to it in another (`fatbinary_section.h` of the toolkit declares the wrapper's type).

use std::fmt::Write as _;

/// What the source is for.
#[derive(Clone, Copy)]
pub(super) struct Embedding {
    /// The code is relocatable: the data go to the section that the linker of device code reads, the wrapper is named by the module.
    pub relocatable: bool,
    /// The code is linked from others, whose fatbins the wrapper lists.
    pub linked: bool,
    /// The data are a C array; otherwise assembly, which compiles faster.
    pub array: bool,
}

/// Eight-byte words on a line.
const WORDS_OF_LINE: usize = 4;

/// The source.
pub(super) fn source(fatbin: &[u8], embedding: Embedding) -> String {
    let section = if embedding.relocatable {
        "__nv_relfatbin"
    } else {
        ".nv_fatbin"
    };
    let words: Vec<u64> = fatbin
        .chunks(8)
        .map(|chunk| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(bytes)
        })
        .collect();
    let mut text = format!(
        "#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS\n#include \"fatbinary_section.h\"\n#endif\n\
         #define __CUDAFATBINSECTION  \".nvFatBinSegment\"\n#define __CUDAFATBINDATASECTION  \"{section}\"\n"
    );
    if embedding.array {
        array(&words, &mut text);
    } else {
        assembly(&words, section, &mut text);
    }
    text.push_str("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    text.push_str(wrapper(embedding));
    text.push_str("#ifdef __cplusplus\n}\n#endif\n");
    text
}

fn assembly(words: &[u64], section: &str, text: &mut String) {
    let _ = write!(
        text,
        "asm(\n\".section {section}, \\\"a\\\"\\n\"\n\".align 8\\n\"\n\"fatbinData:\\n\"\n"
    );
    for line in words.chunks(WORDS_OF_LINE) {
        let line: Vec<String> = line.iter().map(|word| format!("{word:#018x}")).collect();
        let _ = writeln!(text, "\".quad {}\\n\"", line.join(","));
    }
    let _ = write!(
        text,
        "\".text\\n\");\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\nextern const unsigned long long fatbinData[{}];\n#ifdef __cplusplus\n}}\n#endif\n",
        words.len()
    );
}

fn array(words: &[u64], text: &mut String) {
    text.push_str("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text.push_str(
        "static const unsigned long long fatbinData[] __attribute__ ((section (__CUDAFATBINDATASECTION)))= {",
    );
    for (index, line) in words.chunks(WORDS_OF_LINE).enumerate() {
        let line: Vec<String> = line.iter().map(|word| format!("{word:#018x}ull")).collect();
        let _ = write!(text, "{}{}", if index == 0 { "" } else { ",\n" }, line.join(","));
    }
    text.push_str("\n};\n\n#ifdef __cplusplus\n}\n#endif\n\n");
}

/// The definition of the wrapper.
fn wrapper(embedding: Embedding) -> &'static str {
    match (embedding.relocatable, embedding.linked) {
        (true, _) => {
            "#undef __FATIDNAME_CORE\n#undef __FATIDNAME\n#define __FATIDNAME_CORE(x) __fatbinwrap##x\n#define __FATIDNAME(x) __FATIDNAME_CORE(x)\n\
             extern const __fatBinC_Wrapper_t __FATIDNAME(__NV_MODULE_ID) __attribute__ ((aligned (8))) __attribute__ ((section (__CUDAFATBINSECTION)))= \n\
             \t{ 0x466243b1, 1, fatbinData, 0 };\n"
        }
        (false, true) => {
            "static const __fatBinC_Wrapper_t __fatDeviceText __attribute__ ((aligned (8))) __attribute__ ((section (__CUDAFATBINSECTION)))= \n\
             \t{ 0x466243b1, 2, fatbinData, (void**)__cudaPrelinkedFatbins };\n"
        }
        (false, false) => {
            "static const __fatBinC_Wrapper_t __fatDeviceText __attribute__ ((aligned (8))) __attribute__ ((section (__CUDAFATBINSECTION)))= \n\
             \t{ 0x466243b1, 1, fatbinData, 0 };\n"
        }
    }
}
