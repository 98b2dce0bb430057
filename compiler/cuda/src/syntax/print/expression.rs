//! Expressions.

use crate::source::{Encoding, FloatSuffix, IntegerSize};
use crate::syntax::ast::{
    Capture, CaptureDefault, CaptureKind, CastKind, ConstexprKind, Designator, Expression, ExpressionKind, Id,
    Initializer, InitializerClause, Lambda, List, Literal, OffsetDesignator, RequirementKind, RequiresExpression,
};

use super::Printer;

impl Printer<'_> {
    pub(super) fn expression(&mut self, id: Id<Expression>) {
        self.deeper(|printer| printer.expression_kind(id));
    }

    fn expression_kind(&mut self, id: Id<Expression>) {
        let ast = self.ast;
        match &ast[id].kind {
            ExpressionKind::Literal(literal) => self.literal(literal),
            ExpressionKind::FunctionName { pretty } => {
                self.text(if *pretty { "__PRETTY_FUNCTION__" } else { "__func__" })
            }
            ExpressionKind::Name(name) => self.name(*name),
            ExpressionKind::This => self.text("this"),
            ExpressionKind::Parenthesized(inner) => self.node("paren", &[*inner]),
            ExpressionKind::Unary { operator, operand } => {
                let prefix = if operator.is_postfix() { "post" } else { "" };
                self.node(&format!("{prefix}{}", operator.spelling()), &[*operand]);
            }
            ExpressionKind::Binary {
                operator, left, right, ..
            } => self.node(operator.spelling(), &[*left, *right]),
            ExpressionKind::Assign {
                operator,
                target,
                value,
                ..
            } => {
                let spelling = operator.map_or("", |operator| operator.spelling());
                self.node(&format!("{spelling}="), &[*target, *value]);
            }
            ExpressionKind::Conditional {
                condition,
                then: Some(then),
                otherwise,
            } => {
                self.node("?", &[*condition, *then, *otherwise]);
            }
            ExpressionKind::Conditional {
                condition,
                then: None,
                otherwise,
            } => self.node("?:", &[*condition, *otherwise]),
            ExpressionKind::Call { callee, arguments } => self.node_with("call", *callee, arguments),
            ExpressionKind::KernelLaunch {
                callee,
                configuration,
                arguments,
            } => {
                self.text("(launch ");
                self.expression(*callee);
                self.text(" <<<");
                self.commas(configuration, |printer, argument| printer.expression(*argument));
                self.text(">>>");
                self.each(arguments, |printer, argument| printer.expression(*argument));
                self.text(")");
            }
            ExpressionKind::Subscript { base, indices } => self.node_with("index", *base, indices),
            ExpressionKind::Member { object, is_arrow, name } => {
                self.text(if *is_arrow { "(-> " } else { "(. " });
                self.expression(*object);
                self.space();
                self.name(*name);
                self.text(")");
            }
            ExpressionKind::FunctionalCast { type_id, initializer } => {
                self.text("(make ");
                self.type_id(*type_id);
                self.initializer(initializer);
                self.text(")");
            }
            ExpressionKind::Cast { kind, type_id, operand } => {
                self.text("(");
                self.word(cast_word(*kind));
                self.type_id(*type_id);
                self.space();
                self.expression(*operand);
                self.text(")");
            }
            ExpressionKind::CompoundLiteral { type_id, initializer } => {
                self.typed("compound", *type_id, Some(*initializer))
            }
            ExpressionKind::SizeofExpression(operand) => self.node("sizeof", &[*operand]),
            ExpressionKind::SizeofType(type_id) => self.typed("sizeof-type", *type_id, None),
            ExpressionKind::SizeofPack(name) => {
                self.text("(sizeof... ");
                self.symbol(*name);
                self.text(")");
            }
            ExpressionKind::AlignofType(type_id) => self.typed("alignof-type", *type_id, None),
            ExpressionKind::AlignofExpression(operand) => self.node("alignof", &[*operand]),
            ExpressionKind::Noexcept(operand) => self.node("noexcept", &[*operand]),
            ExpressionKind::TypeidExpression(operand) => self.node("typeid", &[*operand]),
            ExpressionKind::TypeidType(type_id) => self.typed("typeid-type", *type_id, None),
            ExpressionKind::New(new) => {
                self.text(if new.global { "(::new" } else { "(new" });
                if !new.placement.is_empty() {
                    self.text(" at");
                    self.each(&new.placement, |printer, argument| printer.expression(*argument));
                    self.text(" of");
                }
                self.space();
                self.type_id(new.type_id);
                if let Some(initializer) = &new.initializer {
                    self.initializer(initializer);
                }
                self.text(")");
            }
            ExpressionKind::Delete {
                global,
                is_array,
                operand,
            } => {
                let global = if *global { "::" } else { "" };
                let array = if *is_array { "[]" } else { "" };
                self.node(&format!("{global}delete{array}"), &[*operand]);
            }
            ExpressionKind::Throw(None) => self.text("(throw)"),
            ExpressionKind::Throw(Some(operand)) => self.node("throw", &[*operand]),
            ExpressionKind::Fold {
                left,
                operator,
                assigns,
                right,
            } => {
                self.text("(fold ");
                self.text(operator.spelling());
                if *assigns {
                    self.text("=");
                }
                if let Some(left) = left {
                    self.space();
                    self.expression(*left);
                }
                self.text(" ...");
                if let Some(right) = right {
                    self.space();
                    self.expression(*right);
                }
                self.text(")");
            }
            ExpressionKind::PackExpansion(pattern) => self.node("...", &[*pattern]),
            ExpressionKind::Requires(requires) => self.requires(requires),
            ExpressionKind::Lambda(lambda) => self.lambda(*lambda),
            ExpressionKind::InitializerList(clauses) => self.clauses(clauses),
            ExpressionKind::StatementExpression(body) => {
                self.text("(statement ");
                self.statement(*body);
                self.text(")");
            }
            ExpressionKind::TypeTrait { trait_kind, arguments } => {
                self.text("(");
                self.text(trait_kind.spelling());
                self.each(arguments, |printer, argument| {
                    printer.type_id(argument.type_id);
                    if argument.pack_expansion {
                        printer.text("...");
                    }
                });
                self.text(")");
            }
            ExpressionKind::OffsetOf { type_id, path } => self.offset_of(*type_id, path),
            ExpressionKind::VaArg { list, type_id } => {
                self.text("(va_arg ");
                self.expression(*list);
                self.space();
                self.type_id(*type_id);
                self.text(")");
            }
            ExpressionKind::BitCast { type_id, operand } => self.typed("bit_cast", *type_id, Some(*operand)),
            ExpressionKind::LabelAddress(name) => {
                self.text("(&& ");
                self.symbol(*name);
                self.text(")");
            }
            ExpressionKind::Error => self.text("<error>"),
        }
    }

    fn node(&mut self, word: &str, operands: &[Id<Expression>]) {
        self.text("(");
        self.text(word);
        self.each(operands, |printer, operand| printer.expression(*operand));
        self.text(")");
    }

    fn node_with(&mut self, word: &str, first: Id<Expression>, others: &List<Id<Expression>>) {
        self.text("(");
        self.word(word);
        self.expression(first);
        self.each(others, |printer, operand| printer.expression(*operand));
        self.text(")");
    }

    fn typed(&mut self, word: &str, type_id: Id<crate::syntax::ast::TypeId>, operand: Option<Id<Expression>>) {
        self.text("(");
        self.word(word);
        self.type_id(type_id);
        if let Some(operand) = operand {
            self.space();
            self.expression(operand);
        }
        self.text(")");
    }

    fn offset_of(&mut self, type_id: Id<crate::syntax::ast::TypeId>, path: &[OffsetDesignator]) {
        self.text("(offsetof ");
        self.type_id(type_id);
        self.space();
        for step in path {
            match step {
                OffsetDesignator::Field(name) => {
                    self.text(".");
                    self.symbol(*name);
                }
                OffsetDesignator::Index(index) => {
                    self.text("[");
                    self.expression(*index);
                    self.text("]");
                }
            }
        }
        self.text(")");
    }

    /// ` = x`, ` (x, y)`, ` {x, y}`, each with a space before.
    pub(super) fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Equal(value) => {
                self.text(" = ");
                self.expression(*value);
            }
            Initializer::Parenthesized(arguments) => {
                self.text(" (");
                self.commas(arguments, |printer, argument| printer.expression(*argument));
                self.text(")");
            }
            Initializer::Braced(list) => {
                self.space();
                self.expression(*list);
            }
        }
    }

    fn clauses(&mut self, clauses: &[InitializerClause]) {
        self.text("{");
        self.commas(clauses, |printer, clause| {
            for designator in &clause.designators {
                match designator {
                    Designator::Field(name) => {
                        printer.text(".");
                        printer.symbol(*name);
                    }
                    Designator::Index(index) => {
                        printer.text("[");
                        printer.expression(*index);
                        printer.text("]");
                    }
                    Designator::Range(low, high) => {
                        printer.text("[");
                        printer.expression(*low);
                        printer.text(" ... ");
                        printer.expression(*high);
                        printer.text("]");
                    }
                }
            }
            if !clause.designators.is_empty() {
                printer.text(" = ");
            }
            printer.expression(clause.value);
        });
        self.text("}");
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Integer(literal) => {
                self.text(&literal.value.to_string());
                if literal.unsigned {
                    self.text("u");
                }
                self.text(match literal.size {
                    IntegerSize::Int => "",
                    IntegerSize::Long => "l",
                    IntegerSize::LongLong => "ll",
                    IntegerSize::Size => "z",
                });
                self.user_suffix(literal.user_suffix);
            }
            Literal::Float(literal) => {
                self.text(&format!("{:?}", f64::from_bits(literal.double)));
                self.text(match literal.suffix {
                    FloatSuffix::None => "",
                    FloatSuffix::Float => "f",
                    FloatSuffix::Long => "l",
                    FloatSuffix::Float16 => "f16",
                    FloatSuffix::Float128 => "q",
                });
                self.user_suffix(literal.user_suffix);
            }
            Literal::Character(literal) => {
                self.text(prefix(literal.encoding));
                match char::from_u32(literal.value) {
                    Some(character) if !literal.multiple => self.text(&format!("{character:?}")),
                    _ => self.text(&format!("'\\x{:x}'", literal.value)),
                }
                self.user_suffix(literal.user_suffix);
            }
            Literal::String(literal) => {
                self.text(prefix(literal.encoding));
                self.text(&format!("{:?}", literal.to_text()));
                self.user_suffix(literal.user_suffix);
            }
            Literal::Bool(value) => self.text(if *value { "true" } else { "false" }),
            Literal::Nullptr => self.text("nullptr"),
            Literal::GnuNull => self.text("__null"),
        }
    }

    fn user_suffix(&mut self, suffix: Option<crate::source::Symbol>) {
        if let Some(suffix) = suffix {
            self.text("@");
            self.symbol(suffix);
        }
    }

    fn requires(&mut self, requires: &RequiresExpression) {
        self.text("(requires (");
        self.commas(&requires.parameters, |printer, parameter| printer.parameter(*parameter));
        self.text(")");
        self.each(&requires.requirements, |printer, requirement| match requirement.kind {
            RequirementKind::Expression {
                value,
                noexcept,
                constraint,
            } => {
                printer.expression(value);
                printer.text(if noexcept { " noexcept" } else { "" });
                if let Some(constraint) = constraint {
                    printer.text(" -> ");
                    printer.name(constraint);
                }
            }
            RequirementKind::Type(type_id) => printer.type_id(type_id),
            RequirementKind::Nested(condition) => {
                printer.text("requires ");
                printer.expression(condition);
            }
        });
        self.text(")");
    }

    fn lambda(&mut self, id: Id<Lambda>) {
        let ast = self.ast;
        let lambda = &ast[id];
        self.text("(lambda [");
        self.text(match lambda.default {
            CaptureDefault::None => "",
            CaptureDefault::Copy => "=",
            CaptureDefault::Reference => "&",
        });
        if lambda.default != CaptureDefault::None && !lambda.captures.is_empty() {
            self.text(", ");
        }
        self.commas(&lambda.captures, |printer, capture| printer.capture(capture));
        self.text("]");
        if let Some(parameters) = &lambda.template_parameters {
            self.template_parameters(parameters);
            self.requires_clause(lambda.requires);
        }
        self.attributes_before(&lambda.attributes);
        self.space();
        self.function(&lambda.function);
        if lambda.is_mutable {
            self.text(" mutable");
        }
        self.text(match lambda.constexpr {
            ConstexprKind::None => "",
            ConstexprKind::Constexpr => " constexpr",
            ConstexprKind::Consteval => " consteval",
            ConstexprKind::Constinit => " constinit",
        });
        self.space();
        self.statement(lambda.body);
        self.text(")");
    }

    fn capture(&mut self, capture: &Capture) {
        if capture.pack {
            self.text("...");
        }
        match &capture.kind {
            CaptureKind::This => self.text("this"),
            CaptureKind::StarThis => self.text("*this"),
            CaptureKind::Copy(name) => self.symbol(*name),
            CaptureKind::Reference(name) => {
                self.text("&");
                self.symbol(*name);
            }
            CaptureKind::CopyInit(name, initializer) => {
                self.symbol(*name);
                self.initializer(initializer);
            }
            CaptureKind::ReferenceInit(name, initializer) => {
                self.text("&");
                self.symbol(*name);
                self.initializer(initializer);
            }
        }
    }
}

fn cast_word(kind: CastKind) -> &'static str {
    match kind {
        CastKind::CStyle => "cast",
        CastKind::Static => "static_cast",
        CastKind::Dynamic => "dynamic_cast",
        CastKind::Reinterpret => "reinterpret_cast",
        CastKind::Const => "const_cast",
    }
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Ordinary => "",
        Encoding::Utf8 => "u8",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
        Encoding::Wide => "L",
    }
}
