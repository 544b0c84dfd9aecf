//! The page's views, as links name them.

/// Which of the page's views is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// One prompt, every stroke.
    #[default]
    Lens,
    /// The answer decoded from the stream along its depth.
    LogitLens,
    /// Where the heads look.
    Attention,
    /// One member of a run by itself.
    Member,
    /// How alike the linearised steps of a run are.
    Coupling,
    /// The blocks in another order, and sweeps over orders.
    Orders,
    /// Models x tasks.
    Survey,
    /// The paper's theorems.
    Theory,
    /// Questions that the model answers.
    Lessons,
    /// Ways into the page.
    Start,
}

impl View {
    pub const ALL: [Self; 10] = [
        Self::Start,
        Self::Lens,
        Self::LogitLens,
        Self::Attention,
        Self::Member,
        Self::Orders,
        Self::Coupling,
        Self::Survey,
        Self::Theory,
        Self::Lessons,
    ];

    /// The name used in links, and the title on the page.
    fn name_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Lens => ("lens", "Lens"),
            Self::LogitLens => ("logit-lens", "Logit lens"),
            Self::Attention => ("attention", "Attention"),
            Self::Member => ("member", "Component"),
            Self::Coupling => ("coupling", "Coupling"),
            Self::Orders => ("orders", "Orders"),
            Self::Survey => ("survey", "Survey"),
            Self::Theory => ("theory", "Theory"),
            Self::Lessons => ("lessons", "Lessons"),
            Self::Start => ("start", "Start"),
        }
    }

    /// The name used in links.
    pub fn name(self) -> &'static str {
        self.name_and_title().0
    }

    /// Returns the view's title on the page.
    pub fn title(self) -> &'static str {
        self.name_and_title().1
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// Does the model of the page draw this view's pictures? The others read reports.
    pub fn is_live(self) -> bool {
        let is_one = matches!(self, Self::Lens | Self::Orders | Self::Coupling | Self::Lessons);
        is_one || self.is_inside()
    }

    /// Does it draw what the reader's own prompt and order make of the model?
    pub fn is_of_draft(self) -> bool {
        self.is_live() && self != Self::Lessons
    }

    /// Whether it has a look for a wall.
    pub fn has_wall(self) -> bool {
        matches!(self, Self::Lens | Self::Orders | Self::Lessons)
    }

    /// Does it show what goes on inside a run?
    pub fn is_inside(self) -> bool {
        matches!(self, Self::LogitLens | Self::Attention | Self::Member)
    }

    /// Are its pictures those of survey reports?
    pub fn is_of_surveys(self) -> bool {
        matches!(self, Self::Survey | Self::Theory)
    }
}
