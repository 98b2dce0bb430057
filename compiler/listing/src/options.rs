//! What a listing shows.

/// The form of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// The text that nvdisasm 13.5 prints.
    Nvdisasm,
    /// Warpsmith's own form, which [`assemble`](crate::assemble) turns back into the same file.
    #[default]
    Warpsmith,
}

/// Which source lines a listing shows above the instructions that come from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineInfo {
    /// None.
    #[default]
    None,
    /// CUDA C++ lines, from `.debug_line` (`nvdisasm -g`).
    Lines,
    /// CUDA C++ lines with the chain of calls that were inlined (`nvdisasm -gi`).
    Inlined,
    /// PTX lines, from `.nv_debug_line_sass` (`nvdisasm -gp`).
    Ptx,
}

/// Options of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingOptions {
    /// The form of the listing.
    pub style: Style,
    /// Show code sections only (`nvdisasm -c`).
    pub code_only: bool,
    /// Show the words beside the instructions (`nvdisasm -hex`).
    pub encodings: bool,
    /// Show source lines.
    pub line_info: LineInfo,
    /// JSON instead of text (`nvdisasm -json`); in nvdisasm's style only.
    pub json: bool,
    /// Annotate indirect branches with their targets (off: `nvdisasm -ndf`).
    pub dataflow: bool,
    /// Set functions apart by blank lines (`nvdisasm -sf`).
    pub separate_functions: bool,
    /// List sections in alphabetical order (`nvdisasm -sort`).
    pub sort_sections: bool,
    /// Restrict code to the sections of the functions with these symbol indices; empty: no restriction
    /// (`nvdisasm -fun`).
    pub functions: Vec<u32>,
    /// Plain columns: tabs become blanks and guards stand beside their instructions (`nvdisasm -raw`).
    pub raw: bool,
}

impl Default for ListingOptions {
    fn default() -> Self {
        ListingOptions {
            style: Style::default(),
            code_only: false,
            encodings: false,
            line_info: LineInfo::None,
            json: false,
            dataflow: true,
            separate_functions: false,
            sort_sections: false,
            functions: Vec::new(),
            raw: false,
        }
    }
}

impl ListingOptions {
    /// The options of a plain `nvdisasm FILE`.
    pub fn nvdisasm() -> Self {
        ListingOptions {
            style: Style::Nvdisasm,
            ..ListingOptions::default()
        }
    }
}
