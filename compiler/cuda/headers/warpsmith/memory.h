// Loads and stores with cache operators, address spaces, clocks, fences by scope.
#pragma once

// Address spaces.
__WARPSMITH_DEVICE unsigned __isGlobal(const void *p) { return __nv_isGlobal_impl(p); }
__WARPSMITH_DEVICE unsigned __isShared(const void *p) { return __nv_isShared_impl(p); }
__WARPSMITH_DEVICE unsigned __isConstant(const void *p) { return __nv_isConstant_impl(p); }
__WARPSMITH_DEVICE unsigned __isLocal(const void *p) { return __nv_isLocal_impl(p); }
__WARPSMITH_DEVICE unsigned __isCtaShared(const void *p) { return __nv_isShared_impl(p); }
__WARPSMITH_DEVICE unsigned __isClusterShared(const void *p) { return __nv_isClusterShared_impl(p); }
__WARPSMITH_DEVICE unsigned __isGridConstant(const void *p) { return __nv_isGridConstant_impl(p); }
__WARPSMITH_DEVICE size_t __cvta_generic_to_grid_constant(const void *p) {
    size_t address;
    asm("cvta.to.param.u64 %0, %1;" : "=l"(address) : "l"(p));
    return address;
}
__WARPSMITH_DEVICE void *__cvta_grid_constant_to_generic(size_t address) {
    void *p;
    asm("cvta.param.u64 %0, %1;" : "=l"(p) : "l"(address));
    return p;
}
__WARPSMITH_DEVICE void *__cluster_map_shared_rank(const void *p, unsigned rank) { return __nv_cluster_map_shared_rank_impl(p, rank); }
__WARPSMITH_DEVICE unsigned __cluster_query_shared_rank(const void *p) { return __nv_cluster_query_shared_rank_impl(p); }
__WARPSMITH_DEVICE void *__nv_associate_access_property(const void *p, unsigned long long property) {
    return __nv_associate_access_property_impl(p, property);
}
__WARPSMITH_DEVICE size_t __cvta_generic_to_global(const void *p) { return __nv_cvta_generic_to_global_impl(p); }
__WARPSMITH_DEVICE size_t __cvta_generic_to_shared(const void *p) { return __nv_cvta_generic_to_shared_impl(p); }
__WARPSMITH_DEVICE size_t __cvta_generic_to_constant(const void *p) { return __nv_cvta_generic_to_constant_impl(p); }
__WARPSMITH_DEVICE size_t __cvta_generic_to_local(const void *p) { return __nv_cvta_generic_to_local_impl(p); }
__WARPSMITH_DEVICE void *__cvta_global_to_generic(size_t address) { return __nv_cvta_global_to_generic_impl(address); }
__WARPSMITH_DEVICE void *__cvta_shared_to_generic(size_t address) { return __nv_cvta_shared_to_generic_impl(address); }
__WARPSMITH_DEVICE void *__cvta_constant_to_generic(size_t address) { return __nv_cvta_constant_to_generic_impl(address); }
__WARPSMITH_DEVICE void *__cvta_local_to_generic(size_t address) { return __nv_cvta_local_to_generic_impl(address); }

// Time.
typedef long clock_t;
__WARPSMITH_DEVICE clock_t clock() { return (clock_t)(int)__nvvm_read_ptx_sreg_clock(); }
__WARPSMITH_DEVICE long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
__WARPSMITH_DEVICE unsigned long long __nv_globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }
__WARPSMITH_DEVICE void __nanosleep(unsigned nanoseconds) { __nvvm_nanosleep(nanoseconds); }
__WARPSMITH_DEVICE void __prof_trigger(int) {}

// Loads from memory that the kernel does not write: nothing is lost if they move.
#define __WARPSMITH_READ1(type, builtin, word) \
    __WARPSMITH_DEVICE type __ldg(const type *p) { return (type)builtin((const word *)p); }
