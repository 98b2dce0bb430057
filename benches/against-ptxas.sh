#!/usr/bin/env bash
# What we make of real PTX against ptxas -O3, in one run: acceptance, instructions, registers, spills, processor time, memory.
#   against-ptxas.sh FOLDER… [--sm 75,90] [--sample N] [--seconds N] [--list FILE]
# Needs ptxas on PATH, and nvdisasm for the comparison of listings; builds ours. The kernel suite is compared without arguments.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p warpsmith-driver -p warpsmith-tests --bin warpsmith --bin xtask
bin=${CARGO_TARGET_DIR:-$root/target}/release
[ $# -gt 0 ] || set -- "$root/tests/kernels"
listing=()
if path=$(command -v nvdisasm); then listing=(--nvdisasm "$path"); fi
exec "$bin/xtask" compare ptxas --ours "$bin/warpsmith" --theirs "$(command -v ptxas)" "${listing[@]}" "$@"
