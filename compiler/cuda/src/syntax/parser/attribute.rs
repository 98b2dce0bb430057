//! Attributes in all their spellings (\[dcl.attr\], GNU's, CUDA's).

use crate::source::{Keyword, Punctuator, Symbol, TokenKind};
use crate::syntax::ast::{AlignArgument, Attribute, AttributeKind, Expression, ExpressionKind, Id, List};

use super::specifier::Where;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// Whether an attribute stands here. `[[` is one only where an attribute may stand: ask only there.
    pub(super) fn at_attribute(&self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) => is_attribute_keyword(keyword),
            TokenKind::Punctuator(Punctuator::LeftBracket) => self.ahead(1).is(Punctuator::LeftBracket),
            _ => false,
        }
    }

    /// All attributes that stand here.
    pub(super) fn attributes(&mut self, list: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_attribute() {
            self.attribute(list)?;
        }
        Ok(())
    }

    /// All attributes that stand here, as a list.
    pub(super) fn attribute_list(&mut self) -> Parsed<List<Attribute>> {
        let mut list = Vec::new();
        self.attributes(&mut list)?;
        Ok(list.into_boxed_slice())
    }

    fn attribute(&mut self, list: &mut Vec<Attribute>) -> Parsed<()> {
        let start = self.position;
        let TokenKind::Keyword(keyword) = self.kind() else {
            return self.standard_attributes(list);
        };
        let kind = match keyword {
            Keyword::Attribute => {
                self.advance();
                self.expect(Punctuator::LeftParenthesis, "after `__attribute__`")?;
                self.expect(Punctuator::LeftParenthesis, "after `__attribute__(`")?;
                self.outside_angles(|parser| parser.attribute_items(list, Punctuator::RightParenthesis))?;
                self.expect(Punctuator::RightParenthesis, "after the attributes")?;
                return self.expect(Punctuator::RightParenthesis, "after the attributes");
            }
            Keyword::Declspec => {
                self.advance();
                self.expect(Punctuator::LeftParenthesis, "after `__declspec`")?;
                self.outside_angles(|parser| parser.attribute_items(list, Punctuator::RightParenthesis))?;
                return self.expect(Punctuator::RightParenthesis, "after the attributes");
            }
            Keyword::Alignas => {
                self.advance();
                AttributeKind::Align(self.alignas_argument()?)
            }
            Keyword::CudaGlobal => self.plain(AttributeKind::Global),
            Keyword::CudaDevice => self.plain(AttributeKind::Device),
            Keyword::CudaHost => self.plain(AttributeKind::Host),
            Keyword::CudaShared => self.plain(AttributeKind::Shared),
            Keyword::CudaConstant => self.plain(AttributeKind::Constant),
            Keyword::CudaManaged => self.plain(AttributeKind::Managed),
            Keyword::CudaGridConstant => self.plain(AttributeKind::GridConstant),
            Keyword::CudaNoInline => self.plain(AttributeKind::NoInline),
            Keyword::CudaForceInline => self.plain(AttributeKind::ForceInline),
            Keyword::CudaNvPure => self.plain(AttributeKind::Pure),
            Keyword::CudaInlineHint => {
                let name = self.context.interner.intern("inline_hint");
                self.plain(AttributeKind::Other(name))
            }
            Keyword::CudaTile => return Err(self.error(self.here(), "`__tile_global__` functions are not supported")),
            Keyword::CudaLaunchBounds
            | Keyword::CudaClusterDims
            | Keyword::CudaBlockSize
            | Keyword::CudaMaxRegisters => {
                self.advance();
                self.expect(Punctuator::LeftParenthesis, "here")?;
                let arguments = self.outside_angles(|parser| parser.attribute_arguments())?;
                self.expect(Punctuator::RightParenthesis, "after the arguments")?;
                self.cuda_attribute(keyword, arguments)?
            }
            _ => return Err(self.expected("an attribute")),
        };
        let span = self.span_from(start);
        list.push(Attribute { kind, span });
        Ok(())
    }

    fn plain(&mut self, kind: AttributeKind) -> AttributeKind {
        self.advance();
        kind
    }

    fn cuda_attribute(&mut self, keyword: Keyword, arguments: List<Id<Expression>>) -> Parsed<AttributeKind> {
        Ok(match keyword {
            Keyword::CudaLaunchBounds => AttributeKind::LaunchBounds(arguments),
            Keyword::CudaClusterDims => AttributeKind::ClusterDims(arguments),
            Keyword::CudaBlockSize => AttributeKind::BlockSize(arguments),
            _ => match arguments.first() {
                Some(&argument) => AttributeKind::MaxRegisters(argument),
                None => return Err(self.expected("a number of registers")),
            },
        })
    }

    /// The arguments up to `)`. A `(a, b, c)` among them gives its parts.
    fn attribute_arguments(&mut self) -> Parsed<List<Id<Expression>>> {
        let mut arguments = Vec::new();
        while !self.is(Punctuator::RightParenthesis) {
            let argument = self.initializer_clause_or_pack()?;
            match &self.ast[argument].kind {
                ExpressionKind::Parenthesized(inner) => self.flatten_comma(*inner, &mut arguments),
                _ => arguments.push(argument),
            }
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        Ok(arguments.into_boxed_slice())
    }

    fn flatten_comma(&self, expression: Id<Expression>, list: &mut Vec<Id<Expression>>) {
        let mut right = Vec::new();
        let mut left = expression;
        while let ExpressionKind::Binary {
            operator: crate::syntax::ast::BinaryOperator::Comma,
            left: inner,
            right: last,
            ..
        } = &self.ast[left].kind
        {
            right.push(*last);
            left = *inner;
        }
        list.push(left);
        list.extend(right.into_iter().rev());
    }

    /// `[[using x: a, b::c(…)]]`.
    fn standard_attributes(&mut self, list: &mut Vec<Attribute>) -> Parsed<()> {
        self.expect(Punctuator::LeftBracket, "here")?;
        self.expect(Punctuator::LeftBracket, "here")?;
        if self.eat_keyword(Keyword::Using) {
            self.advance();
            self.expect(Punctuator::Colon, "after the attribute namespace")?;
        }
        self.outside_angles(|parser| parser.attribute_items(list, Punctuator::RightBracket))?;
        self.expect(Punctuator::RightBracket, "after the attributes")?;
        self.expect(Punctuator::RightBracket, "after the attributes")
    }

    /// The attributes between the brackets.
    fn attribute_items(&mut self, list: &mut Vec<Attribute>, end: Punctuator) -> Parsed<()> {
        loop {
            while self.eat(Punctuator::Comma) {}
            if self.is(end) || self.is_end() {
                return Ok(());
            }
            let start = self.position;
            let mut name = self.attribute_word()?;
            while self.eat(Punctuator::DoubleColon) {
                name = self.attribute_word()?;
            }
            let kind = self.named_attribute(name)?;
            self.eat(Punctuator::Ellipsis);
            let span = self.span_from(start);
            list.push(Attribute { kind, span });
            // `__declspec` separates by spaces, the others by commas.
            let is_word = matches!(self.kind(), TokenKind::Identifier(_) | TokenKind::Keyword(_));
            if !self.is(end) && !self.is(Punctuator::Comma) && !is_word {
                return Err(self.expected("`,` or the end of the attributes"));
            }
        }
    }

    /// Any word: an attribute may be named as a keyword.
    fn attribute_word(&mut self) -> Parsed<Symbol> {
        let name = match self.kind() {
            TokenKind::Identifier(name) => name,
            TokenKind::Keyword(keyword) => self.context.interner.intern(keyword.text()),
            _ => return Err(self.expected("the name of an attribute")),
        };
        self.advance();
        Ok(name)
    }

    fn named_attribute(&mut self, name: Symbol) -> Parsed<AttributeKind> {
        let text = self.context.text(name).to_string();
        let text = text
            .strip_prefix("__")
            .and_then(|text| text.strip_suffix("__"))
            .unwrap_or(&text);
        let has_arguments = self.is(Punctuator::LeftParenthesis);
        if let Some(kind) = simple_attribute(text) {
            if has_arguments {
                self.position = self.closer();
                self.advance();
            }
            return Ok(kind);
        }
        match text {
            "aligned" | "align" if !has_arguments => Ok(AttributeKind::Align(AlignArgument::Default)),
            "aligned" | "align" => Ok(AttributeKind::Align(self.alignas_argument()?)),
            "launch_bounds" if has_arguments => Ok(AttributeKind::LaunchBounds(self.named_arguments()?)),
            "cluster_dims" if has_arguments => Ok(AttributeKind::ClusterDims(self.named_arguments()?)),
            "block_size" if has_arguments => Ok(AttributeKind::BlockSize(self.named_arguments()?)),
            "maxnreg" if has_arguments => {
                let arguments = self.named_arguments()?;
                self.cuda_attribute(Keyword::CudaMaxRegisters, arguments)
            }
            "vector_size" if has_arguments => {
                let arguments = self.named_arguments()?;
                match arguments.first() {
                    Some(&bytes) => Ok(AttributeKind::VectorSize(bytes)),
                    None => Err(self.expected("a number of bytes")),
                }
            }
            "mode" if has_arguments => {
                let mode = self.ahead(1).identifier().unwrap_or(name);
                self.position = self.closer();
                self.advance();
                Ok(AttributeKind::Mode(mode))
            }
            "device_builtin" | "device_builtin_texture_type" | "device_builtin_surface_type" | "cudart_builtin" => {
                Ok(AttributeKind::DeviceBuiltin(name))
            }
            _ => {
                if has_arguments {
                    self.position = self.closer();
                    self.advance();
                }
                Ok(AttributeKind::Other(name))
            }
        }
    }

    fn named_arguments(&mut self) -> Parsed<List<Id<Expression>>> {
        self.parenthesized("here", |parser| parser.attribute_arguments())
    }

    /// `(expression)` or `(type-id)`, each with `...` if wanted (\[dcl.align\]).
    fn alignas_argument(&mut self) -> Parsed<AlignArgument> {
        self.parenthesized("after `alignas`", |parser| {
            let type_id = parser.attempt(|parser| {
                let type_id = parser.type_id(Where::Argument)?;
                let ends = parser.is(Punctuator::RightParenthesis) || parser.is(Punctuator::Ellipsis);
                ends.then_some(type_id).ok_or(super::Failed)
            });
            if let Some(type_id) = type_id {
                let pack = parser.eat(Punctuator::Ellipsis);
                return Ok(if pack {
                    AlignArgument::TypePack(type_id)
                } else {
                    AlignArgument::Type(type_id)
                });
            }
            let expression = parser.constant_expression()?;
            let pack = parser.eat(Punctuator::Ellipsis);
            Ok(if pack {
                AlignArgument::ExpressionPack(expression)
            } else {
                AlignArgument::Expression(expression)
            })
        })
    }
}

