//! `.version`, `.target` and `.address_size` at the start of a file.

use super::{Parse, Parser};
use crate::{
    Problem, Span,
    instruction::{Gates, InstructionSet},
    lexer::Token,
    module::{Target, TargetSuffix, Version},
    suggest::nearest,
    target::{self, oldest_version},
    version::{newest_version, versions},
};

/// A `.version` with its number, which the vendor's tool takes as one token.
pub(super) fn version_span(text: &str, directive: Span) -> Span {
    let rest = &text.as_bytes()[directive.end as usize..];
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let number = rest[blanks..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    if number == 0 {
        directive
    } else {
        Span::new(directive.start, directive.end + (blanks + number) as u32)
    }
}

/// Words of `.target` that are no architecture.
const OPTIONS: [&str; 4] = ["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

/// Reads `sm_90a` and the like.
fn named_target(text: &str) -> Option<Target> {
    let name = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"))?;
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let (number, letter) = name.split_at(digits);
    let suffix = match letter {
        "f" => TargetSuffix::Family,
        "a" => TargetSuffix::Architecture,
        "" => TargetSuffix::None,
        _ => return None,
    };
    let target = Target {
        number: number.parse().ok()?,
        suffix,
    };
    // `sm_090` is no spelling of it.
    let known = target.number.to_string().len() == digits && oldest_version(target).is_some();
    known.then_some(target)
}

impl Parser<'_> {
    /// The directives that every file begins with.
    pub(super) fn header(&mut self) {
        let complete = self.version().is_ok() && self.target().is_ok();
        if complete {
            let _ = self.address_size();
        } else {
            self.checking = false;
        }
        self.set = InstructionSet::new(self.gates());
    }

    /// What the instructions may use.
    fn gates(&self) -> Gates {
        let module = &self.module;
        let independent_textures = module
            .target_options
            .iter()
            .any(|name| module.names.get(*name) == "texmode_independent");
        Gates {
            version: module.version,
            target: module.target,
            independent_textures,
        }
    }

    fn missing(&mut self, directive: &str) -> super::Stop {
        let span = self.tokens.span;
        let problem = Problem::fatal(span, format!("a PTX file begins with {directive}"))
            .vendor(format!("Missing {directive} directive at start of file"));
        self.report(problem);
        super::Stop
    }

    fn version(&mut self) -> Parse<()> {
        if !self.at_directive(".version") {
            return Err(self.missing(".version"));
        }
        let span = version_span(self.tokens.text(), self.tokens.span);
        self.tokens.advance();
        let text = self.tokens.slice();
        let numbers = text
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let (Token::Float, Some((major, minor))) = (self.tokens.kind, numbers) else {
            return Err(self.missing(".version"));
        };
        self.tokens.advance();
        self.module.version = Version { major, minor };
        self.module.version_span = span;
        self.known_version(span);
        Ok(())
    }

    /// A version between those that there are is a mistake; one to come is read as the newest, since most modules of it use nothing new.
    fn known_version(&mut self, span: Span) {
        let (version, newest) = (self.module.version, newest_version());
        if versions().any(|known| known == version) {
            return;
        }
        if version > newest {
            let message = format!("PTX version {version} is not known; it is read as {newest}, the newest that is");
            self.report(Problem::warning(span, message));
            return;
        }
        let problem = Problem::fatal(
            span,
            format!("there is no PTX version {version}; the latest is {newest}"),
        )
        .vendor(format!("Unsupported .version {version}; current version is '{newest}'"));
        self.report(problem);
        self.checking = false;
    }

    /// All `.target` directives: they come one after the other.
    fn target(&mut self) -> Parse<()> {
        if !self.at_directive(".target") {
            return Err(self.missing(".target"));
        }
        let directive = self.tokens.span;
        self.module.target_span = directive;
        let mut first = true;
        let mut found = false;
        while self.at_directive(".target") || (!first && self.eat(Token::Comma)) {
            if self.at_directive(".target") {
                self.tokens.advance();
            }
            let (text, span) = self.identifier("a target such as sm_90")?;
            if let Some(target) = named_target(text) {
                if first {
                    self.module.target = target;
                    found = true;
                }
            } else if OPTIONS.contains(&text) {
                let name = self.intern(text);
                self.module.target_options.push(name);
            } else {
                self.unknown_target(text, span);
                found |= first;
            }
            first = false;
        }
        if found {
            return Ok(());
        }
        let problem = Problem::fatal(
            directive,
            "the .target directive does not begin with an architecture such as sm_90",
        )
        .vendor("Target architecture not defined at start of file");
        self.report(problem);
        Err(super::Stop)
    }

    fn unknown_target(&mut self, text: &str, span: Span) {
        let problem = Problem::fatal(span, format!("'{text}' is no target and no target option"))
            .vendor(format!("Unsupported .target '{text}'"));
        let names: Vec<String> = target::all().iter().map(Target::to_string).collect();
        let near = nearest(text, names.iter().map(String::as_str).chain(OPTIONS));
        let problem = match near {
            Some(near) => problem.note(format!("did you mean '{near}'?")),
            None => problem,
        };
        self.report(problem);
        self.checking = false;
    }

    fn address_size(&mut self) -> Parse<()> {
        if !self.at_directive(".address_size") {
            return Ok(());
        }
        self.tokens.advance();
        let span = self.tokens.span;
        match self.unsigned("32 or 64")? {
            32 => self.module.address_size = 32,
            64 => self.module.address_size = 64,
            other => {
                let problem = Problem::error(span, format!(".address_size is 32 or 64, not {other}"))
                    .vendor("Illegal value for .address_size directive (must be 32 or 64)");
                self.report(problem);
            }
        }
        Ok(())
    }
}
