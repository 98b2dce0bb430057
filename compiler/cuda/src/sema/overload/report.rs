//! Messages of overload resolution: what was wanted, and for each candidate why it is not the one.

use crate::hir::{ExpressionId, FunctionId, FunctionName, QualifiedType, Qualifiers, RefQualifier, Types};
use crate::sema::Sema;
use crate::sema::entity::Callable;
use crate::sema::expression::Operand;
use crate::source::{Report, Span};

use super::Rejected;

/// More candidates than this are only counted.
const CANDIDATES_SHOWN: usize = 8;

impl<'a> Sema<'a> {
    /// A function as messages name it: its name and type, in backquotes.
    pub(crate) fn describe_function(&self, function: FunctionId) -> String {
        let node = self.program.function(function);
        let mut text = String::new();
        let class = self.function_class(function).map(|class| {
            let name = self.program.class(class).name.clone();
            name.map_or_else(|| "(unnamed class)".to_string(), |name| name.to_string())
        });
        let Some(signature) = self.program.types.as_function(node.ty) else {
            return "`?`".to_string();
        };
        let is_special = matches!(
            node.name,
            FunctionName::Constructor | FunctionName::Destructor | FunctionName::Conversion(_)
        );
        if !is_special {
            text += &format!("{} ", self.program.show(signature.result));
        }
        if let Some(class) = &class {
            text += &format!("{class}::");
        }
        match &node.name {
            FunctionName::Constructor => text += class.as_deref().unwrap_or(""),
            FunctionName::Destructor => text += &format!("~{}", class.as_deref().unwrap_or("")),
            FunctionName::Conversion(to) => text += &format!("operator {}", self.program.show(*to)),
            FunctionName::Identifier(_) | FunctionName::Operator(_) | FunctionName::Literal(_) => {
                text += self.context.text(self.function_info(function).name)
            }
        }
        let parameters: Vec<String> = signature
            .parameters
            .iter()
            .map(|&parameter| self.program.show(parameter).to_string())
            .collect();
        let dots = match (signature.variadic, parameters.is_empty()) {
            (false, _) => "",
            (true, true) => "...",
            (true, false) => ", ...",
        };
        text += &format!("({}{dots})", parameters.join(", "));
        for (qualifier, word) in [(Qualifiers::CONST, " const"), (Qualifiers::VOLATILE, " volatile")] {
            if signature.qualifiers.contains(qualifier) {
                text += word;
            }
        }
        text += match signature.reference {
            RefQualifier::None => "",
            RefQualifier::LValue => " &",
            RefQualifier::RValue => " &&",
        };
        format!("`{text}`")
    }

    /// A candidate as messages name it, and where it is declared.
    fn describe_callable(&self, callable: Callable) -> (String, Span) {
        match callable {
            Callable::Function(function) => (self.describe_function(function), self.program.function(function).span),
            Callable::Template(template) => {
                let template = self.template(template);
                (
                    format!("template `{}`", self.context.text(template.name)),
                    template.span,
                )
            }
        }
    }

    /// An operand as messages name it.
    pub(crate) fn describe_operand(&self, operand: &Operand<'a>) -> String {
        match operand {
            Operand::Expression(expression) => self.quote(self.type_of(*expression)),
            Operand::Overloads(overloads) => format!("overloaded function `{}`", self.context.text(overloads.name)),
            Operand::List(_) => "an initializer list".to_string(),
        }
    }

    /// Where an operand is.
    pub(crate) fn operand_span(&self, operand: &Operand<'a>) -> Span {
        match operand {
            Operand::Expression(expression) => self.span_of(*expression),
            Operand::Overloads(overloads) => overloads.span,
            Operand::List(list) => list.span,
        }
    }

    /// Why an argument cannot be converted to a parameter.
    pub(super) fn argument_reason(&mut self, operand: &Operand<'a>, parameter: QualifiedType, index: usize) -> String {
        let place = ordinal(index + 1);
        let reason = self.conversion_reason(operand, parameter);
        format!("the {place} argument {reason}")
    }

    /// Why an operand cannot be converted: a predicate.
    pub(crate) fn conversion_reason(&mut self, operand: &Operand<'a>, to: QualifiedType) -> String {
        let wanted = self.quote(to);
        let &Operand::Expression(expression) = operand else {
            return match operand {
                Operand::Overloads(_) => format!("has no overload that fits {wanted}"),
                _ => format!("cannot initialize {wanted}"),
            };
        };
        let from = self.type_of(expression);
        let referent = self.program.types.strip_reference(to);
        if self.program.types.is_reference(to.id) {
            let missing = from
                .qualifiers
                .without(referent.qualifiers)
                .without(Qualifiers::RESTRICT);
            if from.id == referent.id && !missing.is_empty() {
                let word = if missing.is_const() { "const" } else { "volatile" };
                return format!("is `{word}`, which {wanted} is not");
            }
            if from.id == referent.id {
                let lvalue = self.category_of(expression) == crate::hir::ValueCategory::LValue;
                return if lvalue {
                    format!("is an lvalue, to which {wanted} cannot be bound")
                } else {
                    format!("is an rvalue, to which {wanted} cannot be bound")
                };
            }
        }
        format!("is {}, which does not convert to {wanted}", self.quote(from))
    }