/// Whether the keyword begins an attribute or a CUDA specifier.
pub(super) fn is_attribute_keyword(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Attribute
            | Keyword::Declspec
            | Keyword::Alignas
            | Keyword::CudaGlobal
            | Keyword::CudaDevice
            | Keyword::CudaHost
            | Keyword::CudaShared
            | Keyword::CudaConstant
            | Keyword::CudaManaged
            | Keyword::CudaGridConstant
            | Keyword::CudaLaunchBounds
            | Keyword::CudaMaxRegisters
            | Keyword::CudaClusterDims
            | Keyword::CudaBlockSize
            | Keyword::CudaNoInline
            | Keyword::CudaForceInline
            | Keyword::CudaInlineHint
            | Keyword::CudaNvPure
            | Keyword::CudaTile
    )
}

/// Attributes whose arguments, if they have any, mean nothing here.
#[rustfmt::skip]
fn simple_attribute(text: &str) -> Option<AttributeKind> {
    Some(match text {
        "global" => AttributeKind::Global,
        "device" => AttributeKind::Device,
        "host" => AttributeKind::Host,
        "shared" => AttributeKind::Shared,
        "constant" => AttributeKind::Constant,
        "managed" => AttributeKind::Managed,
        "grid_constant" => AttributeKind::GridConstant,
        "nv_pure" | "pure" => AttributeKind::Pure,
        "const" => AttributeKind::ConstFunction,
        "always_inline" | "forceinline" => AttributeKind::AlwaysInline,
        "noinline" => AttributeKind::NoInline,
        "packed" => AttributeKind::Packed,
        "noreturn" => AttributeKind::NoReturn,
        "nodiscard" | "warn_unused_result" => AttributeKind::NoDiscard,
        "maybe_unused" | "unused" => AttributeKind::MaybeUnused,
        "deprecated" => AttributeKind::Deprecated,
        "fallthrough" => AttributeKind::Fallthrough,
        "likely" => AttributeKind::Likely,
        "unlikely" => AttributeKind::Unlikely,
        "no_unique_address" => AttributeKind::NoUniqueAddress,
        "weak" | "nv_weak_odr" => AttributeKind::Weak,
        "used" => AttributeKind::Used,
        "transparent_union" => AttributeKind::TransparentUnion,
        _ => return None,
    })
}
