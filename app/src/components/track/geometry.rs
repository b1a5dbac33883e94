//! Where the lines of a track diagram run, in CSS pixels.

use super::Branch;

/// One line with the lamp at its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strand {
    pub path: String,
    pub width: f64,
    pub end: (f64, f64),
    /// The lamp's radius.
    pub lamp: f64,
    pub lit: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawing {
    pub width: f64,
    pub height: f64,
    pub strands: Vec<Strand>,
    /// The bar that all strands leave: left, top, width, height.
    pub station: [f64; 4],
}

/// How far the station's bar stands out on either side, and how thick it is.
const OUT: f64 = 2.5;
const BAR: f64 = 3.0;

/// From left to right, one row a target: for a list.
pub(super) mod fan {
    use super::*;

    const WIDTH: f64 = 76.0;
    const ROW: f64 = 22.0;
    const TRUNK: f64 = 9.0;
    const THINNEST: f64 = 1.25;
    const LAMP: f64 = 3.5;

    /// The strands leave side by side in the order of the rows, so that they never cross.
    pub(in super::super) fn draw(branches: &[Branch]) -> Drawing {
        let height = ROW * branches.len() as f64;
        let trunk: f64 = branches.iter().map(thickness).sum();
        let top = (height - trunk) / 2.0;
        let end = WIDTH - LAMP - 1.0;

        let mut from = top;
        let strands = branches.iter().enumerate().map(|(index, branch)| {
            let width = thickness(branch);
            let start = from + width / 2.0;
            let row = ROW * (index as f64 + 0.5);
            from += width;
            Strand {
                path: curve((BAR / 2.0, start), (end, row)),
                width,
                end: (end, row),
                lamp: LAMP,
                lit: branch.lit,
            }
        });
        Drawing {
            width: WIDTH,
            height,
            strands: strands.collect(),
            station: [0.0, top - OUT, BAR, trunk + 2.0 * OUT],
        }
    }

    fn thickness(branch: &Branch) -> f64 {
        (branch.share.target * TRUNK).max(THINNEST)
    }

    /// Leaves and arrives level, as tracks do.
    fn curve((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> String {
        let middle = (x0 + x1) / 2.0;
        format!("M{x0:.1} {y0:.1}C{middle:.1} {y0:.1} {middle:.1} {y1:.1} {x1:.1} {y1:.1}")
    }
}

/// From the top down, targets branching off to the right and instances off their targets: for the
/// editor, where names need the width.
pub(super) mod ladder {
    use super::*;

    const HEAD: f64 = 14.0;
    const TARGET_ROW: f64 = 44.0;
    const INSTANCE_ROW: f64 = 24.0;
    const TRUNK: f64 = 16.0;
    const THINNEST: f64 = 1.5;
    /// Where targets' lamps stand, and their instances' lamps.
    const TARGETS_AT: f64 = 40.0;
    const INSTANCES_AT: f64 = 60.0;
    const LAMP: f64 = 5.0;
    const SMALL_LAMP: f64 = 3.5;

    /// The first target's strand is the rightmost, so that no strand crosses another.
    pub(in super::super) fn draw(branches: &[Branch]) -> Drawing {
        let trunk: f64 = branches
            .iter()
            .map(|branch| thickness(branch.share.target))
            .sum();
        let mut strands = Vec::new();
        let mut right = OUT + trunk;
        let mut y = HEAD;
        for branch in branches {
            let width = thickness(branch.share.target);
            let x = right - width / 2.0;
            let row = y + TARGET_ROW / 2.0;
            right -= width;
            y += TARGET_ROW;
            strands.push(Strand {
                path: elbow((x, BAR / 2.0), (TARGETS_AT, row), 14.0),
                width,
                end: (TARGETS_AT, row),
                lamp: LAMP,
                lit: branch.lit,
            });
            for _ in &branch.instances {
                let instance_row = y + INSTANCE_ROW / 2.0;
                y += INSTANCE_ROW;
                strands.push(Strand {
                    path: elbow((TARGETS_AT, row), (INSTANCES_AT, instance_row), 8.0),
                    width: thickness(branch.share.instance),
                    end: (INSTANCES_AT, instance_row),
                    lamp: SMALL_LAMP,
                    lit: branch.lit,
                });
            }
        }
        Drawing {
            width: INSTANCES_AT + SMALL_LAMP + 1.0,
            height: y,
            strands,
            station: [0.0, 0.0, trunk + 2.0 * OUT, BAR],
        }
    }

    fn thickness(share: f64) -> f64 {
        (share * TRUNK).max(THINNEST)
    }

    /// Straight down, then out around a corner.
    fn elbow((x0, y0): (f64, f64), (x1, y1): (f64, f64), corner: f64) -> String {
        format!(
            "M{x0:.1} {y0:.1}V{:.1}Q{x0:.1} {y1:.1} {:.1} {y1:.1}H{x1:.1}",
            y1 - corner,
            x0 + corner
        )
    }
}

#[cfg(test)]
mod tests {
    use routing::Share;

    use super::*;

    fn branch(share: f64, instances: usize) -> Branch {
        Branch {
            model: "m".into(),
            provider: "p".into(),
            share: Share {
                target: share,
                instance: share / instances as f64,
            },
            lit: true,
            instances: vec!["http://h".into(); instances],
        }
    }

    fn widths(drawing: &Drawing) -> Vec<f64> {
        drawing.strands.iter().map(|strand| strand.width).collect()
    }

    #[test]
    fn widths_are_shares() {
        let drawing = ladder::draw(&[branch(0.25, 1), branch(0.75, 2)]);
        assert_eq!(widths(&drawing), [4.0, 4.0, 12.0, 6.0, 6.0]);

        let drawing = fan::draw(&[branch(0.0, 1), branch(1.0, 1)]);
        assert_eq!(widths(&drawing), [1.25, 9.0], "a tiny share is still seen");
    }

    #[test]
    fn strands_end_at_their_rows() {
        let rows = |drawing: Drawing| -> Vec<f64> {
            drawing.strands.iter().map(|strand| strand.end.1).collect()
        };
        assert_eq!(
            rows(fan::draw(&[branch(0.5, 3), branch(0.5, 1)])),
            [11.0, 33.0]
        );

        let drawing = ladder::draw(&[branch(0.5, 2), branch(0.5, 1)]);
        assert_eq!(drawing.height, 14.0 + 44.0 + 2.0 * 24.0 + 44.0 + 24.0);
        assert_eq!(rows(drawing), [36.0, 70.0, 94.0, 128.0, 162.0]);
    }
}
