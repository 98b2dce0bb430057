//! Control flow, barriers, and what the lanes of a warp do together.

mod support;

use support::{START, TARGETS, agree_body, agree_on, two_by_64};
use warpsmith_emu::Launch;

#[test]
fn branches_by_index() {
    agree_body(
        "and.b32 %r10, %r4, 3; mov.u32 %r11, 0;
        targets: .branchtargets A, B, C;
        setp.lt.u32 %p1, %r10, 3;
        @%p1 brx.idx %r10, targets;
        mov.u32 %r11, 9; bra END;
        A: mov.u32 %r11, 1; bra END;
        B: mov.u32 %r11, 2; bra END;
        C: mov.u32 %r11, 3;
        END: st.global.u32 [%d5], %r11;",
    );
}

/// Words of the text of a compiled kernel, and the bytes of its constant bank 2.
fn with_bank(
    target: &str,
    options: &warpsmith_ori::Options,
    text: &str,
) -> (Vec<warpsmith_sass::Instruction>, Vec<u8>) {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
    let sm: warpsmith_target::Sm = target.parse().expect("a known target");
    let output =
        warpsmith_ori::compile_with_options(&parsed.module, sm, options).unwrap_or_else(|e| panic!("{}", e[0]));
    let cubin = warpsmith_cubin::Cubin::read(&output.cubin.write()).expect("the cubin reads back");
    let bank = cubin
        .sections
        .iter()
        .position(|section| section.name == ".nv.constant2.k");
    let bank = bank.map_or(Vec::new(), |index| {
        cubin.section_bytes(index as u32).unwrap_or_default().to_vec()
    });
    let (section, _) = cubin.functions().next().expect("a function");
    let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
    let decode = |word: &[u8]| {
        let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
        warpsmith_sass::Instruction::decode(sm.isa(), word).expect("our words decode")
    };
    (words.map(decode).collect(), bank)
}

/// Five ways by index, of which two are one.
const WAYS: &str = "and.b32 %r10, %r4, 7; mov.u32 %r11, 0;
    targets: .branchtargets A, B, C, A, D;
    setp.gt.u32 %p1, %r10, 4; @%p1 bra END; ld.global.u32 %r12, [%d6];
    brx.idx %r10, targets;
    A: st.global.u32 [%d5+8], %r10; mul.lo.u32 %r11, %r12, 3; bra END;
    B: st.global.u32 [%d5+8], %r12; add.u32 %r11, %r12, 3; bra END;
    C: st.global.u32 [%d5+4], %r10; xor.b32 %r11, %r12, 3; bra END;
    D: st.global.u32 [%d5+4], %r12; shr.u32 %r11, %r12, 3;
    END: shfl.sync.bfly.b32 %r13, %r11, 1, 31, -1; st.global.v2.u32 [%d5], {%r11, %r13};";

#[test]
fn a_branch_by_index_goes_by_a_table() {
    agree_body(WAYS);
    for target in TARGETS {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{WAYS}\nret;\n}}\n"
        );
        for level in 0..=3 {
            let mut options = warpsmith_ori::Options {
                level,
                ..Default::default()
            };
            let (words, bank) = with_bank(target, &options, &text);
            let at = words
                .iter()
                .position(|word| word.opcode() == warpsmith_sass::Opcode::Brx)
                .expect("a branch by a table");
            let targets: Vec<u32> = bank
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes(b.try_into().expect("4 bytes")))
                .collect();
            assert_eq!(targets.len(), 5, "{target}: {targets:?}");
            assert_eq!(targets[0], targets[3]);
            assert!(
                targets
                    .iter()
                    .all(|to| to % 16 == 0 && (*to as usize / 16) < words.len() && *to as usize / 16 > at)
            );
            // The linker places the table of a relocatable file.
            options.object.relocatable = true;
            let (words, bank) = with_bank(target, &options, &text);
            assert!(bank.len() == 20 && words.iter().any(|word| word.opcode() == warpsmith_sass::Opcode::Brx));
        }
    }
}

/// sm_87: the convergence barriers are written before anything else, unless a uniform register says that they were; a loop may begin at the first instruction.
#[test]
fn sm_87_writes_its_barriers_first() {
    let body = format!("{START} {WAYS} ret;");
    agree_on(&["sm_87"], "", &body, &two_by_64());
    agree_on(
        &["sm_87"],
        "",
        "LOOP: bar.sync 0; .reg .pred %p; .reg .u32 %r; .reg .u64 %d; mov.u32 %r, %clock; setp.eq.u32 %p, %r, 0; @%p bra LOOP; ret;",
        &two_by_64(),
    );
    let text = format!(
        ".version 9.0\n.target sm_87\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{body}\n}}\n"
    );
    for level in 0..=3 {
        let options = warpsmith_ori::Options {
            level,
            ..Default::default()
        };
        let (words, _) = with_bank("sm_87", &options, &text);
        let lines: Vec<String> = words.iter().take(20).map(ToString::to_string).collect();
        assert_eq!(lines[0], "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT");
        assert!(lines[1].starts_with("@P0 BRA"), "{}", lines[1]);
        assert_eq!(lines[2], "BMOV.32 B0, 0xffffffff");
        assert_eq!(
            [&lines[3], &lines[17]],
            ["BMOV.32.CLEAR B1, B0", "BMOV.32.CLEAR B15, B14"]
        );
        assert_eq!([&lines[18], &lines[19]], ["BMOV.32 B15, 0x0", "UMOV UR2, 0x1"]);
    }
}

