//! Where bars, ticks and labels stand. The value axis is in pixels, the time axis in per cents.

use super::fill::FILLS;

/// Room for the numbers of the value axis.
pub(super) const AXIS: u32 = 48;
/// From the top of the drawing to the zero line.
pub(super) const PLOT: u32 = 208;
/// With the labels below.
pub(super) const HEIGHT: u32 = 236;
/// Above the highest tick.
const TOP: f64 = 8.0;
/// What is there is seen, however little.
const LEAST: f64 = 1.0;
/// Of a step's room, what its bar takes.
const BAR: f64 = 0.72;
/// Ticks above zero.
const TICKS: u64 = 5;
/// Labels of the time axis.
const LABELS: usize = 10;

/// One kind of what is counted, with a value for each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Series {
    pub name: String,
    pub values: Vec<u64>,
}

impl Series {
    fn sum(&self) -> u64 {
        self.values.iter().sum()
    }
}

/// The largest in their order, each with its fill; what is left over is summed up as the last, under
/// the name of `others`. Those that are zero all along are left out.
pub(crate) fn largest(mut series: Vec<Series>, others: &str) -> Vec<Series> {
    series.retain(|one| one.sum() > 0);
    // Stable: of two alike the one that came first stays first.
    series.sort_by_key(|one| std::cmp::Reverse(one.sum()));
    if series.len() > FILLS {
        let rest = series.split_off(FILLS - 1);
        let steps = rest.iter().map(|one| one.values.len()).max();
        let at = |step: usize| rest.iter().filter_map(|one| one.values.get(step)).sum();
        series.push(Series {
            name: others.to_owned(),
            values: (0..steps.unwrap_or_default()).map(at).collect(),
        });
    }
    series
}

/// The value axis: from zero up, in steps that people count in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scale {
    step: u64,
    top: u64,
}

impl Scale {
    /// One that reaches to `most`.
    pub(super) fn of(most: u64) -> Self {
        let step = round(most.div_ceil(TICKS).max(1));
        Self {
            step,
            top: most.div_ceil(step).max(1).saturating_mul(step),
        }
    }

    pub(super) fn ticks(&self) -> Vec<u64> {
        (0..=self.top / self.step)
            .map(|place| place * self.step)
            .collect()
    }
}

