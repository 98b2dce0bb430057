//! A generator of functions as a naive code generator writes them: every variable an alloca, structures copied by memory, helpers that take
//! references, loops and branches around it all. Programs are defined: divisors, shifts and indices are kept in range; loops end.

use warpsmith_base::Random;
use warpsmith_ir::{
    BinaryOp, BlockId, Builder, CastOp, Context, Declaration, FloatPredicate, FunctionId, Inlining, IntPredicate,
    Intrinsic, Linkage, LoopHints, Module, Type, Value,
};

/// Elements of the memory that the function gets.
pub(crate) const ELEMENTS: u64 = 16;

/// A module with a function `f(ptr, i32, i32) -> i32` and helpers.
pub(crate) fn module(seed: u64) -> (Module, FunctionId) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678);
    let mut module = Module::new("random.cu");
    let mut helpers = Vec::new();
    for index in 0..random.below_u32(4) {
        helpers.push(function(
            &mut module,
            &mut random,
            &format!("helper{index}"),
            true,
            &helpers.clone(),
        ));
    }
    let f = function(&mut module, &mut random, "f", false, &helpers);
    (module, f)
}

fn function(
    module: &mut Module,
    random: &mut Random,
    name: &str,
    is_helper: bool,
    helpers: &[FunctionId],
) -> FunctionId {
    let context = module.context().clone();
    let ty = context.function_type(Type::I32, &[Type::POINTER, Type::I32, Type::I32], false);
    let mut declaration = Declaration::new(&context, name, ty);
    if is_helper {
        declaration.linkage = Linkage::Internal;
        declaration.attributes.inlining = match random.below_u32(4) {
            0 => Inlining::Always,
            1 => Inlining::Never,
            _ => Inlining::Default,
        };
    }
    declaration.attributes.willreturn = true;
    let id = module.add_function(declaration);
    let mut body = module.new_body(id);
    let entry = body.append_block();
    let mut writer = Writer::new(Builder::at_end(&mut body, entry), random, module, helpers, is_helper);
    let length = if is_helper { 3 } else { 9 };
    writer.statements(length, if is_helper { 1 } else { 3 });
    writer.finish();
    module.set_body(body);
    id
}

struct Writer<'f, 'm> {
    build: Builder<'f>,
    random: &'m mut Random,
    module: &'m Module,
    helpers: &'m [FunctionId],
    memory: Value,
    ints: Vec<Value>,
    longs: Vec<Value>,
    floats: Vec<Value>,
    bytes: Vec<Value>,
    array: Value,
    structs: [Value; 2],
    structure: Type,
    array_type: Type,
    result: Value,
    exit: BlockId,
    /// Where `break` and `continue` go.
    around: Vec<(BlockId, BlockId)>,
    loops: u32,
    is_helper: bool,
}

impl<'f, 'm> Writer<'f, 'm> {
    fn new(
        mut build: Builder<'f>,
        random: &'m mut Random,
        module: &'m Module,
        helpers: &'m [FunctionId],
        is_helper: bool,
    ) -> Writer<'f, 'm> {
        let context = module.context().clone();
        let array_type = context.array(Type::I32, 8);
        let structure = context.structure(&[Type::I32, Type::I8, Type::Float, context.array(Type::I32, 3)], false);
        let memory = build.alloca(Type::POINTER);
        let ints: Vec<Value> = (0..5).map(|_| build.alloca(Type::I32)).collect();
        let longs: Vec<Value> = (0..2).map(|_| build.alloca(Type::I64)).collect();
        let floats: Vec<Value> = (0..2).map(|_| build.alloca(Type::Float)).collect();
        let bytes: Vec<Value> = (0..2).map(|_| build.alloca(Type::I8)).collect();
        let array = build.alloca(array_type);
        let structs = [build.alloca(structure), build.alloca(structure)];
        let result = build.alloca(Type::I32);
        let exit = build.create_block("exit");
        let mut writer = Writer {
            build,
            random,
            module,
            helpers,
            memory,
            ints,
            longs,
            floats,
            bytes,
            array,
            structs,
            structure,
            array_type,
            result,
            exit,
            around: Vec::new(),
            loops: 0,
            is_helper,
        };
        writer.initialise(&context);
        writer
    }

