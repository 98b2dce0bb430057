//! What programs start with, and what makes them programs of a host.

/// The first lines of each program: names of types, and functions that are defined for all operands.
pub(super) const DEVICE: &str = "\
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
template <class T> struct Wrapping { typedef u32 type; };
template <> struct Wrapping<i64> { typedef u64 type; };
template <> struct Wrapping<u64> { typedef u64 type; };
template <class T> static __device__ T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a / b); }
template <class T> static __device__ T remainder(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a % b); }
template <class T> static __device__ T least(T a, T b) { return a < b ? a : b; }
template <class T> static __device__ T greatest(T a, T b) { return a > b ? a : b; }
template <class T> static __device__ T difference(T a, T b) { typedef typename Wrapping<T>::type W; return a > b ? (T)((W)a - (W)b) : (T)((W)b - (W)a); }
template <class T> static __device__ T checked_sum(T a, T b) { T r; return __builtin_add_overflow(a, b, &r) ? (T)(a ^ b) : r; }
template <class T> static __device__ T checked_product(T a, T b) { T r; return __builtin_mul_overflow(a, b, &r) ? (T)(a | b) : r; }
template <class... A> static __device__ u64 sum(A... a) { return ((u64)0 + ... + (u64)a); }
template <class T> static __device__ i64 to_integer(T x) { return x > (T)-1e18 && x < (T)1e18 ? (i64)x : 0; }
static __device__ u64 bits_of(float x) { return x == x ? __float_as_uint(x) : 0x7fc00000u; }
static __device__ u64 bits_of(double x) { return x == x ? (u64)__double_as_longlong(x) : 0x7ff8000000000000ull; }
static __device__ void mix(u64 &sum, u64 value) { sum = (sum ^ value) * 0x9e3779b97f4a7c15ull; sum ^= sum >> 29; }
";

/// Before a program whose threads are separate, this makes it one for a host with GNU C++ or Clang; [`HOST`]`.1` follows it. The program reads the input
/// from the file of its first argument and writes the result to that of its second.
pub const HOST: (&str, &str) = (
    "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define __device__
#define __global__
#define __constant__ static const
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
struct Index { unsigned x, y, z; };
static Index threadIdx, blockIdx, blockDim, gridDim;
template <class To, class From> static To same_bits(From from) { To to; static_assert(sizeof to == sizeof from); memcpy(&to, &from, sizeof to); return to; }
static unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
static float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static long long __double_as_longlong(double x) { return same_bits<long long>(x); }
static double __longlong_as_double(long long x) { return same_bits<double>(x); }
static float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static float __fsqrt_rn(float x) { return sqrtf(x); }
static double __dsqrt_rn(double x) { return sqrt(x); }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static int __ffs(int x) { return __builtin_ffs(x); }
static unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r = r << 1 | (x >> i & 1); return r; }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
static int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b >> 64; }
static unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return ((unsigned long long)hi << 32 | lo) << (n & 31) >> 32; }
static unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31)); }
static unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { unsigned long long w = (unsigned long long)b << 32 | a; unsigned r = 0; for (int i = 0; i < 4; i++) { unsigned n = s >> (4 * i), v = w >> (8 * (n & 7)) & 255; r |= v << (8 * i); } return r; }
",
    "
int main(int count, char **words)
{
    static unsigned long long in[1 << 16], out[1 << 16];
    FILE *file = fopen(words[1], \"rb\");
    size_t read = fread(in, 1, sizeof in, file);
    blockDim = {BLOCK, 1, 1}, gridDim = {GRID, 1, 1};
    for (blockIdx.x = 0; blockIdx.x < GRID; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < BLOCK; threadIdx.x++) k(out, in, GRID * BLOCK);
    file = fopen(words[2], \"wb\");
    fwrite(out, 1, BYTES, file);
    return fclose(file) != 0 || read == 0 || count < 3;
}
",
);
