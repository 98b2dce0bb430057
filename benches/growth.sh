#!/usr/bin/env bash
# How time and memory grow with the size of a kernel, and what a second thread brings for a file of many functions:
#   growth.sh [INSTRUCTIONS…]     by default 1000 10000 100000 1000000 PTX instructions in one kernel, then 200 kernels of 500
# The kernels are made here: loads, integer and floating-point arithmetic, branches over a few instructions and loops, each value in a register of its own.
# Builds ours; needs GNU time.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ -n "${WARPSMITH:-}" ] || cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p warpsmith-driver
ours=${WARPSMITH:-${CARGO_TARGET_DIR:-$root/target}/release/warpsmith}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# kernels COUNT UNITS: so many kernels, each of so many times 20 instructions.
kernels() {
    awk -v count="$1" -v units="$2" 'BEGIN {
        print ".version 8.0\n.target sm_75\n.address_size 64"
        for (k = 0; k < count; k++) {
            printf ".visible .entry k%d(.param .u64 a, .param .u32 n)\n{\n", k
            printf ".reg .b64 %%d<%d>;\n.reg .b32 %%r<%d>;\n.reg .f32 %%f<%d>;\n.reg .pred %%p<%d>;\n", units + 2, 7 * units + 2, 6 * units + 2, 2 * units + 2
            print "ld.param.u64 %d0, [a];\nld.param.u32 %r0, [n];\nmov.f32 %f0, 0f3F800000;"
            for (i = 0; i < units; i++) {
                r = 7 * i + 1; f = 6 * i + 1; p = 2 * i; s = 4 * (i % 500)
                if (i % 16 == 0) { printf "mov.u32 %%r%d, 0;\nH%d_%d:\n", r + 6, k, i; counter = r + 6 }
                printf "ld.global.f32 %%f%d, [%%d0+%d];\nld.global.u32 %%r%d, [%%d0+%d];\n", f, s, r, s + 2048
                printf "mad.lo.s32 %%r%d, %%r%d, %d, %%r0;\nxor.b32 %%r%d, %%r%d, %%r%d;\nshl.b32 %%r%d, %%r%d, %d;\nand.b32 %%r%d, %%r%d, 1020;\n", r + 1, r, i % 97 + 3, r + 2, r + 1, r, r + 3, r + 2, i % 7 + 1, r + 4, r + 3
                printf "cvt.rn.f32.s32 %%f%d, %%r%d;\nfma.rn.f32 %%f%d, %%f%d, %%f%d, %%f0;\nmul.rn.f32 %%f%d, %%f%d, %%f%d;\n", f + 1, r + 2, f + 2, f, f + 1, f + 3, f + 2, f + 1
                printf "setp.gt.f32 %%p%d, %%f%d, 0f40000000;\n@%%p%d bra E%d_%d;\n", p, f + 3, p, k, i
                printf "add.rn.f32 %%f%d, %%f%d, %%f%d;\nst.global.f32 [%%d0+%d], %%f%d;\nred.global.add.u32 [%%d0+%d], %%r%d;\nst.global.u32 [%%d0+%d], %%r%d;\n", f + 4, f + 3, f + 1, s + 4096, f + 4, s + 8192, r + 4, s + 12288, r + 3
                printf "E%d_%d:\nmax.f32 %%f%d, %%f%d, %%f%d;\nst.global.f32 [%%d0+%d], %%f%d;\n", k, i, f + 5, f + 3, f + 2, s + 16384, f + 5
                if (i % 16 == 15 || i == units - 1) printf "add.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 %%p%d, %%r%d, %%r0;\n@%%p%d bra H%d_%d;\n", counter, counter, p + 1, counter, p + 1, k, i - i % 16
                else printf "sub.s32 %%r%d, %%r%d, %%r%d;\nst.global.u32 [%%d0+%d], %%r%d;\nadd.u32 %%r0, %%r0, 1;\n", r + 5, r + 4, r + 1, s + 20480, r + 5
            }
            print "ret;\n}"
        }
    }'
}

for instructions in "${@:-1000 10000 100000 1000000}"; do
    for size in $instructions; do
        kernels 1 $((size / 20)) > "$folder/one.ptx"
        /usr/bin/time -f "$size instructions: %U s + %S s, %M KiB" "$ours" --face ptxas -arch=sm_80 "$folder/one.ptx" -o "$folder/one.cubin"
    done
done
kernels 200 25 > "$folder/many.ptx"
for threads in 1 2; do
    /usr/bin/time -f "200 kernels of 500 instructions, $threads threads: %e s, %U s of processor time" \
        "$ours" --face ptxas -arch=sm_80 --split-compile="$threads" "$folder/many.ptx" -o "$folder/many.cubin"
done
