//! Reading calls.

use super::body::{Body, Outcome};
use super::lexer::{Kind, bytes, name};
use super::operation::fast_math;
use super::{Known, Reader, Result};
use crate::attributes::{FunctionAttributes, ParameterAttributes};
use crate::instruction::{Call, Callee, InlineAssembly, Instruction, TailCall, Value};
use crate::types::{FunctionType, Type};

/// What stands where the name of a called function stands.
enum Called {
    Symbol(String),
    Value(Value),
    Assembly(Box<InlineAssembly>),
}

impl Reader<'_> {
    /// From `call` or a word before it to before the metadata.
    pub(super) fn call(&mut self, body: &mut Body) -> Result<Outcome> {
        let tail = match self.text() {
            "tail" => TailCall::Tail,
            "musttail" => TailCall::Must,
            "notail" => TailCall::Never,
            _ => TailCall::None,
        };
        if tail != TailCall::None {
            self.bump();
        }
        self.keyword("call")?;
        let flags = fast_math(self.flags());
        let (convention, _) = self.convention()?;
        self.range = None;
        let result_attributes = self.parameter_attributes(None)?;
        body.range = self.range.take();
        if self.is_word("addrspace") {
            self.address_space()?;
        }
        let returned = self.parsed_type()?;
        let place = self.place();
        let called = self.called(body)?;
        if let Called::Symbol(key) = &called
            && key.starts_with("llvm.dbg.")
        {
            if body.told.is_some() {
                return self.debug_call(body, key);
            }
            self.skip_brackets();
            self.function_attributes()?;
            return Ok(Outcome::Nothing);
        }
        let (arguments, argument_attributes, unknown) = self.call_arguments(body)?;
        if let (Called::Assembly(assembly), Some(unknown)) = (&called, unknown)
            && assembly.constraints.contains('*')
        {
            return Err(self.error_at(
                unknown,
                "an operand of assembly that is memory says its type by elementtype",
            ));
        }
        let attributes = self.function_attributes()?;
        if self.is(b'[') && matches!(&called, Called::Symbol(key) if key == "llvm.assume") {
            // More that may be assumed: nothing is concluded from it.
            self.bundles(body)?;
        }
        if self.is(b'[') {
            return Err(self.unsupported(
                "construct",
                "operand bundle",
                "the only bundles that devices could use are assumptions",
            ));
        }
        let ty = self.called_type(
            returned.pointee.unwrap_or(returned.ty),
            returned.ty,
            &arguments,
            body,
            place,
        )?;
        let callee = match called {
            Called::Value(value) => Callee::Indirect(value),
            Called::Assembly(assembly) => Callee::Assembly(assembly),
            Called::Symbol(key) => match self.known(&key) {
                Some(Known::Function(id)) if !key.starts_with("llvm.") => Callee::Function(id),
                _ if key.starts_with("llvm.") => {
                    return self.intrinsic_call(
                        body,
                        (&key, place),
                        ty,
                        arguments,
                        argument_attributes,
                        attributes,
                        flags,
                    );
                }
                Some(Known::Function(_) | Known::Global(_) | Known::Alias(_) | Known::Intrinsic) => {
                    Callee::Indirect(Value::Constant(self.symbol_constant(&key, place, Type::POINTER)?))
                }
                None => return Err(self.error_at(place, format!("there is no function @{key}"))),
            },
        };
        let mut call = Call::new(callee, ty, arguments);
        call.tail = tail;
        call.flags = flags;
        call.convention = convention;
        set_attributes(&mut call, attributes, argument_attributes, result_attributes);
        let result = self.context.function_data(ty).result;
        Ok(Outcome::New(Instruction::Call(Box::new(call)), result))
    }

    fn called(&mut self, body: &mut Body) -> Result<Called> {
        match self.kind() {
            Kind::Global => {
                let key = name(self.text());
                self.bump();
                Ok(Called::Symbol(key))
            }
            Kind::Word if self.text() == "asm" => {
                self.bump();
                let mut assembly = InlineAssembly {
                    template: String::new(),
                    constraints: String::new(),
                    side_effects: false,
                    align_stack: false,
                };
                loop {
                    match self.text() {
                        "sideeffect" => assembly.side_effects = true,
                        "alignstack" => assembly.align_stack = true,
                        "inteldialect" | "unwind" => {}
                        _ => break,
                    }
                    self.bump();
                }
                assembly.template = self.assembly_text()?;
                self.expect(b',')?;
                assembly.constraints = self.assembly_text()?;
                Ok(Called::Assembly(Box::new(assembly)))
            }
            // A conversion of a function's address, in old texts between types of pointers.
            _ => {
                let value = self.value(body, Type::POINTER)?;
                if let Value::Constant(id) = value
                    && let crate::constant::Constant::Function(function) = self.context.constant(id)
                {
                    return Ok(Called::Symbol(self.module.symbols.functions[*function].name.clone()));
                }
                Ok(Called::Value(value))
            }
        }
    }

    fn assembly_text(&mut self) -> Result<String> {
        if self.kind() != Kind::Text {
            return Err(self.unexpected("a text"));
        }
        let text = String::from_utf8_lossy(&bytes(self.text())).into_owned();
        self.bump();
        Ok(text)
    }

    /// `["name"(values), …]`.
    fn bundles(&mut self, body: &mut Body) -> Result<()> {
        self.expect(b'[')?;
        while !self.is(b']') {
            self.assembly_text()?;
            self.expect(b'(')?;
            while !self.is(b')') {
                self.typed_value(body)?;
                if !self.another()? {
                    break;
                }
            }
            self.expect(b')')?;
            if !self.another()? {
                break;
            }
        }
        self.expect(b']')
    }

    /// The arguments in brackets with their attributes, and where an address stands of which the text does not say what it points to, if there is one.
    #[allow(clippy::type_complexity)]
    fn call_arguments(&mut self, body: &mut Body) -> Result<(Vec<Value>, Vec<ParameterAttributes>, Option<usize>)> {
        let (mut arguments, mut attributes) = (Vec::new(), Vec::new());
        let mut unknown = None;
        self.expect(b'(')?;
        while !self.is(b')') {
            if self.kind() == Kind::Ellipsis {
                // `musttail` calls of variadic functions hand all arguments on.
                self.bump();
                break;
            }
            let place = self.place();
            let parsed = self.parsed_type()?;
            self.points_to_stated = parsed.pointee.is_some();
            attributes.push(self.parameter_attributes(parsed.pointee)?);
            if parsed.ty.is_pointer() && !self.points_to_stated {
                unknown = Some(place);
            }
            let argument = if parsed.ty == Type::Metadata {
                self.metadata_argument(body)?
            } else {
                self.value(body, parsed.ty)?
            };
            arguments.push(argument);
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        Ok((arguments, attributes, unknown))
    }

    /// What follows `metadata` among the arguments of an intrinsic.
    fn metadata_argument(&mut self, body: &mut Body) -> Result<Value> {
        if self.kind() == Kind::Metadata {
            return Ok(Value::Constant(self.metadata_constant()?));
        }
        // A value of the function wrapped as metadata; as an argument it is the value itself.
        self.typed_value(body)
    }

    /// The type that a call calls, from the type that stands before the callee.
    fn called_type(
        &self,
        stated: Type,
        returned: Type,
        arguments: &[Value],
        body: &Body,
        place: usize,
    ) -> Result<FunctionType> {
        let types: Vec<Type> = arguments
            .iter()
            .map(|&argument| body.function.type_of(argument))
            .collect();
        let fits = |ty: FunctionType| {
            let data = self.context.function_data(ty);
            match data.variadic {
                true => types.starts_with(&data.parameters),
                false => types[..] == data.parameters[..],
            }
        };
        // An address of a function that stands there is the callee's type in old texts, and that of the result in all others.
        let whole = match stated {
            Type::Function(ty) if returned == stated || fits(ty) => Some(ty),
            _ => None,
        };
        let Some(ty) = whole else {
            if matches!(returned, Type::Label | Type::Metadata) {
                return Err(self.error_at(place, "no function gives a value of this type"));
            }
            return Ok(self.context.function_type(returned, &types, false));
        };
        if !fits(ty) {
            return Err(self.error_at(
                place,
                format!("the arguments are not those of {}", self.context.display_type(stated)),
            ));
        }
        Ok(ty)
    }
}

/// Puts attributes into a call where there are any.
pub(super) fn set_attributes(
    call: &mut Call,
    attributes: FunctionAttributes,
    arguments: Vec<ParameterAttributes>,
    result: ParameterAttributes,
) {
    if attributes != FunctionAttributes::default() {
        call.attributes = Some(Box::new(attributes));
    }
    if arguments.iter().any(|attributes| !attributes.is_empty()) {
        call.argument_attributes = arguments;
    }
    if !result.is_empty() {
        call.result_attributes = Some(Box::new(result));
    }
}
