//! Device functions: their parameters, bodies and calls.

use super::{Generator, scope::Scope, types::Type};

/// How something is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    Value(Type),
    /// How deep a recursion may go: an `int`.
    Depth,
    Structure(usize),
    ConstantReference(usize),
    Reference(Type),
    /// To an array of so many.
    Pointer(Type, u32),
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<Passing>,
    pub(super) result: Type,
    /// About how many statements it executes.
    pub(super) cost: u32,
}

impl Function {
    /// It changes nothing that its caller sees.
    pub(super) fn is_pure(&self) -> bool {
        !(self.parameters.iter()).any(|passing| matches!(passing, Passing::Reference(_) | Passing::Pointer(..)))
    }
}

impl Generator {
    /// Writes some functions.
    pub(super) fn functions(&mut self) {
        for number in 0..1 + self.below(4) {
            match self.chance(20) {
                true => self.recursive(number),
                false => self.function(number),
            }
        }
    }

    fn qualifiers(&mut self) -> &'static str {
        match self.below(4) {
            0 => "static __device__ __noinline__",
            1 => "static __device__ __forceinline__",
            2 => "__device__",
            _ => "static __device__",
        }
    }

    fn function(&mut self, number: u32) {
        let name = format!("f{number}");
        let impure = self.chance(45);
        let parameters: Vec<Passing> = (0..1 + self.below(4))
            .map(|_| match self.below(8) {
                0 => Passing::Structure(self.any_structure()),
                1 => Passing::ConstantReference(self.any_structure()),
                2 | 3 if impure => Passing::Reference(self.scalar_type()),
                4 if impure => Passing::Pointer(self.scalar_type(), 1 << (1 + self.below(2))),
                _ => Passing::Value(self.scalar_type()),
            })
            .collect();
        let result = match self.below(6) {
            0 => self.scalar_type(),
            _ => self.integer_type(),
        };
        let outer = std::mem::take(&mut self.scope);
        self.scope = self.constants.clone();
        let texts = self.declare_parameters(&parameters);
        let qualifiers = self.qualifiers();
        self.line(&format!("{qualifiers} {} {name}({})", result.name(), texts.join(", ")));
        let cost = self.body(result, 3);
        self.scope = outer;
        self.functions.push(Function {
            name,
            parameters,
            result,
            cost,
        });
    }

    fn any_structure(&mut self) -> usize {
        self.below(self.structures.len() as u32) as usize
    }

    /// Brings parameters into scope, and gives their declarations.
    fn declare_parameters(&mut self, parameters: &[Passing]) -> Vec<String> {
        let mut texts = Vec::new();
        for (at, passing) in parameters.iter().enumerate() {
            let name = format!("p{at}");
            match *passing {
                Passing::Value(of) => {
                    texts.push(format!("{} {name}", of.name()));
                    self.scope.scalar(&name, of, false);
                }
                Passing::Depth => texts.push(format!("int {name}")),
                Passing::Structure(index) => {
                    texts.push(format!("S{index} {name}"));
                    self.add_whole(&name, index, false);
                }
                Passing::ConstantReference(index) => {
                    texts.push(format!("const S{index} &{name}"));
                    self.add_whole(&name, index, true);
                }
                Passing::Reference(of) => {
                    texts.push(format!("{} &{name}", of.name()));
                    self.scope.scalar(&name, of, false);
                }
                Passing::Pointer(of, length) => {
                    texts.push(format!("{} *{name}", of.name()));
                    self.scope.lists.push(super::scope::List {
                        text: name,
                        of,
                        length,
                        constant: false,
                    });
                }
            }
        }
        texts
    }

    /// Statements and a return; gives the cost.
    fn body(&mut self, result: Type, statements: u32) -> u32 {
        let (outer, trips, result_before) = (self.spent, self.trips, self.result);
        (self.spent, self.trips, self.result) = (0, 1, Some(result));
        self.line("{");
        for _ in 0..1 + self.below(statements) {
            self.statement(2);
        }
        let value = self.expression(result, 3);
        self.line(&format!("return {value};"));
        self.line("}");
        let cost = self.spent + 2;
        (self.spent, self.trips, self.result) = (outer, trips, result_before);
        cost
    }

    /// A function that calls itself, at most three deep.
    fn recursive(&mut self, number: u32) {
        let name = format!("f{number}");
        let (first, second) = (self.integer_type(), self.scalar_type());
        let result = self.integer_type();
        let parameters = vec![Passing::Depth, Passing::Value(first), Passing::Value(second)];
        let outer = std::mem::take(&mut self.scope);
        self.scope = self.constants.clone();
        let texts = self.declare_parameters(&parameters);
        self.line(&format!(
            "static __device__ {} {name}({})",
            result.name(),
            texts.join(", ")
        ));
        let (spent, trips, result_before) = (self.spent, self.trips, self.result);
        (self.spent, self.trips, self.result) = (0, 1, Some(result));
        self.line("{");
        let value = self.expression(result, 2);
        self.line(&format!("if (p0 <= 0) return {value};"));
        self.statement(1);
        let calls = 1 + self.below(2);
        for call in 0..calls {
            let (a, b) = (self.expression(first, 2), self.expression(second, 2));
            self.line(&format!(
                "{} r{call} = {name}(p0 - {}, {a}, {b});",
                result.name(),
                1 + call
            ));
            self.scope.scalar(&format!("r{call}"), result, false);
        }
        self.statement(1);
        let value = self.expression(result, 2);
        self.line(&format!("return {value};"));
        self.line("}");
        let cost = (self.spent + 3) * 6;
        (self.spent, self.trips, self.result) = (spent, trips, result_before);
        self.scope = outer;
        self.functions.push(Function {
            name,
            parameters,
            result,
            cost,
        });
    }

    /// A call as a statement: what it changes are variables of their own types.
    pub(super) fn call_statement(&mut self) {
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|index| self.affords(self.functions[*index].cost))
            .collect();
        let Some(target) = self.writable().filter(|_| !fitting.is_empty()) else {
            return self.assignment();
        };
        let chosen = fitting[self.below(fitting.len() as u32) as usize];
        let function = self.functions[chosen].clone();
        self.spend(function.cost);
        let mut arguments = Vec::new();
        for passing in &function.parameters {
            arguments.push(match *passing {
                Passing::Value(of) => self.expression(of, 2),
                Passing::Depth => format!("(int)({} & 3)", self.expression(Type::U32, 1)),
                Passing::Structure(index) | Passing::ConstantReference(index) => self.structure_value(index, 1),
                Passing::Reference(of) => match self.addressable(of) {
                    Some(place) => place,
                    None => {
                        let (name, value) = (self.fresh("v"), self.expression(of, 1));
                        self.line(&format!("{} {name} = {value};", of.name()));
                        self.scope.scalar(&name, of, false);
                        name
                    }
                },
                Passing::Pointer(of, length) => self.array_of(of, length),
            });
        }
        let result = self.fresh("v");
        let call = format!("{}({})", function.name, arguments.join(", "));
        let result_type = function.result.name();
        self.line(&format!("{result_type} {result} = {call};"));
        self.scope.scalar(&result, function.result, false);
        if target.of == function.result {
            self.line(&format!("{} = {result};", target.text));
        }
    }

    /// Something of a type whose address can be taken.
    pub(super) fn addressable(&mut self, of: Type) -> Option<String> {
        let places: &Scope = &self.scope;
        let fitting: Vec<String> = (places.places.iter())
            .filter(|place| place.of == of && place.addressable)
            .map(|place| place.text.clone())
            .collect();
        match fitting.is_empty() {
            true => None,
            false => Some(fitting[self.below(fitting.len() as u32) as usize].clone()),
        }
    }

    /// The name of an array that can be written, of this length at least.
    fn array_of(&mut self, of: Type, length: u32) -> String {
        let fitting: Vec<String> = (self.scope.lists.iter())
            .filter(|list| list.of == of && list.length >= length && !list.constant)
            .map(|list| list.text.clone())
            .collect();
        if !fitting.is_empty() {
            return fitting[self.below(fitting.len() as u32) as usize].clone();
        }
        let name = self.fresh("a");
        let values = self.list_initialiser(of, length, 1);
        self.line(&format!("{} {name}[{length}] = {values};", of.name()));
        self.scope.lists.push(super::scope::List {
            text: name.clone(),
            of,
            length,
            constant: false,
        });
        name
    }
}
