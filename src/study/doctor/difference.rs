//! How far what was found is from a golden, number by number.

use serde_json::Value;

/// The largest difference allowed between the members' sum and the logits.
const MOST_SUM_ERROR: f64 = 1e-3;

/// Where numbers are near zero, as much is no difference.
const FLOOR: f64 = 1e-6;

/// How far numbers are from those of a golden.
pub struct Difference {
    /// Where all is near zero, as much of it counts.
    least_scale: f64,
    /// Relative to the largest number of its list.
    pub largest: f64,
    /// Where that is.
    pub at: String,
    /// The first that is not a number's matter.
    pub unlike: Option<String>,
}

impl Difference {
    /// A difference is within `tolerance` exactly where it is at most `tolerance` of the scale, and
    /// [`FLOOR`] more.
    pub fn new(tolerance: f64) -> Self {
        Self { least_scale: FLOOR / tolerance, largest: 0.0, at: String::new(), unlike: None }
    }

    /// Compares what was found with what a golden has: its fields, list by list.
    pub fn walk(&mut self, found: &Value, expected: &Value, at: &str) {
        match expected {
            Value::Number(number) => {
                let scale = number.as_f64().map_or(0.0, f64::abs);
                self.number(found, expected, scale, at);
            }
            Value::Array(list) => {
                let of = found.as_array().filter(|of| of.len() == list.len());
                let Some(of) = of else {
                    return self.say(format!("{at} is no list of {}", list.len()));
                };
                let sizes = list.iter().filter_map(Value::as_f64).map(f64::abs);
                let scale = sizes.fold(0.0, f64::max);
                for (i, (found, expected)) in of.iter().zip(list).enumerate() {
                    let at = format!("{at}[{i}]");
                    if expected.is_number() {
                        self.number(found, expected, scale, &at);
                    } else {
                        self.walk(found, expected, &at);
                    }
                }
            }
            Value::Object(fields) => {
                for (name, expected) in fields {
                    let at = format!("{at}.{name}");
                    self.walk(&found[name], expected, &at);
                }
            }
            other if found == other => {}
            _ => self.say(format!("{at} is {found} and not {expected}")),
        }
    }

    fn number(&mut self, found: &Value, expected: &Value, scale: f64, at: &str) {
        let (Some(number), Some(expected)) = (found.as_f64(), expected.as_f64()) else {
            return self.say(format!("{at} is {found}, which is not a number"));
        };
        if at.ends_with("sum_error") {
            // Rounding, of whoever computed it.
            if number >= MOST_SUM_ERROR {
                self.say(format!("{at}: the members miss the logits by {number:.1e}"));
            }
            return;
        }
        let off = (number - expected).abs() / (scale + self.least_scale);
        if off > self.largest {
            self.largest = off;
            self.at = at.to_string();
        }
    }

    fn say(&mut self, what: String) {
        self.unlike.get_or_insert(what);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn difference(found: &Value, expected: &Value) -> Difference {
        let mut difference = Difference::new(1e-4);
        difference.walk(found, expected, "it");
        difference
    }

    #[test]
    fn numbers_are_measured_by_the_largest_of_their_list() {
        let found = difference(&json!({"a": [1.0, 100.01]}), &json!({"a": [1.0, 100.0]}));
        assert!((found.largest - 1e-4).abs() < 1e-7, "{}", found.largest);
        assert_eq!((found.at.as_str(), found.unlike), ("it.a[1]", None));
        // A millionth of nothing is nothing.
        assert!(difference(&json!(9e-7), &json!(0.0)).largest < 1e-4);
        assert!(difference(&json!(2e-6), &json!(0.0)).largest > 1e-4);
    }

    #[test]
    fn what_is_missing_longer_or_no_number_is_unlike() {
        for (found, expected) in [
            (json!({}), json!({"a": 1.0})),
            (json!([1.0, 2.0]), json!([1.0])),
            (json!([null]), json!([1.0])),
            (json!(false), json!(true)),
            (json!({"sum_error": 0.1}), json!({"sum_error": 0.0})),
        ] {
            assert!(difference(&found, &expected).unlike.is_some(), "{found}");
        }
        let rounding = difference(&json!({"sum_error": 1e-5}), &json!({"sum_error": 1e-16}));
        assert_eq!((rounding.largest, rounding.unlike), (0.0, None));
    }
}
