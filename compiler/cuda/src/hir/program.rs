//! The arenas.

use super::{
    BindingId, Class, ClassId, ClassKind, Destructor, Enum, EnumId, Expression, ExpressionId, ExpressionKind, Function,
    FunctionId, FunctionName, InlineHint, KernelAttributes, LabelId, LanguageLinkage, Layout, Linkage, MemorySpace,
    Name, Namespace, NamespaceId, QualifiedType, Scope, Span, Statement, StatementId, StatementKind, StorageDuration,
    StringId, StringLiteral, TypeId, TypePrinter, Types, ValueCategory, Variable, VariableId, VariableInitialiser,
};
use crate::hir::entity::ExecutionSpace;

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// The name of a `goto`'s label.
    pub name: Option<Name>,
    /// Whether `&&label` takes its address.
    pub address_taken: bool,
}

/// A typed program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The types.
    pub types: Types,
    namespaces: Vec<Namespace>,
    classes: Vec<Class>,
    enums: Vec<Enum>,
    functions: Vec<Function>,
    variables: Vec<Variable>,
    expressions: Vec<Expression>,
    statements: Vec<Statement>,
    labels: Vec<Label>,
    strings: Vec<StringLiteral>,
    bindings: u32,
    /// The results that are a copy, or move, of a local variable that a `return` names.
    pub named_results: rustc_hash::FxHashMap<ExpressionId, VariableId>,
    /// What code is generated for even if nothing uses it: kernels, device functions and variables with external linkage, in order of definition.
    pub roots: Vec<Root>,
    /// What expressions after the unit name, in their order.
    pub named: Vec<Root>,
    /// The first function that is defined with external linkage, and is neither inline nor of a template.
    pub first_external: Option<FunctionId>,
    /// What the unnamed namespaces are called in symbols; see [`super::unnamed_namespace`].
    pub unnamed_namespace: Option<String>,
}

/// What the module must define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// A function.
    Function(FunctionId),
    /// A variable.
    Variable(VariableId),
}

impl Default for Program {
    fn default() -> Program {
        Program::new()
    }
}

macro_rules! arena {
    ($($list:ident: $item:ident, $id:ident, $add:ident, $get:ident, $get_mut:ident, $ids:ident;)*) => {
        impl Program {$(
            #[doc = concat!("Adds a [`", stringify!($item), "`].")]
            pub fn $add(&mut self, item: $item) -> $id {
                let id = $id(self.$list.len() as u32);
                self.$list.push(item);
                id
            }
            #[doc = concat!("The [`", stringify!($item), "`] of an id.")]
            pub fn $get(&self, id: $id) -> &$item {
                &self.$list[id.index()]
            }
            #[doc = concat!("The [`", stringify!($item), "`] of an id, to be changed.")]
            pub fn $get_mut(&mut self, id: $id) -> &mut $item {
                &mut self.$list[id.index()]
            }
            #[doc = concat!("The ids of every [`", stringify!($item), "`] in order.")]
            pub fn $ids(&self) -> impl DoubleEndedIterator<Item = $id> + use<> {
                (0..self.$list.len() as u32).map($id)
            }
        )*}
    };
}
arena! {
    namespaces: Namespace, NamespaceId, add_namespace, namespace, namespace_mut, namespace_ids;
    classes: Class, ClassId, add_class, class, class_mut, class_ids;
    enums: Enum, EnumId, add_enum, enumeration, enumeration_mut, enum_ids;
    functions: Function, FunctionId, add_function, function, function_mut, function_ids;
    variables: Variable, VariableId, add_variable, variable, variable_mut, variable_ids;
    expressions: Expression, ExpressionId, add_expression, expression, expression_mut, expression_ids;
    statements: Statement, StatementId, push_statement, statement, statement_mut, statement_ids;
    labels: Label, LabelId, add_label, label, label_mut, label_ids;
    strings: StringLiteral, StringId, add_string, string, string_mut, string_ids;
}

impl Program {
    /// The global namespace.
    pub const GLOBAL: NamespaceId = NamespaceId(0);

