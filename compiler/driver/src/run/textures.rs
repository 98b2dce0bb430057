//! Textures, samplers and surfaces of a launch file: `[textures]`, `[samplers]` and `[surfaces]`.

use std::ops::Range;

use toml::de::DeTable;
use warpsmith_emu::texture::{
    AddressMode, ChannelKind, Comparison, Filter, Format, Geometry, Image, ImageId, Sampler, Shape, Storage,
};
use warpsmith_emu::{Device, Fault};

use super::array::{Array, Element};
use super::launch_file::{Complaint, Entry, array, dimensions, literal, small, string, table};
use super::plan::Plan;
use super::source::{self, Sources};

/// Texels that textures and surfaces show.
#[derive(Debug)]
pub(crate) struct Picture {
    /// Name of the texture or surface that brought it.
    pub name: String,
    /// The texels: their type, and their bytes before the first launch.
    pub array: Array,
    shape: Shape,
    format: Format,
}

/// What a handle is of.
#[derive(Debug)]
enum View {
    Texture(usize, Format, Sampler),
    Surface(usize, u32),
    Sampler(Sampler),
}

/// All textures, samplers and surfaces of a plan.
#[derive(Debug, Default)]
pub(crate) struct Textures {
    pictures: Vec<Picture>,
    /// Name, picture and what is made of it.
    views: Vec<(String, View)>,
}

/// The same on a device.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    images: Vec<ImageId>,
    /// One for each view.
    pub handles: Vec<u64>,
}

impl Textures {
    /// The index of a texture, sampler or surface.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.views.iter().position(|(own, _)| own == name)
    }

    /// The names, in order of the handles.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.views.iter().map(|(name, _)| name.as_str())
    }

    /// Makes everything on a device.
    pub(crate) fn create(&self, device: &mut Device) -> Result<Handles, String> {
        let mut made = Handles::default();
        for picture in &self.pictures {
            let storage = Storage::Array(picture.array.bytes.clone());
            let said = |fault: Fault| format!("`{}`: {}", picture.name, fault.message);
            let image = Image::new(picture.shape, picture.format, storage).map_err(said)?;
            made.images.push(device.create_image(image).map_err(said)?);
        }
        for (name, view) in &self.views {
            let handle = match *view {
                View::Texture(picture, format, sampler) => device.create_texture(made.images[picture], format, sampler),
                View::Surface(picture, level) => device.create_surface(made.images[picture], level),
                View::Sampler(sampler) => device.create_sampler(sampler),
            };
            made.handles
                .push(handle.map_err(|fault| format!("`{name}`: {}", fault.message))?);
        }
        Ok(made)
    }

    /// The texels behind a texture or surface as they are now; none for other names.
    pub(crate) fn array(&self, handles: &Handles, device: &Device, name: &str) -> Option<Result<Array, String>> {
        let index = match self.views[self.find(name)?].1 {
            View::Texture(picture, ..) | View::Surface(picture, _) => picture,
            View::Sampler(_) => return None,
        };
        let bytes = device.read_image(handles.images[index]).map_err(|fault| fault.message);
        let start = &self.pictures[index].array;
        Some(bytes.map(|bytes| Array { bytes, ..start.clone() }))
    }
}

/// The format of texels of this type.
fn format(element: Element, channels: u32) -> Result<Format, String> {
    let kind = match element {
        Element::U8 | Element::U16 | Element::U32 => ChannelKind::Unsigned,
        Element::S8 | Element::S16 | Element::S32 => ChannelKind::Signed,
        Element::F16 | Element::F32 => ChannelKind::Float,
        Element::U64 | Element::S64 | Element::F64 | Element::Bf16 => {
            return Err(format!("there are no texels of {element}"));
        }
    };
    Format::new(kind, 8 * element.size() as u32, channels).map_err(|fault| fault.message)
}

/// One of these words.
fn choice<T: Copy>(value: Entry, choices: &[(&str, T)]) -> Result<T, Complaint> {
    let text = string(value)?;
    let found = choices.iter().find(|(word, _)| *word == text);
    found.map(|&(_, choice)| choice).ok_or_else(|| {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        (
            value.span(),
            format!("there is no `{text}` here; there are {}", words.join(", ")),
        )
    })
}

