//! The lossless tree of one file for tools: every byte of the text is in it, comments and directives included, and nothing is expanded.
//!
//! It knows brackets, directives and statements, no more: what a name means, and so most of C++'s grammar, is only known after preprocessing
//! ([`parse`](super::parse)). Any text has a tree; brackets without a partner are in [`SyntaxKind::Error`] nodes.
//!
//! ```
//! use warpsmith_cuda::syntax::tree::{SyntaxKind, tree};
//! let root = tree("int a; // one\nvoid f() { a = 2; }");
//! assert_eq!(root.children().count(), 2);
//! assert_eq!(root.text(), "int a; // one\nvoid f() { a = 2; }");
//! ```

use logos::Logos;
use rowan::GreenNodeBuilder;

/// The kinds of tokens and nodes.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum SyntaxKind {
    /// Blanks, and line breaks hidden by a backslash.
    #[regex(r"([ \t\f\v\r]|\\\r?\n)+")]
    Whitespace = 0,
    /// A line break.
    #[token("\n")]
    Newline,
    /// `// …`, or `/* … */`.
    #[regex(r"//([^\n\\]|\\\r?\n|\\)*", allow_greedy = true)]
    #[token("/*", block_comment)]
    Comment,
    /// A name or a keyword.
    #[regex(r"[A-Za-z_$\u{80}-\u{10FFFF}][A-Za-z0-9_$\u{80}-\u{10FFFF}]*")]
    Word,
    /// A number, as the preprocessor takes it.
    #[regex(r"\.?[0-9]([eEpP][+-]|'?[A-Za-z0-9_]|\.)*")]
    Number,
    /// A string, with its prefix.
    #[regex(r#"(u8|u|U|L)?"([^"\\\n]|\\.|\\\n)*""#)]
    #[regex(r#"(u8|u|U|L)?R""#, raw_string)]
    String,
    /// A character.
    #[regex(r"(u8|u|U|L)?'([^'\\\n]|\\.|\\\n)*'")]
    Character,
    /// `(`, `[` or `{`.
    #[regex(r"[(\[{]")]
    Opener,
    /// `)`, `]` or `}`.
    #[regex(r"[)\]}]")]
    Closer,
    /// `;`.
    #[token(";")]
    Semicolon,
    /// `#`.
    #[token("#")]
    Hash,
    /// Any other operator or separator, one character each.
    #[regex(r"[-+*/%^&|~!=<>?:.,@`\\]")]
    Punctuator,
    /// What begins no token.
    Unknown,
    /// The whole file.
    Root,
    /// A line that begins with `#`.
    Directive,
    /// A bracket, what is inside, and its partner.
    Group,
    /// A statement or declaration with its `;` or its last `}`.
    Statement,
    /// A bracket without a partner.
    Error,
}

/// All kinds, by number.
const KINDS: [SyntaxKind; 18] = [
    SyntaxKind::Whitespace,
    SyntaxKind::Newline,
    SyntaxKind::Comment,
    SyntaxKind::Word,
    SyntaxKind::Number,
    SyntaxKind::String,
    SyntaxKind::Character,
    SyntaxKind::Opener,
    SyntaxKind::Closer,
    SyntaxKind::Semicolon,
    SyntaxKind::Hash,
    SyntaxKind::Punctuator,
    SyntaxKind::Unknown,
    SyntaxKind::Root,
    SyntaxKind::Directive,
    SyntaxKind::Group,
    SyntaxKind::Statement,
    SyntaxKind::Error,
];

/// The language, for `rowan`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CudaLanguage {}

impl rowan::Language for CudaLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        KINDS.get(raw.0 as usize).copied().unwrap_or(SyntaxKind::Unknown)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// A node of the tree.
pub type SyntaxNode = rowan::SyntaxNode<CudaLanguage>;
/// A token of the tree.
pub type SyntaxToken = rowan::SyntaxToken<CudaLanguage>;

/// To the end of a block comment, or of the text.
fn block_comment(lexer: &mut logos::Lexer<'_, SyntaxKind>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |end| end + 2));
}

/// To the end of a raw string, or of the text.
fn raw_string(lexer: &mut logos::Lexer<'_, SyntaxKind>) {
    let rest = lexer.remainder();
    let end = rest.find('(').and_then(|open| {
        let closer = format!("){}\"", &rest[..open]);
        rest[open..].find(&closer).map(|at| open + at + closer.len())
    });
    lexer.bump(end.unwrap_or(rest.len()));
}

/// Brackets nested deeper are tokens like others: a tree is dropped by recursion.
const NESTING_LIMIT: usize = 256;

