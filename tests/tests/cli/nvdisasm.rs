//! The face of nvdisasm. What it says is as observed with nvdisasm 13.5 on the same files, but for help,
//! version, and lines with `Warpsmith` or `info` in them.

use crate::support::{Folder, Run, assert_lines, sample};

const CUBIN: &str = "scale.sm_75.cubin";

fn run(folder: &Folder, arguments: &str) -> Run {
    folder.run(&format!("--face nvdisasm {arguments}"))
}

#[track_caller]
fn assert_refusal(folder: &Folder, arguments: &str, message: &str) {
    assert_eq!(run(folder, arguments).refusal(), message, "{arguments}");
}

#[test]
fn code_with_words() {
    let folder = Folder::with("nvdisasm-code", CUBIN);
    let listing = run(&folder, "-c -hex k.cubin").success();
    assert_lines(
        &listing,
        &[
            "\t.target\tsm_75",
            ".text.scale:",
            "        /*0000*/                   MOV R1, c[0x0][0x28] ;               /* 0x00000a0000017a02 */",
            "                                                                        /* 0x000fe40000000f00 */",
            "        /*00f0*/                   EXIT ;                               /* 0x000000000000794d */",
        ],
    );
    assert_eq!(listing.lines().count(), 66);
}

#[test]
fn long_and_short_spellings() {
    let folder = Folder::with("nvdisasm-spelling", CUBIN);
    for (short, long) in [
        ("-c", "--print-code"),
        ("-hex", "--print-instruction-encoding"),
        ("-g", "--print-line-info"),
        ("-gi", "--print-line-info-inline"),
        ("-gp", "--print-line-info-ptx"),
        ("-json", "--emit-json"),
        ("-ndf", "--no-dataflow"),
        ("-sort", "--sort-sections"),
        ("-fun 3", "--cuda-function-index=3"),
        ("-novliw", "--no-vliw"),
        ("-base 16", "--base-address=0x10"),
    ] {
        let text = run(&folder, &format!("{short} k.cubin")).success();
        assert!(run(&folder, &format!("k.cubin {long}")).success() == text, "{long}");
    }
}

#[test]
fn help_is_the_answer_to_none_or_several_files() {
    let folder = Folder::with("nvdisasm-help", CUBIN);
    let help = run(&folder, "--help").success();
    assert_lines(
        &help,
        &[
            "Usage  : nvdisasm [options] <image file>",
            "--base-address <number>                        (-base)",
            "--version                                      (-V)",
        ],
    );
    for line in ["", "-c", "k.cubin k.cubin", "-h missing", "-V -h", "-cfg -json"] {
        assert!(run(&folder, line).success() == help, "{line}");
    }
    assert_eq!(
        run(&folder, "-V missing").success(),
        format!(
            "nvdisasm: Warpsmith {} in the place of the CUDA disassembler\n\
             Options and listings as of release 13.5, V13.5.37\n",
            env!("CARGO_PKG_VERSION")
        )
    );
}

#[test]
fn mistakes_in_the_command_line() {
    let folder = Folder::with("nvdisasm-mistakes", CUBIN);
    for (line, message) in [
        ("--foo k.cubin", "Unknown option '-foo'"),
        ("-foo k.cubin", "Unknown option 'foo'"),
        ("-V -foo", "Unknown option 'foo'"),
        ("--c k.cubin", "Unknown option '-c'"),
        ("-c=true k.cubin", "no argument expected after '-c'"),
        ("k.cubin -b", "argument expected after '-b'"),
        ("-b NO99 k.cubin", "Value 'NO99' is not defined for option 'binary'"),
        ("-b sm_75 k.cubin", "Value 'sm_75' is not defined for option 'binary'"),
        ("-fun x k.cubin", "'x': expected a number"),
        ("-cfg -json k.cubin", "Specify either -cfg or -json option"),
        ("-annotate k.cubin", "Specify -annotate with -json option"),
        ("-optf missing k.cubin", "Could not open options file 'missing'"),
        (
            "-plr k.cubin",
            "Warpsmith does not support option '--print-life-ranges' (-plr) yet",
        ),
    ] {
        assert_refusal(&folder, line, &format!("nvdisasm fatal   : {message}\n"));
    }
}

