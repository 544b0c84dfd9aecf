use super::*;
use crate::chart::plot::{Axis, Pen, Plot, Point, Room};

/// A panel of bars with a running sum and two labels, as the lens's first figure has them.
fn panel(votes: &[f64], names: [&str; 2]) -> Panel {
    let mut sum = 0.0;
    let sums: Vec<f64> = votes
        .iter()
        .map(|vote| {
            sum += vote;
            sum
        })
        .collect();
    let points = |values: &[f64]| -> Vec<Point> {
        let all = values.iter().enumerate();
        all.map(|(i, y)| Point::new(i as f64, *y, String::new())).collect()
    };
    let pen = |line| Pen::new("", "#000000", line, Mark::None);
    let series = vec![
        Series::bars(MarkShape::Bars, pen(Line::None), points(votes)),
        Series::new(pen(Line::Dotted), points(&sums)),
    ];
    let all = || votes.iter().chain(&sums).copied();
    let (low, high) = all().fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    let y = Axis::in_steps("", all().chain([0.0, high + 0.16 * (high - low)]), 6.0);
    let x = Axis::category("", vec![String::new(); votes.len()]);
    let largest = crate::chart::largest_vote(votes);
    let label = |x: usize, y: f64, text: &str| Label {
        x: x as f64,
        y,
        text: text.to_owned(),
        colour: "#000000",
    };
    let last = votes.len() - 1;
    let labels = vec![label(largest, votes[largest], names[0]), label(last, sums[last], names[1])];
    let panel = Panel { labels, ..Panel::new("", x, y, series).tall(210) };
    panel.level(0.0, "#000000", Line::Solid)
}

fn area(panel: &Panel, width: u32) -> Area {
    Plot::new(vec![panel.clone()], Vec::new(), 1).layout(Room::of(width)).areas[0]
}

/// Returns the boxes of the labels, having checked that nothing drawn meets one.
fn clear_boxes(panel: &Panel, width: u32) -> Vec<Rect> {
    let area = area(panel, width);
    let (rects, pieces) = panel.obstacles(&area);
    let placed = panel.placed_labels(&area);
    let boxes: Vec<Rect> = placed
        .iter()
        .map(|placed| {
            let [x, y] = placed.centre;
            let half = 0.5 * run(placed.label.text.chars().count(), LABEL_SIZE);
            let half_height = 0.5 * BOX_HEIGHT;
            Rect { left: x - half, top: y - half_height, right: x + half, bottom: y + half_height }
        })
        .collect();
    for (n, text) in boxes.iter().enumerate() {
        assert!(!rects.iter().any(|rect| rect.meets(text)), "{width}: a bar under label {n}");
        let crossed = pieces.iter().any(|piece| text.is_crossed_by(piece));
        assert!(!crossed, "{width}: a line through label {n}");
        assert!(!boxes[..n].iter().any(|other| other.meets(text)), "{width}: labels overlap");
        assert!(text.left >= area.left && text.right <= area.right() + OVERHANG, "{width}: cut");
    }
    boxes
}

#[test]
fn a_label_stands_at_its_bar_where_there_is_room() {
    let mut votes = vec![0.1; 31];
    votes[20] = 3.4;
    let panel = panel(&votes, ["block 9's MLP: +3.40", "all 31: +6.40"]);
    for width in [1100, 358] {
        let area = area(&panel, width);
        let boxes = clear_boxes(&panel, width);
        assert_eq!(boxes.len(), 2);
        for (text, label) in boxes.iter().zip(&panel.labels) {
            let point = area.pixel(&panel, label.x, label.y).expect("a place");
            assert!(text.distance(point.into()) < 30.0, "{width}: {text:?} is far from {point:?}");
        }
    }
}

/// Votes of every shape, from a generator of numbers that is the same on every machine.
#[test]
fn no_label_lies_on_a_bar_or_a_line_and_none_is_left_out() {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    for case in 0..60 {
        let members = [5, 25, 61, 121][case % 4];
        let votes: Vec<f64> = (0..members)
            .map(|i| match case % 3 {
                0 => next(),
                1 => [5.0, -5.0][i % 2] + next(),
                _ => next().powi(5),
            })
            .collect();
        let panel = panel(&votes, ["block 23's attention: +3.43", "all 121: −12.3"]);
        for width in [1100, 900, 358] {
            assert_eq!(clear_boxes(&panel, width).len(), 2, "case {case} at {width}");
        }
    }
}

#[test]
fn a_line_through_a_box_is_seen_though_none_of_its_ends_lies_there() {
    let text = Rect { left: 10.0, top: 10.0, right: 20.0, bottom: 20.0 };
    assert!(text.is_crossed_by(&[[0.0, 15.0], [30.0, 15.0]]));
    assert!(text.is_crossed_by(&[[15.0, 15.0], [16.0, 15.0]]));
    assert!(text.is_crossed_by(&[[0.0, 0.0], [30.0, 30.0]]));
    assert!(!text.is_crossed_by(&[[0.0, 25.0], [30.0, 25.0]]));
    assert!(!text.is_crossed_by(&[[0.0, 0.0], [5.0, 30.0]]));
    assert!(!text.is_crossed_by(&[[22.0, 0.0], [22.0, 30.0]]));
}