/// The tree of a text.
pub fn tree(text: &str) -> SyntaxNode {
    let tokens: Vec<(SyntaxKind, &str)> = SyntaxKind::lexer(text)
        .spanned()
        .map(|(kind, range)| (kind.unwrap_or(SyntaxKind::Unknown), &text[range]))
        .collect();
    let mut shaper = Shaper {
        builder: GreenNodeBuilder::new(),
        open: Vec::new(),
        statement: None,
        line_start: true,
    };
    shaper.start(SyntaxKind::Root);
    let mut index = 0;
    while index < tokens.len() {
        index = shaper.shape(&tokens, index);
    }
    shaper.end_statement();
    while let Some(group) = shaper.open.pop() {
        shaper.builder.finish_node();
        shaper.statement = group.statement;
        shaper.end_statement();
    }
    shaper.builder.finish_node();
    SyntaxNode::new_root(shaper.builder.finish())
}

/// An open group.
struct OpenGroup {
    opener: char,
    /// The statement that the group is part of.
    statement: Option<Statement>,
}

/// What is known of the statement being read.
#[derive(Clone, Copy, Default)]
struct Statement {
    /// A word such as `struct` that lets a name follow its braces.
    has_class_key: bool,
    /// An `=` or a word such as `return`: braces do not end it.
    has_value: bool,
    /// A parenthesis before the braces: it is a function, or an `if` and the like.
    has_parenthesis: bool,
}

struct Shaper<'t> {
    builder: GreenNodeBuilder<'t>,
    open: Vec<OpenGroup>,
    statement: Option<Statement>,
    line_start: bool,
}

impl Shaper<'_> {
    fn start(&mut self, kind: SyntaxKind) {
        self.builder.start_node(rowan::SyntaxKind(kind as u16));
    }

    fn token(&mut self, (kind, text): (SyntaxKind, &str)) {
        self.builder.token(rowan::SyntaxKind(kind as u16), text);
    }

    fn end_statement(&mut self) {
        if self.statement.take().is_some() {
            self.builder.finish_node();
        }
    }

    /// Whether statements stand here, and not the inside of parentheses.
    fn holds_statements(&self) -> bool {
        self.open.last().is_none_or(|group| group.opener == '{')
    }

    /// Takes the token at `index`, and a whole line if it begins a directive; gives the next index.
    fn shape(&mut self, tokens: &[(SyntaxKind, &str)], index: usize) -> usize {
        let token = tokens[index];
        match token.0 {
            SyntaxKind::Whitespace | SyntaxKind::Comment => self.token(token),
            SyntaxKind::Newline => {
                self.token(token);
                self.line_start = true;
            }
            SyntaxKind::Hash if self.line_start => return self.directive(tokens, index),
            _ => {
                self.line_start = false;
                if self.holds_statements() && self.statement.is_none() && token.0 != SyntaxKind::Closer {
                    self.start(SyntaxKind::Statement);
                    self.statement = Some(Statement::default());
                }
                self.visible(tokens, index);
            }
        }
        index + 1
    }

    /// A line from `#`; comments may reach over line breaks.
    fn directive(&mut self, tokens: &[(SyntaxKind, &str)], mut index: usize) -> usize {
        self.start(SyntaxKind::Directive);
        while let Some(&token) = tokens.get(index)
            && token.0 != SyntaxKind::Newline
        {
            self.token(token);
            index += 1;
        }
        self.builder.finish_node();
        self.line_start = false;
        index
    }

    fn visible(&mut self, tokens: &[(SyntaxKind, &str)], index: usize) {
        let token = tokens[index];
        match token.0 {
            SyntaxKind::Opener if self.open.len() < NESTING_LIMIT => self.open_group(token),
            SyntaxKind::Closer => self.close_group(tokens, index),
            SyntaxKind::Semicolon => {
                self.token(token);
                if self.holds_statements() {
                    self.end_statement();
                }
            }
            SyntaxKind::Word => {
                if let Some(statement) = &mut self.statement {
                    statement.has_class_key |= matches!(token.1, "struct" | "class" | "union" | "enum" | "namespace");
                    statement.has_value |= matches!(token.1, "return" | "do");
                }
                self.token(token);
            }
            _ => {
                if let Some(statement) = &mut self.statement {
                    statement.has_value |= token.1 == "=";
                }
                self.token(token);
            }
        }
    }

    fn open_group(&mut self, token: (SyntaxKind, &str)) {
        if let Some(statement) = &mut self.statement {
            statement.has_parenthesis |= token.1 == "(";
        }
        let opener = token.1.chars().next().unwrap_or('(');
        let statement = self.statement.take();
        self.open.push(OpenGroup { opener, statement });
        self.start(SyntaxKind::Group);
        self.token(token);
    }

    /// Closes the innermost group that fits, and those inside it; a closer that fits none is an error. Parentheses do not reach over braces.
    fn close_group(&mut self, tokens: &[(SyntaxKind, &str)], index: usize) {
        let token = tokens[index];
        let opener = match token.1 {
            ")" => '(',
            "]" => '[',
            _ => '{',
        };
        let brace = self.open.iter().rposition(|group| group.opener == '{');
        let fits = self
            .open
            .iter()
            .rposition(|group| group.opener == opener)
            .filter(|&at| opener == '{' || brace.is_none_or(|brace| at > brace));
        let Some(at) = fits else {
            self.start(SyntaxKind::Error);
            self.token(token);
            return self.builder.finish_node();
        };
        while self.open.len() > at {
            self.end_statement();
            if self.open.len() == at + 1 {
                self.token(token);
            }
            self.builder.finish_node();
            self.statement = self.open.pop().and_then(|group| group.statement);
        }
        if opener == '{' && self.holds_statements() && self.brace_ends_statement(tokens, index + 1) {
            self.end_statement();
        }
    }

    /// Whether the statement ends with the brace just closed.
    fn brace_ends_statement(&self, tokens: &[(SyntaxKind, &str)], next: usize) -> bool {
        let Some(statement) = self.statement else { return false };
        let hidden = |kind| matches!(kind, SyntaxKind::Whitespace | SyntaxKind::Newline | SyntaxKind::Comment);
        let follower = tokens[next.min(tokens.len())..].iter().find(|(kind, _)| !hidden(*kind));
        match follower.map(|(_, text)| *text) {
            Some(";" | "," | "else" | "catch") => false,
            Some(_) => {
                !statement.has_value && (statement.has_parenthesis || !statement.has_class_key || !is_name(follower))
            }
            None => true,
        }
    }
}

