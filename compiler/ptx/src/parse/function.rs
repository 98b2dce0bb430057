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
        let place = if kernel { Place::Kernel } else { Place::Function };
        if !kernel && self.at_directive(".attribute") {
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            directives.extend(attributes.into_iter().map(FunctionDirective::Attribute));
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
        let parameters = if self.at(Token::ParenthesisOpen) {
            self.parameters(place)?
        } else {
            Vec::new()
        };
        self.function_directives(place, &mut directives)?;
        let function = Function {
            name,
            kernel,
            linkage,
            returns,
            parameters,
            directives,
            body: None,
            span,
        };
        if self.at(Token::BraceOpen) {
            return self.definition(function);
        }
        if kernel && !function.directives.is_empty() {
            return Err(self.unexpected("'{'"));
        }
        self.expect(Token::Semicolon, "'{' or ';'")?;
        self.scopes.open();
        self.declare_parameters(&parameters_of(&function));
        self.scopes.close();
        if let Some(id) = self.enter(function, false) {
            self.module.items.push(Item::Function {
                function: id,
                defined: false,
            });
        }
        Ok(())
    }

    fn definition(&mut self, function: Function) -> Parse<()> {
        let (kernel, name) = (function.kernel, function.name);
        let parameters = parameters_of(&function);
        let id = self.enter(function, true);
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
                body: None,
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

    /// Enters a function into the module under its name; `None` where the name is taken.
    fn enter(&mut self, function: Function, defined: bool) -> Option<FunctionId> {
        let text = self.module.names.get(function.name).to_owned();
        let span = function.span;
        let id = match self.scopes.meaning(function.name) {
            None => {
                let id = FunctionId(self.module.functions.len() as u32);
                self.declare(function.name, Meaning::Function(id), span);
                self.module.functions.push(function);
                return Some(id);
            }
            Some(Meaning::Function(id)) => id,
            Some(_) => {
                let problem = Problem::error(span, format!("'{text}' is a variable already"))
                    .vendor(format!("Inconsistent redefinition of variable '{text}'"));
                self.report(problem);
                self.duplicate("function", &text, span);
                return None;
            }
        };
        let earlier = &mut self.module.functions[id.0 as usize];
        if earlier.kernel != function.kernel {
            let problem = Problem::error(span, format!("'{text}' is declared as a kernel and as a function"))
                .vendor(format!("Inconsistent redefinition of '{text}' as entry and function"));
            self.report(problem);
            return None;
        }
        if earlier.body.is_some() && defined {
            let problem = Problem::error(span, format!("function '{text}' has a body already"))
                .vendor(format!("Duplicate definition of function '{text}'"));
            self.report(problem);
            return None;
        }
        // The definition knows best; a declaration after it changes nothing.
        if earlier.body.is_none() {
            *earlier = function;
            if defined {
                // So that a call of itself, or another body, sees that there is one.
                earlier.body = Some(Default::default());
            }
        }
        Some(id)
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
        let specifiers = self.specifiers()?;
        let pointer = if self.at_directive(".ptr") {
            Some(self.pointer()?)
        } else {
            None
        };
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
            self.report(Problem::error(span, message).vendor(vendor));
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
            let problem = Problem::error(span, "a function's parameter needs a name");
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
    fn function_directives(&mut self, place: Place, found: &mut Vec<FunctionDirective>) -> Parse<()> {
        while self.at(Token::Directive) {
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
                    ".noreturn" => self.flag(FunctionDirective::NoReturn),
                    ".abi_preserve" => FunctionDirective::AbiPreserve(self.number()?),
                    ".abi_preserve_control" => FunctionDirective::AbiPreserveControl(self.number()?),
                    _ => return Err(self.unexpected("a directive for functions, '{' or ';'")),
                },
            };
            found.push(directive);
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
        if !self.eat(Token::Underscore) {
            self.identifier("'_'")?;
        }
        let parameters = if self.at(Token::ParenthesisOpen) {
            self.parameters(place)?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        self.function_directives(place, &mut directives)?;
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
