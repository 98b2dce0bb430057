//! `.version`, `.target` and `.address_size` at the start of a file.

use super::{Parse, Parser};
use crate::{
    Problem, Span,
    instruction::{Gates, InstructionSet},
    lexer::Token,
    module::{Target, TargetSuffix, Version},
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

/// Reads `90a` and the like.
fn target(text: &str) -> Option<Target> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let suffix = match &text[digits..] {
        "" => TargetSuffix::None,
        "f" => TargetSuffix::Family,
        "a" => TargetSuffix::Architecture,
        _ => return None,
    };
    Some(Target {
        number: text[..digits].parse().ok()?,
        suffix,
    })
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
        if self.module.version > (Version { major: 9, minor: 0 }) || major == 0 {
            let problem = Problem::fatal(span, format!("PTX version {text} is not known; the latest is 9.0"))
                .vendor(format!("Unsupported .version {text}; current version is '9.0'"));
            self.report(problem);
            self.checking = false;
        }
        Ok(())
    }

    fn target(&mut self) -> Parse<()> {
        if !self.at_directive(".target") {
            return Err(self.missing(".target"));
        }
        let directive = self.tokens.span;
        self.tokens.advance();
        let mut found = false;
        loop {
            let (text, span) = self.identifier("a target such as sm_90")?;
            let number = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"));
            match (number.and_then(target), text) {
                (Some(target), _) => {
                    if !found {
                        self.module.target = target;
                    }
                    found = true;
                }
                (None, "texmode_unified" | "texmode_independent" | "texmode_raw" | "debug" | "map_f64_to_f32") => {
                    let name = self.intern(text);
                    self.module.target_options.push(name);
                }
                (None, _) => {
                    let problem = Problem::fatal(span, format!("'{text}' is no target and no target option"))
                        .vendor(format!("Unsupported .target '{text}'"));
                    self.report(problem);
                    self.checking &= number.is_none();
                }
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if found {
            return Ok(());
        }
        let problem = Problem::fatal(directive, "the .target directive names no architecture such as sm_90")
            .vendor("Target architecture not defined at start of file");
        self.report(problem);
        Err(super::Stop)
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
