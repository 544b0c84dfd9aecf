//! Numbers as people read them: the digits they carry, a real minus sign.

use crate::measure::interval::Mean;

/// Three significant digits, plain between 10⁻⁴ and 10⁶, otherwise with an exponent.
pub fn short(x: f64) -> String {
    significant(x, 3)
}

/// `0.912 (0.85 to 0.95)`; of one row the number alone.
pub fn interval(mean: &Mean) -> String {
    with_ends(mean, short(mean.mean), short)
}

/// `73.2 % (68.1 to 77.9)`; of one row the number alone.
pub fn percent_interval(share: &Mean) -> String {
    with_ends(share, percent_tenths(share.mean), hundredths)
}

/// A change of a share with its interval, in percentage points: `−12.5 (−20.3 to −4.7)`.
pub fn points_interval(change: &Mean) -> String {
    let sign = if change.mean > 0.0 { "+" } else { "" };
    with_ends(change, format!("{sign}{}", hundredths(change.mean)), hundredths)
}

fn with_ends(mean: &Mean, own: String, end: fn(f64) -> String) -> String {
    match mean.interval() {
        Some([low, high]) => format!("{own} ({} to {})", end(low), end(high)),
        None => own,
    }
}

/// Ends of a share's interval in hundredths: `68.1 to 77.9`; `None` of one that has none.
pub fn interval_ends(share: &Mean) -> Option<String> {
    let [low, high] = share.interval()?.map(hundredths);
    Some(format!("{low} to {high}"))
}

fn hundredths(share: f64) -> String {
    fixed(100.0 * share, 1)
}

/// [`short`] with its sign always written.
pub fn signed(x: f64) -> String {
    let text = short(x);
    if text.starts_with('−') || text == "0" { text } else { format!("+{text}") }
}

/// The mean of those that there are.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The smallest and the largest; `None` of nothing.
pub(super) fn ends(mut values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let first = values.next()?;
    Some(values.fold([first; 2], |[low, high], x| [low.min(x), high.max(x)]))
}

/// A fixed number of decimals, with a real minus sign and no "−0.00".
pub fn fixed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// So many in a second: one decimal, and of a slow machine's the digits that it has.
pub fn rate(x: f64) -> String {
    match x < 0.1 {
        true => short(x),
        false => fixed(x, 1),
    }
}

/// A probability with three decimals, and no 1.000 or 0.000 for what is not certain.
pub fn probability(p: f64) -> String {
    if p > 0.9995 && p < 1.0 {
        "> 0.999".to_owned()
    } else if p > 0.0 && p < 0.0005 {
        "< 0.001".to_owned()
    } else {
        fixed(p, 3)
    }
}

/// A share of 1 as a percentage for a sentence: `"42 %"`, `"0.3 %"`, `"99.6 %"`; only all is `"100 %"`, and only
/// nothing `"0 %"`. Negative shares are the same with their sign.
pub fn percent(share: f64) -> String {
    let p = 100.0 * share.abs();
    if (0.0 < p && p < 1.0) || (99.0 < p && p < 100.0) {
        percent_tenths(share)
    } else if is_more_than_all(p) && p < 100.5 {
        beyond(share, "100")
    } else {
        per_cent(fixed(100.0 * share, 0))
    }
}

/// A share of 1 as a percentage with one decimal, for a table: `"42.0 %"`; `"> 99.9 %"`, `"< 0.1 %"` and `"> 100 %"`
/// where a decimal would say all or nothing.
pub fn percent_tenths(share: f64) -> String {
    let p = 100.0 * share.abs();
    if (99.95..100.0).contains(&p) {
        beyond(share, "99.9")
    } else if is_more_than_all(p) && p < 100.05 {
        beyond(share, "100")
    } else if 0.0 < p && p < 0.05 {
        within(share, "0.1")
    } else {
        per_cent(fixed(100.0 * share, 1))
    }
}

/// Whether a percentage is above 100 by more than the dust of a sum.
fn is_more_than_all(p: f64) -> bool {
    p > 100.0 + 1e-9
}

/// `> 99.9 %`, and of a negative share `< −99.9 %`.
fn beyond(share: f64, limit: &str) -> String {
    per_cent(if share < 0.0 { format!("< −{limit}") } else { format!("> {limit}") })
}

/// `< 0.1 %`, and of a negative share `> −0.1 %`.
fn within(share: f64, limit: &str) -> String {
    per_cent(if share < 0.0 { format!("> −{limit}") } else { format!("< {limit}") })
}

/// A number of hundredths with its sign, which no line break parts from it. A terminal gets a plain space
/// (`cli::output`).
pub fn per_cent(number: impl std::fmt::Display) -> String {
    format!("{number}\u{a0}%")
}

/// A typed text whose per cents are as [`per_cent`] writes them: `at 50 %`, `42 (39 to 45) %`.
pub fn with_whole_per_cents(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    for part in text.split_inclusive(" %") {
        let number = part.strip_suffix(" %").filter(|number| number.ends_with(is_end_of_number));
        match number {
            Some(number) => whole += &per_cent(number),
            None => whole += part,
        }
    }
    whole
}

fn is_end_of_number(c: char) -> bool {
    c.is_ascii_digit() || c == ')'
}

/// `260032` as `260,032`.
pub fn thousands(number: impl std::fmt::Display) -> String {
    grouped(number, ',')
}

/// Digits in groups of three: the thousands with a sign between them.
pub fn grouped(number: impl std::fmt::Display, between: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(between);
        }
        text.push(digit);
    }
    text
}

