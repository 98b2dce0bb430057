//! Where messages of later stages stand: at the lines of the user's source. The cases are in `tests/places`: title, command, files, and all that is reported.

use std::collections::BTreeSet;

use warpsmith_cubin::Cubin;

use crate::support::Folder;

/// What a case is made of.
#[derive(Default)]
struct Case {
    title: String,
    command: String,
    files: Vec<(String, String)>,
    report: String,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            cases.push(Case {
                title: title.to_owned(),
                ..Case::default()
            });
            continue;
        }
        let case = cases.last_mut().expect("a title comes first");
        if let Some(command) = line.strip_prefix("$ ") {
            case.command = command.to_owned();
        } else if let Some(name) = line.strip_prefix("--- ") {
            case.files.push((name.to_owned(), String::new()));
        } else {
            let (_, content) = case.files.last_mut().expect("a file's name comes first");
            content.push_str(line);
            content.push('\n');
        }
    }
    for case in &mut cases {
        let (name, report) = case.files.pop().expect("a report");
        assert_eq!(name, "report", "{}", case.title);
        case.report = report;
    }
    cases
}

/// Runs the cases of a file; each must be refused with its report, which is all of it.
fn check(name: &str, text: &str, count: usize) {
    let cases = cases(text);
    assert_eq!(cases.len(), count);
    for (number, case) in cases.iter().enumerate() {
        let folder = Folder::new(&format!("places-{name}-{number}"));
        for (file, content) in &case.files {
            if let Some((inner, _)) = file.rsplit_once('/') {
                std::fs::create_dir_all(folder.path(inner)).expect("a folder is made");
            }
            folder.write(file, content);
        }
        let report = without_code(&folder.run(&case.command).refusal());
        assert_eq!(report, case.report, "{}", case.title);
    }
}

/// Which instruction of machine code it is, and where, may change.
fn without_code(report: &str) -> String {
    let shown = report.lines().map(|line| match line.split_once("at 0x") {
        Some((before, code)) if code.get(4..6) == Some(": ") => match code.rsplit_once(", ") {
            Some((_, place)) if before.contains(" lanes ") => format!("{before}at …, {place}\n"),
            Some(_) | None => format!("{before}at …\n"),
        },
        Some(_) | None => format!("{line}\n"),
    });
    shown.collect()
}

#[test]
fn faults_are_shown_at_their_lines() {
    check("faults", include_str!("../../places/faults.txt"), FAULTS);
}

#[test]
fn faults_of_machine_code_are_shown_at_their_lines() {
    check(
        "machine-code",
        include_str!("../../places/machine_code.txt"),
        MACHINE_CODE,
    );
}

#[test]
fn mistakes_in_assembly_are_shown_in_its_strings() {
    check("assembly", include_str!("../../places/assembly.txt"), ASSEMBLY);
}

/// How many cases there are, so that none is left out.
const FAULTS: usize = 27;
const MACHINE_CODE: usize = 7;
const ASSEMBLY: usize = 12;

/// The lines that the instructions of `k.cubin` have, each with those of the calls that it was copied to.
fn lines(folder: &Folder) -> BTreeSet<String> {
    let text = folder.run("--face nvdisasm -gi -c k.cubin").success();
    let (mut lines, mut chain) = (BTreeSet::new(), Vec::new());
    for head in text.lines().filter_map(|line| line.trim().strip_prefix("//## File \"")) {
        let (file, rest) = head.split_once("\", line ").expect("a line");
        let (line, inlined) = match rest.split_once(" inlined at ") {
            Some((line, _)) => (line, true),
            None => (rest, false),
        };
        chain.push(format!("{file}:{line}"));
        if !inlined {
            lines.insert(std::mem::take(&mut chain).join(" < "));
        }
    }
    lines
}

#[track_caller]
fn assert_lines(folder: &Folder, wanted: &[&str]) {
    let found = lines(folder);
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), wanted);
}

/// A function of PTX, which the back end copies to its only call.
const HELPER: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"main.py\"
.file 2 \"helpers.py\"
.func (.param .b32 r) scale(.param .b32 x)
{ .reg .f32 %f<4>;
.loc 2 10 0
 ld.param.f32 %f1,[x];
.loc 2 11 0
 sin.approx.f32 %f2,%f1;
.loc 2 12 0
 st.param.f32 [r],%f2; ret; }
.visible .entry k(.param .u64 out)
{ .reg .f32 %f<4>; .reg .b64 %rd<4>;
.loc 1 5 0
 ld.param.u64 %rd1,[out];
.loc 1 6 0
 ld.global.f32 %f1,[%rd1];
.loc 1 7 0
 { .param .b32 a; .param .b32 b; st.param.f32 [a],%f1; call.uni (b),scale,(a); ld.param.f32 %f2,[b]; }
.loc 1 8 0
 st.global.f32 [%rd1],%f2;
.loc 1 9 0
 ret; }
