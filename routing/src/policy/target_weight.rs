//! Target Weight: smooth weighted round-robin.
//!
//! Every step each target earns its weight in credit; the richest is chosen and pays the sum of all
//! weights. Counted from zero credit, any window of `sum / gcd` steps in a row holds every target
//! exactly in proportion: after so many steps all credits are zero again, hence the sequence repeats
//! itself. (They are then multiples of the sum that add up to zero, and none is as low as minus the
//! sum, since who pays it had more than nothing.)
//!
//! That holds only while the same targets with the same weights take part. Credits that one set of
//! targets left behind are a debt in another: carried over they would distort its shares, and reset
//! at every change they would favour the heaviest again and again. So **each set of live targets has
//! a cycle of its own**, which waits while another set is live and then goes on where it stood. Among
//! the requests that see the same live targets the shares are exact, whatever happens in between;
//! nobody returns with a claim or a debt, and a changed weight makes another set, which starts afresh.

use uuid::Uuid;

use crate::weight::Weight;

/// How many sets are remembered, enough for every set of six targets. Beyond that the one not seen
/// for longest is forgotten, and would start afresh.
const MOST_CYCLES: usize = 64;

/// New cycles do not all start at the first step, where the heaviest target is chosen, but each one
/// step further on than the one before, up to this many: so that where sets never come back the
/// other targets are chosen too.
const STARTS: u32 = 16;

/// The cycles of the sets of live targets seen last, the latest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    cycles: Vec<Cycle>,
    next_start: u32,
}

#[derive(Clone, Debug)]
struct Cycle(Vec<Account>);

#[derive(Clone, Debug)]
struct Account {
    target: Uuid,
    weight: Weight,
    /// Above minus the sum of all weights, and zero with all others: within 10^12 for a thousand
    /// targets.
    credit: i64,
}

/// Places of the live targets: the chosen one, then the others by how soon they are due.
pub(super) fn order(live: &[(usize, &(Uuid, Weight))], shares: &mut Shares) -> Vec<usize> {
    if live.is_empty() {
        return Vec::new();
    }
    let targets = live.iter().map(|(_, target)| **target);
    let Some(cycle) = shares.cycle(targets) else {
        return Vec::new();
    };
    let chosen = cycle.step();
    let mut waiting: Vec<(bool, i64, usize)> = (0..)
        .zip(&cycle.0)
        .zip(live)
        .map(|((index, account), (place, _))| (Some(index) != chosen, -account.next(), *place))
        .collect();
    waiting.sort_unstable();
    waiting.into_iter().map(|(_, _, place)| place).collect()
}

impl Shares {
    /// The cycle of these targets, found again or new, moved to the front.
    fn cycle(
        &mut self,
        targets: impl ExactSizeIterator<Item = (Uuid, Weight)> + Clone,
    ) -> Option<&mut Cycle> {
        let known = |cycle: &Cycle| cycle.is_of(targets.clone());
        match self.cycles.iter().position(known) {
            Some(position) => {
                if let Some(newer) = self.cycles.get_mut(..=position) {
                    newer.rotate_right(1);
                }
            }
            None => {
                self.cycles.truncate(MOST_CYCLES - 1);
                self.cycles.insert(0, Cycle::new(targets, self.next_start));
                self.next_start = (self.next_start + 1) % STARTS;
            }
        }
        self.cycles.first_mut()
    }
}

impl Cycle {
    fn new(targets: impl Iterator<Item = (Uuid, Weight)>, start: u32) -> Self {
        let open = |(target, weight)| Account {
            target,
            weight,
            credit: 0,
        };
        let mut cycle = Self(targets.map(open).collect());
        for _ in 0..start {
            cycle.step();
        }
        cycle
    }

    fn is_of(&self, targets: impl ExactSizeIterator<Item = (Uuid, Weight)>) -> bool {
        let accounts = self
            .0
            .iter()
            .map(|account| (account.target, account.weight));
        accounts.len() == targets.len() && accounts.eq(targets)
    }

    /// Index of the chosen account: the richest, of equals the first.
    fn step(&mut self) -> Option<usize> {
        let mut sum = 0;
        for account in &mut self.0 {
            account.credit = account.next();
            sum += i64::from(account.weight.get());
        }
        let (chosen, account) = self
            .0
            .iter_mut()
            .enumerate()
            .max_by_key(|(index, account)| (account.credit, std::cmp::Reverse(*index)))?;
        account.credit -= sum;
        Some(chosen)
    }
}

impl Account {
    /// Its credit in the next step, before anybody pays.
    fn next(&self) -> i64 {
        self.credit + i64::from(self.weight.get())
    }
}