fn is_name(token: Option<&(SyntaxKind, &str)>) -> bool {
    token.is_some_and(|(kind, text)| *kind == SyntaxKind::Word || *text == "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape: nodes as parentheses with their first letter, visible tokens as they are.
    fn shape(text: &str) -> String {
        let root = tree(text);
        assert_eq!(root.text().to_string(), text);
        let mut out = String::new();
        for event in root.preorder_with_tokens() {
            match event {
                rowan::WalkEvent::Enter(rowan::NodeOrToken::Node(node)) => out.push_str(match node.kind() {
                    SyntaxKind::Statement => "S<",
                    SyntaxKind::Group => "G<",
                    SyntaxKind::Directive => "D<",
                    SyntaxKind::Error => "E<",
                    _ => "",
                }),
                rowan::WalkEvent::Leave(rowan::NodeOrToken::Node(node)) if node.kind() != SyntaxKind::Root => {
                    out.push('>')
                }
                rowan::WalkEvent::Enter(rowan::NodeOrToken::Token(token)) => match token.kind() {
                    SyntaxKind::Whitespace | SyntaxKind::Newline | SyntaxKind::Comment => {}
                    _ => out.push_str(token.text()),
                },
                rowan::WalkEvent::Leave(_) => {}
            }
        }
        out
    }

    #[test]
    fn statements_and_groups() {
        assert_eq!(shape("int a; int b[3];"), "S<inta;>S<intbG<[3]>;>");
        assert_eq!(shape("void f() { a; } int b;"), "S<voidfG<()>G<{S<a;>}>>S<intb;>");
        assert_eq!(
            shape("struct S { int a; } s; int b;"),
            "S<structSG<{S<inta;>}>s;>S<intb;>"
        );
        assert_eq!(shape("int a[] = { 1, 2 };"), "S<intaG<[]>=G<{S<1,2>}>;>");
        assert_eq!(shape("if (a) { } else { } b;"), "S<ifG<(a)>G<{}>elseG<{}>>S<b;>");
    }

    #[test]
    fn directives_comments_and_literals() {
        assert_eq!(
            shape("#define A(x) \\\n  (x; /* { */\nint a; // }\n"),
            "D<#defineA(x)(x;>S<inta;>"
        );
        assert_eq!(
            shape("f(\"}\", '{', R\"a()\" })a\", 1'000.5e+3f);"),
            "S<fG<(\"}\",'{',R\"a()\" })a\",1'000.5e+3f)>;>"
        );
    }

    #[test]
    fn brackets_without_partners() {
        assert_eq!(shape("f(a; } b;"), "S<fG<(a;E<}>b;>>");
        assert_eq!(shape("{ ( } a;"), "S<G<{S<G<(>>}>>S<a;>");
        assert_eq!(shape("a \u{1} \"b"), "S<a\u{1}\"b>");
    }

    #[test]
    fn deep_nesting() {
        for text in ["(", "{", "[", ")", "{(["] {
            let text = text.repeat(5000);
            assert_eq!(tree(&text).text().to_string(), text);
        }
    }
}
