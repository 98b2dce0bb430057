//! From the tree to a list of tokens, each with what stands before it.

use rowan::{NodeOrToken, WalkEvent};

use crate::tree::{SyntaxKind, SyntaxNode, SyntaxToken};

/// What stands before a token. Numbers are depths of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing.
    None,
    /// A blank.
    Space,
    /// A blank and a tab.
    Tab,
    /// A new line.
    Line(u32),
    /// Nothing, or a new line if the group is broken.
    Edge(u32),
    /// A blank, or a new line if the group is broken.
    Element(u32),
    /// A blank, or a new line where the line would get too long and the group is broken.
    Fill(u32),
}

/// A comment or line marker.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    /// Its text, without white space at the end.
    pub(super) text: String,
    /// Which kind: line comment, block comment or line marker.
    pub(super) kind: SyntaxKind,
    /// Line ends before it since the last token or comment.
    pub(super) lines: usize,
}

/// A token and what comes before it.
#[derive(Debug)]
pub(super) struct Piece {
    /// The token; at the end of the text, none.
    pub(super) token: Option<SyntaxToken>,
    /// What stands before it.
    pub(super) gap: Gap,
    /// Indentation of lines that comments make where the gap is no line.
    pub(super) continuation: u32,
    /// Comments before it.
    pub(super) comments: Vec<Comment>,
    /// Line ends directly before it, since the last comment or token.
    pub(super) lines: usize,
    /// If a group of [`Gap::Edge`], [`Gap::Element`] and [`Gap::Fill`] begins after this token: the index of its last piece.
    pub(super) group_end: Option<usize>,
}

impl Piece {
    /// Whether the token opens or closes a region of lines, where no blank lines stand.
    pub(super) fn opens(&self) -> bool {
        matches!(self.kind(), Some(SyntaxKind::LeftBrace | SyntaxKind::LeftParenthesis))
    }

    /// As [`Piece::opens`], for the other end.
    pub(super) fn closes(&self) -> bool {
        matches!(self.kind(), Some(SyntaxKind::RightBrace | SyntaxKind::RightParenthesis))
    }

    fn kind(&self) -> Option<SyntaxKind> {
        self.token.as_ref().map(SyntaxToken::kind)
    }

    /// The token's text.
    pub(super) fn text(&self) -> &str {
        self.token.as_ref().map_or("", SyntaxToken::text)
    }
}

/// The pieces of a tree without problems; the last one is the end of the text.
pub(super) fn layout(root: &SyntaxNode) -> Vec<Piece> {
    let mut layout = Layout {
        depth: 0,
        wanted: None,
        pieces: Vec::new(),
        comments: Vec::new(),
        lines: 0,
        group: None,
    };
    for event in root.preorder_with_tokens() {
        match event {
            WalkEvent::Enter(NodeOrToken::Node(node)) => layout.enter(&node),
            WalkEvent::Enter(NodeOrToken::Token(token)) => layout.token(token),
            WalkEvent::Leave(NodeOrToken::Node(node)) => layout.leave(&node),
            WalkEvent::Leave(NodeOrToken::Token(_)) => (),
        }
    }
    layout.push(None, Gap::Line(0));
    layout.pieces
}

/// A list that may be broken over lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaking {
    /// One element on a line.
    Elements,
    /// An initialiser: lines are filled, the braces stand outside.
    Initializer,
    /// Lines are filled.
    Filled,
}

struct Group {
    breaking: Breaking,
    node: SyntaxNode,
    /// The piece after which it begins.
    first: usize,
}

struct Layout {
    depth: u32,
    /// What a node asked to stand before its first token.
    wanted: Option<Gap>,
    pieces: Vec<Piece>,
    comments: Vec<Comment>,
    lines: usize,
    group: Option<Group>,
}

