//! Words for the fields of whole sweeps.

pub fn words(parts: &[&str]) -> Option<String> {
    const KEPT: &str = "(% of what the original order has above chance)";
    let plain = match *parts {
        ["runs"] => "blocks run",
        ["from"] => "first place of the middle",
        ["to"] => "last place of the middle",
        ["gone"] => "blocks of the short middle",
        ["at_chance"] => "tasks at chance",
        ["best_rounds"] => "rounds that keep most",
        ["harm"] => "orders by what they keep",
        ["best"] => "the order that keeps most",
        ["worst"] => "the order that keeps least",
        ["best_by"] => "by how much the best order is ahead (points)",
        ["best_by_rest"] => {
            "by how much it is ahead of what is neither shuffled nor looped (points)"
        }
        ["worst_by"] => "by how much the worst order is behind (points)",
        ["kept", name] => return Some(format!("kept with {} {KEPT}", order(name))),
        ["kept", name, group] => {
            return Some(format!("kept with {} on {group} {KEPT}", order(name)));
        }
        ["first_word", name] => {
            let name = order(name);
            return Some(format!(
                "rows whose right answer is the likeliest of all tokens with {name} (%)"
            ));
        }
        ["more", a, b] => {
            let (a, b) = (order(a), order(b));
            return Some(format!("kept with {a}, less with {b} (points)"));
        }
        ["hardest", name] => {
            return Some(format!("the task that keeps least with {}", order(name)));
        }
        ["hardest_kept", name] => {
            let name = order(name);
            return Some(format!("kept by the task that keeps least with {name} {KEPT}"));
        }
        _ => return None,
    };
    Some(plain.to_owned())
}

/// An order of the middle in words.
fn order(name: &str) -> String {
    if let Some(short) = name.strip_prefix("few-") {
        return order(short).replacen("the middle", "the short middle", 1);
    }
    let rounds = name.strip_prefix("loop-");
    match (name, rounds) {
        ("own", _) => "the original order".to_owned(),
        ("inside", _) => "a block of the middle left out".to_owned(),
        ("outside", _) => "a block of an end left out".to_owned(),
        ("few", _) => "the short middle left out".to_owned(),
        ("skip", _) => "the middle left out".to_owned(),
        ("repeat", _) => "the middle's centre in every place of it".to_owned(),
        ("reverse", _) => "the middle reversed".to_owned(),
        ("shuffle", _) => "the middle shuffled".to_owned(),
        ("parallel", _) => "the middle in parallel".to_owned(),
        (_, Some(rounds)) => format!("the middle in parallel, {rounds} rounds"),
        _ => name.to_owned(),
    }
}