    /// Why a member function cannot be called on an object.
    pub(super) fn object_reason(&mut self, object: ExpressionId, function: FunctionId) -> String {
        let ty = self.type_of(object);
        let signature = self.program.types.as_function(self.program.function(function).ty);
        let (qualifiers, reference) = signature.map_or((Qualifiers::NONE, RefQualifier::None), |ty| {
            (ty.qualifiers, ty.reference)
        });
        let missing = ty.qualifiers.without(qualifiers).without(Qualifiers::RESTRICT);
        if missing.is_const() {
            return "the object is `const`, but the function is not".to_string();
        }
        if missing.is_volatile() {
            return "the object is `volatile`, but the function is not".to_string();
        }
        match reference {
            RefQualifier::LValue => "the object is an rvalue, but the function takes lvalues".to_string(),
            RefQualifier::RValue => "the object is an lvalue, but the function takes rvalues".to_string(),
            RefQualifier::None => format!("the object is {}", self.quote(ty)),
        }
    }

    /// The message that no candidate can be called: `what` is called with such operands.
    pub(crate) fn report_no_match(&mut self, span: Span, what: &str, operands: &[Operand<'a>], rejected: &[Rejected]) {
        if operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
            return;
        }
        let mut report = if let [only] = rejected {
            let (name, declared) = self.describe_callable(only.callable);
            let reason = self.reason(&only.why, None, operands);
            Report::error(span, format!("{what} cannot be called like this: {reason}"))
                .note_at(declared, format!("{name} is declared here"))
        } else {
            let types: Vec<String> = operands.iter().map(|operand| self.describe_operand(operand)).collect();
            let with = if types.is_empty() {
                "without arguments".to_string()
            } else {
                format!("with ({})", types.join(", "))
            };
            Report::error(span, format!("no overload of {what} can be called {with}"))
        };
        if rejected.len() > 1 {
            for candidate in rejected.iter().take(CANDIDATES_SHOWN) {
                let (name, declared) = self.describe_callable(candidate.callable);
                let reason = self.reason(&candidate.why, None, operands);
                report = report.note_at(declared, format!("candidate {name}: {reason}"));
            }
            if rejected.len() > CANDIDATES_SHOWN {
                report = report.note(format!("and {} more candidates", rejected.len() - CANDIDATES_SHOWN));
            }
        }
        self.context.diagnostics.emit(report);
    }

    /// The same of an operator, where the built-in one may be among them.
    pub(crate) fn report_ambiguous_operator(&mut self, span: Span, what: &str, functions: &[FunctionId]) {
        if functions.len() > 1 {
            return self.report_ambiguous(span, what, functions);
        }
        let mut report = Report::error(
            span,
            format!("{what} is ambiguous: conversions lead to the built-in operator as well"),
        );
        for &function in functions {
            let declared = self.program.function(function).span;
            report = report.note_at(declared, format!("candidate {}", self.describe_function(function)));
        }
        self.context.diagnostics.emit(report);
    }

    /// The message that several candidates are equally good.
    pub(crate) fn report_ambiguous(&mut self, span: Span, what: &str, functions: &[FunctionId]) {
        let mut report = Report::error(span, format!("{what} is ambiguous"));
        for &function in functions.iter().take(CANDIDATES_SHOWN) {
            let declared = self.program.function(function).span;
            report = report.note_at(declared, format!("candidate {}", self.describe_function(function)));
        }
        self.context.diagnostics.emit(report);
    }

    /// The message that an operand does not convert to what is wanted: `what` is initialised.
    pub(crate) fn report_no_conversion(&mut self, operand: &Operand<'a>, to: QualifiedType, what: &str) {
        if self.operand_is_poisoned(operand) || to.id == Types::ERROR {
            return;
        }
        let span = self.operand_span(operand);
        let reason = self.conversion_reason(operand, to);
        let mut report = Report::error(span, format!("cannot initialize {what}: the value {reason}"));
        if self.would_convert_explicitly(operand, to) {
            report = report.note("an explicit conversion exists: a cast would do it");
        }
        self.context.diagnostics.emit(report);
    }

    fn would_convert_explicitly(&mut self, operand: &Operand<'a>, to: QualifiedType) -> bool {
        use crate::sema::conversion::implicit::Permit;
        self.implicit_sequence(operand, to, Permit::DIRECT).is_some()
    }
}

/// `1st`, `2nd` …
fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, 1..=10 | 12..) => "st",
        (2, 1..=11 | 13..) => "nd",
        (3, 1..=12 | 14..) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}
