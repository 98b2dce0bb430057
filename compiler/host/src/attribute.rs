//! CUDA's attributes, which the host's compiler is not to see: as the headers write them, `__attribute__((global))`, and as words, `__global__`.

use warpsmith_cuda::source::{Keyword, Punctuator, Token, TokenKind};

use crate::unit::Unit;

/// The attributes that are for CUDA alone, without underscores around them.
const OF_CUDA: [&str; 17] = [
    "host",
    "device",
    "global",
    "shared",
    "constant",
    "managed",
    "grid_constant",
    "launch_bounds",
    "cluster_dims",
    "block_size",
    "maxnreg",
    "nv_pure",
    "cudart_builtin",
    "device_builtin",
    "device_builtin_texture_type",
    "device_builtin_surface_type",
    "nv_weak_odr",
];

/// What a kernel has in the place of `__global__`: its stub is for this program or library alone.
const OF_KERNEL: &str = "__attribute__((visibility(\"hidden\")))";

/// What functions and variables of the device have in its place.
const UNUSED: &str = "__attribute__((unused))";

/// Takes CUDA's attributes out.
pub(crate) fn take_out(unit: &mut Unit) {
    let mut index = 0;
    while index < unit.tokens.list.len() {
        let token = unit.tokens.list[index];
        index = match token.kind {
            TokenKind::Keyword(Keyword::Attribute) => list(unit, index),
            TokenKind::Keyword(keyword) => word(unit, index, keyword),
            _ => index + 1,
        };
    }
}

/// `__attribute__((…, …))`: the index behind it.
fn list(unit: &mut Unit, first: usize) -> usize {
    let tokens = &unit.tokens.list;
    let is = |index: usize, punctuator| tokens.get(index).is_some_and(|token: &Token| token.is(punctuator));
    if !(is(first + 1, Punctuator::LeftParenthesis) && is(first + 2, Punctuator::LeftParenthesis)) {
        return first + 1;
    }
    let mut items: Vec<(usize, usize, bool)> = Vec::new();
    let (mut depth, mut start, mut index) = (0, first + 3, first + 3);
    let end = loop {
        let Some(token) = tokens.get(index) else { return index };
        let is_end = depth == 0 && token.is(Punctuator::RightParenthesis);
        if is_end || depth == 0 && token.is(Punctuator::Comma) {
            if index > start {
                items.push((start, index, unit.is_of_cuda(start)));
            }
            start = index + 1;
        }
        if is_end {
            break index + 1;
        }
        depth += usize::from(token.is(Punctuator::LeftParenthesis));
        depth -= usize::from(token.is(Punctuator::RightParenthesis));
        index += 1;
    };
    if end >= tokens.len() || items.iter().all(|(_, _, is_of_cuda)| !is_of_cuda) {
        return end;
    }
    let is_kernel = items
        .iter()
        .any(|&(start, _, _)| unit.attribute_name(start) == Some("global"));
    let (from, to) = (unit.starts[first], unit.end_of(end));
    let kept: Vec<&str> = items
        .iter()
        .filter(|(_, _, is_of_cuda)| !is_of_cuda)
        .map(|&(start, end, _)| &unit.text[unit.starts[start]..unit.end_of(end - 1)])
        .collect();
    let mut text = match kept.is_empty() {
        true => String::new(),
        false => format!("__attribute__(({}))", kept.join(", ")),
    };
    if unit.unused.contains(&unit.starts[first + 3]) {
        text.push_str(UNUSED);
    } else if is_kernel {
        text.push_str(OF_KERNEL);
    }
    unit.edits.replace(from, to, text);
    end + 1
}

/// A word such as `__global__` that no header has made an attribute of: the index behind it.
fn word(unit: &mut Unit, index: usize, keyword: Keyword) -> usize {
    let (text, has_arguments) = match keyword {
        Keyword::CudaGlobal | Keyword::CudaTile => (OF_KERNEL, false),
        Keyword::CudaDevice
        | Keyword::CudaHost
        | Keyword::CudaShared
        | Keyword::CudaConstant
        | Keyword::CudaManaged
        | Keyword::CudaGridConstant
        | Keyword::CudaInlineHint
        | Keyword::CudaNvPure => ("", false),
        Keyword::CudaNoInline => ("__attribute__((noinline))", false),
        Keyword::CudaForceInline => ("inline", false),
        Keyword::CudaLaunchBounds | Keyword::CudaMaxRegisters | Keyword::CudaClusterDims | Keyword::CudaBlockSize => {
            ("", true)
        }
        _ => return index + 1,
    };
    // `[[gnu::__noinline__]]` has a word of its own.
    let before = index.checked_sub(1).map(|before| unit.tokens.list[before]);
    if before.is_some_and(|token| token.is(Punctuator::DoubleColon)) {
        return index + 1;
    }
    let last = match has_arguments {
        true => unit.closer(index + 1),
        false => index,
    };
    let is_unused = unit.unused.contains(&unit.starts[index]) && !has_arguments;
    let text = if is_unused { UNUSED } else { text };
    unit.edits.replace(unit.starts[index], unit.end_of(last), text);
    last + 1
}

impl Unit<'_> {
    /// Whether an attribute that begins with a token is one of CUDA's.
    fn is_of_cuda(&self, token: usize) -> bool {
        self.attribute_name(token).is_some_and(|name| OF_CUDA.contains(&name))
    }

    /// The name of the attribute that begins with a token, without underscores around it.
    fn attribute_name(&self, token: usize) -> Option<&str> {
        let name = match self.tokens.list.get(token)?.kind {
            TokenKind::Identifier(name) => self.context.text(name),
            TokenKind::Keyword(keyword) => keyword.text(),
            _ => return None,
        };
        let inner = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
        Some(inner.unwrap_or(name))
    }
}
