//! Stores and reductions that go on while the thread does, memory of several devices, and requests for the work of clusters that have not started: `st.async`,
//! `red.async`, `st.bulk`, `multimem`, `clusterlaunchcontrol`. (Which instruction: observed, ptxas 13.0.88, sm_90 to sm_120.)

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, Operand},
    table::{Modifier as M, Opcode, Type, TypeKind},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Scope, Space, Strength, says, scope_of, size_text, space_of, unsigned},
    operand::first_type,
    steps::{A, B, Funnel, RIGHT, Words, logic, number, shift},
    variables::unsupported,
    words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value},
};

impl Lowering<'_> {
    /// What concerns memory elsewhere.
    pub(super) fn remote(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        let has_barrier = matches!(operands, [_, _, Operand::Address(_)]);
        Some(match variant.opcode {
            Opcode::StAsync | Opcode::RedAsync if has_barrier => self.store_remotely(variant, operands),
            Opcode::StAsync if matches!(operands, [_, _]) => self.store_after_all(variant, operands),
            Opcode::RedAsync if matches!(operands, [_, _]) => self.reduce_after_all(variant, operands),
            Opcode::StBulk => self.clear_range(variant, operands),
            Opcode::MultimemLdReduce => self.reduce_copies(variant, operands),
            Opcode::ClusterlaunchcontrolTryCancelAsync => self.ask_for_work(variant, operands),
            Opcode::ClusterlaunchcontrolQueryCancel => self.read_answer(variant, operands),
            _ => return None,
        })
    }

    /// An address in shared memory of the cluster as one word.
    pub(super) fn cluster_word(&mut self, variant: &Variant, address: &Address) -> Lowered<Source> {
        let (base, offset) = match space_of(variant)? {
            Space::Cluster => self.locate(Space::Cluster, address)?,
            Space::Shared => self.locate(Space::Shared, address)?,
            Space::Generic => self.generic_in_shared(address)?,
            Space::Global | Space::Local | Space::Constant | Space::Parameter => return unsupported("this space"),
        };
        self.word_sum(base, offset)
    }

    /// `st.async` and `red.async` with a barrier: the address and that of the barrier are a pair.
    fn store_remotely(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(to), value, Operand::Address(barrier)] = operands else {
            return Err(UNSUPPORTED);
        };
        let of = first_type(variant)?;
        let (to, barrier) = (self.cluster_word(variant, to)?, self.cluster_word(variant, barrier)?);
        let place = self.pair(to, barrier)?;
        let values = match value {
            Operand::Vector(range) => self.list(*range).to_vec(),
            value => vec![*value],
        };
        let data = self.packed(&values, of)?;
        let count = self.function.info(data).words;
        let request = match variant.opcode {
            Opcode::StAsync => Request::new(O::Stas).text(
                F::Size,
                match count {
                    1 => "",
                    2 => "64",
                    4 => "128",
                    _ => return unsupported("a vector of this length"),
                },
            ),
            _ => {
                let operation = reduction(variant).ok_or(UNSUPPORTED)?;
                let of = match of {
                    Type::S32 => "S32",
                    of if of.bits() == 64 => "64",
                    _ => "",
                };
                Request::new(O::Redas).text(F::Operation, operation).text(F::Type, of)
            }
        };
        self.emit(request.form("A64U_R").at(F::Ra, place).at(F::Rb, data))
    }

    /// `st.async` to global memory, without a barrier: seen after all that came before. (ptxas has an instruction for it, and waits for its end.)
    fn store_after_all(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let ([Operand::Address(to), value], Space::Global | Space::Generic) = (operands, space_of(variant)?) else {
            return Err(UNSUPPORTED);
        };
        let of = first_type(variant)?;
        let scope = scope_of(variant).unwrap_or(Scope::Gpu);
        let strength = match says(variant, "mmio") {
            true => Strength::Device,
            false => Strength::Strong(scope),
        };
        let data = self.in_register(Some(value), of)?;
        self.fence("ALL", scope)?;
        let store = self.access(Space::Global, to, false, strength)?;
        let bits = unsigned(of);
        self.emit(
            store
                .at(F::Rb, data)
                .text(F::Size, size_text(of.bits().div_ceil(8), bits)?),
        )
    }

    /// `red.async` in global memory, without a barrier.
    fn reduce_after_all(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        if !matches!(space_of(variant)?, Space::Global | Space::Generic) {
            return Err(UNSUPPORTED);
        }
        self.fence("ALL", scope_of(variant).unwrap_or(Scope::Gpu))?;
        self.atomic(variant, None, operands)
    }

    /// `st.bulk`: so many times 8 bytes become zero.
    fn clear_range(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(to), size, ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let to = self.cluster_word(variant, to)?;
        let count: Source = match size {
            Operand::Integer(size, _) => number((size >> 3) as u32),
            size => {
                let low = self.word(Some(size), Type::U64, 0)?;
                let high = self.word(Some(size), Type::U64, 1)?;
                let wide = Funnel {
                    kind: "U64",
                    high: false,
                    ..RIGHT
                };
                self.step(shift(low, number(3), high, wide))?.into()
            }
        };
        let one = |source: Source| std::iter::once(source).collect::<Words>();
        let operands = [(F::URa, one(to)), (F::URc, one(count))].into_iter().collect();
        let request = Request::new(O::Umemsets)
            .form("64.AU_S_UR")
            .text(F::ReservedRegister, "URZ");
        self.thread_by_thread(operands, request)
    }

    /// `multimem.ld_reduce`
    fn reduce_copies(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, Operand::Address(from)] = operands else {
            return Err(UNSUPPORTED);
        };
        let of = first_type(variant)?;
        let targets = self.elements(Some(to))?;
        let float = matches!(of.kind(), TypeKind::Float | TypeKind::Packed);
        let widens = (variant.has(M::AccF32) || variant.has(M::AccF16)) && variant.has(M::Add);
        let operation = match (widens, self.function.isa()) {
            (true, Isa::Sm90) => "F32ADD",
            (true, _) => "HPADD",
            (false, _) => reduction(variant).ok_or(UNSUPPORTED)?,
        };
        let (base, offset) = self.locate(Space::Global, from)?;
        let bits = of.bits() * targets.len() as u32;
        let data = self.temporary(bits.div_ceil(32).max(1) as u8);
        let request = Request::new(O::Ldgmc)
            .form(match float {
                true => "STRONG.SYS.R_A64U_f16x2rn",
                false => "STRONG.SYS.R_A64U_32",
            })
            .to(data)
            .at(F::Ra, base)
            .number(F::Offset, offset as u64 & 0xff_ffff)
            .text(F::Address64, "E")
            .text(F::Operation, operation)
            .text(F::Type, copies_type(of, targets.len())?);
        self.emit(request)?;
        if says(variant, "acquire") {
            self.invalidate(scope_of(variant).unwrap_or(Scope::Gpu))?;
        }
        self.scatter(&targets, of, data)
    }

    /// `clusterlaunchcontrol.try_cancel`
    fn ask_for_work(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(to), Operand::Address(barrier)] = operands else {
            return Err(UNSUPPORTED);
        };
        let words = [self.cluster_word(variant, to)?, self.cluster_word(variant, barrier)?]
            .into_iter()
            .collect();
        let request = Request::new(O::Ugetnextworkid).form("AU_AU").text(
            F::Delivery,
            match variant.has(M::MulticastClusterAll) {
                true => "BROADCAST",
                false => "SELFCAST",
            },
        );
        self.thread_by_thread(std::iter::once((F::URa, words)).collect(), request)
    }

    /// `clusterlaunchcontrol.query_cancel`: x is the first word of the answer, y and z the halves of the second, and bit 0 of the third says whether there is
    /// such a cluster.
    fn read_answer(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let answer = operands.get(1);
        if variant.has(M::IsCanceled) {
            let word = self.word(answer, Type::B128, 2)?;
            let bit = self.step(logic(word, number(1), Value::Zero, A & B))?;
            let p = self.destination(operands.first())?;
            return self.decide(p, Cmp::Ne, bit, Value::Zero, Combine::And, Test::ALWAYS);
        }
        let (low, high) = (self.word(answer, Type::B128, 0)?, self.word(answer, Type::B128, 1)?);
        let axis = match variant.slot("dimension") {
            Some(M::GetFirstCtaidX) => Some(0),
            Some(M::GetFirstCtaidY) => Some(1),
            Some(M::GetFirstCtaidZ) => Some(2),
            _ => None,
        };
        let targets: Vec<(Operand, usize)> = match (axis, operands.first()) {
            (Some(axis), Some(target)) => vec![(*target, axis)],
            (None, Some(Operand::Vector(range))) => self.list(*range).iter().copied().zip(0..3).collect(),
            _ => return Err(UNSUPPORTED),
        };
        for (target, axis) in targets.into_iter().filter(|(target, _)| *target != Operand::Sink) {
            let value: Source = match axis {
                0 => low,
                1 => self.step(logic(high, number(0xffff), Value::Zero, A & B))?.into(),
                _ => self.step(shift(Value::Zero, number(16), high, RIGHT))?.into(),
            };
            let to: Register = self.destination(Some(&target))?;
            for word in 0..words(Type::B32) {
                self.emit(Request::new(O::Mov).to(to.word(word)).from(value))?;
            }
        }
        Ok(())
    }
}

