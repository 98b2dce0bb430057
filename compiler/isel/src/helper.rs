//! Functions of our own that come with a module that needs them.

/// A helper function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Helper {
    /// Quotient and remainder of unsigned 128-bit integers.
    DivideWide,
}

impl Helper {
    /// Its name in PTX.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Helper::DivideWide => "__warpsmith_divide_u128",
        }
    }

    /// Its definition.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Helper::DivideWide => DIVIDE_WIDE,
        }
    }
}

/// Division bit by bit: the dividend is shifted into the remainder from its highest set bit on. Both fit 64 bits more often than not: then the machine's
/// own division does it. Division by zero gives all ones, the remainder the dividend.
const DIVIDE_WIDE: &str = "\
.func (.param .align 16 .b8 result[32]) __warpsmith_divide_u128(
	.param .align 16 .b8 dividend[16],
	.param .align 16 .b8 divisor[16]
)
{
	.reg .pred %p<8>;
	.reg .b32 %n<4>;
	.reg .b64 %a<2>, %b<2>, %q<2>, %r<2>, %t<6>;
	ld.param.v2.u64 {%a0, %a1}, [dividend];
	ld.param.v2.u64 {%b0, %b1}, [divisor];
	mov.u64 %r0, 0;
	mov.u64 %r1, 0;
	mov.u64 %q0, 0;
	mov.u64 %q1, 0;
	or.b64 %t0, %a1, %b1;
	setp.ne.u64 %p0, %t0, 0;
	@%p0 bra LONG;
	div.u64 %q0, %a0, %b0;
	mul.lo.u64 %t0, %q0, %b0;
	sub.u64 %r0, %a0, %t0;
	bra.uni DONE;
LONG:
	clz.b64 %n0, %a1;
	clz.b64 %n1, %a0;
	add.u32 %n1, %n1, 64;
	setp.eq.u64 %p0, %a1, 0;
	selp.u32 %n0, %n1, %n0, %p0;
	mov.u32 %n1, 128;
	sub.u32 %n1, %n1, %n0;
	setp.eq.u32 %p0, %n1, 0;
	@%p0 bra DONE;
	setp.lt.u32 %p0, %n0, 64;
	@%p0 bra SHIFT;
	sub.u32 %n2, %n0, 64;
	shl.b64 %a1, %a0, %n2;
	mov.u64 %a0, 0;
	bra.uni NEXT;
SHIFT:
	shl.b64 %t0, %a1, %n0;
	sub.u32 %n2, 64, %n0;
	shr.u64 %t1, %a0, %n2;
	or.b64 %a1, %t0, %t1;
	shl.b64 %a0, %a0, %n0;
NEXT:
	shr.u64 %t0, %a1, 63;
	shr.u64 %t1, %r1, 63;
	setp.ne.u64 %p1, %t1, 0;
	add.cc.u64 %r0, %r0, %r0;
	addc.u64 %r1, %r1, %r1;
	or.b64 %r0, %r0, %t0;
	add.cc.u64 %a0, %a0, %a0;
	addc.u64 %a1, %a1, %a1;
	add.cc.u64 %q0, %q0, %q0;
	addc.u64 %q1, %q1, %q1;
	setp.gt.u64 %p2, %r1, %b1;
	setp.eq.u64 %p3, %r1, %b1;
	setp.ge.u64 %p4, %r0, %b0;
	and.pred %p3, %p3, %p4;
	or.pred %p2, %p2, %p3;
	or.pred %p2, %p2, %p1;
	sub.cc.u64 %t2, %r0, %b0;
	subc.u64 %t3, %r1, %b1;
	selp.b64 %r0, %t2, %r0, %p2;
	selp.b64 %r1, %t3, %r1, %p2;
	selp.u64 %t4, 1, 0, %p2;
	or.b64 %q0, %q0, %t4;
	sub.u32 %n1, %n1, 1;
	setp.ne.u32 %p0, %n1, 0;
	@%p0 bra NEXT;
DONE:
	st.param.v2.u64 [result], {%q0, %q1};
	st.param.v2.u64 [result+16], {%r0, %r1};
	ret;
}
";
