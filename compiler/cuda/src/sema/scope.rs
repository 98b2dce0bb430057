//! Scopes: which names are declared where ([basic.scope]).
//!
//! A scope is a row of [`Scopes`]; it knows its parent, and which entities each name stands for. Namespaces, classes, enumerations, blocks, the bindings of a
//! template's parameters and the elements of a pack under expansion are all scopes, so that look-up is one walk outwards.

use smallvec::SmallVec;

use super::entity::Entity;
use super::names::Names;
use super::template::TemplateId;
use crate::hir::{ClassId, EnumId, FunctionId, NamespaceId};
use crate::source::{Span, Symbol};

/// A scope in [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub(crate) u32);

impl ScopeId {
    /// The scope of the global namespace.
    pub const GLOBAL: ScopeId = ScopeId(0);
}

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// A namespace; all its parts share one scope.
    Namespace {
        /// Which; `None` is the global one.
        namespace: Option<NamespaceId>,
        /// Whether it is an inline namespace.
        inline: bool,
    },
    /// A class: its members.
    Class(ClassId),
    /// An enumeration: its enumerators.
    Enum(EnumId),
    /// The bindings of a template's parameters while the template is elaborated; of the template itself when its header is read (no binding yet).
    Template(Option<TemplateId>),
    /// The parameters of a function, and the outermost block of its body.
    Function(Option<FunctionId>),
    /// A block, or a statement's declarations in parentheses.
    Block,
    /// The elements of packs, one each, while a pack expansion is elaborated.
    PackExpansion,
}

/// Who may name a member ([class.access]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Access {
    /// Everyone. Also of what is no member.
    #[default]
    Public,
    /// Members and friends, and those of derived classes.
    Protected,
    /// Members and friends.
    Private,
}

impl Access {
    /// As it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Access::Public => "public",
            Access::Protected => "protected",
            Access::Private => "private",
        }
    }
}

/// One declaration of a name in a scope.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// What the name stands for.
    pub entity: Entity,
    /// When it was declared: see [`Sema::now`](super::Sema::now). Look-up from a body that stands earlier does not see it.
    pub order: u32,
    /// Where.
    pub span: Span,
    /// Of members: who may name it. Of names that a using declaration brought in: the access of that declaration.
    pub access: Access,
    /// Only declared as a friend: found by argument-dependent look-up alone ([namespace.memdef]/3).
    pub hidden: bool,
    /// Brought in by a using declaration.
    pub from_using: bool,
}

/// A scope.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What it belongs to.
    pub kind: ScopeKind,
    /// The scope around it; `None` of the global namespace.
    pub parent: Option<ScopeId>,
    /// The names in it.
    names: Names,
    /// Namespaces nominated by using directives, with the order of the directive.
    pub using_directives: SmallVec<[(ScopeId, u32); 1]>,
    /// Inline namespaces (and the unnamed one) directly in this namespace.
    pub inline_children: SmallVec<[ScopeId; 1]>,
    /// Look-up going outwards from here sees only what was declared before this.
    pub limit: Option<u32>,
    /// Whether it is the block of a statement, which nothing else stands for.
    is_statement: bool,
}

impl Scope {
    /// What a name stands for here, in order of declaration.
    pub fn get(&self, name: Symbol) -> &[Declared] {
        self.names.get(name).map_or(&[], |list| list.as_slice())
    }
    /// The same, to change.
    pub fn get_mut(&mut self, name: Symbol) -> Option<&mut SmallVec<[Declared; 1]>> {
        self.names.get_mut(name)
    }
    /// All names, in no order: only to search for similar spellings.
    pub(super) fn all_names(&self) -> impl Iterator<Item = (Symbol, &[Declared])> {
        self.names.iter().map(|(name, list)| (name, list.as_slice()))
    }
    /// Whether it is a statement's block in which look-up finds nothing.
    fn is_bare_block(&self) -> bool {
        self.is_statement && self.is_empty() && self.using_directives.is_empty() && self.limit.is_none()
    }
    /// Whether it has no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// All scopes.
#[derive(Clone, Debug)]
pub struct Scopes {
    all: Vec<Scope>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes::new()
    }
}

impl Scopes {
    /// With the global namespace.
    pub fn new() -> Scopes {
        let mut scopes = Scopes { all: Vec::new() };
        let kind = ScopeKind::Namespace {
            namespace: None,
            inline: false,
        };
        scopes.add(kind, None);
        scopes
    }
    /// A new scope in another.
    pub fn add(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(self.all.len() as u32);
        self.all.push(Scope {
            kind,
            parent,
            names: Names::default(),
            using_directives: SmallVec::new(),
            inline_children: SmallVec::new(),
            limit: None,
            is_statement: false,
        });
        id
    }
    /// A new block of a statement in another scope. Where that is a block in which nothing has been declared yet, the new one lies in what is around it: what is declared there
    /// later is not seen within, and a long chain of statements, each in a block of the one before, is not walked for each name.
    pub fn add_block(&mut self, around: ScopeId) -> ScopeId {
        let around = self.outwards(around).find(|id| !self.get(*id).is_bare_block());
        let id = self.add(ScopeKind::Block, around);
        self.get_mut(id).is_statement = true;
        id
    }
    /// A scope.
    pub fn get(&self, id: ScopeId) -> &Scope {
        &self.all[id.0 as usize]
    }
    /// A scope, to change.
    pub fn get_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.all[id.0 as usize]
    }
    /// Puts a declaration into a scope. Clashes are the caller's to find.
    pub fn declare(&mut self, scope: ScopeId, name: Symbol, declared: Declared) {
        self.get_mut(scope).names.get_or_add(name).push(declared);
    }
    /// What a scope belongs to.
    pub fn kind(&self, id: ScopeId) -> ScopeKind {
        self.get(id).kind
    }
    /// The scope and those around it, from the inside out.
    pub fn outwards(&self, from: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(from), |&id| self.get(id).parent)
    }
    /// The innermost namespace's scope around (or at) a scope.
    pub fn namespace_around(&self, from: ScopeId) -> ScopeId {
        self.outwards(from)
            .find(|&id| matches!(self.kind(id), ScopeKind::Namespace { .. }))
            .unwrap_or(ScopeId::GLOBAL)
    }
    /// The innermost class around (or at) a scope.
    pub fn class_around(&self, from: ScopeId) -> Option<ClassId> {
        self.outwards(from).find_map(|id| match self.kind(id) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        })
    }
    /// Whether a scope is another or lies in it.
    pub fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        self.outwards(inner).any(|id| id == outer)
    }
}
