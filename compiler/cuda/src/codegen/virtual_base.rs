//! Virtual bases ([class.mi], Itanium C++ ABI 2.5 and 2.6): where they are is found in the virtual table, in front of what other tables have there; constructors and
//! destructors of a class as a base get a table of the tables that hold while the object around it is made.
//!
//! Every table is made for one place of its class in a complete object, so that all distances in it are constants and its thunks need none from the object.

use warpsmith_ir as ir;

use super::Generator;
use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{ClassId, mangle_virtual_table};

/// The virtual bases of an object and how far they are from its start: of a complete object, or of one that is a base of another.
pub(super) type VirtualOffsets = Vec<(ClassId, i64)>;

/// Bytes from the point of a virtual table back to the distance of the first virtual base: it stands before the distance to the top and the type information.
const FIRST_DISTANCE: i64 = -24;

impl Generator<'_> {
    /// The virtual bases of a complete object.
    pub(super) fn complete_offsets(&self, class: ClassId) -> VirtualOffsets {
        let bases = &self.program.class(class).layout.virtual_bases;
        bases.iter().map(|&(base, offset)| (base, offset as i64)).collect()
    }

    /// The virtual bases of a base at an offset in an object that has these.
    fn offsets_within(&self, base: ClassId, at: i64, around: &VirtualOffsets) -> VirtualOffsets {
        let bases = self.program.virtual_bases(base);
        bases
            .into_iter()
            .map(|base| (base, offset_of(around, base) - at))
            .collect()
    }

    /// The virtual bases of a class in the order of their distances in its table: those of the base that shares the table first.
    pub(super) fn distance_order(&self, class: ClassId) -> Vec<ClassId> {
        let data = self.program.class(class);
        let mut order = match data.layout.primary_base {
            Some(primary) => self.distance_order(data.bases[primary].class),
            None => Vec::new(),
        };
        for base in self.program.virtual_bases(class) {
            if !order.contains(&base) {
                order.push(base);
            }
        }
        order
    }

    /// The points of all tables that the constructor of a class as a base needs, and then those of its own bases; of a complete object also of its virtual bases.
    fn points(&mut self, class: ClassId, offsets: &VirtualOffsets, complete: bool) -> Vec<ir::ConstantId> {
        let count = self.groups(class, offsets).len();
        let mut points: Vec<ir::ConstantId> = (0..count)
            .map(|group| self.table_point(class, offsets, group))
            .collect();
        for (base, at) in self.bases_with_points(class, offsets, complete) {
            let within = self.offsets_within(base, at, offsets);
            points.extend(self.points(base, &within, false));
        }
        points
    }

    /// The bases whose constructors get points of tables, with their offsets.
    fn bases_with_points(&self, class: ClassId, offsets: &VirtualOffsets, complete: bool) -> Vec<(ClassId, i64)> {
        let data = self.program.class(class);
        let direct = data.bases.iter().zip(&data.layout.base_offsets);
        let mut bases: Vec<(ClassId, i64)> = direct
            .filter(|(base, _)| !base.is_virtual)
            .map(|(base, offset)| (base.class, *offset as i64))
            .collect();
        if complete {
            bases.extend(offsets.iter().copied());
        }
        bases.retain(|(base, _)| self.program.has_virtual_bases(*base));
        bases
    }

    /// How many points a base's constructor gets.
    fn point_count(&self, class: ClassId, offsets: &VirtualOffsets, complete: bool) -> usize {
        let bases = self.bases_with_points(class, offsets, complete);
        let of_bases = bases.into_iter().map(|(base, at)| {
            let within = self.offsets_within(base, at, offsets);
            self.point_count(base, &within, false)
        });
        self.groups(class, offsets).len() + of_bases.sum::<usize>()
    }

    /// Where the points of a base begin among those of a class.
    fn first_point(&self, class: ClassId, base: ClassId, complete: bool) -> usize {
        let offsets = self.complete_offsets(class);
        let mut first = self.groups(class, &offsets).len();
        for (other, at) in self.bases_with_points(class, &offsets, complete) {
            if other == base {
                break;
            }
            let within = self.offsets_within(other, at, &offsets);
            first += self.point_count(other, &within, false);
        }
        first
    }

    /// The table of the tables of a complete object's bases.
    fn table_of_tables(&mut self, class: ClassId) -> ir::GlobalId {
        if let Some(&known) = self.tables_of_tables.get(&class) {
            return known;
        }
        let offsets = self.complete_offsets(class);
        let points = self.points(class, &offsets, true);
        let ty = self.context.array(ir::Type::POINTER, points.len() as u64);
        let name = mangle_virtual_table(self.program, class).replacen("_ZTV", "_ZTT", 1);
        let mut global = ir::Global::new(name, ty, ir::AddressSpace::GLOBAL);
        global.linkage = ir::Linkage::Internal;
        global.constant = true;
        global.align = 8;
        global.initializer = Some(self.context.aggregate(ty, &points));
        let made = self.module.symbols.add_global(global);
        self.tables_of_tables.insert(class, made);
        made
    }
}

