//! Questions that a survey's figures answer, in the order in which one asks them.

/// A question, and the figures that answer it: the first at once, the others where somebody wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurveyQuestion {
    /// Element ids are made of it.
    pub id: &'static str,
    pub text: &'static str,
    /// Its name in a list of contents.
    pub name: &'static str,
    /// Keys of the figures.
    pub figures: &'static [&'static str],
}

/// Questions about all models together.
pub const OVERVIEW_QUESTIONS: [SurveyQuestion; 3] = [
    SurveyQuestion {
        id: "accuracy-title",
        text: "How often are the models right?",
        name: "Accuracy",
        figures: &["table-1", "fig-6-depth", "levels"],
    },
    SurveyQuestion {
        id: "tradeoff-title",
        text: "How do accuracy, bias and diversity go together?",
        name: "Bias and diversity",
        figures: &["fig-3-correlation", "tradeoff", "identity", "uniform"],
    },
    SurveyQuestion {
        id: "shares-title",
        text: "Which components bring the diversity?",
        name: "Attention and MLPs",
        figures: &[super::shares::KEY],
    },
];

/// The question about one model's stream.
pub const STREAM_QUESTION: SurveyQuestion = SurveyQuestion {
    id: "stream-title",
    text: "What happens along one model's stream?",
    name: "One model's stream",
    figures: &["fig-5-stream", "information-votes", "information-copula"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{DARK, survey_figures};
    use crate::study::report::Opened;

    #[test]
    fn every_figure_answers_one_question() {
        let survey = include_bytes!("../../../public/examples/survey.atelier.json");
        let survey = Opened::read(survey).and_then(Opened::survey).expect("the baked survey");
        let mut drawn: Vec<&str> =
            survey_figures(&survey, &DARK).iter().map(|figure| figure.key).collect();
        drawn.sort_unstable();
        drawn.dedup();

        let questions = OVERVIEW_QUESTIONS.iter().chain([&STREAM_QUESTION]);
        let mut listed: Vec<&str> =
            questions.flat_map(|question| question.figures).copied().collect();
        listed.sort_unstable();
        assert_eq!(listed, drawn);
    }
}
