//! Tables of cases in tests, as texts: one case a line, its cells parted by ` | `.

/// Returns the cells of every line that is not empty.
pub fn table<const N: usize>(text: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{N} cells, and not {cells:?}"))
    })
}
