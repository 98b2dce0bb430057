//! Running passes: order, switches, times, checks.

use std::{
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use warpsmith_base::{CANCELLED, fault};
use warpsmith_ir::{Function, FunctionId, Module, Symbols};

use super::{Event, Failure, Fuel, Observer, Options, PASSES, PIPELINE, Pass, Report, Spent, Subject, Unit, Work};

/// Instructions of several functions from which on these are worked on at once. Below, to start threads and have them wait takes longer than the work.
const WORTH_THREADS: usize = 4_000;

/// A run of a pipeline over a module.
pub struct Run<'a> {
    /// How to optimise.
    pub options: &'a Options,
    fuel: Fuel,
    observer: Option<Observer<'a>>,
    clocks: Vec<Clock>,
    states: Vec<Mutex<State>>,
    failure: Mutex<Option<Failure>>,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Run")
            .field("options", self.options)
            .finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Clock {
    nanoseconds: AtomicU64,
    runs: AtomicU64,
    changes: AtomicU64,
}

/// What is known of a function: it has changed so often, and at which of these states a pass had nothing to do. Such a pass is not run again.
#[derive(Default)]
struct State {
    version: u64,
    settled: Vec<Option<u64>>,
}

/// The passes to run, in order.
pub(super) fn steps(options: &Options) -> Result<Vec<&'static Pass>, Failure> {
    let names: Vec<&str> = match &options.passes {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => {
            let level = options.level.min(3);
            let runs = PIPELINE
                .iter()
                .filter(|step| step.levels.0 <= level && level <= step.levels.1);
            runs.map(|step| step.pass).collect()
        }
    };
    let pass = |name: &str| {
        Pass::named(name).ok_or_else(|| Failure {
            pass: name.to_owned(),
            function: None,
            what: "there is no pass of this name".to_owned(),
        })
    };
    names.into_iter().map(pass).collect()
}

/// The threads that functions are worked on by; none where the system gives none.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| ThreadPoolBuilder::new().build().ok()).as_ref()
}

fn index_of(pass: &Pass) -> usize {
    PASSES.iter().position(|other| other.name == pass.name).unwrap_or(0)
}

