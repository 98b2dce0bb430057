//! Uniform registers: values that are the same in all threads of a warp, computed once for the warp by the uniform datapath.
//!
//! A value moves if what computes it has a uniform counterpart whose operands have moved too or are constants, and if each of its readers takes a uniform
//! register in its place. What operands of the uniform datapath are computed from (descriptors of tensor products and of bulk copies), variables of loops
//! and the predicates that choose between values among it, moves even where other readers then need a copy in a general register. A uniform register is the
//! warp's: it is written only where all other threads of the warp wait ([`super::contended`]), what has several definitions only where all are together.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_base::fault;
use warpsmith_sass::{Access, FieldName, Flow, Opcode, RegisterClass};
use warpsmith_target::Isa;

use super::{
    contended::Places,
    shape::Shape,
    together, uniform_copies, uniform_descriptors, uniform_hoist, uniform_pressure,
    varying::{Varying, special},
};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
    optimise::mirrored,
    phase::Context,
    select::{Request, Source, Test, Value},
};

/// How often copies between uniform registers are looked for again where some have gone.
const ROUNDS: usize = 3;

/// Whether values of a function may move to uniform registers: those of kernels, on generations on which ptxas does so (observed, ptxas 13.0.88: from sm_90 on).
pub(crate) fn may_move(function: &Function) -> bool {
    let old = matches!(function.isa(), Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89);
    !old && function.kernel
}

/// Moves values to uniform registers.
pub(crate) fn uniform_registers(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !may_move(function) {
        return Ok(());
    }
    // Halves of wide registers move one by one.
    let code = function.blocks.iter().flat_map(|block| &block.code);
    if code
        .into_iter()
        .any(|instruction| instruction.base.opcode() == Opcode::R2ur)
    {
        crate::optimise::split_words(function, context)?;
    }
    let free = uniform_hoist::free(function);
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    let order: Vec<usize> = (0..shape.nodes.len()).collect();
    let flow = shape.flow();
    if !flow.irreducible {
        let Places {
            varying,
            apart,
            areas,
            together,
        } = Places::of(function, &shape, &flow);
        let contended: Vec<bool> = areas.iter().map(|area| *area != 0).collect();
        together::settle(&mut shape, function, &flow, (&varying, &together), context);
        Mover {
            function,
            context,
            twins: FxHashMap::default(),
            definitions: FxHashMap::default(),
            wanted: FxHashSet::default(),
            copied: FxHashSet::default(),
            brought: FxHashSet::default(),
            bringable: FxHashSet::default(),
            carries: FxHashSet::default(),
        }
        .run(&mut shape, &flow, &varying, (&apart, &contended))?;
        for _ in 0..ROUNDS {
            if !uniform_copies::settle(&mut shape, function, &flow, context) {
                break;
            }
        }
        uniform_copies::repeat(&mut shape, function, &flow, context);
        uniform_descriptors::settle(&mut shape, function, &flow.order, context);
        uniform_hoist::settle(&mut shape, function, &flow, (&varying, &together), free, context);
        for &node in &flow.order {
            for instruction in &mut shape.nodes[node].code {
                instruction.marks.together = !contended[node];
                instruction.marks.area = areas[node];
            }
        }
    }
    shape.write(function, &order);
    Ok(())
}

struct Mover<'a> {
    function: &'a mut Function,
    context: &'a Context<'a>,
    /// The uniform register of each register that moves.
    twins: FxHashMap<Register, Register>,
    /// Where each of them is written.
    definitions: FxHashMap<Register, SmallVec<[Place; 1]>>,
    /// Those from which operands of the uniform datapath are computed: to keep them there is worth a copy.
    wanted: FxHashSet<Register>,
    /// Those that readers without a form for a uniform register read from a copy.
    copied: FxHashSet<Register>,
    /// Those that stay where they are computed, and are brought to the uniform registers for others to be computed from.
    brought: FxHashSet<Register>,
    /// Those that could be brought.
    bringable: FxHashSet<Register>,
    /// Carries of sums: they go where the sums go, and are copied nowhere.
    carries: FxHashSet<Register>,
}