    fn initialise(&mut self, context: &Context) {
        self.build.store(Value::Argument(0), self.memory);
        for index in 0..self.ints.len() {
            let value = match index {
                0 => Value::Argument(1),
                1 => Value::Argument(2),
                _ => self.build.i32(index as i32 * 3 - 7),
            };
            self.build.store(value, self.ints[index]);
        }
        for index in 0..2 {
            let (long, float, byte) = (
                self.build.i64(index * 1000 - 5),
                self.build.float(Type::Float, 0x3fc0_0000 + index as u64 * 0x0080_0000),
                self.build.int(8, i128::from(index) * 100 + 1),
            );
            self.build.store(long, self.longs[index as usize]);
            self.build.store(float, self.floats[index as usize]);
            self.build.store(byte, self.bytes[index as usize]);
        }
        let zero = self.build.int(8, 0);
        for (place, ty) in [
            (self.array, self.array_type),
            (self.structs[0], self.structure),
            (self.structs[1], self.structure),
        ] {
            let size = self.build.i64(context.size(ty) as i64);
            let no = self.build.bool(false);
            self.build
                .intrinsic(Intrinsic::Memset, &[Type::POINTER, Type::I64], &[place, zero, size, no]);
        }
        let zero = self.build.i32(0);
        self.build.store(zero, self.result);
    }

    fn finish(mut self) {
        let value = self.int(2);
        self.build.store(value, self.result);
        self.build.branch(self.exit);
        self.build.function.place_block_last(self.exit);
        self.build.move_to_end(self.exit);
        // All variables matter.
        let mut sum = self.build.load(Type::I32, self.result);
        for place in self.ints.clone() {
            let value = self.build.load(Type::I32, place);
            let three = self.build.i32(3);
            sum = self.build.mul(sum, three);
            sum = self.build.xor(sum, value);
        }
        let long = self.build.load(Type::I64, self.longs[0]);
        let low = self.build.cast(CastOp::Trunc, long, Type::I32);
        sum = self.build.add(sum, low);
        let float = self.build.load(Type::Float, self.floats[0]);
        let bits = self.build.bitcast(float, Type::I32);
        sum = self.build.add(sum, bits);
        let byte = self.build.load(Type::I8, self.bytes[1]);
        let byte = self.build.cast(CastOp::SExt, byte, Type::I32);
        sum = self.build.add(sum, byte);
        self.build.ret(Some(sum));
    }

    fn pick(&mut self, list: &[Value]) -> Value {
        list[self.random.below_u32(list.len() as u32) as usize]
    }

    // Expressions.

    fn constant(&mut self) -> Value {
        const VALUES: [i32; 12] = [0, 1, -1, 2, 3, 7, 8, 31, 255, -128, i32::MAX, i32::MIN];
        let value = VALUES[self.random.below_u32(12) as usize];
        self.build.i32(value)
    }

    fn element(&mut self, limit: i32) -> Value {
        let index = self.int(1);
        let mask = self.build.i32(limit - 1);
        let index = self.build.and(index, mask);
        match self.random.below_u32(2) {
            0 => self.build.cast(CastOp::SExt, index, Type::I64),
            _ => self.build.cast(CastOp::ZExt, index, Type::I64),
        }
    }

    fn memory_place(&mut self) -> Value {
        let pointer = self.build.load(Type::POINTER, self.memory);
        // Helpers may get the array, which is shorter.
        let index = self.element(if self.is_helper { 8 } else { ELEMENTS as i32 });
        self.build.element_address(Type::I32, pointer, index)
    }

    fn array_place(&mut self) -> Value {
        let zero = self.build.i64(0);
        let index = match self.random.below_u32(2) {
            0 => self.element(8),
            _ => {
                let index = self.random.below_u32(8);
                self.build.i64(i64::from(index))
            }
        };
        self.build.gep(self.array_type, self.array, &[zero, index])
    }

    /// The address of an integer in a structure.
    fn field_place(&mut self) -> Value {
        let place = self.pick(&self.structs.clone());
        match self.random.below_u32(3) {
            0 => self.build.field_address(self.structure, place, 0),
            _ => {
                let zero = self.build.i64(0);
                let (field, index) = (self.build.i32(3), self.random.below_u32(3));
                let index = self.build.i64(i64::from(index));
                self.build.gep(self.structure, place, &[zero, field, index])
            }
        }
    }

    fn int_place(&mut self) -> Value {
        match self.random.below_u32(7) {
            0 => self.array_place(),
            1 => self.field_place(),
            2 => self.memory_place(),
            3 => {
                // One of two by a condition, as references are.
                let (a, b) = (self.pick(&self.ints.clone()), self.pick(&self.ints.clone()));
                let condition = self.condition(1);
                self.build.select(condition, a, b)
            }
            _ => self.pick(&self.ints.clone()),
        }
    }

