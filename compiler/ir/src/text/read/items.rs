//! Reading what stands at the top of a module.

use super::lexer::{Kind, bytes, name};
use super::survey::Item;
use super::types::Named;
use super::{Known, Reader, Result};
use crate::attributes::{FunctionAttributes, ParameterAttributes};
use crate::constant::{Constant, ConstantId};
use crate::module::{Alias, Convention, Declaration, FunctionId, Global, Linkage};
use crate::types::{AddressSpace, Type};

/// Words before the type of a variable or function that mean nothing here.
const DROPPED: &[&str] = &[
    "dso_local",
    "dso_preemptable",
    "default",
    "dllimport",
    "dllexport",
    "local_unnamed_addr",
    "tagged",
];

/// The most bytes of a variable, and of a value that is written out, beyond what its text lets expect.
const LARGEST: u64 = 1 << 40;
const LARGEST_WRITTEN: u64 = 4 << 20;

impl Reader<'_> {
    /// Reads the whole text.
    pub(super) fn read(&mut self) {
        self.whole_tokens();
        let items = self.survey();
        self.survey_addressed_blocks();
        // Attributes, types and metadata are named by what comes before them in the text.
        for wanted in [
            Item::Type,
            Item::Group,
            Item::Variable,
            Item::Alias,
            Item::Node,
            Item::NamedMetadata,
            Item::Other,
            Item::Function,
        ] {
            for &(item, start, end) in items.iter().filter(|(item, ..)| *item == wanted) {
                self.go_to(start);
                self.depth = 0;
                if let Err(error) = self.item(item, end) {
                    self.problems.push(*error);
                }
            }
        }
        if let Err(error) = self.debug_finish() {
            self.problems.push(*error);
        }
        self.named_metadata();
        self.finish_kernels();
        self.problems.sort_by_key(|problem| match &problem.position {
            warpsmith_base::Position::Text { place, .. } => (place.line, place.column),
            _ => (0, 0),
        });
    }

    fn item(&mut self, item: Item, end: usize) -> Result<()> {
        match item {
            Item::Variable => self.variable()?,
            Item::Alias => self.alias()?,
            Item::Function => self.function()?,
            Item::Type => self.type_definition()?,
            Item::Node => {
                let number = self.text()[1..].parse().unwrap_or(u32::MAX);
                self.bump();
                self.expect(b'=')?;
                let node = self.metadata()?;
                self.nodes.insert(number, node);
            }
            Item::NamedMetadata => {
                let key = name(self.text());
                self.bump();
                self.expect(b'=')?;
                self.expect_metadata_list(&key)?;
            }
            Item::Group => self.group()?,
            Item::Other => self.other(end)?,
        }
        if self.place() < end {
            Err(self.unexpected("the next definition"))
        } else {
            Ok(())
        }
    }

    fn expect_metadata_list(&mut self, key: &str) -> Result<()> {
        if self.text() != "!" {
            return Err(self.unexpected("a list of metadata"));
        }
        self.bump();
        self.expect(b'{')?;
        let mut nodes = Vec::new();
        while !self.is(b'}') {
            nodes.push(self.metadata()?);
            if !self.another()? {
                break;
            }
        }
        self.expect(b'}')?;
        self.named.insert(key.to_owned(), nodes);
        Ok(())
    }

    fn type_definition(&mut self) -> Result<()> {
        let place = self.place();
        let key = name(self.text());
        // Reading the name reads the definition.
        let parsed = self.ty();
        self.go_to(place + 3);
        parsed?;
        if self.eat_word("opaque") {
            return Ok(());
        }
        self.ty()?;
        if let Some(Named::At(_)) = self.types.get(&key) {
            return Err(self.error_at(place, format!("the type %{key} contains itself")));
        }
        Ok(())
    }

    fn group(&mut self) -> Result<()> {
        self.bump();
        let number = self.text()[1..].parse().unwrap_or(u32::MAX);
        self.bump();
        self.expect(b'=')?;
        self.expect(b'{')?;
        let mut attributes = FunctionAttributes::default();
        self.allocation.clear();
        loop {
            self.add_function_attributes(&mut attributes)?;
            // In groups these have an equals sign; of functions they say nothing here.
            if self.eat_word("align") || self.eat_word("alignstack") {
                self.expect(b'=')?;
                self.unsigned()?;
                continue;
            }
            break;
        }
        self.expect(b'}')?;
        let allocation = std::mem::take(&mut self.allocation);
        if !allocation.is_empty() {
            self.group_allocation.insert(number, allocation);
        }
        self.groups.insert(number, attributes);
        Ok(())
    }

    fn other(&mut self, end: usize) -> Result<()> {
        match self.text() {
            "target" | "source_filename" => {
                let word = self.text();
                self.bump();
                let what = if word == "target" { self.text() } else { word };
                if word == "target" {
                    if !matches!(what, "triple" | "datalayout") {
                        return Err(self.unexpected("triple or datalayout"));
                    }
                    self.bump();
                }
                self.expect(b'=')?;
                let place = self.place();
                let value = self.quoted()?;
                if what == "datalayout" {
                    self.check_layout(place, &value)?;
                }
                let properties = &mut self.module.symbols.properties;
                match what {
                    "triple" => properties.triple = value,
                    "datalayout" => properties.layout = value,
                    _ => properties.source = value,
                }
                Ok(())
            }
            "module" => {
                self.bump();
                self.keyword("asm")?;
                let line = self.quoted()?;
                self.module.symbols.properties.assembly.push(line);
                Ok(())
            }
            // The order of use lists and summaries of modules are LLVM's own affair.
            "uselistorder" | "uselistorder_bb" | "^" => {
                self.go_to(end);
                Ok(())
            }
            _ if self.kind() == Kind::Comdat => {
                self.bump();
                self.expect(b'=')?;
                self.keyword("comdat")?;
                // Which definition of several is taken: there is but one here.
                let kinds = [
                    "any",
                    "exactmatch",
                    "largest",
                    "nodeduplicate",
                    "noduplicates",
                    "samesize",
                ];
                if !kinds.contains(&self.text()) {
                    return Err(self.unexpected("a kind of comdat group"));
                }
                self.bump();
                Ok(())
            }
            _ => Err(self.unexpected("a definition")),
        }
    }

    fn quoted(&mut self) -> Result<String> {
        if self.kind() != Kind::Text {
            return Err(self.unexpected("a text"));
        }
        let text = String::from_utf8_lossy(&bytes(self.text())).into_owned();
        self.bump();
        Ok(text)
    }

    fn linkage(&mut self) -> Linkage {
        if self.kind() == Kind::Word
            && let Some(linkage) = Linkage::from_text(self.text())
        {
            self.bump();
            return linkage;
        }
        Linkage::External
    }

    /// Drops words that say nothing here. Whether `unnamed_addr` was among them.
    fn drop_words(&mut self, linkage: Linkage) -> Result<bool> {
        let mut unnamed = false;
        while self.kind() == Kind::Word {
            match self.text() {
                "unnamed_addr" => unnamed = true,
                word @ ("hidden" | "protected") if linkage.is_local() => {
                    return Err(self.error(format!("a symbol that is {linkage} is not {word}")));
                }
                "hidden" | "protected" => {}
                word if DROPPED.contains(&word) => {}
                _ => break,
            }
            self.bump();
        }
        Ok(unnamed)
    }

    fn variable(&mut self) -> Result<()> {
        let place = self.place();
        let key = name(self.text());
        let Some(Known::Global(id)) = self.known(&key) else {
            return Err(self.error("this name is defined more than once"));
        };
        self.bump();
        self.expect(b'=')?;
        let mut global = Global::new(
            self.module.symbols.globals[id].name.clone(),
            Type::I8,
            self.module.symbols.globals[id].space,
        );
        let mut declared = self.is_word("external");
        global.linkage = self.linkage();
        declared |= global.linkage == Linkage::ExternalWeak;
        loop {
            global.unnamed_address |= self.drop_words(global.linkage)?;
            match self.text() {
                "thread_local" => {
                    return Err(self.unsupported(
                        "attribute",
                        "thread_local",
                        "devices have no thread-local variables",
                    ));
                }
                "addrspace" => global.space = self.address_space()?,
                "externally_initialized" => {
                    global.externally_initialized = true;
                    self.bump();
                }
                _ => break,
            }
        }
        match self.text() {
            "global" => {}
            "constant" => global.constant = true,
            _ => return Err(self.unexpected("\"global\" or \"constant\"")),
        }
        self.bump();
        let type_place = self.place();
        let parsed = self.parsed_type()?;
        global.ty = parsed.ty;
        if !declared {
            self.sized(type_place, &parsed)?;
        }
        if matches!(
            global.ty,
            Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token
        ) {
            return Err(self.error_at(type_place, "a variable cannot have this type"));
        }
        self.fits_memory(type_place, global.ty)?;
        if !declared {
            let value_place = self.place();
            let value = self.constant(global.ty)?;
            self.fits_an_initializer(value_place, global.ty, value)?;
            self.runs_nothing(place, &key, value)?;
            global.initializer = Some(value);
        }
        while self.eat(b',') {
            self.variable_property(id, &mut global)?;
        }
        while self.kind() == Kind::Group || self.kind() == Kind::Text {
            // Attributes of variables are for linkers of other machines.
            self.function_attributes()?;
        }
        debug_assert!(place < self.place());
        self.module.symbols.globals[id] = global;
        Ok(())
    }

    /// Refuses memory that no device has, so that sizes and offsets within it can be computed.
    fn fits_memory(&self, place: usize, ty: Type) -> Result<()> {
        if self.context.size(ty) > LARGEST {
            return Err(self.error_at(place, format!("a variable has at most {LARGEST} bytes")));
        }
        Ok(())
    }

    /// Refuses a value that is written out byte by byte, and is much longer so than its text.
    fn fits_an_initializer(&self, place: usize, ty: Type, value: ConstantId) -> Result<()> {
        let written = match self.context.constant(value) {
            Constant::Undef(_) | Constant::Poison(_) => false,
            _ => !self.context.is_zero(value),
        };
        let most = LARGEST_WRITTEN + 4 * self.source.text().len() as u64;
        if written && self.context.size(ty) > most {
            let rule = format!("a value that is not all zero has at most {most} bytes here");
            return Err(self.error_at(place, rule));
        }
        Ok(())
    }

    /// Refuses a list of functions that are to run before or after the program: nothing would run them.
    fn runs_nothing(&self, place: usize, key: &str, value: ConstantId) -> Result<()> {
        if !matches!(key, "llvm.global_ctors" | "llvm.global_dtors") {
            return Ok(());
        }
        match self.context.constant(value) {
            Constant::Zero(_) | Constant::Undef(_) | Constant::Poison(_) => Ok(()),
            _ => {
                let error = self.error_at(place, format!("the list of functions {key} is not supported"));
                Err(Box::new(error.note(
                    "devices run nothing before or after kernels; a kernel can call these functions",
                )))
            }
        }
    }

    fn variable_property(&mut self, id: crate::module::GlobalId, global: &mut Global) -> Result<()> {
        match self.text() {
            "section" => {
                self.bump();
                global.section = Some(self.quoted()?);
            }
            "align" => {
                self.bump();
                global.align = self.alignment()?;
            }
            "comdat" => global.comdat = Some(self.comdat(&global.name.clone())?),
            "partition" | "code_model" => {
                self.bump();
                self.quoted()?;
            }
            "no_sanitize_address" | "no_sanitize_hwaddress" | "sanitize_memtag" | "sanitize_address_dyninit" => {
                self.bump()
            }
            _ if self.kind() == Kind::Metadata => {
                let is_debug = self.text() == "!dbg";
                self.bump();
                let node = self.metadata()?;
                if is_debug {
                    self.debug_attached_to_variable(id, node);
                }
            }
            _ => return Err(self.unexpected("a property of a variable")),
        }
        Ok(())
    }

    fn comdat(&mut self, own: &str) -> Result<String> {
        let place = self.place();
        self.keyword("comdat")?;
        let known = |reader: &Reader<'_>, place: usize, group: &str| match reader.comdats.contains(group) {
            true => Ok(()),
            false => Err(reader.error_at(place, format!("there is no comdat group ${group}"))),
        };
        if !self.eat(b'(') {
            known(self, place, own)?;
            return Ok(own.to_owned());
        }
        if self.kind() != Kind::Comdat {
            return Err(self.unexpected("the name of a comdat group"));
        }
        let group = name(self.text());
        known(self, self.next, &group)?;
        self.bump();
        self.expect(b')')?;
        Ok(group)
    }

    fn alias(&mut self) -> Result<()> {
        let key = name(self.text());
        let Some(Known::Alias(id)) = self.known(&key) else {
            return Err(self.error("this name is defined more than once"));
        };
        self.bump();
        self.expect(b'=')?;
        let linkage = self.linkage();
        self.drop_words(linkage)?;
        if self.is_word("ifunc") {
            return Err(self.unsupported(
                "definition",
                "ifunc",
                "devices have no functions that are chosen when they are loaded",
            ));
        }
        self.keyword("alias")?;
        let ty = self.ty()?;
        self.expect(b',')?;
        let target = self.alias_target()?;
        let Some(space) = self.context.constant_type(target).address_space() else {
            return Err(self.error("an alias stands for an address"));
        };
        while self.eat(b',') {
            self.keyword("partition")?;
            self.quoted()?;
        }
        let name = self.module.symbols.aliases[id].name.clone();
        self.module.symbols.aliases[id] = Alias {
            name,
            ty,
            space,
            linkage,
            target,
        };
        Ok(())
    }

    /// What an alias stands for. The type of an expression is not said before it, but within it.
    fn alias_target(&mut self) -> Result<ConstantId> {
        let word = self.text();
        if self.kind() != Kind::Word || self.at_type() {
            return self.typed_constant();
        }
        let place = self.place();
        let is_address = word == "getelementptr";
        while self.kind() != Kind::End && !self.is(b'(') {
            self.bump();
        }
        if is_address {
            // The type of the address that is added to, behind what it points to.
            self.bump();
            let back = self.place();
            self.ty()?;
            if !self.eat(b',') {
                self.go_to(back);
            }
        } else {
            // What a conversion gives stands last in it.
            self.skip_brackets();
            let mut last = self.place();
            while last > place && !self.is_word("to") {
                last -= 1;
                self.go_to(last);
            }
            self.bump();
        }
        let ty = self.ty()?;
        self.go_to(place);
        self.constant(ty)
    }

    /// A calling convention, and whether it is that of kernels.
    pub(super) fn convention(&mut self) -> Result<(Convention, bool)> {
        let convention = match self.text() {
            "ccc" | "ptx_device" | "spir_func" => Convention::C,
            "ptx_kernel" => {
                self.bump();
                return Ok((Convention::C, true));
            }
            "fastcc" => Convention::Fast,
            "coldcc" => Convention::Cold,
            "cc" if self.peek_kind(1) == Kind::Integer => {
                self.bump();
                match self.text().parse() {
                    // The numbers of `ptx_kernel` and `ptx_device`.
                    Ok(71) => {
                        self.bump();
                        return Ok((Convention::C, true));
                    }
                    Ok(0 | 72) => Convention::C,
                    Ok(number) if number < 1 << 10 => Convention::Numbered(number),
                    Ok(_) | Err(_) => return Err(self.error("calling conventions have numbers below 1024")),
                }
            }
            // Numbers above those that had a word when LLVM was made stand without a space.
            word => match word.strip_prefix("cc").map(str::parse) {
                Some(Ok(number)) if number < 1 << 10 => Convention::Numbered(number),
                _ => return Ok((Convention::C, false)),
            },
        };
        self.bump();
        Ok((convention, false))
    }

    fn function(&mut self) -> Result<()> {
        let defined = self.text() == "define";
        let (declaration, names, place) = self.function_header(defined)?;
        if !defined && declaration.name.starts_with("llvm.") {
            // It gets an entry when it is called and no intrinsic of the table.
            return Ok(());
        }
        let Some(Known::Function(id)) = self.known(&declaration.name) else {
            return Err(self.error_at(place, "this name is defined more than once"));
        };
        let ty = declaration.ty;
        self.module.symbols.functions[id] = declaration;
        if defined { self.body(id, ty, names) } else { Ok(()) }
    }

    /// From `define` or `declare` to before the body: the declaration, the names of the parameters, and where the function's name is.
    pub(super) fn function_header(&mut self, defined: bool) -> Result<(Declaration, Vec<Option<String>>, usize)> {
        self.bump();
        while self.kind() == Kind::Metadata {
            // Attachments of a declaration.
            self.bump();
            self.metadata()?;
        }
        let linkage = self.linkage();
        self.drop_words(linkage)?;
        let (convention, kernel) = self.convention()?;
        let result_attributes = self.parameter_attributes(None)?;
        let result_place = self.place();
        let result = self.ty()?;
        self.fits_a_value(result_place, result)?;
        if matches!(result, Type::Function(_) | Type::Label | Type::Metadata) {
            return Err(self.error_at(result_place, "no function gives a value of this type"));
        }
        let place = self.place();
        if self.kind() != Kind::Global {
            return Err(self.unexpected("the name of a function"));
        }
        let key = name(self.text());
        self.bump();
        let (types, attributes, names, variadic) = self.parameters(defined)?;
        let ty = self.context.function_type(result, &types, variadic);
        let mut declaration = Declaration::new(&self.context, key, ty);
        declaration.linkage = linkage;
        declaration.convention = convention;
        declaration.kernel = kernel.then(Default::default);
        declaration.result_attributes = result_attributes;
        declaration.parameters = attributes;
        self.allocation.clear();
        self.after_parameters(&mut declaration)?;
        for (place, number) in std::mem::take(&mut self.allocation) {
            let parameter = usize::try_from(number).ok().and_then(|number| types.get(number));
            if parameter.is_none_or(|ty| !ty.is_int()) {
                return Err(self.error_at(place, "allocsize names parameters that are integers"));
            }
        }
        Ok((declaration, names, place))
    }

    #[allow(clippy::type_complexity)]
    fn parameters(
        &mut self,
        defined: bool,
    ) -> Result<(Vec<Type>, Vec<ParameterAttributes>, Vec<Option<String>>, bool)> {
        let (mut types, mut attributes, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let (mut variadic, mut nests) = (false, 0);
        self.expect(b'(')?;
        while !self.is(b')') {
            if self.kind() == Kind::Ellipsis {
                self.bump();
                variadic = true;
                break;
            }
            let place = self.place();
            let parsed = self.parsed_type()?;
            if matches!(parsed.ty, Type::Void | Type::Function(_) | Type::Label)
                || defined && parsed.ty == Type::Metadata
            {
                return Err(self.error_at(place, "a parameter cannot have this type"));
            }
            self.fits_a_value(place, parsed.ty)?;
            types.push(parsed.ty);
            nests += usize::from(self.is_word("nest"));
            if nests > 1 {
                return Err(self.error("only one parameter is nest"));
            }
            attributes.push(self.parameter_attributes(parsed.pointee)?);
            let named = self.kind() == Kind::Local;
            names.push(named.then(|| name(self.text())));
            if named {
                self.bump();
            }
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        Ok((types, attributes, names, variadic))
    }

    fn after_parameters(&mut self, declaration: &mut Declaration) -> Result<()> {
        loop {
            declaration.unnamed_address |= self.drop_words(declaration.linkage)?;
            self.add_function_attributes(&mut declaration.attributes)?;
            match self.text() {
                "unnamed_addr" | "local_unnamed_addr" => {}
                "addrspace" => {
                    let place = self.place();
                    if self.address_space()? != AddressSpace::GENERIC {
                        return Err(self.error_at(place, "functions are in address space 0"));
                    }
                }
                "section" => {
                    self.bump();
                    declaration.section = Some(self.quoted()?);
                }
                "partition" => {
                    self.bump();
                    self.quoted()?;
                }
                "gc" => {
                    return Err(self.unsupported("attribute", "gc", "devices have no garbage collector"));
                }
                "comdat" => declaration.comdat = Some(self.comdat(&declaration.name.clone())?),
                "align" => {
                    self.bump();
                    declaration.align = self.alignment()?;
                }
                // Exceptions and data around code do not exist on devices; a personality without landing pads says nothing.
                "personality" | "prefix" | "prologue" => {
                    let (place, word) = (self.place(), self.text());
                    self.bump();
                    self.typed_constant()?;
                    if word != "personality" {
                        return Err(self.error_at(place, format!("{word} data of functions is not supported")));
                    }
                }
                _ if self.kind() == Kind::Metadata && self.peek_kind(1) == Kind::Metadata => {
                    let is_debug = self.text() == "!dbg";
                    self.bump();
                    let node = self.metadata()?;
                    if is_debug {
                        self.debug_attached_to_function(node);
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// The function of an `llvm.*` name that is no intrinsic of the table: as it was declared, or as it is called.
    pub(super) fn intrinsic_function(
        &mut self,
        key: &str,
        called: Option<crate::types::FunctionType>,
    ) -> Result<FunctionId> {
        if let Some(Known::Function(id)) = self.known(key) {
            return Ok(id);
        }
        let declaration = match (self.intrinsics.get(key).copied(), called) {
            (Some(place), _) => {
                let back = self.place();
                self.go_to(place);
                let header = self.function_header(false);
                self.go_to(back);
                header?.0
            }
            (None, Some(ty)) => {
                let mut declaration = Declaration::new(&self.context, key, ty);
                (declaration.attributes.memory, declaration.attributes.convergent) =
                    crate::intrinsic::effects_of_name(key);
                declaration
            }
            (None, None) => return Err(self.error(format!("there is no @{key}"))),
        };
        let id = self.module.add_function(declaration);
        let place = self.intrinsics.get(key).copied().unwrap_or(self.next);
        self.places.functions.insert(id, place);
        self.symbols.insert(key.to_owned(), Known::Function(id));
        Ok(id)
    }
}
