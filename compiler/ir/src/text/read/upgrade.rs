//! Calls of intrinsics, and of older forms of them.

use super::body::{Body, Outcome};
use super::call::set_attributes;
use super::{Reader, Result};
use crate::attributes::{FunctionAttributes, ParameterAttributes};
use crate::instruction::{Call, Callee, Flags, Instruction, Value};
use crate::intrinsic::Intrinsic;
use crate::opcode::CastOp;
use crate::types::{FunctionType, Type};

/// Intrinsics that say something to LLVM's optimiser only, and are dropped.
const DROPPED: &[&str] = &[
    "llvm.experimental.noalias.scope.decl",
    "llvm.pseudoprobe",
    "llvm.donothing",
    "llvm.codeview.annotation",
];

/// The shuffles and votes by the numbers that the NVVM IR specification gives them.
const SHUFFLES: [&str; 4] = [
    "llvm.nvvm.shfl.sync.idx.i32p",
    "llvm.nvvm.shfl.sync.up.i32p",
    "llvm.nvvm.shfl.sync.down.i32p",
    "llvm.nvvm.shfl.sync.bfly.i32p",
];
const VOTES: [&str; 4] = [
    "llvm.nvvm.vote.all.sync",
    "llvm.nvvm.vote.any.sync",
    "llvm.nvvm.vote.uni.sync",
    "llvm.nvvm.vote.ballot.sync",
];

