//! The compiler's built-in functions of the device (`__nvvm_*`, `__nv_*`, `__hmma_*` …): what each becomes, what those that compute give, and what is said of
//! those that are not to be had.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use warpsmith_emu::{Device, Launch, Options, ptx};
use warpsmith_tests::c_suites::{Case, Outcome, judge};

/// A line of `tests/builtins/calls.txt`.
struct Call<'t> {
    result: &'t str,
    name: &'t str,
    arguments: Vec<&'t str>,
    instructions: &'t str,
}

/// The calls by target.
fn calls(text: &str) -> Vec<(&str, Vec<Call<'_>>)> {
    let mut targets: Vec<(&str, Vec<Call<'_>>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(target) = line.strip_suffix(':') {
            targets.push((target, Vec::new()));
            continue;
        }
        let (call, instructions) = line.rsplit_once(" = ").expect("`call = instructions`");
        let (head, arguments) = call.split_once('(').expect("arguments");
        let (result, name) = head.rsplit_once(' ').expect("a result before the name");
        let arguments = separate(arguments.strip_suffix(')').expect("the end of the arguments"));
        let calls = &mut targets.last_mut().expect("a target first").1;
        calls.push(Call {
            result,
            name,
            arguments,
            instructions,
        });
    }
    targets
}

