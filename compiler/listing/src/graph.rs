//! Control flow graphs in Graphviz' DOT.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

use warpsmith_cubin::{Cubin, SectionType};
use warpsmith_sass::{Flow, Instruction};
use warpsmith_target::Isa;

use crate::code::{Operands, isa_of};
use crate::error::ListingError;
use crate::labels::{CodeLabels, INSTRUCTION};
use crate::nvdisasm::info;
use crate::options::ListingOptions;
use crate::view::{View, is_code};

/// Writes the control flow graphs of a cubin: a cluster per function section, a node per basic block, an
/// edge per way from one block to the next (dashed: not taken; bold: indirect).
///
/// # Errors
/// Where a word is no instruction, or the output cannot be written.
pub fn control_flow_graph(cubin: &Cubin, options: &ListingOptions, out: &mut dyn Write) -> Result<(), ListingError> {
    let view = View::new(cubin);
    let isa = isa_of(cubin)?;
    let mut text = String::from("digraph {\n    node [shape=box, fontname=monospace, fontsize=10];\n");
    for index in 0..cubin.sections.len() as u32 {
        let wanted = options.functions.is_empty()
            || options
                .functions
                .iter()
                .any(|&function| view.section_of(function) == Some(index));
        if is_code(&cubin.sections[index as usize]) && wanted {
            Graph::read(&view, isa, index)?.write(&view, options, &mut text);
        }
    }
    text.push_str("}\n");
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// How a block is left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Next,
    NotTaken,
    Taken,
    Indirect,
}

/// Address of each instruction that leaves its block: where it goes, and whether it may go on.
type Jumps = BTreeMap<u64, (Vec<(Way, u64)>, bool)>;

struct Graph {
    section: u32,
    instructions: Vec<Instruction>,
    /// Where blocks start.
    starts: BTreeSet<u64>,
    /// Block start to (way, block start).
    edges: BTreeSet<(u64, Way, u64)>,
    labels: CodeLabels,
}

impl Graph {
    fn read(view: &View, isa: Isa, section: u32) -> Result<Graph, ListingError> {
        let name = &view.cubin.sections[section as usize].name;
        let bytes = view.cubin.section_bytes(section).unwrap_or(&[]);
        let decode = |(position, word): (usize, &[u8])| {
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            let at = position as u64 * INSTRUCTION;
            Instruction::decode(isa, word).map_err(|error| ListingError::at(name, at, error.to_string()))
        };
        let words = bytes.chunks_exact(INSTRUCTION as usize).enumerate();
        let instructions: Vec<Instruction> = words.map(decode).collect::<Result<_, _>>()?;
        let labels = CodeLabels::new(view, |index| index == section);
        let mut graph = Graph {
            section,
            instructions,
            starts: BTreeSet::from([0]),
            edges: BTreeSet::new(),
            labels,
        };
        let jumps = graph.jumps(view);
        graph.connect(&jumps);
        Ok(graph)
    }

    fn end(&self) -> u64 {
        self.instructions.len() as u64 * INSTRUCTION
    }

    /// Address of each instruction that leaves its block, with where it goes and whether it may go on.
    fn jumps(&mut self, view: &View) -> Jumps {
        let indirect = indirect_targets(view, self.section);
        let mut jumps = BTreeMap::new();
        for (position, instruction) in self.instructions.iter().enumerate() {
            let address = position as u64 * INSTRUCTION;
            let target = instruction.branch_target(address).filter(|&target| target < self.end());
            if let Some(target) = target {
                self.labels.need(view, self.section, target);
            }
            // A predicate operand of BRA makes it conditional just as a guard does.
            let conditional = instruction.guard().is_some()
                || instruction.registers().any(|register| {
                    register.number.is_some()
                        && matches!(
                            register.class,
                            warpsmith_sass::RegisterClass::Predicate | warpsmith_sass::RegisterClass::UniformPredicate
                        )
                });
            let ways = match instruction.flow() {
                Flow::Branch | Flow::Indirect => match indirect.get(&address) {
                    Some(targets) => targets.iter().map(|&target| (Way::Indirect, target)).collect(),
                    None => target.into_iter().map(|target| (Way::Taken, target)).collect(),
                },
                Flow::Exit | Flow::Return | Flow::Trap => Vec::new(),
                _ => continue,
            };
            jumps.insert(address, (ways, conditional));
        }
        let symbols = view
            .symbols_of(self.section)
            .iter()
            .map(|&symbol| view.symbols[symbol as usize].value);
        let end = self.end();
        self.starts.extend(symbols.filter(|&start| start < end));
        jumps
    }

