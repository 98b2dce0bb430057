//! Inline assembly: operands by their constraints, and the template filled in.

use warpsmith_ir::{Call, Constant, Context, InlineAssembly, InstructionId, Location, LocationId, Type, Value};

use crate::function::{Lowering, Upper};
use crate::parts::flatten;
use crate::places::Row;
use crate::register::{Class, Operand, Parts, Register};

/// A constraint of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Constraint {
    /// A result in a register.
    Output(Class),
    /// A result that is stored at an address, which is an argument.
    OutputMemory,
    /// An argument in a register.
    Input(Class),
    /// An argument in the register of a result.
    Tied(usize),
    /// An argument that is a constant.
    Constant,
    /// An argument that is the text of a string.
    Text,
    /// The memory at an argument.
    Memory,
}

/// Reads constraints; clobbers are left out. The letter of one that is not known is the error.
fn read_constraints(text: &str) -> Result<Vec<Constraint>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty() && !item.starts_with('~'))
        .map(read_constraint)
        .collect()
}

fn read_constraint(item: &str) -> Result<Constraint, String> {
    let output = item.starts_with(['=', '+']);
    let letters = item.trim_start_matches(['=', '+', '&', '%']);
    if letters.starts_with('*') {
        return Ok(if output {
            Constraint::OutputMemory
        } else {
            Constraint::Memory
        });
    }
    if let Ok(number) = letters.parse() {
        return Ok(Constraint::Tied(number));
    }
    let class = match letters.trim_matches(['{', '}']).chars().next() {
        Some('b') => Class::Predicate,
        Some('h' | 'c') => Class::B16,
        Some('r' | 'R') => Class::B32,
        Some('l' | 'N') => Class::B64,
        Some('q') => Class::B128,
        Some('f') => Class::F32,
        Some('d') => Class::F64,
        Some('n' | 'i' | 's' | 'X' | 'g') if !output => return Ok(Constraint::Constant),
        Some('C') if !output => return Ok(Constraint::Text),
        Some('m' | 'o' | 'V') => {
            return Ok(if output {
                Constraint::OutputMemory
            } else {
                Constraint::Memory
            });
        }
        _ => return Err(item.to_owned()),
    };
    Ok(if output {
        Constraint::Output(class)
    } else {
        Constraint::Input(class)
    })
}

