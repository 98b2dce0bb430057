use std::sync::atomic::Ordering::Relaxed;

use super::*;
use crate::image;

/// Each thread doubles its word.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry double(.param .u64 data)
{
    .reg .b32 index, value;
    .reg .b64 at, start;
    ld.param.u64 start, [data];
    mov.u32 index, %tid.x;
    mad.wide.u32 at, index, 4, start;
    ld.u32 value, [at];
    add.u32 value, value, value;
    st.u32 [at], value;
    ret;
}
";

fn settings(pairs: &[(&str, &str)]) -> Result<Settings, String> {
    Settings::read(|name| {
        let found = pairs.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_string())
    })
}

/// A state with a primary context, and the kernel of the text.
fn with_kernel(pairs: &[(&str, &str)], text: &str, name: &str) -> (State, usize) {
    let mut state = State::new(settings(pairs).expect("they are right"));
    state.contexts[0].held = 1;
    let cubin = image::compiled(text.as_bytes(), Sm::Sm90a).expect("it compiles");
    let module = state.load(cubin, PRIMARY, None).expect("it loads");
    let kernel = state.kernel(module, name).expect("it is there");
    (state, kernel)
}

fn one_block(threads: u32) -> Extents {
    Extents {
        grid: [1; 3],
        block: [threads, 1, 1],
        cluster: [1; 3],
        shared: 0,
        cooperative: false,
    }
}

fn run(state: &mut State, kernel: usize, extents: Extents, address: u64) -> Result<(), Failed> {
    state.launch(kernel, extents, vec![address.to_le_bytes().to_vec()], PRIMARY, |_| {})
}

#[test]
fn a_launch_ends_after_the_instructions_that_are_set() {
    let given = settings(&[("WARPSMITH_GPU_STEPS", "1000")]).expect("a number");
    assert_eq!(given.options.step_budget, 1000);
    assert!(settings(&[("WARPSMITH_GPU_STEPS", "few")]).is_err());
}

#[test]
fn settings_are_read_or_refused() {
    let plain = settings(&[]).expect("the usual");
    assert_eq!((plain.sm, plain.multiprocessors), (Sm::Sm90a, 8));
    assert!(plain.options.padded_shared && !plain.strict);
    let given = settings(&[
        ("WARPSMITH_GPU", "120a"),
        ("WARPSMITH_GPU_SMS", "132"),
        ("WARPSMITH_GPU_STRICT", "1"),
        ("WARPSMITH_GPU_CHECK", "hazards,registers"),
    ]);
    let given = given.expect("they are right");
    assert_eq!((given.sm, given.multiprocessors), (Sm::Sm120a, 132));
    assert!(given.strict && !given.options.padded_shared);
    assert!(given.options.check_hazards && given.options.check_registers && !given.options.check_uninitialised);
    let refused = |name, value| settings(&[(name, value)]).expect_err("it is wrong");
    assert_eq!(
        refused("WARPSMITH_GPU_SMS", "many"),
        "WARPSMITH_GPU_SMS is 'many', which is no number"
    );
    assert_eq!(
        refused("WARPSMITH_GPU_CHECK", "races"),
        "WARPSMITH_GPU_CHECK has no 'races'"
    );
    assert!(refused("WARPSMITH_GPU", "sm_12").starts_with("WARPSMITH_GPU: unknown target 'sm_12'"));
}

/// Kernels change the words of the host themselves, and no others: what the host writes beside them stays.
#[test]
fn kernels_work_on_memory_of_the_host() {
    let (mut state, kernel) = with_kernel(&[], PTX, "double");
    let words: &'static [AtomicU64] = Vec::leak(vec![AtomicU64::new(1 | 2 << 32), AtomicU64::new(7)]);
    let address = 0x5555_0000_1000;
    let owner = (Owner::Registered, 0);
    state
        .share((address, 8), (address, words), owner, PRIMARY)
        .expect("it is free");
    let again = state.share((address + 4, 8), (address, words), owner, PRIMARY);
    assert_eq!(again.expect_err("it overlaps").code, Code::HostMemoryAlreadyRegistered);
    assert!(state.piece(address + 7).is_some() && state.piece(address + 8).is_none());
    run(&mut state, kernel, one_block(2), address).expect("it runs");
    assert_eq!(words[0].load(Relaxed), 2 | 4 << 32);
    assert_eq!(words[1].load(Relaxed), 7);
    state.release(address, &[Owner::Registered]).expect("it is registered");
    run(&mut state, kernel, one_block(2), address).expect("the calls behind it tell");
    assert_eq!(
        state.healthy(PRIMARY).expect_err("nothing is there").code,
        Code::IllegalAddress
    );
}