/// Functions that are called and stay apart, each with two tables: where they stand is the same in each kernel that calls any, behind its own.
#[test]
fn functions_that_are_called_branch_by_tables() {
    let function = |name: &str, factor: u32| {
        format!(
            ".func (.reg .u32 %o) {name}(.reg .u32 %i) {{ .reg .pred %p; .reg .u32 %x<4>; targets: .branchtargets A, B, C, D, B; more: .branchtargets F, H, G;
            rem.u32 %x0, %i, 100; brx.idx %x0, targets;
            A: mov.u32 %o, 11; bra E; B: mov.u32 %o, {factor}; bra E; C: mul.lo.u32 %o, %i, 77; bra E; D: mul.lo.u32 %o, %i, {factor};
            E: mov.u32 %x1, 3; rem.u32 %x2, %o, %x1; brx.idx %x2, more;
            F: add.u32 %o, %o, 5; bra J; G: xor.b32 %o, %o, 9; bra J; H: shl.b32 %o, %o, 1;
            J: setp.lt.u32 %p, %i, 100; @%p ret; sub.u32 %i, %i, 100; call (%x3), {name}, (%i); add.u32 %o, %o, %x3; ret; }}\n"
        )
    };
    let declarations = format!(
        "{}{}.visible .entry other(.param .u64 out) {{ .reg .u32 %r<3>; .reg .u64 %d; mov.u32 %r1, 2; call (%r2), g, (%r1); ld.param.u64 %d, [out]; st.global.u32 [%d], %r2; ret; }}",
        function("f", 12),
        function("g", 3)
    );
    let body = format!(
        "{START} mov.u32 %r9, 5; rem.u32 %r10, %r4, %r9; call (%r11), f, (%r10); add.u32 %r12, %r4, 3; rem.u32 %r12, %r12, 5; add.u32 %r12, %r12, 100;
        call (%r13), g, (%r12); mov.u32 %r20, 4; rem.u32 %r20, %r11, %r20; own: .branchtargets P, Q, R, S;
        mov.u32 %r14, 0; brx.idx %r20, own; P: add.u32 %r14, %r14, 1; Q: add.u32 %r14, %r14, 20; bra T; R: mov.u32 %r14, 7; S: mul.lo.u32 %r14, %r13, 3;
        T: st.global.v4.u32 [%d5], {{%r11, %r13, %r14, %r4}}; ret;"
    );
    agree_on(&TARGETS, &declarations, &body, &two_by_64());
    let text = format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n{declarations}.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{body}\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let options = warpsmith_ori::Options::default();
    let output = warpsmith_ori::compile_with_options(&parsed.module, "sm_80".parse().expect("a target"), &options);
    let output = output.expect("it compiles");
    let told = output.functions.iter().map(|function| function.table_bytes);
    assert_eq!(told.collect::<Vec<_>>(), [32, 32, 80, 80]);
    let cubin = output.cubin;
    let size = |name: &str| {
        let index = cubin.sections.iter().position(|section| section.name == name);
        index.map(|index| cubin.section_bytes(index as u32).unwrap_or_default().len())
    };
    assert_eq!(
        [
            size(".nv.constant2.k"),
            size(".nv.constant2.other"),
            size(".nv.constant2.f")
        ],
        [Some(80), Some(80), None]
    );
}

#[test]
fn shuffles() {
    agree_body(
        "shfl.sync.idx.b32 %r10, %r5, 3, 31, -1; shfl.sync.up.b32 %r11|%p1, %r5, 1, 0, 0xffffffff; @%p1 add.u32 %r11, %r11, 100;
        shfl.sync.down.b32 %r12, %r5, 5, 0x1f1f, -1; shfl.sync.bfly.b32 %r13, %r5, 16, 31, -1;
        st.global.v4.u32 [%d5], {%r10, %r11, %r12, %r13};",
    );
}

