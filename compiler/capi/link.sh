#!/bin/sh
# Links the C libraries from the archive that `cargo build --release -p warpsmith-capi` makes.
#
#     link.sh ARCHIVE FOLDER [LIBRARY…]
#
# Each file of exports/ is a library: its name is the soname, and what it says are the symbols with their
# versions. What they do not need of the archive is left out. Without LIBRARY it is all of them. A name such as
# `__nvJitLinkCreate_13_0`, by which programs call what a header of that version declares, is another one of nvJitLinkCreate.
# All of them together come with the headers and `warpsmith.pc`, by which pkg-config finds them where the folder is.
set -eu
own=$(dirname "$0")
exports=$own/exports
archive=$1
folder=$2
shift 2
mkdir -p "$folder"
if [ $# -eq 0 ]; then
    mkdir -p "$folder/include"
    cp "$own"/include/*.h "$folder/include"
    cp "$own/warpsmith.pc" "$folder"
    set -- $(cd "$exports" && ls | sed 's/\.map$//')
fi
for library in "$@"; do
    map=$exports/$library.map
    wanted=$(sed -n -e 's/^ *\(__\([A-Za-z]*\)_[0-9]*_[0-9]*\);$/-Wl,--defsym=\1=\2/p' -e 's/^ *\([A-Za-z][A-Za-z_0-9]*\);$/-Wl,-u,\1/p' "$map")
    # shellcheck disable=SC2086
    ${CC:-cc} -shared -o "$folder/$library" -Wl,-soname,"$library" -Wl,--version-script="$map" \
        -Wl,--gc-sections -Wl,-s -Wl,-z,relro,-z,now $wanted "$archive" -lpthread -lm -ldl
    # The name that a program is linked by.
    ln -sf "$library" "$folder/${library%.so.*}.so"
done