#[test]
fn a_fault_stays_until_the_context_ends() {
    let (mut state, kernel) = with_kernel(&[], PTX, "double");
    let start = state.allocate(16, PRIMARY).expect("a little");
    run(&mut state, kernel, one_block(4), start).expect("it runs");
    assert_eq!(state.healthy(PRIMARY), Ok(()));
    run(&mut state, kernel, one_block(5), start).expect("the calls behind it tell");
    assert_eq!(state.told(PRIMARY), None);
    for _ in 0..2 {
        let failed = state.healthy(PRIMARY).expect_err("a thread too many writes");
        assert_eq!(failed.code, Code::IllegalAddress);
        assert_eq!(state.told(PRIMARY), Some(Code::IllegalAddress));
    }
    let pieces = state.end(PRIMARY);
    assert_eq!(
        (pieces.len(), state.allocated()),
        (0, 0),
        "memory of the device is gone"
    );
    assert_eq!(state.healthy(PRIMARY), Ok(()));
    assert!(state.known(kernel).is_err(), "and the module");

    let (mut state, kernel) = with_kernel(&[("CUDA_LAUNCH_BLOCKING", "1")], PTX, "double");
    let failed = run(&mut state, kernel, one_block(1), 1 << 40).expect_err("it tells itself");
    assert_eq!(failed.code, Code::IllegalAddress);
}

#[test]
fn launches_that_no_device_does_are_refused_and_leave_no_fault() {
    let (mut state, kernel) = with_kernel(&[], PTX, "double");
    let start = state.allocate(16, PRIMARY).expect("a little");
    let wide = |block: [u32; 3]| Extents { block, ..one_block(1) };
    let cases = [
        (wide([2048, 1, 1]), Code::InvalidConfiguration),
        (wide([1, 1, 65]), Code::InvalidConfiguration),
        (wide([0, 1, 1]), Code::InvalidConfiguration),
        (
            Extents {
                grid: [1, 70_000, 1],
                ..one_block(1)
            },
            Code::InvalidConfiguration,
        ),
        (
            Extents {
                shared: 48 * 1024 + 1,
                ..one_block(1)
            },
            Code::InvalidValue,
        ),
        (
            Extents {
                grid: [2000, 1, 1],
                cooperative: true,
                ..one_block(1024)
            },
            Code::CooperativeLaunchTooLarge,
        ),
    ];
    for (extents, code) in cases {
        let failed = run(&mut state, kernel, extents, start).expect_err("no device does it");
        assert_eq!(failed.code, code, "{extents:?}: {}", failed.reason);
    }
    assert_eq!(state.healthy(PRIMARY), Ok(()));
    // Once it is asked for, more shared memory is there.
    state.known_mut(kernel).expect("it is there").dynamic_limit = 64 * 1024;
    run(
        &mut state,
        kernel,
        Extents {
            shared: 64 * 1024,
            ..one_block(1)
        },
        start,
    )
    .expect("it runs");
    assert_eq!(state.healthy(PRIMARY), Ok(()));
}