impl<'a> Run<'a> {
    pub(super) fn new(module: &Module, options: &'a Options, observer: Option<Observer<'a>>) -> Run<'a> {
        Run {
            options,
            fuel: Fuel::new(options.fuel),
            observer,
            clocks: PASSES.iter().map(|_| Clock::default()).collect(),
            states: module.symbols.functions.keys().map(|_| Mutex::default()).collect(),
            failure: Mutex::new(None),
        }
    }

    /// What function passes get.
    pub fn unit<'s>(&'s self, symbols: &'s Symbols) -> Unit<'s> {
        Unit {
            symbols,
            options: self.options,
            fuel: &self.fuel,
        }
    }

    /// Works on functions, on several at once where order does not matter and it pays. Whether anything changed.
    pub fn each(&self, mut functions: Vec<&mut Function>, work: impl Fn(&mut Function) -> bool + Sync) -> bool {
        let alone = self.options.threads == 1 || functions.len() < 2;
        let in_order = alone || self.options.fuel.is_some() || self.observer.is_some();
        let instructions = functions.iter().flat_map(|function| function.all_instructions());
        let little = instructions.take(WORTH_THREADS).count() < WORTH_THREADS;
        if in_order || little {
            return functions.into_iter().map(work).fold(false, |all, one| all | one);
        }
        let Some(pool) = pool() else {
            return functions.into_iter().map(work).fold(false, |all, one| all | one);
        };
        pool.install(|| {
            let changed = functions.par_iter_mut().map(|function| work(function));
            changed.reduce(|| false, |all, one| all | one)
        })
    }

    /// Whether one more rewrite may happen.
    pub fn take_fuel(&self) -> bool {
        self.fuel.take()
    }

    pub(super) fn all(&self, module: &mut Module, steps: &[&'static Pass]) -> Result<(), Failure> {
        let mut rest = steps;
        while let Some((first, others)) = rest.split_first() {
            match first.work {
                Work::Module(work) => {
                    self.module_pass(module, first, work);
                    rest = others;
                }
                Work::Function(_) => {
                    let count = rest
                        .iter()
                        .take_while(|pass| matches!(pass.work, Work::Function(_)))
                        .count();
                    let (group, others) = rest.split_at(count);
                    self.functions(module, group);
                    rest = others;
                }
            }
            if let Some(failure) = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(failure);
            }
        }
        Ok(())
    }

    fn is_off(&self, pass: &Pass) -> bool {
        !pass.required && self.options.off.iter().any(|name| name == pass.name)
    }

    fn module_pass(&self, module: &mut Module, pass: &'static Pass, work: fn(&mut Module, &Run<'_>) -> bool) {
        if self.is_off(pass) || self.is_cancelled(pass) {
            return;
        }
        let _at = fault::enter(pass.name, "");
        let start = Instant::now();
        let changed = work(module, self);
        let time = start.elapsed();
        self.note(pass, changed, time);
        if changed {
            // Attributes of callees and initializers may have changed with the bodies.
            for state in &self.states {
                state.lock().unwrap_or_else(PoisonError::into_inner).version += 1;
            }
        }
        if self.options.verify && changed {
            self.check_module(module, pass);
        }
        if let Some(observer) = self.observer {
            let subject = Subject::Module(module);
            observer(&Event {
                pass,
                changed,
                time,
                subject,
            });
        }
    }

    fn functions(&self, module: &mut Module, group: &[&'static Pass]) {
        let names: Vec<&str> = group.iter().map(|pass| pass.name).collect();
        let (symbols, bodies) = module.split_mut();
        self.each(bodies.iter_mut().flatten().collect(), |body| {
            self.passes(body, symbols, &names)
        });
    }

    /// Runs function passes on a function. Whether anything changed.
    pub fn passes(&self, function: &mut Function, symbols: &Symbols, names: &[&str]) -> bool {
        if symbols.functions[function.id()].attributes.optnone || function.entry().is_none() {
            return false;
        }
        let mut changed = false;
        for pass in names.iter().filter_map(|name| Pass::named(name)) {
            if self.is_off(pass) {
                continue;
            }
            for needed in pass.needs.iter().filter_map(|name| Pass::named(name)) {
                changed |= self.function_pass(function, symbols, needed);
            }
            changed |= self.function_pass(function, symbols, pass);
        }
        changed
    }

    fn function_pass(&self, function: &mut Function, symbols: &Symbols, pass: &'static Pass) -> bool {
        let Work::Function(work) = pass.work else { return false };
        let index = index_of(pass);
        let state = self.states.get(function.id().index());
        let lock = || state.map(|state| state.lock().unwrap_or_else(PoisonError::into_inner));
        if self.is_cancelled(pass) {
            return false;
        }
        if lock().is_some_and(|state| state.settled.get(index).copied().flatten() == Some(state.version)) {
            return false;
        }
        let _at = fault::enter(pass.name, &symbols.functions[function.id()].name);
        let start = Instant::now();
        let changed = work(function, &self.unit(symbols));
        let time = start.elapsed();
        self.note(pass, changed, time);
        if let Some(mut state) = lock() {
            if changed {
                state.version += 1;
            } else {
                state.settled.resize(PASSES.len(), None);
                state.settled[index] = Some(state.version);
            }
        }
        if self.options.verify && changed {
            self.check_function(function, symbols, pass);
        }
        if let Some(observer) = self.observer {
            let subject = Subject::Function(symbols, function);
            observer(&Event {
                pass,
                changed,
                time,
                subject,
            });
        }
        changed
    }

    /// Whether nothing more is to be done; that the work is not done is noted.
    fn is_cancelled(&self, pass: &'static Pass) -> bool {
        let cancelled = self.options.cancel.is_cancelled();
        if cancelled {
            self.fail(pass, None, CANCELLED.to_owned());
        }
        cancelled
    }

    fn note(&self, pass: &Pass, changed: bool, time: Duration) {
        let clock = &self.clocks[index_of(pass)];
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        clock.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        clock.runs.fetch_add(1, Ordering::Relaxed);
        clock.changes.fetch_add(u64::from(changed), Ordering::Relaxed);
    }

    fn check_module(&self, module: &Module, pass: &'static Pass) {
        if let Err(problems) = module.verify() {
            self.fail(pass, None, problems.first().map_or(String::new(), ToString::to_string));
        }
    }

    fn check_function(&self, function: &Function, symbols: &Symbols, pass: &'static Pass) {
        if let Err(problems) = function.verify(symbols) {
            let what = problems.first().map_or(String::new(), ToString::to_string);
            self.fail(pass, Some(function.id()), what);
        }
    }

    /// Notes a mistake. Of several functions the first in the module is told of, whichever thread came first.
    fn fail(&self, pass: &'static Pass, function: Option<FunctionId>, what: String) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|known| known.function > function) {
            *failure = Some(Failure {
                pass: pass.name.to_owned(),
                function,
                what,
            });
        }
    }

    pub(super) fn report(&self) -> Report {
        let spent = PASSES.iter().zip(&self.clocks).map(|(pass, clock)| Spent {
            name: pass.name,
            runs: clock.runs.load(Ordering::Relaxed),
            changes: clock.changes.load(Ordering::Relaxed),
            time: Duration::from_nanos(clock.nanoseconds.load(Ordering::Relaxed)),
        });
        Report {
            spent: spent.filter(|spent| spent.runs > 0).collect(),
            fuel_left: self.options.fuel.map(|_| self.fuel.left()),
        }
    }
}