    fn connect(&mut self, jumps: &Jumps) {
        for (&address, (ways, _)) in jumps {
            self.starts.insert(address + INSTRUCTION);
            self.starts.extend(ways.iter().map(|&(_, target)| target));
        }
        let end = self.end();
        self.starts.retain(|&start| start < end);
        let mut starts = self.starts.iter().copied().peekable();
        while let Some(start) = starts.next() {
            let next = starts.peek().copied().unwrap_or(end);
            let last = next - INSTRUCTION;
            match jumps.get(&last) {
                Some((ways, conditional)) => {
                    self.edges
                        .extend(ways.iter().map(|&(way, target)| (start, way, target)));
                    if *conditional && next < end {
                        self.edges.insert((start, Way::NotTaken, next));
                    }
                }
                None if next < end => {
                    self.edges.insert((start, Way::Next, next));
                }
                None => {}
            }
        }
    }

    fn write(&self, view: &View, options: &ListingOptions, out: &mut String) {
        let section = self.section;
        let name = &view.cubin.sections[section as usize].name;
        let _ = writeln!(
            out,
            "    subgraph \"cluster_{section}\" {{\n        label={};",
            quoted(name)
        );
        let mut starts = self.starts.iter().copied().peekable();
        while let Some(start) = starts.next() {
            let end = starts.peek().copied().unwrap_or(self.end());
            let mut text = String::new();
            if let Some(place) = self.labels.place(view, section, start) {
                place.name.write(view, &mut text);
                text.push_str(":\n");
            }
            for address in (start..end).step_by(INSTRUCTION as usize) {
                let instruction = &self.instructions[(address / INSTRUCTION) as usize];
                let _ = write!(text, "{address:04x}  ");
                Operands::bare(view, &self.labels, section, address).write(instruction, &mut text);
                if options.encodings {
                    let _ = write!(text, "  {:032x}", instruction.word());
                }
                text.push('\n');
            }
            let _ = writeln!(out, "        \"{section}_{start:x}\" [label={}];", quoted(&text));
        }
        out.push_str("    }\n");
        for &(from, way, to) in &self.edges {
            let style = match way {
                Way::Next | Way::Taken => "solid",
                Way::NotTaken => "dashed",
                Way::Indirect => "bold",
            };
            let _ = writeln!(
                out,
                "    \"{section}_{from:x}\" -> \"{section}_{to:x}\" [style={style}];"
            );
        }
    }
}

/// The targets of indirect branches that the section's `.nv.info` lists.
fn indirect_targets(view: &View, section: u32) -> BTreeMap<u64, Vec<u64>> {
    let mut lists = BTreeMap::new();
    let sections = view.cubin.sections.iter().enumerate();
    for (index, _) in sections.filter(|(_, info)| info.section_type == SectionType::CUDA_INFO && info.info == section) {
        let bytes = view.cubin.section_bytes(index as u32).unwrap_or(&[]);
        let Ok(items) = info::items(bytes) else {
            continue;
        };
        for (branch, targets) in info::branch_targets(&items) {
            lists.insert(u64::from(branch), targets.into_iter().map(u64::from).collect());
        }
    }
    lists
}

/// A DOT string; lines end flush left.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    format!("\"{escaped}\"")
}
