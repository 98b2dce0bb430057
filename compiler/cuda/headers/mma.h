// Matrix products by warps: fragments of matrices, as instructions `wmma` have them.
#pragma once
#include <warpsmith/attributes.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

// How an element of a type of fragments is stored.
template <class T> struct __warpsmith_element { typedef T type; };
template <> struct __warpsmith_element<precision::tf32> { typedef float type; };

template <class T, int count> struct __warpsmith_fragment {
    typedef typename __warpsmith_element<T>::type element_type;
    typedef element_type storage_element_type;
    enum { num_elements = count, num_storage_elements = count };
    element_type x[count];

    // The elements as the words that instructions take.
    __device__ unsigned *__words() { return (unsigned *)x; }
    __device__ const unsigned *__words() const { return (const unsigned *)x; }
};
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

template <class F, class T> __WARPSMITH_DEVICE void fill_fragment(F &f, const T &value) {
    for (int i = 0; i < F::num_elements; ++i) f.x[i] = (typename F::element_type)value;
}
__WARPSMITH_DEVICE float __float_to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

// Fragments: use, shape, type, elements.
#define __WARPSMITH_OPERAND(use, m, n, k, type, count)                                                                   \
    template <class Layout> class fragment<use, m, n, k, type, Layout> : public __warpsmith_fragment<type, count> {};
#define __WARPSMITH_RESULT(m, n, k, type, count)                                                                         \
    template <> class fragment<accumulator, m, n, k, type, void> : public __warpsmith_fragment<type, count> {};

__WARPSMITH_OPERAND(matrix_a, 16, 16, 16, __half, 16)
__WARPSMITH_OPERAND(matrix_b, 16, 16, 16, __half, 16)
__WARPSMITH_RESULT(16, 16, 16, __half, 8)
__WARPSMITH_RESULT(16, 16, 16, float, 8)
__WARPSMITH_RESULT(16, 16, 16, int, 8)
__WARPSMITH_OPERAND(matrix_a, 16, 16, 16, signed char, 8)
__WARPSMITH_OPERAND(matrix_b, 16, 16, 16, signed char, 8)
__WARPSMITH_OPERAND(matrix_a, 16, 16, 16, unsigned char, 8)
__WARPSMITH_OPERAND(matrix_b, 16, 16, 16, unsigned char, 8)
__WARPSMITH_OPERAND(matrix_a, 16, 16, 16, __nv_bfloat16, 8)
__WARPSMITH_OPERAND(matrix_b, 16, 16, 16, __nv_bfloat16, 8)
__WARPSMITH_OPERAND(matrix_a, 32, 8, 16, __half, 16)
__WARPSMITH_OPERAND(matrix_b, 32, 8, 16, __half, 16)
__WARPSMITH_RESULT(32, 8, 16, __half, 8)
__WARPSMITH_RESULT(32, 8, 16, float, 8)
__WARPSMITH_RESULT(32, 8, 16, int, 8)
__WARPSMITH_OPERAND(matrix_a, 32, 8, 16, signed char, 16)
__WARPSMITH_OPERAND(matrix_b, 32, 8, 16, signed char, 4)
__WARPSMITH_OPERAND(matrix_a, 32, 8, 16, unsigned char, 16)
__WARPSMITH_OPERAND(matrix_b, 32, 8, 16, unsigned char, 4)
__WARPSMITH_OPERAND(matrix_a, 32, 8, 16, __nv_bfloat16, 16)
__WARPSMITH_OPERAND(matrix_b, 32, 8, 16, __nv_bfloat16, 4)
__WARPSMITH_OPERAND(matrix_a, 8, 32, 16, __half, 16)
__WARPSMITH_OPERAND(matrix_b, 8, 32, 16, __half, 16)
__WARPSMITH_RESULT(8, 32, 16, __half, 8)
__WARPSMITH_RESULT(8, 32, 16, float, 8)
__WARPSMITH_RESULT(8, 32, 16, int, 8)
__WARPSMITH_OPERAND(matrix_a, 8, 32, 16, signed char, 4)
__WARPSMITH_OPERAND(matrix_b, 8, 32, 16, signed char, 16)
__WARPSMITH_OPERAND(matrix_a, 8, 32, 16, unsigned char, 4)
__WARPSMITH_OPERAND(matrix_b, 8, 32, 16, unsigned char, 16)
__WARPSMITH_OPERAND(matrix_a, 8, 32, 16, __nv_bfloat16, 4)
__WARPSMITH_OPERAND(matrix_b, 8, 32, 16, __nv_bfloat16, 16)
__WARPSMITH_OPERAND(matrix_a, 16, 16, 8, precision::tf32, 4)
__WARPSMITH_OPERAND(matrix_b, 16, 16, 8, precision::tf32, 4)
__WARPSMITH_RESULT(16, 16, 8, float, 8)
__WARPSMITH_OPERAND(matrix_a, 8, 8, 4, double, 1)
__WARPSMITH_OPERAND(matrix_b, 8, 8, 4, double, 1)
__WARPSMITH_RESULT(8, 8, 4, double, 2)
#undef __WARPSMITH_OPERAND
#undef __WARPSMITH_RESULT