    fn int(&mut self, depth: u32) -> Value {
        if depth == 0 || self.random.chance(20) {
            return match self.random.below_u32(3) {
                0 => self.constant(),
                _ => {
                    let place = self.pick(&self.ints.clone());
                    self.build.load(Type::I32, place)
                }
            };
        }
        match self.random.below_u32(16) {
            0..=6 => self.arithmetic(depth),
            7 => {
                let place = self.int_place();
                self.build.load(Type::I32, place)
            }
            8 => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                self.build.select(condition, a, b)
            }
            9 => {
                let condition = self.condition(depth - 1);
                self.build.cast(CastOp::ZExt, condition, Type::I32)
            }
            10 => {
                let long = self.long(depth - 1);
                self.build.cast(CastOp::Trunc, long, Type::I32)
            }
            11 => {
                let place = self.pick(&self.bytes.clone());
                let byte = self.build.load(Type::I8, place);
                let op = if self.random.chance(50) {
                    CastOp::SExt
                } else {
                    CastOp::ZExt
                };
                self.build.cast(op, byte, Type::I32)
            }
            12 => {
                let float = self.float(depth - 1);
                self.build.cast(CastOp::FPToSI, float, Type::I32)
            }
            13 => {
                const KINDS: [Intrinsic; 5] = [
                    Intrinsic::Smin,
                    Intrinsic::Smax,
                    Intrinsic::Umin,
                    Intrinsic::Umax,
                    Intrinsic::Ctpop,
                ];
                let kind = KINDS[self.random.below_u32(5) as usize];
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let arguments = if kind == Intrinsic::Ctpop { vec![a] } else { vec![a, b] };
                self.build.intrinsic(kind, &[Type::I32], &arguments)
            }
            14 if !self.helpers.is_empty() && self.loops < 2 => self.call(depth),
            _ => self.arithmetic(depth),
        }
    }

    fn call(&mut self, depth: u32) -> Value {
        let helper = self.helpers[self.random.below_u32(self.helpers.len() as u32) as usize];
        let place = if self.random.chance(50) {
            self.array
        } else {
            self.build.load(Type::POINTER, self.memory)
        };
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        // Helpers index as far as the array goes.
        self.build.call(&self.module.symbols, helper, &[place, a, b])
    }

    fn arithmetic(&mut self, depth: u32) -> Value {
        let (left, right) = (self.int(depth - 1), self.int(depth - 1));
        const OPS: [BinaryOp; 13] = [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::Shl,
            BinaryOp::LShr,
            BinaryOp::AShr,
            BinaryOp::UDiv,
            BinaryOp::SDiv,
            BinaryOp::URem,
            BinaryOp::SRem,
        ];
        let op = OPS[self.random.below_u32(13) as usize];
        let right = if op.is_shift() {
            let mask = self.build.i32(31);
            self.build.and(right, mask)
        } else if op.is_int_division() {
            // Neither 0 nor -1.
            let (mask, one) = (self.build.i32(15), self.build.i32(1));
            let small = self.build.and(right, mask);
            self.build.or(small, one)
        } else {
            right
        };
        self.build.binary(op, left, right)
    }

    fn long(&mut self, depth: u32) -> Value {
        match self.random.below_u32(4) {
            0 => {
                let value = self.int(depth.saturating_sub(1));
                self.build.cast(CastOp::SExt, value, Type::I64)
            }
            1 if depth > 0 => {
                let (a, b) = (self.long(depth - 1), self.long(depth - 1));
                const OPS: [BinaryOp; 5] = [
                    BinaryOp::Add,
                    BinaryOp::Mul,
                    BinaryOp::Xor,
                    BinaryOp::And,
                    BinaryOp::Sub,
                ];
                self.build.binary(OPS[self.random.below_u32(5) as usize], a, b)
            }
            _ => {
                let place = self.pick(&self.longs.clone());
                self.build.load(Type::I64, place)
            }
        }
    }

    fn float(&mut self, depth: u32) -> Value {
        match self.random.below_u32(5) {
            0 => {
                let value = self.int(depth.saturating_sub(1));
                self.build.cast(CastOp::SIToFP, value, Type::Float)
            }
            1 | 2 if depth > 0 => {
                let (a, b) = (self.float(depth - 1), self.float(depth - 1));
                const OPS: [BinaryOp; 3] = [BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul];
                self.build.binary(OPS[self.random.below_u32(3) as usize], a, b)
            }
            3 => {
                let place = self.pick(&self.structs.clone());
                let place = self.build.field_address(self.structure, place, 2);
                self.build.load(Type::Float, place)
            }
            _ => {
                let place = self.pick(&self.floats.clone());
                self.build.load(Type::Float, place)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Value {
        match self.random.below_u32(8) {
            0 if depth > 0 => {
                let (a, b) = (self.float(depth - 1), self.float(depth - 1));
                let predicate = FloatPredicate::ALL[1 + self.random.below_u32(14) as usize];
                self.build.fcmp(predicate, a, b)
            }
            1 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = if self.random.chance(50) {
                    BinaryOp::And
                } else {
                    BinaryOp::Or
                };
                self.build.binary(op, a, b)
            }
            2 if depth > 0 => {
                let a = self.condition(depth - 1);
                self.build.not(a)
            }
            _ => {
                let (a, b) = (self.int(depth.saturating_sub(1)), self.int(depth.saturating_sub(1)));
                let predicate = IntPredicate::ALL[self.random.below_u32(10) as usize];
                self.build.icmp(predicate, a, b)
            }
        }
    }

    // Statements.

    fn statements(&mut self, count: u32, depth: u32) {
        for _ in 0..=self.random.below_u32(count) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below_u32(20) {
            0..=4 => {
                let (place, value) = (self.int_place(), self.int(3));
                self.build.store(value, place);
            }
            5 => {
                let (place, value) = (self.pick(&self.longs.clone()), self.long(2));
                self.build.store(value, place);
            }
            6 => {
                let (place, value) = (self.pick(&self.floats.clone()), self.float(2));
                self.build.store(value, place);
            }
            7 => {
                let value = self.int(2);
                let value = self.build.cast(CastOp::Trunc, value, Type::I8);
                let place = match self.random.below_u32(2) {
                    0 => self.pick(&self.bytes.clone()),
                    _ => {
                        let place = self.pick(&self.structs.clone());
                        self.build.field_address(self.structure, place, 1)
                    }
                };
                self.build.store(value, place);
            }
            8 => self.copy(),
            9 => {
                let (place, value) = (self.pick(&self.structs.clone()), self.float(2));
                let place = self.build.field_address(self.structure, place, 2);
                self.build.store(value, place);
            }
            10..=12 if depth > 0 => self.branch(depth),
            13..=15 if depth > 0 && self.loops < 3 => self.count_loop(depth),
            16 if depth > 0 => self.switch(depth),
            17 if !self.around.is_empty() => self.leave_loop(),
            18 if !self.is_helper => self.leave(),
            _ => {
                let (place, value) = (self.pick(&self.ints.clone()), self.int(3));
                self.build.store(value, place);
            }
        }
    }

    /// A structure or the array as a whole.
    fn copy(&mut self) {
        let context = self.module.context().clone();
        let (from, to) = match self.random.below_u32(2) {
            0 => (self.structs[0], self.structs[1]),
            _ => (self.structs[1], self.structs[0]),
        };
        if self.random.chance(30) {
            let whole = self.build.load(self.structure, from);
            self.build.store(whole, to);
            return;
        }
        let size = self.build.i64(context.size(self.structure) as i64);
        let no = self.build.bool(false);
        let types = [Type::POINTER, Type::POINTER, Type::I64];
        self.build.intrinsic(Intrinsic::Memcpy, &types, &[to, from, size, no]);
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(2);
        let (then, join) = (self.build.append_block("then"), self.build.create_block("join"));
        let has_else = self.random.chance(50);
        let other = if has_else {
            self.build.append_block("else")
        } else {
            join
        };
        self.build.conditional_branch(condition, then, other);
        self.build.move_to_end(then);
        self.statements(3, depth - 1);
        self.build.branch(join);
        if has_else {
            self.build.move_to_end(other);
            self.statements(3, depth - 1);
            self.build.branch(join);
        }
        self.build.function.place_block_last(join);
        self.build.move_to_end(join);
    }

    fn count_loop(&mut self, depth: u32) {
        self.loops += 1;
        let counter = self.build.alloca_in_entry(Type::I32);
        let zero = self.build.i32(0);
        self.build.store(zero, counter);
        let bound = match self.random.below_u32(2) {
            0 => {
                let bound = self.random.below_u32(7);
                self.build.i32(bound as i32)
            }
            _ => {
                let (bound, mask) = (self.int(1), self.build.i32(7));
                self.build.and(bound, mask)
            }
        };
        let (head, body) = (self.build.append_block("for.cond"), self.build.append_block("for.body"));
        let (step, end) = (self.build.create_block("for.inc"), self.build.create_block("for.end"));
        self.build.branch(head);
        self.build.move_to_end(head);
        let value = self.build.load(Type::I32, counter);
        let goes_on = self.build.icmp(IntPredicate::Slt, value, bound);
        self.build.conditional_branch(goes_on, body, end);
        self.build.move_to_end(body);
        self.around.push((end, step));
        // The counter takes part in what the body computes.
        let (value, place) = (self.build.load(Type::I32, counter), self.array_place());
        self.build.store(value, place);
        let value = self.build.load(Type::I32, counter);
        let wide = self.build.cast(CastOp::SExt, value, Type::I64);
        let mask = self.build.i64(7);
        let index = self.build.and(wide, mask);
        let zero = self.build.i64(0);
        let place = self.build.gep(self.array_type, self.array, &[zero, index]);
        let old = self.build.load(Type::I32, place);
        let new = self.int(2);
        let sum = self.build.add(old, new);
        self.build.store(sum, place);
        self.statements(3, depth - 1);
        self.around.pop();
        self.build.branch(step);
        self.build.function.place_block_last(step);
        self.build.move_to_end(step);
        let value = self.build.load(Type::I32, counter);
        let one = self.build.i32(1);
        let next = self
            .build
            .binary_with(BinaryOp::Add, warpsmith_ir::Flags::NO_SIGNED_WRAP, value, one);
        self.build.store(next, counter);
        let back = self.build.branch(head);
        if self.random.chance(30) {
            let hints = match self.random.below_u32(3) {
                0 => LoopHints {
                    unroll_enable: true,
                    ..LoopHints::default()
                },
                1 => LoopHints {
                    unroll_count: Some(2 + self.random.below_u32(3)),
                    ..LoopHints::default()
                },
                _ => LoopHints {
                    unroll_disable: true,
                    ..LoopHints::default()
                },
            };
            self.build.set_loop_hints(back, hints);
        }
        self.build.function.place_block_last(end);
        self.build.move_to_end(end);
        self.loops -= 1;
    }

    fn switch(&mut self, depth: u32) {
        let (value, mask) = (self.int(2), self.build.i32(3));
        let value = self.build.and(value, mask);
        let join = self.build.create_block("sw.end");
        let count = 1 + self.random.below_u32(3);
        let blocks: Vec<BlockId> = (0..=count).map(|_| self.build.append_block("sw")).collect();
        let cases = (0..count)
            .map(|index| warpsmith_ir::Case {
                value: warpsmith_ir::Integer::new(32, u128::from(index)),
                target: blocks[index as usize],
            })
            .collect();
        self.build.switch(value, blocks[count as usize], cases);
        for (index, &block) in blocks.iter().enumerate() {
            self.build.move_to_end(block);
            self.statements(2, depth - 1);
            // Some fall through.
            let next = blocks
                .get(index + 1)
                .copied()
                .filter(|_| self.random.chance(25))
                .unwrap_or(join);
            self.build.branch(next);
        }
        self.build.function.place_block_last(join);
        self.build.move_to_end(join);
    }

    fn leave_loop(&mut self) {
        let Some(&(end, step)) = self.around.last() else { return };
        let condition = self.condition(1);
        let (leave, stay) = (self.build.append_block("leave"), self.build.append_block("stay"));
        self.build.conditional_branch(condition, leave, stay);
        self.build.move_to_end(leave);
        self.statements(2, 0);
        let to = if self.random.chance(50) { end } else { step };
        self.build.branch(to);
        self.build.move_to_end(stay);
    }

    fn leave(&mut self) {
        let condition = self.condition(1);
        let (leave, stay) = (self.build.append_block("return"), self.build.append_block("go.on"));
        self.build.conditional_branch(condition, leave, stay);
        self.build.move_to_end(leave);
        let value = self.int(2);
        self.build.store(value, self.result);
        self.build.branch(self.exit);
        self.build.move_to_end(stay);
    }
}

/// Allocas belong to the entry, wherever the builder is.
trait InEntry {
    fn alloca_in_entry(&mut self, ty: Type) -> Value;
}

impl InEntry for Builder<'_> {
    fn alloca_in_entry(&mut self, ty: Type) -> Value {
        let context = self.context().clone();
        let alloca = warpsmith_ir::Instruction::Alloca {
            ty,
            count: self.i32(1),
            align: context.alignment(ty),
        };
        match self.function.entry() {
            Some(entry) => Value::Instruction(self.function.prepend(entry, alloca, Type::POINTER)),
            None => self.alloca(ty),
        }
    }
}