/// What commas outside of parentheses separate.
fn separate(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = list.split(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A kernel that makes the call with its parameters, and stores the result.
fn kernel(call: &Call<'_>) -> String {
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (index, argument) in call.arguments.iter().enumerate() {
        if argument.starts_with(|first: char| first.is_ascii_digit()) {
            arguments.push((*argument).to_string());
        } else if argument.contains("(*)") {
            parameters.push(argument.replace("(*)", &format!("(*a{index})")));
            arguments.push(format!("a{index}"));
        } else {
            parameters.push(format!("{argument} a{index}"));
            arguments.push(format!("a{index}"));
        }
    }
    let mut made = format!("{}({});", call.name, arguments.join(", "));
    if call.result != "void" {
        parameters.push(format!("{} *result", call.result));
        made = format!("*result = {made}");
    }
    let (name, parameters) = (call.name, parameters.join(", "));
    format!("extern \"C\" __global__ void of{name}({parameters}) {{ {made} }}\n")
}

/// The PTX of a source, or what is said of it.
fn compiled(name: &str, source: &str, target: &str) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (folder.join(format!("{name}.cu")), folder.join(format!("{name}.ptx")));
    std::fs::write(&input, source).expect("the folder is writable");
    let arguments: Vec<OsString> = vec![
        "warpsmith".into(),
        input.into(),
        "-ptx".into(),
        format!("-arch={target}").into(),
        "-o".into(),
        output.clone().into(),
    ];
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    match warpsmith_driver::run(&arguments, &mut out, &mut errors) {
        0 => Ok(std::fs::read_to_string(output).expect("the output is there")),
        _ => Err(String::from_utf8_lossy(&errors).into_owned()),
    }
}

/// Whether an instruction says what a call becomes: not what loads its operands, stores its result, and goes from here to there.
fn tells(instruction: &str) -> bool {
    const PLAIN: [&str; 14] = [
        "ld.param",
        "st.param",
        "cvta",
        "mov",
        "ret",
        "bra",
        "call",
        "add.s64",
        "add.u64",
        "mul.lo.s64",
        "and.pred",
        "mad.lo",
        "exit",
        "st.u",
    ];
    let in_space = ["ld.global.", "ld.local.", "st.global.", "st.local."]
        .iter()
        .any(|access| {
            instruction
                .strip_prefix(access)
                .is_some_and(|rest| rest.starts_with(['v', 'u', 's', 'f', 'b']))
        });
    !in_space && !PLAIN.iter().any(|plain| instruction.starts_with(plain))
}

/// The instructions of each kernel that tell, sorted.
fn instructions(ptx: &str) -> BTreeMap<&str, String> {
    let mut kernels = BTreeMap::new();
    for entry in ptx.split(".entry of").skip(1) {
        let name = entry.split('(').next().expect("a name");
        let body = entry.split_once("\n{").map_or("", |(_, body)| body);
        let body = body.split_once("\n}").map_or(body, |(body, _)| body);
        let mut found: Vec<&str> = body
            .lines()
            .map(str::trim)
            .map(|line| {
                line.split_once(' ')
                    .filter(|_| line.starts_with('@'))
                    .map_or(line, |(_, rest)| rest)
            })
            .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
            .map(|line| line.split([' ', '\t', ';']).next().unwrap_or(line))
            .filter(|word| !word.ends_with(':') && tells(word))
            .collect();
        found.sort_unstable();
        let text = if found.is_empty() {
            "-".to_string()
        } else {
            found.join(" ")
        };
        kernels.insert(name, text);
    }
    kernels
}

#[test]
fn every_call_becomes_its_instructions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("builtins/calls.txt");
    let text = std::fs::read_to_string(path).expect("the table is readable");
    let mut wrong = Vec::new();
    let mut count = 0;
    for (target, calls) in calls(&text) {
        let source: String = calls.iter().map(kernel).collect();
        let ptx = compiled(&format!("builtins-{target}"), &source, target).unwrap_or_else(|errors| panic!("{errors}"));
        let found = instructions(&ptx);
        for call in &calls {
            count += 1;
            let found = found.get(call.name).map_or("no kernel", String::as_str);
            if found != call.instructions {
                wrong.push(format!("{}: {found}, not {}", call.name, call.instructions));
            }
        }
    }
    assert_eq!(count, 712);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_that_are_not_to_be_had_say_why() {
    let cases = [
        (
            "__nvvm_vote_all(1)",
            "votes without a mask ended with sm_70: `__nvvm_vote_all_sync` takes one",
        ),
        (
            "__nvvm_vote_ballot(1)",
            "votes without a mask ended with sm_70: `__nvvm_vote_ballot_sync` takes one",
        ),
        ("__nvvm_ex2_approx_d(1)", "`ex2` has no form for double precision"),
        (
            "__nv_p2r(0, (bool *)p, 127, p)",
            "PTX has no instruction that packs predicates",
        ),
        (
            "__wgmma_mma_async_f16(64, 8, 16)",
            "write `wgmma.mma_async` as inline assembly",
        ),
        (
            "__nv_tex_surf_handler(\"__itex1D\", p, 0, 0)",
            "only a toolkit's headers of textures and surfaces call it, and the built-in ones stand for those",
        ),
    ];
    for (call, why) in cases {
        let source = format!("__global__ void k(unsigned *p) {{ {call}; }}");
        let errors = compiled("refused", &source, "sm_90a").expect_err(call);
        let name = call.split('(').next().unwrap_or(call);
        assert!(
            errors.contains(&format!("`{name}` is not supported: {why}")),
            "{call}: {errors}"
        );
    }
}

#[test]
fn mistakes_with_atomic_functions_are_named() {
    let cases = [
        (
            "__nv_atomic_load_n(p, *p)",
            "`__nv_atomic_load_n` takes memory orders and scope as constants",
        ),
        (
            "__nv_atomic_load_n(p, __NV_ATOMIC_RELEASE)",
            "`__nv_atomic_load_n`: a load cannot release",
        ),
        (
            "__nv_atomic_store_n(p, 1, __NV_ATOMIC_ACQUIRE)",
            "`__nv_atomic_store_n`: a store cannot acquire",
        ),
        (
            "__nv_atomic_fetch_add(p, 1, 9)",
            "`__nv_atomic_fetch_add`: a memory order is one of",
        ),
        (
            "__nv_atomic_fetch_add(p, 1, 0, 7)",
            "`__nv_atomic_fetch_add`: a scope is one of",
        ),
        (
            "__nv_atomic_fetch_and(f, 1, 0)",
            "`__nv_atomic_fetch_and` is not for an object of this type: `float`",
        ),
        (
            "__nv_atomic_load(s, s, 0)",
            "`__nv_atomic_load` is not for an object of this size: `S`",
        ),
        (
            "__nv_atomic_exchange_n(c, 1, 0)",
            "`__nv_atomic_exchange_n` cannot change a constant object: `int`",
        ),
        (
            "__nv_atomic_load_n(1, 0)",
            "`__nv_atomic_load_n` takes a pointer to the atomic object first",
        ),
        (
            "__nv_atomic_load_n(p)",
            "`__nv_atomic_load_n` takes 3 arguments, but 1 is given",
        ),
        (
            "__hmma_m16n16k16_ld_a(p, p, 16, 2)",
            "`__hmma_m16n16k16_ld_a`: argument 4 must be a constant from 0 to 1",
        ),
    ];
    for (call, message) in cases {
        let source = format!(
            "struct S {{ int a, b, c; }}; __global__ void k(int *p, float *f, S *s, const int *c) {{ {call}; }}"
        );
        let errors = compiled("mistaken", &source, "sm_90a").expect_err(call);
        assert!(errors.contains(message), "{call}: {errors}");
    }
}

#[track_caller]
fn passes(name: &str, target: &str, text: &str) {
    let case = Case {
        name: name.to_string(),
        text: text.to_string(),
        printed: String::new(),
    };
    let sm = target.parse().expect("it is a target");
    assert_eq!(judge(&case, sm), Outcome::Passed);
}

#[test]
fn atomic_functions_with_orders_and_scopes() {
    let text = "
        struct alignas(8) Pair { int first; float second; };
        enum Colour { red, green };
        __device__ int i; __device__ long long l; __device__ float f; __device__ double d; __device__ unsigned u; __device__ unsigned char b;
        __device__ Pair pair; __device__ Colour colour; __device__ int *pointer; __device__ unsigned __int128 wide; __device__ unsigned short h[2];
        template <int order> int loaded(int *p) { return __nv_atomic_load_n(p, order, __NV_THREAD_SCOPE_BLOCK); }
        int main() {
            __nv_atomic_store_n(&i, 5, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
            if (loaded<__NV_ATOMIC_ACQUIRE>(&i) != 5 || loaded<__NV_ATOMIC_SEQ_CST>(&i) != 5) return 1;
            if (__nv_atomic_fetch_add(&i, 3, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_CLUSTER) != 5 || __nv_atomic_fetch_sub(&i, 10, __NV_ATOMIC_RELAXED) != 8) return 2;
            if (__nv_atomic_fetch_max(&i, -1, 0, 1) != -2 || __nv_atomic_fetch_min(&i, -7, 5, 4) != -1 || i != -7) return 3;
            if (__nv_atomic_fetch_and(&i, 12, 2, 3) != -7 || __nv_atomic_fetch_or(&i, 3, 3, 3) != 8 || __nv_atomic_fetch_xor(&i, 1, 4, 3) != 11 || i != 10) return 4;
            u = 5;
            if (__nv_atomic_fetch_max(&u, 0x80000000u, 0) != 5 || __nv_atomic_fetch_min(&u, 7u, 0) != 0x80000000u || u != 7) return 5;
            f = 1.5f, d = 2.5;
            if (__nv_atomic_fetch_add(&f, 2, 0) != 1.5f || __nv_atomic_fetch_sub(&d, 1, 0) != 2.5 || f != 3.5f || d != 1.5) return 6;
            if (__nv_atomic_fetch_max(&f, 9.f, 0) != 3.5f || __nv_atomic_fetch_max_8_f(&d, -9., 0, 3) != 1.5 || f != 9 || d != 1.5) return 7;
            l = 1;
            if (__nv_atomic_fetch_add_8_s(&l, -3, 0, 3) != 1 || __nv_atomic_exchange_8(&l, 77, 0, 3) != -2ull || l != 77) return 8;
            Pair one = {1, 2}, old;
            __nv_atomic_store(&pair, &one, __NV_ATOMIC_RELAXED);
            one.first = 7;
            __nv_atomic_exchange(&pair, &one, &old, __NV_ATOMIC_SEQ_CST);
            if (old.first != 1 || old.second != 2 || pair.first != 7) return 9;
            __nv_atomic_load(&pair, &old, __NV_ATOMIC_ACQUIRE);
            Pair next = {8, 9};
            if (!__nv_atomic_compare_exchange(&pair, &old, &next, false, 5, 2) || pair.second != 9) return 10;
            if (__nv_atomic_compare_exchange(&pair, &old, &next, true, 5, 2) || old.first != 8) return 11;
            int expected = 9;
            if (__nv_atomic_compare_exchange_n(&i, &expected, 1, false, 0, 0, 3) || expected != 10) return 12;
            if (!__nv_atomic_compare_exchange_n(&i, &expected, 1, false, 4, 2, 3) || i != 1) return 13;
            __nv_atomic_store_n(&colour, green, 0);
            if (__nv_atomic_load_n(&colour, 0) != green) return 14;
            if (__nv_atomic_exchange_n(&pointer, &i, 0) || __nv_atomic_load_n(&pointer, 2) != &i) return 15;
            h[0] = 3;
            unsigned short wanted = 3;
            if (!__nv_atomic_compare_exchange_2(h, &wanted, 4, false, 0, 0, 3) || h[0] != 4) return 16;
            __nv_atomic_store_1(&b, 200, 0, 3);
            if (__nv_atomic_load_1(&b, 0, 3) != 200) return 17;
            unsigned __int128 big = ((unsigned __int128)3 << 64) + 4;
            __nv_atomic_store_16(&wide, big, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
            if (__nv_atomic_load_16(&wide, 0, 3) != big || __nv_atomic_exchange_16(&wide, big + 1, 0, 3) != big) return 18;
            unsigned __int128 seen = big;
            if (__nv_atomic_compare_exchange_16(&wide, &seen, 9, false, 0, 0, 3) || seen != big + 1) return 19;
            if (!__nv_atomic_compare_exchange_16(&wide, &seen, 9, false, 0, 0, 3) || wide != 9) return 20;
            __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_CLUSTER);
            return 0;
        }";
    passes("ordered", "sm_90", text);
}

#[test]
fn atomic_functions_on_more_than_a_scalar() {
    let text = "
        struct alignas(8) float2 { float x, y; };
        struct alignas(16) float4 { float x, y, z, w; };
        __device__ unsigned __int128 wide; __device__ float4 four; __device__ float2 two;
        int main() {
            unsigned __int128 a = ((unsigned __int128)1 << 100) + 5, b = a * 3, old = 0;
            __nvvm_atom_xchg_gen_128(&wide, &a, &old);
            if (old != 0 || wide != a) return 1;
            __nvvm_atom_cta_cas_gen_128(&wide, &b, &b, &old);
            if (old != a || wide != a) return 2;
            __nvvm_atom_sys_cas_gen_128(&wide, &a, &b, &old);
            if (old != a || wide != b) return 3;
            float4 term = {1, 2, 3, 4}, before;
            __nvvm_atom_add_gen_f4(&four.x, &term.x, &before.x);
            __nvvm_atom_cta_add_gen_f4(&four.x, &term.x, &before.x);
            if (before.w != 4 || four.x != 2 || four.z != 6) return 4;
            float2 pair = {.5f, .25f}, was;
            __nvvm_atom_sys_add_gen_f2(&two.x, &pair.x, &was.x);
            return was.x == 0 && two.x == .5f && two.y == .25f ? 0 : 5;
        }";
    passes("objects", "sm_90", text);
}

#[test]
fn arithmetic_on_two_floats_at_once() {
    let text = "
        struct alignas(8) float2 { float x, y; };
        int main() {
            float2 a = {1, 3}, b = {0x1p-24f, 2}, c = {-1, 0.5f}, r;
            __nvvm_add_rn_f2(&r.x, &a.x, &b.x);
            if (r.x != 1 || r.y != 5) return 1;
            __nvvm_add_rp_f2(&r.x, &a.x, &b.x);
            if (r.x != 1 + 0x1p-23f || r.y != 5) return 2;
            __nvvm_add_rm_f2(&r.x, &c.x, &b.x);
            if (r.x != -1 + 0x1p-24f || r.y != 2.5f) return 3;
            __nvvm_mul_rz_ftz_f2(&r.x, &a.x, &b.x);
            if (r.x != 0x1p-24f || r.y != 6) return 4;
            __nvvm_fma_rn_f2(&r.x, &a.x, &b.x, &c.x);
            return r.x == -1 + 0x1p-24f && r.y == 6.5f ? 0 : 5;
        }";
    passes("packed", "sm_100", text);
}

#[test]
fn arrays_of_the_runtime_and_its_memory() {
    let text = "
        struct Counted { int value; };
        __device__ int made, gone, copied, order;
        void make(void *p) { ((Counted *)p)->value = ++made; }
        void copy(void *to, void *from) { *(Counted *)to = *(Counted *)from; copied++; }
        void end(void *p) { gone += ((Counted *)p)->value; order = order * 10 + ((Counted *)p)->value; }
        __device__ unsigned long released;
        void *allocate(unsigned long size) { return _Znwm(size); }
        void release(void *p, unsigned long size) { released = size; _ZdlPvm(p, size); }
        int main() {
            Counted *a = (Counted *)__cxa_vec_new(3, sizeof(Counted), 8, make, end);
            if (made != 3 || a[2].value != 3 || ((unsigned long *)a)[-1] != 3) return 1;
            Counted b[3];
            __cxa_vec_cctor(b, a, 3, sizeof(Counted), copy, end);
            if (copied != 3 || b[1].value != 2) return 2;
            __cxa_vec_delete(a, sizeof(Counted), 8, end);
            if (gone != 6 || order != 321) return 3;
            Counted *c = (Counted *)__cxa_vec_new3(2, sizeof(Counted), 8, make, end, allocate, release);
            __cxa_vec_delete3(c, sizeof(Counted), 8, end, release);
            if (gone != 15 || released != 16) return 4;
            int *d = (int *)_Znaj(8);
            d[1] = 5;
            int five = d[1];
            _ZdaPv(d);
            return five == 5 ? 0 : 5;
        }";
    passes("arrays", "sm_90", text);
}

#[test]
fn copies_that_go_on_behind_the_program() {
    let text = "
        __device__ int numbers[4] = {1, 2, 3, 4};
        __shared__ alignas(16) int copy[4];
        int main() {
            copy[3] = 9;
            __nv_memcpy_async_shared_global_16_impl(copy, numbers, 8);
            asm volatile(\"cp.async.wait_all;\" ::: \"memory\");
            if (copy[0] != 1 || copy[1] != 2 || copy[2] != 0 || copy[3] != 0) return 1;
            __nv_memcpy_async_shared_global_4_impl(copy + 3, numbers + 2, 4);
            asm volatile(\"cp.async.wait_all;\" ::: \"memory\");
            return copy[3] == 3 ? 0 : 2;
        }";
    passes("copies", "sm_90", text);
}

/// A product of matrices by the functions of one family, as the interpreter computes it.
#[test]
fn products_of_fragments() {
    let source = "
        extern \"C\" __global__ void k(int *a, int *b, int *d) {
            int fa[2], fb[2], fc[8] = {1, 1, 1, 1, 1, 1, 1, 1}, fd[8];
            __imma_m16n16k16_ld_a_s8(fa, a, 16, 0);
            __imma_m16n16k16_ld_b_s8(fb, b, 16, 1);
            __imma_m16n16k16_mma_s8(fd, fa, fb, fc, 1, 0);
            __imma_m16n16k16_st_c_i32(d, fd, 16, 0);
        }";
    let ptx_text = compiled("fragments", source, "sm_90a").unwrap_or_else(|errors| panic!("{errors}"));
    let parsed = warpsmith_ptx::parse(ptx_text.as_bytes());
    let mut device = Device::default();
    let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
    let value = |row: usize, column: usize| ((row * 7 + column * 3) % 11) as i8 - 5;
    let a: Vec<u8> = (0..256).map(|at| value(at / 16, at % 16) as u8).collect();
    // The second is stored by columns.
    let b: Vec<u8> = (0..256).map(|at| value(at % 16 + 1, at / 16) as u8).collect();
    let places = [
        device.allocate(256, 32),
        device.allocate(256, 32),
        device.allocate(1024, 32),
    ];
    device.write(places[0], &a).expect("it fits");
    device.write(places[1], &b).expect("it fits");
    let launch = Launch {
        block: [32, 1, 1],
        arguments: places.iter().map(|place| place.to_le_bytes().to_vec()).collect(),
        ..Launch::of("k")
    };
    ptx::run(&mut device, &loaded, &launch, &Options::default()).expect("it runs");
    let found = device.read(places[2], 1024).expect("the results are there");
    for (at, bytes) in found.chunks(4).enumerate() {
        let (row, column) = (at / 16, at % 16);
        let sum: i32 = (0..16)
            .map(|k| i32::from(value(row, k)) * i32::from(value(k + 1, column)))
            .sum();
        assert_eq!(bytes, (sum + 1).to_le_bytes(), "row {row}, column {column}");
    }
}

#[test]
fn bessel_functions_of_any_order() {
    // The values are from arithmetic of higher precision.
    let text = "
        extern \"C\" __device__ double __nv_jn(int, double);
        extern \"C\" __device__ double __nv_yn(int, double);
        extern \"C\" __device__ float __nv_jnf(int, float);
        extern \"C\" __device__ float __nv_ynf(int, float);
        bool near(double x, double y) { double d = x - y; return (d < 0 ? -d : d) <= 1e-13 * (y < 0 ? -y : y); }
        int main() {
            if (!near(__nv_jn(2, 0.5), 0.030604023458682641307) || !near(__nv_yn(2, 0.5), -5.4413708371742657196)) return 1;
            if (!near(__nv_jn(2, 5.0), 0.046565116277752215532) || !near(__nv_yn(2, 5.0), 0.36766288260552451799)) return 2;
            if (!near(__nv_jn(5, 3.0), 0.043028434877047583925) || !near(__nv_yn(5, 3.0), -1.905945953828673732218)) return 3;
            if (!near(__nv_jn(5, 20.0), 0.15116976798239497461) || !near(__nv_yn(5, 20.0), -0.10003576788953242697)) return 4;
            if (!near(__nv_jn(20, 10.0), 0.000011513369247813397783) || !near(__nv_yn(20, 10.0), -1597.483848269625981)) return 5;
            if (!near(__nv_jn(128, 100.0), 4.5943874113365107081e-8) || !near(__nv_yn(128, 100.0), -86743.117749713763802)) return 6;
            if (!near(__nv_jn(128, 200.0), -0.063906659293976508052) || !near(__nv_yn(128, 200.0), 0.007642694565723394353263)) return 7;
            if (!near(__nv_jn(3, 1e-4), 2.0833333320312502998e-14) || !near(__nv_yn(3, 1e-4), -5092958185306.847744)) return 8;
            if (__nv_jn(3, -2.0) != -__nv_jn(3, 2.0) || __nv_jn(2, -2.0) != __nv_jn(2, 2.0) || __nv_jn(4, 0.0) != 0) return 9;
            if (__nv_jnf(2, 5.0f) != (float)__nv_jn(2, 5.0) || __nv_ynf(2, 5.0f) != (float)__nv_yn(2, 5.0)) return 10;
            double below = __nv_yn(2, -1.0), no = __nv_jn(-1, 1.0);
            return below != below && no != no && __nv_yn(200, 1e-3) == -__builtin_inf() ? 0 : 11;
        }";
    passes("bessel", "sm_90", text);
}

#[test]
fn what_headers_of_newer_toolkits_call() {
    let text = "
        struct alignas(8) float2 { float x, y; };
        struct alignas(16) float4 { float x, y, z, w; };
        struct alignas(16) double2 { double x, y; };
        struct alignas(4) char4 { signed char x, y, z, w; };
        struct alignas(4) ushort2 { unsigned short x, y; };
        extern \"C\" {
            __device__ float __nv_ldg_f_impl(const float *);
            __device__ signed char __nv_ldg_sc_impl(const signed char *);
            __device__ void __nv_ldg_c4_impl(const char4 *, char4 *);
            __device__ void __nv_ldg_us2_impl(const ushort2 *, ushort2 *);
            __device__ void __nv_ldg_f4_impl(const float4 *, float4 *);
            __device__ void __nv_ldg_d2_impl(const double2 *, double2 *);
            __device__ unsigned __nv_fshl_wrap_impl(unsigned, unsigned, unsigned);
            __device__ unsigned __nv_fshl_clamp_impl(unsigned, unsigned, unsigned);
            __device__ unsigned __nv_fshr_wrap_impl(unsigned, unsigned, unsigned);
            __device__ unsigned __nv_fshr_clamp_impl(unsigned, unsigned, unsigned);
            __device__ int __nv_idp4a_s_s_impl(int, int, int);
            __device__ int __nv_idp2a_lo_s_s_impl(int, int, int);
            __device__ unsigned __nv_idp2a_hi_u_u_impl(unsigned, unsigned, unsigned);
            __device__ unsigned __nv_activemask_impl();
            __device__ float2 __nv_f2AtomicAdd(float2 *, float2);
            __device__ float4 __nv_f4AtomicAdd_block(float4 *, float4);
            __device__ void __u128AtomicExch(void *, void *, void *);
            __device__ float __nv_cos2pif(float);
        }
        __device__ float4 four = {1, 2, 3, 4}; __device__ char4 bytes = {-1, 2, -3, 4}; __device__ ushort2 halves = {1, 65535}; __device__ double2 two = {1, -2};
        __device__ signed char byte = -7; __device__ float2 sum; __device__ float4 sums; __device__ unsigned __int128 wide;
        int main() {
            float4 f; char4 c; ushort2 h; double2 d;
            __nv_ldg_f4_impl(&four, &f);
            __nv_ldg_c4_impl(&bytes, &c);
            __nv_ldg_us2_impl(&halves, &h);
            __nv_ldg_d2_impl(&two, &d);
            if (f.w != 4 || f.x != 1 || c.x != -1 || c.z != -3 || h.y != 65535 || d.y != -2) return 1;
            if (__nv_ldg_sc_impl(&byte) != -7 || __nv_ldg_f_impl(&four.y) != 2) return 2;
            if (__nv_fshl_wrap_impl(0x12345678, 0x9abcdef0, 36) != 0x23456789 || __nv_fshl_clamp_impl(1, 2, 40) != 2) return 3;
            if (__nv_fshr_wrap_impl(0x12345678, 0x9abcdef0, 36) != 0x89abcdef || __nv_fshr_clamp_impl(1, 2, 40) != 1) return 4;
            if (__nv_idp4a_s_s_impl(0x01ff0203, 0x01010101, 10) != 15 || __nv_idp2a_lo_s_s_impl(0x00020003, 0x05050102, 1) != 9) return 5;
            if (__nv_idp2a_hi_u_u_impl(0x00020003, 0x01020506, 0) != 8 || __nv_activemask_impl() != 1) return 6;
            float2 old = __nv_f2AtomicAdd(&sum, float2{1, 2});
            float4 before = __nv_f4AtomicAdd_block(&sums, float4{1, 2, 3, 4});
            if (old.x != 0 || sum.y != 2 || before.z != 0 || sums.w != 4) return 7;
            unsigned __int128 one = 1, was = 5;
            __u128AtomicExch(&wide, &one, &was);
            return was == 0 && wide == 1 && __nv_cos2pif(0.5f) == -1 ? 0 : 8;
        }";
    passes("toolkit", "sm_90", text);
}