impl Lowering<'_> {
    /// A call of assembly.
    pub(crate) fn lower_assembly(&mut self, id: InstructionId, call: &Call, assembly: &InlineAssembly) {
        let constraints = match read_constraints(&assembly.constraints) {
            Ok(constraints) => constraints,
            Err(constraint) => return self.unsupported(format_args!("the assembly constraint \"{constraint}\"")),
        };
        let mut outputs: Vec<Register> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut arguments = call.arguments.iter().copied();
        for constraint in &constraints {
            let text = match constraint {
                Constraint::Output(class) => {
                    let register = self.register(*class);
                    outputs.push(register);
                    register.to_string()
                }
                other => {
                    let Some(argument) = arguments.next() else {
                        return self.unsupported("assembly with fewer arguments than constraints");
                    };
                    self.assembly_argument(other, argument, &outputs)
                }
            };
            texts.push(text);
        }
        match fill(&assembly.template, &texts) {
            Some(filled) => {
                let places = self.template_places(id, &assembly.template, &filled);
                self.write_assembly(&filled.text, &places);
            }
            None => self.unsupported("an assembly template that names an operand it does not have"),
        }
        let ty = self.body.result_type(id);
        let result = self.assembly_results(ty, &outputs);
        self.define(id, result);
    }

    /// The text of an argument.
    fn assembly_argument(&mut self, constraint: &Constraint, argument: Value, outputs: &[Register]) -> String {
        match constraint {
            Constraint::Input(class) => {
                let operand = self.assembly_operand(argument, *class);
                match operand {
                    Operand::Register(register) => register.to_string(),
                    // The template may want a type that constants do not have, such as `.f16x2`.
                    other => self.in_register(other).to_string(),
                }
            }
            Constraint::Tied(number) => {
                let Some(register) = outputs.get(*number).copied() else {
                    self.unsupported("an assembly operand tied to one that is no register");
                    return String::new();
                };
                let operand = self.assembly_operand(argument, register.class);
                self.copy(register, operand);
                register.to_string()
            }
            Constraint::Constant => self.operand(argument).to_string(),
            Constraint::Text => match self.text_at(argument) {
                Some(text) => text,
                None => {
                    self.unsupported("an assembly operand \"C\" that is no constant string");
                    String::new()
                }
            },
            Constraint::Memory | Constraint::OutputMemory | Constraint::Output(_) => {
                format!("[{}]", self.operand(argument))
            }
        }
    }

    /// An argument in the class that the constraint asks for.
    fn assembly_operand(&mut self, argument: Value, class: Class) -> Operand {
        let ty = self.type_of(argument);
        let parts = self.parts(argument);
        if class == Class::B128 {
            return match parts.len() {
                2 => self.joined128(&parts).into(),
                _ => {
                    self.unsupported("an operand of another type for the assembly constraint \"q\"");
                    Operand::Integer(Class::B64, 0)
                }
            };
        }
        let [operand] = parts[..] else {
            let bits = self.context.bit_size(ty) as u32;
            let joined = self.bitcast(ty, Type::Int(bits.clamp(1, 64)), &parts);
            return self.resized(joined[0], bits, class);
        };
        let bits = flatten(self.context, ty).map_or(32, |parts| parts.first().map_or(32, |part| part.scalar.bits()));
        self.resized(operand, bits, class)
    }

    /// An operand of `bits` in another class: the same bits, cut or filled with zeros.
    fn resized(&mut self, operand: Operand, bits: u32, class: Class) -> Operand {
        let untyped = self.retyped(operand, operand.class().untyped());
        let target = class.untyped();
        let sized = if target.bits() > untyped.class().bits() {
            self.widen(untyped, bits, false, Upper::Unknown, target)
        } else if target.bits() < untyped.class().bits() {
            self.narrow(untyped, target.bits())
        } else {
            untyped
        };
        self.retyped(sized, class)
    }

    /// The result of assembly from its output registers.
    fn assembly_results(&mut self, ty: Type, outputs: &[Register]) -> Parts {
        let members: Vec<Type> = match ty {
            Type::Struct(structure) if outputs.len() != 1 => self.context.struct_data(structure).fields.to_vec(),
            Type::Void => return Parts::new(),
            _ => vec![ty],
        };
        let mut result = Parts::new();
        for (member, register) in members.into_iter().zip(outputs) {
            if register.class == Class::B128 {
                result.extend(self.split128(*register));
                continue;
            }
            let kinds = self.flatten(member);
            match kinds[..] {
                [part] => {
                    let untyped = self.resized((*register).into(), register.class.bits(), part.class.untyped());
                    result.push(self.retyped(untyped, part.class));
                }
                _ => {
                    let from = Type::Int(register.class.bits());
                    let operand = self.retyped((*register).into(), register.class.untyped());
                    result.extend(self.bitcast(from, member, &Parts::from_iter([operand])));
                }
            }
        }
        result
    }

    fn write_assembly(&mut self, text: &str, places: &[FilledPlace]) {
        self.text.push_str("\t// begin inline asm\n");
        let mut at = 0;
        let mut next = 0;
        for line in text.split_inclusive('\n') {
            let shown = line.trim();
            let start = at + (line.len() - line.trim_start().len());
            at += line.len();
            if shown.is_empty() {
                continue;
            }
            self.text.push('\t');
            // Where the line starts in the midst of a stretch, that goes on.
            next = next.max(places.partition_point(|place| place.offset <= start));
            if let Some(place) = next.checked_sub(1).and_then(|index| places.get(index)) {
                let place = place.further(start - place.offset, self.context);
                self.note_place(place.location, place.verbatim);
            }
            let line_start = self.text.len();
            while let Some(place) = places.get(next).filter(|place| place.offset < start + shown.len()) {
                self.rows.push(Row {
                    offset: line_start + (place.offset - start),
                    location: place.location,
                    verbatim: place.verbatim,
                });
                next += 1;
            }
            self.text.push_str(shown);
            self.text.push('\n');
        }
        self.text.push_str("\t// end inline asm\n");
        let location = self.current.and_then(|id| self.body.location(id));
        self.note_place(location, false);
    }

    /// Where the text of a template that was filled in stands in the source, if the module knows.
    fn template_places(&self, id: InstructionId, template: &str, filled: &Filled) -> Vec<FilledPlace> {
        let Some(location) = self.body.location(id) else {
            return Vec::new();
        };
        let call = *self.context.location_data(location);
        let statement = self.context.location(Location {
            inlined_at: None,
            ..call
        });
        let known = self.scope.module.templates.get(&statement);
        let Some(known) = known.and_then(|known| known.iter().find(|known| known.template == template)) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        for (index, piece) in filled.pieces.iter().enumerate() {
            let end = filled
                .pieces
                .get(index + 1)
                .map_or(filled.text.len(), |piece| piece.offset);
            let after = known
                .rows
                .partition_point(|(offset, _)| *offset as usize <= piece.template);
            let Some(first) = after.checked_sub(1) else { continue };
            let length = if piece.verbatim { end - piece.offset } else { 1 };
            let rows = known.rows[first..].iter();
            for &(offset, place) in rows.take_while(|(offset, _)| (*offset as usize) < piece.template + length.max(1)) {
                let offset = offset as usize;
                let start = FilledPlace {
                    offset: piece.offset + offset.saturating_sub(piece.template),
                    location: Some(self.context.location(Location {
                        inlined_at: call.inlined_at,
                        ..*self.context.location_data(place)
                    })),
                    verbatim: true,
                };
                let mut start = start.further(piece.template.saturating_sub(offset), self.context);
                start.verbatim = piece.verbatim;
                places.push(start);
            }
        }
        places
    }

    /// The string that a constant pointer points to, without its zero.
    fn text_at(&self, value: Value) -> Option<String> {
        let mut constant = value.as_constant()?;
        while let Constant::Expression(expression) = self.context.constant(constant) {
            constant = match expression {
                warpsmith_ir::ConstantExpression::Gep { base, .. } => *base,
                warpsmith_ir::ConstantExpression::Cast { operand, .. } => *operand,
                warpsmith_ir::ConstantExpression::Binary { .. } => return None,
            };
        }
        let Constant::Global { global, .. } = self.context.constant(constant) else {
            return None;
        };
        match self
            .context
            .constant(self.scope.module.symbols.globals[*global].initializer?)
        {
            Constant::Bytes { bytes, .. } => {
                let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                String::from_utf8(bytes[..end].to_vec()).ok()
            }
            Constant::Zero(_) => Some(String::new()),
            _ => None,
        }
    }
}

