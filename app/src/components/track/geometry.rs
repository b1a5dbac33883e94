//! Where the lines of a track diagram run.

use super::Branch;

/// Measures of one size of diagram, in CSS pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Of the drawing.
    pub width: f64,
    /// Where targets' lamps stand; instances branch off behind.
    fork: f64,
    /// Of all strands side by side where they leave the route.
    trunk: f64,
    /// The least that is still seen.
    thinnest: f64,
    target_height: f64,
    instance_height: f64,
    pub lamp: f64,
    with_instances: bool,
}

impl Size {
    pub(crate) const SMALL: Self = Self {
        width: 72.0,
        fork: 66.0,
        trunk: 8.0,
        thinnest: 1.25,
        target_height: 22.0,
        instance_height: 0.0,
        lamp: 3.5,
        with_instances: false,
    };

    pub(crate) const LARGE: Self = Self {
        width: 104.0,
        fork: 78.0,
        trunk: 18.0,
        thinnest: 1.5,
        target_height: 44.0,
        instance_height: 24.0,
        lamp: 5.0,
        with_instances: true,
    };
}

/// One line with the lamp at its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strand {
    pub path: String,
    pub width: f64,
    pub end: (f64, f64),
    pub lit: bool,
    /// An instance's, not a target's.
    pub minor: bool,
}

pub(super) struct Drawing {
    pub height: f64,
    pub strands: Vec<Strand>,
}

/// Targets top to bottom, each followed by its instances. The strands leave the route side by side,
/// in the same order, so that they never cross.
pub(super) fn strands(size: Size, branches: &[Branch]) -> Drawing {
    let width_of = |branch: &Branch| (branch.share.target * size.trunk).max(size.thinnest);
    let instances_of = |branch: &Branch| match branch.instances.len() {
        2.. if size.with_instances => branch.instances.len(),
        _ => 0,
    };
    let height: f64 = branches
        .iter()
        .map(|branch| size.target_height + instances_of(branch) as f64 * size.instance_height)
        .sum();
    let all_widths: f64 = branches.iter().map(width_of).sum();

    let mut strands = Vec::new();
    let mut from = (height - all_widths) / 2.0;
    let mut row = 0.0;
    for branch in branches {
        let width = width_of(branch);
        let start = from + width / 2.0;
        let at = row + size.target_height / 2.0;
        strands.push(Strand {
            path: curve((0.0, start), (size.fork, at)),
            width,
            end: (size.fork, at),
            lit: branch.lit,
            minor: false,
        });
        from += width;
        row += size.target_height;

        let instances = instances_of(branch);
        let end_x = size.width - size.lamp;
        for _ in 0..instances {
            let instance_at = row + size.instance_height / 2.0;
            strands.push(Strand {
                path: elbow((size.fork, at), (end_x, instance_at)),
                width: (branch.share.instance * size.trunk).max(size.thinnest),
                end: (end_x, instance_at),
                lit: branch.lit,
                minor: true,
            });
            row += size.instance_height;
        }
    }
    Drawing { height, strands }
}

/// Leaves and arrives level, as tracks do.
fn curve((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> String {
    let middle = (x0 + x1) / 2.0;
    format!("M{x0:.1} {y0:.1}C{middle:.1} {y0:.1} {middle:.1} {y1:.1} {x1:.1} {y1:.1}")
}

/// Straight down, then out with a round corner.
fn elbow((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> String {
    let radius = (x1 - x0).min(y1 - y0) / 2.0;
    format!(
        "M{x0:.1} {y0:.1}V{:.1}Q{x0:.1} {y1:.1} {:.1} {y1:.1}H{x1:.1}",
        y1 - radius,
        x0 + radius
    )
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

    #[test]
    fn widths_are_shares_of_the_trunk() {
        let drawing = strands(Size::LARGE, &[branch(0.25, 1), branch(0.75, 1)]);
        let widths: Vec<f64> = drawing.strands.iter().map(|strand| strand.width).collect();
        assert_eq!(widths, [4.5, 13.5]);
        assert_eq!(drawing.height, 88.0);
    }

    #[test]
    fn a_tiny_share_is_still_seen() {
        let drawing = strands(Size::SMALL, &[branch(0.0, 1), branch(1.0, 1)]);
        assert_eq!(drawing.strands[0].width, Size::SMALL.thinnest);
    }

    #[test]
    fn instances_follow_their_target_only_when_there_are_several() {
        let drawing = strands(Size::LARGE, &[branch(0.5, 1), branch(0.5, 2)]);
        let minor: Vec<bool> = drawing.strands.iter().map(|strand| strand.minor).collect();
        assert_eq!(minor, [false, false, true, true]);
        assert_eq!(drawing.height, 2.0 * 44.0 + 2.0 * 24.0);

        let small = strands(Size::SMALL, &[branch(1.0, 3)]);
        assert_eq!(small.strands.len(), 1);
    }
}
