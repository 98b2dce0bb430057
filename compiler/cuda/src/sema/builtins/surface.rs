//! Stores to surfaces, `__nvvm_sust_b_*`: by the shape of the surface, what is stored, and what happens outside of it.

use super::{Builtin, intrinsic};

/// The rows of one shape, whose coordinates have these types, and of one behaviour outside of the surface.
macro_rules! stores {
    ($($shape:literal $dotted:literal ($coordinates:literal) $outside:literal;)+) => {
        &[$(
            store!($shape $dotted $coordinates $outside "i8" "unsigned short"),
            store!($shape $dotted $coordinates $outside "i16" "unsigned short"),
            store!($shape $dotted $coordinates $outside "i32" "unsigned"),
            store!($shape $dotted $coordinates $outside "i64" "unsigned long long"),
            store!($shape $dotted $coordinates $outside "v2i8" "unsigned short, unsigned short"),
            store!($shape $dotted $coordinates $outside "v2i16" "unsigned short, unsigned short"),
            store!($shape $dotted $coordinates $outside "v2i32" "unsigned, unsigned"),
            store!($shape $dotted $coordinates $outside "v2i64" "unsigned long long, unsigned long long"),
            store!($shape $dotted $coordinates $outside "v4i8" "unsigned short, unsigned short, unsigned short, unsigned short"),
            store!($shape $dotted $coordinates $outside "v4i16" "unsigned short, unsigned short, unsigned short, unsigned short"),
            store!($shape $dotted $coordinates $outside "v4i32" "unsigned, unsigned, unsigned, unsigned"),
        )+]
    };
}

/// A row: the surface, coordinates, then the elements, bytes in words of 16 bits.
macro_rules! store {
    ($shape:literal $dotted:literal $coordinates:literal $outside:literal $element:literal $values:literal) => {
        intrinsic(
            concat!("__nvvm_sust_b_", $shape, "_", $element, "_", $outside),
            concat!("void(unsigned long long, ", $coordinates, ", ", $values, ")"),
            concat!("llvm.nvvm.sust.b.", $dotted, ".", $element, ".", $outside),
        )
    };
}

/// All of them.
pub(super) const STORES: &[Builtin] = stores! {
    "1d" "1d" ("int") "clamp";
    "1d_array" "1d.array" ("int, int") "clamp";
    "2d" "2d" ("int, int") "clamp";
    "2d_array" "2d.array" ("int, int, int") "clamp";
    "3d" "3d" ("int, int, int") "clamp";
    "1d" "1d" ("int") "trap";
    "1d_array" "1d.array" ("int, int") "trap";
    "2d" "2d" ("int, int") "trap";
    "2d_array" "2d.array" ("int, int, int") "trap";
    "3d" "3d" ("int, int, int") "trap";
    "1d" "1d" ("int") "zero";
    "1d_array" "1d.array" ("int, int") "zero";
    "2d" "2d" ("int, int") "zero";
    "2d_array" "2d.array" ("int, int, int") "zero";
    "3d" "3d" ("int, int, int") "zero";
};
