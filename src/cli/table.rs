//! Tables as the command line prints them: no borders, numbers right-aligned and of one precision a
//! column. They are text alone, on a terminal too: names in them come out of files, and
//! [`super::output::show`] lets nothing speak to it.

use comfy_table::{CellAlignment, Table, TableComponent, presets};

use crate::engine::MemberKind;

pub(super) use crate::chart::number::thousands;

/// A table whose first `left` columns are words and whose others are numbers.
pub(super) fn table(header: &[String], left: usize) -> Table {
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
    table.set_header(header);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding(if index == 0 { (0, 0) } else { (1, 0) });
        if index >= left {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The table's text without the blanks that fill its last column.
pub(super) fn text(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
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
        assert_eq!(column(&[-0.00001, -1.0]), ["0.000", "-1.000"]);
        assert_eq!(column(&[123_456.0, f64::NAN]), ["123456", "NaN"]);
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.53, 4), "██▏");
        assert_eq!(bar(2.0, 4), "████");
        assert_eq!(bar(f64::NAN, 4), "");
    }
}
