//! Constant evaluation of C++17 ([expr.const]): locals, mutation, loops, classes, arrays, pointers and references into objects.
//!
//! Objects are trees of values; a pointer is an object and a path into it, so that what the standard makes undefined (past the end, not alive, not initialised,
//! another union member) is seen and becomes the reason why an expression has no constant value.

mod address;
mod arithmetic;
mod builtin;
mod call;
mod conversion;
mod expression;
mod memory;
mod statement;
mod value;

use rustc_hash::FxHashMap;

pub(crate) use arithmetic::convert_scalar;
use memory::{Object, Pointer};
use value::Value;

use super::constant::{EvaluationFailure, NonConstant};
use super::{BindingId, ClassId, Constant, ExpressionId, FunctionId, Name, Program, Span, VariableId};

/// How far evaluation goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Calls inside of calls.
    pub depth: u32,
    /// Expressions and statements in all.
    pub steps: u64,
    /// Shifts to the left move bits, whatever number they make of it (C++20).
    pub shifts_bits: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 512,
            steps: 8_000_000,
            shifts_bits: false,
        }
    }
}

/// Calls inside of calls that are evaluated on the caller's stack; deeper ones get a thread with a stack of its own.
const SHALLOW: u32 = 12;
/// Expressions and statements inside of others, in all calls under way, that are evaluated on the caller's stack.
const SHALLOW_NESTING: u32 = 2048;
/// As many at most on that thread.
const GREATEST_NESTING: u32 = 50_000;
/// The size of that stack, in bytes.
const DEEP_STACK: usize = 512 << 20;

/// The value of an expression: a prvalue's value, or where a glvalue's object is, as a pointer.
///
/// Fails with the function whose body is missing, or with the reason why there is no constant value.
pub fn evaluate(program: &Program, expression: ExpressionId, limits: &Limits) -> Result<Constant, EvaluationFailure> {
    match Evaluator::new(program, limits, SHALLOW, SHALLOW_NESTING).whole(expression) {
        Err(Stop::TooDeep(_)) if limits.depth > SHALLOW => {}
        other => return finish(other),
    }
    let deep = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
        let work = thread.spawn_scoped(scope, || {
            Evaluator::new(program, limits, limits.depth, GREATEST_NESTING).whole(expression)
        });
        let joined = work.ok().map(|handle| handle.join());
        joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    finish(deep.unwrap_or(Err(Stop::TooDeep(TOO_MANY_CALLS))))
}

fn finish(result: Result<Constant, Stop>) -> Result<Constant, EvaluationFailure> {
    result.map_err(|stop| match stop {
        Stop::NeedsBody(function) => EvaluationFailure::NeedsBody(function),
        Stop::Because(reason) => EvaluationFailure::NonConstant(*reason),
        Stop::TooDeep(reason) => EvaluationFailure::NonConstant(NonConstant {
            span: Span::NONE,
            reason: reason.into(),
            calls: Vec::new(),
        }),
    })
}

/// Why evaluation stops.
#[derive(Debug)]
enum Stop {
    NeedsBody(FunctionId),
    Because(Box<NonConstant>),
    TooDeep(&'static str),
}

const TOO_MANY_CALLS: &str = "constant evaluation exceeds the maximum depth of calls";

type Outcome<T> = Result<T, Stop>;

/// A call under way.
#[derive(Default)]
struct Frame {
    /// Local variables and parameters: objects, or what references refer to.
    variables: FxHashMap<VariableId, Local>,
    this: Option<Pointer>,
    function: Option<FunctionId>,
    call: Option<Span>,
}

#[derive(Clone)]
enum Local {
    Object(usize),
    Reference(Pointer),
}

struct Evaluator<'a> {
    program: &'a Program,
    objects: Vec<Object>,
    /// No object below this one was given a pointer since objects were last forgotten.
    pointers_from: usize,
    /// Static variables that were read, and where they are in `static_objects`.
    statics: FxHashMap<VariableId, usize>,
    static_objects: Vec<Object>,
    frames: Vec<Frame>,
    bindings: FxHashMap<BindingId, Value>,
    array_index: Vec<u64>,
    /// The objects that aggregate initialisations around make.
    aggregates: Vec<(ClassId, Pointer)>,
    steps: u64,
    depth: u32,
    greatest_depth: u32,
    /// Expressions and statements under way.
    nesting: u32,
    greatest_nesting: u32,
    shifts_bits: bool,
    /// Where evaluation is.
    span: Span,
}

impl<'a> Evaluator<'a> {
    fn new(program: &'a Program, limits: &Limits, depth: u32, greatest_nesting: u32) -> Evaluator<'a> {
        Evaluator {
            program,
            objects: Vec::new(),
            pointers_from: usize::MAX,
            statics: FxHashMap::default(),
            static_objects: Vec::new(),
            frames: vec![Frame::default()],
            bindings: FxHashMap::default(),
            array_index: Vec::new(),
            aggregates: Vec::new(),
            steps: limits.steps,
            depth: 0,
            greatest_depth: depth.min(limits.depth),
            nesting: 0,
            greatest_nesting,
            shifts_bits: limits.shifts_bits,
            span: Span::NONE,
        }
    }

    fn whole(mut self, id: ExpressionId) -> Outcome<Constant> {
        let expression = self.program.expression(id);
        if expression.category.is_glvalue() {
            let pointer = self.place(id)?;
            return self.pointer_constant(&pointer);
        }
        let value = self.value(id)?;
        self.span = expression.span;
        self.constant(value, expression.ty.id)
    }

    /// Whether what is evaluated stands in the expression itself, not in a function that it calls. There arithmetic means what the host's compilers fold it to:
    /// integers that overflow wrap, a shift by too much is one that loses all bits, division of floating numbers by zero is IEEE 754's.
    fn folds(&self) -> bool {
        self.frames.iter().all(|frame| frame.function.is_none())
    }

    fn stop<T>(&self, reason: impl Into<String>) -> Outcome<T> {
        let calls = self
            .frames
            .iter()
            .rev()
            .filter_map(|frame| {
                Some((
                    frame.call?,
                    Name::from(self.program.function_signature(frame.function?).as_str()),
                ))
            })
            .collect();
        Err(Stop::Because(Box::new(NonConstant {
            span: self.span,
            reason: reason.into(),
            calls,
        })))
    }

    /// One expression or statement inside of another.
    fn nested<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.nesting >= self.greatest_nesting {
            return Err(Stop::TooDeep(
                "expressions are nested too deeply for constant evaluation",
            ));
        }
        self.nesting += 1;
        let result = evaluate(self);
        self.nesting -= 1;
        result
    }

    /// Counts an expression or statement.
    fn step(&mut self, span: Span) -> Outcome<()> {
        if span != Span::NONE {
            self.span = span;
        }
        match self.steps.checked_sub(1) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => self.stop("constant evaluation takes too many steps"),
        }
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }
}

#[cfg(test)]
mod tests;
