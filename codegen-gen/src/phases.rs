//! Phases: `ir-defs/phases.tbl` in, the back end's pipeline out.
//!
//! [`generate`] reads one row a line; the grammar stands at the top of the table. Refused: rows out of order, names given twice, a pass without levels or
//! levels without a pass, and a state that is needed where no earlier row gives it at all levels of the row that needs it.

use std::fmt::Write as _;

use crate::TableError;

/// Optimisation levels, from `-O0` to `-O3`.
const LEVELS: usize = 4;

/// The state in which every function enters the pipeline.
const INITIAL: &str = "virtual";

/// One row.
struct Row<'t> {
    name: &'t str,
    /// Whether it runs at each level.
    levels: [bool; LEVELS],
    /// The path of the pass.
    work: Option<&'t str>,
    /// Whether it cannot be switched off: it runs at every level, or gives a state.
    required: bool,
    text: &'t str,
}

/// Reads the table `text` (called `file` in errors) and returns Rust source for the back end to include.
///
/// # Errors
/// The first row that breaks a rule, with its line.
pub fn generate(file: &str, text: &str) -> Result<String, TableError> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut states: [Vec<&str>; LEVELS] = std::array::from_fn(|_| vec![INITIAL]);
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let refuse = |message: String| TableError::new(file, index + 1, message);
        let columns: Vec<&str> = line.splitn(6, '|').map(str::trim).collect();
        let [title, levels, work, needs, changes, explanation] = columns[..] else {
            return Err(refuse("a row has six columns".to_string()));
        };
        let row = row([title, levels, work, changes, explanation], &rows).map_err(refuse)?;
        for level in (0..LEVELS).filter(|level| row.levels[*level]) {
            check_needs(needs, &states[level], level).map_err(refuse)?;
            change(changes, &mut states[level]).map_err(refuse)?;
        }
        rows.push(row);
    }
    Ok(emit(&rows))
}

fn row<'t>(columns: [&'t str; 5], rows: &[Row<'_>]) -> Result<Row<'t>, String> {
    let [title, levels, work, changes, text] = columns;
    let (number, name) = title.split_once(' ').ok_or("a row starts with number and name")?;
    if number.parse() != Ok(rows.len()) {
        return Err(format!("row {number} stands where {} is due", rows.len()));
    }
    let name = name.trim();
    if rows.iter().any(|other| other.name == name) {
        return Err(format!("`{name}` a second time"));
    }
    if text.is_empty() {
        return Err(format!("`{name}` does not say what it does"));
    }
    let work = Some(work).filter(|work| *work != "-");
    let levels = match (levels, levels.strip_suffix('+')) {
        ("-", _) => [false; LEVELS],
        (_, Some(from)) => {
            let from: usize = from.parse().map_err(|_| format!("`{levels}` is no range of levels"))?;
            std::array::from_fn(|level| level >= from)
        }
        (one, None) => {
            let one: usize = one.parse().map_err(|_| format!("`{levels}` is no level"))?;
            std::array::from_fn(|level| level == one)
        }
    };
    if work.is_some() != levels.contains(&true) {
        return Err(format!("`{name}` has a pass without levels, or levels without a pass"));
    }
    Ok(Row {
        required: work.is_some() && (levels[0] || changes != "-"),
        name,
        levels,
        work,
        text,
    })
}

/// The states of a column; `-` stands for none.
fn states(column: &str) -> impl Iterator<Item = &str> {
    column.split_whitespace().filter(|state| *state != "-")
}

fn check_needs(needs: &str, have: &[&str], level: usize) -> Result<(), String> {
    match states(needs).find(|state| !have.contains(state)) {
        Some(state) => Err(format!("`{state}` does not hold here at -O{level}")),
        None => Ok(()),
    }
}

fn change<'t>(changes: &'t str, have: &mut Vec<&'t str>) -> Result<(), String> {
    for state in states(changes) {
        match (state.strip_prefix('+'), state.strip_prefix('-')) {
            (Some(begins), _) if !have.contains(&begins) => have.push(begins),
            (_, Some(ends)) if have.contains(&ends) => have.retain(|state| *state != ends),
            _ => return Err(format!("`{state}` changes nothing here")),
        }
    }
    Ok(())
}

fn emit(rows: &[Row<'_>]) -> String {
    let mut out = format!(
        "/// Every phase, in order.\npub static PHASES: [Phase; {}] = [\n",
        rows.len()
    );
    for row in rows {
        let work = row.work.map_or("None".to_string(), |work| format!("Some({work})"));
        let _ = writeln!(
            out,
            "    Phase {{ name: {:?}, levels: {:?}, work: {work}, required: {}, text: {:?} }},",
            row.name, row.levels, row.required, row.text
        );
    }
    out.push_str("];\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        generate("p.tbl", text).unwrap_err().to_string()
    }

    #[test]
    fn the_table_is_accepted() {
        let text = generate("phases.tbl", include_str!("../../ir-defs/phases.tbl")).unwrap();
        assert!(text.contains("PHASES: [Phase; 159]"));
    }

    #[test]
    fn a_row_becomes_a_phase() {
        let text = generate("p.tbl", "0 Fold | 2+ | crate::fold | virtual | - | folds\n").unwrap();
        assert_eq!(
            text,
            "/// Every phase, in order.\npub static PHASES: [Phase; 1] = [\n    Phase { name: \"Fold\", \
             levels: [false, false, true, true], work: Some(crate::fold), required: false, text: \"folds\" },\n];\n"
        );
    }

    #[test]
    fn a_state_must_be_given_at_every_level_that_needs_it() {
        let table = "0 A | 1+ | a | - | +ready | x\n1 B | 0+ | b | ready | - | y\n";
        assert_eq!(refusal(table), "p.tbl:2: `ready` does not hold here at -O0");
        let ended = "0 A | 0+ | a | - | -virtual | x\n1 B | 0+ | b | virtual | - | y\n";
        assert_eq!(refusal(ended), "p.tbl:2: `virtual` does not hold here at -O0");
    }

    #[test]
    fn malformed_rows() {
        assert_eq!(refusal("0 A | - | - | - | -\n"), "p.tbl:1: a row has six columns");
        assert_eq!(
            refusal("1 A | - | - | - | - | x\n"),
            "p.tbl:1: row 1 stands where 0 is due"
        );
        assert_eq!(
            refusal("0 A | - | - | - | - |\n"),
            "p.tbl:1: `A` does not say what it does"
        );
        assert_eq!(
            refusal("0 A | 2+ | - | - | - | x\n"),
            "p.tbl:1: `A` has a pass without levels, or levels without a pass"
        );
        assert_eq!(refusal("0 A | x | a | - | - | x\n"), "p.tbl:1: `x` is no level");
        assert_eq!(
            refusal("0 A | 0+ | a | - | -ready | x\n"),
            "p.tbl:1: `-ready` changes nothing here"
        );
        assert_eq!(
            refusal("0 A | - | - | - | - | x\n1 A | - | - | - | - | y\n"),
            "p.tbl:2: `A` a second time"
        );
    }
}
