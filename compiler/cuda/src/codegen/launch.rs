//! Launches of kernels by device code. The device's run-time system gives a block for the parameters (`__nv_launch_block`) and takes it filled
//! (`__nv_launch`); both are functions of the device library.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{Callee, ExpressionId, ExpressionKind};

/// How the parameters of a block are aligned.
const BLOCK_ALIGNMENT: u32 = 16;

impl FunctionGenerator<'_, '_> {
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`.
    pub(super) fn launch(&mut self, call: ExpressionId, configuration: &[ExpressionId]) {
        let program = self.program;
        let ExpressionKind::Call {
            callee: Callee::Direct(kernel),
            arguments,
        } = &program.expression(call).kind
        else {
            return self.refuse("a launch of a kernel that is not named is not supported in device code");
        };
        let Some(ty) = program.types.as_function(program.function(*kernel).ty) else {
            return;
        };
        let (&[grid, block], rest) = match configuration {
            [grid, block, rest @ ..] => (&[*grid, *block], rest),
            _ => return self.refuse("a launch without a grid and a block is not supported in device code"),
        };
        let grid = self.extents(grid);
        let block = self.extents(block);
        let shared = match rest.first() {
            Some(&shared) => self.value(shared),
            None => self.build().i64(0),
        };
        let stream = match rest.get(1) {
            Some(&stream) => self.value(stream),
            None => self.build().zero(ir::Type::POINTER),
        };
        let mut places = Vec::new();
        let mut bytes = 0_u64;
        for (&argument, parameter) in arguments.iter().zip(&ty.parameters) {
            bytes = bytes.next_multiple_of(program.align_of(parameter.id).max(1));
            places.push((argument, bytes));
            bytes += program.size_of(parameter.id);
        }
        let kernel = self.generator.function_address(*kernel).into();
        let bytes = self.build().i64(bytes as i64);
        let (pointer, long) = (ir::Type::POINTER, ir::Type::I64);
        let takes = [pointer, pointer, pointer, long, pointer, long];
        let function = self.generator.library_function("__nv_launch_block", pointer, &takes);
        let parameters = self.call_library(function, &[kernel, grid, block, shared, stream, bytes]);
        for (argument, offset) in places {
            let place = self.offset(Place::new(parameters, BLOCK_ALIGNMENT), offset);
            self.initialise(argument, place);
        }
        let function = self
            .generator
            .library_function("__nv_launch", ir::Type::Void, &[pointer]);
        self.call_library(function, &[parameters]);
    }

    /// The address of a `dim3`.
    fn extents(&mut self, value: ExpressionId) -> ir::Value {
        let place = self.allocate(self.program.type_of(value).id, "extents");
        self.initialise(value, place);
        place.pointer
    }
}
