//! Input that claims sizes: memory goes by what is there, not by what is said. Each run has a gigabyte of addresses.

use crate::support::Folder;

/// Kilobytes of addresses that a run may have.
const GIGABYTE: u32 = 1 << 20;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Compiles a text of variables and a kernel of this body, which stand on lines 4 and 5.
fn ptxas(folder: &Folder, variables: &str, body: &str) -> (i32, String) {
    folder.write(
        "k.ptx",
        format!("{HEAD}{variables}\n.visible .entry k() {{ {body} ret; }}\n"),
    );
    let run = folder.run_within(GIGABYTE, "--face ptxas -arch=sm_80 k.ptx -o k.cubin");
    let written = folder.names().contains(&"k.cubin".to_owned());
    assert_eq!(written, run.status == 0, "{}", run.errors);
    (run.status, run.errors)
}

#[track_caller]
fn refused(folder: &Folder, variables: &str, body: &str, line: u32, message: &str) {
    let abort = "ptxas fatal   : Ptx assembly aborted due to errors\n";
    let wanted = format!("ptxas k.ptx, line {line}; error   : {message}\n{abort}");
    assert_eq!(ptxas(folder, variables, body), (255, wanted), "{variables} {body}");
}

#[track_caller]
fn accepted(folder: &Folder, variables: &str, body: &str) -> usize {
    assert_eq!(ptxas(folder, variables, body), (0, String::new()), "{variables} {body}");
    let size = folder.read("k.cubin").len();
    std::fs::remove_file(folder.path("k.cubin")).unwrap();
    size
}

#[test]
fn variables_have_the_memory_that_they_are_written_with() {
    let folder = Folder::new("claims-variables");
    let most = "global variables use too much memory (0x2000000000000 max)";
    for (variables, message) in [
        (
            ".global .b8 x[9223372036854775808] = {1};",
            format!("Variable 'x' has 0x8000000000000000 bytes: {most}"),
        ),
        (
            ".global .b8 x[18446744073709551615];",
            format!("Variable 'x' has 0xffffffffffffffff bytes: {most}"),
        ),
        (
            ".global .b8 x[4294967296][4294967296];",
            format!("Variable 'x' has 0xffffffffffffffff bytes: {most}"),
        ),
        (
            ".global .b64 x[2305843009213693952];",
            format!("Variable 'x' has 0xffffffffffffffff bytes: {most}"),
        ),
        (
            ".global .b8 a[281474976710656]; .global .b8 b[281474976710656];",
            format!("Variable 'b' has 0x1000000000000 bytes: {most}"),
        ),
        (
            ".global .b8 x[4294967296] = {1};",
            "Variable 'x' has an initial value of 0x100000000 bytes, and those of a file may have 0x4000000 in all: \
             leave it out, and write the variable before it is read"
                .to_owned(),
        ),
        (
            ".global .b32 a[9000000] = {1}; .global .b32 b[9000000] = {1};",
            "Variable 'b' has an initial value of 0x2255100 bytes, and those of a file may have 0x4000000 in all: \
             leave it out, and write the variable before it is read"
                .to_owned(),
        ),
        (
            ".global .align 1073741824 .b8 x[4];",
            "Variable 'x' is aligned to 0x40000000 bytes: more than a file has room for (0x10000 for each, 0x4000000 in all)"
                .to_owned(),
        ),
        (
            ".const .align 131072 .b8 x[4];",
            "Variable 'x' is aligned to 0x20000 bytes: more than a file has room for (0x10000 for each, 0x4000000 in all)"
                .to_owned(),
        ),
    ] {
        refused(&folder, variables, "", 4, &message);
    }
    // A variable without an initial value is not in the file, whatever its size.
    assert!(accepted(&folder, ".global .b8 x[4294967296];", "") < 8192);
    assert!(accepted(&folder, ".global .b64 x[1099511627776];", "") < 8192);
    assert!(accepted(&folder, ".global .b8 x[1048576] = {1};", "") > 1 << 20);
}

