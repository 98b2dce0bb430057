// The macros of <nv/target>, which NVRTC has without that header (observed, 13.0 and 13.5): they choose code by the target. What is chosen stands in braces; code
// with commas may stand in parentheses, which are taken off. What each target is worth follows from the options. A header that defines these macros itself may.

#define NV_IF_TARGET(condition, yes, ...) __WARPSMITH_TARGET_IF(__WARPSMITH_TARGET_IS(condition), (yes), (__VA_ARGS__))
#define NV_IF_ELSE_TARGET(condition, yes, no) __WARPSMITH_TARGET_IF(__WARPSMITH_TARGET_IS(condition), (yes), (no))
#define NV_DISPATCH_TARGET(...) {__WARPSMITH_TARGET_1(__VA_ARGS__, NV_ANY_TARGET, ())}

// 1 or 0: what the name of a target is worth.
#define __WARPSMITH_TARGET_IS(condition) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_IS, condition)
#define __WARPSMITH_TARGET_JOIN(...) __WARPSMITH_TARGET_JOIN1(__VA_ARGS__)
#define __WARPSMITH_TARGET_JOIN1(one, ...) one##__VA_ARGS__
#define __WARPSMITH_TARGET_IF(bit, yes, no) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_IF, bit)(yes, no)
#define __WARPSMITH_TARGET_IF1(yes, no) {__WARPSMITH_TARGET_STRIP yes}
#define __WARPSMITH_TARGET_IF0(yes, no) {__WARPSMITH_TARGET_STRIP no}

// Takes parentheses off that are around the whole. Before them a macro becomes nothing, before anything else it stays.
#define __WARPSMITH_TARGET_STRIP(...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_STRIP, __WARPSMITH_TARGET_FIRST(__WARPSMITH_TARGET_TEST(__WARPSMITH_TARGET_PROBE __VA_ARGS__)))(__VA_ARGS__)
#define __WARPSMITH_TARGET_STRIP0(...) __VA_ARGS__
#define __WARPSMITH_TARGET_STRIP1(...) __WARPSMITH_TARGET_STRIP0 __VA_ARGS__
#define __WARPSMITH_TARGET_PROBE(...)
#define __WARPSMITH_TARGET_TEST(...) __WARPSMITH_TARGET_TEST1(__VA_ARGS__)
#define __WARPSMITH_TARGET_TEST1(...) __WARPSMITH_TARGET_PROBED##__VA_ARGS__
#define __WARPSMITH_TARGET_PROBED 1,
#define __WARPSMITH_TARGET_PROBED__WARPSMITH_TARGET_PROBE 0,
#define __WARPSMITH_TARGET_FIRST(...) __WARPSMITH_TARGET_FIRST1(__VA_ARGS__)
#define __WARPSMITH_TARGET_FIRST1(one, ...) one

// Of pairs of a target and code, the code of the first target that holds. Each step takes one pair, and another macro takes the next.
#define __WARPSMITH_TARGET_1(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_1_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_1_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_1_0(code, rest) __WARPSMITH_TARGET_2 rest
#define __WARPSMITH_TARGET_2(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_2_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_2_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_2_0(code, rest) __WARPSMITH_TARGET_3 rest
#define __WARPSMITH_TARGET_3(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_3_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_3_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_3_0(code, rest) __WARPSMITH_TARGET_4 rest
#define __WARPSMITH_TARGET_4(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_4_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_4_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_4_0(code, rest) __WARPSMITH_TARGET_5 rest
#define __WARPSMITH_TARGET_5(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_5_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_5_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_5_0(code, rest) __WARPSMITH_TARGET_6 rest
#define __WARPSMITH_TARGET_6(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_6_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_6_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_6_0(code, rest) __WARPSMITH_TARGET_7 rest
#define __WARPSMITH_TARGET_7(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_7_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_7_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_7_0(code, rest) __WARPSMITH_TARGET_8 rest
#define __WARPSMITH_TARGET_8(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_8_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_8_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_8_0(code, rest) __WARPSMITH_TARGET_9 rest
#define __WARPSMITH_TARGET_9(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_9_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_9_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_9_0(code, rest) __WARPSMITH_TARGET_10 rest
#define __WARPSMITH_TARGET_10(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_10_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_10_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_10_0(code, rest) __WARPSMITH_TARGET_11 rest
#define __WARPSMITH_TARGET_11(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_11_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_11_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_11_0(code, rest) __WARPSMITH_TARGET_12 rest
#define __WARPSMITH_TARGET_12(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_12_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_12_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_12_0(code, rest) __WARPSMITH_TARGET_13 rest
#define __WARPSMITH_TARGET_13(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_13_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_13_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_13_0(code, rest) __WARPSMITH_TARGET_14 rest
#define __WARPSMITH_TARGET_14(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_14_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_14_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_14_0(code, rest) __WARPSMITH_TARGET_15 rest
#define __WARPSMITH_TARGET_15(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_15_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_15_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_15_0(code, rest) __WARPSMITH_TARGET_16 rest
#define __WARPSMITH_TARGET_16(condition, code, ...) __WARPSMITH_TARGET_JOIN(__WARPSMITH_TARGET_16_, __WARPSMITH_TARGET_IS(condition))((code), (__VA_ARGS__))
#define __WARPSMITH_TARGET_16_1(code, rest) __WARPSMITH_TARGET_STRIP code
#define __WARPSMITH_TARGET_16_0(code, rest)
