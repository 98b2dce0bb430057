//! Statements of bodies, declarations and parameters.

use super::{SyntaxKind, parse::Parser};

impl Parser<'_> {
    /// One statement other than a brace. Takes at least one token.
    pub(super) fn statement(&mut self) {
        match self.current() {
            Some(SyntaxKind::Word) if self.following() == Some(SyntaxKind::Colon) => self.label(),
            Some(SyntaxKind::Word | SyntaxKind::At) => self.instruction(),
            Some(SyntaxKind::DotWord) => match self.current_text() {
                ".loc" => self.location(),
                ".pragma" => self.pragma(),
                ".branchtargets" | ".calltargets" => self.targets(),
                ".callprototype" => self.prototype(),
                ".file" => {
                    self.start(SyntaxKind::Directive);
                    self.bump();
                    self.file();
                    self.finish();
                }
                _ => self.declaration(),
            },
            _ => self.reject("an instruction, directive, label or `}`"),
        }
    }

    /// `NAME:`
    pub(super) fn label(&mut self) {
        self.start(SyntaxKind::Label);
        self.bump();
        self.bump();
        self.finish();
    }

    fn instruction(&mut self) {
        self.start(SyntaxKind::Instruction);
        if self.is(SyntaxKind::At) {
            self.start(SyntaxKind::Guard);
            self.bump();
            self.eat(SyntaxKind::Prefix);
            self.argument(SyntaxKind::Word, "a predicate register");
            self.finish();
        }
        if self.is(SyntaxKind::Word) {
            self.start(SyntaxKind::Mnemonic);
            self.bump();
            while self.eat(SyntaxKind::DotWord) {}
            self.finish();
            if !self.is(SyntaxKind::Semicolon) {
                self.operands(false);
            }
            self.semicolon();
        } else {
            self.expected("an instruction");
            self.recover();
        }
        self.finish();
    }

    /// `.loc 1 2 3{, function_name LABEL{+4}, inlined_at 1 2 3}`, which nothing ends but its shape.
    fn location(&mut self) {
        self.start(SyntaxKind::Location);
        self.bump();
        self.place();
        while self.eat(SyntaxKind::Comma) {
            match self.current_text() {
                "function_name" => {
                    self.bump();
                    self.argument(SyntaxKind::Word, "a label of `.debug_str`");
                    if self.eat(SyntaxKind::Sign) {
                        self.argument(SyntaxKind::Number, "an offset");
                    }
                }
                "inlined_at" => {
                    self.bump();
                    self.place();
                }
                _ => {
                    self.expected("`function_name` or `inlined_at`");
                    self.recover();
                }
            }
        }
        self.finish();
    }

    /// File, line and column.
    fn place(&mut self) {
        for what in ["a file number", "a line", "a column"] {
            if !self.eat(SyntaxKind::Number) {
                self.expected(what);
                self.recover();
                return;
            }
        }
    }

    fn targets(&mut self) {
        self.start(SyntaxKind::Table);
        self.bump();
        self.operands(false);
        self.semicolon();
        self.finish();
    }

    /// `.callprototype (RETURNS) _ (PARAMETERS) …;`
    fn prototype(&mut self) {
        self.start(SyntaxKind::Table);
        self.bump();
        if self.is(SyntaxKind::LeftParenthesis) {
            self.parameters();
        }
        self.argument(SyntaxKind::Word, "`_`");
        if self.is(SyntaxKind::LeftParenthesis) {
            self.parameters();
        }
        self.function_directives();
        self.semicolon();
        self.finish();
    }

    /// A declaration of variables or registers with its semicolon.
    pub(super) fn declaration(&mut self) {
        self.start(SyntaxKind::Declaration);
        self.declaration_specifiers();
        if self.is(SyntaxKind::Word) {
            self.declarator();
            while self.eat(SyntaxKind::Comma) {
                self.declarator();
            }
            self.semicolon();
        } else if self.is(SyntaxKind::Semicolon) {
            // A declaration of nothing, `.reg .b32;`, is legal.
            self.bump();
        } else {
            self.expected("a name");
            self.recover();
        }
        self.finish();
    }

    /// Everything before the first name: `.global .align 4 .attribute(.managed) .v2 .f32`.
    fn declaration_specifiers(&mut self) {
        while let Some(kind) = self.current() {
            match kind {
                SyntaxKind::DotWord | SyntaxKind::Number => self.bump(),
                SyntaxKind::LeftBracket => self.group(SyntaxKind::Dimension),
                SyntaxKind::LeftParenthesis => self.group(SyntaxKind::List),
                _ => return,
            }
        }
    }

    fn declarator(&mut self) {
        self.start(SyntaxKind::Declarator);
        self.argument(SyntaxKind::Word, "a name");
        if self.is(SyntaxKind::Less) {
            self.start(SyntaxKind::Count);
            self.bump();
            self.argument(SyntaxKind::Number, "the number of registers");
            if !self.eat(SyntaxKind::Greater) {
                self.expected("`>`");
            }
            self.finish();
        }
        while self.is(SyntaxKind::LeftBracket) {
            self.group(SyntaxKind::Dimension);
        }
        if self.eat(SyntaxKind::Equals) {
            self.expression(false);
        }
        self.finish();
    }

    /// `(…)` of a function, kernel or prototype.
    pub(super) fn parameters(&mut self) {
        self.start(SyntaxKind::ParameterList);
        self.bump();
        if !self.is(SyntaxKind::RightParenthesis) {
            self.parameter();
            while self.eat(SyntaxKind::Comma) {
                self.parameter();
            }
        }
        if !self.eat(SyntaxKind::RightParenthesis) {
            self.expected("`,` or `)`");
            self.recover();
        }
        self.finish();
    }

    fn parameter(&mut self) {
        self.start(SyntaxKind::Parameter);
        if self.is(SyntaxKind::DotWord) {
            self.declaration_specifiers();
            if self.is(SyntaxKind::Word) {
                self.declarator();
            }
        } else {
            self.expected("a parameter such as `.param .b32 name`");
        }
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// The messages for a text, with their lines.
    fn problems(text: &str) -> Vec<String> {
        let tree = parse(text);
        assert_eq!(tree.root().text().to_string(), text);
        let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
        tree.problems()
            .iter()
            .map(|problem| format!("{}: {}", line(problem.span.start), problem.message))
            .collect()
    }

    #[test]
    fn every_problem_is_found_and_good_statements_between_stay() {
        let text = ".func f() {\n\tadd.s32 %r1 %r2;\n\tret;\n\tmov.b32 %r1,\n\tret;\n\t@ ret;\n}\n";
        assert_eq!(
            problems(text),
            [
                "2: expected `,` or `;`, found `%r2`",
                "6: expected an instruction, found `;`"
            ]
        );
    }

    #[test]
    fn a_body_without_end_ends_at_the_next_function() {
        assert_eq!(
            problems(".func f() {\n\tret;\n.visible .func g() { ret; }"),
            ["3: expected `}`, found `.visible`"]
        );
    }

    #[test]
    fn a_missing_semicolon_costs_one_statement() {
        assert_eq!(
            problems(".func f() {\nmov.b32 a, b\nret;\n}"),
            ["3: expected `,` or `;`, found `ret`"]
        );
    }

    #[test]
    fn ends_of_text() {
        assert_eq!(
            problems(".func"),
            ["1: expected a function name, found the end of the text"]
        );
        assert_eq!(
            problems(".global .b32 a = {1"),
            ["1: expected `,` or `}`, found the end of the text"]
        );
        assert_eq!(
            problems("/*"),
            ["1: expected a directive, found a comment that does not end"]
        );
    }

    #[test]
    fn a_declaration_may_name_nothing() {
        assert_eq!(problems(".const .align 4 .u32 ;\n.func f() { .reg .b32; }"), [""; 0]);
    }
}
