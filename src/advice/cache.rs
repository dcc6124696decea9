//! A cache of opinions, so that the same question is not put twice. Only clear and flagged ones are kept.

use std::collections::{HashMap, VecDeque};

use super::opinion::Opinion;

/// The greatest number of opinions; the oldest is dropped first.
const MOST: usize = 1024;

/// Opinions by the digest of the question.
#[derive(Debug, Default)]
pub(super) struct Cache {
    known: HashMap<[u8; 32], Opinion>,
    order: VecDeque<[u8; 32]>,
}

impl Cache {
    /// The cached opinion.
    pub(super) fn find(&self, key: &[u8; 32]) -> Option<Opinion> {
        self.known.get(key).cloned()
    }

    /// Stores an opinion. Unclear ones are not stored.
    pub(super) fn keep(&mut self, key: [u8; 32], opinion: &Opinion) {
        if matches!(opinion, Opinion::Unclear(_)) {
            return;
        }
        if self.known.insert(key, opinion.clone()).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Unusable;

    #[test]
    fn it_keeps_the_last_ones() {
        let mut cache = Cache::default();
        let key = |number: usize| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&number.to_le_bytes());
            key
        };
        for number in 0..MOST + 5 {
            cache.keep(key(number), &Opinion::Clear);
            cache.keep(key(number), &Opinion::Unclear(Unusable::NoText));
        }
        assert_eq!((cache.known.len(), cache.order.len()), (MOST, MOST));
        assert!(cache.find(&key(0)).is_none() && cache.find(&key(MOST + 4)) == Some(Opinion::Clear));
        cache.keep(key(9999), &Opinion::Unclear(Unusable::NoText));
        assert!(cache.find(&key(9999)).is_none());
    }
}
