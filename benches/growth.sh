#!/usr/bin/env bash
# How time and memory grow with the size of a program, and what a second thread brings for a file of many functions:
#   growth.sh [FAMILY…]     by default all families of growth-families.awk; cu/* names those of CUDA
# The size of each doubles until a compilation takes SECONDS_ENOUGH (1) seconds of processor time or the family ends; the better of two runs counts. A line has the last four
# sizes with the seconds, the exponent of time over the last doubling, and memory with its exponent. Over 1.3 it ends in ***.
# The exit code is 1 if one does. Builds ours; needs GNU time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
[ -n "${WARPSMITH:-}" ] || cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p warpsmith-driver
ours=${WARPSMITH:-${CARGO_TARGET_DIR:-$root/target}/release/warpsmith}
enough=${SECONDS_ENOUGH:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

compile() { # compile KIND: seconds and KiB of the better of two runs; fails as the compiler does
    local best=
    for _ in 1 2; do
        case $1 in
            ptx) /usr/bin/time -o "$folder/time" -f '%U %M' "$ours" --face ptxas -arch=sm_80 "$folder/x.ptx" -o "$folder/x.cubin" > "$folder/said" 2>&1 ;;
            cu) /usr/bin/time -o "$folder/time" -f '%U %M' "$ours" --face nvcc -w -cubin -arch=sm_80 "$folder/x.cu" -o "$folder/x.cubin" > "$folder/said" 2>&1 ;;
        esac || return 1
        best=$(printf '%s\n%s\n' "$best" "$(tail -1 "$folder/time")" | grep . | sort -n | head -1)
        [ "${best%%.*}" -lt 10 ] || break
    done
    echo "$best"
}

measure() { # measure FAMILY FIRST LAST
    local size=$2 last=$3 rows="" row
    while :; do
        awk -v family="$1" -v n="$size" -f "$here/growth-families.awk" > "$folder/x.${1%%/*}"
        if ! row=$(compile "${1%%/*}"); then
            rows="$rows$size failed 0 $(head -c 120 "$folder/said" | tr '\n ' '__')"$'\n'
            break
        fi
        rows="$rows$size $row"$'\n'
        if awk -v t="${row%% *}" -v e="$enough" 'BEGIN { exit !(t >= e) }' || { [ "$last" != 0 ] && [ $((2 * size)) -gt "$last" ]; }; then break; fi
        size=$((2 * size))
    done
    printf '%s' "$rows" | awk -v family="$1" '
        function exponent(a, b) { return log((b < 0.01 ? 0.01 : b) / (a < 0.01 ? 0.01 : a)) / log(2) }
        $2 == "failed" { said = " fails at " $1 ": " $4; next }
        { n[++count] = $1; time[count] = $2; memory[count] = $3 }
        END {
            printf "%-28s", family
            for (i = count > 4 ? count - 3 : 1; i <= count; i++) printf " %8d:%6.2f", n[i], time[i]
            grows = count > 1 ? exponent(time[count - 1], time[count]) : 0
            printf "  time %.2f", grows
            if (count > 1) printf "  memory %d MB %.2f", memory[count] / 1024, exponent(memory[count - 1], memory[count])
            # What takes no time has no exponent.
            print said (grows > 1.3 && time[count] > 0.5 ? " ***" : "")
        }' | tee -a "$folder/table"
}

while read -r family first last; do
    if [ $# = 0 ]; then measure "$family" "$first" "$last"; fi
    for wanted in "$@"; do
        # shellcheck disable=SC2053 # the names may be patterns
        if [[ $family == $wanted ]]; then measure "$family" "$first" "$last"; fi
    done
done < <(awk -f "$here/growth-families.awk")

if [ $# = 0 ]; then
    awk -v family=ptx/mixed -v kernels=200 -v n=25 -f "$here/growth-families.awk" > "$folder/many.ptx"
    for threads in 1 2; do
        /usr/bin/time -f "200 kernels of 500 instructions, $threads threads: %e s, %U s of processor time" \
            "$ours" --face ptxas -arch=sm_80 --split-compile="$threads" "$folder/many.ptx" -o "$folder/many.cubin"
    done
fi
! grep -q '\*\*\*$' "$folder/table"