#[test]
fn allocations_end_at_their_unit_for_reads_unless_it_is_strict() {
    const READS: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry read(.param .u64 data)
{
    .reg .b32 a, b, c, d;
    .reg .b64 start;
    ld.param.u64 start, [data];
    ld.global.v4.u32 {a, b, c, d}, [start+16];
    st.global.u32 [start], a;
    ret;
}
";
    for (strict, sound) in [("0", true), ("1", false)] {
        let (mut state, kernel) = with_kernel(&[("WARPSMITH_GPU_STRICT", strict)], READS, "read");
        let start = state.allocate(28, PRIMARY).expect("a little");
        run(&mut state, kernel, one_block(1), start).expect("the calls behind it tell");
        assert_eq!(state.healthy(PRIMARY).is_ok(), sound, "strict: {strict}");
        // The host's copies are exact always.
        assert!(state.read(start, 28).is_ok() && state.read(start, 29).is_err());
    }
    let (mut state, _) = with_kernel(&[], PTX, "double");
    for bytes in [1 << 44, u64::MAX, (64 << 30) + 1] {
        assert_eq!(
            state.allocate(bytes, PRIMARY).expect_err("too much").code,
            Code::OutOfMemory
        );
    }
}

/// Dynamic shared memory of 28 bytes, of which the last 16 are read as a vector: a GPU gives it in units of 128.
#[test]
fn shared_memory_ends_at_its_unit_for_reads_unless_it_is_strict() {
    let text = |access: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n.visible .entry k(.param .u64 p)\n\
             {{ .reg .b32 a, b, c, d; .reg .b64 q; ld.param.u64 q, [p]; mov.u32 a, 7; st.shared.u32 [s+16], a;\n{access}\nst.global.u32 [q], a; ret; }}\n"
        )
    };
    let cases = [
        ("0", "ld.shared.v4.u32 {a, b, c, d}, [s+16];", Ok(())),
        ("0", "ld.shared.u32 a, [s+124];", Ok(())),
        ("0", "ld.shared.u32 a, [s+128];", Err(Code::LaunchFailed)),
        ("0", "st.shared.v4.u32 [s+16], {a, a, a, a};", Err(Code::LaunchFailed)),
        ("1", "ld.shared.v4.u32 {a, b, c, d}, [s+16];", Err(Code::LaunchFailed)),
        ("1", "ld.shared.u32 a, [s+24];", Ok(())),
    ];
    for (strict, access, expected) in cases {
        let (mut state, kernel) = with_kernel(&[("WARPSMITH_GPU_STRICT", strict)], &text(access), "k");
        let start = state.allocate(4, PRIMARY).expect("a little");
        let extents = Extents {
            shared: 28,
            ..one_block(1)
        };
        run(&mut state, kernel, extents, start).expect("the calls behind it tell");
        let found = state.healthy(PRIMARY).map_err(|failed| failed.code);
        assert_eq!(found, expected, "strict {strict}: {access}");
    }
}

#[test]
fn all_ctas_of_a_cooperative_launch_meet() {
    // Each CTA adds to a counter and waits until all four have; the workspace of `grid.sync()` has its size first.
    const MEET: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry meet(.param .u64 data)
{
    .reg .pred wait;
    .reg .b32 low, high, size, seen;
    .reg .b64 start, place;
    ld.param.u64 start, [data];
    mov.u32 high, %envreg1;
    mov.u32 low, %envreg2;
    mov.b64 place, {low, high};
    ld.u32 size, [place];
    st.global.u32 [start+4], size;
    atom.global.add.u32 seen, [start], 1;
again:
    ld.acquire.gpu.global.u32 seen, [start];
    setp.lt.u32 wait, seen, 4;
    @wait bra again;
    ret;
}
";
    let (mut state, kernel) = with_kernel(&[("WARPSMITH_GPU_STEPS", "1000000")], MEET, "meet");
    let start = state.allocate(8, PRIMARY).expect("a little");
    let extents = Extents {
        grid: [4, 1, 1],
        cooperative: true,
        ..one_block(1)
    };
    run(&mut state, kernel, extents, start).expect("they meet");
    assert_eq!(state.healthy(PRIMARY), Ok(()));
    assert_eq!(state.read(start, 8), Ok(vec![4, 0, 0, 0, 0, 1, 0, 0]));
}

