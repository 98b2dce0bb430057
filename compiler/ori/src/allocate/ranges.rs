//! Where each word of each register is live: segments of the code with holes between them, and the webs that they form.
//!
//! Instruction `n` reads at position `2n` and writes at `2n + 1`. A segment runs from a definition, or the start of a block, to a last use, or the end of a
//! block. A word is live only where some way from a definition leads to: what a guarded load leaves as it was in other threads needs no register before the
//! load if nothing was there.
//!
//! A write under a guard keeps the old value in the other threads, so the word is live before it, unless what stands before it in the block writes the word
//! under the opposite guard: the two together are one definition. Where nothing but reads under the same guard follow, it is one definition alone.
//!
//! Segments that a value flows through hang together in a *web*; different webs of one register are different registers as far as allocation goes, and so
//! are words that nobody touches together.
//!
//! The work is proportional to the code and to the number of pairs of block and word live at its start.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::RegisterClass;

use super::touches::{Touches, rename};
use crate::{
    ir::{Function, Register, RegisterInfo},
    sets::DisjointSets,
};

/// A run of positions, the end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Segments in order. Most words have one.
pub(crate) type Segments = SmallVec<[Segment; 2]>;

/// Live segments of each word of each register, in order, disjoint.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// For each register, the index of its first word in `words`.
    pub(super) first: Vec<u32>,
    pub(super) words: Vec<Segments>,
}

impl Ranges {
    /// The most words of a file that are live at once.
    pub(crate) fn most_live(&self, function: &Function, class: RegisterClass) -> u32 {
        let mut events: Vec<(u32, i32)> = Vec::new();
        for (register, info) in (0_u32..).zip(&function.registers) {
            if info.class != class {
                continue;
            }
            for segment in (0..info.words).flat_map(|word| self.of(register, word)) {
                events.extend([(segment.start, 1), (segment.end, -1)]);
            }
        }
        events.sort_unstable();
        let (mut live, mut most) = (0_i32, 0_i32);
        for (_, change) in events {
            live += change;
            most = most.max(live);
        }
        most.unsigned_abs()
    }

    pub(crate) fn of(&self, register: u32, word: u8) -> &[Segment] {
        let index = self.first[register as usize] as usize + usize::from(word);
        &self.words[index]
    }
}

/// A set of the words of registers with a guard under which they are dead, in a walk from the end of a block to its start.
#[derive(Debug, Default)]
struct Halves {
    /// For each word: 1 + twice the predicate + whether dead where it does not hold; 0: dead nowhere.
    dead: Vec<u32>,
    by_predicate: FxHashMap<u32, Vec<u32>>,
}

impl Halves {
    fn new(words: usize) -> Halves {
        Halves {
            dead: vec![0; words],
            by_predicate: FxHashMap::default(),
        }
    }

    fn code(guard: (u32, bool)) -> u32 {
        1 + 2 * guard.0 + u32::from(guard.1)
    }

    /// A write under a guard. Whether the word is now dead in all threads.
    fn write(&mut self, word: u32, guard: (u32, bool)) -> bool {
        let opposite = Halves::code((guard.0, !guard.1));
        if self.dead[word as usize] == opposite {
            self.dead[word as usize] = 0;
            return true;
        }
        self.dead[word as usize] = Halves::code(guard);
        self.by_predicate.entry(guard.0).or_default().push(word);
        false
    }

    /// A read, perhaps under a guard.
    fn read(&mut self, word: u32, guard: Option<(u32, bool)>) {
        let dead = self.dead[word as usize];
        if dead != 0 && guard.is_none_or(|(register, negated)| dead != Halves::code((register, !negated))) {
            self.dead[word as usize] = 0;
        }
    }

    /// A read under a guard, of a word that is dead behind it. Whether it is now known to be dead where the guard does not hold.
    fn read_last(&mut self, word: u32, guard: Option<(u32, bool)>) -> bool {
        let Some((predicate, negated)) = guard else {
            return false;
        };
        if self.dead[word as usize] != 0 {
            return false;
        }
        self.dead[word as usize] = Halves::code((predicate, !negated));
        self.by_predicate.entry(predicate).or_default().push(word);
        true
    }

    fn forget(&mut self, word: u32) {
        self.dead[word as usize] = 0;
    }