/// A node and the index of an instruction in it.
type Place = (usize, usize);

/// Uniform predicates that values may take at a time. The machine has seven; votes and sums that are made there anyway take the rest.
const MOST_PREDICATES: usize = 3;

impl Mover<'_> {
    fn run(
        &mut self,
        shape: &mut Shape,
        flow: &ControlFlow,
        varying: &Varying,
        places: (&[bool], &[bool]),
    ) -> Result<(), String> {
        let order = &flow.order[..];
        self.find_candidates(shape, order, varying, places);
        self.find_wanted(shape);
        self.forget_unwanted(shape);
        self.take_fuel();
        let mut places: Vec<Place> = Vec::new();
        for &node in order {
            for (index, instruction) in shape.nodes[node].code.iter().enumerate() {
                if instruction
                    .touches()
                    .any(|touch| self.twins.contains_key(&touch.register))
                {
                    places.push((node, index));
                }
            }
            for touch in shape.nodes[node].branch().into_iter().flat_map(Instruction::touches) {
                self.twins.remove(&touch.register);
            }
        }
        loop {
            self.settle(shape, &places);
            // Where too many are live at a time, some stay, and with them what cannot go without them.
            let mut stays = Vec::new();
            for (class, most) in [
                (
                    RegisterClass::Gpr,
                    (uniform_pressure::most(self.function), uniform_pressure::MOST_AT_CALLS),
                ),
                (RegisterClass::Predicate, (MOST_PREDICATES, 0)),
            ] {
                let moved = self.twins.keys().copied();
                let moved = moved.filter(|register| self.function.info(*register).class == class);
                stays.extend(uniform_pressure::excess(shape, flow, moved, most));
            }
            stays.iter().for_each(|register| {
                self.twins.remove(register);
            });
            // What is wanted may be less by now.
            // What is not wanted is copied no more either, which its readers may not take.
            let counts = (self.twins.len(), self.copied.len());
            self.find_wanted(shape);
            self.forget_unwanted(shape);
            if stays.is_empty() && (self.twins.len(), self.copied.len()) == counts {
                break;
            }
        }
        self.write(shape, &places)
    }

    /// The registers that may move: each of their definitions has a uniform counterpart, and stands where the threads of a warp are together.
    /// Of the nodes is said whether threads of the warp may run them at different times, and whether others may run others at the same time.
    fn find_candidates(
        &mut self,
        shape: &Shape,
        order: &[usize],
        varying: &Varying,
        (apart, contended): (&[bool], &[bool]),
    ) {
        let mut writes: FxHashMap<Register, usize> = FxHashMap::default();
        for instruction in shape.nodes.iter().flat_map(|node| &node.code) {
            for register in written(instruction) {
                *writes.entry(register).or_default() += 1;
            }
        }
        // Without operands that are brought to uniform registers nothing is wanted there.
        let code = shape.nodes.iter().flat_map(|node| &node.code);
        let any_wanted = code
            .into_iter()
            .any(|instruction| instruction.base.opcode() == Opcode::R2ur);
        let mut found: FxHashMap<Register, SmallVec<[Place; 1]>> = FxHashMap::default();
        for &node in order.iter().filter(|node| !contended[**node]) {
            for (index, instruction) in shape.nodes[node].code.iter().enumerate() {
                if !any_wanted && !is_plain_value(instruction.base.opcode()) {
                    continue;
                }
                let movable = self.movable(instruction);
                let bringable = self.single(instruction).filter(|_| any_wanted && !apart[node]);
                for register in movable
                    .iter()
                    .copied()
                    .filter(|register| !varying.differs(*register, 0, 1))
                {
                    found.entry(register).or_default().push((node, index));
                }
                if let Some(register) = bringable.filter(|register| !varying.differs(*register, 0, 1)) {
                    self.bringable.insert(register);
                    if movable.is_empty() {
                        found.entry(register).or_default().push((node, index));
                        self.brought.insert(register);
                    }
                }
            }
        }
        found.retain(|register, places| {
            let is_value = places.len() == 1 && self.function.info(*register).class == RegisterClass::Gpr;
            let together = is_value || places.iter().all(|(node, _)| !apart[*node]);
            together && writes.get(register) == Some(&places.len())
        });
        let is_one = |register: &Register| found.get(register).is_some_and(|places| places.len() == 1);
        let variable = |register: &Register| self.brought.contains(register) && !is_one(register);
        let variables: Vec<Register> = found.keys().copied().filter(variable).collect();
        variables.iter().for_each(|register| {
            found.remove(register);
        });
        self.brought.retain(|register| found.contains_key(register));
        self.bringable
            .retain(|register| found.get(register).is_some_and(|places| places.len() == 1));
        self.copied.extend(&self.brought);
        let mut registers: Vec<Register> = found.keys().copied().collect();
        registers.sort_unstable();
        let is_sum = |(node, index): &Place| shape.nodes[*node].code[*index].base.opcode() == Opcode::Iadd3;
        let is_carry = |register: &Register| self.function.info(*register).class == RegisterClass::Predicate;
        let carries = found
            .iter()
            .filter(|(register, places)| is_carry(register) && places.iter().any(is_sum));
        self.carries = carries.map(|(register, _)| *register).collect();
        for register in registers {
            let class = match self.function.info(register).class {
                RegisterClass::Predicate => RegisterClass::UniformPredicate,
                _ => RegisterClass::UniformGpr,
            };
            let twin = self.function.register(class, 1);
            self.twins.insert(register, twin);
        }
        self.definitions = found;
    }

    /// Finds what operands of the uniform datapath are computed from.
    fn find_wanted(&mut self, shape: &Shape) {
        self.wanted.clear();
        let mut work: Vec<Register> = Vec::new();
        for instruction in shape.nodes.iter().flat_map(|node| &node.code) {
            if instruction.base.opcode() == Opcode::R2ur {
                work.extend(read(instruction));
            }
        }
        // What is brought there is so for what is computed from it: a reader alone does as well itself.
        work.retain(|register| !self.brought.contains(register));
        while let Some(register) = work.pop() {
            if !self.twins.contains_key(&register) || !self.wanted.insert(register) || self.brought.contains(&register)
            {
                continue;
            }
            for &(node, index) in self.definitions.get(&register).into_iter().flatten() {
                work.extend(read(&shape.nodes[node].code[index]));
            }
        }
    }

    /// Variables, predicates and constants move only for those.
    fn forget_unwanted(&mut self, shape: &Shape) {
        let (definitions, wanted, brought) = (&self.definitions, &self.wanted, &self.brought);
        self.twins.retain(|register, _| {
            let simple = match definitions.get(register).map(|places| &places[..]) {
                Some(&[(node, index)]) => {
                    let instruction = &shape.nodes[node].code[index];
                    // Where the predicate is there anyway, the choice by it needs no copy of it.
                    let chooses = instruction.base.opcode() == Opcode::Sel;
                    is_plain_value(instruction.base.opcode())
                        || chooses && read(instruction).any(|predicate| wanted.contains(&predicate))
                }
                _ => false,
            };
            simple && !brought.contains(register) || wanted.contains(register)
        });
        self.copied.retain(|register| wanted.contains(register));
    }

    /// With too little fuel some stay.
    fn take_fuel(&mut self) {
        let mut registers: Vec<Register> = self.twins.keys().copied().collect();
        registers.sort_unstable();
        for register in registers {
            if !self.context.fuel.take() {
                self.twins.remove(&register);
            }
        }
    }

    /// What cannot be written with its operands moved keeps them where they were, until all can.
    fn settle(&mut self, shape: &Shape, places: &[Place]) {
        let mut changed = true;
        while changed && !self.twins.is_empty() {
            changed = false;
            for &(node, index) in places {
                let instruction = &shape.nodes[node].code[index];
                if self.moved(instruction).is_none() {
                    changed |= self.keep_one(shape, instruction);
                }
            }
        }
    }

    /// Of the registers of an instruction one stays where it is, or is copied there for it.
    fn keep_one(&mut self, shape: &Shape, instruction: &Instruction) -> bool {
        // A result first: then the operands may be fine.
        let result = written(instruction).find(|register| self.result(*register).is_some());
        if let Some(result) = result {
            if self.wanted.contains(&result) && self.bringable.contains(&result) {
                self.copied.insert(result);
                return self.brought.insert(result);
            }
            return self.twins.remove(&result).is_some();
        }
        let moves = |register: &Register| self.twins.contains_key(register) && !self.copied.contains(register);
        let mut touched: SmallVec<[Register; 4]> = instruction
            .touches()
            .map(|touch| touch.register)
            .filter(moves)
            .collect();
        if uniform_address(instruction).is_some() {
            // Of what an access reads, the address alone may be there.
            let base = instruction
                .operands
                .iter()
                .find(|operand| operand.field == FieldName::Ra);
            touched.sort_by_key(|register| base.is_some_and(|base| base.register == *register));
        }
        let free = || {
            touched
                .iter()
                .copied()
                .filter(|register| !self.wanted.contains(register))
        };
        // Of two uniform operands one stays, rather not the one that is loaded: a load to a general register costs the same.
        let is_load = |register: &Register| {
            let places = self.definitions.get(register).map(|places| &places[..]);
            matches!(places, Some(&[(node, index)]) if shape.nodes[node].code[index].base.opcode() == Opcode::Ldc)
        };
        if let Some(victim) = free().find(is_load).or(free().next()) {
            return self.twins.remove(&victim).is_some();
        }
        if let Some(carry) = touched.iter().find(|register| self.carries.contains(register)) {
            return self.twins.remove(carry).is_some();
        }
        match touched.first() {
            Some(victim) if self.copy(*victim).is_some() => self.copied.insert(*victim),
            Some(victim) => self.twins.remove(victim).is_some(),
            None => false,
        }
    }

    /// Writes what moves.
    fn write(&self, shape: &mut Shape, places: &[Place]) -> Result<(), String> {
        let mut at = 0;
        while at < places.len() {
            let node = places[at].0;
            let end = at + places[at..].iter().take_while(|place| place.0 == node).count();
            let old = std::mem::take(&mut shape.nodes[node].code);
            let mut touched = places[at..end].iter().map(|place| place.1).peekable();
            let mut code = Vec::with_capacity(old.len());
            for (index, instruction) in old.into_iter().enumerate() {
                if touched.next_if_eq(&index).is_none() {
                    code.push(instruction);
                    continue;
                }
                let copied = written(&instruction).filter(|register| self.copied.contains(register));
                let copies: SmallVec<[Instruction; 1]> = copied.filter_map(|register| self.copy(register)).collect();
                let place = instruction.place;
                let moved = self.moved(&instruction);
                code.push(
                    moved.ok_or_else(|| {
                        fault::internal(format_args!("{} reads registers that moved", instruction.base))
                    })?,
                );
                code.extend(copies.into_iter().map(|copy| Instruction { place, ..copy }));
            }
            shape.nodes[node].code = code;
            at = end;
        }
        Ok(())
    }

    /// The uniform register that a value is computed in.
    fn result(&self, register: Register) -> Option<Register> {
        let twin = self.twins.get(&register).copied();
        twin.filter(|_| !self.brought.contains(&register))
    }

    /// The instruction that copies a moved register to where it was, or one that is brought to the uniform register.
    fn copy(&self, register: Register) -> Option<Instruction> {
        let twin = *self.twins.get(&register)?;
        if self.brought.contains(&register) {
            let request = Request::new(Opcode::R2ur)
                .form("UR_R")
                .to(twin)
                .at(FieldName::Ra, register);
            return self.context.selector.build(self.function, &request);
        }
        let request = match self.function.info(register).class {
            RegisterClass::Predicate => Request::new(Opcode::Plop3)
                .form("LUT.P_P_P_P_UP_I_I")
                .sets(FieldName::Pu, register)
                .when(FieldName::Pp, Test::ALWAYS)
                .when(FieldName::Pq, Test::ALWAYS)
                .when(FieldName::UPr, twin)
                .number(FieldName::Imm, 0x80)
                .number(FieldName::Imm2, 8),
            _ => Request::new(Opcode::Mov).to(register).from(twin),
        };
        self.context.selector.build(self.function, &request)
    }

    /// The register that an instruction gives and that may be brought to a uniform one.
    fn single(&self, instruction: &Instruction) -> Option<Register> {
        let mut results = instruction.touches().filter(|touch| touch.access != Access::Read);
        let result = results.next().filter(|_| results.next().is_none())?;
        let info = self.function.info(result.register);
        let fits = info.class == RegisterClass::Gpr && info.words == 1 && info.fixed.is_none();
        let plain = instruction.guard.is_none() && instruction.effects.is_none() && result.access == Access::Write;
        (fits && plain).then_some(result.register)
    }

    /// The registers that an instruction gives and that may move: a value or a predicate, or a sum and its carry.
    fn movable(&self, instruction: &Instruction) -> SmallVec<[Register; 2]> {
        let opcode = instruction.base.opcode();
        let plain = instruction.guard.is_none() && instruction.reference.is_none();
        if !plain || counterpart(opcode, self.function.isa()).is_none() {
            return SmallVec::new();
        }
        let results: SmallVec<[Register; 2]> = written(instruction).collect();
        let are = |classes: &[RegisterClass]| {
            let fits = |(register, class): (&Register, &RegisterClass)| {
                let info = self.function.info(*register);
                info.class == *class && info.words == 1 && info.fixed.is_none()
            };
            results.len() == classes.len() && results.iter().zip(classes).all(fits)
        };
        use RegisterClass::{Gpr, Predicate};
        let fit = match opcode {
            Opcode::Isetp => are(&[Predicate]),
            Opcode::Iadd3 => are(&[Gpr]) || are(&[Gpr, Predicate]) || are(&[Predicate, Gpr]),
            _ => are(&[Gpr]),
        };
        if fit { results } else { SmallVec::new() }
    }

    /// The instruction with its moved registers; itself where it has none. `None`: there is no such instruction.
    fn moved(&self, instruction: &Instruction) -> Option<Instruction> {
        let twin = |register: Register| self.twins.get(&register).copied();
        if instruction.touches().all(|touch| twin(touch.register).is_none()) {
            return Some(instruction.clone());
        }
        let selector = self.context.selector;
        if let Some(result) = written(instruction).find_map(|register| self.result(register)) {
            return self.computed(instruction, result);
        }
        // A value that is the same in all threads needs no thread to give it.
        if instruction.base.opcode() == Opcode::R2ur {
            let operand = |field: FieldName| instruction.operands.iter().find(|operand| operand.field == field);
            let plain = instruction.base.form().name == "UR_R" && instruction.operands.len() == 2;
            if let (true, None, Some(to), Some(from)) = (
                plain,
                instruction.guard,
                operand(FieldName::URd),
                operand(FieldName::Ra),
            ) {
                let request = Request::new(Opcode::Umov).form("UR_UR");
                let request = request.to(to.register.word(to.word));
                let request = match twin(from.register) {
                    Some(twin) => request.at(FieldName::URb, twin),
                    None => return Some(instruction.clone()),
                };
                return selector.replacement(self.function, instruction, &request);
            }
        }
        // Other instructions take one uniform register, and read the copies of the rest.
        let moves = |register: Register| twin(register).filter(|_| !self.copied.contains(&register));
        if instruction.touches().all(|touch| moves(touch.register).is_none()) {
            return Some(instruction.clone());
        }
        if let Some((form, field)) = uniform_address(instruction) {
            return self.addressed(instruction, form, field, moves);
        }
        let is_guarded = instruction.guard.is_some_and(|guard| moves(guard.register).is_some());
        let has_effects = !instruction.base.memory().is_empty() || instruction.base.flow() != Flow::None;
        if is_guarded || has_effects {
            return None;
        }
        let mut request = Request::of(instruction)?;
        if request
            .tests()
            .iter()
            .filter_map(|(_, test)| test.register)
            .any(|register| moves(register).is_some())
        {
            return None;
        }
        let mut moved = 0;
        for source in request.sources_mut() {
            if let Value::Register(word) = source.value
                && let Some(register) = moves(word.register)
            {
                source.value = register.into();
                moved += 1;
            }
        }
        if moved != 1 {
            return None;
        }
        selector.replacement(self.function, instruction, &request).or_else(|| {
            let sources = request.sources().to_vec();
            orders(instruction.base.opcode(), &sources).iter().find_map(|order| {
                let turned: Option<Vec<_>> = order.iter().map(|index| sources.get(*index).copied()).collect();
                let request = request.clone().with_sources(&turned?);
                selector.replacement(self.function, instruction, &request)
            })
        })
    }

    /// An access to shared memory at an address in a uniform register; all else that it reads stays in general ones.
    fn addressed(
        &self,
        instruction: &Instruction,
        form: &'static str,
        field: FieldName,
        moves: impl Fn(Register) -> Option<Register>,
    ) -> Option<Instruction> {
        let guard = instruction.guard.map(|guard| guard.register);
        let mut others = instruction
            .operands
            .iter()
            .filter(|operand| operand.field != FieldName::Ra);
        if guard.is_some_and(|guard| moves(guard).is_some()) || others.any(|other| moves(other.register).is_some()) {
            return None;
        }
        let base = instruction
            .operands
            .iter()
            .find(|operand| operand.field == FieldName::Ra)?;
        let request = Request::of(instruction)?
            .form(form)
            .moved(FieldName::Ra, field, moves(base.register)?);
        self.context.selector.replacement(self.function, instruction, &request)
    }

    /// The instruction of the uniform datapath that computes the same, of operands that are there.
    fn computed(&self, instruction: &Instruction, result: Register) -> Option<Instruction> {
        let selector = self.context.selector;
        let opcode = counterpart(instruction.base.opcode(), self.function.isa())?;
        match instruction.base.opcode() {
            Opcode::S2r => {
                let request = Request::new(opcode).form("UR_S").to(result);
                let request = request.text(FieldName::SpecialRegister, special(instruction)?);
                return selector.replacement(self.function, instruction, &request);
            }
            Opcode::Ldc => {
                if instruction.base.form().name != "R_C" || instruction.operands.len() != 1 {
                    return None;
                }
                let size = crate::select::printed(&instruction.base, FieldName::Size);
                let request = Request::new(opcode)
                    .form("UR_C")
                    .to(result)
                    .number(FieldName::Bank, instruction.base.field(FieldName::Bank)?)
                    .number(FieldName::Offset, instruction.base.field(FieldName::Offset)?);
                return (size.is_empty() && same_scale(instruction, opcode))
                    .then(|| selector.replacement(self.function, instruction, &request))?;
            }
            _ => {}
        }
        if !instruction.base.memory().is_empty() || instruction.base.flow() != Flow::None {
            return None;
        }
        let mut request = Request::of(instruction)?;
        for source in request.sources_mut() {
            if let Value::Register(word) = source.value {
                // The uniform datapath reads no general registers.
                source.value = (*self.twins.get(&word.register)?).into();
            }
        }
        // Halves of products: not these.
        let whole = matches!(request.literals(), "" | "LUT");
        if !whole
            && !matches!(
                (instruction.base.opcode(), request.literals()),
                (Opcode::Lea, "HI") | (Opcode::Iadd3, "X")
            )
        {
            return None;
        }
        let mut test = request.test(FieldName::Pp).unwrap_or(Test::ALWAYS);
        if let Some(register) = test.register {
            test.register = Some(*self.twins.get(&register)?);
        }
        let made = |request: &Request| selector.replacement(self.function, instruction, request);
        match instruction.base.opcode() {
            Opcode::Mov => {
                let [source] = *request.sources() else { return None };
                let whole = instruction
                    .base
                    .field(FieldName::LaneMask)
                    .is_none_or(|mask| mask == 0xf);
                let request = Request::new(opcode).to(result).from(source);
                whole.then(|| made(&request))?
            }
            Opcode::Sel => {
                let [a, b] = *request.sources() else { return None };
                let choice = |a, b, test: Test| {
                    Request::new(opcode)
                        .to(result)
                        .from(a)
                        .from(b)
                        .when(FieldName::UPp, test)
                };
                made(&choice(a, b, test)).or_else(|| made(&choice(b, a, test.opposite())))
            }
            Opcode::Isetp => {
                let simple = matches!(request.written_predicates(), [(FieldName::Pu, _)])
                    && !request.has_flag(FieldName::Extended)
                    && request.says(FieldName::Type).is_empty();
                let [a, b] = *request.sources() else { return None };
                if !simple || a.negated || b.negated {
                    return None;
                }
                let compared = |a, b, cmp| {
                    let request = request.clone().uniform(opcode).text(FieldName::Cmp, cmp);
                    let request = request.sets_only(FieldName::UPu, result).when(FieldName::UPp, test);
                    made(&request.with_sources(&[a, b]))
                };
                let cmp = request.says(FieldName::Cmp);
                compared(a, b, cmp).or_else(|| compared(b, a, mirrored(cmp)?))
            }
            Opcode::Iadd3 => self.sum(instruction, &request, test),
            _ => {
                let reads = request.tests().iter().any(|(_, test)| test.register.is_some());
                if !request.written_predicates().is_empty() || reads {
                    return None;
                }
                made(&request.uniform(opcode).to(result))
            }
        }
    }

    /// A sum of operands that are there, with the carry that it gives and the one that it goes on from.
    fn sum(&self, instruction: &Instruction, request: &Request, carry: Test) -> Option<Instruction> {
        let mut sum = request.clone().uniform(Opcode::Uiadd3).sets_none();
        sum = match *request.written_predicates() {
            [] => sum,
            [(FieldName::Pu, carry)] => sum.sets(FieldName::UPu, *self.twins.get(&carry)?),
            _ => return None,
        };
        sum = sum.to(*self.twins.get(&request.destination()?.register)?);
        if request.literals() == "X" {
            let second = request.test(FieldName::Pq).unwrap_or(Test::NEVER);
            if second.register.is_some() {
                return None;
            }
            sum = sum.when(FieldName::UPp, carry).when(FieldName::UPq, second);
        } else if request.tests().iter().any(|(_, test)| test.register.is_some()) {
            return None;
        }
        self.context.selector.replacement(self.function, instruction, &sum)
    }
}