// A load of an operand, a load and a store of an accumulator, and a product, by the registers that they take.
#define __WARPSMITH_LAYOUTS(macro, ...) \
    macro(row, row, __VA_ARGS__)        \
    macro(row, col, __VA_ARGS__)        \
    macro(col, row, __VA_ARGS__)        \
    macro(col, col, __VA_ARGS__)
#define __WARPSMITH_LOAD8(use, letter, layout, m, n, k, type, memory, ptx, c, registers)                                                                                                                      \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<use, m, n, k, type, layout##_major> &f, const memory *p, unsigned stride) {                                                                             \
        asm volatile("wmma.load." letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                                                \
                     : "=" c(f.registers[0]), "=" c(f.registers[1]), "=" c(f.registers[2]), "=" c(f.registers[3]), "=" c(f.registers[4]), "=" c(f.registers[5]), "=" c(f.registers[6]), "=" c(f.registers[7]) \
                     : "l"(p), "r"(stride)                                                                                                                                                                    \
                     : "memory");                                                                                                                                                                             \
    }
#define __WARPSMITH_ACCUMULATOR4(m, n, k, type, ptx, c, registers)                                                                        \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p, unsigned stride, layout_t layout) {  \
        if (layout == mem_row_major)                                                                                                      \
            asm volatile("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " {%0, %1, %2, %3}, [%4], %5;"                         \
                         : "=" c(f.registers[0]), "=" c(f.registers[1]), "=" c(f.registers[2]), "=" c(f.registers[3])                     \
                         : "l"(p), "r"(stride) : "memory");                                                                               \
        else                                                                                                                              \
            asm volatile("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " {%0, %1, %2, %3}, [%4], %5;"                         \
                         : "=" c(f.registers[0]), "=" c(f.registers[1]), "=" c(f.registers[2]), "=" c(f.registers[3])                     \
                         : "l"(p), "r"(stride) : "memory");                                                                               \
    }                                                                                                                                     \
    __WARPSMITH_DEVICE void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f, unsigned stride, layout_t layout) { \
        if (layout == mem_row_major)                                                                                                      \
            asm volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " [%0], {%1, %2, %3, %4}, %5;"                        \
                         : : "l"(p), c(f.registers[0]), c(f.registers[1]), c(f.registers[2]), c(f.registers[3]), "r"(stride) : "memory"); \
        else                                                                                                                              \
            asm volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " [%0], {%1, %2, %3, %4}, %5;"                        \
                         : : "l"(p), c(f.registers[0]), c(f.registers[1]), c(f.registers[2]), c(f.registers[3]), "r"(stride) : "memory"); \
    }