#define __WARPSMITH_READ2(type, element, ptx, c, r)                                    \
    __WARPSMITH_DEVICE type __ldg(const type *p) {                                     \
        r x, y;                                                                        \
        asm("ld.global.nc.v2." ptx " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(p));  \
        return type{(element)x, (element)y};                                           \
    }
#define __WARPSMITH_READ4(type, element, ptx, c, r)                                    \
    __WARPSMITH_DEVICE type __ldg(const type *p) {                                     \
        r x, y, z, w;                                                                  \
        asm("ld.global.nc.v4." ptx " {%0, %1, %2, %3}, [%4];"                          \
            : "=" c(x), "=" c(y), "=" c(z), "=" c(w) : "l"(p));                        \
        return type{(element)x, (element)y, (element)z, (element)w};                   \
    }
__WARPSMITH_READ1(char, __nvvm_ldg_c, char)
__WARPSMITH_READ1(signed char, __nvvm_ldg_c, char)
__WARPSMITH_READ1(unsigned char, __nvvm_ldg_c, char)
__WARPSMITH_READ1(short, __nvvm_ldg_s, short)
__WARPSMITH_READ1(unsigned short, __nvvm_ldg_s, short)
__WARPSMITH_READ1(int, __nvvm_ldg_i, int)
__WARPSMITH_READ1(unsigned, __nvvm_ldg_i, int)
__WARPSMITH_READ1(long, __nvvm_ldg_ll, long long)
__WARPSMITH_READ1(unsigned long, __nvvm_ldg_ll, long long)
__WARPSMITH_READ1(long long, __nvvm_ldg_ll, long long)
__WARPSMITH_READ1(unsigned long long, __nvvm_ldg_ll, long long)
__WARPSMITH_READ1(float, __nvvm_ldg_f, float)
__WARPSMITH_READ1(double, __nvvm_ldg_d, double)
__WARPSMITH_READ2(char2, signed char, "s8", "r", int)
__WARPSMITH_READ4(char4, signed char, "s8", "r", int)
__WARPSMITH_READ2(uchar2, unsigned char, "u8", "r", unsigned)
__WARPSMITH_READ4(uchar4, unsigned char, "u8", "r", unsigned)
__WARPSMITH_READ2(short2, short, "s16", "h", short)
__WARPSMITH_READ4(short4, short, "s16", "h", short)
__WARPSMITH_READ2(ushort2, unsigned short, "u16", "h", unsigned short)
__WARPSMITH_READ4(ushort4, unsigned short, "u16", "h", unsigned short)
__WARPSMITH_READ2(int2, int, "s32", "r", int)
__WARPSMITH_READ4(int4, int, "s32", "r", int)
__WARPSMITH_READ2(uint2, unsigned, "u32", "r", unsigned)
__WARPSMITH_READ4(uint4, unsigned, "u32", "r", unsigned)
__WARPSMITH_READ2(longlong2, long long, "s64", "l", long long)
__WARPSMITH_READ2(ulonglong2, unsigned long long, "u64", "l", unsigned long long)
__WARPSMITH_READ2(float2, float, "f32", "f", float)
__WARPSMITH_READ4(float4, float, "f32", "f", float)
__WARPSMITH_READ2(double2, double, "f64", "d", double)
#undef __WARPSMITH_READ1
#undef __WARPSMITH_READ2
#undef __WARPSMITH_READ4

// One load and one store for each type, by the instruction's name: TYPE, its PTX type, the constraint and type of its registers.
#define __WARPSMITH_LOAD1(name, op, type, ptx, c, r)                                                       \
    __WARPSMITH_DEVICE type name(const type *p) {                                                          \
        r x;                                                                                               \
        asm volatile(op "." ptx " %0, [%1];" : "=" c(x) : "l"(p) : "memory");                              \
        return (type)x;                                                                                    \
    }
#define __WARPSMITH_LOAD2(name, op, type, element, ptx, c, r)                                              \
    __WARPSMITH_DEVICE type name(const type *p) {                                                          \
        r x, y;                                                                                            \
        asm volatile(op ".v2." ptx " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(p) : "memory");           \
        return type{(element)x, (element)y};                                                               \
    }
#define __WARPSMITH_LOAD4(name, op, type, element, ptx, c, r)                                              \
    __WARPSMITH_DEVICE type name(const type *p) {                                                          \
        r x, y, z, w;                                                                                      \
        asm volatile(op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                              \
                     : "=" c(x), "=" c(y), "=" c(z), "=" c(w) : "l"(p) : "memory");                        \
        return type{(element)x, (element)y, (element)z, (element)w};                                       \
    }
#define __WARPSMITH_STORE1(name, op, type, ptx, c, r)                                                      \
    __WARPSMITH_DEVICE void name(type *p, type v) {                                                        \
        asm volatile(op "." ptx " [%0], %1;" : : "l"(p), c((r)v) : "memory");                              \
    }
#define __WARPSMITH_STORE2(name, op, type, ptx, c, r)                                                      \
    __WARPSMITH_DEVICE void name(type *p, type v) {                                                        \
        asm volatile(op ".v2." ptx " [%0], {%1, %2};" : : "l"(p), c((r)v.x), c((r)v.y) : "memory");        \
    }
#define __WARPSMITH_STORE4(name, op, type, ptx, c, r)                                                      \
    __WARPSMITH_DEVICE void name(type *p, type v) {                                                        \
        asm volatile(op ".v4." ptx " [%0], {%1, %2, %3, %4};"                                              \
                     : : "l"(p), c((r)v.x), c((r)v.y), c((r)v.z), c((r)v.w) : "memory");                   \
    }

#define __WARPSMITH_LOADS(name, op) \
    __WARPSMITH_LOAD1(name, op, char, "s8", "r", int) \
    __WARPSMITH_LOAD1(name, op, signed char, "s8", "r", int) \
    __WARPSMITH_LOAD1(name, op, unsigned char, "u8", "r", unsigned) \
    __WARPSMITH_LOAD1(name, op, short, "s16", "h", short) \
    __WARPSMITH_LOAD1(name, op, unsigned short, "u16", "h", unsigned short) \
    __WARPSMITH_LOAD1(name, op, int, "s32", "r", int) \
    __WARPSMITH_LOAD1(name, op, unsigned, "u32", "r", unsigned) \
    __WARPSMITH_LOAD1(name, op, long, "s64", "l", long) \
    __WARPSMITH_LOAD1(name, op, unsigned long, "u64", "l", unsigned long) \
    __WARPSMITH_LOAD1(name, op, long long, "s64", "l", long long) \
    __WARPSMITH_LOAD1(name, op, unsigned long long, "u64", "l", unsigned long long) \
    __WARPSMITH_LOAD1(name, op, float, "f32", "f", float) \
    __WARPSMITH_LOAD1(name, op, double, "f64", "d", double) \
    __WARPSMITH_LOAD2(name, op, char2, signed char, "s8", "r", int) \
    __WARPSMITH_LOAD4(name, op, char4, signed char, "s8", "r", int) \
    __WARPSMITH_LOAD2(name, op, uchar2, unsigned char, "u8", "r", unsigned) \
    __WARPSMITH_LOAD4(name, op, uchar4, unsigned char, "u8", "r", unsigned) \
    __WARPSMITH_LOAD2(name, op, short2, short, "s16", "h", short) \
    __WARPSMITH_LOAD4(name, op, short4, short, "s16", "h", short) \
    __WARPSMITH_LOAD2(name, op, ushort2, unsigned short, "u16", "h", unsigned short) \
    __WARPSMITH_LOAD4(name, op, ushort4, unsigned short, "u16", "h", unsigned short) \
    __WARPSMITH_LOAD2(name, op, int2, int, "s32", "r", int) \
    __WARPSMITH_LOAD4(name, op, int4, int, "s32", "r", int) \
    __WARPSMITH_LOAD2(name, op, uint2, unsigned, "u32", "r", unsigned) \
    __WARPSMITH_LOAD4(name, op, uint4, unsigned, "u32", "r", unsigned) \
    __WARPSMITH_LOAD2(name, op, longlong2, long long, "s64", "l", long long) \
    __WARPSMITH_LOAD2(name, op, ulonglong2, unsigned long long, "u64", "l", unsigned long long) \
    __WARPSMITH_LOAD2(name, op, float2, float, "f32", "f", float) \
    __WARPSMITH_LOAD4(name, op, float4, float, "f32", "f", float) \
    __WARPSMITH_LOAD2(name, op, double2, double, "f64", "d", double)

#define __WARPSMITH_STORES(name, op) \
    __WARPSMITH_STORE1(name, op, char, "s8", "r", int) \
    __WARPSMITH_STORE1(name, op, signed char, "s8", "r", int) \
    __WARPSMITH_STORE1(name, op, unsigned char, "u8", "r", unsigned) \
    __WARPSMITH_STORE1(name, op, short, "s16", "h", short) \
    __WARPSMITH_STORE1(name, op, unsigned short, "u16", "h", unsigned short) \
    __WARPSMITH_STORE1(name, op, int, "s32", "r", int) \
    __WARPSMITH_STORE1(name, op, unsigned, "u32", "r", unsigned) \
    __WARPSMITH_STORE1(name, op, long, "s64", "l", long) \
    __WARPSMITH_STORE1(name, op, unsigned long, "u64", "l", unsigned long) \
    __WARPSMITH_STORE1(name, op, long long, "s64", "l", long long) \
    __WARPSMITH_STORE1(name, op, unsigned long long, "u64", "l", unsigned long long) \
    __WARPSMITH_STORE1(name, op, float, "f32", "f", float) \
    __WARPSMITH_STORE1(name, op, double, "f64", "d", double) \
    __WARPSMITH_STORE2(name, op, char2, "s8", "r", int) \
    __WARPSMITH_STORE4(name, op, char4, "s8", "r", int) \
    __WARPSMITH_STORE2(name, op, uchar2, "u8", "r", unsigned) \
    __WARPSMITH_STORE4(name, op, uchar4, "u8", "r", unsigned) \
    __WARPSMITH_STORE2(name, op, short2, "s16", "h", short) \
    __WARPSMITH_STORE4(name, op, short4, "s16", "h", short) \
    __WARPSMITH_STORE2(name, op, ushort2, "u16", "h", unsigned short) \
    __WARPSMITH_STORE4(name, op, ushort4, "u16", "h", unsigned short) \
    __WARPSMITH_STORE2(name, op, int2, "s32", "r", int) \
    __WARPSMITH_STORE4(name, op, int4, "s32", "r", int) \
    __WARPSMITH_STORE2(name, op, uint2, "u32", "r", unsigned) \
    __WARPSMITH_STORE4(name, op, uint4, "u32", "r", unsigned) \
    __WARPSMITH_STORE2(name, op, longlong2, "s64", "l", long long) \
    __WARPSMITH_STORE2(name, op, ulonglong2, "u64", "l", unsigned long long) \
    __WARPSMITH_STORE2(name, op, float2, "f32", "f", float) \
    __WARPSMITH_STORE4(name, op, float4, "f32", "f", float) \
    __WARPSMITH_STORE2(name, op, double2, "f64", "d", double)

__WARPSMITH_LOADS(__ldcg, "ld.global.cg")
__WARPSMITH_LOADS(__ldca, "ld.global.ca")
__WARPSMITH_LOADS(__ldcs, "ld.global.cs")
__WARPSMITH_LOADS(__ldlu, "ld.global.lu")
__WARPSMITH_LOADS(__ldcv, "ld.global.cv")
__WARPSMITH_STORES(__stwb, "st.global.wb")
__WARPSMITH_STORES(__stcg, "st.global.cg")
__WARPSMITH_STORES(__stcs, "st.global.cs")
__WARPSMITH_STORES(__stwt, "st.global.wt")

#undef __WARPSMITH_LOAD1
#undef __WARPSMITH_LOAD2
#undef __WARPSMITH_LOAD4
#undef __WARPSMITH_STORE1
#undef __WARPSMITH_STORE2
#undef __WARPSMITH_STORE4
#undef __WARPSMITH_LOADS
#undef __WARPSMITH_STORES
