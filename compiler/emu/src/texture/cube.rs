//! Directions into cubes.

use std::cmp::Ordering;

use warpsmith_numerics::{
    format::F32,
    round::{Exact, Unpacked, unpack},
};

use super::coordinate::{Fixed, UNIT, from_exact};

/// A place on a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facing {
    /// 0 to 5: +x, -x, +y, -y, +z, -z.
    pub(super) face: u32,
    /// 0 to 1 each.
    pub(super) at: [Fixed; 2],
    /// The gradients of `at`, each for the gradient of the direction that was given.
    pub(super) slopes: [[Fixed; 2]; 2],
}

/// The number of a coordinate: not-a-number is zero, an infinity the largest number.
fn number(bits: u32) -> Exact {
    match unpack(F32, bits.into()) {
        Unpacked::Nan => Exact::zero(false),
        Unpacked::Infinite { negative } => Exact {
            negative,
            significand: 0xff_ffff,
            exponent: 104,
            inexact: false,
        },
        Unpacked::Finite(value) => value,
    }
}

fn negated(value: Exact) -> Exact {
    Exact {
        negative: !value.negative,
        ..value
    }
}

/// Which magnitude is larger. Both have at most 24 bits.
fn compared(a: Exact, b: Exact) -> Ordering {
    let aligned = |value: Exact| value.significand << value.significand.leading_zeros();
    match (a.is_zero(), b.is_zero()) {
        (false, false) => a.leading().cmp(&b.leading()).then(aligned(a).cmp(&aligned(b))),
        (zero, other) => other.cmp(&zero),
    }
}

/// a / |b|, rounded downwards; zero where b is.
fn ratio(a: Exact, b: Exact) -> Fixed {
    if b.is_zero() || a.is_zero() {
        return 0;
    }
    // 24 bits by 24 bits with 80 more.
    let dividend = a.significand << 80;
    let quotient = Exact {
        negative: a.negative,
        significand: dividend / b.significand,
        exponent: -80,
        inexact: !dividend.is_multiple_of(b.significand),
    };
    from_exact(quotient, a.exponent - b.exponent)
}

/// The product of two fixed-point numbers, the first at most one.
fn times(part: Fixed, value: Fixed) -> Fixed {
    (part >> 32) * (value >> 32)
}

/// Projects a direction, with gradients of it, onto a face (the CUDA programming guide's table of cube faces).
pub(super) fn project(direction: [u32; 3], gradients: [[u32; 3]; 2]) -> Facing {
    let [x, y, z] = direction.map(number);
    let (minus, axis) = if compared(z, x).is_ge() && compared(z, y).is_ge() {
        (z.negative, 2)
    } else if compared(y, x).is_ge() {
        (y.negative, 1)
    } else {
        (x.negative, 0)
    };
    let pick = |[x, y, z]: [Exact; 3]| match (axis, minus) {
        (0, false) => [negated(z), negated(y), x],
        (0, true) => [z, negated(y), negated(x)],
        (1, false) => [x, z, y],
        (1, true) => [x, negated(z), negated(y)],
        (_, false) => [x, negated(y), z],
        (_, true) => [negated(x), negated(y), negated(z)],
    };
    let [s, t, major] = pick([x, y, z]);
    let places = [ratio(s, major), ratio(t, major)];
    let slopes = gradients.map(|gradient| {
        let [ds, dt, dm] = pick(gradient.map(number));
        let along = ratio(dm, major);
        // (s / m)' = s' / m - (s / m) (m' / m), and half of that.
        [
            (ratio(ds, major) - times(places[0], along)) / 2,
            (ratio(dt, major) - times(places[1], along)) / 2,
        ]
    });
    Facing {
        face: 2 * axis + u32::from(minus),
        at: places.map(|place| (place + UNIT) >> 1),
        slopes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facing(direction: [f32; 3]) -> (u32, [Fixed; 2]) {
        let found = project(direction.map(f32::to_bits), [[0; 3]; 2]);
        (found.face, found.at)
    }

    #[test]
    fn faces() {
        let middle = [UNIT / 2; 2];
        assert_eq!(facing([2.0, 0.0, 0.0]), (0, middle));
        assert_eq!(facing([-1.0, 0.0, 0.0]), (1, middle));
        assert_eq!(facing([0.0, 1.0, 0.0]), (2, middle));
        assert_eq!(facing([0.0, -1.0, 0.0]), (3, middle));
        assert_eq!(facing([0.0, 0.0, 1.0]), (4, middle));
        assert_eq!(facing([0.0, 0.0, -1.0]), (5, middle));
        // +x: s = -z, t = -y.
        assert_eq!(facing([4.0, 1.0, -2.0]), (0, [UNIT * 3 / 4, UNIT * 3 / 8]));
        // -z: s = -x, t = -y.
        assert_eq!(facing([1.0, -2.0, -4.0]), (5, [UNIT * 3 / 8, UNIT * 3 / 4]));
        assert_eq!(facing([1.0, 1.0, 1.0]).0, 4);
    }

    #[test]
    fn gradients_of_a_face() {
        // At (1, 0, 2) on +z: (x / z)' for x' = 1 is 1/2, for z' = 1 it is -x / z² = -1/4; half of each.
        let ones = [[1.0f32, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|gradient| gradient.map(f32::to_bits));
        let found = project([1.0f32, 0.0, 2.0].map(f32::to_bits), ones);
        assert_eq!((found.face, found.slopes), (4, [[UNIT / 4, 0], [-UNIT / 8, 0]]));
    }
}