#define __WARPSMITH_ACCUMULATOR8(m, n, k, type, ptx, c, registers)                                                                                                                                                    \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p, unsigned stride, layout_t layout) {                                                                              \
        if (layout == mem_row_major)                                                                                                                                                                                  \
            asm volatile("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                                                                     \
                         : "=" c(f.registers[0]), "=" c(f.registers[1]), "=" c(f.registers[2]), "=" c(f.registers[3]), "=" c(f.registers[4]), "=" c(f.registers[5]), "=" c(f.registers[6]), "=" c(f.registers[7])     \
                         : "l"(p), "r"(stride) : "memory");                                                                                                                                                           \
        else                                                                                                                                                                                                          \
            asm volatile("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                                                                     \
                         : "=" c(f.registers[0]), "=" c(f.registers[1]), "=" c(f.registers[2]), "=" c(f.registers[3]), "=" c(f.registers[4]), "=" c(f.registers[5]), "=" c(f.registers[6]), "=" c(f.registers[7])     \
                         : "l"(p), "r"(stride) : "memory");                                                                                                                                                           \
    }                                                                                                                                                                                                                 \
    __WARPSMITH_DEVICE void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f, unsigned stride, layout_t layout) {                                                                             \
        if (layout == mem_row_major)                                                                                                                                                                                  \
            asm volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"                                                                                    \
                         : : "l"(p), c(f.registers[0]), c(f.registers[1]), c(f.registers[2]), c(f.registers[3]), c(f.registers[4]), c(f.registers[5]), c(f.registers[6]), c(f.registers[7]), "r"(stride) : "memory"); \
        else                                                                                                                                                                                                          \
            asm volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"                                                                                    \
                         : : "l"(p), c(f.registers[0]), c(f.registers[1]), c(f.registers[2]), c(f.registers[3]), c(f.registers[4]), c(f.registers[5]), c(f.registers[6]), c(f.registers[7]), "r"(stride) : "memory"); \
    }
#define __WARPSMITH_MMA_4_8_8_4(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                                                                   \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                                                                 \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                                                           \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                                                                 \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};"                                     \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3])                                                                                                                                                              \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(a.ab[4]), abc(a.ab[5]), abc(a.ab[6]), abc(a.ab[7]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]), abc(b.ab[4]), abc(b.ab[5]), abc(b.ab[6]), abc(b.ab[7]), \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]));                                                                                                                                                                            \
    }
#define __WARPSMITH_MMA_4_8_8_8(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                                                                   \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                                                                 \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                                                           \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                                                                 \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};"                 \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3])                                                                                                                                                              \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(a.ab[4]), abc(a.ab[5]), abc(a.ab[6]), abc(a.ab[7]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]), abc(b.ab[4]), abc(b.ab[5]), abc(b.ab[6]), abc(b.ab[7]), \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                                                                        \
    }
#define __WARPSMITH_MMA_8_8_8_4(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                                                                   \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                                                                 \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                                                           \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                                                                 \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};"                 \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                                                          \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(a.ab[4]), abc(a.ab[5]), abc(a.ab[6]), abc(a.ab[7]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]), abc(b.ab[4]), abc(b.ab[5]), abc(b.ab[6]), abc(b.ab[7]), \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]));                                                                                                                                                                            \
    }
#define __WARPSMITH_MMA_8_8_8_8(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                                                                       \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                                                                     \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                                                               \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                                                                     \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                                                              \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(a.ab[4]), abc(a.ab[5]), abc(a.ab[6]), abc(a.ab[7]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]), abc(b.ab[4]), abc(b.ab[5]), abc(b.ab[6]), abc(b.ab[7]),     \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                                                                            \
    }
#define __WARPSMITH_LOAD2(use, letter, layout, m, n, k, type, memory, ptx, c, registers)                                          \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<use, m, n, k, type, layout##_major> &f, const memory *p, unsigned stride) { \
        asm volatile("wmma.load." letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx " {%0, %1}, [%2], %3;"            \
                     : "=" c(f.registers[0]), "=" c(f.registers[1])                                                               \
                     : "l"(p), "r"(stride)                                                                                        \
                     : "memory");                                                                                                 \
    }
