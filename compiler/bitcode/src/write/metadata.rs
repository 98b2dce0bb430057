//! Metadata: nodes that are the same are one.

use rustc_hash::FxHashMap;
use warpsmith_ir::{Attachments, ConstantId, Context, LocationId, LoopHints, Symbol, Type};

use super::stream::Node;
use super::values::Values;
use crate::codes::block;

/// A piece of metadata.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Piece {
    Text(String),
    Constant(ConstantId),
    /// A record with its code and numbers.
    Record(u32, Vec<u64>),
}

/// The metadata of a module.
#[derive(Default)]
pub(super) struct Metadata {
    pieces: Vec<Piece>,
    known: FxHashMap<Piece, u64>,
    kinds: Vec<&'static str>,
    locations: FxHashMap<LocationId, u64>,
    subprograms: FxHashMap<(Symbol, Symbol), u64>,
    unit: Option<u64>,
    scopes: FxHashMap<u32, u64>,
    lists: Vec<(String, Vec<u64>)>,
}

/// Codes of records.
const NODE: u32 = 3;
const DISTINCT: u32 = 5;

impl Metadata {
    fn piece(&mut self, piece: Piece) -> u64 {
        if let Some(&known) = self.known.get(&piece) {
            return known;
        }
        let number = self.distinct(piece.clone());
        self.known.insert(piece, number);
        number
    }

    fn distinct(&mut self, piece: Piece) -> u64 {
        self.pieces.push(piece);
        self.pieces.len() as u64 - 1
    }

    pub(super) fn text(&mut self, text: &str) -> u64 {
        self.piece(Piece::Text(text.to_owned()))
    }

    pub(super) fn constant(&mut self, id: ConstantId) -> u64 {
        self.piece(Piece::Constant(id))
    }

    fn int(&mut self, context: &Context, bits: u32, value: i64) -> u64 {
        self.constant(context.int(bits, i128::from(value)))
    }

    /// A node of these elements.
    pub(super) fn node(&mut self, elements: &[u64]) -> u64 {
        let numbers = elements.iter().map(|element| element + 1).collect();
        self.piece(Piece::Record(NODE, numbers))
    }

    pub(super) fn list(&mut self, name: &str, nodes: Vec<u64>) {
        if !nodes.is_empty() {
            self.lists.push((name.to_owned(), nodes));
        }
    }

    /// Whether a place in the source is named.
    pub(super) fn unit(&self) -> Option<u64> {
        self.unit
    }

    fn kind(&mut self, name: &'static str) -> u64 {
        let known = self.kinds.iter().position(|known| *known == name);
        let index = known.unwrap_or_else(|| {
            self.kinds.push(name);
            self.kinds.len() - 1
        });
        index as u64
    }

    /// The node of a function in a file, which places in the source are in.
    pub(super) fn subprogram(&mut self, context: &Context, file: Symbol, function: Symbol) -> u64 {
        if let Some(&known) = self.subprograms.get(&(file, function)) {
            return known;
        }
        let path = context.text(file);
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (name, directory) = (self.text(name), self.text(directory));
        let file_node = self.piece(Piece::Record(16, vec![0, name + 1, directory + 1, 0, 0]));
        let unit = match self.unit {
            Some(unit) => unit,
            None => {
                // C++, places alone; declared as what it is inlined.
                let mut numbers = vec![1, 4, file_node + 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1];
                numbers.extend([0; 5]);
                let unit = self.distinct(Piece::Record(20, numbers));
                self.unit = Some(unit);
                unit
            }
        };
        let none = self.node(&[]);
        let ty = self.piece(Piece::Record(19, vec![2, 0, none + 1, 0]));
        let name = self.text(context.text(function));
        // Distinct, with a unit, and with flags in one number: a definition.
        let mut numbers = vec![7, 0, name + 1, 0, file_node + 1, 0, ty + 1, 0, 0, 8, 0, 0, unit + 1];
        numbers.extend([0; 8]);
        let number = self.distinct(Piece::Record(21, numbers));
        self.subprograms.insert((file, function), number);
        number
    }

    /// The node of a place that something is inlined to.
    pub(super) fn location(&mut self, context: &Context, id: LocationId) -> u64 {
        let mut chain = vec![id];
        while let Some(outer) = chain.last().and_then(|&last| context.location_data(last).inlined_at) {
            if self.locations.contains_key(&outer) {
                break;
            }
            chain.push(outer);
        }
        let mut number = 0;
        for id in chain.into_iter().rev() {
            let location = *context.location_data(id);
            let scope = self.subprogram(context, location.file, location.function);
            let outer = location
                .inlined_at
                .and_then(|outer| self.locations.get(&outer).copied());
            let numbers = vec![
                1,
                u64::from(location.line),
                u64::from(location.column),
                scope,
                outer.map_or(0, |outer| outer + 1),
                0,
            ];
            number = match self.locations.get(&id) {
                Some(&known) => known,
                None => self.distinct(Piece::Record(7, numbers)),
            };
            self.locations.insert(id, number);
        }
        number
    }