impl Layout {
    fn enter(&mut self, node: &SyntaxNode) {
        use SyntaxKind::*;
        match node.kind() {
            Table if node.prev_sibling().is_some_and(|node| node.kind() == Label) => self.want(Gap::Space),
            Directive | Location | Alias | Section | SectionBody | SectionLine | Declaration | Function | Body
            | Block | Table | Instruction => {
                self.want(Gap::Line(self.depth));
            }
            Pragma if node.parent().is_none_or(|parent| parent.kind() != FunctionDirective) => {
                self.want(Gap::Line(self.depth))
            }
            FunctionDirective if node.parent().is_none_or(|parent| parent.kind() != Table) => {
                self.want(Gap::Line(self.depth))
            }
            Label => self.want(Gap::Line(self.depth.saturating_sub(1))),
            Operands if node.parent().is_some_and(|parent| parent.kind() == Instruction) => self.want(Gap::Tab),
            Operands => self.want(Gap::Space),
            Declarator if is_first_register(node) => self.want(Gap::Tab),
            _ => (),
        }
        if self.group.is_none()
            && let Some(breaking) = breaking(node)
        {
            // The group begins after the bracket, or after the word that comes next or came before.
            let first = if matches!(breaking, Breaking::Filled) && node.kind() == Operands {
                self.pieces.len().saturating_sub(1)
            } else {
                self.pieces.len()
            };
            self.group = Some(Group {
                breaking,
                node: node.clone(),
                first,
            });
        }
    }

    fn leave(&mut self, node: &SyntaxNode) {
        if self.group.as_ref().is_some_and(|group| group.node == *node)
            && let Some(group) = self.group.take()
        {
            let last = self.pieces.len() - 1;
            self.pieces[group.first].group_end = Some(last);
        }
    }

    /// A gap before the next token; of two wishes, the outer node's counts.
    fn want(&mut self, gap: Gap) {
        self.wanted.get_or_insert(gap);
    }

    fn token(&mut self, token: SyntaxToken) {
        use SyntaxKind::*;
        let kind = token.kind();
        match kind {
            Whitespace => self.lines += token.text().bytes().filter(|byte| *byte == b'\n').count(),
            LineComment | BlockComment | LineMarker => {
                let text = token.text().trim_end_matches([' ', '\t', '\r', '\x0c']).to_owned();
                self.comments.push(Comment {
                    text,
                    kind,
                    lines: std::mem::take(&mut self.lines),
                });
            }
            _ => {
                let parent = token.parent();
                let block = parent
                    .as_ref()
                    .is_some_and(|parent| matches!(parent.kind(), Body | Block | SectionBody));
                if block && kind == RightBrace {
                    self.depth -= 1;
                    self.want(Gap::Line(self.depth));
                }
                let gap = self
                    .wanted
                    .take()
                    .or_else(|| self.group_gap(&token))
                    .unwrap_or_else(|| self.gap(&token, parent.as_ref()));
                self.push(Some(token), gap);
                if block && kind == LeftBrace {
                    self.depth += 1;
                }
            }
        }
    }

    fn push(&mut self, token: Option<SyntaxToken>, gap: Gap) {
        let comments = std::mem::take(&mut self.comments);
        let lines = std::mem::take(&mut self.lines);
        self.pieces.push(Piece {
            token,
            gap,
            continuation: self.depth + 1,
            comments,
            lines,
            group_end: None,
        });
    }

    /// The gap of a token where a list may be broken.
    fn group_gap(&self, token: &SyntaxToken) -> Option<Gap> {
        let group = self.group.as_ref()?;
        let previous = self.pieces.last()?.kind()?;
        let first = self.pieces.len() == group.first + 1;
        let last = matches!(token.kind(), SyntaxKind::RightParenthesis | SyntaxKind::RightBrace)
            && group.node.last_token().as_ref() == Some(token);
        let depth = self.depth;
        match group.breaking {
            Breaking::Elements | Breaking::Initializer if first && last => None,
            Breaking::Elements | Breaking::Initializer if first => Some(Gap::Edge(depth + 1)),
            Breaking::Elements | Breaking::Initializer if last => Some(Gap::Edge(depth)),
            Breaking::Elements if previous == SyntaxKind::Comma && self.between_parameters(token) => {
                Some(Gap::Element(depth + 1))
            }
            Breaking::Elements => None,
            Breaking::Initializer | Breaking::Filled if previous == SyntaxKind::Comma => Some(Gap::Fill(depth + 1)),
            Breaking::Initializer | Breaking::Filled => None,
        }
    }

    /// Whether the token begins a parameter.
    fn between_parameters(&self, token: &SyntaxToken) -> bool {
        token.parent().is_some_and(|parent| {
            parent.kind() == SyntaxKind::Parameter && parent.first_token().as_ref() == Some(token)
        })
    }

