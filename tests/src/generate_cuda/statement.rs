//! Statements: declarations, assignments, control flow.

use super::{Generator, scope::List, types::Type};

impl Generator {
    /// A statement of any sort; `depth` is how deep statements may still be nested.
    pub(super) fn statement(&mut self, depth: u32) {
        self.spend(1);
        if depth == 0 {
            return match self.below(3) {
                0 => self.declaration(),
                _ => self.assignment(),
            };
        }
        match self.below(40) {
            0..5 => self.declaration(),
            5..15 => self.assignment(),
            15..19 => self.branch(depth),
            19..24 => self.repetition(depth),
            24 | 25 => self.switch(depth),
            26 => self.jumps(depth),
            27..30 => self.call_statement(),
            30 => self.leave(),
            31 => self.block(depth),
            32 => self.pointer(),
            33 => self.union(),
            34 => self.fill(),
            _ => self.class_statement(depth),
        }
    }

    /// Some statements in braces, which need not be all that the braces hold.
    pub(super) fn statements(&mut self, depth: u32) {
        let mark = self.scope.mark();
        self.line("{");
        for _ in 0..1 + self.below(3) {
            self.statement(depth.saturating_sub(1));
        }
        self.line("}");
        self.scope.release(mark);
    }

    fn block(&mut self, depth: u32) {
        self.statements(depth);
    }

    fn declaration(&mut self) {
        match self.below(8) {
            0 => {
                let structure = self.below(self.structures.len() as u32) as usize;
                let name = self.fresh("s");
                let value = match self.chance(50) {
                    true => self.initialiser(structure, 2),
                    false => format!(" = {}", self.structure_value(structure, 2)),
                };
                self.line(&format!("S{structure} {name}{value};"));
                self.add_whole(&name, structure, false);
            }
            1 => {
                let (of, length) = (self.scalar_type(), 2 << self.below(3));
                let name = self.fresh("a");
                let values = self.list_initialiser(of, length, 2);
                self.line(&format!("{} {name}[{length}] = {values};", of.name()));
                self.scope.lists.push(List {
                    text: name,
                    of,
                    length,
                    constant: false,
                });
            }
            kind => {
                let of = self.scalar_type();
                let (name, value) = (self.fresh("v"), self.expression(of, 3));
                let qualifier = match kind {
                    2 => "volatile ",
                    3 => "const ",
                    _ => "",
                };
                self.line(&format!("{qualifier}{} {name} = {value};", of.name()));
                self.scope.scalar(&name, of, kind == 3);
                if let Some(place) = self.scope.places.last_mut() {
                    place.addressable = kind > 3;
                }
            }
        }
    }

    /// A scalar or a structure gets another value.
    pub(super) fn assignment(&mut self) {
        if self.chance(10) && self.assign_whole() {
            return;
        }
        let Some(place) = self.writable() else {
            return self.declaration();
        };
        let (text, of) = (place.text, place.of);
        let amount = of.wrapping().bits() - 1;
        let unsigned = !of.is_signed() && of != Type::Bool;
        let line = match self.below(14) {
            0 if unsigned && !of.is_float() => format!("{}{text};", self.pick(&["++", "--"])),
            1 if unsigned && !of.is_float() => format!("{text}{};", self.pick(&["++", "--"])),
            2..5 if of.is_float() => {
                let operator = self.pick(&["+=", "-=", "*=", "/="]);
                format!("{text} {operator} {};", self.expression(of, 2))
            }
            2..5 if unsigned => {
                let operators: &[&str] = match of {
                    // A product of two of these may be too large for the `int` that it is computed in.
                    Type::U16 => &["+=", "-="],
                    _ => &["+=", "-=", "*="],
                };
                let operator = self.pick(operators);
                format!("{text} {operator} {};", self.expression(of, 2))
            }
            5 | 6 if of.is_signed() || unsigned && !of.is_float() => {
                let operator = self.pick(&["^=", "|=", "&="]);
                format!("{text} {operator} {};", self.expression(of, 2))
            }
            7 if of.is_signed() || unsigned && !of.is_float() => {
                let by = self.expression(Type::U32, 1);
                match unsigned && of.bits() >= 32 && self.chance(50) {
                    true => format!("{text} <<= {by} & {amount};"),
                    false => format!("{text} >>= {by} & {amount};"),
                }
            }
            8 if !of.is_float() && of != Type::Bool => {
                format!("{text} {} {};", self.pick(&["/=", "%="]), 1 + self.below(90))
            }
            9 => {
                // An assignment where it may not happen.
                let (condition, value) = (self.condition(2), self.expression(of, 2));
                match self.below(3) {
                    0 => format!("if {condition} {text} = {value};"),
                    1 => format!("{condition} && ({text} = {value}, true);"),
                    _ => format!("(void)({condition} || ((void)({text} = {value}), false));"),
                }
            }
            _ => format!("{text} = {};", self.expression(of, 3)),
        };
        self.line(&line);
    }