#[test]
fn files_that_are_no_cubins() {
    let folder = Folder::new("nvdisasm-files");
    let cubin = sample(CUBIN);
    let changed = |place: usize, byte: u8| {
        let mut bytes = cubin.clone();
        bytes[place] = byte;
        bytes
    };
    folder.write("text", "hello\n");
    folder.write("long-text", "hello\n".repeat(100));
    folder.write("empty", "");
    folder.write("header", &cubin[..63]);
    folder.write("short", &cubin[..700]);
    folder.write("x86", changed(18, 62));
    folder.write("sm_33", changed(49, 33));
    for (file, message) in [
        ("missing", "Cannot open object file missing\n"),
        ("-", "Cannot open object file -\n"),
        (".", "Object file . is not readable\n"),
        ("empty", "Object file empty is not readable\n"),
        ("text", "Object file text appears truncated\n"),
        ("header", "Object file header appears truncated\n"),
        ("long-text", "File long-text does not appear to be an Elf file\n"),
        ("x86", "x86 is not a supported Elf file\n"),
        ("sm_33", "Cannot decode architecture 'SM33'\n"),
        (
            "short",
            "File short is an invalid ELF file\n\
             nvdisasm info    : offset 0xe10: section header table: \
             1 entries of 64 bytes reach beyond the end of the file at 0x2bc\n",
        ),
    ] {
        assert_refusal(&folder, file, &format!("nvdisasm fatal   : {message}"));
    }
}

#[test]
fn symbols_that_are_not_there() {
    let folder = Folder::with("nvdisasm-symbols", CUBIN);
    assert_refusal(
        &folder,
        "-fun 3,99,-1 k.cubin",
        "nvdisasm error   : No symbol with index 99\n\
         nvdisasm error   : No symbol with index 4294967295\n\
         nvdisasm warning : Dataflow analysis disabled due to previous warnings\n",
    );
    assert_refusal(
        &folder,
        "-fun 0 k.cubin",
        "nvdisasm error   : No section found for symbol \"\", index 0\n\
         nvdisasm warning : Dataflow analysis disabled due to previous warnings\n",
    );
}

#[test]
fn an_illegal_word_is_named_and_nothing_is_printed() {
    let folder = Folder::new("nvdisasm-illegal");
    let mut cubin = sample(CUBIN);
    let exit = 0x000f_ea00_0380_0000_0000_0000_0000_794du128.to_le_bytes();
    let place = cubin.windows(16).position(|bytes| bytes == exit).unwrap();
    cubin[place..place + 16].fill(0xff);
    folder.write("k.cubin", cubin);
    for line in ["k.cubin", "-c -hex k.cubin", "-json k.cubin"] {
        let refusal = run(&folder, line).refusal();
        assert!(
            refusal.starts_with("nvdisasm error   : k.cubin: section .text.scale, offset 0xf0: "),
            "{refusal}"
        );
    }
}

#[test]
fn options_files() {
    let folder = Folder::with("nvdisasm-optf", CUBIN);
    let listing = run(&folder, "-c -hex k.cubin").success();
    folder.write("inner", "-hex\n");
    folder.write("outer", "\"-c\"\t-optf inner k.cubin");
    assert!(run(&folder, "-optf outer").success() == listing);
    assert!(run(&folder, "--options-file=inner k.cubin -c").success() == listing);
    folder.write("loop", "-optf loop");
    assert_refusal(
        &folder,
        "-optf loop",
        "nvdisasm fatal   : Too many options file opened 'loop'\n",
    );
}

#[test]
fn redefinitions_are_warned_of() {
    let folder = Folder::with("nvdisasm-again", CUBIN);
    let again = run(&folder, "-base 1 -base 2 k.cubin");
    assert_eq!(
        again.errors,
        "nvdisasm warning : incompatible redefinition for option 'base-address', the last value of this option was used\n"
    );
    assert_eq!(again.status, 0);
    assert!(again.out == run(&folder, "k.cubin").success());
}

#[test]
fn raw_words_of_what_size() {
    let folder = Folder::new("nvdisasm-raw");
    folder.write("words", [0; 40]);
    assert_refusal(
        &folder,
        "-b SM75 words",
        "nvdisasm fatal   : Input raw instruction binary file words appears to be truncated\n",
    );
    folder.write("words", [0; 16]);
    assert_refusal(
        &folder,
        "-b SM101 words",
        "nvdisasm fatal   : Warpsmith does not support value 'SM101' of option '--binary' (-b)\n",
    );
}