    /// The predicate is another one before this.
    fn predicate_written(&mut self, predicate: u32) {
        if self.by_predicate.is_empty() {
            return;
        }
        if let Some(list) = self.by_predicate.remove(&predicate) {
            for word in list {
                if self.dead[word as usize].saturating_sub(1) / 2 == predicate {
                    self.dead[word as usize] = 0;
                }
            }
        }
    }

    /// The start of the block.
    fn clear(&mut self) {
        for (_, list) in self.by_predicate.drain() {
            for word in list {
                self.dead[word as usize] = 0;
            }
        }
    }
}

/// What is known of words at the borders of blocks: the words of each block, in order.
#[derive(Debug, Default)]
struct Borders {
    live_in: Vec<Vec<u32>>,
    live_out: Vec<Vec<u32>>,
}

/// The graph of blocks.
struct Graph {
    successors: Vec<Vec<u32>>,
    predecessors: Vec<Vec<u32>>,
}

impl Graph {
    fn of(function: &Function) -> Graph {
        let count = function.blocks.len();
        let mut graph = Graph {
            successors: Vec::with_capacity(count),
            predecessors: vec![Vec::new(); count],
        };
        for block in 0..count {
            let list = function.successors(crate::ir::BlockId(block as u32));
            for to in &list {
                graph.predecessors[to.0 as usize].push(block as u32);
            }
            graph.successors.push(list.iter().map(|to| to.0).collect());
        }
        graph
    }
}

/// What each block does to the words that it touches: pairs of word and block.
#[derive(Debug, Default)]
struct Effects {
    /// Read before anything in the block gives all threads a new value.
    exposed: Vec<(u32, u32)>,
    /// Given a new value in all threads.
    killed: Vec<(u32, u32)>,
    /// Written at all.
    defined: Vec<(u32, u32)>,
}

/// The first word of each register, and the number of words.
fn number_words(function: &Function) -> (Vec<u32>, usize) {
    let mut first = Vec::with_capacity(function.registers.len());
    let mut words = 0_u32;
    for register in &function.registers {
        first.push(words);
        words += u32::from(register.words);
    }
    (first, words as usize)
}

fn effects(touches: &Touches, first: &[u32], words: usize) -> Effects {
    #[derive(Clone, Copy)]
    struct State {
        block: u32,
        exposed: bool,
        killed: bool,
        defined: bool,
        /// It is dead under a guard unless it is live at the end of the block.
        unless_live: bool,
    }
    let none = State {
        block: u32::MAX,
        exposed: false,
        killed: false,
        defined: false,
        unless_live: false,
    };
    let mut states = vec![none; words];
    let mut halves = Halves::new(words);
    let mut effects = Effects::default();
    let mut touched: Vec<u32> = Vec::new();
    for block in 0..touches.block_first.len() - 1 {
        touched.clear();
        for instruction in touches.block(block).rev() {
            for touch in touches.at(instruction) {
                let base = first[touch.register as usize] + u32::from(touch.word);
                for word in base..base + u32::from(touch.words) {
                    if states[word as usize].block != block as u32 {
                        states[word as usize] = State {
                            block: block as u32,
                            ..none
                        };
                        touched.push(word);
                    }
                }
            }
            for touch in touches.at(instruction).iter().filter(|touch| touch.writes) {
                let base = first[touch.register as usize] + u32::from(touch.word);
                let guard = touches.writes_under(instruction, *touch);
                for word in base..base + u32::from(touch.words) {
                    let all = match guard {
                        Some(guard) => halves.write(word, guard),
                        None => {
                            halves.forget(word);
                            true
                        }
                    };
                    let state = &mut states[word as usize];
                    state.defined = true;
                    if all {
                        state.exposed = false;
                        // What is live at the end of the block stays in the other threads.
                        match (state.unless_live, guard) {
                            (true, Some(guard)) => _ = halves.write(word, guard),
                            _ => state.killed = true,
                        }
                    }
                    state.unless_live = false;
                }
                halves.predicate_written(touch.register);
            }
            for touch in touches.at(instruction).iter().filter(|touch| touch.reads) {
                let guard = touches.reads_under(instruction, *touch);
                let base = first[touch.register as usize] + u32::from(touch.word);
                for word in base..base + u32::from(touch.words) {
                    halves.read(word, guard);
                    let state = &mut states[word as usize];
                    if !state.exposed && halves.read_last(word, guard) {
                        state.unless_live = !state.killed;
                    }
                    state.exposed = true;
                }
            }
        }
        halves.clear();
        for &word in &touched {
            let state = states[word as usize];
            if state.exposed {
                effects.exposed.push((word, block as u32));
            }
            if state.killed {
                effects.killed.push((word, block as u32));
            }
            if state.defined {
                effects.defined.push((word, block as u32));
            }
        }
    }
    // Most words are read in no block but their own, after it has written them: they are live at no border.
    let mut crosses = vec![false; words];
    for (word, _) in &effects.exposed {
        crosses[*word as usize] = true;
    }
    effects.killed.retain(|(word, _)| crosses[*word as usize]);
    effects.defined.retain(|(word, _)| crosses[*word as usize]);
    effects.exposed = by_word(&effects.exposed, words);
    effects.killed = by_word(&effects.killed, words);
    effects.defined = by_word(&effects.defined, words);
    effects
}

