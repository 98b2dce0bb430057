//! What C++ adds: classes with constructors and destructors, virtual functions, operators, lambdas, templates, constant expressions.

use super::{Generator, types::Type};

impl Generator {
    /// Declares the classes of the program. What they do is drawn, their shapes are given.
    pub(super) fn declare_classes(&mut self) {
        let outer = std::mem::take(&mut self.scope);
        let trips = std::mem::replace(&mut self.trips, super::MOST_TRIPS);
        self.tracer();
        self.family();
        self.number();
        self.constant_function();
        (self.scope, self.trips) = (outer, trips);
    }

    /// Construction, copying and destruction leave a trace.
    fn tracer(&mut self) {
        let [a, b, c] = [(); 3].map(|()| 2 * self.below(50) + 1);
        for line in [
            "struct Tracer",
            "{",
            "u32 *trace;",
            "u32 value;",
            &format!("__device__ Tracer(u32 *t, u32 v) : trace(t), value(v) {{ *trace = *trace * {a}u + value; }}"),
            &format!(
                "__device__ Tracer(const Tracer &other) : trace(other.trace), value(other.value + {b}u) {{ *trace ^= value << 3; }}"
            ),
            &format!("__device__ ~Tracer() {{ *trace = *trace * {c}u ^ value; }}"),
            "__device__ u32 get() const { return value ^ *trace; }",
            "};",
            "static __device__ Tracer traced(u32 *t, u32 v) { return Tracer(t, v + 1u); }",
            "static __device__ u32 taken(Tracer t, u32 v) { return t.get() + v; }",
        ] {
            self.line(line);
        }
    }

    /// A base with virtual functions and two derived classes, one with a second base.
    fn family(&mut self) {
        self.scope.scalar("a", Type::U32, true);
        self.scope.scalar("x", Type::U32, true);
        let base = self.expression(Type::U32, 2);
        let second = self.expression(Type::U32, 2);
        self.scope.scalar("b", Type::I64, true);
        let left = self.expression(Type::U32, 2);
        let right = self.expression(Type::U32, 2);
        self.scope = Default::default();
        for line in [
            "struct Base",
            "{",
            "u32 a;",
            "__device__ Base(u32 v) : a(v) {}",
            &format!("__device__ virtual u32 f(u32 x) const {{ return {base}; }}"),
            &format!("__device__ virtual u32 g(u32 x) {{ a += x; return {second}; }}"),
            "};",
            "struct Other",
            "{",
            "i64 b;",
            "__device__ Other(i64 v) : b(v) {}",
            "__device__ virtual i64 h(i64 x) const { return b ^ x; }",
            "};",
            "struct Left : Base",
            "{",
            "i64 b;",
            "__device__ Left(u32 v) : Base(v + 1u), b(v) {}",
            &format!("__device__ u32 f(u32 x) const override {{ return {left}; }}"),
            "};",
            "struct Right final : Base, Other",
            "{",
            "__device__ Right(u32 v) : Base(v * 3u), Other(v) {}",
            &format!("__device__ u32 f(u32 x) const override {{ return Base::f(x) - {right}; }}"),
            "__device__ u32 g(u32 x) override { b -= (i64)(x & 1023u); return (u32)b; }",
            "__device__ i64 h(i64 x) const override { return (i64)((u64)b + a + (u64)x); }",
            "};",
        ] {
            self.line(line);
        }
    }

    /// A class that is like a number, and a template over a type and a number.
    fn number(&mut self) {
        let (of, shift) = (self.integer_type(), self.below(7));
        let (name, wrapping) = (of.name(), of.wrapping().name());
        for line in [
            "template <class T, int N> struct Number",
            "{",
            "T v[N];",
            "__device__ explicit Number(T x) { for (int i = 0; i < N; ++i) v[i] = (T)(x + (T)i); }",
            "__device__ T &operator[](u32 i) { return v[i % N]; }",
            "__device__ const T &operator[](u32 i) const { return v[i % N]; }",
            "__device__ Number &operator^=(const Number &o) { for (int i = 0; i < N; ++i) v[i] = (T)(v[i] ^ o.v[N - 1 - i]); return *this; }",
            "__device__ friend Number operator^(Number a, const Number &b) { a ^= b; return a; }",
            "__device__ friend bool operator<(const Number &a, const Number &b) { for (int i = 0; i < N; ++i) if (a.v[i] != b.v[i]) return a.v[i] < b.v[i]; return false; }",
            &format!(
                "__device__ operator u64() const {{ u64 r = N; for (const T &x : v) r = r << {shift} ^ (u64)x; return r; }}"
            ),
            "template <class F> __device__ void each(F f) { for (T &x : v) x = f(x); }",
            "};",
            &format!("static __device__ {name} twice({name} x) {{ return ({name})(({wrapping})x * 2); }}"),
            &format!("static __device__ {name} inverse({name} x) {{ return ({name})~x; }}"),
            &format!("typedef {name} (*Unary)({name});"),
        ] {
            self.line(line);
        }
        self.unary = of;
    }