/// The next of 1, 2, 5, 10, 20, 50 and so on.
fn round(least: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if step >= least {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

fn height_of(value: u64, scale: &Scale) -> f64 {
    (f64::from(PLOT) - TOP) * (value as f64 / scale.top as f64)
}

/// How far below the drawing's top a value is, to a tenth of a pixel.
pub(super) fn y_of(value: u64, scale: &Scale) -> f64 {
    tenth(f64::from(PLOT) - height_of(value, scale))
}

fn tenth(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}

/// One series' part of one bar.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub series: usize,
    pub x: String,
    pub width: String,
    pub y: f64,
    pub height: f64,
}

/// All values, step by step.
pub(super) struct Bars(Vec<Vec<u64>>);

impl Bars {
    pub(super) fn of(series: &[Series]) -> Self {
        let steps = series.iter().map(|one| one.values.len()).max();
        let of_step = |step: usize| {
            let values = series.iter().map(|one| one.values.get(step).copied());
            values.map(Option::unwrap_or_default).collect()
        };
        Self((0..steps.unwrap_or_default()).map(of_step).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// What the highest bar adds up to.
    pub(super) fn most(&self) -> u64 {
        let sums = self.0.iter().map(|bar| bar.iter().sum());
        sums.max().unwrap_or_default()
    }

    /// Each on top of the one before.
    pub(super) fn parts(&self, scale: &Scale) -> Vec<Part> {
        let room = 100.0 / self.count().max(1) as f64;
        let mut parts = Vec::new();
        for (step, bar) in self.0.iter().enumerate() {
            let mut y = f64::from(PLOT);
            for (series, value) in bar.iter().enumerate().filter(|(_, value)| **value > 0) {
                let height = height_of(*value, scale).max(LEAST);
                y -= height;
                parts.push(Part {
                    series,
                    x: format!("{:.3}%", room * (step as f64 + (1.0 - BAR) / 2.0)),
                    width: format!("{:.3}%", room * BAR),
                    y: tenth(y),
                    height: tenth(height),
                });
            }
        }
        parts
    }
}

/// A label below the middle of its step.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub x: String,
    /// Gives way where there is little room.
    pub minor: bool,
}

/// Of few steps each has one, of many every so manieth.
pub(super) fn label_at(step: usize, of: usize) -> Option<Label> {
    let every = of.div_ceil(LABELS).max(1);
    step.is_multiple_of(every).then(|| Label {
        x: format!("{:.3}%", 100.0 * (step as f64 + 0.5) / of as f64),
        minor: (step / every) % 2 == 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, values: &[u64]) -> Series {
        Series {
            name: name.to_owned(),
            values: values.to_vec(),
        }
    }

    #[test]
    fn ticks_are_numbers_that_people_count_in() {
        for (most, ticks) in [
            (0, vec![0, 1]),
            (1, vec![0, 1]),
            (4, vec![0, 1, 2, 3, 4]),
            (7, vec![0, 2, 4, 6, 8]),
            (100, vec![0, 20, 40, 60, 80, 100]),
            (101, vec![0, 50, 100, 150]),
            (1_234_567, vec![0, 500_000, 1_000_000, 1_500_000]),
        ] {
            assert_eq!(Scale::of(most).ticks(), ticks, "{most}");
        }
        for most in (0..5000).chain([u64::MAX - 1, u64::MAX]) {
            let scale = Scale::of(most);
            let last = scale.ticks().last().copied();
            assert!(scale.top >= most, "{most}");
            assert!(last.is_some_and(|last| last > 0), "{most}");
            assert!((2..=6).contains(&scale.ticks().len()), "{most}");
        }
    }

    #[test]
    fn parts_stand_on_each_other() {
        let bars = Bars::of(&[series("a", &[30, 0, 1]), series("b", &[10, 100, 0])]);
        let scale = Scale::of(bars.most());
        assert_eq!((bars.count(), bars.most(), scale.top), (3, 100, 100));
        let parts = bars.parts(&scale);
        let places: Vec<_> = parts
            .iter()
            .map(|part| (part.series, part.y, part.height))
            .collect();
        assert_eq!(
            places,
            [
                (0, 148.0, 60.0),
                (1, 128.0, 20.0),
                (1, 8.0, 200.0),
                (0, 206.0, 2.0),
            ]
        );
        assert_eq!(parts[2].x, "38.000%");
        assert_eq!(parts[2].width, "24.000%");
    }

    #[test]
    fn the_least_is_seen() {
        let bars = Bars::of(&[series("a", &[1, 1_000_000])]);
        let parts = bars.parts(&Scale::of(bars.most()));
        assert_eq!((parts[0].y, parts[0].height), (207.0, 1.0));
    }

    #[test]
    fn nothing_at_all_is_an_empty_drawing() {
        let bars = Bars::of(&[]);
        assert_eq!((bars.count(), bars.most()), (0, 0));
        assert!(bars.parts(&Scale::of(0)).is_empty());
    }

    #[test]
    fn the_largest_are_shown_and_the_others_summed_up() {
        let names = |found: &[Series]| {
            let names = found.iter().map(|one| one.name.as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        let few = vec![
            series("a", &[1, 2]),
            series("b", &[0, 0]),
            series("c", &[5, 0]),
        ];
        assert_eq!(names(&largest(few, "others")), "c a");

        let many = (1..=10)
            .map(|n| series(&format!("n{n}"), &[n, 1]))
            .collect();
        let found = largest(many, "others");
        assert_eq!(names(&found), "n10 n9 n8 n7 n6 n5 n4 others");
        assert_eq!(found[7].values, [1 + 2 + 3, 3]);

        let eight = (1..=8).map(|n| series(&format!("n{n}"), &[n])).collect();
        assert_eq!(largest(eight, "others").len(), 8, "one alone is no rest");
    }

    #[test]
    fn labels_never_crowd() {
        let labelled = |of: usize| {
            let labels = (0..of).filter_map(|step| label_at(step, of));
            labels.map(|label| label.minor).collect::<Vec<_>>()
        };
        assert_eq!(labelled(7).len(), 7);
        assert_eq!(labelled(24).len(), 8);
        assert_eq!(labelled(30).len(), 10);
        assert_eq!(labelled(24).iter().filter(|minor| !**minor).count(), 4);
        assert_eq!(label_at(3, 24).unwrap().x, "14.583%");
        assert_eq!(label_at(4, 24), None);
    }
}
