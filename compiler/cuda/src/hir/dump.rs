//! A compact text of a program, for tests and for looking at.
//!
//! Expressions are written in prefix form with their kinds; types stand where they cannot be guessed.

use std::fmt::Write as _;

use super::{
    Callee, CastKind, ExpressionId, ExpressionKind, FunctionId, MemberTarget, Program, Root, StatementId,
    StatementKind, StorageDuration, VariableId, VariableInitialiser,
};

/// The functions with bodies, and the static variables that are roots.
pub fn dump(program: &Program) -> String {
    let mut dumper = Dumper {
        program,
        out: String::new(),
    };
    for root in &program.roots {
        if let Root::Variable(variable) = root {
            dumper.variable(*variable, 0);
        }
    }
    for function in program.function_ids() {
        if program.function(function).body.is_some() {
            dumper.function(function);
        }
    }
    dumper.out
}

struct Dumper<'a> {
    program: &'a Program,
    out: String,
}

impl Dumper<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = depth * 2);
    }

    fn function(&mut self, id: FunctionId) {
        let program = self.program;
        let function = program.function(id);
        let space = match (function.space.global, function.space.device) {
            (true, _) => "__global__ ",
            (_, true) => "__device__ ",
            _ => "",
        };
        let result = match program.types.as_function(function.ty) {
            Some(ty) => program.show(ty.result).to_string(),
            None => String::new(),
        };
        self.line(0, &format!("{space}{result} {}", program.function_signature(id)));
        let Some(body) = &function.body else { return };
        for initialiser in &body.initialisers {
            let target = match initialiser.target {
                MemberTarget::Base(class) => program.class_name(class),
                MemberTarget::Field(field) => format!("field {}", field.0),
                MemberTarget::Path(outer, inner) => format!("field {}.{}", outer.0, inner.0),
                MemberTarget::Whole => "this".into(),
            };
            let value = self.expression(initialiser.value);
            self.line(1, &format!("init {target} = {value}"));
        }
        self.statement(body.statement, 1);
    }

    fn variable(&mut self, id: VariableId, depth: usize) {
        let program = self.program;
        let variable = program.variable(id);
        let place = if variable.storage == StorageDuration::Static {
            "static "
        } else {
            ""
        };
        let name = variable.name.as_deref().unwrap_or("<unnamed>").to_owned();
        let declaration = program.declare(variable.ty, name);
        let value = match &variable.initialiser {
            VariableInitialiser::None => String::new(),
            VariableInitialiser::Constant(value) => format!(" = const {}", program.show_constant(variable.ty, value)),
            VariableInitialiser::Dynamic(value) => format!(" = {}", self.expression(*value)),
        };
        let destroyed = match variable.destructor {
            Some(destructor) => format!(" ~ {}", program.function_name(destructor)),
            None => String::new(),
        };
        self.line(depth, &format!("{place}{declaration}{value}{destroyed}"));
    }

    fn nested(&mut self, id: StatementId, depth: usize) {
        self.statement(id, depth + 1);
    }

    fn statement(&mut self, id: StatementId, depth: usize) {
        let program = self.program;
        match &program.statement(id).kind {
            StatementKind::Null => self.line(depth, ";"),
            StatementKind::Expression(expression) => {
                let text = self.expression(*expression);
                self.line(depth, &text);
            }
            StatementKind::Declare(variable) => self.variable(*variable, depth),
            StatementKind::Block(statements) => {
                self.line(depth, "{");
                statements.iter().for_each(|&statement| self.nested(statement, depth));
                self.line(depth, "}");
            }
            StatementKind::Group(statements) => statements
                .iter()
                .for_each(|&statement| self.statement(statement, depth)),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let text = self.expression(*condition);
                self.line(depth, &format!("if {text}"));
                self.nested(*then, depth);
                if let Some(otherwise) = otherwise {
                    self.line(depth, "else");
                    self.nested(*otherwise, depth);
                }
            }
            StatementKind::While {
                declaration,
                condition,
                body,
                ..
            } => {
                if let Some(declaration) = declaration {
                    self.statement(*declaration, depth);
                }
                let text = self.expression(*condition);
                self.line(depth, &format!("while {text}"));
                self.nested(*body, depth);
            }
            StatementKind::DoWhile { body, condition, .. } => {
                self.line(depth, "do");
                self.nested(*body, depth);
                let text = self.expression(*condition);
                self.line(depth, &format!("while {text}"));
            }
            StatementKind::For {
                initial,
                declaration,
                condition,
                step,
                body,
                hints,
            } => {
                for part in [initial, declaration].into_iter().flatten() {
                    self.statement(*part, depth);
                }
                let condition = condition
                    .map(|condition| self.expression(condition))
                    .unwrap_or_default();
                let step = step.map(|step| self.expression(step)).unwrap_or_default();
                self.line(depth, &format!("for {condition}; {step} {:?}", hints.unroll));
                self.nested(*body, depth);
            }
            StatementKind::Switch {
                value,
                cases,
                default,
                body,
            } => {
                let value = self.expression(*value);
                let mut text = format!("switch {value}");
                for case in cases {
                    let _ = write!(text, " {}..{}:L{}", case.low, case.high, case.label.0);
                }
                if let Some(default) = default {
                    let _ = write!(text, " default:L{}", default.0);
                }
                self.line(depth, &text);
                self.nested(*body, depth);
            }
            StatementKind::Label(label, statement) => {
                self.line(depth, &format!("L{}:", label.0));
                self.statement(*statement, depth);
            }
            StatementKind::Goto(label) => self.line(depth, &format!("goto L{}", label.0)),
            StatementKind::IndirectGoto(value) => {
                let value = self.expression(*value);
                self.line(depth, &format!("goto *{value}"));
            }
            StatementKind::Break => self.line(depth, "break"),
            StatementKind::Continue => self.line(depth, "continue"),
            StatementKind::Return(None) => self.line(depth, "return"),
            StatementKind::Return(Some(value)) => {
                let value = self.expression(*value);
                self.line(depth, &format!("return {value}"));
            }
            StatementKind::Asm(assembly) => self.line(depth, &format!("asm {:?}", assembly.template)),
            StatementKind::Error => self.line(depth, "<error>"),
            StatementKind::Unsupported(what) => self.line(depth, &format!("<{what}>")),
        }
    }

    fn list(&self, list: &[ExpressionId]) -> String {
        let parts: Vec<String> = list.iter().map(|&id| self.expression(id)).collect();
        parts.join(", ")
    }

    fn expression(&self, id: ExpressionId) -> String {
        let program = self.program;
        let expression = program.expression(id);
        let sub = |id: &ExpressionId| self.expression(*id);
        match &expression.kind {
            ExpressionKind::Error => "<error>".into(),
            ExpressionKind::Constant(value) => program.show_constant(expression.ty, value),
            ExpressionKind::String(string) => format!("string {}", string.0),
            ExpressionKind::Variable(variable) => program.variable_name(*variable),
            ExpressionKind::Function(function) => program.function_name(*function),
            ExpressionKind::This => "this".into(),
            ExpressionKind::InitialisedObject(class) => format!("object of {}", program.class_name(*class)),
            ExpressionKind::Member { object, field } => format!("{}.#{}", sub(object), field.0),
            ExpressionKind::MemberPointerAccess { object, pointer } => format!("{}.*{}", sub(object), sub(pointer)),
            ExpressionKind::Dereference(pointer) => format!("*({})", sub(pointer)),
            ExpressionKind::AddressOf(place) => format!("&({})", sub(place)),
            ExpressionKind::MemberPointerField(class, path) => format!("&{}::{path:?}", program.class_name(*class)),
            ExpressionKind::MemberPointerFunction(function) => format!("&{}", program.function_name(*function)),
            ExpressionKind::VectorElement { vector, index } => format!("{}[{}]", sub(vector), sub(index)),
            ExpressionKind::Unary(operator, operand) => format!("{operator:?}({})", sub(operand)),
            ExpressionKind::Binary(operator, left, right) => format!("{operator:?}({}, {})", sub(left), sub(right)),
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract,
            } => {
                format!(
                    "({} {} {})",
                    sub(pointer),
                    if *subtract { "-" } else { "+" },
                    sub(index)
                )
            }
            ExpressionKind::PointerDifference(left, right) => format!("({} - {})", sub(left), sub(right)),
            ExpressionKind::Compare(comparison, left, right) => {
                format!("{comparison:?}({}, {})", sub(left), sub(right))
            }
            ExpressionKind::LogicalAnd(left, right) => format!("({} && {})", sub(left), sub(right)),
            ExpressionKind::LogicalOr(left, right) => format!("({} || {})", sub(left), sub(right)),
            ExpressionKind::Assign { place, value } => format!("({} = {})", sub(place), sub(value)),
            ExpressionKind::CompoundAssign {
                operator, place, value, ..
            } => format!("({} {operator:?}= {})", sub(place), sub(value)),
            ExpressionKind::Increment {
                place,
                decrement,
                prefix,
            } => {
                let symbol = if *decrement { "--" } else { "++" };
                if *prefix {
                    format!("{symbol}{}", sub(place))
                } else {
                    format!("{}{symbol}", sub(place))
                }
            }
            ExpressionKind::Cast(CastKind::LValueToRValue, operand) => format!("load({})", sub(operand)),
            ExpressionKind::Cast(kind, operand) => {
                let name = format!("{kind:?}");
                let name = name.split('(').next().unwrap_or_default();
                format!("{name}<{}>({})", program.show(expression.ty), sub(operand))
            }
            ExpressionKind::Call { callee, arguments } => {
                let callee = match callee {
                    Callee::Direct(function) => program.function_name(*function),
                    Callee::Virtual(function) => format!("virtual {}", program.function_name(*function)),
                    Callee::Indirect(pointer) | Callee::Member(pointer) => format!("[{}]", sub(pointer)),
                };
                format!("{callee}({})", self.list(arguments))
            }
            ExpressionKind::Builtin { builtin, arguments } => {
                format!("builtin {}({})", builtin.0, self.list(arguments))
            }
            ExpressionKind::Construct {
                constructor, arguments, ..
            } => {
                format!(
                    "construct {}({})",
                    program.function_name(*constructor),
                    self.list(arguments)
                )
            }
            ExpressionKind::Aggregate { bases, fields } => {
                let mut parts: Vec<String> = bases
                    .iter()
                    .map(|(place, value)| format!("base {place} = {}", sub(value)))
                    .collect();
                parts.extend(
                    fields
                        .iter()
                        .map(|(field, value)| format!("#{} = {}", field.0, sub(value))),
                );
                format!("{}{{{}}}", program.show(expression.ty), parts.join(", "))
            }
            ExpressionKind::Array { elements, filler } => {
                let filler = filler
                    .map(|filler| format!("; {}…", self.expression(filler)))
                    .unwrap_or_default();
                format!("[{}{filler}]", self.list(elements))
            }
            ExpressionKind::ArrayLoop { element } => format!("each({})", sub(element)),
            ExpressionKind::ArrayIndex => "index".into(),
            ExpressionKind::StringArray(string) => format!("string array {}", string.0),
            ExpressionKind::Zero => format!("zero<{}>", program.show(expression.ty)),
            ExpressionKind::Uninitialised => "uninitialised".into(),
            ExpressionKind::Materialise {
                value,
                lifetime,
                destructor,
            } => {
                let destroyed = destructor
                    .map(|function| format!(" ~ {}", program.function_name(function)))
                    .unwrap_or_default();
                let lifetime = match lifetime {
                    super::Lifetime::FullExpression => "",
                    super::Lifetime::Variable(_) => " extended",
                };
                format!("temporary({}{lifetime}{destroyed})", sub(value))
            }
            ExpressionKind::Comma(first, second) => format!("({}, {})", sub(first), sub(second)),
            ExpressionKind::Conditional { condition, yes, no } => {
                format!("({} ? {} : {})", sub(condition), sub(yes), sub(no))
            }
            ExpressionKind::Let { binding, value, body } => {
                format!("let b{} = {} in {}", binding.0, sub(value), sub(body))
            }
            ExpressionKind::Bound(binding) => format!("b{}", binding.0),
            ExpressionKind::StatementExpression { value, .. } => format!(
                "({{ …; {} }})",
                value.map(|value| self.expression(value)).unwrap_or_default()
            ),
            ExpressionKind::New {
                allocated,
                count,
                initialiser,
                ..
            } => {
                let count = count
                    .map(|count| format!("[{}]", self.expression(count)))
                    .unwrap_or_default();
                let value = initialiser
                    .map(|value| format!(" = {}", self.expression(value)))
                    .unwrap_or_default();
                format!("new {}{count}{value}", program.show(*allocated))
            }
            ExpressionKind::Delete { pointer, array, .. } => {
                format!("delete{} {}", if *array { "[]" } else { "" }, sub(pointer))
            }
            ExpressionKind::Destroy { object, .. } => format!("destroy {}", sub(object)),
            ExpressionKind::Launch { call, configuration } => {
                let configuration: Vec<_> = configuration.iter().map(sub).collect();
                format!("launch<<<{}>>> {}", configuration.join(", "), sub(call))
            }
            ExpressionKind::Unsupported(what) => format!("<{what}>"),
            ExpressionKind::VariableArgument(list) => format!("va_arg({})", sub(list)),
            ExpressionKind::IsConstantEvaluated => "is_constant_evaluated".into(),
        }
    }
}