#define __WARPSMITH_MMA_8_2_2_8_SATURATING(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                              \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                       \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                 \
                                     const fragment<accumulator, m, n, k, ctype> &c, bool saturate = false) {                                                                                                \
        if (saturate)                                                                                                                                                                                        \
            asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types ".satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" \
                         : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                            \
                         : abc(a.ab[0]), abc(a.ab[1]), abc(b.ab[0]), abc(b.ab[1]),                                                                                                                           \
                           cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                          \
        else                                                                                                                                                                                                 \
            asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"           \
                         : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                            \
                         : abc(a.ab[0]), abc(a.ab[1]), abc(b.ab[0]), abc(b.ab[1]),                                                                                                                           \
                           cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                          \
    }
#define __WARPSMITH_LOAD4(use, letter, layout, m, n, k, type, memory, ptx, c, registers)                                          \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<use, m, n, k, type, layout##_major> &f, const memory *p, unsigned stride) { \
        asm volatile("wmma.load." letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx " {%0, %1, %2, %3}, [%4], %5;"    \
                     : "=" c(f.registers[0]), "=" c(f.registers[1]), "=" c(f.registers[2]), "=" c(f.registers[3])                 \
                     : "l"(p), "r"(stride)                                                                                        \
                     : "memory");                                                                                                 \
    }
#define __WARPSMITH_MMA_8_4_4_8(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                               \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                             \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                       \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                             \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                      \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]),                                                                             \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                                    \
    }
#define __WARPSMITH_LOAD1(use, letter, layout, m, n, k, type, memory, ptx, c, registers)                                          \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<use, m, n, k, type, layout##_major> &f, const memory *p, unsigned stride) { \
        asm volatile("wmma.load." letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx " {%0}, [%1], %2;"                \
                     : "=" c(f.registers[0])                                                                                      \
                     : "l"(p), "r"(stride)                                                                                        \
                     : "memory");                                                                                                 \
    }
#define __WARPSMITH_MMA_8_4_1_8_SATURATING(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                   \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                            \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                      \
                                     const fragment<accumulator, m, n, k, ctype> &c, bool saturate = false) {                                                                                                     \
        if (saturate)                                                                                                                                                                                             \
            asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types ".satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" \
                         : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                 \
                         : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(b.ab[0]),                                                                                                                  \
                           cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                               \
        else                                                                                                                                                                                                      \
            asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};"           \
                         : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                 \
                         : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(b.ab[0]),                                                                                                                  \
                           cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                               \
    }
#define __WARPSMITH_MMA_8_8_2_8(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                                         \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                                       \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                                 \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                                       \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                                \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(a.ab[2]), abc(a.ab[3]), abc(a.ab[4]), abc(a.ab[5]), abc(a.ab[6]), abc(a.ab[7]), abc(b.ab[0]), abc(b.ab[1]),                                                           \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                                              \
    }
#define __WARPSMITH_MMA_8_1_4_8_SATURATING(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                   \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                            \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                      \
                                     const fragment<accumulator, m, n, k, ctype> &c, bool saturate = false) {                                                                                                     \
        if (saturate)                                                                                                                                                                                             \
            asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types ".satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" \
                         : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                 \
                         : abc(a.ab[0]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]),                                                                                                                  \
                           cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                               \
        else                                                                                                                                                                                                      \
            asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};"           \
                         : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                 \
                         : abc(a.ab[0]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]),                                                                                                                  \
                           cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                               \
    }
#define __WARPSMITH_MMA_8_2_8_8(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                                                                                                         \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a,                                                                                       \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                                                                                                                 \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                                                                                                       \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1]), "=" dc(d.dr[2]), "=" dc(d.dr[3]), "=" dc(d.dr[4]), "=" dc(d.dr[5]), "=" dc(d.dr[6]), "=" dc(d.dr[7])                                                                \
                     : abc(a.ab[0]), abc(a.ab[1]), abc(b.ab[0]), abc(b.ab[1]), abc(b.ab[2]), abc(b.ab[3]), abc(b.ab[4]), abc(b.ab[5]), abc(b.ab[6]), abc(b.ab[7]),                                                           \
                       cc(c.cr[0]), cc(c.cr[1]), cc(c.cr[2]), cc(c.cr[3]), cc(c.cr[4]), cc(c.cr[5]), cc(c.cr[6]), cc(c.cr[7]));                                                                                              \
    }
