//! Modules: variables, functions and what is said of them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arena::{Arena, entity};
use crate::attributes::{FunctionAttributes, KernelProperties, ParameterAttributes};
use crate::constant::ConstantId;
use crate::context::Context;
use crate::debug::DebugInfo;
use crate::function::Function;
use crate::location::LocationId;
use crate::opcode::keywords;
use crate::types::{AddressSpace, FunctionType, Type};

entity!(
    /// A variable of a module.
    ordered GlobalId, "global");
entity!(
    /// A function of a module, with or without a body.
    ordered FunctionId, "function");
entity!(
    /// Another name of a variable or function.
    ordered AliasId, "alias");

keywords!(
/// Who else sees a symbol.
Linkage {
    External = "external",
    #[doc = "Not visible outside of the module; loses its name when linked."]
    Private = "private",
    #[doc = "Not visible outside of the module."]
    Internal = "internal",
    #[doc = "The same definition elsewhere may be taken; may be dropped if not used."]
    LinkOnce = "linkonce",
    #[doc = "As `linkonce`, and all definitions are equivalent."]
    LinkOnceOdr = "linkonce_odr",
    #[doc = "The same definition elsewhere may be taken."]
    Weak = "weak",
    #[doc = "As `weak`, and all definitions are equivalent."]
    WeakOdr = "weak_odr",
    #[doc = "A tentative definition of C."]
    Common = "common",
    #[doc = "Arrays that are joined when linked."]
    Appending = "appending",
    #[doc = "Null if not defined."]
    ExternalWeak = "extern_weak",
    #[doc = "A copy of a definition elsewhere, for the optimiser."]
    AvailableExternally = "available_externally",
});

impl Linkage {
    /// Whether nobody outside of the module sees the symbol.
    pub fn is_local(self) -> bool {
        matches!(self, Linkage::Private | Linkage::Internal)
    }

    /// Whether the definition here may be replaced by a different one when linked, so that nothing may be concluded from its body.
    pub fn is_interposable(self) -> bool {
        matches!(
            self,
            Linkage::LinkOnce | Linkage::Weak | Linkage::Common | Linkage::ExternalWeak
        )
    }

    /// Whether the symbol may be dropped if the module does not use it.
    pub fn is_discardable(self) -> bool {
        use Linkage::{AvailableExternally, Internal, LinkOnce, LinkOnceOdr, Private};
        matches!(self, Private | Internal | LinkOnce | LinkOnceOdr | AvailableExternally)
    }
}

/// What a variable is beyond memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GlobalRole {
    /// Memory.
    #[default]
    Plain,
    /// `__managed__`: memory that moves between host and device.
    Managed,
    /// A reference to a texture.
    Texture,
    /// A reference to a surface.
    Surface,
    /// A sampler.
    Sampler,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// The type of its value.
    pub ty: Type,
    /// Where it is.
    pub space: AddressSpace,
    /// Who sees it.
    pub linkage: Linkage,
    /// What it is before any code runs; `None` for a declaration. `Undef` for memory without a value, such as shared variables.
    pub initializer: Option<ConstantId>,
    /// Alignment in bytes, a power of two; 0 for that of the type.
    pub align: u32,
    /// Nothing writes it.
    pub constant: bool,
    /// The host may set it before kernels run: the initializer is not what kernels find.
    pub externally_initialized: bool,
    /// Its address does not matter: it may share memory with an equal one.
    pub unnamed_address: bool,
    /// The section, if one is named.
    pub section: Option<String>,
    /// The comdat group, if it is in one.
    pub comdat: Option<String>,
    /// What else it is.
    pub role: GlobalRole,
    /// Set by [`Symbols::remove_global`]: it is not written and nothing may refer to it.
    pub removed: bool,
}

impl Global {
    /// A declaration: external, of no initializer, with the alignment of the type.
    pub fn new(name: impl Into<String>, ty: Type, space: AddressSpace) -> Global {
        Global {
            name: name.into(),
            ty,
            space,
            linkage: Linkage::External,
            initializer: None,
            align: 0,
            constant: false,
            externally_initialized: false,
            unnamed_address: false,
            section: None,
            comdat: None,
            role: GlobalRole::Plain,
            removed: false,
        }
    }

    /// Whether the value at the start of a kernel is the initializer.
    pub fn has_known_initializer(&self) -> bool {
        self.initializer.is_some() && !self.linkage.is_interposable() && !self.externally_initialized
    }
}

/// The calling convention.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Convention {
    /// That of device functions.
    #[default]
    C,
    /// `fastcc`: any, all callers are known.
    Fast,
    /// `coldcc`.
    Cold,
    /// Another of LLVM's numbers, kept as it is.
    Numbered(u32),
}

