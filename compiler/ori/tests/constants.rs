//! Constants as operands of moves without a type of their own.

mod support;

use support::{agree_on, two_by_64};

#[test]
fn a_double_constant_is_64_bits() {
    let body = "
        .reg .b64 %o, %d, %e; .reg .b32 %f, %t;
        ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 24, %o;
        mov.b64 %d, 0d3FF8000000000000; mov.b64 %e, 0d0000000000000000; mov.b32 %f, 0f3FC00000;
        st.global.b64 [%o], %d; st.global.b64 [%o+8], %e; st.global.b32 [%o+16], %f;
        ret;";
    agree_on(&["sm_80", "sm_90"], "", body, &two_by_64());
}
