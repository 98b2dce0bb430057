//! Expressions without effects, each of exactly the C++ type that is asked for.

use super::{Generator, function::Passing, types::Type};

impl Generator {
    /// An expression of a type.
    pub(super) fn expression(&mut self, of: Type, depth: u32) -> String {
        match of {
            Type::Bool => self.condition(depth),
            Type::F32 | Type::F64 => self.float(of, depth),
            _ => self.integer(of, depth),
        }
    }

    /// One of any integer type.
    pub(super) fn any_integer(&mut self, depth: u32) -> String {
        let of = self.integer_type();
        self.integer(of, depth)
    }

    fn integer(&mut self, of: Type, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(of);
        }
        let (name, wrapping) = (of.name(), of.wrapping().name());
        let d = depth - 1;
        match self.below(32) {
            0..4 => self.leaf(of),
            4..9 => {
                // Arithmetic that wraps is that of an unsigned type.
                let operator = self.pick(&["+", "-", "*", "+", "-"]);
                let (a, b) = (self.integer(of, d), self.integer(of, d));
                match of {
                    Type::U32 | Type::U64 => format!("({a} {operator} {b})"),
                    _ => format!("({name})(({wrapping}){a} {operator} ({wrapping}){b})"),
                }
            }
            9..12 => {
                let operator = self.pick(&["&", "|", "^"]);
                let (a, b) = (self.integer(of, d), self.integer(of, d));
                self.narrowed(of, format!("({a} {operator} {b})"))
            }
            12 | 13 => self.shift(of, d),
            14 | 15 => self.division(of, d),
            16 => {
                let a = self.integer(of, d);
                match self.below(3) {
                    0 => format!("({name})(-({wrapping}){a})"),
                    1 => self.narrowed(of, format!("(~{a})")),
                    _ => format!("({name})(!{a})"),
                }
            }
            17 | 18 => {
                let condition = self.condition(d);
                let (a, b) = (self.integer(of, d), self.integer(of, d));
                format!("({condition} ? {a} : {b})")
            }
            19 => format!("({name}){}", self.condition(d)),
            20 | 21 => {
                let from = self.scalar_type();
                match from.is_float() {
                    true => format!("({name})to_integer({})", self.float(from, d)),
                    false => format!("({name}){}", self.expression(from, d)),
                }
            }
            22 => {
                let (a, b) = (self.any_integer(d), self.integer(of, d));
                format!("((void){a}, {b})")
            }
            23 | 24 => self.small_signed(of, d),
            25 => self.intrinsic(of, d),
            26 | 27 => self.call(of, d),
            28 => self.rotation(of, d),
            29 => {
                let (a, b) = (self.integer(of, d), self.integer(of, d));
                let function = self.pick(&["least", "greatest", "checked_sum", "checked_product", "difference"]);
                format!("{function}<{name}>({a}, {b})")
            }
            30 => {
                let lambda = self.integer(of, d);
                format!("([=]() -> {name} {{ return {lambda}; }}())")
            }
            _ => {
                let (a, b, c) = (self.any_integer(d), self.any_integer(d), self.any_integer(d));
                format!("({name})sum({a}, {b}, {c})")
            }
        }
    }

    /// An expression of a type that small types are promoted to, as the type itself.
    fn narrowed(&mut self, of: Type, text: String) -> String {
        match of.bits() < 32 {
            true => format!("({}){text}", of.name()),
            false => text,
        }
    }

    /// A literal or something that is in scope.
    fn leaf(&mut self, of: Type) -> String {
        if self.chance(25) {
            return self.literal(of);
        }
        if let Some(place) = self.readable(of) {
            return place;
        }
        match self.readable_integer() {
            Some(place) if self.chance(80) => format!("({}){place}", of.name()),
            _ => self.literal(of),
        }
    }

    pub(super) fn literal(&mut self, of: Type) -> String {
        let bits = of.bits();
        let raw = match self.below(6) {
            0 => self.random.next_u64(),
            1 => u64::MAX >> self.below(64),
            2 => 1 << self.below(bits),
            3 => (1 << (bits - 1)) - u64::from(self.below(2)),
            _ => u64::from(self.below(17)),
        };
        let raw = if bits == 64 { raw } else { raw & ((1 << bits) - 1) };
        match of {
            Type::I32 | Type::I64 if raw <= i32::MAX as u64 => match of {
                Type::I32 => raw.to_string(),
                _ => format!("{raw}ll"),
            },
            Type::U32 => format!("{raw}u"),
            Type::U64 => format!("{raw}ull"),
            _ => format!("({}){raw}ull", of.name()),
        }
    }

    fn shift(&mut self, of: Type, d: u32) -> String {
        let (name, wrapping) = (of.name(), of.wrapping().name());
        let width = of.wrapping().bits();
        let a = self.integer(of, d);
        let amount = match self.below(3) {
            0 => self.below(width).to_string(),
            _ => format!("({} & {})", self.any_integer(d), width - 1),
        };
        match self.below(2) {
            0 => format!("({name})(({wrapping}){a} << {amount})"),
            _ => format!("({name})({a} >> {amount})"),
        }
    }

    fn division(&mut self, of: Type, d: u32) -> String {
        let name = of.name();
        let operator = self.pick(&["/", "%"]);
        let a = self.integer(of, d);
        match self.below(4) {
            0 => {
                let function = if operator == "/" { "quotient" } else { "remainder" };
                let b = self.integer(of, d);
                format!("{function}<{name}>({a}, {b})")
            }
            1 if !of.is_signed() => {
                let b = self.integer(of, d);
                format!("({name})({a} {operator} ({b} | 1))")
            }
            2 if of.is_signed() => format!("({name})({a} {operator} -{})", 2 + self.below(100)),
            _ => {
                let b = match self.below(3) {
                    0 => 1 << self.below(7),
                    _ => 1 + self.below(120),
                };
                format!("({name})({a} {operator} {b})")
            }
        }
    }

    /// Signed arithmetic that cannot overflow.
    fn small_signed(&mut self, of: Type, d: u32) -> String {
        let inner = match of.bits() {
            64 if self.chance(50) => Type::I64,
            _ => Type::I32,
        };
        let mut small = |limit: u32| {
            let a = self.integer(inner, d);
            match self.below(3) {
                0 => format!("({a} % {limit})"),
                1 => format!("({a} & {})", limit.next_power_of_two() / 2 - 1),
                _ => format!("({a} >> {})", inner.bits() - 10),
            }
        };
        let (a, b) = (small(30_000), small(30_000));
        let operator = self.pick(&["+", "-", "*", "-"]);
        let text = match self.below(3) {
            0 => {
                let c = self.below(1_000);
                format!("({a} {operator} {b} + {c})")
            }
            1 => {
                let operator = self.pick(&["+", "-"]);
                let c = 1 + self.below(60);
                format!("(({a} {operator} {b}) * {c} / {})", 1 + self.below(60))
            }
            _ => format!("({a} {operator} {b})"),
        };
        format!("({}){text}", of.name())
    }

    fn intrinsic(&mut self, of: Type, d: u32) -> String {
        let a = self.integer(Type::U32, d);
        let b = self.integer(Type::U32, d);
        let call = match self.below(12) {
            0 => format!("__popc({a})"),
            1 => format!("__clz((int){a})"),
            2 => format!("__ffs((int){a})"),
            3 => format!("__brev({a})"),
            4 => format!("__umulhi({a}, {b})"),
            5 => format!("__mulhi((int){a}, (int){b})"),
            6 => {
                let c = self.integer(Type::U32, d);
                format!("__funnelshift_l({a}, {b}, {c})")
            }
            7 => {
                let c = self.integer(Type::U32, d);
                format!("__funnelshift_r({a}, {b}, {c})")
            }
            8 => {
                let c = self.integer(Type::U32, d);
                format!("__byte_perm({a}, {b}, {c})")
            }
            9 => format!("__popcll({})", self.integer(Type::U64, d)),
            10 => format!("__clzll({})", self.integer(Type::I64, d)),
            _ => {
                let (a, b) = (self.integer(Type::U64, d), self.integer(Type::U64, d));
                format!("__umul64hi({a}, {b})")
            }
        };
        format!("({}){call}", of.name())
    }

    fn rotation(&mut self, of: Type, d: u32) -> String {
        let inner = if of.bits() == 64 { Type::U64 } else { Type::U32 };
        let a = self.readable(inner).unwrap_or_else(|| self.literal(inner));
        let by = 1 + self.below(inner.bits() - 1);
        let b = self.integer(inner, d);
        format!("({})(({a} << {by} | {a} >> {}) ^ {b})", of.name(), inner.bits() - by)
    }

    /// A call of a function that has no effect.
    fn call(&mut self, of: Type, d: u32) -> String {
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|index| {
                let function = &self.functions[*index];
                function.result == of && function.is_pure() && self.affords(function.cost)
            })
            .collect();
        if fitting.is_empty() {
            return self.leaf(of);
        }
        let index = fitting[self.below(fitting.len() as u32) as usize];
        self.spend(self.functions[index].cost);
        let function = self.functions[index].clone();
        let arguments: Vec<String> = (function.parameters.iter())
            .map(|passing| match *passing {
                Passing::Value(of) => self.expression(of, d),
                Passing::Depth => format!("(int)({} & 3)", self.integer(Type::U32, d)),
                Passing::Structure(index) | Passing::ConstantReference(index) => self.structure_value(index, d),
                Passing::Reference(_) | Passing::Pointer(..) => String::new(),
            })
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    /// Something true or false.
    pub(super) fn condition(&mut self, depth: u32) -> String {
        if depth == 0 {
            if let Some(place) = self.readable(Type::Bool)
                && self.chance(40)
            {
                return format!("({place})");
            }
            let of = self.integer_type();
            let (place, mask) = (self.leaf(of), 1 << self.below(of.bits().min(31)));
            return format!("(({place} & {mask}) != 0)");
        }
        let d = depth - 1;
        match self.below(12) {
            0..4 => {
                let of = self.integer_type();
                let operator = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.integer(of, d), self.integer(of, d));
                format!("({a} {operator} {b})")
            }
            4 => {
                // Operands of different types.
                let operator = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.any_integer(d), self.any_integer(d));
                format!("({a} {operator} {b})")
            }
            5 if self.features.floats => {
                let of = if self.chance(50) { Type::F32 } else { Type::F64 };
                let operator = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.float(of, d), self.float(of, d));
                format!("({a} {operator} {b})")
            }
            6 | 7 => {
                let operator = self.pick(&["&&", "||"]);
                let (a, b) = (self.condition(d), self.condition(d));
                format!("({a} {operator} {b})")
            }
            8 => format!("(!{})", self.condition(d)),
            9 => format!("({} != 0)", self.any_integer(d)),
            10 => {
                let of = self.integer_type();
                let (a, low) = (self.integer(of, d), self.below(50));
                format!("({a} >= {low} && {a} < {})", low + self.below(70))
            }
            _ => self.condition(0),
        }
    }

    fn float(&mut self, of: Type, depth: u32) -> String {
        let name = of.name();
        if depth == 0 || self.chance(20) {
            return match self.readable(of) {
                Some(place) if self.chance(75) => place,
                _ => self.float_literal(of),
            };
        }
        let d = depth - 1;
        let other = if of == Type::F32 { Type::F64 } else { Type::F32 };
        match self.below(12) {
            0..5 => {
                let operator = self.pick(&["+", "-", "*", "/", "+", "-", "*"]);
                let (a, b) = (self.float(of, d), self.float(of, d));
                format!("({a} {operator} {b})")
            }
            5 => format!("(-{})", self.float(of, d)),
            6 => format!("({name}){}", self.float(other, d)),
            7 | 8 => format!("({name}){}", self.any_integer(d)),
            9 => {
                let condition = self.condition(d);
                let (a, b) = (self.float(of, d), self.float(of, d));
                format!("({condition} ? {a} : {b})")
            }
            10 => {
                let (a, b, c) = (self.float(of, d), self.float(of, d), self.float(of, d));
                match of {
                    Type::F32 => format!("__fmaf_rn({a}, {b}, {c})"),
                    _ => format!("__fma_rn({a}, {b}, {c})"),
                }
            }
            _ => match of {
                Type::F32 => format!("__fsqrt_rn({})", self.float(of, d)),
                _ => format!("__dsqrt_rn({})", self.float(of, d)),
            },
        }
    }

    fn float_literal(&mut self, of: Type) -> String {
        let text = match self.below(8) {
            0 => "0.0".to_owned(),
            1 => "1.0".to_owned(),
            2 => "0.1".to_owned(),
            3 => "-0.0".to_owned(),
            4 => "16777217.0".to_owned(),
            5 => "1e-39".to_owned(),
            6 => "3e38".to_owned(),
            _ => format!("{}.{}", self.below(1000), self.below(1000)),
        };
        match of {
            Type::F32 => format!("({text}f)"),
            _ => format!("({text})"),
        }
    }
}