/// `1 model`, `2 models`.
pub fn counted(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// `2, 5 and 6`.
pub fn listed<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    match all.as_slice() {
        [some @ .., last] if !some.is_empty() => format!("{} and {last}", some.join(", ")),
        _ => all.concat(),
    }
}

/// `three`; above ten in digits.
pub fn spelled(n: usize) -> String {
    const WORDS: [&str; 11] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    WORDS.get(n).map_or_else(|| n.to_string(), |&word| word.to_owned())
}

/// `1st`, `2nd`, `3rd`, `4th`, …
pub fn ordinal(n: usize) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

/// Six significant digits as a number: what a 32-bit run can vouch for.
pub fn rounded(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // Through text, so that the value written to JSON is the short one.
    format!("{x:.5e}").parse().unwrap_or(x)
}

pub(super) fn significant(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let size = rounded_exponent(x, digits);
    if !(-4..6).contains(&size) {
        let text = format!("{x:.*e}", usize::try_from(digits - 2).unwrap_or(0));
        return text.replace('-', "−");
    }
    fixed(x, usize::try_from(digits - 1 - size).unwrap_or(0))
}

/// The power of ten of `x` after rounding to `digits`: 0.9996 has three digits as 1.00.
fn rounded_exponent(x: f64, digits: i32) -> i32 {
    let text = format!("{:.*e}", usize::try_from(digits - 1).unwrap_or(0), x.abs());
    text.rsplit('e').next().and_then(|e| e.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(
            [0, 999, 1000, 260_032, 1_234_567].map(thousands),
            ["0", "999", "1,000", "260,032", "1,234,567"]
        );
    }

    #[test]
    fn a_slow_rate_is_not_none() {
        let seen = [0.0, 0.004, 0.096, 0.1, 0.96, 1234.56].map(rate);
        assert_eq!(seen, ["0", "0.00400", "0.0960", "0.1", "1.0", "1234.6"]);
    }

    #[test]
    fn no_line_break_parts_a_number_from_its_per_cent_sign() {
        assert_eq!(percent(0.42), "42\u{a0}%");
        let typed = "At 50 %, 42 (39 to 45) % and > 99.9 %; accuracy, % of rows";
        let whole = "At 50\u{a0}%, 42 (39 to 45)\u{a0}% and > 99.9\u{a0}%; accuracy, % of rows";
        assert_eq!(with_whole_per_cents(typed), whole);
        assert_eq!(with_whole_per_cents(whole), whole);
    }

    /// Joins texts, with plain spaces.
    fn read(texts: &[String]) -> String {
        assert!(texts.iter().all(|text| text.ends_with("\u{a0}%")), "{texts:?}");
        texts.join(", ").replace('\u{a0}', " ")
    }

    #[test]
    fn only_all_is_100_percent_and_only_nothing_is_0() {
        let shares = [0.0, 4e-4, 6e-4, 0.004, 0.0099, 0.42, 0.99, 0.996, 0.9996, 0.9999, 1.0, 2.0];
        assert_eq!(
            read(&shares.map(percent)),
            "0 %, < 0.1 %, 0.1 %, 0.4 %, 1.0 %, 42 %, 99 %, 99.6 %, > 99.9 %, > 99.9 %, 100 %, 200 %"
        );
        assert_eq!(
            read(&shares.map(percent_tenths)),
            "0.0 %, < 0.1 %, 0.1 %, 0.4 %, 1.0 %, 42.0 %, 99.0 %, 99.6 %, > 99.9 %, > 99.9 %, 100.0 %, 200.0 %"
        );
        let beyond = [1.0 + 1e-15, 1.0004, 1.004, 1.006];
        assert_eq!(read(&beyond.map(percent)), "100 %, > 100 %, > 100 %, 101 %");
        assert_eq!(read(&beyond.map(percent_tenths)), "100.0 %, > 100 %, 100.4 %, 100.6 %");
        let negative = [-4e-5, -0.004, -0.3, -0.996, -0.9996, -1.0, -1.0004];
        assert_eq!(
            read(&negative.map(percent)),
            "> −0.1 %, −0.4 %, −30 %, −99.6 %, < −99.9 %, −100 %, < −100 %"
        );
        assert_eq!(
            read(&negative.map(percent_tenths)),
            "> −0.1 %, −0.4 %, −30.0 %, −99.6 %, < −99.9 %, −100.0 %, < −100 %"
        );
        for n in 1..1000 {
            let share = f64::from(n) / 1000.0;
            let rounded = [percent(share), percent_tenths(share)];
            assert!(rounded.iter().all(|text| !text.starts_with("100") && *text != per_cent(0)));
        }
    }

    #[test]
    fn carries_three_digits() {
        let seen: Vec<String> =
            [0.0, 0.16849, -0.00212, 12.2, 0.9996, 1234.5, 2.7e-7, -3.0].map(short).to_vec();
        assert_eq!(seen, ["0", "0.168", "−0.00212", "12.2", "1.00", "1234", "2.7e−7", "−3.00"]);
        assert_eq!(signed(1.2), "+1.20");
        assert_eq!(fixed(-0.0001, 2), "0.00");
        assert_eq!([2, 3, 10, 11].map(spelled), ["two", "three", "ten", "11"]);
        assert_eq!([1, 2, 3, 11, 22, 113].map(ordinal).join(" "), "1st 2nd 3rd 11th 22nd 113th");
    }
}