    /// The gap of a token that no node and no list asked for.
    fn gap(&self, token: &SyntaxToken, parent: Option<&SyntaxNode>) -> Gap {
        use SyntaxKind::*;
        let Some((previous, before)) = self
            .pieces
            .last()
            .and_then(|piece| piece.token.as_ref())
            .map(|token| (token.kind(), token))
        else {
            return Gap::None;
        };
        let parent_kind = parent.map_or(Module, SyntaxNode::kind);
        match (previous, token.kind()) {
            (_, Comma | Semicolon | RightParenthesis | RightBracket | RightBrace) => Gap::None,
            (LeftParenthesis | LeftBracket | LeftBrace | At, _) => Gap::None,
            (Comma, _) => Gap::Space,
            (_, Less | Greater) if parent_kind == Count => Gap::None,
            (Less, _) if before.parent().is_some_and(|parent| parent.kind() == Count) => Gap::None,
            (_, Equals | Question) | (Equals | Question, _) => Gap::Space,
            (_, Colon) if parent_kind == Label => Gap::None,
            (_, Colon) | (Colon, _) => Gap::Space,
            (_, DotWord) if matches!(parent_kind, Mnemonic | Expression) => joined(before, token),
            (_, LeftParenthesis) if parent_kind == List => {
                if previous == RightParenthesis {
                    Gap::None
                } else {
                    joined(before, token)
                }
            }
            (_, LeftParenthesis) if parent_kind == ParameterList && matches!(previous, RightParenthesis | DotWord) => {
                Gap::Space
            }
            (_, LeftBracket) if parent_kind == Dimension && previous == Number => Gap::Space,
            (_, LeftParenthesis | LeftBracket | LeftBrace | Sign | Prefix | Infix | Less | Greater) => {
                joined(before, token)
            }
            (Sign | Prefix | Infix | Less | Greater, _) => match parent_kind {
                Expression | Guard | Location => joined(before, token),
                _ => Gap::Space,
            },
            (RightParenthesis, _) if parent_kind == Expression => Gap::None,
            _ => Gap::Space,
        }
    }
}

/// Whether and how a node is a list that may be broken.
fn breaking(node: &SyntaxNode) -> Option<Breaking> {
    use SyntaxKind::*;
    /// Shorter lists of operands are not broken, however long their names are.
    const ELEMENTS: usize = 8;
    let commas = || {
        node.children_with_tokens()
            .filter(|child| child.kind() == Comma)
            .count()
    };
    let inside = |kind: SyntaxKind| node.ancestors().any(|ancestor| ancestor.kind() == kind);
    match node.kind() {
        ParameterList => Some(Breaking::Elements),
        Vector if inside(Declarator) => Some(Breaking::Initializer),
        Vector | List if commas() >= ELEMENTS => Some(Breaking::Filled),
        Operands
            if node
                .parent()
                .is_some_and(|parent| matches!(parent.kind(), Table | SectionLine))
                && commas() >= 1 =>
        {
            Some(Breaking::Filled)
        }
        _ => None,
    }
}

/// The first name after `.reg .b32`.
fn is_first_register(node: &SyntaxNode) -> bool {
    let reg = |parent: SyntaxNode| {
        parent.kind() == SyntaxKind::Declaration && parent.first_token().is_some_and(|token| token.text() == ".reg")
    };
    node.prev_sibling()
        .is_none_or(|sibling| sibling.kind() != SyntaxKind::Declarator)
        && node.parent().is_some_and(reg)
}

/// No gap where the two tokens stay two without one.
fn joined(before: &SyntaxToken, token: &SyntaxToken) -> Gap {
    let (Some(last), Some(first)) = (before.text().bytes().last(), token.text().bytes().next()) else {
        return Gap::None;
    };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let merges = match (last, first) {
        _ if before.text() == "%" || token.text() == "%" => true,
        (b'/', b'/' | b'*') | (b'=' | b'!' | b'<' | b'>', b'=') => true,
        (b'<' | b'>' | b'&' | b'|', _) => last == first,
        (_, b'.') => before.kind() == SyntaxKind::Number,
        // `1e -4` is not `1e-4`.
        (b'e' | b'E', b'+' | b'-') => before.kind() == SyntaxKind::Number,
        (b'.', _) => word(first),
        _ => word(last) && word(first),
    };
    if merges { Gap::Space } else { Gap::None }
}
