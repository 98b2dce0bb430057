//! Aliases: what they stand for, and that none stands for itself.

use warpsmith_base::Diagnostic;

use super::{Subject, Violation, constant_fits};
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::module::{Alias, AliasId, Linkage, Module, Symbols};
use crate::types::Type;

/// How far an alias has been followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    No,
    Open,
    Done,
}

/// The rules of all aliases.
pub(super) fn aliases(module: &Module, problems: &mut Vec<Violation>) {
    let symbols = &module.symbols;
    for (id, alias) in symbols.aliases.iter() {
        alone(module, id, alias, problems);
    }
    let mut followed = vec![Followed::No; symbols.aliases.len()];
    for (id, _) in symbols.aliases.iter() {
        follow(symbols, id, &mut followed, problems);
    }
}

fn broken(symbols: &Symbols, id: AliasId, rule: &str, problems: &mut Vec<Violation>) {
    let problem = Diagnostic::error(rule).about(format!("alias @{}", symbols.aliases[id].name));
    let subject = Subject::Alias(id);
    problems.push(Violation { subject, problem });
}

/// The rules of one alias.
fn alone(module: &Module, id: AliasId, alias: &Alias, problems: &mut Vec<Violation>) {
    let symbols = &module.symbols;
    let context = &symbols.context;
    let mut rule = |holds: bool, rule: &str| {
        if !holds {
            broken(symbols, id, rule, problems);
        }
    };
    rule(
        context.constant_type(alias.target) == Type::Pointer(alias.space),
        "an alias stands for an address in its address space",
    );
    rule(
        !matches!(
            alias.linkage,
            Linkage::Common | Linkage::Appending | Linkage::ExternalWeak
        ),
        "an alias is private, internal, linkonce, weak, external or available_externally",
    );
    if !constant_fits(symbols, alias.target, 0) {
        return rule(
            false,
            "a constant names only what the module has, and converts between types that can be converted",
        );
    }
    rule(
        !matches!(
            context.constant(alias.target),
            Constant::Null(_) | Constant::Undef(_) | Constant::Poison(_) | Constant::Zero(_)
        ),
        "an alias stands for the address of something",
    );
    let (mut defined, mut kept) = (true, true);
    for_each_symbol(symbols, alias.target, |constant| match constant {
        Constant::Global { global, .. } => defined &= symbols.globals[*global].initializer.is_some(),
        Constant::Function(function) => defined &= module.body(*function).is_some(),
        Constant::Alias { alias, .. } => kept &= !symbols.aliases[*alias].linkage.is_interposable(),
        _ => {}
    });
    rule(defined, "an alias stands for something that is defined in the module");
    rule(kept, "an alias does not stand for another one that linking may replace");
}

/// Calls `see` for the symbols in a constant. What is nested has been found to be of bounded depth.
fn for_each_symbol(symbols: &Symbols, constant: ConstantId, mut see: impl FnMut(&Constant)) {
    let mut open = vec![constant];
    while let Some(id) = open.pop() {
        match symbols.context.constant(id) {
            Constant::Expression(ConstantExpression::Gep { base, indices, .. }) => {
                open.push(*base);
                open.extend(indices.iter().copied());
            }
            Constant::Expression(ConstantExpression::Cast { operand, .. }) => open.push(*operand),
            Constant::Expression(ConstantExpression::Binary { left, right, .. }) => open.extend([*left, *right]),
            Constant::Aggregate { elements, .. } => open.extend(elements.iter().copied()),
            other => see(other),
        }
    }
}

/// Follows an alias to what it stands for; each alias is followed once.
fn follow(symbols: &Symbols, start: AliasId, followed: &mut [Followed], problems: &mut Vec<Violation>) {
    // Each entry is left when all that it names have been followed.
    let mut stack = vec![(start, None::<Vec<AliasId>>)];
    while let Some((id, next)) = stack.last_mut() {
        let id = *id;
        match next {
            None => {
                if followed[id.index()] != Followed::No {
                    stack.pop();
                    continue;
                }
                followed[id.index()] = Followed::Open;
                let mut named = Vec::new();
                for_each_symbol(symbols, symbols.aliases[id].target, |constant| {
                    if let Constant::Alias { alias, .. } = constant
                        && alias.index() < followed.len()
                    {
                        named.push(*alias);
                    }
                });
                *next = Some(named);
            }
            Some(named) => match named.pop() {
                Some(other) if followed[other.index()] == Followed::Open => {
                    broken(
                        symbols,
                        id,
                        &format!(
                            "aliases do not stand for each other in a ring: @{} comes back to itself",
                            symbols.aliases[other].name
                        ),
                        problems,
                    );
                }
                Some(other) => stack.push((other, None)),
                None => {
                    followed[id.index()] = Followed::Done;
                    stack.pop();
                }
            },
        }
    }
}
