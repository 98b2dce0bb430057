//! Operands of matrix products that go round a loop: they stay in the registers that the products read, and sums stay where they are.

mod support;

use support::{agree_on, two_by_64};
use warpsmith_ori::{Options, compile_with_options};
use warpsmith_sass::{FieldName, Instruction, Opcode};

const TARGETS: [&str; 3] = ["sm_80", "sm_90", "sm_120"];

/// Two products on the same left matrix go round a loop, whose end loads the matrices of the next round. `take` splits what is loaded, `give` puts it together.
fn body(take: &str, give: &str) -> String {
    format!(
        ".reg .b16 %h<12>; .reg .b32 %a<4>; .reg .b32 %b<4>; .reg .b32 %c<4>; .reg .f32 %d<4>; .reg .f32 %e<4>; .reg .b64 %o, %i; .reg .b32 %t, %n; .reg .pred %p;
        ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x; mad.wide.u32 %i, %t, 16, %i; mad.wide.u32 %o, %t, 32, %o; mov.u32 %n, 0;
        mov.f32 %d0, 0f00000000; mov.f32 %d1, 0f00000000; mov.f32 %d2, 0f00000000; mov.f32 %d3, 0f00000000;
        mov.f32 %e0, 0f3f800000; mov.f32 %e1, 0f00000000; mov.f32 %e2, 0f00000000; mov.f32 %e3, 0f00000000;
        ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%i];
        and.b32 %c0, %c0, 0x3bff3bff; and.b32 %c1, %c1, 0x3bff3bff; and.b32 %c2, %c2, 0x3bff3bff; and.b32 %c3, %c3, 0x3bff3bff;
        {take}
        L:
        {give}
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%d0, %d1, %d2, %d3}}, {{%a0, %a1, %a2, %a3}}, {{%a0, %a1}}, {{%d0, %d1, %d2, %d3}};
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%e0, %e1, %e2, %e3}}, {{%a0, %a1, %a2, %a3}}, {{%a2, %a3}}, {{%e0, %e1, %e2, %e3}};
        ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%i+256];
        and.b32 %c0, %c0, 0x3bff3bff; and.b32 %c1, %c1, 0x3bff3bff; and.b32 %c2, %c2, 0x3bff3bff; and.b32 %c3, %c3, 0x3bff3bff;
        {take}
        add.u64 %i, %i, 16; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 9; @%p bra L;
        st.global.v4.f32 [%o], {{%d0, %d1, %d2, %d3}}; st.global.v4.f32 [%o+16], {{%e0, %e1, %e2, %e3}};
        ret;"
    )
}

/// The machine code of the loop of a kernel with this body, from the head on.
fn inner_loop(target: &str, body: &str) -> Vec<Instruction> {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{body}\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm: warpsmith_target::Sm = target.parse().expect("a known target");
    let output =
        compile_with_options(&parsed.module, sm, &Options::default()).unwrap_or_else(|e| panic!("{target}: {}", e[0]));
    let (section, _) = output.cubin.functions().next().expect("a function");
    let words = output.cubin.section_bytes(section).expect("code").chunks_exact(16);
    let code: Vec<Instruction> = words
        .filter_map(|word| Instruction::decode(sm.isa(), u128::from_le_bytes(word.try_into().ok()?)).ok())
        .collect();
    let end = code
        .iter()
        .rposition(|i| i.opcode() == Opcode::Bra && i.guard().is_some());
    let end = end.expect("a branch back");
    let first = code.iter().position(|i| i.opcode() == Opcode::Hmma).expect("a product");
    code[first..end].to_vec()
}

fn count(code: &[Instruction], opcode: Opcode) -> usize {
    code.iter().filter(|instruction| instruction.opcode() == opcode).count()
}

/// Each product writes the registers that its sums are in.
fn sums_stay(code: &[Instruction]) -> bool {
    let mut products = code.iter().filter(|instruction| instruction.opcode() == Opcode::Hmma);
    let same = |product: &Instruction| product.field(FieldName::Rd) == product.field(FieldName::Rc);
    products.all(same)
}

#[test]
fn operands_that_go_round_a_loop_are_not_copied() {
    let body = body(
        "mov.b32 %b0, %c0; mov.b32 %b1, %c1; mov.b32 %b2, %c2; mov.b32 %b3, %c3;",
        "mov.b32 %a0, %b0; mov.b32 %a1, %b1; mov.b32 %a2, %b2; mov.b32 %a3, %b3;",
    );
    for target in TARGETS {
        let code = inner_loop(target, &body);
        assert_eq!(count(&code, Opcode::Hmma), 2, "{target}");
        assert!(
            count(&code, Opcode::Mov) <= 2,
            "{target}: {} copies",
            count(&code, Opcode::Mov)
        );
        assert!(sums_stay(&code), "{target}");
    }
    agree_on(&TARGETS, "", &body, &two_by_64());
}

#[test]
fn halves_that_go_round_a_loop_are_one_word() {
    let take = "mov.b32 {%h0, %h1}, %c0; mov.b32 {%h2, %h3}, %c1; mov.b32 {%h4, %h5}, %c2; mov.b32 {%h6, %h7}, %c3;";
    let give = "mov.b32 %a0, {%h0, %h1}; mov.b32 %a1, {%h2, %h3}; mov.b32 %a2, {%h4, %h5}; mov.b32 %a3, {%h6, %h7};";
    let plain = body(take, give);
    for target in TARGETS {
        let code = inner_loop(target, &plain);
        assert_eq!(count(&code, Opcode::Prmt) + count(&code, Opcode::Shf), 0, "{target}");
    }
    agree_on(&TARGETS, "", &plain, &two_by_64());
    // Halves that change places, that are read apart as well, or that are written at two times are no word.
    let crossed = body(&take.replace("%h0, %h1", "%h1, %h0"), give);
    agree_on(&TARGETS, "", &crossed, &two_by_64());
    let apart = body(take, &format!("{give} xor.b16 %h8, %h0, %h3; cvt.u32.u16 %a2, %h8;"));
    agree_on(&TARGETS, "", &apart, &two_by_64());
    let late = body(
        "mov.b32 {%h0, %h9}, %c0; mov.b32 {%h2, %h3}, %c1; mov.b32 {%h4, %h5}, %c2; mov.b32 {%h6, %h7}, %c3;",
        &format!("{give} mov.b16 %h1, %h9;").replacen("mov.b32 %a0", "mov.b16 %h1, 15360; mov.b32 %a0", 1),
    );
    agree_on(&TARGETS, "", &late, &two_by_64());
}
