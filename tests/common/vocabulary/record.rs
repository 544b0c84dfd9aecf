//! Compares a run's numbers over the whole vocabulary, and the logit column in its two parts, by the goldens' names
//! of fields: a field that a report lacks fails. How far a number may be off follows from logits that are each off
//! by at most `tolerance` of the largest |logit|, and votes of the largest |vote| (docs/definitions.md, sections 2
//! and 3).

use serde_json::Value;

use super::flat;

/// Holds one run's report to its golden.
pub fn record_holds(found: &Value, expected: &Value, at: &str, tolerance: f64) {
    let run = Run {
        expected,
        at,
        off: tolerance * largest_logit(expected),
        vote_off: tolerance * largest(&flat(&expected["member_logits"])),
    };
    run.vocabulary_holds(field(found, "vocabulary", at));
    run.leads_hold(field(found, "leads", at));

    run.column_holds(found);
}

/// A golden run, and how far a logit may be off.
struct Run<'a> {
    expected: &'a Value,
    at: &'a str,
    off: f64,
    /// How far a vote may be off.
    vote_off: f64,
}

impl Run<'_> {
    fn vocabulary_holds(&self, found: &Value) {
        // A logarithm of a probability is a logit less the partition's, each off by as much.
        self.near(found, "log_partition", self.off);
        self.near(found, "surprise", 2.0 * self.off);
        self.logarithms_near(found, "mass");
        self.logarithms_near(found, "option_probabilities");
        // The derivatives of these by all logits together add up to at most so much.
        self.near(found, "entropy", 2.0 * self.off * self.number("entropy"));
        if let Some(kl) = self.expected["kl"].as_f64() {
            self.near(found, "kl", 2.0 * self.off * (2.0 + kl));
        }

        self.ranks_hold(field(found, "option_ranks", self.at));
        self.likeliest_hold(field(found, "top", self.at));
    }

    fn ranks_hold(&self, found: &Value) {
        let bounds =
            ["option_rank_low", "option_rank_high"].map(|name| numbers(&self.expected[name]));
        let found = numbers(found);
        assert_eq!(found.len(), bounds[0].len(), "{}: ranks", self.at);
        for (k, rank) in found.iter().enumerate() {
            let [low, high] = [bounds[0][k], bounds[1][k]];
            assert!((low..=high).contains(rank), "{}: rank {rank}, not {low} to {high}", self.at);
        }
    }

    /// Holds the likeliest tokens: they may change places only where their golden logits are nearer than a logit may be
    /// off, and the last may leave the list only for one as near.
    fn likeliest_hold(&self, found: &Value) {
        let golden = Likely::list(&self.expected["top"]);
        let found = Likely::list(found);
        assert_eq!(found.len(), golden.len(), "{}: likeliest tokens", self.at);

        for (place, (token, usual)) in found.iter().zip(&golden).enumerate() {
            let at = format!("{}: token {} in place {place}", self.at, token.id);
            let own = golden.iter().find(|golden| golden.id == token.id);
            let own = own.or(golden.last()).expect("likeliest tokens");
            assert!((own.logit - usual.logit).abs() <= self.off, "{at}: expected {}", usual.id);

            near(token.logit, usual.logit, self.off, &format!("{at}: logit"));
            let logs = [token, usual].map(|token| token.probability.ln());
            near(logs[0], logs[1], 2.0 * self.off, &format!("{at}: ln P"));
        }
    }

    /// Holds who leads the running sum after each member: another option than the golden's only where the sums are
    /// nearer than a logit may be off.
    fn leads_hold(&self, found: &Value) {
        let votes: Vec<Vec<f64>> =
            serde_json::from_value(self.expected["member_logits"].clone()).expect("votes");
        let [found, golden] = [found, &self.expected["leads"]].map(|leads| {
            let list = leads.as_array().expect("a list of leads");
            let lead = |lead: &Value| [whole(&lead["from"]), whole(&lead["option"])];
            list.iter().map(lead).collect::<Vec<_>>()
        });
        assert_eq!(found.first().map(|lead| lead[0]), Some(0), "{}: the first leads", self.at);
        for pair in found.windows(2) {
            let is_change = pair[0][0] < pair[1][0] && pair[0][1] != pair[1][1];
            assert!(is_change, "{}: {pair:?} is no change of the lead", self.at);
        }

        let leader = |leads: &[[usize; 2]], member: usize| {
            let before = leads.iter().take_while(|lead| lead[0] <= member);
            before.last().expect("a first lead")[1]
        };
        let mut sum = vec![0.0; votes[0].len()];
        for (member, votes) in votes.iter().enumerate() {
            sum.iter_mut().zip(votes).for_each(|(sum, vote)| *sum += vote);
            let [found, golden] = [&found, &golden].map(|leads| leader(leads, member));
            let gap = (sum[golden] - sum[found]).abs();
            let at = format!("{}: after member {member}", self.at);
            assert!(found == golden || gap <= self.off, "{at}: {found} leads, not {golden}");
        }
    }

    /// Holds the logit column's two parts.
    fn column_holds(&self, found: &Value) {
        for name in ["centred", "offset", "share_error", "by_depth"] {
            let at = format!("{}: {name}", self.at);
            self.squares_near(field(found, name, self.at), &self.expected[name], &at);
        }
    }

    /// Holds means of squares of distances between votes, which two votes put off; and the offset's members, which
    /// are means of votes.
    fn squares_near(&self, found: &Value, expected: &Value, at: &str) {
        match expected {
            Value::Array(list) => {
                let found = found.as_array().unwrap_or_else(|| panic!("{at} is no list"));
                assert_eq!(found.len(), list.len(), "{at}: length");
                for (i, (found, expected)) in found.iter().zip(list).enumerate() {
                    self.squares_near(found, expected, &format!("{at}[{i}]"));
                }
            }
            Value::Object(fields) => {
                for (name, expected) in fields {
                    let at = format!("{at}.{name}");
                    let found = field(found, name, &at);
                    match name.as_str() {
                        "members" => self.votes_near(found, expected, &at),
                        _ => self.squares_near(found, expected, &at),
                    }
                }
            }
            _ => {
                let [found, expected] = [found, expected].map(Value::as_f64);
                let found = found.unwrap_or_else(|| panic!("{at} is no number"));
                let expected = expected.expect("a number");
                let distance = 2.0 * self.vote_off;
                near(found, expected, distance * (2.0 * expected.sqrt() + distance), at);
            }
        }
    }

    fn votes_near(&self, found: &Value, expected: &Value, at: &str) {
        let [found, expected] = [found, expected].map(numbers);
        assert_eq!(found.len(), expected.len(), "{at}: length");
        for (found, expected) in found.iter().zip(&expected) {
            near(*found, *expected, self.vote_off, at);
        }
    }

    fn number(&self, name: &str) -> f64 {
        self.expected[name].as_f64().expect(name)
    }

    fn near(&self, found: &Value, name: &str, allowed: f64) {
        let at = format!("{}: {name}", self.at);
        let found = field(found, name, self.at).as_f64();
        near(found.unwrap_or_else(|| panic!("{at} is no number")), self.number(name), allowed, &at);
    }

    /// Holds a probability, or each of a list, by its logarithm.
    fn logarithms_near(&self, found: &Value, name: &str) {
        let [found, expected] =
            [field(found, name, self.at), &self.expected[name]].map(|value| match value.as_f64() {
                Some(number) => vec![number],
                None => numbers(value),
            });
        assert_eq!(found.len(), expected.len(), "{}: {name}", self.at);
        for (found, expected) in found.iter().zip(expected) {
            near(found.ln(), expected.ln(), 2.0 * self.off, &format!("{}: ln {name}", self.at));
        }
    }
}

