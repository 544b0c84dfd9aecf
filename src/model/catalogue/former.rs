//! Names of models that came with an older page, and what took their places: links, reports and commands
//! that name one are told so.

use std::fmt;

use super::{TRAINING, all};

/// A model that does not come with the page any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerModel {
    pub name: String,
    /// Name of the model that replaces it.
    pub successor: &'static str,
}

/// Former names and those that took their places.
const FORMER: [(&str, &str); 5] = [
    ("apprentice-2", "scholar-2"),
    ("apprentice-4", "scholar-4"),
    ("apprentice-8", "scholar-8"),
    ("apprentice-12", "scholar-12"),
    ("apprentice-12-shared", "scholar-12-shared"),
];

/// The model whose moments of training were kept, and after which steps.
const MOMENTS_OF: &str = "apprentice-4";
const MOMENTS: [&str; 7] = ["000000", "000125", "000250", "000500", "001000", "002000", "004000"];

/// Whether this is the name of a model of an older page, finished or on its way.
pub fn former(name: &str) -> Option<FormerModel> {
    let named = FORMER.iter().find(|(former, _)| *former == name);
    let successor = named.map(|(_, successor)| *successor).or_else(|| {
        let step = name.strip_prefix(MOMENTS_OF)?.strip_prefix("-step-")?;
        let at = MOMENTS.iter().position(|moment| *moment == step)?;
        // As far on its way.
        TRAINING.get(at).map(|moment| moment.name)
    })?;
    // A name that is taken again is no former one.
    let is_free = all().all(|known| known.name != name);
    is_free.then(|| FormerModel { name: name.to_owned(), successor })
}

impl fmt::Display for FormerModel {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, successor } = self;
        write!(
            to,
            "{name} is a model of an older page: its place is taken by {successor}, which learned the same tasks in \
             other words"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalogue::find;

    #[test]
    fn every_former_name_leads_to_a_model_that_is_there() {
        let moments = MOMENTS.map(|step| format!("{MOMENTS_OF}-step-{step}"));
        let names = FORMER.map(|(former, _)| former.to_owned());
        for name in names.iter().chain(&moments) {
            let former = former(name).expect(name);
            assert!(find(former.successor).is_some(), "{former}");
            assert!(find(name).is_none());
        }
        assert_eq!(former("apprentice-3"), None);
        assert_eq!(former("scholar-4"), None);
        assert_eq!(
            former("apprentice-4").expect("a former model").to_string(),
            "apprentice-4 is a model of an older page: its place is taken by scholar-4, which learned the same tasks in \
             other words"
        );
    }
}