#[test]
fn local_and_shared_variables_fit_a_thread_and_a_cta() {
    let folder = Folder::new("claims-local");
    let local =
        |count: &str| format!(".local .b64 y[{count}]; .reg .b64 %d<4>; mov.u64 %d1, y; st.volatile.u64 [%d1], %d1;");
    for (count, bytes) in [
        ("65537", "0x80008"),
        ("40000000", "0x1312d000"),
        ("2147483647", "0x7fffffff"),
        ("2305843009213693952", "0x7fffffff"),
    ] {
        let message = format!("Entry function 'k' uses too much local data ({bytes} bytes, 0x80000 max)");
        refused(&folder, "", &local(count), 5, &message);
    }
    accepted(&folder, "", &local("65536"));
    let huge = ".param .b8 a[4294967296]";
    refused(
        &folder,
        &format!(".func f({huge}) {{ ret; }}"),
        &format!("{huge}; call f, (a);"),
        5,
        "Entry function 'k' uses too much local data (0x40000000 bytes, 0x80000 max)",
    );
    refused(
        &folder,
        ".shared .b8 x[18446744073709551615];",
        "st.shared.b8 [x], 1;",
        5,
        "Entry function 'k' uses too much shared data (0x7fffffff bytes, 0xc000 max)",
    );
}

#[test]
fn registers_that_nothing_names_take_nothing() {
    let folder = Folder::new("claims-registers");
    let plain = accepted(
        &folder,
        "",
        ".reg .b64 %d<4>; mov.u64 %d3, 7; st.volatile.global.b64 [%d3], %d3;",
    );
    for body in [
        ".reg .b64 %d<0x4000000>; mov.u64 %d67108863, 7; st.volatile.global.b64 [%d67108863], %d67108863;",
        ".reg .b64 %d<99999999>; .reg .pred %p<99999999>; mov.u64 %d5, 7; st.volatile.global.b64 [%d5], %d5;",
        ".reg .v4 .b32 %v<60000000>; .reg .b64 %d<60000000>; mov.u64 %d5, 7; st.volatile.global.b64 [%d5], %d5;",
    ] {
        assert_eq!(accepted(&folder, "", body), plain, "{body}");
    }
    accepted(
        &folder,
        "",
        ".reg .pred %p<99999999>; .reg .b64 %d<99999999>; setp.eq.u64 %p99999998, %d1, 0; \
         @%p99999998 st.volatile.global.b64 [%d99999998], %d1;",
    );
    let (status, errors) = ptxas(&folder, "", ".reg .b64 %d<4294967295>;");
    assert_eq!(status, 255);
    assert!(
        errors.starts_with("ptxas k.ptx, line 5; fatal   : Memory allocation failure\n"),
        "{errors}"
    );
    // In the interpreter, too: each of 1024 threads has what is named.
    folder.write(
        "k.ptx",
        format!(
            "{HEAD}.visible .entry k(.param .u64 a) {{ .reg .b64 %d<67108864>; .reg .b32 %r<67108864>; .reg .pred %p<9>; \
             ld.param.u64 %d67108863, [a]; mov.u32 %r60000000, %tid.x; setp.eq.u32 %p8, %r60000000, 1023; \
             @%p8 st.global.u32 [%d67108863], %r60000000; ret; }}\n"
        ),
    );
    let run = folder.run_within(GIGABYTE, "run k.ptx --block 1024 --arg a=zeros:u32:1");
    assert_eq!(run.success(), "a: u32[1] 1023\n");
}

