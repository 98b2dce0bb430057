//! Typed indices, dense arenas keyed by them, and the append-only interner that types and constants live in.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// An index of an [`Arena`].
pub trait Entity: Copy + Eq {
    /// The entity of an index.
    fn from_index(index: usize) -> Self;
    /// The index of the entity.
    fn index(self) -> usize;
}

/// Declares an index type. Those `ordered` can be compared; the others are handed out in an order that may depend on threads, so that nothing
/// may be sorted by them.
macro_rules! entity {
    ($(#[$meta:meta])* ordered $name:ident, $prefix:literal) => {
        $crate::arena::entity!($(#[$meta])* #[derive(PartialOrd, Ord)] $name, $prefix);
    };
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(u32);

        impl $crate::arena::Entity for $name {
            fn from_index(index: usize) -> $name {
                // Arenas hold fewer than 2^32 entries: each takes over 16 bytes.
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $name {
            /// The dense index, from 0.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, concat!($prefix, "{}"), self.0)
            }
        }
    };
}
pub(crate) use entity;

/// A vector indexed by an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    entity: PhantomData<fn(I) -> I>,
}

impl<I: Entity, T> Arena<I, T> {
    /// An empty arena.
    pub fn new() -> Arena<I, T> {
        Arena {
            items: Vec::new(),
            entity: PhantomData,
        }
    }

    /// Adds an item and gives its index.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, if there is one of that index.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// All indices in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All indices and items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (I::from_index(index), item))
    }

    /// All indices and items in order, to change.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> {
        self.items
            .iter_mut()
            .enumerate()
            .map(|(index, item)| (I::from_index(index), item))
    }

    /// The items in order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The items in order, to change (in parallel, perhaps).
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I: Entity, T> Default for Arena<I, T> {
    fn default() -> Arena<I, T> {
        Arena::new()
    }
}

impl<I: Entity, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Entity, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

/// The first chunk holds `1 << FIRST_CHUNK_BITS` items, each further one twice as many as the one before.
const FIRST_CHUNK_BITS: u32 = 6;
const CHUNKS: usize = (32 - FIRST_CHUNK_BITS) as usize;

/// The items of one chunk, each set once.
type Chunk<T> = OnceLock<Box<[OnceLock<T>]>>;

/// A set of values, each with a number, that only grows. Threads that share it look values up without a lock and add values under one.
///
/// The numbers depend on the order in which threads add values; nothing may be ordered by them.
pub struct Interner<T> {
    chunks: [Chunk<T>; CHUNKS],
    length: AtomicU32,
    numbers: Mutex<HashTable<u32>>,
}

impl<T: Hash + Eq> Interner<T> {
    /// An empty set.
    pub fn new() -> Interner<T> {
        Interner {
            chunks: [const { OnceLock::new() }; CHUNKS],
            length: AtomicU32::new(0),
            numbers: Mutex::new(HashTable::new()),
        }
    }

    fn place(number: u32) -> (usize, usize) {
        let biased = u64::from(number) + (1 << FIRST_CHUNK_BITS);
        let chunk = biased.ilog2();
        ((chunk - FIRST_CHUNK_BITS) as usize, (biased - (1 << chunk)) as usize)
    }

    /// The value of a number, if one has it.
    pub fn get(&self, number: u32) -> Option<&T> {
        let (chunk, offset) = Interner::<T>::place(number);
        self.chunks.get(chunk)?.get()?.get(offset)?.get()
    }

    /// The number of a value: that of an equal one if there is one.
    pub fn intern(&self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.find(hash, |&number| self.get(number) == Some(&value)) {
            return *number;
        }
        let number = self.length.load(Ordering::Relaxed);
        let (chunk, offset) = Interner::<T>::place(number);
        let items = self.chunks[chunk].get_or_init(|| {
            (0..1usize << (chunk as u32 + FIRST_CHUNK_BITS))
                .map(|_| OnceLock::new())
                .collect()
        });
        // The place is new: the length grows under the lock only.
        let _ = items[offset].set(value);
        self.length.store(number + 1, Ordering::Release);
        numbers.insert_unique(hash, number, |&other| {
            self.get(other).map_or(0, |item| FxBuildHasher.hash_one(item))
        });
        number
    }
}

impl<T: Hash + Eq> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner::new()
    }
}

impl<T> fmt::Debug for Interner<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Interner of {}", self.length.load(Ordering::Relaxed))
    }
}
