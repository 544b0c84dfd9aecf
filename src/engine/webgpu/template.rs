//! WGSL with repeated lines written once: naga spills arrays that are indexed by a variable, and
//! counts every turn of a loop, so what must be unrolled is unrolled as text.

/// Every `//repeat N` … `//end` is written N times, `#` being 0, 1, …
pub fn unroll(source: &str) -> String {
    let mut out = String::with_capacity(2 * source.len());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let Some(times) = line.trim().strip_prefix("//repeat ") else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "//end").collect();
        // A number that is none leaves the lines as they are, which no compiler takes.
        let Ok(times) = times.parse::<usize>() else {
            out.push_str(&body.join("\n"));
            out.push('\n');
            continue;
        };
        for i in 0..times {
            for line in &body {
                out.push_str(&line.replace('#', &i.to_string()));
                out.push('\n');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_between_repeat_and_end_are_written_n_times() {
        let unrolled = super::unroll("a\n  //repeat 2\nx# = #;\n//end\nb\n");
        assert_eq!(unrolled, "a\nx0 = 0;\nx1 = 1;\nb\n");
    }

    #[test]
    fn a_number_that_was_not_written_in_is_no_empty_kernel() {
        let unrolled = super::unroll("a\n//repeat {TIMES}\nx# = #;\n//end\nb\n");
        assert_eq!(unrolled, "a\nx# = #;\nb\n");
    }
}
