//! Attributes as groups and lists of groups.

use rustc_hash::FxHashMap;
use warpsmith_ir::{Extension, FunctionAttributes, Inlining, KernelProperties, MemoryEffects, ParameterAttributes};

use super::stream::Node;
use super::values::{Values, position};
use crate::attributes::WORDS;
use crate::codes::block;

/// The attributes of a module.
#[derive(Default)]
pub(super) struct Attributes {
    groups: FxHashMap<(u64, Vec<u64>), u64>,
    group_nodes: Vec<Node>,
    lists: FxHashMap<Vec<u64>, u64>,
    list_nodes: Vec<Node>,
}

/// What attributes belong to, as the file says it.
const RESULT: u64 = 0;
const FUNCTION: u64 = 0xffff_ffff;

impl Attributes {
    /// The number of a list, from 1 on; 0 for none.
    pub(super) fn list(
        &mut self,
        values: &mut Values<'_>,
        function: Option<(&FunctionAttributes, Option<&KernelProperties>)>,
        result: Option<&ParameterAttributes>,
        parameters: &[ParameterAttributes],
    ) -> u64 {
        let mut list = Vec::new();
        if let Some((attributes, kernel)) = function {
            list.extend(self.group(FUNCTION, function_attributes(attributes, kernel)));
        }
        if let Some(attributes) = result {
            list.extend(self.group(RESULT, parameter_attributes(values, attributes)));
        }
        for (index, attributes) in parameters.iter().enumerate() {
            list.extend(self.group(index as u64 + 1, parameter_attributes(values, attributes)));
        }
        if list.is_empty() {
            return 0;
        }
        if let Some(&known) = self.lists.get(&list) {
            return known;
        }
        self.list_nodes.push(Node::Record(2, list.clone()));
        let number = self.list_nodes.len() as u64;
        self.lists.insert(list, number);
        number
    }

    fn group(&mut self, owner: u64, attributes: Vec<u64>) -> Option<u64> {
        if attributes.is_empty() {
            return None;
        }
        let next = self.group_nodes.len() as u64 + 1;
        let number = *self.groups.entry((owner, attributes.clone())).or_insert(next);
        if number == next {
            let mut numbers = vec![number, owner];
            numbers.extend(attributes);
            self.group_nodes.push(Node::Record(3, numbers));
        }
        Some(number)
    }

    /// The blocks of groups and lists.
    pub(super) fn blocks(self) -> Vec<Node> {
        if self.list_nodes.is_empty() {
            return Vec::new();
        }
        vec![
            Node::Block(block::ATTRIBUTE_GROUPS, self.group_nodes),
            Node::Block(block::ATTRIBUTES, self.list_nodes),
        ]
    }
}

fn words(list: &[(bool, &str)], out: &mut Vec<u64>) {
    for (_, word) in list.iter().filter(|(set, _)| *set) {
        out.extend([0, position(WORDS, word)]);
    }
}

fn number(word: &str, value: u64, out: &mut Vec<u64>) {
    if value != 0 {
        out.extend([1, position(WORDS, word), value]);
    }
}

fn text(key: &str, value: &str, out: &mut Vec<u64>) {
    out.push(if value.is_empty() { 3 } else { 4 });
    out.extend(key.bytes().map(u64::from));
    out.push(0);
    if !value.is_empty() {
        out.extend(value.bytes().map(u64::from));
        out.push(0);
    }
}

fn parameter_attributes(values: &mut Values<'_>, attributes: &ParameterAttributes) -> Vec<u64> {
    let mut out = Vec::new();
    words(
        &[
            (attributes.extension == Extension::Sign, "signext"),
            (attributes.extension == Extension::Zero, "zeroext"),
            (attributes.noundef, "noundef"),
            (attributes.inreg, "inreg"),
            (attributes.noalias, "noalias"),
            (attributes.nocapture, "nocapture"),
            (attributes.nofree, "nofree"),
            (attributes.nonnull, "nonnull"),
            (attributes.readnone, "readnone"),
            (attributes.readonly, "readonly"),
            (attributes.writeonly, "writeonly"),
            (attributes.returned, "returned"),
            (attributes.immarg, "immarg"),
        ],
        &mut out,
    );
    for (word, ty) in [("byval", attributes.byval), ("sret", attributes.sret)] {
        if let Some(ty) = ty {
            out.extend([6, position(WORDS, word), values.ty(ty)]);
        }
    }
    number("align", u64::from(attributes.align), &mut out);
    number("alignstack", u64::from(attributes.stack_align), &mut out);
    number("dereferenceable", attributes.dereferenceable, &mut out);
    number("dereferenceable_or_null", attributes.dereferenceable_or_null, &mut out);
    if attributes.grid_constant {
        text("nvvm.grid_constant", "", &mut out);
    }
    out
}

fn function_attributes(attributes: &FunctionAttributes, kernel: Option<&KernelProperties>) -> Vec<u64> {
    let mut out = Vec::new();
    words(
        &[
            (attributes.inlining == Inlining::Always, "alwaysinline"),
            (attributes.inlining == Inlining::Hint, "inlinehint"),
            (attributes.inlining == Inlining::Never, "noinline"),
            (attributes.cold, "cold"),
            (attributes.convergent, "convergent"),
            (attributes.minsize, "minsize"),
            (attributes.mustprogress, "mustprogress"),
            (attributes.nofree, "nofree"),
            (attributes.norecurse, "norecurse"),
            (attributes.noreturn, "noreturn"),
            (attributes.nosync, "nosync"),
            (attributes.nounwind, "nounwind"),
            (attributes.optnone, "optnone"),
            (attributes.optsize, "optsize"),
            (attributes.speculatable, "speculatable"),
            (attributes.willreturn, "willreturn"),
        ],
        &mut out,
    );
    if attributes.memory != MemoryEffects::ANY {
        let [arguments, inaccessible, other] = attributes.memory.parts().map(u64::from);
        let memory = arguments | inaccessible << 2 | other << 4;
        out.extend([1, position(WORDS, "memory"), memory]);
    }
    for (key, value) in &attributes.strings {
        text(key, value, &mut out);
    }
    if let Some(kernel) = kernel {
        for (key, value) in [
            ("nvvm.maxntid", kernel.maximum_threads),
            ("nvvm.reqntid", kernel.required_threads),
            ("nvvm.cluster_dim", kernel.cluster),
        ] {
            if let Some([x, y, z]) = value {
                text(key, &format!("{x},{y},{z}"), &mut out);
            }
        }
        for (key, value) in [
            ("nvvm.minctasm", kernel.minimum_blocks),
            ("nvvm.maxnreg", kernel.maximum_registers),
            ("nvvm.maxclusterrank", kernel.maximum_cluster_blocks),
        ] {
            if let Some(value) = value {
                text(key, &value.to_string(), &mut out);
            }
        }
    }
    out
}