impl Reader<'_> {
    /// A call of `@llvm.…`: of an intrinsic of the table, or kept as a call of a function of that name.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn intrinsic_call(
        &mut self,
        body: &mut Body,
        (key, place): (&str, usize),
        ty: FunctionType,
        mut arguments: Vec<Value>,
        mut argument_attributes: Vec<ParameterAttributes>,
        attributes: FunctionAttributes,
        flags: Flags,
    ) -> Result<Outcome> {
        if DROPPED.contains(&key) {
            return Ok(Outcome::Nothing);
        }
        if let Some(outcome) = self.intrinsic_of_nvvm(body, (key, place), &arguments)? {
            return Ok(outcome);
        }
        let data = self.context.function_data(ty);
        let result = data.result;
        if let (
            [argument],
            Some(
                Intrinsic::NvvmPtrGenToGlobal
                | Intrinsic::NvvmPtrGenToShared
                | Intrinsic::NvvmPtrGenToConstant
                | Intrinsic::NvvmPtrGenToLocal
                | Intrinsic::NvvmPtrGenToParam
                | Intrinsic::NvvmPtrGlobalToGen
                | Intrinsic::NvvmPtrSharedToGen
                | Intrinsic::NvvmPtrConstantToGen
                | Intrinsic::NvvmPtrLocalToGen
                | Intrinsic::NvvmPtrParamToGen,
            ),
        ) = (&arguments[..], find(key))
            && result.is_pointer()
            && body.function.type_of(*argument).is_pointer()
        {
            // What these have become from LLVM 20 on.
            let operand = *argument;
            if body.function.type_of(operand) == result {
                return Ok(Outcome::Same(operand));
            }
            return Ok(Outcome::New(
                Instruction::Cast {
                    op: CastOp::AddrSpaceCast,
                    flags: Flags::NONE,
                    operand,
                },
                result,
            ));
        }
        let callee = match find(key) {
            Some(intrinsic) => {
                self.upgrade(body, intrinsic, &mut arguments, &mut argument_attributes);
                let types: Vec<Type> = arguments
                    .iter()
                    .map(|&argument| body.function.type_of(argument))
                    .collect();
                let ty = self.context.function_type(result, &types, false);
                match intrinsic.infer_overloads(&self.context, ty) {
                    Ok(overloads) => Some((Callee::Intrinsic(intrinsic, overloads), ty)),
                    Err(error) => {
                        return Err(
                            self.error_at(place, format!("@{key} is called with other types: {}", error.reason))
                        );
                    }
                }
            }
            None => None,
        };
        let (callee, ty) = match callee {
            Some(callee) => callee,
            None => (Callee::Function(self.intrinsic_function(key, Some(ty))?), ty),
        };
        let known = matches!(callee, Callee::Intrinsic(..));
        let mut call = Call::new(callee, ty, arguments);
        call.flags = flags;
        // The table says what intrinsics do.
        let attributes = if known {
            FunctionAttributes::default()
        } else {
            attributes
        };
        set_attributes(
            &mut call,
            attributes,
            argument_attributes,
            ParameterAttributes::default(),
        );
        Ok(Outcome::New(Instruction::Call(Box::new(call)), result))
    }

    /// The intrinsics that the NVVM IR specification has in place of several of LLVM's: which of them is meant is a number among the arguments.
    fn intrinsic_of_nvvm(
        &self,
        body: &mut Body,
        (key, place): (&str, usize),
        arguments: &[Value],
    ) -> Result<Option<Outcome>> {
        let (names, has_mode) = match key {
            "llvm.nvvm.shfl.sync.i32" => (&SHUFFLES[..], true),
            "llvm.nvvm.vote.sync" => (&VOTES[..], true),
            "llvm.nvvm.match.all.sync.i32" => (&["llvm.nvvm.match.all.sync.i32p"][..], false),
            "llvm.nvvm.match.all.sync.i64" => (&["llvm.nvvm.match.all.sync.i64p"][..], false),
            _ => return Ok(None),
        };
        let mut arguments = arguments.to_vec();
        let mut mode = 0;
        if has_mode && arguments.len() > 1 {
            let number = arguments.remove(1).as_constant().and_then(|id| self.small(id));
            let number = number.and_then(|number| usize::try_from(number).ok());
            mode = number.unwrap_or(usize::MAX);
        }
        let Some(intrinsic) = names.get(mode).and_then(|name| Intrinsic::from_name(name)) else {
            return Err(self.error_at(
                place,
                format!("the mode of @{key} is a constant from 0 to {}", names.len() - 1),
            ));
        };
        let types: Vec<Type> = arguments.iter().map(|&value| body.function.type_of(value)).collect();
        let pair = self.context.structure(&[Type::I32, Type::BOOL], false);
        let part = match (key, mode) {
            ("llvm.nvvm.vote.sync", 3) => Some((0, Type::I32)),
            ("llvm.nvvm.vote.sync", _) => Some((1, Type::BOOL)),
            _ => None,
        };
        let result = part.map_or(pair, |(_, ty)| ty);
        let ty = self.context.function_type(result, &types, false);
        let overloads = intrinsic
            .infer_overloads(&self.context, ty)
            .map_err(|error| self.error_at(place, format!("@{key} is called with other types: {}", error.reason)))?;
        let call = Call::new(Callee::Intrinsic(intrinsic, overloads), ty, arguments);
        let call = Instruction::Call(Box::new(call));
        let Some((index, _)) = part else {
            return Ok(Some(Outcome::New(call, result)));
        };
        // The other part of the pair is not defined.
        let id = body.function.append(body.block, call, result);
        body.places.note_instruction(id, place);
        let insert = Instruction::InsertValue {
            aggregate: Value::Constant(self.context.poison(pair)),
            element: Value::Instruction(id),
            indices: std::iter::once(index).collect(),
        };
        Ok(Some(Outcome::New(insert, pair)))
    }

    /// Brings the arguments of older and newer forms to those of the table.
    fn upgrade(
        &self,
        body: &Body,
        intrinsic: Intrinsic,
        arguments: &mut Vec<Value>,
        attributes: &mut Vec<ParameterAttributes>,
    ) {
        let truth = |value| Value::Constant(self.context.bool(value));
        match (intrinsic, arguments.len()) {
            // Before LLVM 7 the alignment was an argument.
            (Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset, 5) => {
                let align = arguments[3]
                    .as_constant()
                    .and_then(|id| self.small(id))
                    .and_then(|align| u32::try_from(align).ok());
                arguments.remove(3);
                attributes.remove(3);
                let pointers = if intrinsic == Intrinsic::Memset { 1 } else { 2 };
                attributes
                    .iter_mut()
                    .take(pointers)
                    .for_each(|attributes| attributes.align = align.unwrap_or(0));
            }
            // From LLVM 22 on the size is that of the object.
            (Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd, 1) => {
                arguments.insert(0, Value::Constant(self.context.int(64, -1)));
                attributes.insert(0, ParameterAttributes::default());
            }
            (Intrinsic::Ctlz | Intrinsic::Cttz, 1) => {
                arguments.push(truth(false));
                attributes.push(ParameterAttributes::default());
            }
            (Intrinsic::Objectsize, 2 | 3) => {
                while arguments.len() < 4 {
                    arguments.push(truth(false));
                    attributes.push(ParameterAttributes::default());
                }
            }
            _ => {}
        }
        debug_assert!(
            arguments
                .iter()
                .all(|&argument| body.function.type_of(argument) != Type::Void)
        );
    }
}

/// The row of a full name: of the longest beginning that is a name of the table, if what follows are suffixes of overloads.
fn find(key: &str) -> Option<Intrinsic> {
    if let Some(intrinsic) = Intrinsic::from_name(key) {
        return Some(intrinsic);
    }
    let mut end = key.len();
    while let Some(dot) = key[..end].rfind('.') {
        if let Some(intrinsic) = Intrinsic::from_name(&key[..dot]) {
            return (intrinsic.overload_count() > 0).then_some(intrinsic);
        }
        end = dot;
    }
    None
}
