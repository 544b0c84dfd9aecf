//! Tables as the command line prints them: no borders, numbers right-aligned and of one precision a
//! column, and no line wider than a terminal of [`WIDTH`] columns. They are text alone, on a terminal too: names in them come out of files, and
//! [`super::output::show`] lets nothing speak to it.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, TableComponent, presets,
};

use crate::chart::TableCell;
use crate::engine::MemberKind;
use crate::measure::interval::Mean;

pub(super) use crate::chart::number::thousands;

/// Columns of the terminal that every table fits in.
pub(super) const WIDTH: usize = 80;

/// Characters that columns of words keep beside numbers; what they have above that is wrapped.
const WORDS: usize = 40;

/// Blanks between two columns.
const GAP: usize = 2;

/// A table whose first `left` columns are words and whose others are numbers.
pub(super) fn table(header: &[impl AsRef<str>], left: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    // The preset draws its borders as blanks.
    use TableComponent::{
        LeftBorder, LeftBorderIntersections, RightBorder, RightBorderIntersections,
    };
    for blank in [LeftBorder, LeftBorderIntersections, RightBorder, RightBorderIntersections] {
        table.remove_style(blank);
    }
    for line in [TableComponent::HeaderLines, TableComponent::MiddleHeaderIntersections] {
        table.set_style(line, '─');
    }
    for corner in [TableComponent::LeftHeaderIntersection, TableComponent::RightHeaderIntersection]
    {
        table.remove_style(corner);
    }
    table.set_header(header.iter().map(AsRef::as_ref));
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding(if index == 0 { (0, 0) } else { (1, 0) });
        if index >= left {
            column.set_cell_alignment(CellAlignment::Right);
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// A table in the making, with a line for each of `rows`: columns of words first, then columns of numbers.
#[derive(Clone)]
pub(super) struct Columns<R> {
    rows: Vec<R>,
    words: usize,
    all: Vec<Column>,
}

/// A column's header, and what stands in each row.
#[derive(Clone)]
pub(super) struct Column {
    pub header: String,
    pub cells: Vec<String>,
}

/// A table of these rows, without columns yet.
pub(super) fn columns<R>(rows: impl IntoIterator<Item = R>) -> Columns<R> {
    Columns { rows: rows.into_iter().collect(), words: 0, all: Vec::new() }
}

impl<R> Columns<R> {
    /// Adds a column of words.
    pub fn words<C: ToString>(mut self, header: impl Into<String>, cell: impl Fn(&R) -> C) -> Self {
        self.words += 1;
        self.numbers(header, cell)
    }

    /// Adds a column of numbers.
    pub fn numbers<C: ToString>(self, header: impl Into<String>, cell: impl Fn(&R) -> C) -> Self {
        let cells = self.rows.iter().map(|row| cell(row).to_string()).collect();
        self.with([Column { header: header.into(), cells }])
    }

    /// Adds a column of numbers of one precision; where one is missing stands `gap`.
    pub fn scaled(
        self,
        header: impl Into<String>,
        gap: &str,
        number: impl Fn(&R) -> Option<f64>,
    ) -> Self {
        let numbers: Vec<Option<f64>> = self.rows.iter().map(number).collect();
        let cells = column_with_gaps(&numbers, gap);
        self.with([Column { header: header.into(), cells }])
    }

    /// Adds a column of numbers where any row has one; where one is missing stands `-`.
    pub fn known<N>(
        self,
        header: &str,
        number: impl Fn(&R) -> Option<N>,
        cell: impl Fn(N) -> String,
    ) -> Self {
        if !self.rows.iter().any(|row| number(row).is_some()) {
            return self;
        }
        self.numbers(header, |row| number(row).map_or_else(|| "-".to_owned(), &cell))
    }

    /// Adds columns of numbers that are there already.
    pub fn with(mut self, columns: impl IntoIterator<Item = Column>) -> Self {
        self.all.extend(columns);
        self
    }

    /// The table as [`text()`] prints it.
    pub fn text(&self) -> String {
        text(&self.table())
    }

    /// Whether no line of it is wider than [`WIDTH`].
    pub fn fits(&self) -> bool {
        width(&self.table()) <= WIDTH
    }

    fn table(&self) -> Table {
        let header: Vec<&String> = self.all.iter().map(|column| &column.header).collect();
        let mut lines = table(&header, self.words);
        for row in 0..self.rows.len() {
            lines.add_row(self.all.iter().map(|column| &column.cells[row]));
        }
        lines
    }
}

/// The table's text without the blanks that fill its last column. A table wider than [`WIDTH`] becomes several, one
/// under the other: each begins with the columns of words, in which long texts are wrapped.
pub(super) fn text(table: &Table) -> String {
    if width(table) <= WIDTH {
        return lines(table);
    }
    let columns = table.column_iter().collect::<Vec<_>>();
    let words = columns.iter().take_while(|column| column.constraint().is_none()).count();
    let parts =
        groups(&widths(table), words).into_iter().map(|group| lines(&part(table, words, &group)));
    parts.collect::<Vec<_>>().join("\n")
}

/// Characters of the table's longest line, where nothing is wrapped.
fn width(table: &Table) -> usize {
    let widths = widths(table);
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

fn widths(table: &Table) -> Vec<usize> {
    table.column_max_content_widths().into_iter().map(usize::from).collect()
}

fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// Which columns of numbers stand in one table behind the first `words` columns.
fn groups(widths: &[usize], words: usize) -> Vec<Vec<usize>> {
    let before = widths[..words].iter().map(|width| width + GAP).sum::<usize>().min(WORDS);
    let mut groups = vec![Vec::new()];
    let mut room = WIDTH - before;
    for (index, width) in widths.iter().enumerate().skip(words) {
        if room < width + GAP && groups.last().is_some_and(|group| !group.is_empty()) {
            groups.push(Vec::new());
            room = WIDTH - before;
        }
        room = room.saturating_sub(width + GAP);
        groups.last_mut().into_iter().for_each(|group| group.push(index));
    }
    groups
}

/// The first `words` columns and these of numbers, wrapped to [`WIDTH`].
fn part(whole: &Table, words: usize, numbers: &[usize]) -> Table {
    let kept: Vec<usize> = (0..words).chain(numbers.iter().copied()).collect();
    let cells = |row: &Row| -> Vec<Cell> {
        let all: Vec<&Cell> = row.cell_iter().collect();
        kept.iter()
            .map(|&i| all.get(i).map_or_else(|| Cell::new(""), |&cell| cell.clone()))
            .collect()
    };
    let header = whole.header().map(cells).unwrap_or_default();
    let header: Vec<String> = header.iter().map(Cell::content).collect();
    let mut part = table(&header, words);
    part.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH as u16);
    for row in whole.row_iter() {
        part.add_row(cells(row));
    }
    part
}

/// A member's kind in words.
pub(super) fn kind(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "MLP",
        MemberKind::Bias => "bias",
    }
}

/// Numbers of one column, with as many decimals as give the largest four digits.
pub(super) fn column(values: &[f64]) -> Vec<String> {
    let decimals = decimals(values, 4);
    let number = |&value: &f64| number(value, decimals);
    values.iter().map(number).collect()
}

/// A column of numbers some of which are missing: there stands `gap`.
fn column_with_gaps(values: &[Option<f64>], gap: &str) -> Vec<String> {
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let mut shown = column(&known).into_iter();
    let cell = |value: &Option<f64>| value.and_then(|_| shown.next()).unwrap_or_else(|| gap.into());
    values.iter().map(cell).collect()
}

/// A mean and the ends of its interval, as CSV has them: nothing where there is none.
pub(super) fn mean_cells(mean: Option<Mean>) -> [TableCell; 3] {
    let cell = |number: fn(Mean) -> f64| TableCell::known(mean.map(number));
    [cell(|mean| mean.mean), cell(|mean| mean.low), cell(|mean| mean.high)]
}

/// A number with so many decimals; what rounds to zero has no sign.
pub(super) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| matches!(c, '0' | '.')) => size.to_string(),
        _ => text,
    }
}

