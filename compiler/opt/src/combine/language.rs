//! Reader of the rule language of `rules.tbl`: text to terms, for the build script. What the names mean is said in `rules`.

/// A side of a rule, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term<'t> {
    /// A letter, with the name of its type.
    Letter { letter: char, ty: Option<char> },
    /// An integer.
    Number(i128),
    /// `-0`, of floats.
    NegativeZero,
    /// An instruction.
    Node(Node<'t>),
}

/// `(op'.predicate!flag:T operand …)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<'t> {
    pub(super) operation: &'t str,
    /// Nothing else uses it.
    pub(super) one_use: bool,
    /// The name after the point, or the function and the name in it: `not(P)`.
    pub(super) predicate: Option<(Option<&'t str>, &'t str)>,
    pub(super) flags: Vec<&'t str>,
    pub(super) ty: Option<char>,
    pub(super) operands: Vec<Term<'t>>,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleText<'t> {
    pub(super) line: usize,
    pub(super) pattern: Term<'t>,
    pub(super) replacement: Term<'t>,
    /// Name and arguments: letters, or numbers.
    pub(super) conditions: Vec<(&'t str, Vec<&'t str>)>,
}

/// The lines of a table that are rules, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(str::trim).zip(1..);
    lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, number)| (number, line))
}

/// Reads the table. The error has the line.
#[cfg(test)]
pub(super) fn read(text: &str) -> Result<Vec<RuleText<'_>>, String> {
    lines(text)
        .map(|(number, line)| rule(number, line).map_err(|what| format!("line {number}: {what}: {line}")))
        .collect()
}

/// Reads a line, which has this number.
pub(super) fn rule(number: usize, line: &str) -> Result<RuleText<'_>, String> {
    let (pattern, rest) = line.split_once("=>").ok_or("no =>")?;
    let (replacement, conditions) = match rest.split_once(" if ") {
        Some((replacement, conditions)) => (replacement, conditions),
        None => (rest, ""),
    };
    Ok(RuleText {
        line: number,
        pattern: whole(pattern)?,
        replacement: whole(replacement)?,
        conditions: conditions
            .split(", ")
            .filter(|text| !text.is_empty())
            .map(condition)
            .collect::<Result<_, _>>()?,
    })
}

fn condition(text: &str) -> Result<(&str, Vec<&str>), String> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else {
        return Ok((text, Vec::new()));
    };
    let arguments = rest.strip_suffix(')').ok_or("a condition without )")?;
    Ok((name, arguments.split_whitespace().collect()))
}

fn whole(text: &str) -> Result<Term<'_>, String> {
    let mut reader = Reader { rest: text.trim() };
    let term = reader.term()?;
    if reader.rest.trim().is_empty() {
        Ok(term)
    } else {
        Err(format!("something after the term: {}", reader.rest))
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn take(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self, more: impl Fn(char) -> bool) -> &'t str {
        let end = self
            .rest
            .find(|character: char| !character.is_ascii_alphanumeric() && !more(character))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn ty(&mut self) -> Result<Option<char>, String> {
        if !self.take(':') {
            return Ok(None);
        }
        let letter = self.rest.chars().next().ok_or("no type after :")?;
        self.rest = &self.rest[letter.len_utf8()..];
        Ok(Some(letter))
    }

    fn term(&mut self) -> Result<Term<'t>, String> {
        self.rest = self.rest.trim_start();
        if self.take('(') {
            return Ok(Term::Node(self.node()?));
        }
        let word = self.word(|character| character == '-');
        if word == "-0" {
            return Ok(Term::NegativeZero);
        }
        if let Ok(number) = word.parse() {
            return Ok(Term::Number(number));
        }
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(Term::Letter { letter, ty: self.ty()? }),
            _ => Err(format!("`{word}` is neither a letter nor a number")),
        }
    }

    fn node(&mut self) -> Result<Node<'t>, String> {
        let mut node = Node {
            operation: self.word(|character| character == '-' || character == '_'),
            one_use: self.take('\''),
            predicate: None,
            flags: Vec::new(),
            ty: None,
            operands: Vec::new(),
        };
        if self.take('.') {
            let name = self.word(|_| false);
            node.predicate = Some(if self.take('(') {
                let inner = self.word(|_| false);
                if !self.take(')') {
                    return Err("a predicate without )".into());
                }
                (Some(name), inner)
            } else {
                (None, name)
            });
        }
        while self.take('!') {
            node.flags.push(self.word(|_| false));
        }
        node.ty = self.ty()?;
        loop {
            self.rest = self.rest.trim_start();
            if self.take(')') {
                return Ok(node);
            }
            if self.rest.is_empty() {
                return Err("no )".into());
            }
            node.operands.push(self.term()?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read() {
        let rules = read("# text\n(icmp.P (add'!nsw x:S C) 3) => (icmp.not(P) x -1) if signed(P), fits(C S)").unwrap();
        assert_eq!(rules.len(), 1);
        let Term::Node(root) = &rules[0].pattern else { panic!() };
        assert_eq!((root.operation, root.predicate), ("icmp", Some((None, "P"))));
        let Term::Node(sum) = &root.operands[0] else { panic!() };
        assert!(sum.one_use && sum.flags == ["nsw"]);
        assert_eq!(
            sum.operands[0],
            Term::Letter {
                letter: 'x',
                ty: Some('S')
            }
        );
        let Term::Node(replacement) = &rules[0].replacement else {
            panic!()
        };
        assert_eq!(
            (replacement.predicate, &replacement.operands[1]),
            (Some((Some("not"), "P")), &Term::Number(-1))
        );
        assert_eq!(rules[0].conditions, [("signed", vec!["P"]), ("fits", vec!["C", "S"])]);
    }

    #[test]
    fn the_line_of_a_mistake_is_told() {
        assert!(read("\n(add x => y").unwrap_err().starts_with("line 2: "));
    }
}