    fn assign_whole(&mut self) -> bool {
        let fitting: Vec<(String, usize)> = (self.scope.wholes.iter())
            .filter(|whole| !whole.constant)
            .map(|whole| (whole.text.clone(), whole.structure))
            .collect();
        if fitting.is_empty() {
            return false;
        }
        let (text, structure) = fitting[self.below(fitting.len() as u32) as usize].clone();
        let value = self.structure_value(structure, 2);
        self.line(&format!("{text} = {value};"));
        true
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(3);
        let hint = match self.below(12) {
            0 => format!("(__builtin_expect({condition}, 1))"),
            _ => condition,
        };
        self.line(&format!("if {hint}"));
        self.statements(depth);
        for _ in 0..self.below(3) {
            if self.chance(40) {
                let condition = self.condition(2);
                self.line(&format!("else if {condition}"));
                self.statements(depth);
            }
        }
        if self.chance(50) {
            self.line("else");
            self.statements(depth);
        }
    }

    fn repetition(&mut self, depth: u32) {
        let most = (super::MOST_TRIPS / self.trips).clamp(1, 9);
        let trips = 1 + self.below(most);
        let outer = self.trips;
        self.trips *= trips;
        let counter = self.fresh("j");
        let mark = self.scope.mark();
        self.loops += 1;
        let limit = match self.below(3) {
            // As often as data says.
            0 => format!("(int)({} % {}u)", self.expression(Type::U32, 1), trips + 1),
            _ => trips.to_string(),
        };
        match self.below(5) {
            0 => {
                self.line(&format!("int {counter} = {limit};"));
                self.line(&format!("while ({counter}-- > 0)"));
                self.scope.scalar(&counter, Type::I32, true);
                self.statements(depth);
            }
            1 => {
                self.line(&format!("int {counter} = 0;"));
                self.line("do");
                self.scope.scalar(&counter, Type::I32, true);
                self.statements(depth);
                self.line(&format!("while (++{counter} < {trips});"));
            }
            2 => {
                let (step, of) = (1 + self.below(5), self.pick(&["u32", "i64", "u8", "i16", "u64"]));
                let head = format!(
                    "for ({of} {counter} = 0; {counter} < {}; {counter} += {step})",
                    trips * step
                );
                self.line(&head);
                let declared = [Type::U32, Type::I64, Type::U8, Type::I16, Type::U64];
                let declared = declared.into_iter().find(|other| other.name() == of);
                self.scope.scalar(&counter, declared.unwrap_or(Type::U32), true);
                self.statements(depth);
            }
            3 => {
                let start = self.below(20);
                let head = format!("for (int {counter} = {start} + {limit}; {counter} > {start}; --{counter})");
                self.line(&head);
                self.scope.scalar(&counter, Type::I32, true);
                self.statements(depth);
            }
            _ => {
                if self.chance(20) {
                    let pragma = self.pick(&[
                        "#pragma unroll",
                        "#pragma unroll 1",
                        "#pragma unroll 2",
                        "#pragma unroll 3",
                    ]);
                    self.line(pragma);
                }
                self.line(&format!("for (int {counter} = 0; {counter} < {limit}; ++{counter})"));
                self.scope.scalar(&counter, Type::I32, true);
                self.statements(depth);
            }
        }
        self.loops -= 1;
        self.scope.release(mark);
        self.trips = outer;
    }

    fn switch(&mut self, depth: u32) {
        let of = self.integer_type();
        let value = self.expression(of, 2);
        let (cases, step) = (1 + self.below(7), [1, 1, 1, 3, 17][self.below(5) as usize]);
        let low = self.below(3);
        let masked = match self.below(3) {
            0 => value,
            1 => format!("{value} & 7"),
            _ => format!("(u32){value} % {}u", cases * step + low + 1),
        };
        self.line(&format!("switch ({masked})"));
        self.line("{");
        let default = self.below(cases + 2);
        for case in 0..cases {
            let label = low + case * step;
            if case == default {
                self.line("default:");
            }
            if label < 120 {
                self.line(&format!("case {label}:"));
            }
            self.statements(depth);
            if self.chance(70) {
                self.line("break;");
            }
        }
        if default == cases {
            self.line("default:");
            self.statements(depth);
        }
        self.line("}");
    }

