//! Operations of a warp and of a CTA, where all threads come equally often.

use super::{Generator, SHARED, body::Kind};

impl Generator {
    /// A statement that threads do together; another where they may not.
    pub(super) fn collective(&mut self) {
        if !self.collectives || !self.body.uniform || self.body.device {
            self.integer();
            return;
        }
        match self.below(12) {
            0..4 => self.shuffle(),
            4..6 => self.vote(),
            6 => self.matching(),
            7 if self.target >= 80 => self.reduction(),
            8 | 9 => self.exchange(),
            10 => self.barrier_reduction(),
            _ => self.line("bar.sync 0;"),
        }
    }

    fn shuffle(&mut self) {
        let a = self.register(Kind::I32);
        let by = match self.chance(60) {
            true => self.below(32).to_string(),
            false => {
                let b = self.register(Kind::I32);
                self.put_new(Kind::I32, |d| format!("and.b32 {d}, {b}, 31;"))
            }
        };
        let (mode, clamp) = [
            ("up", "0"),
            ("down", "31"),
            ("bfly", "31"),
            ("idx", "31"),
            ("idx", "0x1c07"),
            ("bfly", "0x181f"),
        ][self.below(6) as usize];
        let result = self.body.fresh(Kind::I32);
        if self.chance(50) {
            let p = self.body.fresh(Kind::Predicate);
            self.line(&format!("shfl.sync.{mode}.b32 {result}|{p}, {a}, {by}, {clamp}, -1;"));
            self.body.push(Kind::Predicate, &p);
        } else {
            self.line(&format!(
                "shfl.sync.{mode}.b32 {result}, {a}, {by}, {clamp}, 0xffffffff;"
            ));
        }
        self.body.push(Kind::I32, &result);
    }

    fn vote(&mut self) {
        let p = self.register(Kind::Predicate);
        let not = self.pick(&["", "!"]);
        match self.below(4) {
            0 => {
                let result = self.body.fresh(Kind::I32);
                self.line(&format!("vote.sync.ballot.b32 {result}, {not}{p}, -1;"));
                self.body.push(Kind::I32, &result);
            }
            _ => {
                let mode = self.pick(&["all", "any", "uni"]);
                let result = self.body.fresh(Kind::Predicate);
                self.line(&format!("vote.sync.{mode}.pred {result}, {not}{p}, -1;"));
                self.body.push(Kind::Predicate, &result);
            }
        }
    }

    fn matching(&mut self) {
        let a = self.register(Kind::I32);
        let small = self.put_new(Kind::I32, |d| format!("and.b32 {d}, {a}, 3;"));
        let result = self.body.fresh(Kind::I32);
        match self.chance(50) {
            true => self.line(&format!("match.any.sync.b32 {result}, {small}, -1;")),
            false => {
                let p = self.body.fresh(Kind::Predicate);
                self.line(&format!("match.all.sync.b32 {result}|{p}, {small}, -1;"));
                self.body.push(Kind::Predicate, &p);
            }
        }
        self.body.push(Kind::I32, &result);
    }

    fn reduction(&mut self) {
        let a = self.register(Kind::I32);
        let operation = self.pick(&[
            "add.u32", "add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32",
        ]);
        let result = self.body.fresh(Kind::I32);
        self.line(&format!("redux.sync.{operation} {result}, {a}, -1;"));
        self.body.push(Kind::I32, &result);
    }

    /// Each thread reads what another has written.
    fn exchange(&mut self) {
        let value = self.register(Kind::I64);
        let at = self.below(SHARED / 8) * 8;
        let distance = 1 + self.below(self.block - 1);
        self.line(&format!("bar.sync 0; st.shared.u64 [%mine+{at}], {value}; bar.sync 0;"));
        let other = self.put_new(Kind::I32, |d| format!("add.u32 {d}, %me, {distance};"));
        let block = self.block;
        let other = self.put_new(Kind::I32, |d| format!("rem.u32 {d}, {other}, {block};"));
        let base = self.put_new(Kind::I32, |d| format!("mov.u32 {d}, area;"));
        let address = self.put_new(Kind::I32, |d| format!("mad.lo.u32 {d}, {other}, {SHARED}, {base};"));
        let result = self.body.fresh(Kind::I64);
        self.line(&format!("ld.shared.u64 {result}, [{address}+{at}]; bar.sync 0;"));
        self.body.push(Kind::I64, &result);
    }

    fn barrier_reduction(&mut self) {
        let p = self.register(Kind::Predicate);
        let not = self.pick(&["", "!"]);
        match self.below(3) {
            0 => {
                let result = self.body.fresh(Kind::I32);
                self.line(&format!("bar.red.popc.u32 {result}, 1, {not}{p};"));
                self.body.push(Kind::I32, &result);
            }
            _ => {
                let mode = self.pick(&["and", "or"]);
                let result = self.body.fresh(Kind::Predicate);
                self.line(&format!("bar.red.{mode}.pred {result}, 1, {not}{p};"));
                self.body.push(Kind::Predicate, &result);
            }
        }
    }
}