/// The offset of a virtual base.
pub(super) fn offset_of(offsets: &VirtualOffsets, base: ClassId) -> i64 {
    offsets
        .iter()
        .find(|(known, _)| *known == base)
        .map_or(0, |(_, offset)| *offset)
}

impl FunctionGenerator<'_, '_> {
    /// Whether a base is virtual: it is so, or is no direct one.
    pub(super) fn is_virtual_base(&self, class: ClassId, base: ClassId) -> bool {
        let bases = &self.program.class(class).bases;
        bases
            .iter()
            .find(|direct| direct.class == base)
            .is_none_or(|direct| direct.is_virtual)
    }

    /// The points of tables for the constructor or destructor of a base of the object under construction, if it wants any.
    pub(super) fn points_for(&mut self, class: ClassId, base: ClassId) -> Option<ir::Value> {
        if !self.program.has_virtual_bases(base) {
            return None;
        }
        let complete = self.table_points.is_none();
        let first = self.generator.first_point(class, base, complete) as i64 * 8;
        Some(match self.table_points {
            Some(points) => {
                let mut build = self.build();
                let bytes = build.i64(first);
                build.byte_offset(points, bytes)
            }
            None => {
                let table = self.generator.table_of_tables(class);
                let address = self.generator.generic_address(table);
                self.generator.context.offset_address(address, first).into()
            }
        })
    }

    /// How far a virtual base is from an object of a class, by the object's table.
    fn virtual_distance(&mut self, object: ir::Value, class: ClassId, base: ClassId) -> ir::Value {
        let table = self.build().load(ir::Type::POINTER, object);
        self.distance_in(table, class, base)
    }

    fn distance_in(&mut self, table: ir::Value, class: ClassId, base: ClassId) -> ir::Value {
        let order = self.generator.distance_order(class);
        let index = order.iter().position(|&other| other == base).unwrap_or(0) as i64;
        let mut build = self.build();
        let bytes = build.i64(FIRST_DISTANCE - 8 * index);
        let at = build.byte_offset(table, bytes);
        build.load(ir::Type::I64, at)
    }

    /// Whether a way to a base leads over a virtual one.
    pub(super) fn is_over_virtual(&self, class: ClassId, path: &[ClassId]) -> bool {
        let starts = std::iter::once(&class).chain(path);
        starts.zip(path).any(|(&from, &step)| self.is_virtual_base(from, step))
    }

    /// The address of a base by a way that leads over virtual ones; the object is there.
    pub(super) fn walk_to_base(&mut self, pointer: ir::Value, class: ClassId, path: &[ClassId]) -> ir::Value {
        let (mut at, mut current) = (pointer, class);
        for &step in path {
            let distance = match self.is_virtual_base(current, step) {
                true => self.virtual_distance(at, current, step),
                false => {
                    let offset = self.program.base_path_offset(current, &[step]) as i64;
                    self.build().i64(offset)
                }
            };
            at = self.build().byte_offset(at, distance);
            current = step;
        }
        at
    }

    /// As [`Self::walk_to_base`]; null stays null.
    pub(super) fn walk_from_pointer(&mut self, pointer: ir::Value, class: ClassId, path: &[ClassId]) -> ir::Value {
        if Some(pointer) == self.this {
            return self.walk_to_base(pointer, class, path);
        }
        let (object, after) = (self.new_block("object"), self.new_block("base"));
        let before = self.block;
        let mut build = self.build();
        let null = build.zero(ir::Type::POINTER);
        let is_null = build.icmp(ir::IntPredicate::Eq, pointer, null);
        build.conditional_branch(is_null, after, object);
        self.enter(object);
        let base = self.walk_to_base(pointer, class, path);
        let end = self.block;
        self.branch(after);
        self.enter(after);
        self.build().phi(ir::Type::POINTER, &[(before, null), (end, base)])
    }

    /// Sets the table pointers of an object that is a base of another: to the points that the caller gives.
    pub(super) fn set_given_pointers(&mut self, class: ClassId, this: ir::Value, points: ir::Value) {
        let offsets = self.generator.complete_offsets(class);
        let groups = self.generator.groups(class, &offsets);
        let mut own_table = None;
        for (number, group) in groups.iter().enumerate() {
            let mut build = self.build();
            let bytes = build.i64(number as i64 * 8);
            let at = build.byte_offset(points, bytes);
            let table = build.load(ir::Type::POINTER, at);
            let own_table = *own_table.get_or_insert(table);
            let place = match group.within {
                None => self.offset(Place::new(this, 8), group.offset as u64).pointer,
                Some(base) => {
                    let distance = self.distance_in(own_table, class, base);
                    let rest = group.offset - offset_of(&offsets, base);
                    let mut build = self.build();
                    let start = build.byte_offset(this, distance);
                    let rest = build.i64(rest);
                    build.byte_offset(start, rest)
                }
            };
            self.build().store(table, place);
        }
    }
}