    /// Labels and jumps, forward and back, also into the middle of a loop made of them.
    fn jumps(&mut self, depth: u32) {
        let (counter, label) = (self.fresh("n"), self.fresh("L"));
        let trips = (super::MOST_TRIPS / self.trips).clamp(1, 5);
        let outer = self.trips;
        let mark = self.scope.mark();
        self.line("{");
        self.line(&format!("int {counter} = 0;"));
        self.scope.scalar(&counter, Type::I32, true);
        self.trips *= trips;
        let loops = std::mem::take(&mut self.loops);
        if self.chance(60) {
            let condition = self.condition(2);
            self.line(&format!("if {condition} goto {label}b;"));
        }
        self.line(&format!("{label}a:;"));
        self.statements(depth);
        self.line(&format!("{label}b:;"));
        self.statements(depth);
        if self.chance(40) {
            let condition = self.condition(2);
            self.line(&format!("if {condition} goto {label}c;"));
            self.statements(depth);
        }
        let condition = self.condition(2);
        self.line(&format!("if (++{counter} >= {trips}) goto {label}c;"));
        self.line(&format!("if {condition} goto {label}a;"));
        if self.chance(50) {
            self.line(&format!("goto {label}b;"));
        }
        self.line(&format!("{label}c:;"));
        self.line("}");
        self.loops = loops;
        self.scope.release(mark);
        self.trips = outer;
    }

    /// Out of a loop, or of a function.
    pub(super) fn leave(&mut self) {
        let condition = self.condition(3);
        let returns = self.loops == 0 || self.chance(20);
        match self.result {
            Some(result) if returns => {
                let value = self.expression(result, 2);
                self.line(&format!("if {condition} return {value};"));
            }
            _ if self.loops > 0 => {
                let word = self.pick(&["break", "continue"]);
                self.line(&format!("if {condition} {word};"));
            }
            _ => self.assignment(),
        }
    }

    /// A pointer to one of two variables, or into an array.
    fn pointer(&mut self) {
        let Some(place) = self.writable().filter(|place| place.addressable) else {
            return self.assignment();
        };
        let name = self.fresh("q");
        let other = self.addressable(place.of).unwrap_or_else(|| place.text.clone());
        let condition = self.condition(2);
        let (of, first) = (place.of, place.text);
        let text = match self.below(3) {
            0 => {
                self.line(&format!("{} &{name} = {condition} ? {first} : {other};", of.name()));
                name
            }
            _ => {
                self.line(&format!("{} *{name} = {condition} ? &{first} : &{other};", of.name()));
                format!("(*{name})")
            }
        };
        self.scope.scalar(&text, of, false);
        let value = self.expression(of, 2);
        self.line(&format!("{text} = {value};"));
    }

    /// Bytes of a word, by way of a union.
    fn union(&mut self) {
        let name = self.fresh("w");
        let value = self.expression(Type::U64, 2);
        let (byte, half, word) = (
            self.expression(Type::U8, 2),
            self.expression(Type::I16, 2),
            self.expression(Type::U32, 2),
        );
        let index = self.expression(Type::U32, 1);
        self.line(&format!(
            "union {{ u64 whole; u32 words[2]; i16 halves[4]; u8 bytes[8]; }} {name};"
        ));
        self.line(&format!("{name}.whole = {value};"));
        match self.below(3) {
            0 => self.line(&format!("{name}.bytes[{index} & 7] = {byte};")),
            1 => self.line(&format!("{name}.halves[{index} & 3] ^= {half};")),
            _ => self.line(&format!("{name}.words[{index} & 1] += {word};")),
        }
        let (text, of) = [
            (format!("{name}.whole"), Type::U64),
            (format!("{name}.words[1]"), Type::U32),
            (format!("{name}.halves[2]"), Type::I16),
            (format!("{name}.bytes[3]"), Type::U8),
        ][self.below(4) as usize]
            .clone();
        let result = self.fresh("v");
        self.line(&format!("{} {result} = {text};", of.name()));
        self.scope.scalar(&result, of, false);
        self.scope.scalar(&format!("{name}.whole"), Type::U64, false);
    }

    /// All elements of an array.
    fn fill(&mut self) {
        let lists = self.scope.lists.iter();
        let fitting: Vec<List> = lists.filter(|list| !list.constant).cloned().collect();
        if fitting.is_empty() {
            return self.declaration();
        }
        let list = fitting[self.below(fitting.len() as u32) as usize].clone();
        let (counter, of) = (self.fresh("j"), list.of.name());
        let mark = self.scope.mark();
        let line = match self.below(3) {
            0 => {
                self.scope.scalar(&counter, Type::I32, true);
                let value = self.expression(list.of, 2);
                format!(
                    "for (int {counter} = 0; {counter} < {}; ++{counter}) {}[{counter}] = {value};",
                    list.length, list.text
                )
            }
            1 => {
                let value = self.expression(list.of, 2);
                let end = format!("{} + {}", list.text, list.length);
                format!(
                    "for ({of} *{counter} = {}; {counter} != {end}; ++{counter}) *{counter} = {value};",
                    list.text
                )
            }
            _ => {
                self.scope.scalar(&counter, Type::I32, true);
                let value = self.expression(list.of, 1);
                let from = format!("{}[{counter} - 1]", list.text);
                let text = &list.text;
                format!(
                    "for (int {counter} = {} - 1; {counter} > 0; --{counter}) {text}[{counter}] = {} ? {from} : {value};",
                    list.length,
                    self.condition(1)
                )
            }
        };
        self.scope.release(mark);
        self.spend(list.length / 2);
        self.line(&line);
    }
}