/// The operation of a reduction, as SASS writes it.
fn reduction(variant: &Variant) -> Option<&'static str> {
    let names = [
        ("add", "ADD"),
        ("min", "MIN"),
        ("max", "MAX"),
        ("inc", "INC"),
        ("dec", "DEC"),
        ("and", "AND"),
        ("or", "OR"),
        ("xor", "XOR"),
    ];
    names
        .iter()
        .find(|(name, _)| says(variant, name))
        .map(|(_, text)| *text)
}

/// The type of a reduction of all copies of elements.
fn copies_type(of: Type, count: usize) -> Lowered<&'static str> {
    Ok(match (of, count) {
        (Type::U32 | Type::B32, 1) => "32",
        (Type::S32, 1) => "S32",
        (Type::U64 | Type::B64, 1) => "64",
        (Type::S64, 1) => "S64",
        (Type::F32, 1) => "F32.RN",
        (Type::F32, 2) => "F32x2.RN",
        (Type::F32, 4) => "F32x4.RN",
        (Type::F64, 1) => "F64.RN",
        (Type::F16, 2) | (Type::F16x2, 1) => "F16x2.RN",
        (Type::F16, 4) | (Type::F16x2, 2) => "F16x4.RN",
        (Type::F16, 8) | (Type::F16x2, 4) => "F16x8.RN",
        (Type::Bf16, 2) | (Type::Bf16x2, 1) => "BF16x2.RN",
        (Type::Bf16, 4) | (Type::Bf16x2, 2) => "BF16x4.RN",
        (Type::Bf16, 8) | (Type::Bf16x2, 4) => "BF16x8.RN",
        (Type::E5m2, 4) | (Type::E5m2x2, 2) | (Type::E5m2x4, 1) => "E5M2x4.RN",
        (Type::E5m2, 8) | (Type::E5m2x2, 4) | (Type::E5m2x4, 2) => "E5M2x8.RN",
        (Type::E5m2x2, 8) | (Type::E5m2x4, 4) => "E5M2x16.RN",
        (Type::E4m3, 4) | (Type::E4m3x2, 2) | (Type::E4m3x4, 1) => "E4M3x4.RN",
        (Type::E4m3, 8) | (Type::E4m3x2, 4) | (Type::E4m3x4, 2) => "E4M3x8.RN",
        (Type::E4m3x2, 8) | (Type::E4m3x4, 4) => "E4M3x16.RN",
        _ => return unsupported("a vector of this length"),
    })
}