#define __WARPSMITH_ACCUMULATOR2(m, n, k, type, ptx, c, registers)                                                                        \
    __WARPSMITH_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p, unsigned stride, layout_t layout) {  \
        if (layout == mem_row_major)                                                                                                      \
            asm volatile("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " {%0, %1}, [%2], %3;"                                 \
                         : "=" c(f.registers[0]), "=" c(f.registers[1])                                                                   \
                         : "l"(p), "r"(stride) : "memory");                                                                               \
        else                                                                                                                              \
            asm volatile("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " {%0, %1}, [%2], %3;"                                 \
                         : "=" c(f.registers[0]), "=" c(f.registers[1])                                                                   \
                         : "l"(p), "r"(stride) : "memory");                                                                               \
    }                                                                                                                                     \
    __WARPSMITH_DEVICE void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f, unsigned stride, layout_t layout) { \
        if (layout == mem_row_major)                                                                                                      \
            asm volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " [%0], {%1, %2}, %3;"                                \
                         : : "l"(p), c(f.registers[0]), c(f.registers[1]), "r"(stride) : "memory");                                       \
        else                                                                                                                              \
            asm volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " [%0], {%1, %2}, %3;"                                \
                         : : "l"(p), c(f.registers[0]), c(f.registers[1]), "r"(stride) : "memory");                                       \
    }
#define __WARPSMITH_MMA_2_1_1_2(al, bl, m, n, k, type, abc, ab, types, dtype, dc, dr, ctype, cc, cr)                                   \
    __WARPSMITH_DEVICE void mma_sync(fragment<accumulator, m, n, k, dtype> &d, const fragment<matrix_a, m, n, k, type, al##_major> &a, \
                                     const fragment<matrix_b, m, n, k, type, bl##_major> &b,                                           \
                                     const fragment<accumulator, m, n, k, ctype> &c) {                                                 \
        asm volatile("wmma.mma.sync.aligned." #al "." #bl ".m" #m "n" #n "k" #k "." types " {%0, %1}, {%2}, {%3}, {%4, %5};"           \
                     : "=" dc(d.dr[0]), "=" dc(d.dr[1])                                                                                \
                     : abc(a.ab[0]), abc(b.ab[0]),                                                                                     \
                       cc(c.cr[0]), cc(c.cr[1]));                                                                                      \
    }