const GEOMETRIES: [(&str, Geometry); 9] = [
    ("1d", Geometry::Line),
    ("2d", Geometry::Plane),
    ("3d", Geometry::Volume),
    ("a1d", Geometry::Lines),
    ("a2d", Geometry::Planes),
    ("cube", Geometry::Cube),
    ("acube", Geometry::Cubes),
    ("2dms", Geometry::Samples),
    ("a2dms", Geometry::SampleLayers),
];

const ADDRESS_MODES: [(&str, AddressMode); 4] = [
    ("wrap", AddressMode::Wrap),
    ("mirror", AddressMode::Mirror),
    ("clamp", AddressMode::ClampToEdge),
    ("border", AddressMode::ClampToBorder),
];

const FILTERS: [(&str, Filter); 2] = [("point", Filter::Point), ("linear", Filter::Linear)];

const COMPARISONS: [(&str, Comparison); 8] = [
    ("never", Comparison::Never),
    ("less", Comparison::Less),
    ("equal", Comparison::Equal),
    ("less_or_equal", Comparison::LessOrEqual),
    ("greater", Comparison::Greater),
    ("not_equal", Comparison::NotEqual),
    ("greater_or_equal", Comparison::GreaterOrEqual),
    ("always", Comparison::Always),
];

/// What the keys of a texture or surface say.
#[derive(Debug, Default)]
struct Keys {
    array: Option<Array>,
    /// A name, and where it stands.
    of: Option<(String, Range<usize>)>,
    geometry: Option<Geometry>,
    size: Option<(usize, [u32; 3])>,
    layers: Option<u32>,
    levels: Option<u32>,
    samples: Option<u32>,
    channels: Option<u32>,
    level: u32,
    normalised: bool,
    sampler: Sampler,
}

impl Keys {
    fn read(table: &DeTable, sources: &Sources) -> Result<Keys, Complaint> {
        let mut keys = Keys::default();
        for (key, value) in table.iter() {
            match &**key.get_ref() {
                "data" => {
                    let array = source::array(string(value)?, sources);
                    keys.array = Some(array.map_err(|reason| (value.span(), reason))?);
                }
                "image" => keys.of = Some((string(value)?.to_owned(), value.span())),
                "geometry" => keys.geometry = Some(choice(value, &GEOMETRIES)?),
                "size" => {
                    let count = value.get_ref().as_array().map_or(1, |sizes| sizes.len());
                    keys.size = Some((count, dimensions(value)?));
                }
                "layers" => keys.layers = Some(small(value)?),
                "levels" => keys.levels = Some(small(value)?),
                "samples" => keys.samples = Some(small(value)?),
                "channels" => keys.channels = Some(small(value)?),
                "level" => keys.level = small(value)?,
                "read" => keys.normalised = choice(value, &[("element", false), ("normalised", true)])?,
                name if keys.sampler_key(name, value)? => {}
                name => return Err((key.span(), format!("there is no key `{name}` of a texture or surface"))),
            }
        }
        Ok(keys)
    }

