//! Branches, loops, switches and early exits.

use super::{Generator, MOST_TRIPS, OWN, body::Kind};

/// Nested statements at most.
const MOST_DEPTH: u32 = 4;
/// The same in deep programs.
const MOST_DEPTH_OF_DEEP: u32 = 18;

impl Generator {
    /// A statement with others inside; a plain one where there are enough around.
    pub(super) fn control(&mut self) {
        let most = if self.deep { MOST_DEPTH_OF_DEEP } else { MOST_DEPTH };
        if self.body.depth >= most {
            self.integer();
            return;
        }
        if self.deep && self.chance(25) {
            self.jump_out();
            return;
        }
        match self.below(100) {
            0..28 => self.condition(),
            28..40 => self.condition_with_else(),
            40..72 => self.counted(),
            72..82 => self.switch(),
            82..90 => self.overlapping(),
            90..95 => self.two_entries(),
            _ => self.leave(),
        }
    }

    /// A few statements in a scope of their own.
    fn inner(&mut self) {
        let scope = self.body.open();
        self.body.depth += 1;
        for index in 0..1 + self.below(5) {
            if self.body.budget == 0 {
                break;
            }
            if self.deep && index == 0 && self.chance(70) {
                self.control();
            }
            self.statement();
        }
        self.body.depth -= 1;
        self.body.close(&scope);
    }

    /// The same where threads come at will.
    fn inner_divergent(&mut self) {
        let uniform = std::mem::replace(&mut self.body.uniform, false);
        self.inner();
        self.body.uniform = uniform;
    }

    /// A guard that is the same for all threads, or any; and whether it is.
    fn decision(&mut self) -> (String, bool) {
        if self.body.uniform && !self.body.device && self.chance(30) {
            let limit = self.below(3);
            let source = self.pick(&["%cta", "%n"]);
            let p = self.put_new(Kind::Predicate, |d| format!("setp.gt.u32 {d}, {source}, {limit};"));
            let guard = self.pick(&["@", "@!"]);
            return (format!("{guard}{p} "), true);
        }
        (self.guard(), false)
    }

    /// What a branch leads to; `end` is behind it.
    fn branch_body(&mut self, uniform: bool, end: &str) {
        self.body.ends.push(end.to_owned());
        match uniform {
            true => self.inner(),
            false => self.inner_divergent(),
        }
        self.body.ends.pop();
    }

    /// Some threads leave a few of the statements around.
    fn jump_out(&mut self) {
        let count = self.body.ends.len() as u32;
        if count == 0 {
            self.condition();
            return;
        }
        let guard = self.guard();
        let back = self.below(count.min(6)) as usize;
        let end = self.body.ends[count as usize - 1 - back].clone();
        self.line(&format!("{guard}bra {end};"));
    }

    fn condition(&mut self) {
        let (guard, uniform) = self.decision();
        let end = self.label();
        self.line(&format!("{guard}bra {end};"));
        self.branch_body(uniform, &end);
        self.place(&end);
    }

    fn condition_with_else(&mut self) {
        let (guard, uniform) = self.decision();
        let (other, end) = (self.label(), self.label());
        let form = if uniform { "bra.uni" } else { "bra" };
        self.line(&format!("{guard}{form} {other};"));
        self.branch_body(uniform, &end);
        self.line(&format!("bra {end};"));
        self.place(&other);
        self.branch_body(uniform, &end);
        self.place(&end);
    }