/// Pairs of word and block that stand in order of the blocks, in order of the words.
fn by_word(pairs: &[(u32, u32)], words: usize) -> Vec<(u32, u32)> {
    let mut next = vec![0_u32; words + 1];
    for (word, _) in pairs {
        next[*word as usize + 1] += 1;
    }
    for word in 0..words {
        next[word + 1] += next[word];
    }
    let mut sorted = vec![(0, 0); pairs.len()];
    for pair in pairs {
        let place = &mut next[pair.0 as usize];
        sorted[*place as usize] = *pair;
        *place += 1;
    }
    sorted
}

/// The run of pairs of a word, from a cursor that only moves on.
fn run<'p>(pairs: &'p [(u32, u32)], cursor: &mut usize, word: u32) -> &'p [(u32, u32)] {
    while pairs.get(*cursor).is_some_and(|pair| pair.0 < word) {
        *cursor += 1;
    }
    let start = *cursor;
    while pairs.get(*cursor).is_some_and(|pair| pair.0 == word) {
        *cursor += 1;
    }
    &pairs[start..*cursor]
}

/// Marks of blocks for one word after the other, without clearing.
struct Marks {
    stamp: Vec<u32>,
}

impl Marks {
    fn new(count: usize) -> Marks {
        Marks {
            stamp: vec![u32::MAX; count],
        }
    }

    /// Whether it was not there yet.
    fn add(&mut self, block: u32, word: u32) -> bool {
        let stamp = &mut self.stamp[block as usize];
        let new = *stamp != word;
        *stamp = word;
        new
    }

    fn has(&self, block: u32, word: u32) -> bool {
        self.stamp[block as usize] == word
    }
}

/// Which words are live at the borders of blocks, word after word. `entered`: whether a word holds something when the function is entered.
fn borders(graph: &Graph, effects: &Effects, entered: &dyn Fn(u32) -> bool) -> Borders {
    let count = graph.successors.len();
    let mut borders = Borders {
        live_in: vec![Vec::new(); count],
        live_out: vec![Vec::new(); count],
    };
    let (mut killed, mut live, mut reached, mut out, mut defined) = (
        Marks::new(count),
        Marks::new(count),
        Marks::new(count),
        Marks::new(count),
        Marks::new(count),
    );
    let (mut at_exposed, mut at_killed, mut at_defined) = (0, 0, 0);
    let mut work: Vec<u32> = Vec::new();
    while let Some(&(word, _)) = effects.exposed.get(at_exposed) {
        for &(_, block) in run(&effects.killed, &mut at_killed, word) {
            killed.add(block, word);
        }
        let mut found: Vec<u32> = Vec::new();
        for &(_, block) in run(&effects.exposed, &mut at_exposed, word) {
            live.add(block, word);
            work.push(block);
        }
        while let Some(block) = work.pop() {
            found.push(block);
            for &from in &graph.predecessors[block as usize] {
                if !killed.has(from, word) && live.add(from, word) {
                    work.push(from);
                }
            }
        }
        // Of these, the ones that a definition leads to.
        for &(_, block) in run(&effects.defined, &mut at_defined, word) {
            defined.add(block, word);
            work.push(block);
        }
        if entered(word) && live.has(0, word) && reached.add(0, word) && defined.add(0, word) {
            work.push(0);
        }
        while let Some(block) = work.pop() {
            for &to in &graph.successors[block as usize] {
                if live.has(to, word) {
                    reached.add(to, word);
                    if defined.add(to, word) {
                        work.push(to);
                    }
                }
            }
        }
        for block in found {
            if !reached.has(block, word) {
                continue;
            }
            borders.live_in[block as usize].push(word);
            for &from in &graph.predecessors[block as usize] {
                if defined.has(from, word) && out.add(from, word) {
                    borders.live_out[from as usize].push(word);
                }
            }
        }
    }
    borders
}

