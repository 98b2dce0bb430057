//! The signatures of the table, read as C types.

use crate::hir::{BuiltinId, FunctionType, QualifiedType, Qualifiers, TypeId, Types};
use crate::sema::Sema;

use super::row;

impl Sema<'_> {
    /// The type of a built-in function; `None` if it takes arguments of several types.
    pub(crate) fn builtin_signature(&mut self, builtin: BuiltinId) -> Option<FunctionType> {
        let text = row(builtin).signature;
        let (result, rest) = text.split_once('(')?;
        let parameters = rest.strip_suffix(')')?;
        let result = self.written_type(result)?;
        let parameters: Option<Vec<QualifiedType>> = if parameters.is_empty() {
            Some(Vec::new())
        } else {
            separate(parameters)
                .map(|parameter| self.written_type(parameter))
                .collect()
        };
        Some(FunctionType::new(result, parameters?))
    }

    /// A type as the table writes it: words of a fundamental type, qualifiers in front, `*` behind; or a pointer to a function, `int (*)(float)`.
    fn written_type(&mut self, text: &str) -> Option<QualifiedType> {
        if let Some((result, rest)) = text.split_once("(*)(") {
            let result = self.written_type(result)?;
            let parameters: Option<Vec<QualifiedType>> = separate(rest.strip_suffix(')')?)
                .map(|parameter| self.written_type(parameter))
                .collect();
            let function = self.program.types.function(FunctionType::new(result, parameters?));
            return Some(self.program.types.pointer(function).into());
        }
        let stars = text.matches('*').count();
        let mut qualifiers = Qualifiers::NONE;
        let mut words = Vec::new();
        for word in text.trim().trim_end_matches(['*', ' ']).split_whitespace() {
            match word {
                "const" => qualifiers = qualifiers.with(Qualifiers::CONST),
                "volatile" => qualifiers = qualifiers.with(Qualifiers::VOLATILE),
                word => words.push(word),
            }
        }
        let id = fundamental(&words.join(" "))?;
        let mut ty = QualifiedType { id, qualifiers };
        for _ in 0..stars {
            ty = self.program.types.pointer(ty).into();
        }
        Some(ty)
    }
}

/// What commas outside of parentheses separate.
fn separate(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |character| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    })
}

/// A fundamental type by its words.
fn fundamental(words: &str) -> Option<TypeId> {
    Some(match words {
        "void" => Types::VOID,
        "bool" => Types::BOOL,
        "char" => Types::CHAR,
        "signed char" => Types::SIGNED_CHAR,
        "unsigned char" => Types::UNSIGNED_CHAR,
        "short" => Types::SHORT,
        "unsigned short" => Types::UNSIGNED_SHORT,
        "int" => Types::INT,
        "unsigned" | "unsigned int" => Types::UNSIGNED_INT,
        "long" => Types::LONG,
        "unsigned long" => Types::UNSIGNED_LONG,
        "long long" => Types::LONG_LONG,
        "unsigned long long" => Types::UNSIGNED_LONG_LONG,
        "unsigned __int128" => Types::UNSIGNED_INT128,
        "float" => Types::FLOAT,
        "double" => Types::DOUBLE,
        "long double" => Types::LONG_DOUBLE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Context;
    use crate::syntax::ast::Ast;

    #[test]
    fn every_signature_is_a_type() {
        let (ast, mut context) = (Ast::new(), Context::new());
        let mut sema = Sema::new(&ast, &mut context, crate::sema::Options::default());
        for (index, row) in super::super::all().enumerate() {
            let signature = sema.builtin_signature(BuiltinId(index as u16));
            assert_eq!(signature.is_some(), row.signature != "generic", "{}", row.name);
        }
    }
}