";

#[test]
fn a_function_of_ptx_keeps_its_lines_where_it_is_copied() {
    let folder = Folder::new("places-helper");
    folder.write("k.ptx", HELPER);
    folder
        .run("--face ptxas -lineinfo -arch=sm_90 k.ptx -o k.cubin")
        .success();
    let wanted = [
        "helpers.py:11 < main.py:7",
        "main.py:5",
        "main.py:6",
        "main.py:8",
        "main.py:9",
    ];
    assert_lines(&folder, &wanted);
    folder
        .run("--face ptxas -lineinfo -O0 -arch=sm_90 k.ptx -o k.cubin")
        .success();
    let found = lines(&folder);
    assert!(
        found.contains("helpers.py:11") && found.contains("main.py:7"),
        "{found:?}"
    );
}

/// Functions that call each other, one of which only the back end copies.
const NESTED: &str = "\
__device__ __forceinline__ float g(float x) {
  return x * __sinf(x);
}
__device__ __forceinline__ float h(float x) {
  float y = g(x);
  return y + g(y + 1.0f);
}
__device__ __noinline__ float n(float x) {
  return h(x) * 3.0f;
}
__global__ void k(float *p) {
  int i = threadIdx.x;
  p[i] = h(p[i]);
  p[i + 32] = n(p[i + 64]);
}
";

#[test]
fn lines_of_nested_copies() {
    let folder = Folder::new("places-nested");
    folder.write("a.cu", NESTED);
    folder.run("a.cu -lineinfo -arch=sm_90 -cubin -o k.cubin").success();
    let wanted = [
        "a.cu:11",
        "a.cu:12",
        "a.cu:13",
        "a.cu:14",
        "a.cu:15",
        "a.cu:2 < a.cu:5 < a.cu:13",
        "a.cu:2 < a.cu:5 < a.cu:9 < a.cu:14",
        "a.cu:2 < a.cu:6 < a.cu:13",
        "a.cu:2 < a.cu:6 < a.cu:9 < a.cu:14",
        "a.cu:6 < a.cu:13",
        "a.cu:6 < a.cu:9 < a.cu:14",
        "a.cu:9 < a.cu:14",
    ];
    assert_lines(&folder, &wanted);
}

/// Members, lambdas and templates, in an unrolled loop.
const MEMBERS: &str = "\
struct Scale {
  float by;
  __device__ float operator()(float x) const {
    return x * by + 1.0f;
  }
};
template <class F> __device__ float apply(F f, float x) {
  return f(f(x));
}
__device__ __noinline__ float twice(float x) {
  return apply(Scale{2.0f}, x);
}
__global__ void k(float *p) {
  p[0] = twice(p[1]);
#pragma unroll
  for (int i = 2; i < 4; i++)
    p[i] = apply([](float x) { return x - 3.0f; }, p[i]);
}
";

#[test]
fn lines_of_members_and_lambdas() {
    let folder = Folder::new("places-members");
    folder.write("g.cu", MEMBERS);
    folder.run("g.cu -lineinfo -arch=sm_90 -cubin -o k.cubin").success();
    let wanted = [
        "g.cu:13",
        "g.cu:14",
        "g.cu:17",
        "g.cu:17 < g.cu:8 < g.cu:17",
        "g.cu:18",
        "g.cu:4 < g.cu:8 < g.cu:11 < g.cu:14",
    ];
    assert_lines(&folder, &wanted);
}

#[test]
fn line_information_changes_no_code() {
    let folder = Folder::new("places-code");
    for (name, source) in [("a.cu", NESTED), ("g.cu", MEMBERS)] {
        folder.write(name, source);
        for arch in ["sm_75", "sm_90", "sm_120"] {
            let code = |options: &str| {
                folder
                    .run(&format!("{name} -arch={arch} -cubin -o k.cubin {options}"))
                    .success();
                let cubin = Cubin::read(&folder.read("k.cubin")).expect("a cubin");
                let functions = cubin.functions().map(|(section, name)| (name.to_owned(), section));
                functions
                    .map(|(name, section)| (name, cubin.section_bytes(section).map(<[u8]>::to_vec)))
                    .collect::<Vec<_>>()
            };
            let plain = code("");
            assert!(
                plain
                    .iter()
                    .any(|(_, bytes)| bytes.as_ref().is_some_and(|bytes| !bytes.is_empty()))
            );
            assert_eq!(plain, code("-lineinfo"), "{name} {arch}");
        }
    }
}
