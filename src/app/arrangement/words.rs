//! The row in words: what a tile is called, and what is said when it changed.

use super::{Arrangement, Edit, Spot};
use crate::chart::capital;
use crate::chart::number::listed;
use crate::plan::{BlockRun, Half};

/// `block 5`, `block 5's attention`.
pub fn painter_name(painter: BlockRun) -> String {
    let name = match painter.half {
        Half::Both => format!("block {}", painter.index),
        Half::Attention => format!("block {}'s attention", painter.index),
        Half::Mlp => format!("block {}'s MLP", painter.index),
    };
    let off: Vec<String> = painter.heads_off.iter().map(|h| h.to_string()).collect();
    match off.as_slice() {
        [] => name,
        [head] => format!("{name} without head {head}"),
        heads => format!("{name} without heads {}", listed(heads)),
    }
}

/// `block 5`, `block 5, 3 times`, `blocks 4, 5 and 6 side by side`.
pub fn spot_name(spot: &Spot) -> String {
    let whole = spot.painters.iter().all(|painter| *painter == BlockRun::whole(painter.index));
    let mut name = match spot.painters.as_slice() {
        [painter] => painter_name(*painter),
        group if whole => {
            let numbers: Vec<String> = group.iter().map(|p| p.index.to_string()).collect();
            format!("blocks {} in parallel", listed(&numbers))
        }
        group => {
            let names: Vec<String> = group.iter().map(|p| painter_name(*p)).collect();
            format!("{} in parallel", listed(&names))
        }
    };
    if spot.repeats > 1 {
        name.push_str(&format!(", {} times", spot.repeats));
    }
    name
}

/// Says for a screen reader how an edit changed `before`.
pub fn edited(before: &Arrangement, after: &Arrangement, edit: Edit) -> String {
    let named =
        |row: &Arrangement, spot: usize| row.spots().get(spot).map_or_else(String::new, spot_name);
    let of = after.spots().len();
    let said = match edit {
        Edit::Move { to, .. } => {
            format!("{} is step {} of {of} now", named(after, to), to + 1)
        }
        Edit::Toggle { spot, painter, half } => {
            let now = after.spots().get(spot).and_then(|spot| spot.painters.get(painter));
            let stroke = if half == Half::Mlp { "MLP" } else { "attention" };
            now.map_or_else(String::new, |now| {
                let on = now.half == Half::Both || now.half == half;
                format!("block {}'s {stroke} is {}", now.index, if on { "on" } else { "off" })
            })
        }
        Edit::SwitchOff { from, half } => {
            let what = if half == Half::Mlp { "MLPs are" } else { "attention is" };
            format!("{what} off from {} on", named(before, from))
        }
        Edit::Join { first, .. } => format!("{} now", named(after, first)),
        Edit::Dissolve { spot } => format!("{}: one after the other again", named(before, spot)),
        Edit::Repeat { spot, times } => match times {
            1 => format!("{}, once", named(after, spot)),
            _ => named(after, spot),
        },
        Edit::Duplicate { first, last } if first == last => {
            format!("{} stands there twice", named(before, first))
        }
        Edit::Duplicate { first, last } => format!("{} tiles stand there twice", last + 1 - first),
        Edit::Remove { first, last } if first == last => {
            format!("{} is left out", named(before, first))
        }
        Edit::Remove { first, last } => format!("{} tiles are left out", last + 1 - first),
        Edit::Strategy(strategy) => format!("{strategy}: {} tiles", of),
        Edit::Reset => "the original order".to_owned(),
    };
    format!("{}.", capital(&said))
}
