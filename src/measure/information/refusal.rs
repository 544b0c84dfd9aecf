/// Why there is no estimate, for the report and the page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InformationRefusal {
    #[error("{rows} rows carry no information to estimate: run at least two")]
    Rows { rows: usize },
    #[error(
        "all rows have the same right answer (option {answer}), so nothing can be said about it: run rows of two classes"
    )]
    OneClass { answer: usize },
    #[error(
        "a joint histogram of {members} votes and the answer among {options} options has {cells} cells, but {rows} rows support {supported} (rows / 5)"
    )]
    Cells { members: usize, options: usize, cells: u128, rows: usize, supported: usize },
    #[error(
        "{members} members with {options} options have {dimensions} dimensions, but the smallest class of {smallest} rows supports {supported} (rows / 5)"
    )]
    Dimensions {
        members: usize,
        options: usize,
        dimensions: usize,
        smallest: usize,
        supported: usize,
    },
    #[error(
        "member {member} (counted from 0) says what members before it said, so their joint entropy has no finite estimate"
    )]
    Repeats { member: usize },
}
