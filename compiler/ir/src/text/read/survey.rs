//! The first walk over the tokens: what is defined where, so that everything can be named before it is defined.

use rustc_hash::FxHashSet;

use super::lexer::{Kind, name};
use super::types::Named;
use super::{Known, Reader};
use crate::module::{Alias, Declaration, FunctionId, Global, Linkage};
use crate::types::{AddressSpace, Type};

/// A definition and the token that it begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Variable,
    Alias,
    Function,
    Type,
    Node,
    NamedMetadata,
    Group,
    Other,
}

impl Reader<'_> {
    /// Refuses texts that are not closed and names with zero bytes.
    pub(super) fn whole_tokens(&mut self) {
        let text = self.source.text();
        let mut found = Vec::new();
        for (place, token) in self.tokens.iter().enumerate() {
            if token.kind == Kind::Open {
                found.push((place, "this text is not closed"));
            } else if token.kind.is_name() && text.as_bytes().get(token.range().start + 1) == Some(&b'"') {
                let has_zero = name(token.text(text)).contains('\0');
                found.extend(has_zero.then_some((place, "there are no zero bytes in names")));
            }
        }
        let errors: Vec<_> = found.iter().map(|&(place, rule)| *self.error_at(place, rule)).collect();
        self.problems.extend(errors);
    }

    /// Notes `blockaddress(@function, %block)` wherever it stands, so that bodies begin with these blocks.
    pub(super) fn survey_addressed_blocks(&mut self) {
        let text = self.source.text();
        let mut noted: FxHashSet<(FunctionId, String)> = FxHashSet::default();
        for (place, tokens) in self.tokens.windows(5).enumerate() {
            let [word, _, function, _, block] = tokens else {
                continue;
            };
            if word.kind != Kind::Word || word.text(text) != "blockaddress" {
                continue;
            }
            if let Some(Known::Function(id)) = self.known(&name(function.text(text))) {
                let block = name(block.text(text));
                if noted.insert((id, block.clone())) {
                    self.addressed_blocks.entry(id).or_default().push((block, place));
                }
            }
        }
    }

    /// Finds the definitions, and makes an entry for each symbol.
    pub(super) fn survey(&mut self) -> Vec<(Item, usize, usize)> {
        let mut starts: Vec<(Item, usize)> = Vec::new();
        let mut depth = 0u32;
        let text = self.source.text();
        while self.kind() != Kind::End {
            let start = self.place();
            let equals = self.peek_kind(1) == Kind::Mark(b'=');
            if depth > 0
                && self.token().starts_line(text)
                && self.kind() == Kind::Word
                && matches!(self.text(), "define" | "declare")
            {
                // Something before is not closed.
                depth = 0;
            }
            if starts.is_empty() && matches!(self.kind(), Kind::Mark(_)) {
                // No definition begins with a bracket: what follows is not to be hidden by it.
                starts.push((Item::Other, start));
            }
            match self.kind() {
                Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
                Kind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                Kind::Mark(b'^') if self.token().starts_line(text) => starts.push((Item::Other, start)),
                Kind::Global if equals => starts.push((self.survey_variable(), start)),
                Kind::Local if equals && self.peek_text(2) == "type" => {
                    let key = name(self.text());
                    if self.types.insert(key.clone(), Named::At(start + 3)).is_some() {
                        let error = self.error(format!("the type %{key} is defined more than once"));
                        self.problems.push(*error);
                    }
                    starts.push((Item::Type, start));
                }
                Kind::Metadata if equals => {
                    let numbered = self.survey_node();
                    starts.push((if numbered { Item::Node } else { Item::NamedMetadata }, start));
                }
                Kind::Comdat if equals => {
                    let key = name(self.text());
                    if !self.comdats.insert(key.clone()) {
                        let error = self.error(format!("the comdat group ${key} is defined more than once"));
                        self.problems.push(*error);
                    }
                    starts.push((Item::Other, start));
                }
                Kind::Word => match self.text() {
                    "define" | "declare" => {
                        self.survey_function();
                        starts.push((Item::Function, start));
                    }
                    "attributes" if self.peek_kind(1) == Kind::Group => starts.push((Item::Group, start)),
                    "target" | "source_filename" | "module" | "uselistorder" | "uselistorder_bb" => {
                        starts.push((Item::Other, start))
                    }
                    _ if starts.is_empty() => starts.push((Item::Other, start)),
                    _ => {}
                },
                _ if starts.is_empty() => starts.push((Item::Other, start)),
                _ => {}
            }
            self.bump();
        }
        let end = self.place();
        let ends = starts.iter().skip(1).map(|&(_, start)| start).chain([end]);
        starts
            .iter()
            .zip(ends)
            .map(|(&(item, start), end)| (item, start, end))
            .collect()
    }

    /// Notes a numbered node; false where it is a named list.
    fn survey_node(&mut self) -> bool {
        let digits = &self.text()[1..];
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let problem = match digits.parse() {
            Ok(number) => {
                let known = self.node_places.insert(number, self.next);
                known.map(|_| self.error(format!("the metadata !{number} is defined more than once")))
            }
            Err(_) => Some(self.error("nodes have numbers below 2^32")),
        };
        self.problems.extend(problem.map(|problem| *problem));
        true
    }

    /// Counts a symbol whose name is a number.
    fn survey_number(&mut self) {
        let digits = &self.text()[1..];
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let next = self.next_symbol;
        match digits.parse::<u32>() {
            Ok(number) if number >= next && number < u32::MAX => self.next_symbol = number + 1,
            Ok(_) | Err(_) => {
                let rule =
                    format!("the number @{digits} should be {next} or greater: symbols without names are counted");
                let error = self.error(rule);
                self.problems.push(*error);
            }
        }
    }

    fn survey_variable(&mut self) -> Item {
        let start = self.place();
        self.survey_number();
        let key = name(self.text());
        let mut space = AddressSpace::GENERIC;
        let mut item = Item::Variable;
        self.bump();
        while !matches!(self.kind(), Kind::End | Kind::Global) && self.place() < start + 40 {
            match self.text() {
                "global" | "constant" => break,
                "alias" | "ifunc" => {
                    item = Item::Alias;
                    break;
                }
                "addrspace" => match self.address_space() {
                    Ok(known) => {
                        space = known;
                        continue;
                    }
                    // Reported when the variable is read.
                    Err(_) => break,
                },
                _ => self.bump(),
            }
        }
        self.go_to(start);
        let known = if item == Item::Alias {
            let target = self.context.null(AddressSpace::GENERIC);
            let alias = Alias {
                name: key.clone(),
                ty: Type::I8,
                space: AddressSpace::GENERIC,
                linkage: Linkage::External,
                target,
            };
            let id = self.module.symbols.add_alias(alias);
            self.places.aliases.insert(id, start);
            Known::Alias(id)
        } else {
            let global = Global::new(key.clone(), Type::I8, space);
            let id = self.module.symbols.add_global(global);
            self.places.globals.insert(id, start);
            Known::Global(id)
        };
        self.enter(key, known);
        item
    }

    fn survey_function(&mut self) {
        let start = self.place();
        let declared = self.text() == "declare";
        self.bump();
        while !matches!(self.kind(), Kind::End | Kind::Global) && !matches!(self.text(), "define" | "declare") {
            self.bump();
        }
        let key = name(self.text());
        let found = self.kind() == Kind::Global;
        let place = self.place();
        self.go_to(start);
        if !found {
            return;
        }
        if declared && key.starts_with("llvm.") {
            self.intrinsics.insert(key.clone(), start);
            self.symbols.insert(key, Known::Intrinsic);
            return;
        }
        self.go_to(place);
        self.survey_number();
        let ty = self.context.function_type(Type::Void, &[], false);
        let id = self
            .module
            .add_function(Declaration::new(&self.context, key.clone(), ty));
        self.places.functions.insert(id, place);
        if !declared {
            self.defined.insert(id);
        }
        self.enter(key, Known::Function(id));
        self.go_to(start);
    }

    fn enter(&mut self, key: String, known: Known) {
        if self.symbols.insert(key.clone(), known).is_some() {
            let error = self.error(format!("@{key} is defined more than once"));
            self.problems.push(*error);
        }
    }
}