    /// A loop with a counter.
    fn counted(&mut self) {
        let most = (MOST_TRIPS / self.body.trips).min(9);
        if most < 2 {
            self.condition();
            return;
        }
        let trips = 1 + self.below(most);
        let fixed = self.chance(55);
        let breaks = self.chance(35);
        self.body.counters += 1;
        let counter = format!("%c{}", self.body.counters);
        let (head, next, end) = (self.label(), self.label(), self.label());
        // A number of trips that threads share, or their own.
        let limit = match fixed {
            true => trips.to_string(),
            false => {
                let source = self.register(Kind::I32);
                let trips = trips.next_power_of_two().min(most.next_power_of_two() / 2).max(2);
                self.put_new(Kind::I32, |d| format!("and.b32 {d}, {source}, {};", trips - 1))
            }
        };
        let step = 1 + self.below(3);
        let down = self.chance(30);
        let first = self.chance(40);
        match down {
            true => self.line(&format!("mov.u32 {counter}, {limit};")),
            false => self.line(&format!("mov.u32 {counter}, 0;")),
        }
        if first {
            match down {
                true => self.leave_loop(&format!("setp.eq.s32 %nan, {counter}, 0;"), &end),
                false => self.leave_loop(&format!("setp.ge.s32 %nan, {counter}, {limit};"), &end),
            }
        }
        self.place(&head);
        let uniform = self.body.uniform;
        let trips_before = self.body.trips;
        self.body.uniform = uniform && fixed && !breaks;
        self.body.trips *= trips.next_power_of_two().max(2);
        let scope = self.body.open();
        self.body.push(Kind::I32, &counter);
        self.body.ends.push(end.clone());
        self.inner();
        if breaks {
            let guard = self.guard();
            let target = self.pick(&["break", "continue"]);
            let label = if target == "break" { &end } else { &next }.clone();
            self.line(&format!("{guard}bra {label};"));
            self.inner();
        }
        self.body.ends.pop();
        self.body.close(&scope);
        self.place(&next);
        match down {
            true => {
                self.line(&format!(
                    "sub.s32 {counter}, {counter}, {step}; setp.gt.s32 %nan, {counter}, 0;"
                ));
            }
            false => {
                self.line(&format!(
                    "add.s32 {counter}, {counter}, {step}; setp.lt.s32 %nan, {counter}, {limit};"
                ));
            }
        }
        self.line(&format!("@%nan bra {head};"));
        self.place(&end);
        self.body.uniform = uniform;
        self.body.trips = trips_before;
    }

    fn leave_loop(&mut self, test: &str, end: &str) {
        self.line(&format!("{test} @%nan bra {end};"));
    }

    /// A branch through a table.
    fn switch(&mut self) {
        let count = 2 + self.below(4);
        let index = self.register(Kind::I32);
        let index = self.put_new(Kind::I32, |d| format!("rem.u32 {d}, {index}, {count};"));
        let labels: Vec<String> = (0..count).map(|_| self.label()).collect();
        let (table, end) = (format!("T{}", self.body.labels), self.label());
        self.place(&format!("{table}: .branchtargets {};\n//", labels.join(", ")));
        self.line(&format!("brx.idx {index}, {table};"));
        for label in &labels {
            self.place(label);
            self.inner_divergent();
            // Some fall through to the next case.
            if self.chance(70) {
                self.line(&format!("bra {end};"));
            }
        }
        self.place(&end);
    }

    /// Two jumps forward that overlap: no structure of conditions.
    fn overlapping(&mut self) {
        let (first, second) = (self.label(), self.label());
        let guard = self.guard();
        self.line(&format!("{guard}bra {first};"));
        self.inner_divergent();
        let guard = self.guard();
        self.line(&format!("{guard}bra {second};"));
        self.inner_divergent();
        self.place(&first);
        self.inner_divergent();
        self.place(&second);
    }

    /// A loop with two entries.
    fn two_entries(&mut self) {
        let most = MOST_TRIPS / self.body.trips;
        if most < 4 {
            self.condition();
            return;
        }
        let before = self.body.trips;
        self.body.trips *= 4;
        self.body.counters += 1;
        let counter = format!("%c{}", self.body.counters);
        let (head, middle) = (self.label(), self.label());
        let guard = self.guard();
        self.line(&format!("mov.u32 {counter}, 0; {guard}bra {middle};"));
        self.place(&head);
        self.inner_divergent();
        self.place(&middle);
        self.inner_divergent();
        let trips = 1 + self.below(4);
        self.line(&format!(
            "add.u32 {counter}, {counter}, 1; setp.lt.u32 %nan, {counter}, {trips}; @%nan bra {head};"
        ));
        self.body.trips = before;
    }

    /// Some threads end here.
    fn leave(&mut self) {
        if self.body.device || self.collectives {
            self.condition();
            return;
        }
        let guard = self.guard();
        let value = self.register(Kind::I32);
        let how = self.pick(&["exit", "ret"]);
        if self.deep && self.chance(40) {
            // A call before the end.
            let end = self.label();
            self.line(&format!("{guard}bra {end};"));
            let scope = self.body.open();
            self.call();
            self.body.close(&scope);
            self.line(&format!("st.global.u32 [%own+{}], {value}; {how};", OWN + 184));
            self.place(&end);
            return;
        }
        self.line(&format!(
            "{guard}st.global.u32 [%own+{}], {value}; {guard}{how};",
            OWN + 184
        ));
    }
}