    /// Reads a key of a sampler; returns whether it is one.
    fn sampler_key(&mut self, name: &str, value: Entry) -> Result<bool, Complaint> {
        let sampler = &mut self.sampler;
        match name {
            "coordinates" => sampler.normalised = choice(value, &[("texels", false), ("normalised", true)])?,
            "address" => match value.get_ref().as_array() {
                None => sampler.address = [choice(value, &ADDRESS_MODES)?; 3],
                Some(modes) => {
                    for (own, mode) in sampler.address.iter_mut().zip(modes.iter()) {
                        *own = choice(mode, &ADDRESS_MODES)?;
                    }
                }
            },
            "filter" => sampler.filter = choice(value, &FILTERS)?,
            "mip_filter" => sampler.mip_filter = choice(value, &FILTERS)?,
            "comparison" => sampler.comparison = choice(value, &COMPARISONS)?,
            "srgb" => sampler.srgb = literal(value)? != "0",
            "bias" => sampler.bias = single(value)?,
            "lod" => fill(&mut sampler.levels, value)?,
            "border" => fill(&mut sampler.border, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn shape(&self, place: Range<usize>) -> Result<Shape, Complaint> {
        let Some((count, size)) = self.size else {
            return Err((place, "`size` is missing".to_owned()));
        };
        let geometry = self.geometry.unwrap_or(match (count, self.layers) {
            (1, None) => Geometry::Line,
            (1, Some(_)) => Geometry::Lines,
            (2, None) => Geometry::Plane,
            (2, Some(_)) => Geometry::Planes,
            _ => Geometry::Volume,
        });
        let plain = Shape::new(geometry, size);
        Ok(Shape {
            layers: self.layers.unwrap_or(plain.layers),
            levels: self.levels.unwrap_or(1),
            samples: self.samples.unwrap_or(1),
            ..plain
        })
    }
}

/// The bits of a number as an `f32`.
fn single(value: Entry) -> Result<u32, Complaint> {
    let bits = Element::F32.parse(&literal(value)?);
    bits.map(|bits| bits as u32).map_err(|reason| (value.span(), reason))
}

/// A list of as many numbers.
fn fill(target: &mut [u32], value: Entry) -> Result<(), Complaint> {
    let numbers = array(value)?;
    if numbers.len() != target.len() {
        return Err((value.span(), format!("{} numbers are wanted", target.len())));
    }
    for (target, number) in target.iter_mut().zip(numbers.iter()) {
        *target = single(number)?;
    }
    Ok(())
}

/// Reads `[textures]`, `[surfaces]` and `[samplers]` of the top level of a launch file.
pub(crate) fn read(root: &DeTable, sources: &Sources, plan: &mut Plan) -> Result<(), Complaint> {
    let mut found = Vec::new();
    for (key, value) in root.iter() {
        let section = &**key.get_ref();
        if !matches!(section, "textures" | "surfaces" | "samplers") {
            continue;
        }
        for (name, value) in table(value)?.iter() {
            let keys = Keys::read(table(value)?, sources)?;
            found.push((section.to_owned(), name.get_ref().to_string(), name.span(), keys));
        }
    }
    // What brings its own texels comes first, so that the others can show them.
    for (_, name, place, keys) in &mut found {
        if let Some(array) = keys.array.take() {
            let format = format(array.element, keys.channels.unwrap_or(1));
            let picture = Picture {
                name: name.clone(),
                shape: keys.shape(place.clone())?,
                format: format.map_err(|reason| (place.clone(), reason))?,
                array,
            };
            plan.textures.pictures.push(picture);
        }
    }
    for (section, name, place, keys) in found {
        if plan.textures.find(&name).is_some() || plan.buffer(&name).is_some() {
            return Err((place, format!("there are two things `{name}`")));
        }
        let view = view(&section, &name, place, &keys, plan)?;
        plan.textures.views.push((name, view));
    }
    Ok(())
}

fn view(section: &str, name: &str, place: Range<usize>, keys: &Keys, plan: &Plan) -> Result<View, Complaint> {
    if section == "samplers" {
        return Ok(View::Sampler(keys.sampler));
    }
    let (wanted, place) = keys.of.clone().unwrap_or((name.to_owned(), place));
    let pictures = &plan.textures.pictures;
    let Some(index) = pictures.iter().position(|picture| picture.name == wanted) else {
        return Err((place, format!("`{wanted}` has no `data`")));
    };
    if section == "surfaces" {
        return Ok(View::Surface(index, keys.level));
    }
    let own = pictures[index].format;
    let kind = match (keys.normalised, own.kind) {
        (true, ChannelKind::Unsigned) => ChannelKind::UnsignedNormalised,
        (true, ChannelKind::Signed) => ChannelKind::SignedNormalised,
        (_, kind) => kind,
    };
    Ok(View::Texture(index, Format { kind, ..own }, keys.sampler))
}