#[test]
fn arrays_of_a_run_have_a_bound_together() {
    let folder = Folder::new("claims-arrays");
    folder.write("k.ptx", format!("{HEAD}.visible .entry k(.param .u64 a) {{ ret; }}\n"));
    let launch = |lines: &str| folder.write("k.toml", format!("module = \"k.ptx\"\narguments = [\"a\"]\n{lines}"));
    let line = |source: &str| format!("a = \"{source}\"\nb = \"{source}\"\nc = \"{source}\"\n");
    for (lines, asked, place) in [
        (
            format!("[buffers]\n{}", line("zeros:u8:4294967296")),
            4_294_967_296_u64,
            "4:5",
        ),
        (format!("[buffers]\n{}", line("fill:u8:30000000:7")), 30_000_000, "6:5"),
        (
            "[buffers]\na = \"iota:u64:8\"\n[variables]\nv = \"iota:u64:8388608\"\n".to_string(),
            67_108_864,
            "6:5",
        ),
        (
            "[buffers]\na = \"iota:u64:8\"\n[expect]\na = \"random:u64:8388608\"\n".to_string(),
            67_108_864,
            "6:5",
        ),
        (
            "[buffers]\na = \"iota:u64:8\"\n[textures]\nt = { data = \"zeros:u8:67108864\", size = [8192, 8192] }\n"
                .to_string(),
            67_108_864,
            "6:14",
        ),
    ] {
        launch(&lines);
        let run = folder.run_within(GIGABYTE, "run k.toml");
        let refusal = run.refusal();
        let wanted = format!(
            "error: {asked} bytes more are asked for, and arrays may have 67108864 in all: `memory = BYTES` in a launch file or \
             --memory BYTES allows more\n --> k.toml:{place}\n"
        );
        assert!(refusal.starts_with(&wanted), "{refusal}\nfor\n{lines}");
    }
    // What is said is had.
    launch("memory = 100000000\n[buffers]\na = \"zeros:u8:80000000\"\n[expect]\nb = [1]\n");
    assert!(
        folder
            .run("run k.toml")
            .refusal()
            .contains("no buffer or module variable `b`")
    );
    let run = folder.run("run k.ptx --memory 32 --arg a=zeros:u32:9");
    assert!(
        run.refusal()
            .contains("36 bytes more are asked for, and arrays may have 32 in all")
    );
    // A file's bytes are there to be read.
    folder.write("data.bin", vec![0; 1000]);
    let run = folder.run("run k.ptx --memory 32 --arg a=file:data.bin --print a");
    assert!(run.success().starts_with("a: u8[1000] 0 0 "));
}

/// An entry of a fatbin: kind, flags, the size that the payload is said to become, identifier, payload.
type Entry<'b> = (u16, u64, u64, (u32, u32), &'b [u8]);

/// A fatbin of these entries.
fn fatbin(entries: &[Entry]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, flags, size, identifier, payload) in entries {
        let mut head = [0_u8; 64];
        head[..2].copy_from_slice(&kind.to_le_bytes());
        head[2..4].copy_from_slice(&0x101_u16.to_le_bytes());
        head[4] = 64;
        let stored = payload.len().next_multiple_of(8);
        head[8..16].copy_from_slice(&(stored as u64).to_le_bytes());
        head[16..20].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        head[0x1c] = 90;
        head[0x20..0x24].copy_from_slice(&identifier.0.to_le_bytes());
        head[0x24..0x28].copy_from_slice(&identifier.1.to_le_bytes());
        head[0x28..0x30].copy_from_slice(&flags.to_le_bytes());
        head[0x38..].copy_from_slice(&size.to_le_bytes());
        body.extend_from_slice(&head);
        body.extend_from_slice(payload);
        body.resize(body.len() + stored - payload.len(), 0);
    }
    let mut file = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    file.extend_from_slice(&(body.len() as u64).to_le_bytes());
    file.extend_from_slice(&body);
    file
}

