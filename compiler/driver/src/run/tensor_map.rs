//! `[tensor_maps]` of a launch file: tensors in buffers, for kernels that copy boxes of them.

use toml::de::DeTable;
use warpsmith_emu::ptx::{Swizzle, TensorBox, TensorElement, TensorMap};

use super::launch_file::{Complaint, Entry, array, integer, number, small, string, table};
use super::plan::Plan;

/// A tensor map with a name. The map's address is the offset in the buffer.
#[derive(Debug)]
pub(crate) struct NamedMap {
    /// Its name in arguments.
    pub name: String,
    /// An index into [`Plan::buffers`].
    pub buffer: usize,
    /// The map.
    pub map: TensorMap,
}

/// Reads the table.
pub(crate) fn read(maps: &DeTable, plan: &mut Plan) -> Result<(), Complaint> {
    for (name, value) in maps.iter() {
        let map = named(name.get_ref(), value, plan)?;
        plan.tensor_maps.push(map);
    }
    Ok(())
}

fn numbers(value: Entry) -> Result<Vec<u64>, Complaint> {
    let list = array(value)?;
    if list.is_empty() || list.len() > 5 {
        return Err((value.span(), "one to five numbers are wanted".to_owned()));
    }
    list.iter().map(number).collect()
}

fn small_numbers(value: Entry) -> Result<Vec<u32>, Complaint> {
    numbers(value)?; // The number of them.
    array(value)?.iter().map(small).collect()
}

fn corner(value: Entry) -> Result<[i32; 3], Complaint> {
    let mut corner = [0; 3];
    for (own, value) in corner.iter_mut().zip(array(value)?.iter()) {
        *own = integer(value)?;
    }
    Ok(corner)
}

fn swizzle(value: Entry) -> Result<Swizzle, Complaint> {
    Ok(match string(value)? {
        "none" => Swizzle::None,
        "32B" => Swizzle::B32,
        "64B" => Swizzle::B64,
        "96B" => Swizzle::B96,
        "128B" => Swizzle::B128,
        "128B atom 32B" => Swizzle::B128Atom32,
        "128B atom 32B flip 8B" => Swizzle::B128Atom32Flip8,
        "128B atom 64B" => Swizzle::B128Atom64,
        name => return Err((value.span(), format!("there is no swizzle `{name}`"))),
    })
}

fn named(name: &str, value: Entry, plan: &Plan) -> Result<NamedMap, Complaint> {
    let (mut buffer, mut offset, mut element) = (None, 0, None);
    let (mut sizes, mut strides, mut steps, mut box_sizes) = (Vec::new(), None, Vec::new(), Vec::new());
    let (mut lower, mut upper, mut channels, mut pixels) = ([0; 3], [0; 3], None, None);
    let (mut fill_nan, mut order, mut interleave, mut is_wide) = (false, Swizzle::None, 0, false);
    for (key, value) in table(value)?.iter() {
        match &**key.get_ref() {
            "buffer" => {
                let name = string(value)?;
                let index = plan.buffer(name);
                buffer = Some(index.ok_or_else(|| (value.span(), format!("there is no buffer `{name}`")))?);
            }
            "offset" => offset = number(value)?,
            "type" => {
                let name = string(value)?;
                let found = TensorElement::named(name);
                element = Some(found.ok_or_else(|| (value.span(), format!("tensors have no type `{name}`")))?);
            }
            "sizes" => sizes = numbers(value)?,
            "strides" => strides = Some(numbers(value)?),
            "element_strides" => steps = small_numbers(value)?,
            "box" => box_sizes = small_numbers(value)?,
            "lower" => lower = corner(value)?,
            "upper" => upper = corner(value)?,
            "channels" => channels = Some(small(value)?),
            "pixels" => pixels = Some(small(value)?),
            "mode" => is_wide = string(value)? == "w",
            "swizzle" => order = swizzle(value)?,
            "interleave" => interleave = small(value)? / 16,
            "fill" => fill_nan = string(value)? == "nan",
            name => return Err((key.span(), format!("there is no key `{name}` of a tensor map"))),
        }
    }
    let missing = |what: &str| (value.span(), format!("`{what}` of the tensor map is missing"));
    let buffer = buffer.ok_or_else(|| missing("buffer"))?;
    let element = element.ok_or_else(|| missing("type"))?;
    if sizes.is_empty() {
        return Err(missing("sizes"));
    }
    let mut map = TensorMap::tiled(offset, element, &sizes, &box_sizes);
    (map.swizzle, map.fill_nan, map.interleave) = (order, fill_nan, interleave);
    map.pack();
    for (own, given) in map.strides.iter_mut().zip(strides.unwrap_or_default()) {
        *own = given;
    }
    for (own, given) in map.element_strides.iter_mut().zip(steps) {
        *own = given;
    }
    if let Some((channels, pixels)) = channels.zip(pixels) {
        map.shape = match is_wide {
            true => TensorBox::Im2colWide {
                lower: lower[0],
                upper: upper[0],
                channels,
                pixels,
            },
            false => TensorBox::Im2col {
                lower,
                upper,
                channels,
                pixels,
            },
        };
    } else if box_sizes.is_empty() {
        return Err(missing("box"));
    }
    map.encode().map_err(|fault| (value.span(), fault.message))?;
    Ok(NamedMap {
        name: name.to_owned(),
        buffer,
        map,
    })
}