/// A live segment of a word in one block.
#[derive(Clone, Copy, Debug)]
struct Piece {
    word: u32,
    start: u32,
    end: u32,
}

/// The walk that makes pieces, from the last block to the first and backwards in each.
struct Walk<'t> {
    touches: &'t Touches,
    first: &'t [u32],
    pieces: Vec<Piece>,
    sets: DisjointSets,
    /// For each touch, the index in `named` of its first word.
    touch_first: Vec<u32>,
    /// For each word of each touch, a piece.
    named: Vec<u32>,
    /// For each word, its open piece plus one.
    open: Vec<u32>,
}

impl Walk<'_> {
    fn open(&mut self, word: u32, end: u32) -> u32 {
        let piece = self.sets.add();
        self.pieces.push(Piece { word, start: end, end });
        self.open[word as usize] = piece + 1;
        piece
    }

    fn current(&self, word: u32) -> Option<u32> {
        self.open[word as usize].checked_sub(1)
    }

    fn close(&mut self, word: u32, start: u32) {
        if let Some(piece) = self.current(word) {
            self.pieces[piece as usize].start = start;
            self.open[word as usize] = 0;
        }
    }

    /// Notes that the piece is touched here: where nothing leads into the block, it starts no later.
    fn touch(&mut self, piece: u32, at: u32) {
        let start = &mut self.pieces[piece as usize].start;
        *start = (*start).min(at);
    }

    fn instruction(&mut self, instruction: usize, halves: &mut Halves) {
        let touches = self.touches;
        let at = 2 * instruction as u32;
        for index in touches.range(instruction) {
            let touch = touches.get(index);
            if !touch.writes {
                continue;
            }
            let base = self.first[touch.register as usize] + u32::from(touch.word);
            let guard = touches.writes_under(instruction, touch);
            for offset in 0..u32::from(touch.words) {
                let word = base + offset;
                let piece = match self.current(word) {
                    Some(piece) => piece,
                    None => self.open(word, at + 2),
                };
                self.named[(self.touch_first[index] + offset) as usize] = piece;
                self.touch(piece, at + 1);
                let all = match guard {
                    Some(guard) => halves.write(word, guard),
                    None => {
                        halves.forget(word);
                        true
                    }
                };
                if all {
                    self.close(word, at + 1);
                }
            }
            halves.predicate_written(touch.register);
        }
        for index in touches.range(instruction) {
            let touch = touches.get(index);
            let guard = touches.reads_under(instruction, touch);
            let base = self.first[touch.register as usize] + u32::from(touch.word);
            let names = self.touch_first[index];
            for offset in 0..u32::from(touch.words) {
                let word = base + offset;
                if touch.reads {
                    halves.read(word, guard);
                    let piece = match self.current(word) {
                        Some(piece) => piece,
                        None => {
                            halves.read_last(word, guard);
                            self.open(word, at + 1)
                        }
                    };
                    self.touch(piece, at);
                    if touch.writes {
                        let written = self.named[(names + offset) as usize];
                        self.sets.join(written, piece);
                    }
                    self.named[(names + offset) as usize] = piece;
                }
                let (own, leader) = (self.named[(names + offset) as usize], self.named[names as usize]);
                self.sets.join(own, leader);
            }
        }
    }
}