/// One of the likeliest tokens.
struct Likely {
    id: u64,
    logit: f64,
    probability: f64,
}

impl Likely {
    fn list(value: &Value) -> Vec<Self> {
        let tokens = value.as_array().expect("a list of tokens").iter();
        let token = |token: &Value| Self {
            id: token["id"].as_u64().expect("an id"),
            logit: token["logit"].as_f64().expect("a logit"),
            probability: token["probability"].as_f64().expect("a probability"),
        };
        tokens.map(token).collect()
    }
}

/// The largest |logit| that a golden lists: of the likeliest token or of an option.
fn largest_logit(expected: &Value) -> f64 {
    let likeliest = expected["top"][0]["logit"].as_f64().expect("a logit");
    largest(&numbers(&expected["option_logits"])).max(likeliest.abs())
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()))
}

fn field<'a>(value: &'a Value, name: &str, at: &str) -> &'a Value {
    value.get(name).unwrap_or_else(|| panic!("{at}: no field {name}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).expect("a list of numbers")
}

fn whole(value: &Value) -> usize {
    value.as_u64().expect("a whole number") as usize
}

/// The goldens have nine digits.
fn near(found: f64, expected: f64, allowed: f64, at: &str) {
    let allowed = allowed + 1e-6;
    assert!((found - expected).abs() <= allowed, "{at}: {found}, not {expected} (± {allowed:.1e})");
}
