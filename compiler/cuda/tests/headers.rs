//! The built-in headers, by programs through the front end, instruction selection and the PTX interpreter.

mod support;

use warpsmith::FrontEnd;

/// What the 32 threads of a warp give that run `body`, which ends with `return` of an `int`. `before` stands before the function.
fn warp(before: &str, body: &str) -> Vec<i32> {
    let text = format!(
        "{before}\n__device__ int test(int lane) {{ {body} }}\nextern \"C\" __global__ void run(int *result) {{ result[threadIdx.x] = test(threadIdx.x); }}\n"
    );
    match support::run(FrontEnd::default(), &text, "run", 32, 32) {
        Ok((left, _)) => left,
        Err(message) => panic!("{message}"),
    }
}

/// The number of the first check that does not hold, for each check an expression; 0 if all hold, in all threads.
fn first_failure(before: &str, start: &str, checks: &[&str]) -> i32 {
    let mut body = start.to_string();
    for (index, check) in checks.iter().enumerate() {
        body += &format!(" if (!({check})) return {};\n", index + 1);
    }
    body += " return 0;";
    warp(before, &body).into_iter().find(|&value| value != 0).unwrap_or(0)
}

#[test]
fn integers_and_vectors() {
    let checks = [
        "__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clzll(1) == 63 && __ffs(8) == 4 && __ffs(0) == 0",
        "__brev(1) == 0x80000000u && __byte_perm(0x33221100, 0x77665544, 0x7250) == 0x77225500u",
        "__mulhi(-2, 3) == -1 && __umulhi(0x80000000u, 6) == 3 && __mul24(3, -4) == -12 && __umul64hi(1ull << 63, 4) == 2",
        "__hadd(-3, 2) == -1 && __rhadd(2, 3) == 3 && __uhadd(~0u, ~0u) == ~0u && __sad(-3, 4, 10) == 17",
        "__funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(0, 1, 1) == 0x80000000u && __funnelshift_rc(7, 9, 40) == 9",
        "__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp2a_lo(0x00020003, 0x05040302, 1) == 1 + 3 * 2 + 2 * 3",
        "__vadd2(0xffff0001u, 0x00010001u) == 2 && __vsub4(0, 0x01010101u) == ~0u && __vmaxs2(0x8000ffffu, 1) == 1",
        "__vcmpeq4(0x01020304, 0x01000300) == 0xff00ff00u && __vabsdiffu4(0x05, 0x08) == 3 && __vsadu2(0x00050001, 0x00020004) == 6",
        "min(-1, 2) == -1 && max(-1, 2u) == ~0u && max(1.5f, 2.5) == 2.5 && umin(3u, 2u) == 2",
        "sizeof(float3) == 12 && alignof(float4) == 16 && alignof(short2) == 4 && sizeof(double4) == 32 && alignof(double4_32a) == 32",
        "make_int4(1, 2, 3, 4).z == 3 && dim3(5).y == 1 && ((uint3)dim3(1, 2, 3)).z == 3 && warpSize == 32 && blockDim.x == 32",
    ];
    assert_eq!(first_failure("", "", &checks), 0);
}

#[test]
fn floating_numbers() {
    let checks = [
        "__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f && __double2hiint(1.0) == 0x3ff00000",
        "__float2int_rn(2.5f) == 2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3 && __double2ll_rz(-1.9) == -1",
        "__fadd_ru(1.0f, 1e-10f) > 1.0f && __fadd_rd(1.0f, 1e-10f) == 1.0f && __fmaf_rn(2, 3, 4) == 10 && __frcp_rn(4.0f) == 0.25f",
        "fabsf(-1.5f) == 1.5f && floor(-1.5) == -2 && ceilf(1.2f) == 2 && rintf(2.5f) == 2 && copysign(1.0, -0.0) == -1",
        "sqrt(9.0f) == 3 && sqrt(16) == 4 && fmax(1, 2.5f) == 2.5 && fmin(1.0f, NAN) == 1 && fma(2.0, 3.0, 1.0) == 7",
        "isnan(NAN) && isinf(-INFINITY) && isfinite(1.0) && signbit(-0.0f) && !isnormal(1e-40f)",
        "__saturatef(1.5f) == 1 && __fdividef(6, 3) == 2 && rsqrtf(4.0f) == 0.5f && __expf(0) == 1 && __log2f(8) == 3",
    ];
    assert_eq!(first_failure("", "", &checks), 0);
}

