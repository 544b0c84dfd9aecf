//! `0.166 = 0.168 − 0.002`: the identity in numbers that add up as they are written.

use super::number::{fixed, percent, short};
use super::{Column, strokes};
use crate::measure::bits::bits;
use crate::measure::decomposition::{Triple, Triples, uniform_mse};
use crate::study::report::Lens;

/// The whole run's three numbers, rounded for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub mse: String,
    pub bias: String,
    pub diversity: String,
    /// The gain of averaging, in a sentence that the three numbers carry.
    pub heading: String,
    /// Meanings of MSE, bias and diversity, in words.
    pub meanings: [String; 3],
    /// Do the three make one identity in this column? Not in the paper's.
    pub holds: bool,
    /// A sentence on how to read the three numbers.
    pub note: String,
}

impl Identity {
    /// In a column's numbers.
    pub fn of(lens: &Lens, column: Column) -> Self {
        let triples = lens.decomposition.triples();
        let t = column.drawn(&triples);
        let (target, m) = (column.target(), lens.members.len());
        let holds = column != Column::Paper;
        let [mse, bias, diversity] = if holds { written(&t) } else { t.numbers().map(short) };
        let (heading, note) = if holds {
            let parts = if column == Column::Logit { parts(&triples) } else { String::new() };
            let error = short(lens.decomposition.sum_error);
            let components = strokes::count(&lens.members);
            let note = format!(
                "{target} {parts}The votes of the {components} add up to the model's own logits within {error}."
            );
            (heading(&t, column, m), note)
        } else {
            let uniform = 100.0 * uniform_mse(lens.logits.len());
            let [uniform, centred] = [uniform, triples.centred.diversity].map(short);
            let note = format!(
                "As the paper prints them these are not one identity: mse and bias are squared shares × 100 \
                 (Eq. 14, which divides the logits by {m}, so mse sits near the uniform value {uniform}), and diversity \
                 is in squared logits (Eq. 8). {target} Of the diversity {centred} is centred. The rest is the offset, which \
                 moves no probability."
            );
            ("The three numbers that the paper prints are not one identity".to_owned(), note)
        };
        Self { mse, bias, diversity, heading, meanings: meanings(column, m), holds, note }
    }
}

/// Says by how much the error of the mean answer is smaller than the answers' errors on average.
fn heading(t: &Triple, column: Column, members: usize) -> String {
    let (answers, one) = match column {
        Column::Probability | Column::Paper => ("answers", "one answer"),
        Column::Logit => ("components' centred logits", "one component's"),
    };
    match t.bias > 0.0 && t.diversity > 0.0 {
        true => format!(
            "The mean of {members} {answers} has {} less error than {one} on average",
            percent(t.diversity / t.bias)
        ),
        false => format!("The mean of {members} {answers} has the error of {one} on average"),
    }
}

/// Returns the meanings of MSE, bias and diversity: errors or differences of the components' answers.
fn meanings(column: Column, members: usize) -> [String; 3] {
    let (answer, answers, unit) = match column {
        Column::Probability => ("an answer from one component's votes", "answers", ""),
        Column::Logit => ("one component's centred logits", "centred logits", ""),
        Column::Paper => ("one component's shares", "logits", ", × 100"),
    };
    [
        format!("error of the mean of {members} {answers}, one per component{unit}"),
        format!("error of {answer}, on average{unit}"),
        format!("how much these {members} {answers} differ"),
    ]
}

/// Says what the centred logits leave out.
fn parts(triples: &Triples) -> String {
    let sum = |triple: &Triple| {
        let [mse, bias, diversity] = written(triple);
        format!("MSE {mse} = bias {bias} − diversity {diversity}")
    };
    let [offset, whole] = [&triples.offset, &triples.logit].map(sum);
    format!(
        "Each component's mean over the options, its offset, is taken out: it moves no probability. The offset alone has {offset}. \
         The whole logits have {whole}. "
    )
}

/// The three numbers with as many decimals as they need to add up.
fn written(t: &Triple) -> [String; 3] {
    let digits = digits(t.mse, t.bias, t.diversity);
    t.numbers().map(|x| fixed(x, digits))
}

/// Errors of what the model answers, beside the error of its components' mean answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerErrors {
    /// `mean_k (t - softmax(sum_i u_i))²`, of the shares among the options.
    pub shares: String,
    /// `-log2 P(right)` over the whole vocabulary, bits; `None` where it was not read.
    pub surprise: Option<String>,
    /// The right answer is not the model's first word, so that the surprise says more than the shares.
    pub surprise_leads: bool,
    /// Why these differ from the MSE, in one sentence.
    pub note: String,
}

impl AnswerErrors {
    /// Reads them from a run.
    pub fn of(lens: &Lens) -> Self {
        let vocabulary = lens.vocabulary.as_ref();
        let note = format!(
            "The model's errors differ from the MSE because the model adds up the votes and answers once; it does not \
             average {} answers.",
            lens.members.len()
        );
        Self {
            shares: short(lens.decomposition.share_error),
            surprise: vocabulary.map(|vocabulary| short(bits(vocabulary.surprise))),
            surprise_leads: vocabulary.is_some_and(|v| v.option_ranks[lens.answer] != 1),
            note,
        }
    }
}

/// The fewest decimals, three or more, at which the rounded numbers add up as written and no
/// nonzero diversity reads as 0.
fn digits(mse: f64, bias: f64, diversity: f64) -> usize {
    (3..=8)
        .find(|&n| {
            let unit = 10f64.powi(-i32::try_from(n).unwrap_or(8));
            let whole = |x: f64| (x / unit).round();
            whole(bias) - whole(diversity) == whole(mse)
                && (diversity == 0.0 || whole(diversity) != 0.0)
        })
        .unwrap_or(8)
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn written_numbers_add_up() {
        assert_eq!(digits(0.166, 0.168, 0.002), 3);
        // 0.1664 = 0.1685 - 0.0021: rounded to three, 0.166 = 0.169 - 0.002 is off by one.
        assert_eq!(digits(0.1664, 0.1685, 0.0021), 4);
        assert_eq!(digits(0.2, 0.20004, 0.00004), 5);
        assert_eq!(digits(0.25, 0.25, 0.0), 3);
    }
}