/// All of a function but its body.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: FunctionType,
    /// Who sees it.
    pub linkage: Linkage,
    /// How it is called, if it is no kernel.
    pub convention: Convention,
    /// What is said of its launches, if it is a kernel.
    pub kernel: Option<KernelProperties>,
    /// Attributes of the function.
    pub attributes: FunctionAttributes,
    /// Attributes of the result.
    pub result_attributes: ParameterAttributes,
    /// Attributes of the parameters, one for each.
    pub parameters: Vec<ParameterAttributes>,
    /// Alignment of the code in bytes; 0 for none stated.
    pub align: u32,
    /// The section, if one is named.
    pub section: Option<String>,
    /// The comdat group, if it is in one.
    pub comdat: Option<String>,
    /// Its address does not matter.
    pub unnamed_address: bool,
    /// Set by [`Module::remove_function`]: it is not written and nothing may refer to it.
    pub removed: bool,
}

impl Declaration {
    /// A declaration of external linkage without attributes.
    pub fn new(context: &Context, name: impl Into<String>, ty: FunctionType) -> Declaration {
        Declaration {
            name: name.into(),
            ty,
            linkage: Linkage::External,
            convention: Convention::C,
            kernel: None,
            attributes: FunctionAttributes::default(),
            result_attributes: ParameterAttributes::default(),
            parameters: vec![ParameterAttributes::default(); context.function_data(ty).parameters.len()],
            align: 0,
            section: None,
            comdat: None,
            unnamed_address: false,
            removed: false,
        }
    }

    /// Whether it is a kernel.
    pub fn is_kernel(&self) -> bool {
        self.kernel.is_some()
    }
}

/// Another name.
#[derive(Clone, PartialEq, Debug)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The type of what it stands for: of the variable's value, or of the function.
    pub ty: Type,
    /// The address space of what it stands for.
    pub space: AddressSpace,
    /// Who sees it.
    pub linkage: Linkage,
    /// The address of what it stands for.
    pub target: ConstantId,
}

/// What a name of a module names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolId {
    /// A variable.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
    /// An alias.
    Alias(AliasId),
}

/// What is said of the module as a whole.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Properties {
    /// The name of the source, `source_filename`.
    pub source: String,
    /// The target triple, such as `nvptx64-nvidia-cuda`.
    pub triple: String,
    /// The data layout line as it was read; the layout itself is always that of nvptx64.
    pub layout: String,
    /// `nvvmir.version`: IR and debug versions.
    pub nvvm_version: Option<[u32; 4]>,
    /// `llvm.module.flags` of integers: behaviour, name, value.
    pub flags: Vec<(u32, String, i64)>,
    /// `llvm.ident` and the like: the compiler's name.
    pub producer: Option<String>,
    /// Assembly outside of functions, line by line.
    pub assembly: Vec<String>,
}

/// Everything of a module but the bodies of its functions: what a pass over one function may look at, and what nothing changes meanwhile.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// Types, constants and texts.
    pub context: Arc<Context>,
    /// What is said of the module.
    pub properties: Properties,
    /// The variables.
    pub globals: Arena<GlobalId, Global>,
    /// The functions, with and without bodies.
    pub functions: Arena<FunctionId, Declaration>,
    /// The aliases.
    pub aliases: Arena<AliasId, Alias>,
    names: FxHashMap<String, SymbolId>,
    /// The last number that was put behind a name to make it another.
    suffixes: FxHashMap<String, u64>,
}

impl Symbols {
    /// What a name names.
    pub fn lookup(&self, name: &str) -> Option<SymbolId> {
        self.names.get(name).copied()
    }

    /// The function of a name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        match self.lookup(name)? {
            SymbolId::Function(function) => Some(function),
            SymbolId::Global(_) | SymbolId::Alias(_) => None,
        }
    }

    /// The variable of a name.
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        match self.lookup(name)? {
            SymbolId::Global(global) => Some(global),
            SymbolId::Function(_) | SymbolId::Alias(_) => None,
        }
    }

    /// Adds a variable. If its name is taken, a suffix `.1`, `.2` … is added to it.
    pub fn add_global(&mut self, mut global: Global) -> GlobalId {
        global.name = self.free_name(global.name);
        let name = global.name.clone();
        let id = self.globals.push(global);
        self.names.insert(name, SymbolId::Global(id));
        id
    }

    /// Adds an alias; its name as with variables.
    pub fn add_alias(&mut self, mut alias: Alias) -> AliasId {
        alias.name = self.free_name(alias.name);
        let name = alias.name.clone();
        let id = self.aliases.push(alias);
        self.names.insert(name, SymbolId::Alias(id));
        id
    }

    /// The name, or one with a number behind it that is free.
    fn free_name(&mut self, name: String) -> String {
        if !self.names.contains_key(&name) {
            return name;
        }
        // Going on from the last number that was tried keeps many symbols of one name from being slow.
        let mut number = self.suffixes.get(&name).copied().unwrap_or(0);
        loop {
            number += 1;
            let candidate = format!("{name}.{number}");
            if !self.names.contains_key(&candidate) {
                self.suffixes.insert(name, number);
                return candidate;
            }
        }
    }

    /// Gives a symbol another name; as with new ones, a suffix is added where it is taken.
    pub fn rename(&mut self, symbol: SymbolId, name: &str) {
        let slot = match symbol {
            SymbolId::Global(id) => &mut self.globals[id].name,
            SymbolId::Function(id) => &mut self.functions[id].name,
            SymbolId::Alias(id) => &mut self.aliases[id].name,
        };
        let old = std::mem::take(slot);
        self.names.remove(&old);
        let new = self.free_name(name.to_owned());
        self.names.insert(new.clone(), symbol);
        match symbol {
            SymbolId::Global(id) => self.globals[id].name = new,
            SymbolId::Function(id) => self.functions[id].name = new,
            SymbolId::Alias(id) => self.aliases[id].name = new,
        }
    }

    /// Removes a variable that nothing refers to.
    pub fn remove_global(&mut self, id: GlobalId) {
        self.names.remove(&self.globals[id].name);
        self.globals[id].removed = true;
        self.globals[id].initializer = None;
    }

    /// The address of a variable.
    pub fn global_address(&self, id: GlobalId) -> ConstantId {
        self.context.global_address(id, self.globals[id].space)
    }

    /// The address of a function.
    pub fn function_address(&self, id: FunctionId) -> ConstantId {
        self.context.function_address(id)
    }
}