// 16 x 16 x 16.
__WARPSMITH_LOAD8(matrix_a, "a", row, 16, 16, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_a, "a", col, 16, 16, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", row, 16, 16, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", col, 16, 16, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_ACCUMULATOR4(16, 16, 16, __half, "f16", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_4_8_8_4, 16, 16, 16, __half, "r", __words(), "f16.f16", __half, "r", __words(), __half, "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_4_8_8_8, 16, 16, 16, __half, "r", __words(), "f16.f32", __half, "r", __words(), float, "f", x)
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_8_4, 16, 16, 16, __half, "r", __words(), "f32.f16", float, "f", x, __half, "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_8_8, 16, 16, 16, __half, "r", __words(), "f32.f32", float, "f", x, float, "f", x)
__WARPSMITH_ACCUMULATOR8(16, 16, 16, float, "f32", "f", x)
__WARPSMITH_ACCUMULATOR8(16, 16, 16, int, "s32", "r", x)
__WARPSMITH_LOAD2(matrix_a, "a", row, 16, 16, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD2(matrix_a, "a", col, 16, 16, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD2(matrix_b, "b", row, 16, 16, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD2(matrix_b, "b", col, 16, 16, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_2_2_8_SATURATING, 16, 16, 16, signed char, "r", __words(), "s32.s8.s8.s32", int, "r", x, int, "r", x)
__WARPSMITH_LOAD2(matrix_a, "a", row, 16, 16, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD2(matrix_a, "a", col, 16, 16, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD2(matrix_b, "b", row, 16, 16, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD2(matrix_b, "b", col, 16, 16, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_2_2_8_SATURATING, 16, 16, 16, unsigned char, "r", __words(), "s32.u8.u8.s32", int, "r", x, int, "r", x)
#if __CUDA_ARCH__ >= 800
__WARPSMITH_LOAD4(matrix_a, "a", row, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD4(matrix_a, "a", col, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", row, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", col, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_4_4_8, 16, 16, 16, __nv_bfloat16, "r", __words(), "f32.bf16.bf16.f32", float, "f", x, float, "f", x)
#endif
// 32 x 8 x 16.
__WARPSMITH_LOAD8(matrix_a, "a", row, 32, 8, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_a, "a", col, 32, 8, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", row, 32, 8, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", col, 32, 8, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_ACCUMULATOR4(32, 8, 16, __half, "f16", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_4_8_8_4, 32, 8, 16, __half, "r", __words(), "f16.f16", __half, "r", __words(), __half, "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_4_8_8_8, 32, 8, 16, __half, "r", __words(), "f16.f32", __half, "r", __words(), float, "f", x)
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_8_4, 32, 8, 16, __half, "r", __words(), "f32.f16", float, "f", x, __half, "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_8_8, 32, 8, 16, __half, "r", __words(), "f32.f32", float, "f", x, float, "f", x)
__WARPSMITH_ACCUMULATOR8(32, 8, 16, float, "f32", "f", x)
__WARPSMITH_ACCUMULATOR8(32, 8, 16, int, "s32", "r", x)
__WARPSMITH_LOAD4(matrix_a, "a", row, 32, 8, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD4(matrix_a, "a", col, 32, 8, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD1(matrix_b, "b", row, 32, 8, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD1(matrix_b, "b", col, 32, 8, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_4_1_8_SATURATING, 32, 8, 16, signed char, "r", __words(), "s32.s8.s8.s32", int, "r", x, int, "r", x)
__WARPSMITH_LOAD4(matrix_a, "a", row, 32, 8, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD4(matrix_a, "a", col, 32, 8, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD1(matrix_b, "b", row, 32, 8, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD1(matrix_b, "b", col, 32, 8, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_4_1_8_SATURATING, 32, 8, 16, unsigned char, "r", __words(), "s32.u8.u8.s32", int, "r", x, int, "r", x)
#if __CUDA_ARCH__ >= 800
__WARPSMITH_LOAD8(matrix_a, "a", row, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD8(matrix_a, "a", col, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD2(matrix_b, "b", row, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD2(matrix_b, "b", col, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_2_8, 32, 8, 16, __nv_bfloat16, "r", __words(), "f32.bf16.bf16.f32", float, "f", x, float, "f", x)
#endif
// 8 x 32 x 16.
__WARPSMITH_LOAD8(matrix_a, "a", row, 8, 32, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_a, "a", col, 8, 32, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", row, 8, 32, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", col, 8, 32, 16, __half, __half, "f16", "r", __words())
__WARPSMITH_ACCUMULATOR4(8, 32, 16, __half, "f16", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_4_8_8_4, 8, 32, 16, __half, "r", __words(), "f16.f16", __half, "r", __words(), __half, "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_4_8_8_8, 8, 32, 16, __half, "r", __words(), "f16.f32", __half, "r", __words(), float, "f", x)
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_8_4, 8, 32, 16, __half, "r", __words(), "f32.f16", float, "f", x, __half, "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_8_8_8, 8, 32, 16, __half, "r", __words(), "f32.f32", float, "f", x, float, "f", x)
__WARPSMITH_ACCUMULATOR8(8, 32, 16, float, "f32", "f", x)
__WARPSMITH_ACCUMULATOR8(8, 32, 16, int, "s32", "r", x)
__WARPSMITH_LOAD1(matrix_a, "a", row, 8, 32, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD1(matrix_a, "a", col, 8, 32, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", row, 8, 32, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", col, 8, 32, 16, signed char, signed char, "s8", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_1_4_8_SATURATING, 8, 32, 16, signed char, "r", __words(), "s32.s8.s8.s32", int, "r", x, int, "r", x)
__WARPSMITH_LOAD1(matrix_a, "a", row, 8, 32, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD1(matrix_a, "a", col, 8, 32, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", row, 8, 32, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", col, 8, 32, 16, unsigned char, unsigned char, "u8", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_1_4_8_SATURATING, 8, 32, 16, unsigned char, "r", __words(), "s32.u8.u8.s32", int, "r", x, int, "r", x)
#if __CUDA_ARCH__ >= 800
__WARPSMITH_LOAD2(matrix_a, "a", row, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD2(matrix_a, "a", col, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", row, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LOAD8(matrix_b, "b", col, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", "r", __words())
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_2_8_8, 8, 32, 16, __nv_bfloat16, "r", __words(), "f32.bf16.bf16.f32", float, "f", x, float, "f", x)
#endif
#if __CUDA_ARCH__ >= 800
__WARPSMITH_LOAD4(matrix_a, "a", row, 16, 16, 8, precision::tf32, float, "tf32", "r", __words())
__WARPSMITH_LOAD4(matrix_a, "a", col, 16, 16, 8, precision::tf32, float, "tf32", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", row, 16, 16, 8, precision::tf32, float, "tf32", "r", __words())
__WARPSMITH_LOAD4(matrix_b, "b", col, 16, 16, 8, precision::tf32, float, "tf32", "r", __words())
__WARPSMITH_ACCUMULATOR8(16, 16, 8, float, "f32", "f", x)
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_8_4_4_8, 16, 16, 8, precision::tf32, "r", __words(), "f32.tf32.tf32.f32", float, "f", x, float, "f", x)
__WARPSMITH_LOAD1(matrix_a, "a", row, 8, 8, 4, double, double, "f64", "d", x)
__WARPSMITH_LOAD1(matrix_a, "a", col, 8, 8, 4, double, double, "f64", "d", x)
__WARPSMITH_LOAD1(matrix_b, "b", row, 8, 8, 4, double, double, "f64", "d", x)
__WARPSMITH_LOAD1(matrix_b, "b", col, 8, 8, 4, double, double, "f64", "d", x)
__WARPSMITH_ACCUMULATOR2(8, 8, 4, double, "f64", "d", x)
__WARPSMITH_LAYOUTS(__WARPSMITH_MMA_2_1_1_2, 8, 8, 4, double, "d", x, "f64.f64.f64.f64", double, "d", x, double, "d", x)
#endif
#undef __WARPSMITH_LAYOUTS
#undef __WARPSMITH_LOAD8
#undef __WARPSMITH_ACCUMULATOR4
#undef __WARPSMITH_ACCUMULATOR8
#undef __WARPSMITH_MMA_4_8_8_4
#undef __WARPSMITH_MMA_4_8_8_8
#undef __WARPSMITH_MMA_8_8_8_4
#undef __WARPSMITH_MMA_8_8_8_8
#undef __WARPSMITH_LOAD2
#undef __WARPSMITH_MMA_8_2_2_8_SATURATING
#undef __WARPSMITH_LOAD4
#undef __WARPSMITH_MMA_8_4_4_8
#undef __WARPSMITH_LOAD1
#undef __WARPSMITH_MMA_8_4_1_8_SATURATING
#undef __WARPSMITH_MMA_8_8_2_8
#undef __WARPSMITH_MMA_8_1_4_8_SATURATING
#undef __WARPSMITH_MMA_8_2_8_8
#undef __WARPSMITH_ACCUMULATOR2
#undef __WARPSMITH_MMA_2_1_1_2

// Products of matrices of bits and of four-bit integers, in words of 32 bits.
namespace experimental {
namespace precision {
struct b1;
struct u4;
struct s4;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
template <> struct __warpsmith_element<experimental::precision::b1> { typedef unsigned type; };
template <> struct __warpsmith_element<experimental::precision::u4> { typedef unsigned type; };
template <> struct __warpsmith_element<experimental::precision::s4> { typedef int type; };

template <> class fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> : public __warpsmith_fragment<experimental::precision::b1, 1> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &f, const void *p, unsigned stride) {
    asm volatile("wmma.load.a.sync.aligned.row.m8n8k128.b1 {%0}, [%1], %2;" : "=r"(f.x[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> : public __warpsmith_fragment<experimental::precision::b1, 1> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &f, const void *p, unsigned stride) {
    asm volatile("wmma.load.b.sync.aligned.col.m8n8k128.b1 {%0}, [%1], %2;" : "=r"(f.x[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> : public __warpsmith_fragment<experimental::precision::u4, 1> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> &f, const void *p, unsigned stride) {
    asm volatile("wmma.load.a.sync.aligned.row.m8n8k32.u4 {%0}, [%1], %2;" : "=r"(f.x[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 8, 32, experimental::precision::u4, col_major> : public __warpsmith_fragment<experimental::precision::u4, 1> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<matrix_b, 8, 8, 32, experimental::precision::u4, col_major> &f, const void *p, unsigned stride) {
    asm volatile("wmma.load.b.sync.aligned.col.m8n8k32.u4 {%0}, [%1], %2;" : "=r"(f.x[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> : public __warpsmith_fragment<experimental::precision::s4, 1> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> &f, const void *p, unsigned stride) {
    asm volatile("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%0}, [%1], %2;" : "=r"(f.x[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major> : public __warpsmith_fragment<experimental::precision::s4, 1> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major> &f, const void *p, unsigned stride) {
    asm volatile("wmma.load.b.sync.aligned.col.m8n8k32.s4 {%0}, [%1], %2;" : "=r"(f.x[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<accumulator, 8, 8, 128, int, void> : public __warpsmith_fragment<int, 2> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<accumulator, 8, 8, 128, int> &f, const int *p, unsigned stride, layout_t layout) {
    if (layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m8n8k128.s32 {%0, %1}, [%2], %3;" : "=r"(f.x[0]), "=r"(f.x[1]) : "l"(p), "r"(stride) : "memory");
    else
        asm volatile("wmma.load.c.sync.aligned.col.m8n8k128.s32 {%0, %1}, [%2], %3;" : "=r"(f.x[0]), "=r"(f.x[1]) : "l"(p), "r"(stride) : "memory");
}
__WARPSMITH_DEVICE void store_matrix_sync(int *p, const fragment<accumulator, 8, 8, 128, int> &f, unsigned stride, layout_t layout) {
    if (layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m8n8k128.s32 [%0], {%1, %2}, %3;" : : "l"(p), "r"(f.x[0]), "r"(f.x[1]), "r"(stride) : "memory");
    else
        asm volatile("wmma.store.d.sync.aligned.col.m8n8k128.s32 [%0], {%1, %2}, %3;" : : "l"(p), "r"(f.x[0]), "r"(f.x[1]), "r"(stride) : "memory");
}
template <> class fragment<accumulator, 8, 8, 32, int, void> : public __warpsmith_fragment<int, 2> {};
__WARPSMITH_DEVICE void load_matrix_sync(fragment<accumulator, 8, 8, 32, int> &f, const int *p, unsigned stride, layout_t layout) {
    if (layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m8n8k32.s32 {%0, %1}, [%2], %3;" : "=r"(f.x[0]), "=r"(f.x[1]) : "l"(p), "r"(stride) : "memory");
    else
        asm volatile("wmma.load.c.sync.aligned.col.m8n8k32.s32 {%0, %1}, [%2], %3;" : "=r"(f.x[0]), "=r"(f.x[1]) : "l"(p), "r"(stride) : "memory");
}
__WARPSMITH_DEVICE void store_matrix_sync(int *p, const fragment<accumulator, 8, 8, 32, int> &f, unsigned stride, layout_t layout) {
    if (layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m8n8k32.s32 [%0], {%1, %2}, %3;" : : "l"(p), "r"(f.x[0]), "r"(f.x[1]), "r"(stride) : "memory");
    else
        asm volatile("wmma.store.d.sync.aligned.col.m8n8k32.s32 [%0], {%1, %2}, %3;" : : "l"(p), "r"(f.x[0]), "r"(f.x[1]), "r"(stride) : "memory");
}
__WARPSMITH_DEVICE void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                                  const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                                  const fragment<accumulator, 8, 8, 128, int> &c, experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                                  experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
#if __CUDA_ARCH__ >= 800
    if (operation == experimental::bmmaBitOpAND) {
        asm volatile("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
        return;
    }
#endif
    asm volatile("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
}
__WARPSMITH_DEVICE void mma_sync(fragment<accumulator, 8, 8, 32, int> &d, const fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> &a,
                                 const fragment<matrix_b, 8, 8, 32, experimental::precision::u4, col_major> &b,
                                 const fragment<accumulator, 8, 8, 32, int> &c, bool saturate = false) {
    if (saturate)
        asm volatile("wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
    else
        asm volatile("wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
}
__WARPSMITH_DEVICE void mma_sync(fragment<accumulator, 8, 8, 32, int> &d, const fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> &a,
                                 const fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major> &b,
                                 const fragment<accumulator, 8, 8, 32, int> &c, bool saturate = false) {
    if (saturate)
        asm volatile("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
    else
        asm volatile("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
}
namespace experimental {
using wmma::bmma_sync;
}
}
}