    /// The pairs of kinds and nodes that are attached to an instruction.
    pub(super) fn attachments(&mut self, context: &Context, attachments: &Attachments) -> Vec<u64> {
        let mut pairs = Vec::new();
        let mut add = |metadata: &mut Metadata, kind, node| pairs.extend([metadata.kind(kind), node]);
        if !attachments.range.is_empty() {
            let ends = attachments
                .range
                .iter()
                .flat_map(|(low, high)| [low.clone(), high.clone()]);
            let ends: Vec<u64> = ends.map(|end| self.constant(context.integer(end))).collect();
            let node = self.node(&ends);
            add(self, "range", node);
        }
        for (is_set, kind) in [
            (attachments.nonnull, "nonnull"),
            (attachments.noundef, "noundef"),
            (attachments.unpredictable, "unpredictable"),
        ] {
            if is_set {
                let node = self.node(&[]);
                add(self, kind, node);
            }
        }
        for (kind, value) in [
            ("align", attachments.align),
            ("dereferenceable", attachments.dereferenceable),
        ] {
            if value != 0 {
                let value = self.int(context, 64, value as i64);
                let node = self.node(&[value]);
                add(self, kind, node);
            }
        }
        if !attachments.weights.is_empty() {
            let mut elements = vec![self.text("branch_weights")];
            for &weight in &attachments.weights {
                elements.push(self.int(context, 32, i64::from(weight)));
            }
            let node = self.node(&elements);
            add(self, "prof", node);
        }
        if let Some(precision) = attachments.precision {
            let value = self.constant(context.float(Type::Float, u64::from(precision)));
            let node = self.node(&[value]);
            add(self, "fpmath", node);
        }
        if let Some(hints) = &attachments.loop_hints {
            let node = self.loop_node(context, hints);
            add(self, "llvm.loop", node);
        }
        for (kind, scopes) in [
            ("alias.scope", &attachments.alias_scopes),
            ("noalias", &attachments.noalias_scopes),
        ] {
            if !scopes.is_empty() {
                let scopes: Vec<u64> = scopes.iter().map(|&scope| self.scope(scope)).collect();
                let node = self.node(&scopes);
                add(self, kind, node);
            }
        }
        pairs
    }

    /// An attachment that says no more than its kind.
    pub(super) fn mark(&mut self, context: &Context, kind: &'static str) -> [u64; 2] {
        let elements = match kind {
            "nontemporal" => vec![self.int(context, 32, 1)],
            _ => Vec::new(),
        };
        let node = self.node(&elements);
        [self.kind(kind), node]
    }

    fn scope(&mut self, scope: u32) -> u64 {
        if let Some(&known) = self.scopes.get(&scope) {
            return known;
        }
        let name = self.text("warpsmith");
        let domain = self.node(&[name]);
        let name = self.text(&format!("scope {scope}"));
        let number = self.distinct(Piece::Record(NODE, vec![name + 1, domain + 1]));
        self.scopes.insert(scope, number);
        number
    }

    fn loop_node(&mut self, context: &Context, hints: &LoopHints) -> u64 {
        let mut parts = Vec::new();
        for (is_set, name) in [
            (hints.must_progress, "llvm.loop.mustprogress"),
            (hints.unroll_disable, "llvm.loop.unroll.disable"),
            (hints.unroll_enable, "llvm.loop.unroll.enable"),
            (hints.unroll_full, "llvm.loop.unroll.full"),
        ] {
            if is_set {
                let name = self.text(name);
                parts.push(self.node(&[name]));
            }
        }
        if let Some(count) = hints.unroll_count {
            let (name, count) = (
                self.text("llvm.loop.unroll.count"),
                self.int(context, 32, i64::from(count)),
            );
            parts.push(self.node(&[name, count]));
        }
        // Its first element is the node itself.
        let own = self.pieces.len() as u64;
        let numbers = std::iter::once(own).chain(parts).map(|part| part + 1).collect();
        self.distinct(Piece::Record(DISTINCT, numbers))
    }

    /// Gives the constants in metadata their numbers.
    pub(super) fn number_constants(&self, values: &mut Values<'_>) {
        for piece in &self.pieces {
            if let Piece::Constant(id) = piece {
                values.ty(values.context.constant_type(*id));
                values.constant(*id);
            }
        }
    }

    /// The blocks of kinds and of metadata. All constants have numbers by now.
    pub(super) fn blocks(self, values: &mut Values<'_>) -> Vec<Node> {
        let mut blocks = Vec::new();
        let characters = |text: &str| text.bytes().map(u64::from).collect::<Vec<_>>();
        if !self.kinds.is_empty() {
            let kinds = self.kinds.iter().enumerate().map(|(number, name)| {
                let mut numbers = vec![number as u64];
                numbers.extend(characters(name));
                Node::Record(6, numbers)
            });
            blocks.push(Node::Block(block::METADATA_KINDS, kinds.collect()));
        }
        let mut nodes: Vec<Node> = Vec::new();
        for piece in &self.pieces {
            nodes.push(match piece {
                Piece::Text(text) => Node::Record(1, characters(text)),
                Piece::Constant(id) => {
                    let ty = values.ty(values.context.constant_type(*id));
                    Node::Record(2, vec![ty, values.constant(*id)])
                }
                Piece::Record(code, numbers) => Node::Record(*code, numbers.clone()),
            });
        }
        for (name, list) in &self.lists {
            nodes.push(Node::Record(4, characters(name)));
            nodes.push(Node::Record(10, list.clone()));
        }
        if !nodes.is_empty() {
            blocks.push(Node::Block(block::METADATA, nodes));
        }
        blocks
    }
}