/// A kernel whose calls have no bound has a stack of whatever size the file says: of 16 bytes each, and the most where none is known.
#[test]
fn stacks_of_unknown_size_are_aligned() {
    const RECURSIVE: &str = ".version 8.0
.target sm_80
.address_size 64
.func (.param .f64 result) down(.param .u32 count)
{
    .local .align 8 .f64 held[4];
    .reg .pred done;
    .reg .b32 left;
    .reg .f64 sum, rest;
    ld.param.u32 left, [count];
    cvt.rn.f64.u32 sum, left;
    setp.eq.u32 done, left, 0;
    @done bra end;
    st.local.f64 [held+8], sum;
    sub.u32 left, left, 1;
    { .param .u32 a; .param .f64 r; st.param.u32 [a], left; call (r), down, (a); ld.param.f64 rest, [r]; }
    ld.local.f64 sum, [held+8];
    add.f64 sum, sum, rest;
end:
    st.param.f64 [result], sum;
    ret;
}
.visible .entry k(.param .u64 data)
{
    .reg .b32 index;
    .reg .b64 start;
    .reg .f64 sum;
    ld.param.u64 start, [data];
    mov.u32 index, 20;
    { .param .u32 a; .param .f64 r; st.param.u32 [a], index; call (r), down, (a); ld.param.f64 sum, [r]; }
    st.global.f64 [start], sum;
    ret;
}
";
    for size in [u32::MAX, 0, 1, 24, 0xf_ffff, 1 << 30] {
        let mut cubin = image::compiled(RECURSIVE.as_bytes(), Sm::Sm90a).expect("it compiles");
        let (kernel, _) = cubin.symbol_by_name("k").expect("it is there");
        let (section, _) = cubin.section_by_name(".nv.info").expect("it is there");
        let mut records = cubin.info_records(section).expect("they are right");
        let stack =
            |record: &&mut warpsmith_cubin::InfoRecord| record.attribute.name() == Some("EIATTR_MIN_STACK_SIZE");
        for record in records.iter_mut().filter(stack) {
            let words = record.value.words().unwrap_or_default();
            if words.first() == Some(&kernel) {
                let payload = [kernel.to_le_bytes(), size.to_le_bytes()].concat();
                record.value = warpsmith_cubin::InfoValue::Sized(payload);
            }
        }
        let bytes = warpsmith_cubin::info::to_bytes(&records).expect("they fit");
        cubin.sections[section as usize].content = warpsmith_cubin::Content::Bytes(bytes);
        let mut state = State::new(settings(&[]).expect("the usual"));
        state.contexts[0].held = 1;
        let module = state.load(cubin, PRIMARY, None).expect("it loads");
        let kernel = state.kernel(module, "k").expect("it is there");
        let start = state.allocate(8, PRIMARY).expect("a little");
        run(&mut state, kernel, one_block(1), start).expect("the calls behind it tell");
        assert_eq!(state.healthy(PRIMARY), Ok(()), "{size:#x}");
        let held = state.read(start, 8).expect("it is there");
        assert_eq!(held, 210_f64.to_le_bytes(), "{size:#x}");
    }
}

#[test]
fn a_library_is_a_module_in_each_context_that_asks() {
    let mut state = State::new(settings(&[]).expect("the usual"));
    state.contexts[0].held = 1;
    state.contexts.push(Context::new(0));
    let other = ContextId(1);
    let cubin = image::compiled(PTX.as_bytes(), Sm::Sm90a).expect("it compiles");
    let library = state.add_library(cubin.clone());
    assert_eq!(state.library_module(library, PRIMARY), Ok(None), "none has asked");
    for context in [PRIMARY, other] {
        let module = state.load(cubin.clone(), context, None).expect("it loads");
        state.note_module(library, module);
        assert_eq!(state.library_module(library, context), Ok(Some(module)));
    }
    let kernel = state.add_library_kernel(library, "double");
    assert_eq!(state.add_library_kernel(library, "double"), kernel, "it is the same");
    assert_eq!(state.library_kernel(kernel), Ok((library, "double")));
    // A context takes its modules with it, and the library loads again.
    state.end(other);
    assert_eq!(state.library_module(library, other), Ok(None));
    assert_eq!(state.unload_library(library), Ok(()));
    let gone = state.library_kernel(kernel).expect_err("its library is gone");
    assert_eq!(gone.code, Code::InvalidHandle);
}
