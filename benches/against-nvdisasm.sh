#!/usr/bin/env bash
# Time of the code listing of one cubin, ours against nvdisasm's, in one run: against-nvdisasm.sh FILE.cubin [RUNS]
# Needs nvdisasm on PATH; builds ours.
set -euo pipefail
file=$1 runs=${2:-5}
root=$(cd "$(dirname "$0")/.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml"
ours=$root/target/release/warpsmith
cmp <("$ours" --face nvdisasm -c "$file") <(nvdisasm -c "$file") && echo "text: equal"
seconds() { local TIMEFORMAT='%U %S'; { time "$@" >/dev/null; } 2>&1 | awk '{print $1 + $2}'; }
for _ in $(seq "$runs"); do
    a=$(seconds "$ours" --face nvdisasm -c "$file")
    b=$(seconds nvdisasm -c "$file")
    awk -v a="$a" -v b="$b" 'BEGIN { printf "ours %.3f s, nvdisasm %.3f s of CPU: %.1f times faster\n", a, b, b / a }'
done