#[test]
fn votes_and_matches() {
    agree_body(
        "and.b32 %r10, %r4, 5; setp.eq.u32 %p1, %r10, 5; setp.lt.u32 %p2, %r4, 99;
        vote.sync.ballot.b32 %r11, %p1, -1; vote.sync.all.pred %p3, %p2, -1; vote.sync.any.pred %p4, !%p2, -1; vote.sync.uni.pred %p5, !%p2, -1;
        mov.u32 %r12, 0; @%p3 add.u32 %r12, %r12, 1; @%p4 add.u32 %r12, %r12, 2; @%p5 add.u32 %r12, %r12, 4;
        match.any.sync.b32 %r13, %r10, -1; match.all.sync.b64 %r14|%p6, %d1, -1; @%p6 add.u32 %r12, %r12, 8;
        match.all.sync.b32 %r15|%p7, %r10, -1; @%p7 add.u32 %r12, %r12, 16; add.u32 %r14, %r14, %r15;
        st.global.v4.u32 [%d5], {%r11, %r12, %r13, %r14};",
    );
}

#[test]
fn lanes_apart() {
    // The odd lanes vote on their own.
    agree_body(
        "and.b32 %r10, %r4, 1; setp.eq.u32 %p1, %r10, 1; mov.u32 %r11, 0; mov.u32 %r12, 0; and.b32 %r13, %r4, 4; setp.ne.u32 %p2, %r13, 0;
        @!%p1 bra END;
        vote.sync.ballot.b32 %r11, %p2, 0xaaaaaaaa; shfl.sync.idx.b32 %r12, %r5, 7, 31, 0xaaaaaaaa;
        END: st.global.v2.u32 [%d5], {%r11, %r12};",
    );
}

#[test]
fn barriers() {
    agree_body(
        ".shared .align 4 .b32 cells[64];
        shl.b32 %r10, %r4, 2; mov.u32 %r11, cells; add.u32 %r11, %r11, %r10; st.shared.u32 [%r11], %r5;
        mov.u32 %r20, 3; mov.u32 %r21, 64; bar.sync %r20, %r21; bar.sync 2, %r21; bar.sync %r20; barrier.sync 1, 64;
        xor.b32 %r12, %r10, 252; mov.u32 %r13, cells; add.u32 %r13, %r13, %r12; ld.shared.u32 %r14, [%r13];
        setp.lt.u32 %p1, %r4, 10; bar.red.popc.u32 %r15, 1, %p1; bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 1, 64, %p1;
        mov.u32 %r16, 0; @%p2 add.u32 %r16, %r16, 1; @%p3 add.u32 %r16, %r16, 2;
        st.global.v4.u32 [%d5], {%r14, %r15, %r16, %r4};",
    );
}

#[test]
fn reductions_over_a_warp() {
    let body = format!(
        "{START}
        redux.sync.add.s32 %r10, %r5, -1; redux.sync.max.u32 %r11, %r5, -1; redux.sync.min.s32 %r12, %r5, -1; redux.sync.xor.b32 %r13, %r5, -1;
        st.global.v4.u32 [%d5], {{%r10, %r11, %r12, %r13}}; ret;"
    );
    agree_on(&TARGETS[1..], "", &body, &two_by_64());
}

#[test]
fn reductions_at_barriers_whose_number_is_in_a_register() {
    agree_body(
        "ld.global.u32 %r10, [%d2]; mul.lo.u32 %r10, %r10, 3; add.u32 %r10, %r10, 2; setp.lt.u32 %p1, %r4, 33;
        barrier.cta.red.popc.aligned.u32 %r11, %r10, %p1; bar.red.popc.u32 %r12, %r10, 64, %p1;
        barrier.cta.red.and.pred %p2, %r10, %p1; bar.cta.red.or.pred %p3, %r10, %p1;
        selp.u32 %r13, 3, 4, %p2; selp.u32 %r14, 5, 6, %p3; st.global.v4.u32 [%d5], {%r11, %r12, %r13, %r14};",
    );
}

#[test]
fn cluster_barriers_of_kernels_that_name_no_cluster() {
    let body = format!(
        "{START} .shared .align 4 .b8 m[256]; mov.u32 %r10, m; shl.b32 %r11, %r4, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r5;
        setp.ne.u32 %p1, %r1, 0; @%p1 barrier.cluster.arrive.aligned; @%p1 barrier.cluster.wait.aligned;
        xor.b32 %r11, %r11, 128; add.u32 %r12, %r10, %r11; ld.shared.u32 %r13, [%r12]; bar.sync 0; st.shared.u32 [%r12], %r13;
        barrier.cluster.arrive.release; barrier.cluster.wait.acquire; ld.shared.u32 %r14, [m+60];
        fence.proxy.async.sync_restrict::shared::cluster; fence.proxy.async.sync_restrict::shared::cta;
        st.global.v2.u32 [%d5], {{%r13, %r14}}; ret;"
    );
    for cluster in [[1, 1, 1], [2, 1, 1]] {
        let shape = Launch { cluster, ..two_by_64() };
        agree_on(&["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"], "", &body, &shape);
    }
}