/// A Zstandard frame of so many zeros: a byte that is repeated, in blocks of 128 KiB.
fn zeros(size: u64) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    frame.extend_from_slice(&size.to_le_bytes());
    let mut left = size;
    while left > 0 {
        let block = left.min(1 << 17);
        left -= block;
        let head = u32::from(left == 0) | 1 << 1 | (block as u32) << 3;
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

#[test]
fn images_of_a_fatbin_are_unpacked_one_by_one_and_within_bounds() {
    const ZSTANDARD: u64 = 0x8011;
    const LZ4: u64 = 0x2011;
    let folder = Folder::new("claims-fatbin");
    let (gigabyte, small) = (zeros(1 << 30), zeros(1 << 20));
    let entry = |payload, size| (2_u16, ZSTANDARD, size, (0, 0), payload);
    let far = "far more than the";
    for (name, entries, option, wanted) in [
        (
            "one",
            vec![entry(&gigabyte[..], 1 << 30)],
            "-sass",
            "have 1073741824 bytes in all, and the file 32864",
        ),
        (
            "many",
            vec![entry(&small[..], 1 << 20); 200],
            "-sass",
            "have 209715200 bytes in all, and the file 22416",
        ),
        (
            "extracted",
            vec![entry(&small[..], 1 << 20); 200],
            "-xelf all",
            "have 209715200 bytes in all",
        ),
        (
            "false size",
            vec![entry(&gigabyte[..], 1 << 20)],
            "-sass",
            "looks back 1073741824 bytes, far more than the 32781 that it is stored in",
        ),
        (
            "lz4",
            vec![(2, LZ4, 60 << 20, (0, 0), &[0_u8; 8][..])],
            "-sass",
            "is no LZ4 block",
        ),
        (
            "claimed",
            vec![(1, LZ4, 1 << 26 | 1 << 7, (0, 0), &[0_u8; 8][..])],
            "-ptx",
            far,
        ),
        (
            "zeros",
            vec![entry(&small[..], 1 << 20)],
            "-xelf all",
            "Invalid ELF in 'k.1.sm_90.cubin'",
        ),
        (
            "identifiers",
            vec![(2, 0x11, 0, (64, 1 << 20), &[0; 1 << 20][..])],
            "-lelf",
            "outside of its header of 64 bytes",
        ),
    ] {
        folder.write("k.fatbin", fatbin(&entries));
        let run = folder.run_within(GIGABYTE / 2, &format!("--face cuobjdump {option} k.fatbin"));
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{name}: {}", run.errors);
        assert!(
            run.errors.starts_with("cuobjdump fatal   : ") && run.errors.contains(wanted),
            "{name}: {}",
            run.errors
        );
        assert_eq!(folder.names(), ["k.fatbin"], "{name}");
    }
    // Their heads can be listed.
    folder.write("k.fatbin", fatbin(&[entry(&gigabyte[..], 1 << 30)]));
    let run = folder.run_within(GIGABYTE / 2, "--face cuobjdump -lelf k.fatbin");
    assert_eq!(run.success(), "ELF file    1: k.1.sm_90.cubin\n");
}

#[test]
fn a_cubin_whose_heads_claim_sizes_is_refused() {
    let folder = Folder::new("claims-cubin");
    let good = crate::support::sample("scale.sm_90.lineinfo.cubin");
    let table = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    let number = |at: usize, value: u64, bytes: usize| {
        let mut bad = good.clone();
        bad[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        bad
    };
    for (name, bad) in [
        ("section headers", number(40, 1 << 40, 8)),
        ("program headers", number(32, 1 << 40, 8)),
        ("count of sections", number(60, 0xffff, 2)),
        ("count of program headers", number(56, 0xffff, 2)),
        ("size of a section", number(table + 3 * 64 + 32, 1 << 40, 8)),
        ("size beyond all", number(table + 3 * 64 + 32, u64::MAX, 8)),
        ("place of a section", number(table + 3 * 64 + 24, u64::MAX, 8)),
        ("one byte less", good[..good.len() - 1].to_vec()),
    ] {
        folder.write("k.cubin", &bad);
        for line in [
            "disasm k.cubin",
            "--face nvdisasm -c k.cubin",
            "--face cuobjdump -sass k.cubin",
            "run k.cubin",
        ] {
            let run = folder.run_within(GIGABYTE / 2, line);
            assert!(matches!(run.status, 1 | 255), "{name}, {line}: {run:?}");
            assert!(!run.errors.is_empty() && run.out.is_empty(), "{name}, {line}: {run:?}");
        }
    }
}

/// The size of an `.nv.info` record is one that is no multiple of its entries.
#[test]
fn a_damaged_info_record_ends_the_listing() {
    let folder = Folder::new("claims-info");
    let good = crate::support::sample("scale.sm_90.lineinfo.cubin");
    let cubin = warpsmith_cubin::Cubin::read(&good).unwrap();
    let (index, _) = cubin.section_by_name(".nv.info").unwrap();
    let table = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    let at = table + 64 * index as usize;
    let start = u64::from_le_bytes(good[at + 24..at + 32].try_into().unwrap()) as usize;
    let size = u64::from_le_bytes(good[at + 32..at + 40].try_into().unwrap()) as usize;
    for place in start..start + size {
        for value in [0, 0x1f, 0xff] {
            let mut bad = good.clone();
            bad[place] = value;
            folder.write("k.cubin", &bad);
            for line in ["--face nvdisasm k.cubin", "--face nvdisasm -json k.cubin"] {
                let run = folder.run_within(GIGABYTE, line);
                let told = run.status == 1 && run.errors.starts_with("nvdisasm error   : ") && run.out.is_empty();
                assert!(told || run.status == 0, "byte {place}, {line}: {run:?}");
            }
        }
    }
}

#[test]
fn a_listing_makes_no_file_larger_than_it_may_be() {
    let folder = Folder::new("claims-listing");
    let assemble = |lines: &str| {
        folder.write("k.sass", format!(".target sm_90\n{lines}\n.end\n"));
        let run = folder.run_within(GIGABYTE / 2, "asm k.sass -o k.cubin");
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{lines}: {}", run.errors);
        assert_eq!(folder.names(), ["k.sass"], "{lines}");
        run.errors
    };
    let section = |number: u32, attributes: &str| format!(".section s{number}, PROGBITS{attributes}\n.byte 1\n");
    let many = |attributes: &str| (0..100).map(|number| section(number, attributes)).collect::<String>();
    for (lines, wanted) in [
        (
            ".section s, PROGBITS\n.zero 67108865".to_owned(),
            "k.sass:3:7: .zero: a listing has at most 67108864 zeros",
        ),
        (
            ".section s, PROGBITS\n.zero 60000000\n.zero 60000000".to_owned(),
            "k.sass:4:7: .zero: a listing has at most 67108864 zeros",
        ),
        (
            ".section s, PROGBITS\n.zero 18446744073709551615".to_owned(),
            "k.sass:3:7: .zero: a listing has at most 67108864 zeros",
        ),
        (
            section(0, ", align=1099511627776"),
            "an alignment is a power of two up to 16777216",
        ),
        (section(0, ", gap=1099511627776"), "a gap has at most 16777216 bytes"),
        (section(0, ", at=1099511627776"), "a place is at most 16777216"),
        (
            many(", align=16777216"),
            "k.sass:10:1: .section: alignments and gaps up to here leave more than 67108864 bytes of the file free",
        ),
        (
            many(", gap=16777216"),
            "k.sass:10:1: .section: a listing has at most 67108864 zeros",
        ),
    ] {
        let errors = assemble(&lines);
        assert!(errors.contains(wanted), "{errors}\nfor\n{lines}");
    }
}

#[test]
fn what_runs_in_the_emulator_has_a_bound() {
    let folder = Folder::new("claims-run");
    for (variables, body, wanted) in [
        (
            ".global .b8 x[1099511627776];",
            "",
            "the variables of the module have 1099511627776 bytes, and may have 67108864",
        ),
        (
            ".global .b8 x[67108865];",
            "",
            "the variables of the module have 67108865 bytes, and may have 67108864",
        ),
        (
            ".global .b8 x[18446744073709551615]; .const .b8 y[4];",
            "",
            "the variables of the module have 18446744073709551615 bytes",
        ),
        (
            "",
            ".local .b64 y[1000000000];",
            "variable y has 8000000000 bytes, more than a thread or CTA has for it",
        ),
        (
            ".shared .b8 s[1099511627776];",
            "",
            "variable s has 1099511627776 bytes, more than a thread or CTA has for it",
        ),
    ] {
        folder.write(
            "k.ptx",
            format!("{HEAD}{variables}\n.visible .entry k() {{ {body} ret; }}\n"),
        );
        let errors = folder.run_within(GIGABYTE, "run k.ptx").refusal();
        assert!(errors.contains(wanted), "{errors}\nfor\n{variables} {body}");
    }
    // As machine code.
    folder.write(
        "k.ptx",
        format!("{HEAD}.global .b8 x[1099511627776];\n.visible .entry k() {{ ret; }}\n"),
    );
    let errors = folder.run_within(GIGABYTE, "run k.ptx --arch sm_80").refusal();
    assert!(
        errors.contains("the variables of the module have 1099511627784 bytes, and may have 67108864"),
        "{errors}"
    );
    folder.write(
        "k.ptx",
        format!("{HEAD}.global .b8 x[67108865];\n.visible .entry k() {{ ret; }}\n"),
    );
    assert_eq!(folder.run("run k.ptx --memory 70000000").status, 0);
}
