//! Kernels, functions, prototypes and aliases.

use smallvec::{SmallVec, smallvec};

use super::{Parse, Parser};
use crate::{
    Problem, Span,
    lexer::Token,
    module::{
        Body, Function, FunctionDirective, FunctionId, Item, Linkage, Name, Pointer, Prototype, Space, Variable,
        VariableId,
    },
    scope::Meaning,
    table::Type,
};

/// Where parameters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Kernel,
    Function,
    Prototype,
}

impl Parser<'_> {
    /// What begins with `.visible` and the like, `.entry` or `.func`.
    pub(super) fn linked_item(&mut self) -> Parse<()> {
        let linkage = match self.tokens.slice() {
            ".visible" => Linkage::Visible,
            ".extern" => Linkage::External,
            ".weak" => Linkage::Weak,
            ".common" => Linkage::Common,
            _ => Linkage::Internal,
        };
        if linkage != Linkage::Internal {
            self.tokens.advance();
        }
        match self.tokens.slice() {
            ".entry" if linkage != Linkage::Common => self.function(linkage, true),
            ".func" if linkage != Linkage::Common => self.function(linkage, false),
            _ if !self.at(Token::Directive) => Err(self.unexpected("a directive")),
            _ => self.variables(linkage),
        }
    }

    /// A declaration or definition, from `.entry` or `.func` on.
    fn function(&mut self, linkage: Linkage, kernel: bool) -> Parse<()> {
        self.tokens.advance();
        let mut directives = Vec::new();
        let mut directive_spans = Vec::new();
        let place = if kernel { Place::Kernel } else { Place::Function };
        if !kernel && self.at_directive(".attribute") {
            let start = self.tokens.span;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            directives.extend(attributes.into_iter().map(FunctionDirective::Attribute));
            directive_spans.resize(directives.len(), self.since(start));
        }
        let returns = if !kernel && self.at(Token::ParenthesisOpen) {
            self.parameters(place)?
        } else {
            Vec::new()
        };
        let (text, span) = self.identifier(if kernel {
            "the kernel's name"
        } else {
            "the function's name"
        })?;
        let name = self.intern(text);
        let mut end = self.tokens.span;
        let parameters = if self.at(Token::ParenthesisOpen) {
            let parameters = self.parameters(place)?;
            end = Span::new(self.tokens.previous_end - 1, self.tokens.previous_end);
            parameters
        } else {
            Vec::new()
        };
        let parameters_end = end;
        self.function_directives(place, &mut directives, &mut directive_spans)?;
        let head_end = self.tokens.span;
        // The vendor's tool knows the head of a kernel after its parameters, and that of a function only where its directives end.
        if !kernel {
            end = self.tokens.span;
        }
        if !kernel
            && self.at(Token::BraceOpen)
            && directives
                .iter()
                .any(|found| matches!(found, FunctionDirective::Pragma(_)))
        {
            return Err(self.unexpected("';', because only heads of kernels have pragmas"));
        }
        let function = Function {
            name,
            kernel,
            linkage,
            returns,
            parameters,
            directives,
            directive_spans,
            parameters_end,
            head_end,
            body: None,
            alias_of: None,
            span,
        };
        if self.at(Token::BraceOpen) {
            return self.definition(function, end);
        }
        if kernel && !function.directives.is_empty() {
            return Err(self.unexpected("'{'"));
        }
        self.expect(Token::Semicolon, "'{' or ';'")?;
        self.scopes.open();
        self.declare_parameters(&parameters_of(&function));
        self.scopes.close();
        if let Some(id) = self.enter(function, end) {
            self.module.items.push(Item::Function {
                function: id,
                defined: false,
            });
        }
        Ok(())
    }

    fn definition(&mut self, function: Function, end: Span) -> Parse<()> {
        let (kernel, name) = (function.kernel, function.name);
        let parameters = parameters_of(&function);
        let id = self.enter(function, end);
        if let Some(id) = id {
            // So that whatever comes sees that it is defined.
            self.module.functions[id.0 as usize].body = Some(Body::default());
        }
        self.kernel = kernel;
        self.register_count = 0;
        self.body = Body::default();
        self.scopes.open();
        self.declare_parameters(&parameters);
        let result = self.body();
        while self.scopes.depth() > 0 {
            self.scopes.close();
        }
        let body = std::mem::take(&mut self.body);
        let id = id.unwrap_or_else(|| {
            // Its name is taken: kept beside the other, so that what is wrong inside is found too.
            let span = body.end;
            let (returns, directives) = (Vec::new(), Vec::new());
            self.module.functions.push(Function {
                name,
                kernel,
                linkage: Linkage::Internal,
                returns,
                parameters: Vec::new(),
                directives,
                directive_spans: Vec::new(),
                parameters_end: span,
                head_end: span,
                body: None,
                alias_of: None,
                span,
            });
            FunctionId(self.module.functions.len() as u32 - 1)
        });
        self.module.functions[id.0 as usize].body = Some(body);
        self.module.items.push(Item::Function {
            function: id,
            defined: true,
        });
        result
    }

    /// Declares parameters in the innermost scope. `.reg` parameters are registers of the body, its first ones, return parameters before parameters.
    fn declare_parameters(&mut self, parameters: &[VariableId]) {
        for &id in parameters {
            let Variable {
                space,
                name: Some(name),
                element,
                vector,
                span,
                ..
            } = self.module.variables[id.0 as usize]
            else {
                continue;
            };
            if space != Space::Register {
                self.declare(name, Meaning::Variable(id), span);
            } else if self.declare(name, Meaning::Register(self.register_count), span) {
                self.add_registers(name, None, element, vector, span);
            }
        }
    }

    /// `(…)` of a function, kernel or prototype. Names are declared in the innermost scope.
    fn parameters(&mut self, place: Place) -> Parse<Vec<VariableId>> {
        self.tokens.advance();
        let mut found = Vec::new();
        if self.eat(Token::ParenthesisClose) {
            return Ok(found);
        }
        loop {
            found.push(self.parameter(place)?);
            if !self.eat(Token::Comma) {
                self.expect(Token::ParenthesisClose, "',' or ')'")?;
                return Ok(found);
            }
        }
    }

    fn parameter(&mut self, place: Place) -> Parse<VariableId> {
        if !self.at(Token::Directive) {
            return Err(self.unexpected("a parameter"));
        }
        let mut specifiers = self.specifiers()?;
        let attribute = self.tokens.span;
        let mut pointer = None;
        if self.at_directive(".ptr") {
            pointer = Some(self.pointer()?);
        } else if self.at_directive(".align") {
            self.tokens.advance();
            specifiers.alignment = Some(self.unsigned_32("an alignment in bytes")?);
        }
        if place != Place::Kernel && self.tokens.span != attribute {
            let problem = Problem::error(attribute, "only parameters of kernels have attributes after their type");
            self.report(problem.vendor("Illegal placement of kernel parameter attribute"));
        }
        let (name, span) = self.parameter_name(place)?;
        let dimensions = if self.at(Token::BracketOpen) {
            self.dimension()?
        } else {
            SmallVec::new()
        };
        let text = name.map_or(String::new(), |name| self.module.names.get(name).to_owned());
        let space = specifiers.space.unwrap_or(Space::Parameter);
        let illegal = match (place, specifiers.space) {
            (_, Some(Space::Parameter)) | (Place::Function | Place::Prototype, Some(Space::Register)) => None,
            (Place::Kernel, _) => Some(format!("Entry parameter '{text}' must have .param state space")),
            (Place::Function | Place::Prototype, _) => {
                Some(format!("Function parameter '{text}' has illegal state space"))
            }
        };
        if let Some(vendor) = illegal {
            let message = match place {
                Place::Kernel => "parameters of kernels are in state space .param",
                Place::Function | Place::Prototype => "parameters are in state space .param or .reg",
            };
            // The vendor's tool names the line of the token after the parameter.
            self.report(Problem::error(self.tokens.span, message).vendor(vendor));
        }
        let id = VariableId(self.module.variables.len() as u32);
        self.module.variables.push(Variable {
            name,
            space,
            bank: specifiers.bank,
            element: specifiers.element,
            vector: specifiers.vector,
            alignment: specifiers.alignment,
            dimensions,
            initializer: None,
            linkage: Linkage::Internal,
            pointer,
            attributes: specifiers.attributes,
            span,
        });
        Ok(id)
    }

    /// Parameters have one dimension at most.
    fn dimension(&mut self) -> Parse<SmallVec<[Option<u64>; 1]>> {
        self.tokens.advance();
        let size = if self.at(Token::BracketClose) {
            None
        } else {
            Some(self.unsigned("a size")?)
        };
        self.expect(Token::BracketClose, "']'")?;
        Ok(smallvec![size])
    }

    fn parameter_name(&mut self, place: Place) -> Parse<(Option<Name>, Span)> {
        let span = self.tokens.span;
        if !self.eat(Token::Underscore) {
            let (text, span) = self.identifier("the parameter's name")?;
            return Ok((Some(self.intern(text)), span));
        }
        if place == Place::Function {
            let problem = Problem::error(self.tokens.span, "a function's parameter needs a name");
            self.report(problem.vendor("Illegal parameter name '_'"));
        }
        Ok((None, span))
    }

    /// `.ptr{.SPACE|.texref|.samplerref|.surfref}{ .align N}`
    fn pointer(&mut self) -> Parse<Pointer> {
        self.tokens.advance();
        let space = match self.tokens.slice() {
            ".const" => Some(Space::Constant),
            ".global" => Some(Space::Global),
            ".local" => Some(Space::Local),
            ".shared" => Some(Space::Shared),
            _ => None,
        };
        if space.is_some() {
            self.tokens.advance();
        }
        let opaque = match self.tokens.slice() {
            ".texref" | ".samplerref" | ".surfref" if space.is_none() => Type::from_name(&self.tokens.slice()[1..]),
            _ => None,
        };
        if opaque.is_some() {
            self.tokens.advance();
        }
        let mut alignment = None;
        if self.at_directive(".align") {
            self.tokens.advance();
            alignment = Some(self.unsigned_32("an alignment in bytes")?);
        }
        Ok(Pointer {
            space,
            opaque,
            alignment,
        })
    }

    /// Directives between the parameters and the body.
    fn function_directives(
        &mut self,
        place: Place,
        found: &mut Vec<FunctionDirective>,
        spans: &mut Vec<Span>,
    ) -> Parse<()> {
        while self.at(Token::Directive) {
            let start = self.tokens.span;
            let directive = match (place, self.tokens.slice()) {
                (_, ".pragma") => FunctionDirective::Pragma(self.pragma()?),
                (Place::Kernel, text) => match text {
                    ".maxnreg" => FunctionDirective::MaxRegisters(self.number()?),
                    ".maxntid" => FunctionDirective::MaxThreads(self.numbers()?),
                    ".reqntid" => FunctionDirective::RequiredThreads(self.numbers()?),
                    ".minnctapersm" => FunctionDirective::MinCtasPerSm(self.number()?),
                    ".maxnctapersm" => FunctionDirective::MaxCtasPerSm(self.number()?),
                    ".reqnctapercluster" => FunctionDirective::RequiredCtasPerCluster(self.numbers()?),
                    ".maxclusterrank" => FunctionDirective::MaxClusterRank(self.number()?),
                    ".explicitcluster" => self.flag(FunctionDirective::ExplicitCluster),
                    ".blocksareclusters" => self.flag(FunctionDirective::BlocksAreClusters),
                    ".local_maxnreg" => {
                        let name = self.intern(".local_maxnreg");
                        FunctionDirective::Other(name, smallvec![self.number()?])
                    }
                    _ => return Err(self.unexpected("a directive for kernels, '{' or ';'")),
                },
                (Place::Function | Place::Prototype, text) => match text {
                    ".noreturn" if !found.contains(&FunctionDirective::NoReturn) => {
                        self.flag(FunctionDirective::NoReturn)
                    }
                    ".abi_preserve" => FunctionDirective::AbiPreserve(self.number()?),
                    ".abi_preserve_control" => FunctionDirective::AbiPreserveControl(self.number()?),
                    _ => return Err(self.unexpected("a directive for functions, '{' or ';'")),
                },
            };
            found.push(directive);
            spans.push(self.since(start));
        }
        Ok(())
    }

    fn flag(&mut self, directive: FunctionDirective) -> FunctionDirective {
        self.tokens.advance();
        directive
    }

    /// A directive with one number.
    fn number(&mut self) -> Parse<u64> {
        self.tokens.advance();
        Ok(u64::from(self.unsigned_32("a number")?))
    }

    /// A directive with one to three numbers.
    fn numbers(&mut self) -> Parse<SmallVec<[u64; 3]>> {
        let mut found = smallvec![self.number()?];
        while found.len() < 3 && self.at(Token::Comma) {
            found.push(self.number()?);
        }
        Ok(found)
    }

    /// `.callprototype (RETURN) _ (PARAMETERS) DIRECTIVES;`
    pub(super) fn prototype(&mut self) -> Parse<Prototype> {
        self.tokens.advance();
        let place = Place::Prototype;
        let returns = if self.at(Token::ParenthesisOpen) {
            self.parameters(place)?
        } else {
            Vec::new()
        };
        self.expect(Token::Underscore, "'_'")?;
        let parameters = if self.at(Token::ParenthesisOpen) {
            self.parameters(place)?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        self.function_directives(place, &mut directives, &mut Vec::new())?;
        self.expect(Token::Semicolon, "';'")?;
        Ok(Prototype {
            returns,
            parameters,
            directives,
        })
    }

    /// `.alias NAME, TARGET;`
    pub(super) fn alias(&mut self) -> Parse<()> {
        let start = self.tokens.span;
        self.tokens.advance();
        let alias = self.aliased()?;
        self.expect(Token::Comma, "','")?;
        let target = self.aliased()?;
        self.expect(Token::Semicolon, "';'")?;
        if let (Some(alias), Some(target)) = (alias, target) {
            self.module.functions[alias.0 as usize].alias_of.get_or_insert(target);
            self.module.items.push(Item::Alias {
                alias,
                target,
                span: self.since(start),
            });
        }
        Ok(())
    }

    fn aliased(&mut self) -> Parse<Option<FunctionId>> {
        let (text, span) = self.identifier("a function's name")?;
        match self.scopes.look_up(&self.module.names, text) {
            Some(Meaning::Function(id)) => return Ok(Some(id)),
            Some(_) => {
                let problem = Problem::error(span, format!("'{text}' is a variable; only functions have aliases"))
                    .vendor(format!("Cannot define alias to variable object '{text}'"));
                self.report(problem);
            }
            None => self.unknown(text, span),
        }
        Ok(None)
    }
}

/// Return parameters, then parameters.
fn parameters_of(function: &Function) -> Vec<VariableId> {
    function.returns.iter().chain(&function.parameters).copied().collect()
}
