//! Operands of matrix products: the same words are put side by side once, zeros not at all.

mod support;

use support::{agree_on, two_by_64};
use warpsmith_ori::compile;
use warpsmith_sass::{Instruction, Opcode};

/// Four packed halves each thread makes, two products with them as the left matrix, one of which adds nothing, and a third that goes on from the first.
const BODY: &str = "
    .reg .b32 %a<4>; .reg .b32 %b<4>; .reg .f32 %d<4>; .reg .f32 %e<4>; .reg .f32 %z; .reg .b64 %o, %i; .reg .b32 %t; .reg .pred %p;
    ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x; mad.wide.u32 %i, %t, 16, %i; mad.wide.u32 %o, %t, 32, %o;
    ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%i];
    and.b32 %b0, %b0, 0x3bff3bff; and.b32 %b1, %b1, 0x3bff3bff; and.b32 %b2, %b2, 0x3bff3bff; and.b32 %b3, %b3, 0x3bff3bff;
    add.f16x2 %a0, %b0, %b1; add.f16x2 %a1, %b1, %b2; add.f16x2 %a2, %b2, %b3; add.f16x2 %a3, %b3, %b0;
    mov.f32 %z, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%z, %z, %z, %z};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%e0, %e1, %e2, %e3}, {%a0, %a1, %a2, %a3}, {%b2, %b3}, {%z, %z, %z, %z};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b1, %b2}, {%d0, %d1, %d2, %d3};
    st.global.v4.f32 [%o], {%d0, %d1, %d2, %d3}; st.global.v4.f32 [%o+16], {%e0, %e1, %e2, %e3};
    ret;";

#[test]
fn products_share_the_tuples_of_their_operands() {
    for target in ["sm_80", "sm_90", "sm_120"] {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{BODY}\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let sm: warpsmith_target::Sm = target.parse().expect("a known target");
        let cubin = compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}", e[0]));
        let (section, _) = cubin.functions().next().expect("a function");
        let words = cubin.section_bytes(section).expect("code").chunks_exact(16);
        let code: Vec<Instruction> = words
            .filter_map(|word| Instruction::decode(sm.isa(), u128::from_le_bytes(word.try_into().ok()?)).ok())
            .collect();
        let products: Vec<String> = code
            .iter()
            .filter(|i| i.opcode() == Opcode::Hmma)
            .map(|i| i.to_string().trim().to_string())
            .collect();
        assert_eq!(products.len(), 3, "{products:?}");
        assert_eq!(
            products.iter().filter(|text| text.ends_with(", RZ")).count(),
            2,
            "{products:?}"
        );
        let first = code
            .iter()
            .position(|i| i.opcode() == Opcode::Hadd2 || i.opcode() == Opcode::Hfma2)
            .unwrap_or(0);
        let copies = code[first..].iter().filter(|i| i.opcode() == Opcode::Mov).count();
        // The pair in the middle of the loaded four is not aligned.
        assert!(copies <= 2, "{target}: {copies} copies\n{products:?}");
    }
    agree_on(&["sm_80", "sm_90", "sm_120"], "", BODY, &two_by_64());
}
