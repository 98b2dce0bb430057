//! The syntax tree of CUDA C++.
//!
//! # How to use it
//! * An [`Ast`] owns every node in arenas, one per kind; an [`Id<T>`] names one: `ast[id]` reads a node, `ast.add(node)` makes one. Ids are `Copy`, hashable and
//!   never dangle, since nodes are not removed. Lists of children are boxed slices ([`List`]).
//! * The roots are the declarations of the translation unit, in order: [`Ast::roots`].
//! * Every node has a [`Span`] of the sources, through macros and inclusions; names are [`Name`]s, the symbols of the interner; literals are the lexer's.
//! * A node says what was written, never what it means: no node refers to the entity that a name denotes. The parser does keep tables of name kinds, so that
//!   a declaration is a declaration and a cast a cast; the kind it saw is [`name::QualifiedName::kind`], which is a hint only.
//! * Declarations inside templates look as any others, so that they can be elaborated again and again with other arguments.
//!
//! # What the parser leaves open
//! * `T(x)`: [`ExpressionKind::FunctionalCast`] if the parser knows `T` to be a type, and otherwise [`ExpressionKind::Call`], whose callee may turn out to name a
//!   type or a class template.
//! * A template argument that may be read both ways is [`TemplateArgumentKind::Ambiguous`]; a template template argument is a type-id whose specifier is a bare name.
//! * `f(a)(b)`, `a.b<c>(d)` and so on in dependent contexts follow the standard's rule: no type without `typename`, no template without `template`; where the parser
//!   is lenient, it is because the name is known by another way.
//! * Bodies of functions defined in a class, default arguments and default member initialisers are parsed after the class (\[class.mem\]/6); in the finished tree that does not show.

pub mod attribute;
pub mod concept;
pub mod declaration;
pub mod expression;
pub mod literal;
pub mod name;
pub mod operator;
pub mod statement;
pub mod type_trait;
pub mod types;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

pub use crate::source::{Span, Symbol as Name};
pub use attribute::{AlignArgument, Attribute, AttributeKind, Attributes};
pub use concept::{Requirement, RequirementKind, RequiresExpression};
pub use declaration::{
    Access, BaseSpecifier, Class, ClassKey, ConstructorInitializer, Declaration, DeclarationKind, Enum, Enumerator,
    ExplicitSpecifier, FunctionBody, FunctionDefinition, InitDeclarator, Initializer, Member, TemplateParameter,
    TemplateParameterKind,
};
pub use expression::{
    Capture, CaptureDefault, CaptureKind, CastKind, Designator, Expression, ExpressionKind, InitializerClause, Lambda,
    NewExpression, OffsetDesignator, TraitArgument,
};
pub use literal::Literal;
pub use name::{
    NameKind, OperatorName, QualifiedName, Qualifier, QualifierPart, TemplateArgument, TemplateArgumentKind,
    UnqualifiedName,
};
pub use operator::{BinaryOperator, UnaryOperator};
pub use statement::{AsmOperand, AsmStatement, Condition, Handler, Statement, StatementKind, Unroll};
pub use type_trait::{TypeTrait, TypeTransform};
pub use types::{
    BuiltinType, ConstexprKind, Declarator, DeclaratorChunk, ExceptionSpecification, FunctionDeclarator, Parameter,
    Qualifiers, ReferenceQualifier, Specifiers, StorageClass, TypeId, TypeSpecifier,
};

/// An immutable list of children.
pub type List<T> = Box<[T]>;

/// The typed index of a node in its arena.
pub struct Id<T>(u32, PhantomData<fn() -> T>);

impl<T> Id<T> {
    /// The place of the node in its arena: dense from 0, good as an index of side tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

/// A syntax tree: arenas of nodes, and the declarations at the top.
#[derive(Debug, Default)]
pub struct Ast {
    /// The declarations of the translation unit, in order.
    pub roots: Vec<Id<Declaration>>,
    declarations: Vec<Declaration>,
    expressions: Vec<Expression>,
    statements: Vec<Statement>,
    names: Vec<QualifiedName>,
    specifiers: Vec<Specifiers>,
    declarators: Vec<Declarator>,
    type_ids: Vec<TypeId>,
    parameters: Vec<Parameter>,
    template_parameters: Vec<TemplateParameter>,
    functions: Vec<FunctionDefinition>,
    classes: Vec<Class>,
    enums: Vec<Enum>,
    lambdas: Vec<Lambda>,
    asm_statements: Vec<AsmStatement>,
    mentions: Vec<u32>,
}

/// A kind of node: has an arena in [`Ast`].
pub trait Node: Sized {
    /// The arena of this kind.
    fn arena(ast: &Ast) -> &Vec<Self>;
    /// The arena of this kind, to add to.
    fn arena_mut(ast: &mut Ast) -> &mut Vec<Self>;
}

macro_rules! arenas {
    ($($node:ty => $field:ident,)*) => {$(
        impl Node for $node {
            fn arena(ast: &Ast) -> &Vec<Self> {
                &ast.$field
            }
            fn arena_mut(ast: &mut Ast) -> &mut Vec<Self> {
                &mut ast.$field
            }
        }
    )*};
}

arenas! {
    Declaration => declarations,
    Expression => expressions,
    Statement => statements,
    QualifiedName => names,
    Specifiers => specifiers,
    Declarator => declarators,
    TypeId => type_ids,
    Parameter => parameters,
    TemplateParameter => template_parameters,
    FunctionDefinition => functions,
    Class => classes,
    Enum => enums,
    Lambda => lambdas,
    AsmStatement => asm_statements,
}

impl Ast {
    /// An empty tree.
    pub fn new() -> Ast {
        Ast::default()
    }

    /// Puts a node into its arena.
    pub fn add<T: Node>(&mut self, node: T) -> Id<T> {
        let arena = T::arena_mut(self);
        // A tree has fewer nodes than its source has bytes, and sources are below 4 GiB.
        let index = arena.len() as u32;
        arena.push(node);
        Id(index, PhantomData)
    }
    /// All definitions of enumerations, in order.
    pub fn enumerations(&self) -> &[Enum] {
        &self.enums
    }

    /// Counts a name where it stands in the unit.
    pub(super) fn mention(&mut self, name: Name) {
        if self.mentions.len() <= name.index() {
            self.mentions.resize(name.index() + 1, 0);
        }
        self.mentions[name.index()] += 1;
    }

    /// How often a name stands in the unit.
    pub fn mentions(&self, name: Name) -> u32 {
        self.mentions.get(name.index()).copied().unwrap_or(0)
    }

    /// All nodes of a kind, each at the [`Id::index`] of its id. Among them are some that the parser tried and left: their tokens are those of what it took instead.
    pub fn nodes<T: Node>(&self) -> &[T] {
        T::arena(self)
    }

    /// How many nodes of a kind there are.
    pub fn count<T: Node>(&self) -> usize {
        T::arena(self).len()
    }
}

impl<T: Node> Index<Id<T>> for Ast {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        &T::arena(self)[id.index()]
    }
}

impl<T: Node> IndexMut<Id<T>> for Ast {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut T::arena_mut(self)[id.index()]
    }
}
