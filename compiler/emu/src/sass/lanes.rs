//! What computes a word from words, lane by lane, with nothing else read or written.

use super::code::{LANES, Lanes};

/// Computes the result of all lanes from three words and a parameter that was fixed when the instruction was decoded.
pub(crate) type LanesFunction = fn(&mut Lanes, &Lanes, &Lanes, &Lanes, u32);

macro_rules! lanes {
    ($(#[$doc:meta])* $name:ident, |$a:ident, $b:ident, $c:ident, $p:ident| $value:expr) => {
        $(#[$doc])*
        pub(crate) fn $name(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, $p: u32) {
            for lane in 0..LANES {
                let ($a, $b, $c) = (a[lane], b[lane], c[lane]);
                let _ = ($a, $b, $c);
                out[lane] = $value;
            }
        }
    };
}
pub(crate) use lanes;

lanes!(
    /// `MOV`: the first source.
    copy, |a, _b, _c, _p| a
);