/// Splits the registers of a function into webs: each becomes a register of its own, as wide as the words that it has. Gives the live segments of all.
/// `whole` is not split.
pub(super) fn split_into_webs(function: &mut Function, touches: &mut Touches, whole: Option<Register>) -> Ranges {
    let (first, words) = number_words(function);
    let graph = Graph::of(function);
    let effects = effects(touches, &first, words);
    let mut fixed = vec![false; words];
    for (register, info) in function.registers.iter().enumerate() {
        // Barriers have no value at entry: one that must be a certain one and is only read is set behind the back of these tables, by `BMOV`.
        let set_by_caller = info.fixed.is_some() && info.class != RegisterClass::Barrier;
        if set_by_caller || whole == Some(Register(register as u32)) {
            let start = first[register] as usize;
            fixed[start..start + usize::from(info.words)].fill(true);
        }
    }
    let borders = borders(&graph, &effects, &|word| fixed[word as usize]);
    drop(effects);
    let mut touch_first = Vec::with_capacity(touches.len());
    let mut names = 0;
    for index in 0..touches.len() {
        touch_first.push(names);
        names += u32::from(touches.get(index).words);
    }
    let mut walk = Walk {
        touches,
        first: &first,
        pieces: Vec::with_capacity(words),
        sets: DisjointSets::with_capacity(words),
        touch_first,
        named: vec![u32::MAX; names as usize],
        open: vec![0; words],
    };
    join_pieces(&mut walk, &graph, &borders);
    let Walk {
        pieces,
        mut sets,
        touch_first,
        named,
        ..
    } = walk;
    if let Some(whole) = whole {
        let range = first[whole.0 as usize]..first[whole.0 as usize] + u32::from(function.info(whole).words);
        let mut leader = None;
        for (index, _) in pieces
            .iter()
            .enumerate()
            .filter(|(_, piece)| range.contains(&piece.word))
        {
            let leader = *leader.get_or_insert(index as u32);
            sets.join(leader, index as u32);
        }
    }
    let mut ranges = name_webs(function, touches, &first, &pieces, &mut sets, &touch_first, &named);
    super::others::keep_for_others(function, touches, &mut ranges);
    super::barriers::keep_on_ways_out(function, &graph.successors, &touches.block_first, &mut ranges);
    ranges
}

/// Segments in order, those that touch joined.
pub(super) fn merged(mut list: Segments) -> Segments {
    list.sort_unstable_by_key(|segment| segment.start);
    let mut result = Segments::with_capacity(list.len());
    for segment in list {
        match result.last_mut() {
            Some(last) if last.end >= segment.start => last.end = last.end.max(segment.end),
            _ => result.push(segment),
        }
    }
    result
}

/// Walks all blocks, and joins the pieces that values flow between.
fn join_pieces(walk: &mut Walk<'_>, graph: &Graph, borders: &Borders) {
    let words = walk.open.len();
    let mut halves = Halves::new(words);
    // The pieces at the end of each block, in step with the words that are live there, and those at its start.
    let mut at_end: Vec<Vec<u32>> = vec![Vec::new(); borders.live_out.len()];
    let mut at_start: Vec<(u32, u32, u32)> = Vec::new();
    let mut touched: Vec<u32> = Vec::new();
    for block in (0..graph.successors.len()).rev() {
        let code = walk.touches.block(block);
        let (start, end) = (2 * code.start as u32, 2 * code.end as u32);
        touched.clear();
        at_end[block].reserve_exact(borders.live_out[block].len());
        for &word in &borders.live_out[block] {
            let piece = walk.open(word, end);
            at_end[block].push(piece);
            touched.push(word);
        }
        for instruction in code.clone().rev() {
            for touch in walk.touches.at(instruction) {
                let base = walk.first[touch.register as usize] + u32::from(touch.word);
                touched.extend(base..base + u32::from(touch.words));
            }
            walk.instruction(instruction, &mut halves);
        }
        halves.clear();
        for &word in &borders.live_in[block] {
            if let Some(piece) = walk.current(word) {
                at_start.push((block as u32, word, piece));
                walk.close(word, start);
            }
        }
        // What is read and never written keeps the start of its first touch.
        for &word in &touched {
            walk.open[word as usize] = 0;
        }
    }
    for (block, word, piece) in at_start {
        for &from in &graph.predecessors[block as usize] {
            if let Ok(index) = borders.live_out[from as usize].binary_search(&word) {
                walk.sets.join(piece, at_end[from as usize][index]);
            }
        }
    }
}

