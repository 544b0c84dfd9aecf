//! The tokens or options that lead along the stream, told as a list of changes.

/// Changes that a heading tells; of more, the last so many.
const MAX_TOLD: usize = 3;

/// The leaders along one run's stream.
pub(super) struct Leaders<'a> {
    /// The group among which they lead: `Among the options`.
    pub scope: &'static str,
    /// Every leader's name, quoted, and the depth from which it leads; the first from depth 0.
    pub changes: Vec<(usize, String)>,
    /// Every depth in words: `block 3's MLP`.
    pub depths: &'a [String],
    /// The last depth by its place, `the last component`, where its name would not say so.
    pub last: Option<&'static str>,
}

impl Leaders<'_> {
    /// Tells the changes of the lead: all of them, or how many there are and the last three.
    pub fn heading(&self) -> String {
        let scope = self.scope;
        let Some(((_, first), later)) = self.changes.split_first() else {
            return format!("{scope} nobody leads");
        };
        let told = later[later.len().saturating_sub(MAX_TOLD)..].iter();
        let told = told.map(|(from, name)| self.change(*from, name)).collect::<Vec<_>>().join(", ");
        match later.len() {
            0 => format!("{scope} {first} leads all the way"),
            count if count <= MAX_TOLD => format!("{scope} {first} leads at first, {told}"),
            count => {
                format!("{scope} the first option changes {count} times, the last three: {told}")
            }
        }
    }

    /// Lists every change by its depth's short name, where the heading does not tell them all.
    pub fn list(&self, labels: &[String]) -> Option<String> {
        let is_told = self.changes.len() <= MAX_TOLD + 1;
        let each = self.changes.iter().map(|(from, name)| format!("{} {name}", labels[*from]));
        (!is_told).then(|| format!("Every change: {}.", each.collect::<Vec<_>>().join(", ")))
    }

    fn change(&self, from: usize, name: &str) -> String {
        match self.last {
            Some(last) if from + 1 == self.depths.len() => format!("{name} after {last}"),
            _ => format!("{name} from {} on", self.depths[from]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Leaders;
    use crate::measure::leads::changes;

    /// Returns what is told of letters that lead at these depths.
    fn told(leaders: &str) -> (String, Option<String>) {
        let depths: Vec<String> = (0..leaders.len()).map(|n| format!("d{n}")).collect();
        let changes = changes(leaders.chars());
        let leaders = Leaders {
            scope: "Among the options",
            changes: changes.into_iter().map(|(from, name)| (from, name.to_string())).collect(),
            depths: &depths,
            last: Some("the last component"),
        };
        (leaders.heading(), leaders.list(&depths))
    }

    #[test]
    fn up_to_three_changes_are_told_in_full() {
        for (leaders, heading) in [
            ("aaa", "Among the options a leads all the way"),
            ("a", "Among the options a leads all the way"),
            ("aba", "Among the options a leads at first, b from d1 on, a after the last component"),
            (
                "abbc",
                "Among the options a leads at first, b from d1 on, c after the last component",
            ),
            ("aabcc", "Among the options a leads at first, b from d2 on, c from d3 on"),
            (
                "abac",
                "Among the options a leads at first, b from d1 on, a from d2 on, c after the last component",
            ),
        ] {
            assert_eq!(told(leaders), (heading.to_owned(), None));
        }
    }

    #[test]
    fn of_more_changes_the_heading_counts_all_and_tells_the_last_three() {
        let (heading, list) = told("abacbbc");
        assert_eq!(
            heading,
            "Among the options the first option changes 5 times, the last three: c from d3 on, b from d4 on, c after the last component"
        );
        let list = list.expect("a list");
        assert_eq!(list, "Every change: d0 a, d1 b, d2 a, d3 c, d4 b, d6 c.");
    }
}