/// Whether single values that such an instruction makes move whenever all that reads them takes a uniform register.
fn is_plain_value(opcode: Opcode) -> bool {
    !matches!(opcode, Opcode::Mov | Opcode::Sel | Opcode::Isetp | Opcode::Sgxt)
}

/// The form of an access to shared memory whose address may be in a uniform register as well, and the field of that.
fn uniform_address(instruction: &Instruction) -> Option<(&'static str, FieldName)> {
    let base = &instruction.base;
    let free = instruction
        .operands
        .iter()
        .all(|operand| operand.field != FieldName::URc && operand.field != FieldName::URb);
    let scaled = base.field(FieldName::Scale).is_some_and(|scale| scale != 0);
    let found = match (base.opcode(), base.form().name) {
        (Opcode::Syncs, name @ ("AU" | "TRANS64.P_AU_R" | "TRANS64.R_AU_R")) => (name, FieldName::URc),
        (Opcode::Lds, "R_A" | "R_AU") => ("R_AU", FieldName::URb),
        (Opcode::Sts, "A_R" | "AU_R") => ("AU_R", FieldName::URc),
        _ => return None,
    };
    (free && !scaled).then_some(found)
}

/// Orders of the operands that give the same result.
fn orders(opcode: Opcode, sources: &[Source]) -> &'static [&'static [usize]] {
    match opcode {
        Opcode::Iadd3 => &[&[1, 0, 2], &[0, 2, 1], &[2, 0, 1], &[1, 2, 0], &[2, 1, 0]],
        Opcode::Imad => &[&[1, 0, 2]],
        Opcode::Lop3 => match sources.get(3).map(|source| source.value) {
            // The table stays if the first operand, bit 2 of its index, and the second, bit 1, change places.
            Some(Value::Immediate(table)) if (table >> 2 ^ table >> 4) & 3 == 0 => &[&[1, 0, 2, 3]],
            _ => &[],
        },
        _ => &[],
    }
}