/// The numbers of the pieces in order of word and start.
fn in_order(pieces: &[Piece], words: usize) -> Vec<u32> {
    let mut next = vec![0_u32; words + 1];
    for piece in pieces {
        next[piece.word as usize + 1] += 1;
    }
    for word in 0..words {
        next[word + 1] += next[word];
    }
    // The walk goes backwards: of the pieces of a word the last was made first.
    let mut order = vec![0; pieces.len()];
    for (index, piece) in pieces.iter().enumerate().rev() {
        let place = &mut next[piece.word as usize];
        order[*place as usize] = index as u32;
        *place += 1;
    }
    let key = |piece: &u32| (pieces[*piece as usize].word, pieces[*piece as usize].start);
    if !order.is_sorted_by(|a, b| key(a) < key(b)) {
        order.sort_unstable_by_key(key);
    }
    order
}

/// Gives each web a register, and renames.
fn name_webs(
    function: &mut Function,
    touches: &mut Touches,
    first: &[u32],
    pieces: &[Piece],
    sets: &mut DisjointSets,
    touch_first: &[u32],
    named: &[u32],
) -> Ranges {
    // For each word, its register.
    let mut owner = Vec::new();
    for (register, info) in function.registers.iter().enumerate() {
        owner.extend(std::iter::repeat_n(register as u32, usize::from(info.words)));
    }
    // For each web, by its representative: lowest and highest word, and then its register.
    let mut extent: Vec<(u32, u32)> = vec![(u32::MAX, 0); pieces.len()];
    let order = in_order(pieces, owner.len());
    for (index, piece) in pieces.iter().enumerate() {
        let web = sets.find(index as u32) as usize;
        extent[web] = (extent[web].0.min(piece.word), extent[web].1.max(piece.word));
    }
    let mut register_of: Vec<u32> = vec![u32::MAX; pieces.len()];
    let before = function.registers.clone();
    let mut taken = vec![false; before.len()];
    // For each word, a register that has it.
    let mut holder: Vec<Option<u32>> = vec![None; owner.len()];
    for &piece in &order {
        let web = sets.find(piece) as usize;
        if register_of[web] != u32::MAX {
            continue;
        }
        let (low, high) = extent[web];
        let old = owner[low as usize];
        let info = RegisterInfo {
            words: (high - low + 1) as u8,
            // A fixed number is that of the first word.
            fixed: before[old as usize]
                .fixed
                .map(|number| number.saturating_add((low - first[old as usize]) as u8)),
            ..before[old as usize]
        };
        register_of[web] = if taken[old as usize] {
            function.registers.push(info);
            function.registers.len() as u32 - 1
        } else {
            old
        };
        // The first web keeps the number of the register.
        if !taken[old as usize] {
            taken[old as usize] = true;
            function.registers[old as usize] = info;
        }
        for word in low..=high {
            if let Some(other) = holder[word as usize].replace(register_of[web]) {
                for register in [other, register_of[web]] {
                    function.registers[register as usize].split = true;
                }
            }
        }
    }
    let name = |register_of: &[u32], sets: &mut DisjointSets, piece: u32| {
        let web = sets.find(piece) as usize;
        (register_of[web], pieces[piece as usize].word - extent[web].0)
    };
    let mut instruction_number = 0;
    for block in &mut function.blocks {
        for instruction in &mut block.code {
            for index in touches.range(instruction_number) {
                let touch = touches.get(index);
                if touch.words > 0 {
                    let (register, word) = name(&register_of, sets, named[touch_first[index] as usize]);
                    rename(instruction, touch, Register(register), word as u8);
                    touches.rename(index, register, word as u8);
                }
            }
            instruction_number += 1;
        }
    }
    let (first, words) = number_words(function);
    let mut ranges = Ranges {
        first,
        words: Vec::new(),
    };
    ranges.words.resize_with(words, Segments::new);
    for &piece in &order {
        let (register, word) = name(&register_of, sets, piece);
        let list = &mut ranges.words[(ranges.first[register as usize] + word) as usize];
        let Piece { start, end, .. } = pieces[piece as usize];
        match list.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => list.push(Segment { start, end }),
        }
    }
    ranges
}
