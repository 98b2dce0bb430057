//! What can be named at a point of a program.

use super::{
    Generator,
    types::{Member, Type},
};

/// Something scalar that can be read, and written if it is not constant.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) of: Type,
    pub(super) constant: bool,
    /// Its address can be taken.
    pub(super) addressable: bool,
    /// Of small unsigned bit fields, what arithmetic promotes to differs from the type's.
    pub(super) bit_field: bool,
}

/// A variable that is a structure.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    pub(super) text: String,
    pub(super) structure: usize,
    pub(super) constant: bool,
}

/// An array; its length is a power of two.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) text: String,
    pub(super) of: Type,
    pub(super) length: u32,
    pub(super) constant: bool,
}

/// What is in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) places: Vec<Place>,
    pub(super) wholes: Vec<Whole>,
    pub(super) lists: Vec<List>,
}

/// How much was in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize, usize, usize);

impl Scope {
    pub(super) fn mark(&self) -> Mark {
        Mark(self.places.len(), self.wholes.len(), self.lists.len())
    }

    pub(super) fn release(&mut self, mark: Mark) {
        self.places.truncate(mark.0);
        self.wholes.truncate(mark.1);
        self.lists.truncate(mark.2);
    }

    pub(super) fn scalar(&mut self, text: &str, of: Type, constant: bool) {
        self.places.push(Place {
            text: text.to_owned(),
            of,
            constant,
            addressable: !constant,
            bit_field: false,
        });
    }
}

impl Generator {
    /// Brings a structure and its members into scope.
    pub(super) fn add_whole(&mut self, text: &str, structure: usize, constant: bool) {
        self.scope.wholes.push(Whole {
            text: text.to_owned(),
            structure,
            constant,
        });
        for (at, member) in self.structures[structure].members.clone().into_iter().enumerate() {
            let text = format!("{text}.m{at}");
            match member {
                Member::Scalar(of) => self.scope.scalar(&text, of, constant),
                Member::Bits(of, _) => self.scope.places.push(Place {
                    text,
                    of,
                    constant,
                    addressable: false,
                    bit_field: true,
                }),
                Member::Array(of, length) => self.scope.lists.push(List {
                    text,
                    of,
                    length,
                    constant,
                }),
                Member::Nested(inner) => self.add_whole(&text, inner, constant),
            }
        }
    }

    /// Something of a type to read, as an expression of that type.
    pub(super) fn readable(&mut self, of: Type) -> Option<String> {
        if self.chance(25) {
            let lists: Vec<usize> = (0..self.scope.lists.len())
                .filter(|index| self.scope.lists[*index].of == of)
                .collect();
            if !lists.is_empty() {
                let index = lists[self.below(lists.len() as u32) as usize];
                return Some(self.element(index));
            }
        }
        let places = &self.scope.places;
        let fitting: Vec<usize> = (0..places.len()).filter(|index| places[*index].of == of).collect();
        if fitting.is_empty() {
            return None;
        }
        let index = fitting[self.recent(fitting.len())];
        let place = &self.scope.places[index];
        Some(match place.bit_field {
            true => format!("({}){}", of.name(), place.text),
            false => place.text.clone(),
        })
    }

    /// Some integer to read; of a bit field, as what it is promoted to.
    pub(super) fn readable_integer(&mut self) -> Option<String> {
        let places = &self.scope.places;
        let fitting: Vec<usize> = (0..places.len())
            .filter(|index| !places[*index].of.is_float())
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let index = fitting[self.recent(fitting.len())];
        Some(self.scope.places[index].text.clone())
    }

    /// Something to write.
    pub(super) fn writable(&mut self) -> Option<Place> {
        if self.chance(20) {
            let lists = &self.scope.lists;
            let fitting: Vec<usize> = (0..lists.len()).filter(|index| !lists[*index].constant).collect();
            if !fitting.is_empty() {
                let index = fitting[self.below(fitting.len() as u32) as usize];
                let of = self.scope.lists[index].of;
                return Some(Place {
                    text: self.element(index),
                    of,
                    constant: false,
                    addressable: true,
                    bit_field: false,
                });
            }
        }
        let places = &self.scope.places;
        let fitting: Vec<usize> = (0..places.len()).filter(|index| !places[*index].constant).collect();
        if fitting.is_empty() {
            return None;
        }
        let index = fitting[self.recent(fitting.len())];
        Some(self.scope.places[index].clone())
    }

    /// An element of a list.
    pub(super) fn element(&mut self, index: usize) -> String {
        let list = self.scope.lists[index].clone();
        let at = match self.below(3) {
            0 => self.below(list.length).to_string(),
            _ => match self.readable_integer() {
                Some(place) => format!("{place} & {}", list.length - 1),
                None => "0".to_owned(),
            },
        };
        format!("{}[{at}]", list.text)
    }

    /// An index below a count; what was declared last comes up more often.
    fn recent(&mut self, count: usize) -> usize {
        let at = self.below(count as u32) as usize;
        match self.chance(40) {
            true => at.max(self.below(count as u32) as usize),
            false => at,
        }
    }

    /// A value of a structure, without effects.
    pub(super) fn structure_value(&mut self, structure: usize, depth: u32) -> String {
        let fitting: Vec<String> = (self.scope.wholes.iter())
            .filter(|whole| whole.structure == structure)
            .map(|whole| whole.text.clone())
            .collect();
        if !fitting.is_empty() && self.chance(70) {
            let a = fitting[self.below(fitting.len() as u32) as usize].clone();
            let b = fitting[self.below(fitting.len() as u32) as usize].clone();
            return match self.chance(25) {
                true => format!("({} ? {a} : {b})", self.condition(depth.min(1))),
                false => a,
            };
        }
        let name = self.structures[structure].name.clone();
        format!("{name}{}", self.initialiser(structure, depth.min(1)))
    }

    /// The list that initialises a structure.
    pub(super) fn initialiser(&mut self, structure: usize, depth: u32) -> String {
        let members = self.structures[structure].members.clone();
        // What is left out at the end is zero.
        let count = match self.below(6) {
            0 => self.below(members.len() as u32 + 1) as usize,
            _ => members.len(),
        };
        let values: Vec<String> = (members.into_iter().take(count))
            .map(|member| match member {
                Member::Scalar(of) | Member::Bits(of, _) => self.expression(of, depth),
                Member::Array(of, length) => self.list_initialiser(of, length, depth),
                Member::Nested(inner) => self.initialiser(inner, depth),
            })
            .collect();
        format!("{{{}}}", values.join(", "))
    }

    pub(super) fn list_initialiser(&mut self, of: Type, length: u32, depth: u32) -> String {
        let count = match self.below(5) {
            0 => self.below(length + 1),
            _ => length,
        };
        let values: Vec<String> = (0..count).map(|_| self.expression(of, depth)).collect();
        format!("{{{}}}", values.join(", "))
    }
}
