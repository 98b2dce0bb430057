//! What tells templates apart beyond the types of their signatures: the words of their conditions.

use super::substitute::has_opaque;
use super::{TemplateId, TemplateParameter};
use crate::hir::pattern::{ArgumentPattern, TypePattern};
use crate::sema::Sema;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Templates that differ only in expressions of their signatures are different ones ([temp.over.link]/6): their tokens are compared, with parameters by place.
    pub(super) fn same_constraints(&self, one: TemplateId, other: TemplateId) -> bool {
        self.constraint_words(one) == self.constraint_words(other)
    }
    fn constraint_words(&self, template: TemplateId) -> Vec<String> {
        let ast = self.ast;
        let node = self.template(template);
        let own: Vec<&str> = node
            .parameters
            .iter()
            .map(|parameter| parameter.name.map_or("", |name| self.text(name)))
            .collect();
        let mut words = self.clause_words(&node.parameters, node.requires);
        if node.lambda.is_none()
            && let Some((_, declarator, _)) = self.function_syntax(node.declaration)
            && let Some(trailing) = ast[declarator].function().and_then(|function| function.requires)
        {
            words.push("requires".to_string());
            self.words_of(ast[trailing].span, &own, &mut words);
        }
        for parameter in node.parameters.iter() {
            if let Some(syntax) = parameter.syntax
                && let ast::TemplateParameterKind::NonType { parameter } = syntax.kind
            {
                self.words_of(ast[ast[parameter].specifiers].span, &own, &mut words);
            }
        }
        let Some((specifiers, declarator, _)) = self.function_syntax(node.declaration) else {
            return words;
        };
        let Some(signature) = &node.signature else {
            return words;
        };
        if matches!(signature.result, TypePattern::Decltype(_) | TypePattern::Member { .. }) {
            self.words_of(ast[specifiers].type_span, &own, &mut words);
        }
        if let Some(function) = ast[declarator].function() {
            for (&parameter, pattern) in function.parameters.iter().zip(&signature.parameters) {
                if has_opaque(&ArgumentPattern::Type(pattern.clone())) {
                    self.words_of(ast[ast[parameter].specifiers].span, &own, &mut words);
                }
            }
        }
        words
    }
    /// The words of the concepts before parameters and of a requires-clause.
    pub(super) fn clause_words(
        &self,
        parameters: &[TemplateParameter<'a>],
        requires: Option<ast::Id<ast::Expression>>,
    ) -> Vec<String> {
        let own: Vec<&str> = parameters
            .iter()
            .map(|parameter| parameter.name.map_or("", |name| self.text(name)))
            .collect();
        let mut words = Vec::new();
        for (place, parameter) in parameters.iter().enumerate() {
            if let Some(constraint) = parameter.constraint {
                words.push(format!("concept #{place}"));
                self.words_of(self.ast[constraint].span, &own, &mut words);
            }
        }
        if let Some(requires) = requires {
            words.push("requires".to_string());
            self.words_of(self.ast[requires].span, &own, &mut words);
        }
        words
    }
    /// The words of template arguments, with parameters by place.
    pub(super) fn argument_words(
        &self,
        arguments: &[ast::TemplateArgument],
        parameters: &[TemplateParameter<'a>],
    ) -> Vec<String> {
        let own: Vec<&str> = parameters
            .iter()
            .map(|parameter| parameter.name.map_or("", |name| self.text(name)))
            .collect();
        let mut words = Vec::new();
        for argument in arguments {
            self.words_of(argument.span, &own, &mut words);
            words.push(",".to_string());
        }
        words
    }
    /// The words of a stretch of the source; names of template parameters as their places.
    fn words_of(&self, span: crate::source::Span, own: &[&str], words: &mut Vec<String>) {
        let Some((source, bytes)) = self.context.map.bytes(span) else {
            return;
        };
        let text = source.text().get(bytes).unwrap_or_default();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match is_word(first) {
                true => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (word, after) = rest.split_at(length);
            rest = after;
            if first.is_whitespace() || word == "typename" {
                continue;
            }
            words.push(match own.iter().position(|&own| own == word) {
                Some(place) => format!("#{place}"),
                None => word.to_string(),
            });
        }
    }
}