#[test]
fn threads_together() {
    let before = "__shared__ int sum; __shared__ unsigned long long wide; __device__ float number = 1;";
    let start = "
        if (lane == 0) sum = 0, wide = 5;
        __syncthreads();
        int old = atomicAdd(&sum, 1);
        __syncthreads();";
    let checks = [
        "sum == 32 && old >= 0 && old < 32",
        "__shfl_sync(~0u, lane, 3) == 3 && __shfl_xor_sync(~0u, lane, 1) == (lane ^ 1) && __shfl_up_sync(~0u, lane, 1) == (lane ? lane - 1 : 0)",
        "__shfl_down_sync(~0u, (double)lane, 4, 8) == (lane % 8 < 4 ? lane + 4 : lane) && __shfl_sync(~0u, 1ll << 40, 0) == 1ll << 40",
        "__ballot_sync(~0u, lane < 4) == 15 && __all_sync(~0u, lane < 32) && !__any_sync(~0u, lane > 31)",
        "__match_any_sync(~0u, lane / 16) == (lane < 16 ? 0xffffu : 0xffff0000u)",
        "__reduce_add_sync(~0u, lane) == 496 && __reduce_max_sync(~0u, -lane) == 0 && __reduce_or_sync(~0u, 1u << lane) == ~0u",
        "__activemask() == ~0u && __syncthreads_count(lane & 1) == 16",
        "lane != 0 || (atomicCAS(&sum, 32, 7) == 32 && atomicExch(&sum, 9) == 7 && atomicMax(&sum, 11) == 9 && atomicSub(&sum, 1) == 11 && sum == 10)",
        "lane != 0 || (atomicMin(&wide, 3ull) == 5 && atomicXor(&wide, 1ull) == 3 && wide == 2 && atomicAdd(&number, 0.5f) == 1 && number == 1.5f)",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

/// Groups that a tile or a group is divided into, and groups whose kind is known where they run.
#[test]
fn parts_of_groups_of_threads() {
    let before = "#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__device__ int sum(cg::thread_group group, int *scratch, int value) {
    int rank = group.thread_rank();
    for (int half = group.size() / 2; half > 0; half /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < half) value += scratch[rank + half];
        group.sync();
    }
    return value;
}
__shared__ int scratch[32];
__shared__ char bytes[16], copied[16];";
    let start = "
        auto block = cg::this_thread_block();
        auto warp = cg::tiled_partition<32>(block);
        auto odd = cg::binary_partition(warp, lane & 1);
        auto third = cg::labeled_partition(warp, lane % 3);
        auto pair = cg::tiled_partition<2>(third);
        int of_odd = cg::reduce(odd, lane, cg::plus<int>());
        int of_block = sum(block, scratch, lane);
        cg::thread_group tile = cg::tiled_partition(block, 4);
        int of_tile = sum(tile, scratch + lane / 4 * 4, lane);
        int below = third.shfl_up(lane, 1), beside = pair.shfl_xor(lane, 1);
        if (lane < 16) bytes[lane] = lane;
        block.sync();
        cg::memcpy_async(block, (int *)copied, (const int *)bytes, 14);
        cg::wait(block);";
    let checks = [
        "odd.size() == 16 && odd.thread_rank() == lane / 2 && odd.meta_group_rank() == (lane & 1) && odd.meta_group_size() == 2",
        "of_odd == (lane & 1 ? 256 : 240)",
        "third.size() == (lane % 3 == 2 ? 10 : 11) && third.meta_group_rank() == lane % 3 && third.meta_group_size() == 3",
        "below == (lane < 3 ? lane : lane - 3) && third.ballot(lane < 6) == 3",
        "pair.size() == (lane / 6 == 5 && lane % 3 != 2 ? 1 : 2) && pair.meta_group_rank() == lane / 6",
        "beside == (pair.size() == 1 ? lane : lane / 3 % 2 ? lane - 3 : lane + 3)",
        "lane != 0 || of_block == 496",
        "tile.size() == 4 && (lane % 4 != 0 || of_tile == 4 * lane + 6)",
        "cg::thread_group(cg::this_thread()).size() == 1 && cg::thread_group(warp).thread_rank() == lane",
        "copied[12] == 12 && copied[13] == 13 && copied[14] == 0",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

#[test]
fn loads_with_cache_operators() {
    let before = "__device__ int words[4] = {1, 2, 3, 4}; __device__ float4 quad;";
    let start = "if (lane == 0) __stcg(&quad, make_float4(1, 2, 3, 4)); __syncthreads();";
    let checks = [
        "__ldg(&words[2]) == 3",
        "__ldcg((const int2 *)words).y == 2",
        "__ldcs(&quad).w == 4",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

#[test]
fn halves() {
    let before = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>";
    let start = "
        __half a = __float2half(1.5f), b = 2;
        __half2 p = __floats2half2_rn(1, -2);
        __nv_bfloat16 c = __float2bfloat16(1.5f);";
    let checks = [
        "sizeof(__half2) == 4 && __half_as_ushort(a) == 0x3e00 && __half2float(a * b + a) == 4.5f && (float)(a / b) == 0.75f",
        "a < b && a != b && !(a >= b) && __hgt(b, a) && __hisnan(__ushort_as_half(0x7e00)) && __heq(-a, __float2half(-1.5f))",
        "__half2int_rn(__float2half(2.5f)) == 2 && (int)b == 2 && __int2half_rn(3) == __half(3.0f)",
        "__low2float(p) == 1 && __high2float(p * p) == 4 && __half22float2(__hfma2(p, p, p)).y == 2 && __low2float(__lowhigh2highlow(p)) == -2",
        "__half2float(__hmax(a, b)) == 2 && __half2float(hsqrt(__half(4.0f))) == 2 && __half2float(__habs(-b)) == 2",
        "__half2float(__shfl_xor_sync(~0u, __half(lane), 1)) == (lane ^ 1)",
        "__bfloat16_as_ushort(c) == 0x3fc0 && __bfloat162float(c + c) == 3 && __bfloat162float(__float2bfloat16_rz(1.00390625f)) == 1",
        "__bfloat162float(__hfma(c, c, c)) == 3.75f && c > __nv_bfloat16(1) && __low2float(__floats2bfloat162_rn(5, 6)) == 5",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

#[test]
fn scaling_factors() {
    // The values were compared with those of the toolkit's header over 4,096 threads of random bits.
    let before = "#include <cuda_fp8.h>";
    let start = "auto up = [](double x) { return __nv_cvt_double_to_e8m0(x, __NV_NOSAT, cudaRoundPosInf); };
        auto down = [](double x) { return __nv_cvt_double_to_e8m0(x, __NV_NOSAT, cudaRoundZero); };
        auto of = [](int bits) { __nv_fp8_e8m0 factor; factor.__x = (unsigned char)bits; return factor; };";
    let checks = [
        "up(1.0) == 127 && up(-1.5) == 128 && down(-1.5) == 127 && up(0.0) == 0 && down(1e-300) == 0 && up(NAN) == 255",
        "up(0x1p128) == 255 && down(0x1p128) == 254 && down(INFINITY) == 255 && __nv_fp8_e8m0(1e300).__x == 254",
        "__nv_cvt_float_to_e8m0(0x1.8p-127f, __NV_NOSAT, cudaRoundPosInf) == 1 && __nv_cvt_float_to_e8m0(0x1.8p-128f, __NV_NOSAT, cudaRoundPosInf) == 0",
        "__nv_cvt_float2_to_e8m0x2(float2{1, 4}, __NV_NOSAT, cudaRoundZero) == 0x817f && __nv_fp8x4_e8m0(float4{1, 2, 4, 8}).__x == 0x8281807f",
        "__nv_fp8_e8m0(5).__x == 130 && __nv_fp8_e8m0(0x100000001ull).__x == 160 && __nv_fp8_e8m0(-0x100000001ll).__x == 160",
        "(float)of(0) == 0x1p-127f && (double)of(254) == 0x1p127 && isnan((float)of(255)) && (float)(__half)of(130) == 8",
        "(signed char)of(200) == 127 && (unsigned short)of(200) == 65535 && (char)of(255) == 0 && (int)of(130) == 8 && (bool)of(0)",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

#[test]
fn the_standard_library() {
    let before = "
        #include <algorithm>
        #include <array>
        #include <bit>
        #include <cstdint>
        #include <functional>
        #include <limits>
        #include <type_traits>
        #include <utility>
        #include <cuda/std/type_traits>
        static_assert(std::is_same_v<std::remove_cvref_t<const int &>, int> && std::is_same_v<std::decay_t<int[3]>, int *>);
        static_assert(std::is_same_v<std::common_type_t<char, float>, float> && cuda::std::is_integral_v<const long>);
        static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<float>::digits10 == 6);
        static_assert(std::popcount(255u) == 8 && std::bit_ceil(5u) == 8 && std::is_same_v<std::make_index_sequence<2>, std::index_sequence<0, 1>>);
        static_assert(std::is_same_v<std::make_unsigned_t<short>, uint16_t> && std::is_base_of_v<std::true_type, std::is_void<void>>);";
    let start = "
        std::array<int, 3> a{{3, 1, 2}};
        int sum = 0;
        for (int x : a) sum += x;
        auto [first, second] = std::make_pair(7, 2.5f);
        std::swap(a[0], a[1]);";
    let checks = [
        "sum == 6 && a.size() == 3 && a[0] == 1 && first == 7 && second == 2.5f",
        "std::min(2, 1) == 1 && std::max(1.0f, 2.0f) == 2 && std::clamp(9, 0, 5) == 5 && std::plus<>()(1, 2) == 3",
        "std::bit_cast<int>(1.0f) == 0x3f800000 && std::exchange(sum, 1) == 6 && sum == 1",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

#[test]
fn cooperative_groups() {
    let before = "
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        #include <cooperative_groups/scan.h>
        namespace cg = cooperative_groups;";
    let start = "
        auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<8>(block);
        int sum = cg::reduce(tile, lane, cg::plus<int>());
        int prefix = cg::inclusive_scan(tile, 1);
        auto all = cg::coalesced_threads();";
    let checks = [
        "block.thread_rank() == lane && block.size() == 32 && tile.thread_rank() == lane % 8 && tile.meta_group_rank() == lane / 8",
        "sum == 28 + lane / 8 * 64 && prefix == lane % 8 + 1",
        "tile.shfl(lane, 2) == lane / 8 * 8 + 2 && tile.ballot(lane % 8 == 1) == 2 && tile.any(lane == 9) == (lane / 8 == 1)",
        "all.size() == 32 && all.thread_rank() == lane && all.shfl(lane * 2, 5) == 10",
    ];
    assert_eq!(first_failure(before, start, &checks), 0);
}

/// Blocks of a grid wait for each other in the workspace that the driver gives a cooperative launch; other launches have none.
#[test]
fn grids_wait_at_the_barrier_of_their_workspace() {
    let before = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;";
    let body =
        "auto grid = cg::this_grid(); if (grid.is_valid()) grid.sync(); return grid.is_valid() + grid.size() * 2;";
    assert_eq!(warp(before, body)[0], 64);
    let text = format!("{before}\nextern \"C\" __global__ void run() {{ cg::this_grid().sync(); }}");
    let ptx = support::ptx(FrontEnd::default(), &text).expect("it compiles");
    for wanted in [
        "%envreg1",
        "%envreg2",
        "atom.add.release.gpu.u32",
        "ld.acquire.gpu.u32",
        "bar",
    ] {
        assert!(ptx.text.contains(wanted), "{wanted}\n{}", ptx.text);
    }
}

#[test]
fn products_by_warps() {
    let before =
        "#include <mma.h>\nusing namespace nvcuda;\n__shared__ __half a[256], b[256]; __shared__ float c[256];";
    let start = "
        for (int i = lane; i < 256; i += 32) a[i] = __half(i / 16), b[i] = __half(i % 16 == i / 16 ? 2 : 0);
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
        wmma::fill_fragment(sum, 1.0f);
        wmma::load_matrix_sync(left, a, 16);
        wmma::load_matrix_sync(right, b, 16);
        wmma::mma_sync(sum, left, right, sum);
        wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
        __syncthreads();";
    assert_eq!(
        first_failure(before, start, &["c[lane] == 1 + lane / 16 * 2 && c[255] == 31"]),
        0
    );
}

#[test]
fn tiles_convert_to_tiles_of_nothing_in_particular() {
    let before = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;";
    let body = "cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block()); return (int)tile.thread_rank();";
    assert_eq!(warp(before, body)[..10], [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
}

#[test]
fn programs_may_declare_integer_names_of_their_own() {
    let before = "typedef unsigned long long uint64_t; __device__ int of(unsigned long) { return 1; } __device__ int of(unsigned long long) { return 2; }";
    assert_eq!(warp(before, "uint64_t x = lane; return of(x);")[0], 2);
}

#[test]
fn operands_of_assembly_need_no_commas() {
    let body = "int r; asm(\"add.s32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(lane) \"r\"(40)); return r;";
    assert_eq!(warp("", body)[2], 42);
}

#[test]
fn lists_are_objects_without_a_header() {
    assert_eq!(
        warp("", "int sum = 0; for (int x : {1, 20, lane}) sum += x; return sum;")[21],
        42
    );
    assert_eq!(
        warp(
            "",
            "auto list = {1, 2, lane}; return list.size() * 10 + list.end()[-1];"
        )[5],
        35
    );
    // Forms that say it less plainly.
    let body = "auto f = [list = {40, 2}] { return list.begin()[0] + list.begin()[1]; }; return f();";
    assert_eq!(warp("", body)[0], 42);
    let before =
        "__device__ int sum(std::initializer_list<int> list) { int sum = 0; for (int x : list) sum += x; return sum; }";
    assert_eq!(warp(before, "return sum({1, 2, lane});")[4], 7);
    let included = "#include <initializer_list>\n#include <utility>\n";
    assert_eq!(
        warp(
            included,
            "std::initializer_list<int> list{7}; return *std::begin(list);"
        )[0],
        7
    );
}
