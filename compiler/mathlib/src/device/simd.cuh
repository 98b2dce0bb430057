// Two halves or four bytes of a word at once, as the front end's own headers define them: for programs that have the declarations from a toolkit's headers.

#pragma once
#include "common.cuh"
#include <warpsmith/attributes.h>
#include <warpsmith/simd.h>

FUNCTION unsigned __nv_vabs2(unsigned a) { return __vabs2(a); }
FUNCTION unsigned __nv_vabs4(unsigned a) { return __vabs4(a); }
FUNCTION unsigned __nv_vabsdiffs2(unsigned a, unsigned b) { return __vabsdiffs2(a, b); }
FUNCTION unsigned __nv_vabsdiffs4(unsigned a, unsigned b) { return __vabsdiffs4(a, b); }
FUNCTION unsigned __nv_vabsdiffu2(unsigned a, unsigned b) { return __vabsdiffu2(a, b); }
FUNCTION unsigned __nv_vabsdiffu4(unsigned a, unsigned b) { return __vabsdiffu4(a, b); }
FUNCTION unsigned __nv_vabsss2(unsigned a) { return __vabsss2(a); }
FUNCTION unsigned __nv_vabsss4(unsigned a) { return __vabsss4(a); }
FUNCTION unsigned __nv_vadd2(unsigned a, unsigned b) { return __vadd2(a, b); }
FUNCTION unsigned __nv_vadd4(unsigned a, unsigned b) { return __vadd4(a, b); }
FUNCTION unsigned __nv_vaddss2(unsigned a, unsigned b) { return __vaddss2(a, b); }
FUNCTION unsigned __nv_vaddss4(unsigned a, unsigned b) { return __vaddss4(a, b); }
FUNCTION unsigned __nv_vaddus2(unsigned a, unsigned b) { return __vaddus2(a, b); }
FUNCTION unsigned __nv_vaddus4(unsigned a, unsigned b) { return __vaddus4(a, b); }
FUNCTION unsigned __nv_vavgs2(unsigned a, unsigned b) { return __vavgs2(a, b); }
FUNCTION unsigned __nv_vavgs4(unsigned a, unsigned b) { return __vavgs4(a, b); }
FUNCTION unsigned __nv_vavgu2(unsigned a, unsigned b) { return __vavgu2(a, b); }
FUNCTION unsigned __nv_vavgu4(unsigned a, unsigned b) { return __vavgu4(a, b); }
FUNCTION unsigned __nv_vcmpeq2(unsigned a, unsigned b) { return __vcmpeq2(a, b); }
FUNCTION unsigned __nv_vcmpeq4(unsigned a, unsigned b) { return __vcmpeq4(a, b); }
FUNCTION unsigned __nv_vcmpges2(unsigned a, unsigned b) { return __vcmpges2(a, b); }
FUNCTION unsigned __nv_vcmpges4(unsigned a, unsigned b) { return __vcmpges4(a, b); }
FUNCTION unsigned __nv_vcmpgeu2(unsigned a, unsigned b) { return __vcmpgeu2(a, b); }
FUNCTION unsigned __nv_vcmpgeu4(unsigned a, unsigned b) { return __vcmpgeu4(a, b); }
FUNCTION unsigned __nv_vcmpgts2(unsigned a, unsigned b) { return __vcmpgts2(a, b); }
FUNCTION unsigned __nv_vcmpgts4(unsigned a, unsigned b) { return __vcmpgts4(a, b); }
FUNCTION unsigned __nv_vcmpgtu2(unsigned a, unsigned b) { return __vcmpgtu2(a, b); }
FUNCTION unsigned __nv_vcmpgtu4(unsigned a, unsigned b) { return __vcmpgtu4(a, b); }
FUNCTION unsigned __nv_vcmples2(unsigned a, unsigned b) { return __vcmples2(a, b); }
FUNCTION unsigned __nv_vcmples4(unsigned a, unsigned b) { return __vcmples4(a, b); }
FUNCTION unsigned __nv_vcmpleu2(unsigned a, unsigned b) { return __vcmpleu2(a, b); }
FUNCTION unsigned __nv_vcmpleu4(unsigned a, unsigned b) { return __vcmpleu4(a, b); }
FUNCTION unsigned __nv_vcmplts2(unsigned a, unsigned b) { return __vcmplts2(a, b); }
FUNCTION unsigned __nv_vcmplts4(unsigned a, unsigned b) { return __vcmplts4(a, b); }
FUNCTION unsigned __nv_vcmpltu2(unsigned a, unsigned b) { return __vcmpltu2(a, b); }
FUNCTION unsigned __nv_vcmpltu4(unsigned a, unsigned b) { return __vcmpltu4(a, b); }
FUNCTION unsigned __nv_vcmpne2(unsigned a, unsigned b) { return __vcmpne2(a, b); }
FUNCTION unsigned __nv_vcmpne4(unsigned a, unsigned b) { return __vcmpne4(a, b); }
FUNCTION unsigned __nv_vhaddu2(unsigned a, unsigned b) { return __vhaddu2(a, b); }
FUNCTION unsigned __nv_vhaddu4(unsigned a, unsigned b) { return __vhaddu4(a, b); }
FUNCTION unsigned __nv_vmaxs2(unsigned a, unsigned b) { return __vmaxs2(a, b); }
FUNCTION unsigned __nv_vmaxs4(unsigned a, unsigned b) { return __vmaxs4(a, b); }
FUNCTION unsigned __nv_vmaxu2(unsigned a, unsigned b) { return __vmaxu2(a, b); }
FUNCTION unsigned __nv_vmaxu4(unsigned a, unsigned b) { return __vmaxu4(a, b); }
FUNCTION unsigned __nv_vmins2(unsigned a, unsigned b) { return __vmins2(a, b); }
FUNCTION unsigned __nv_vmins4(unsigned a, unsigned b) { return __vmins4(a, b); }
FUNCTION unsigned __nv_vminu2(unsigned a, unsigned b) { return __vminu2(a, b); }
FUNCTION unsigned __nv_vminu4(unsigned a, unsigned b) { return __vminu4(a, b); }
FUNCTION unsigned __nv_vneg2(unsigned a) { return __vneg2(a); }
FUNCTION unsigned __nv_vneg4(unsigned a) { return __vneg4(a); }
FUNCTION unsigned __nv_vnegss2(unsigned a) { return __vnegss2(a); }
FUNCTION unsigned __nv_vnegss4(unsigned a) { return __vnegss4(a); }
FUNCTION unsigned __nv_vsads2(unsigned a, unsigned b) { return __vsads2(a, b); }
FUNCTION unsigned __nv_vsads4(unsigned a, unsigned b) { return __vsads4(a, b); }
FUNCTION unsigned __nv_vsadu2(unsigned a, unsigned b) { return __vsadu2(a, b); }
FUNCTION unsigned __nv_vsadu4(unsigned a, unsigned b) { return __vsadu4(a, b); }
FUNCTION unsigned __nv_vseteq2(unsigned a, unsigned b) { return __vseteq2(a, b); }
FUNCTION unsigned __nv_vseteq4(unsigned a, unsigned b) { return __vseteq4(a, b); }
FUNCTION unsigned __nv_vsetges2(unsigned a, unsigned b) { return __vsetges2(a, b); }
FUNCTION unsigned __nv_vsetges4(unsigned a, unsigned b) { return __vsetges4(a, b); }
FUNCTION unsigned __nv_vsetgeu2(unsigned a, unsigned b) { return __vsetgeu2(a, b); }
FUNCTION unsigned __nv_vsetgeu4(unsigned a, unsigned b) { return __vsetgeu4(a, b); }
FUNCTION unsigned __nv_vsetgts2(unsigned a, unsigned b) { return __vsetgts2(a, b); }
FUNCTION unsigned __nv_vsetgts4(unsigned a, unsigned b) { return __vsetgts4(a, b); }
FUNCTION unsigned __nv_vsetgtu2(unsigned a, unsigned b) { return __vsetgtu2(a, b); }
FUNCTION unsigned __nv_vsetgtu4(unsigned a, unsigned b) { return __vsetgtu4(a, b); }
FUNCTION unsigned __nv_vsetles2(unsigned a, unsigned b) { return __vsetles2(a, b); }
FUNCTION unsigned __nv_vsetles4(unsigned a, unsigned b) { return __vsetles4(a, b); }
FUNCTION unsigned __nv_vsetleu2(unsigned a, unsigned b) { return __vsetleu2(a, b); }
FUNCTION unsigned __nv_vsetleu4(unsigned a, unsigned b) { return __vsetleu4(a, b); }
FUNCTION unsigned __nv_vsetlts2(unsigned a, unsigned b) { return __vsetlts2(a, b); }
FUNCTION unsigned __nv_vsetlts4(unsigned a, unsigned b) { return __vsetlts4(a, b); }
FUNCTION unsigned __nv_vsetltu2(unsigned a, unsigned b) { return __vsetltu2(a, b); }
FUNCTION unsigned __nv_vsetltu4(unsigned a, unsigned b) { return __vsetltu4(a, b); }
FUNCTION unsigned __nv_vsetne2(unsigned a, unsigned b) { return __vsetne2(a, b); }
FUNCTION unsigned __nv_vsetne4(unsigned a, unsigned b) { return __vsetne4(a, b); }
FUNCTION unsigned __nv_vsub2(unsigned a, unsigned b) { return __vsub2(a, b); }
FUNCTION unsigned __nv_vsub4(unsigned a, unsigned b) { return __vsub4(a, b); }
FUNCTION unsigned __nv_vsubss2(unsigned a, unsigned b) { return __vsubss2(a, b); }
FUNCTION unsigned __nv_vsubss4(unsigned a, unsigned b) { return __vsubss4(a, b); }
FUNCTION unsigned __nv_vsubus2(unsigned a, unsigned b) { return __vsubus2(a, b); }
FUNCTION unsigned __nv_vsubus4(unsigned a, unsigned b) { return __vsubus4(a, b); }
