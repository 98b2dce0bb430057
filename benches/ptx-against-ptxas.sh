#!/usr/bin/env bash
# Time to check one PTX file, ours against the front end of ptxas, in one run: ptx-against-ptxas.sh FILE.ptx [RUNS]
# Both read the file with a faulty kernel at its end, which keeps ptxas from generating code; so both must report exactly one error.
# Needs ptxas on PATH; builds ours.
set -euo pipefail
file=$1 runs=${2:-5}
root=$(cd "$(dirname "$0")/.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml"
ours=${CARGO_TARGET_DIR:-$root/target}/release/warpsmith
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$file" "$scratch/in.ptx"
printf '\n.entry the_end(){ add.u32 unknown_symbol, 1, 2; }\n' >>"$scratch/in.ptx"
target=$(awk '$1 == ".target" { sub(",.*", "", $2); print $2; exit }' "$file")
check() { "$ours" ptx check "$scratch/in.ptx" >"$scratch/ours.txt" 2>&1 || true; }
reference() { ptxas -c -arch="$target" "$scratch/in.ptx" -o "$scratch/out.cubin" >"$scratch/ptxas.txt" 2>&1 || true; }
seconds() { local TIMEFORMAT='%U %S'; { time "$@"; } 2>&1 | awk '{ print $1 + $2 }'; }
for _ in $(seq "$runs"); do
    a=$(seconds check)
    b=$(seconds reference)
    awk -v a="$a" -v b="$b" -v bytes="$(wc -c <"$scratch/in.ptx")" 'BEGIN {
        printf "ours %.3f s (%.1f MB/s), ptxas %.3f s of CPU: %.1f times faster\n", a, bytes / 1e6 / (a + 1e-9), b, b / (a + 1e-9) }'
done
echo "ours:"
head -n 3 "$scratch/ours.txt"
echo "ptxas:"
head -n 3 "$scratch/ptxas.txt"
