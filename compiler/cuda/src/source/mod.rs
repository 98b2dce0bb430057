//! Files → tokens: the map of sources, names, diagnostics of the whole front end, and the preprocessor.
//!
//! **What enters**: a main file, a [`FileSystem`](files::FileSystem) and options. **What leaves**: [`Tokens`], a list of [`Token`]s as the parser wants them:
//! translation phases 1 to 6 of [lex.phases] are done, so that macros are expanded, literals decoded and adjacent strings joined.
//!
//! How to use it:
//!
//! * [`Context`] goes through the whole front end by `&mut`: its [`SourceMap`] knows where things are, its [`Interner`] what names mean, its
//!   [`Diagnostics`] what is wrong. Its parts are public so that they can be borrowed apart.
//! * [`preprocess`] gives the tokens of a unit, [`print`](print()) its text, [`tokenize`] the tokens of a text without files (for tests).
//! * A [`Token`] is 16 bytes and `Copy`. Match on its [`TokenKind`]: `TokenKind::Keyword(Keyword::If)`, `TokenKind::Punctuator(Punctuator::Comma)`,
//!   `TokenKind::Identifier(name)`, `TokenKind::Literal(id)` (look `tokens.literal(id)` up). The last token is always [`TokenKind::End`].
//! * `>` comes singly: `>>` is two [`Punctuator::Greater`] of which the first has [`Token::joined`], `>>=` is `>` and `>=`, `>>>` three. So nested template
//!   lists close by themselves, and the parser of expressions joins what is joined. `<<<` is one [`Punctuator::TripleLess`]: after `operator`, split it.
//! * A place is an [`Origin`] (four bytes: where a token starts), a stretch is a [`Span`] (from the start of its first token to the end of its last).
//!   `token.span()`, `first.span().to(last.span())`. Both follow macro expansion and inclusion; only the map knows how.
//! * Errors: `context.diagnostics.emit(Report::error(span, "message").label(span, "text").note("text").note_at(span, "text"))`.
//!   Trapping for substitution: [`Diagnostics::trap`] and [`Diagnostics::release`].

mod declared;
mod decode;
pub mod diagnostic;
pub mod files;
mod finish;
pub mod headers;
pub mod intern;
mod lexer;
pub mod literal;
pub mod map;
pub mod options;
mod preprocess;
mod print;
mod sections;
#[cfg(test)]
mod tests;
pub mod token;
mod warning;

pub use diagnostic::{Diagnostics, Instantiated, Label, Note, Report, Trap};
pub use files::{Disk, FileSystem, Memory};
pub use intern::{Interner, Symbol, names};
pub use literal::{
    CharacterLiteral, Encoding, FloatLiteral, FloatSuffix, IntegerLiteral, IntegerSize, Literal, StringLiteral,
};
pub use map::{FileId, Origin, Place, SourceMap, Span};
pub use options::{ArchFeatures, Definition, Mode, Options, Prelude, Standard};
pub(crate) use preprocess::is_built_in;
pub use preprocess::missing_header;
pub use token::{Keyword, LiteralId, Pragma, PragmaId, PragmaKind, Punctuator, Token, TokenKind, Tokens};
pub use warning::{Warning, WarningOptions, WarningRules};

/// What the steps of the front end share.
#[derive(Debug, Default)]
pub struct Context {
    /// Where things are.
    pub map: SourceMap,
    /// Names as small numbers.
    pub interner: Interner,
    /// What is wrong.
    pub diagnostics: Diagnostics,
}

impl Context {
    /// With no file yet.
    pub fn new() -> Context {
        Context::default()
    }

    /// The text of a name.
    pub fn text(&self, name: Symbol) -> &str {
        self.interner.text(name)
    }

    /// An error without more to say.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.error(span, message);
    }

    /// All diagnostics as text with source lines and carets.
    pub fn render(&self) -> String {
        self.diagnostics.render(&self.map)
    }
}

/// What preprocessing gives.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The tokens for the parser.
    pub tokens: Tokens,
    /// The paths of all files read, the main file first; built-in headers are not among them.
    pub dependencies: Vec<String>,
    /// A header was not found, so that what follows from it had better not be told.
    pub missing_header: bool,
    /// Some of the built-in declarations were left out: the unit has none of their names.
    pub left_out: bool,
}

/// Preprocesses a unit. What is wrong is in `context.diagnostics`; the tokens are there in any case.
pub fn preprocess(context: &mut Context, files: &dyn FileSystem, options: &Options, main: &str) -> Unit {
    context.diagnostics.rules.set_options(options.warnings.clone());
    let mut preprocessor = preprocess::Preprocessor::new(context, files, options, main);
    let finisher = finish::Finisher::new(&mut preprocessor);
    let (tokens, left_out) = finisher.unit(&mut preprocessor);
    Unit {
        tokens,
        left_out,
        dependencies: std::mem::take(&mut preprocessor.dependencies),
        missing_header: preprocessor.missing_header,
    }
}

/// The preprocessed text of a unit with line markers, as `-E` prints it.
pub fn print(context: &mut Context, files: &dyn FileSystem, options: &Options, main: &str) -> String {
    let whole = Options {
        prelude: match options.prelude {
            Prelude::None => Prelude::None,
            Prelude::AsNeeded | Prelude::Whole => Prelude::Whole,
        },
        ..options.clone()
    };
    let mut preprocessor = preprocess::Preprocessor::new(context, files, &whole, main);
    preprocessor.moves = Some(Vec::new());
    print::print(&mut preprocessor)
}

/// The tokens of a text by itself: predefined macros, but no prelude and no files beside the built-in headers.
pub fn tokenize(context: &mut Context, name: &str, text: &str) -> Tokens {
    let files = Memory::new().with(name, text);
    let options = Options {
        prelude: Prelude::None,
        ..Options::default()
    };
    preprocess(context, &files, &options, name).tokens
}