/// Decimals that show the largest of `values` with `digits` digits: between 0 and 9.
pub(super) fn decimals(values: &[f64], digits: i32) -> usize {
    let largest = values
        .iter()
        .filter(|value| value.is_finite())
        .fold(0.0_f64, |max, value| max.max(value.abs()));
    if largest == 0.0 {
        return digits.unsigned_abs() as usize;
    }
    let before = largest.log10().floor() as i32 + 1;
    // A zero before the point is no digit.
    (digits - before).clamp(0, 9) as usize
}

/// A horizontal bar of at most `cells` characters, to an eighth of one.
pub(super) fn bar(share: f64, cells: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * cells as f64 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_precision() {
        assert_eq!(column(&[0.16574, 0.0019255]), ["0.1657", "0.0019"]);
        assert_eq!(column(&[14.5446, -0.103]), ["14.54", "-0.10"]);
        assert_eq!(column(&[0.0049201, 0.000407]), ["0.004920", "0.000407"]);
        assert_eq!(column(&[0.0, 0.0]), ["0.0000", "0.0000"]);
        assert_eq!(column(&[-0.00001, -1.0]), ["0.000", "-1.000"]);
        assert_eq!(column(&[123_456.0, f64::NAN]), ["123456", "NaN"]);
    }

    #[test]
    fn a_wide_table_becomes_several_that_fit() {
        let mut header = vec!["name".to_owned()];
        header.extend((0..12).map(|i| format!("number {i}")));
        let mut wide = table(&header, 1);
        wide.add_row((0..13).map(|i| i.to_string()));
        let shown = text(&wide);
        let parts: Vec<&str> = shown.split("\n\n").collect();
        assert_eq!(parts.len(), 2, "{shown}");
        for part in &parts {
            assert!(part.starts_with("name"), "{shown}");
            assert!(part.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        }
        for name in &header[1..] {
            assert_eq!(
                shown.matches(&format!("{name} ")).count()
                    + shown.matches(&format!("{name}\n")).count(),
                1,
                "{shown}"
            );
        }
    }

    #[test]
    fn words_are_wrapped_beside_numbers() {
        let mut wide = table(&["what", "number"], 1);
        let sentence = "which answer to a question of school science is likeliest as text";
        wide.add_row([&format!("{sentence} and once more: {sentence}"), "12.5"]);
        let shown = text(&wide);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.contains("12.5\n"), "{shown}");
        assert_eq!(shown.split_whitespace().filter(|word| *word == "science").count(), 2);
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.53, 4), "██▏");
        assert_eq!(bar(2.0, 4), "████");
        assert_eq!(bar(f64::NAN, 4), "");
    }
}