    /// A program with nothing but the global namespace and the fundamental types.
    pub fn new() -> Program {
        let global = Namespace {
            name: None,
            parent: None,
            inline: false,
        };
        Program {
            types: Types::new(),
            namespaces: vec![global],
            classes: Vec::new(),
            enums: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            expressions: Vec::new(),
            statements: Vec::new(),
            labels: Vec::new(),
            strings: Vec::new(),
            bindings: 0,
            named_results: rustc_hash::FxHashMap::default(),
            roots: Vec::new(),
            named: Vec::new(),
            first_external: None,
            unnamed_namespace: None,
        }
    }

    /// Adds an expression from its parts.
    pub fn add(
        &mut self,
        kind: ExpressionKind,
        ty: impl Into<QualifiedType>,
        category: ValueCategory,
        span: Span,
    ) -> ExpressionId {
        self.add_expression(Expression {
            kind,
            ty: ty.into(),
            category,
            span,
        })
    }
    /// Adds a prvalue.
    pub fn add_value(&mut self, kind: ExpressionKind, ty: impl Into<QualifiedType>, span: Span) -> ExpressionId {
        self.add(kind, ty, ValueCategory::PrValue, span)
    }
    /// Adds a statement from its parts.
    pub fn add_statement(&mut self, kind: StatementKind, span: Span) -> StatementId {
        self.push_statement(Statement { kind, span })
    }
    /// A new binding.
    pub fn add_binding(&mut self) -> BindingId {
        self.bindings += 1;
        BindingId(self.bindings - 1)
    }
    /// The type of an expression.
    pub fn type_of(&self, id: ExpressionId) -> QualifiedType {
        self.expression(id).ty
    }
    /// A type as users write it.
    pub fn show(&self, ty: impl Into<QualifiedType>) -> TypePrinter<'_> {
        TypePrinter::new(self, ty.into())
    }
}

impl Class {
    /// An incomplete class.
    pub fn new(name: Option<Name>, scope: Scope, kind: ClassKind, span: Span) -> Class {
        Class {
            name,
            typedef_name: None,
            scope,
            kind,
            template_arguments: None,
            discriminator: 0,
            lambda: None,
            bases: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            destructor: Destructor::Trivial,
            trivially_copyable: true,
            non_trivial_for_calls: false,
            aggregate: true,
            pod_for_layout: true,
            is_final: false,
            alignment: None,
            packed_by_attribute: false,
            pragma_packing: None,
            complete: false,
            layout: Layout::default(),
            span,
        }
    }
}

impl Function {
    /// A host function without a body and with nothing special.
    pub fn new(name: FunctionName, scope: Scope, ty: TypeId, span: Span) -> Function {
        Function {
            name,
            scope,
            ty,
            parameters: Vec::new(),
            has_this: false,
            template_arguments: None,
            template_signature: None,
            linkage: Linkage::External,
            language: LanguageLinkage::Cxx,
            space: ExecutionSpace::default(),
            kernel: KernelAttributes::default(),
            inline: InlineHint::None,
            is_constexpr: false,
            is_virtual: false,
            is_pure: false,
            is_deleted: false,
            is_defaulted: false,
            is_trivial: false,
            traps_on_device: false,
            no_return: false,
            is_explicit: false,
            label: None,
            body: None,
            span,
        }
    }
}

impl Variable {
    /// A variable with nothing special.
    pub fn new(name: Option<Name>, scope: Scope, ty: QualifiedType, storage: StorageDuration, span: Span) -> Variable {
        Variable {
            name,
            scope,
            ty,
            storage,
            memory: MemorySpace::Host,
            linkage: Linkage::External,
            language: LanguageLinkage::Cxx,
            is_extern: false,
            is_constexpr: false,
            grid_constant: false,
            template_arguments: None,
            initialiser: VariableInitialiser::None,
            destructor: None,
            alignment: None,
            discriminator: 0,
            label: None,
            result: super::ResultVariable::Unseen,
            span,
        }
    }
}
