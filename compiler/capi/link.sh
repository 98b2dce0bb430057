#!/bin/sh
# Links the C libraries from the archive that `cargo build --release -p warpsmith-capi` makes.
#
#     link.sh ARCHIVE FOLDER [LIBRARY…]
#
# Each file of exports/ is a library: its name is the soname, and what it says are the symbols with their
# versions. What they do not need of the archive is left out. Without LIBRARY it is all of them. A name such as
# `__nvJitLinkCreate_13_0`, by which programs call what a header of that version declares, is another one of nvJitLinkCreate.
set -eu
exports=$(dirname "$0")/exports
archive=$1
folder=$2
shift 2
if [ $# -eq 0 ]; then
    set -- $(cd "$exports" && ls | sed 's/\.map$//')
fi
mkdir -p "$folder"
for library in "$@"; do
    map=$exports/$library.map
    wanted=$(sed -n -e 's/^ *\(__\([A-Za-z]*\)_[0-9]*_[0-9]*\);$/-Wl,--defsym=\1=\2/p' -e 's/^ *\([A-Za-z][A-Za-z_0-9]*\);$/-Wl,-u,\1/p' "$map")
    # shellcheck disable=SC2086
    ${CC:-cc} -shared -o "$folder/$library" -Wl,-soname,"$library" -Wl,--version-script="$map" \
        -Wl,--gc-sections -Wl,-s -Wl,-z,relro,-z,now $wanted "$archive" -lpthread -lm -ldl
    # The name that a program is linked by.
    ln -sf "$library" "$folder/${library%.so.*}.so"
done