    fn constant_function(&mut self) {
        let (a, b) = (self.below(100), self.below(100));
        self.line(&format!(
            "constexpr __device__ u32 constant(u32 n) {{ u32 r = n; for (u32 i = 0; i < n % 9; ++i) {{ r = r * {a}u + (i ^ {b}u); if (r & 8) r >>= 1; }} return r; }}"
        ));
    }

    /// A statement that uses them.
    pub(super) fn class_statement(&mut self, depth: u32) {
        match self.below(7) {
            0 => self.traces(depth),
            1 => self.calls_by_class(),
            2 => self.numbers(),
            3 => self.lambda(),
            4 => self.table_of_functions(),
            5 => self.constant_expression(),
            _ => self.bindings(),
        }
    }

    fn traces(&mut self, depth: u32) {
        let (trace, first, second) = (self.fresh("v"), self.fresh("t"), self.fresh("t"));
        let start = self.expression(Type::U32, 1);
        self.line(&format!("u32 {trace} = {start};"));
        let mark = self.scope.mark();
        self.line("{");
        let value = self.expression(Type::U32, 2);
        self.line(&format!("Tracer {first}(&{trace}, {value});"));
        self.statement(depth - 1);
        match self.below(4) {
            0 => self.line(&format!("Tracer {second} = {first};")),
            1 => {
                let value = self.expression(Type::U32, 2);
                self.line(&format!("const Tracer &{second} = traced(&{trace}, {value});"));
            }
            2 => {
                let (condition, value) = (self.condition(1), self.expression(Type::U32, 1));
                self.line(&format!(
                    "{first}.value += {condition} ? taken({first}, {value}) : taken(traced(&{trace}, 1u), 2u);"
                ));
                self.line(&format!("Tracer {second}({first});"));
            }
            _ => self.line(&format!("Tracer {second}[2] = {{Tracer(&{trace}, 5u), {first}}};")),
        }
        self.statement(depth - 1);
        self.leave();
        self.line(&format!("{first}.value ^= 77u;"));
        self.line("}");
        self.scope.release(mark);
        self.scope.scalar(&trace, Type::U32, false);
        // Its address went to the objects that are gone.
        if let Some(place) = self.scope.places.last_mut() {
            place.addressable = true;
        }
    }

    fn calls_by_class(&mut self) {
        let [left, right, base, pointer, other, result] = ["c", "c", "c", "q", "q", "v"].map(|kind| self.fresh(kind));
        let [a, b, c, d] = [(); 4].map(|()| self.expression(Type::U32, 1));
        let condition = self.condition(2);
        self.line(&format!("Left {left}({a});"));
        self.line(&format!("Right {right}({b});"));
        match self.chance(50) {
            true => {
                self.line(&format!("Base {base}({c});"));
                self.line(&format!(
                    "Base *{pointer}[4] = {{&{left}, &{right}, &{base}, &{left}}};"
                ));
                self.line(&format!(
                    "u32 {result} = {pointer}[{d} & 3]->f({c}) ^ {pointer}[{a} & 1]->f({b});"
                ));
                self.line(&format!("{result} += {pointer}[{b} & 3]->g({a});"));
            }
            false => {
                self.line(&format!(
                    "Base *{pointer} = {condition} ? (Base *)&{left} : (Base *)&{right};"
                ));
                self.line(&format!("Other &{other} = {right};"));
                self.line(&format!("u32 {result} = {pointer}->g({c});"));
                self.line(&format!("{result} ^= {pointer}->f({d}) + (u32){other}.h({result});"));
            }
        }
        self.scope.scalar(&result, Type::U32, false);
        self.scope.scalar(&format!("{right}.b"), Type::I64, false);
        self.scope.scalar(&format!("{left}.a"), Type::U32, false);
    }