/// A module: [`Symbols`], and the bodies of those functions that have one.
#[derive(Clone, Debug)]
pub struct Module {
    /// All but the bodies.
    pub symbols: Symbols,
    /// The bodies, one for each function; `None` for declarations.
    pub bodies: Arena<FunctionId, Option<Function>>,
    /// What a debugger is told; not part of the module's text.
    pub debug: Option<Box<DebugInfo>>,
    /// Where the templates of inline assembly stand in the source, by the location of the statement (as of code that is copied nowhere); not part of the
    /// module's text.
    pub templates: FxHashMap<LocationId, Vec<TemplatePlaces>>,
}

/// Where a template of inline assembly stands in the source.
#[derive(Clone, Debug)]
pub struct TemplatePlaces {
    /// The template. Statements of one macro have one location.
    pub template: String,
    /// Offsets in the template, in order, with the place of the character there. Up to the next one characters follow each other in a line of the source.
    pub rows: Vec<(u32, LocationId)>,
}

impl Module {
    /// An empty module for nvptx64.
    pub fn new(source: impl Into<String>) -> Module {
        let properties = Properties {
            source: source.into(),
            triple: "nvptx64-nvidia-cuda".to_owned(),
            layout: MODERN_LAYOUT.to_owned(),
            ..Properties::default()
        };
        let symbols = Symbols {
            context: Arc::new(Context::new()),
            properties,
            globals: Arena::new(),
            functions: Arena::new(),
            aliases: Arena::new(),
            names: FxHashMap::default(),
            suffixes: FxHashMap::default(),
        };
        Module {
            symbols,
            bodies: Arena::new(),
            debug: None,
            templates: FxHashMap::default(),
        }
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        &self.symbols.context
    }

    /// Adds a function without a body. If its name is taken, a suffix is added to it.
    pub fn add_function(&mut self, mut declaration: Declaration) -> FunctionId {
        declaration.name = self.symbols.free_name(declaration.name);
        let name = declaration.name.clone();
        let id = self.symbols.functions.push(declaration);
        self.bodies.push(None);
        self.symbols.names.insert(name, SymbolId::Function(id));
        id
    }

    /// Makes an empty body for a function, to be filled and given to [`Module::set_body`].
    pub fn new_body(&self, id: FunctionId) -> Function {
        Function::new(self.symbols.context.clone(), id, self.symbols.functions[id].ty)
    }

    /// Gives a function its body.
    pub fn set_body(&mut self, body: Function) {
        let id = body.id();
        self.bodies[id] = Some(body);
    }

    /// The body of a function, if it has one.
    pub fn body(&self, id: FunctionId) -> Option<&Function> {
        self.bodies.get(id)?.as_ref()
    }

    /// The symbols and all bodies to change, in parallel if wanted: the index in the slice is that of the [`FunctionId`].
    pub fn split_mut(&mut self) -> (&Symbols, &mut [Option<Function>]) {
        (&self.symbols, self.bodies.as_mut_slice())
    }

    /// Removes a function that nothing refers to.
    pub fn remove_function(&mut self, id: FunctionId) {
        self.bodies[id] = None;
        let declaration = &mut self.symbols.functions[id];
        declaration.removed = true;
        self.symbols.names.remove(&declaration.name);
    }

    /// The functions that have not been removed.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Declaration)> {
        self.symbols
            .functions
            .iter()
            .filter(|(_, declaration)| !declaration.removed)
    }

    /// The variables that have not been removed.
    pub fn globals(&self) -> impl Iterator<Item = (GlobalId, &Global)> {
        self.symbols.globals.iter().filter(|(_, global)| !global.removed)
    }
}

/// The data layout line of modules that are made here: that of LLVM 20 and later.
pub const MODERN_LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64";
