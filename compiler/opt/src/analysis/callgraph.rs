//! Who calls whom: strongly connected groups in the order callees first.

use warpsmith_ir::{
    Callee, Constant, ConstantExpression, ConstantId, Context, Function, FunctionId, Instruction, Module, Symbols,
    Value,
};

/// The call graph of a module, of direct calls and taken addresses.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FunctionId>>,
    direct_calls: Vec<u32>,
    address_taken: Vec<bool>,
    /// Groups of functions that call each other, callees before callers.
    groups: Vec<Vec<FunctionId>>,
    /// For each function, the index of its group.
    group: Vec<u32>,
    recursive: Vec<bool>,
}

impl CallGraph {
    /// The graph as it is now.
    pub fn new(module: &Module) -> CallGraph {
        let count = module.symbols.functions.len();
        let mut graph = CallGraph {
            callees: vec![Vec::new(); count],
            direct_calls: vec![0; count],
            address_taken: vec![false; count],
            groups: Vec::new(),
            group: vec![0; count],
            recursive: vec![false; count],
        };
        let context = module.context();
        for (id, _) in module.functions() {
            if let Some(body) = module.body(id) {
                graph.add_body(context, body);
            }
        }
        for (_, global) in module.globals() {
            if let Some(initializer) = global.initializer {
                graph.add_address(context, initializer);
            }
        }
        for (_, alias) in module.symbols.aliases.iter() {
            graph.add_address(context, alias.target);
        }
        graph.find_groups();
        graph
    }

    fn add_body(&mut self, context: &Context, body: &Function) {
        let from = body.id().index();
        for id in body.all_instructions() {
            let instruction = body.instruction(id);
            if let Instruction::Call(call) = instruction
                && let Callee::Function(callee) = call.callee
            {
                self.callees[from].push(callee);
                self.direct_calls[callee.index()] += 1;
                self.recursive[from] |= callee == body.id();
            }
            instruction.for_each_operand(|operand| {
                if let Value::Constant(constant) = operand {
                    self.add_address(context, constant);
                }
            });
        }
        self.callees[from].sort_unstable();
        self.callees[from].dedup();
    }

    fn add_address(&mut self, context: &Context, id: ConstantId) {
        visit_addresses(context, id, &mut |constant| {
            if let Constant::Function(function) = constant {
                self.address_taken[function.index()] = true;
            }
        });
    }

    /// Tarjan's algorithm without recursion: groups come out callees first.
    fn find_groups(&mut self) {
        const NONE: u32 = u32::MAX;
        let count = self.callees.len();
        let (mut number, mut low) = (vec![NONE; count], vec![0u32; count]);
        let mut on_stack = vec![false; count];
        let mut stack = Vec::new();
        let mut clock = 0;
        let ids: Vec<FunctionId> = (0..count).map(warpsmith_ir::Entity::from_index).collect();
        for &root in &ids {
            if number[root.index()] != NONE {
                continue;
            }
            let mut work = vec![(root, 0usize)];
            while let Some((at, next)) = work.last_mut() {
                let (at, index) = (*at, at.index());
                if *next == 0 {
                    number[index] = clock;
                    low[index] = clock;
                    clock += 1;
                    stack.push(at);
                    on_stack[index] = true;
                }
                if let Some(&callee) = self.callees[index].get(*next) {
                    *next += 1;
                    if number[callee.index()] == NONE {
                        work.push((callee, 0));
                    } else if on_stack[callee.index()] {
                        low[index] = low[index].min(number[callee.index()]);
                    }
                    continue;
                }
                // A function without callees is looked at once.
                work.pop();
                if let Some((above, _)) = work.last() {
                    low[above.index()] = low[above.index()].min(low[index]);
                }
                if low[index] == number[index] {
                    let mut group = Vec::new();
                    while let Some(member) = stack.pop() {
                        on_stack[member.index()] = false;
                        group.push(member);
                        if member == at {
                            break;
                        }
                    }
                    if group.len() > 1 {
                        group.iter().for_each(|member| self.recursive[member.index()] = true);
                    }
                    group.sort_unstable();
                    for member in &group {
                        self.group[member.index()] = self.groups.len() as u32;
                    }
                    self.groups.push(group);
                }
            }
        }
    }

    /// Groups of functions that call each other, callees before callers.
    pub fn groups(&self) -> &[Vec<FunctionId>] {
        &self.groups
    }

    /// Functions in levels: those of one call only those of lower ones, or their own group.
    pub fn levels(&self) -> Vec<Vec<FunctionId>> {
        let mut level = vec![0usize; self.callees.len()];
        let mut levels: Vec<Vec<FunctionId>> = Vec::new();
        for group in &self.groups {
            let callees = group.iter().flat_map(|member| &self.callees[member.index()]);
            let at = callees
                .filter(|callee| !group.contains(callee))
                .map(|callee| level[callee.index()] + 1)
                .max()
                .unwrap_or(0);
            for member in group {
                level[member.index()] = at;
            }
            if levels.len() <= at {
                levels.resize(at + 1, Vec::new());
            }
            levels[at].extend(group);
        }
        levels.iter_mut().for_each(|level| level.sort_unstable());
        levels
    }

    /// Whether a function can call itself, over others too.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive[function.index()]
    }

    /// Whether two functions can call each other, or are one.
    pub fn are_together(&self, one: FunctionId, other: FunctionId) -> bool {
        self.group[one.index()] == self.group[other.index()]
    }

    /// Whether the address of a function is used otherwise than to call it.
    pub fn is_address_taken(&self, function: FunctionId) -> bool {
        self.address_taken[function.index()]
    }

    /// The functions that a function calls directly.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function.index()]
    }

    /// Whether one call is all there is of a function.
    pub fn is_only_call(&self, symbols: &Symbols, function: FunctionId) -> bool {
        symbols.functions[function].linkage.is_local()
            && self.direct_calls[function.index()] == 1
            && !self.address_taken[function.index()]
    }
}

/// Calls `visit` with every constant that a constant is made of.
pub(crate) fn visit_addresses(context: &Context, id: ConstantId, visit: &mut dyn FnMut(&Constant)) {
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        let constant = context.constant(id);
        visit(constant);
        match constant {
            Constant::Aggregate { elements, .. } => work.extend(elements.iter()),
            Constant::Expression(expression) => match expression {
                ConstantExpression::Gep { base, indices, .. } => {
                    work.push(*base);
                    work.extend(indices.iter());
                }
                ConstantExpression::Cast { operand, .. } => work.push(*operand),
                ConstantExpression::Binary { left, right, .. } => work.extend([*left, *right]),
            },
            _ => {}
        }
    }
}
