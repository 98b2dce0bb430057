//! Memory that is there where a kernel asks for it.
//!
//! With inputs made up, indices that a kernel reads or computes lead out of its buffers, and the run would end there and say nothing. So what is accessed
//! where nothing is becomes a page with content of the recipe's, and the run starts over. Ours then runs with the pages that theirs asked for: an access of its
//! own elsewhere is a fault.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use warpsmith_emu::{Accessed, Device};

use super::recipe::Recipe;

/// Bytes of a page.
const PAGE: u64 = 1 << 16;
/// The most pages of a run.
const MOST: usize = 64;
/// Words by which the content of a page is further on than that of the page before it.
const STRIDE: u64 = 1_237;

thread_local! {
    /// The memory of pages, used again by the next run of the thread: a device wants it for ever.
    static MEMORY: RefCell<Vec<&'static [AtomicU64]>> = const { RefCell::new(Vec::new()) };
}

/// The pages of a run, by where they start.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    /// What a page holds, from a word on that its address says.
    content: Vec<u64>,
    list: Vec<u64>,
    /// Accesses that added some.
    asked: usize,
}

impl Pages {
    /// None yet, with content as the recipe's buffers have.
    pub(super) fn new(recipe: &Recipe) -> Pages {
        let bytes = recipe.page(PAGE as usize);
        Pages {
            content: bytes
                .as_chunks()
                .0
                .iter()
                .map(|word| u64::from_le_bytes(*word))
                .collect(),
            list: Vec::new(),
            asked: 0,
        }
    }

    /// Adds the page of an access that found nothing, and more behind it the more were asked for; `false` where there can be none.
    pub(super) fn add(&mut self, accessed: Option<Accessed>) -> bool {
        let Some(Accessed::Global(address)) = accessed else {
            return false;
        };
        let first = address & !(PAGE - 1);
        if self.list.contains(&first) || self.list.len() == MOST {
            return false;
        }
        let wanted = (0..=self.asked as u64 / 2).filter_map(|page| first.checked_add(page * PAGE));
        for page in wanted.take(MOST - self.list.len()) {
            if !self.list.contains(&page) {
                self.list.push(page);
            }
        }
        self.asked += 1;
        true
    }

    /// Gives the device all that are free there, filled; returns where they are and their bytes.
    pub(super) fn map(&self, device: &mut Device) -> Vec<(u64, u64)> {
        let mut mapped = Vec::new();
        for (index, &page) in self.list.iter().enumerate() {
            let words = memory(index);
            if device.map_host(page, words).is_ok() {
                let first = (page / PAGE).wrapping_mul(STRIDE) as usize % self.content.len();
                let content = self.content[first..].iter().chain(&self.content[..first]);
                for (word, value) in words.iter().zip(content) {
                    word.store(*value, Ordering::Relaxed);
                }
                mapped.push((page, PAGE));
            }
        }
        mapped
    }
}

/// The memory of the page with that index.
fn memory(index: usize) -> &'static [AtomicU64] {
    MEMORY.with_borrow_mut(|memory| {
        while memory.len() <= index {
            let words: Vec<AtomicU64> = (0..PAGE / 8).map(|_| AtomicU64::new(0)).collect();
            memory.push(Vec::leak(words));
        }
        memory[index]
    })
}

#[cfg(test)]
mod tests {
    use warpsmith_ptx::module::Module;

    use super::super::{Agreement, agreements, read};

    /// What `a[1000000]` and a pointer in memory lead to are pages, and what is written there is compared.
    #[test]
    fn what_lies_beyond_the_buffers_is_compared() {
        let text = |added: &str| {
            format!(
                "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{{
    .reg .b64 %rd<5>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [a];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u64 %rd3, [%rd2];
    and.b64 %rd3, %rd3, -4;
    ld.global.u32 %r1, [%rd2+4000000];
    add.u32 %r1, %r1, {added};
    st.global.u32 [%rd3], %r1;
    ret;
}}
"
            )
        };
        let (one, two) = (text("1"), text("2"));
        let (first, second) = (read(&one).expect("PTX"), read(&two).expect("PTX"));
        let compared = |theirs: (&str, &Module)| {
            let mut found = Vec::new();
            let collect = |_: &str, agreement| found.push(agreement);
            agreements((&one, &first), theirs, None, collect).expect("it runs");
            found
        };
        let same = compared((&one, &first));
        assert!(matches!(same[..], [Agreement::Equal(_)]), "{same:?}");
        let other = compared((&two, &second));
        assert!(matches!(other[..], [Agreement::Different(_)]), "{other:?}");
    }
}