/// Whether the offset of a constant has the same unit in both instructions.
fn same_scale(load: &Instruction, opcode: Opcode) -> bool {
    let scale = |form: &warpsmith_sass::Form| match form.field(FieldName::Offset).map(|field| &field.kind) {
        Some(warpsmith_sass::FieldKind::Unsigned { scale, .. } | warpsmith_sass::FieldKind::Signed { scale, .. }) => {
            Some((*scale).max(1))
        }
        _ => None,
    };
    let other = warpsmith_sass::forms(load.base.isa()).find(|form| form.opcode == opcode && form.name == "UR_C");
    other.is_some_and(|other| scale(other).is_some() && scale(other) == scale(load.base.form()))
}

/// The instruction of the uniform datapath that does the same.
fn counterpart(opcode: Opcode, isa: Isa) -> Option<Opcode> {
    Some(match opcode {
        Opcode::S2r => Opcode::S2ur,
        Opcode::Ldc if isa == Isa::Sm90 => Opcode::Uldc,
        Opcode::Ldc => Opcode::Ldcu,
        Opcode::Iadd3 => Opcode::Uiadd3,
        Opcode::Imad => Opcode::Uimad,
        Opcode::Lop3 => Opcode::Ulop3,
        Opcode::Shf => Opcode::Ushf,
        Opcode::Lea => Opcode::Ulea,
        Opcode::Mov => Opcode::Umov,
        Opcode::Sel => Opcode::Usel,
        Opcode::Isetp => Opcode::Uisetp,
        Opcode::Sgxt => Opcode::Usgxt,
        _ => return None,
    })
}

/// Whether only the pass writes such instructions. (`UMOV` and `USEL` others write, too.)
pub(crate) fn is_counterpart(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::S2ur
            | Opcode::Uldc
            | Opcode::Ldcu
            | Opcode::Uiadd3
            | Opcode::Uimad
            | Opcode::Ulop3
            | Opcode::Ushf
            | Opcode::Ulea
            | Opcode::Usgxt
    )
}

fn read(instruction: &Instruction) -> impl Iterator<Item = Register> + '_ {
    let reads = instruction.touches().filter(|touch| touch.access != Access::Write);
    reads.map(|touch| touch.register)
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Register> + '_ {
    let writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    writes.map(|touch| touch.register)
}