/// A place of a text that was filled in.
#[derive(Clone, Copy, Debug)]
struct FilledPlace {
    offset: usize,
    location: Option<LocationId>,
    /// Whether the text goes on as it does in the source.
    verbatim: bool,
}

impl FilledPlace {
    /// So many characters further.
    fn further(self, by: usize, context: &Context) -> FilledPlace {
        let location = self.location.filter(|_| self.verbatim && by > 0).map(|location| {
            let place = *context.location_data(location);
            context.location(Location {
                column: place.column.saturating_add(by as u32),
                ..place
            })
        });
        FilledPlace {
            location: location.or(self.location),
            ..self
        }
    }
}

/// A template with its operands.
#[derive(Debug, Default, PartialEq, Eq)]
struct Filled {
    text: String,
    pieces: Vec<Piece>,
}

/// A stretch of a text that was filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Where it starts.
    offset: usize,
    /// What of the template it starts with.
    template: usize,
    /// Whether it is the template's text; else it stands for an operand there.
    verbatim: bool,
}

/// Fills operands into a template: `$0`, `${0:modifier}`, `$$`, `$(first$|second$)` (the first), `${:uid}`.
fn fill(template: &str, operands: &[String]) -> Option<Filled> {
    let mut filled = Filled::default();
    let mut rest = template;
    let mut in_other_variant = false;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        if !in_other_variant {
            filled.add(before, template.len() - rest.len(), true);
        }
        let place = template.len() - after.len();
        let mut characters = after[1..].chars();
        let next = characters.next();
        rest = characters.as_str();
        match next {
            Some('$') if !in_other_variant => filled.add("$", place, false),
            Some('(') => {}
            Some('|') => in_other_variant = true,
            Some(')') => in_other_variant = false,
            Some('{') => {
                let (inner, after) = rest.split_once('}')?;
                rest = after;
                let number = inner.split_once(':').map_or(inner, |(number, _)| number);
                if number.is_empty() {
                    filled.add("0", place, false);
                } else if !in_other_variant {
                    filled.add(operands.get(number.parse::<usize>().ok()?)?, place, false);
                }
            }
            Some(digit @ '0'..='9') => {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number = format!("{digit}{}", &rest[..end]);
                rest = &rest[end..];
                if !in_other_variant {
                    filled.add(operands.get(number.parse::<usize>().ok()?)?, place, false);
                }
            }
            _ => filled.add("$", place, false),
        }
    }
    filled.add(rest, template.len() - rest.len(), true);
    Some(filled)
}

impl Filled {
    fn add(&mut self, text: &str, template: usize, verbatim: bool) {
        if !text.is_empty() {
            self.pieces.push(Piece {
                offset: self.text.len(),
                template,
                verbatim,
            });
            self.text.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Constraint, fill, read_constraints};
    use crate::register::Class;

    #[test]
    fn constraints_of_outputs_inputs_and_clobbers() {
        assert_eq!(
            read_constraints("=r,=&l,0,f,n,~{memory}"),
            Ok(vec![
                Constraint::Output(Class::B32),
                Constraint::Output(Class::B64),
                Constraint::Tied(0),
                Constraint::Input(Class::F32),
                Constraint::Constant,
            ])
        );
        assert_eq!(read_constraints("=y"), Err("=y".to_owned()));
    }

    #[test]
    fn operands_are_filled_into_the_template() {
        let operands = ["%r1".to_owned(), "%r2".to_owned()];
        let text = |template| fill(template, &operands).map(|filled| filled.text);
        assert_eq!(
            text("add.s32 $0, ${1:x}, $$5;").as_deref(),
            Some("add.s32 %r1, %r2, $5;")
        );
        assert_eq!(text("$(a $0$|b $1$) c").as_deref(), Some("a %r1 c"));
        assert_eq!(fill("$7", &operands), None);
    }
}