    fn numbers(&mut self) {
        let (a, b, result) = (self.fresh("c"), self.fresh("c"), self.fresh("v"));
        // Sums of smaller or signed types could overflow.
        let of = if self.chance(50) { Type::U32 } else { Type::U64 };
        let (name, count) = (of.name(), 1 + self.below(4));
        let (first, second, third) = (self.expression(of, 2), self.expression(of, 2), self.expression(of, 2));
        self.line(&format!("Number<{name}, {count}> {a}({first}), {b}({second});"));
        let mark = self.scope.mark();
        match self.below(3) {
            0 => self.line(&format!("{a} ^= {b};")),
            1 => self.line(&format!("{b} = {a} ^ {b};")),
            _ => {
                self.scope.scalar("x", of, true);
                let value = self.expression(of, 2);
                self.line(&format!("{a}.each([&]({name} x) -> {name} {{ return {value}; }});"));
            }
        }
        self.scope.release(mark);
        let index = self.expression(Type::U32, 1);
        self.line(&format!("{b}[{index}] = {third};"));
        self.line(&format!(
            "u64 {result} = {a} < {b} ? (u64){a} : (u64){b} + {a}[{index}];"
        ));
        self.scope.scalar(&result, Type::U64, false);
    }

    fn lambda(&mut self) {
        let (name, result) = (self.fresh("l"), self.fresh("v"));
        let (of, from) = (self.scalar_type(), self.scalar_type());
        let mark = self.scope.mark();
        let target = self.writable();
        self.scope.scalar("y", from, true);
        let value = self.expression(of, 2);
        let line = match target.filter(|_| self.chance(60)) {
            Some(place) => {
                let change = self.expression(place.of, 2);
                format!(
                    "auto {name} = [&]({} y) -> {} {{ {} = {change}; return {value}; }};",
                    from.name(),
                    of.name(),
                    place.text
                )
            }
            None => format!(
                "auto {name} = [=]({} y) mutable -> {} {{ return {value}; }};",
                from.name(),
                of.name()
            ),
        };
        self.line(&line);
        self.scope.release(mark);
        let argument = self.expression(from, 2);
        self.line(&format!("{} {result} = {name}({argument});", of.name()));
        self.scope.scalar(&result, of, false);
    }

    fn table_of_functions(&mut self) {
        let (table, result, of) = (self.fresh("q"), self.fresh("v"), self.unary);
        let (index, value) = (self.expression(Type::U32, 2), self.expression(of, 2));
        self.line(&format!("Unary {table}[2] = {{twice, inverse}};"));
        self.line(&format!("{} {result} = {table}[{index} & 1]({value});", of.name()));
        self.scope.scalar(&result, of, false);
    }

    fn constant_expression(&mut self) {
        let (name, result) = (self.fresh("k"), self.fresh("v"));
        let (argument, index) = (self.below(100), self.expression(Type::U32, 1));
        self.line(&format!("constexpr u32 {name} = constant({argument}u);"));
        let value = self.expression(Type::U32, 2);
        self.line(&format!("u32 {result}[{name} % 3 + 1] = {{{value}}};"));
        let sum = self.fresh("v");
        self.line(&format!(
            "u32 {sum} = {result}[{index} % ({name} % 3 + 1)] + constant({argument}u + ({index} & 3u)) + {name};"
        ));
        self.scope.scalar(&sum, Type::U32, false);
    }

    /// The members of a structure by names of their own.
    fn bindings(&mut self) {
        let structure = self.below(self.structures.len() as u32) as usize;
        if self.structures[structure].has_bit_fields() {
            return self.assignment();
        }
        let count = self.structures[structure].members.len();
        let names: Vec<String> = (0..count).map(|_| self.fresh("b")).collect();
        let value = self.structure_value(structure, 2);
        self.line(&format!("auto [{}] = {value};", names.join(", ")));
        for (name, member) in names.iter().zip(self.structures[structure].members.clone()) {
            if let super::types::Member::Scalar(of) = member {
                // Lambdas do not capture such names: they get variables of their own.
                let own = self.fresh("v");
                self.line(&format!("{} {own} = {name};", of.name()));
                self.scope.scalar(&own, of, false);
            }
        }
    }
}
