//! Places of a step: blocks of the model that it is written for, and the same share of the way through another.

use std::collections::BTreeMap;

use crate::study::lessons::LessonError;

/// The last block of whichever model takes the step.
const LAST: &str = "last";

/// The named blocks of a step, in a model of another depth.
#[derive(Clone, Copy, Debug)]
pub struct StepPlaces<'a> {
    /// Blocks of the model that the step is written for.
    pub named: &'a BTreeMap<String, usize>,
    /// How many blocks that model has.
    pub written_depth: usize,
    /// How many the model has that takes the step.
    pub depth: usize,
}

impl StepPlaces<'_> {
    /// Checks that they are as many blocks, in the same order, as in the model that the step is written for.
    ///
    /// # Errors
    /// Two of them are one block here.
    pub fn check(&self) -> Result<(), LessonError> {
        let mut blocks: Vec<usize> = self.named.values().copied().collect();
        blocks.sort_unstable();
        blocks.dedup();
        let are_apart = blocks.windows(2).all(|pair| self.scaled(pair[0]) < self.scaled(pair[1]));
        if are_apart { Ok(()) } else { Err(self.too_few()) }
    }

    /// Returns the block of an expression: names, `last` and numbers, joined by `+` and `-`.
    ///
    /// # Errors
    /// An expression that names nothing; a block that the model does not have.
    pub fn block(&self, expression: &str) -> Result<usize, LessonError> {
        let (mut sum, mut sign, mut rest) = (0, 1, expression);
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let (term, after) = rest.split_at(end);
            let block = self.term(term.trim());
            sum +=
                sign * block.ok_or_else(|| LessonError::Place { text: expression.to_owned() })?;
            sign = match after.chars().next() {
                Some('+') => 1,
                Some(_) => -1,
                None => break,
            };
            rest = &after[1..];
        }
        let block = usize::try_from(sum).ok().filter(|block| *block < self.depth);
        block.ok_or_else(|| self.too_few())
    }

    /// Returns the blocks of an expression, or of a range `from..to`, both ends included.
    ///
    /// # Errors
    /// As [`StepPlaces::block`]; a range that ends before it begins.
    pub fn blocks(&self, expression: &str) -> Result<Vec<usize>, LessonError> {
        let Some((from, to)) = expression.split_once("..") else {
            return Ok(vec![self.block(expression)?]);
        };
        let (from, to) = (self.block(from)?, self.block(to)?);
        refuse_if!(from > to, self.too_few());
        Ok((from..=to).collect())
    }

    /// Returns a plan whose places are blocks of the model: `0-<late-1>,<late..last>m` is `0-6,7m,8m,9m,10m,11m`.
    ///
    /// # Errors
    /// As [`StepPlaces::block`]; a bracket without its other half.
    pub fn plan(&self, template: &str) -> Result<String, LessonError> {
        let mut plan = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((plain, after)) = rest.split_once('<') {
            let wrong = || LessonError::Place { text: template.to_owned() };
            let (inner, next) = after.split_once('>').ok_or_else(wrong)?;
            // Of a range, each block runs the half that stands behind it.
            let half = if inner.contains("..") && next.starts_with(['a', 'm']) { 1 } else { 0 };
            let (half, next) = next.split_at(half);
            let blocks = self.blocks(inner)?.into_iter().map(|block| format!("{block}{half}"));
            plan += plain;
            plan += &blocks.collect::<Vec<_>>().join(",");
            rest = next;
        }
        Ok(plan + rest)
    }

    fn term(&self, term: &str) -> Option<i64> {
        let block = match (term, self.named.get(term)) {
            (LAST, _) => self.depth.checked_sub(1)?,
            (_, Some(&block)) => self.scaled(block),
            (number, None) => number.parse().ok()?,
        };
        i64::try_from(block).ok()
    }

    /// Returns the block at the same share of the way from the first to the last: in a model as deep, the same one.
    fn scaled(&self, block: usize) -> usize {
        let last = self.depth.saturating_sub(1);
        let written_last = self.written_depth.saturating_sub(1).max(1);
        (2 * block * last + written_last) / (2 * written_last)
    }

    fn too_few(&self) -> LessonError {
        let reason = format!("its {} blocks are too few for the places of the step", self.depth);
        LessonError::lacking(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named() -> BTreeMap<String, usize> {
        [("edge", 3), ("late", 7)].map(|(name, block)| (name.to_owned(), block)).into()
    }

    #[test]
    fn places_are_the_written_blocks_in_a_model_as_deep() {
        let named = named();
        let places = StepPlaces { named: &named, written_depth: 12, depth: 12 };
        for (expression, block) in [
            ("edge", 3),
            ("edge+1", 4),
            ("last-edge", 8),
            ("last", 11),
            ("late-edge+2", 6),
            ("0", 0),
        ] {
            assert_eq!(places.block(expression), Ok(block), "{expression}");
        }
        for (template, plan) in [
            ("0-<late-1>,<late..last>m", "0-6,7m,8m,9m,10m,11m"),
            ("0,<1..2>a", "0,1a,2a"),
            ("reverse:<edge>", "reverse:3"),
            ("0-<last-1>,<last>x4", "0-10,11x4"),
            ("drop:4", "drop:4"),
        ] {
            assert_eq!(places.plan(template).as_deref(), Ok(plan), "{template}");
        }
    }

    #[test]
    fn in_another_model_they_are_the_same_share_of_the_way() {
        let named = named();
        let deep = StepPlaces { named: &named, written_depth: 12, depth: 30 };
        assert_eq!(deep.blocks("edge..late").map(|all| (all[0], all.len())), Ok((8, 11)));
        assert_eq!(deep.plan("0-<late-1>,<late..19>m").as_deref(), Ok("0-17,18m,19m"));
        assert_eq!((deep.block("0"), deep.block("last")), (Ok(0), Ok(29)));
        assert_eq!(deep.check(), Ok(()));
    }

    #[test]
    fn what_a_model_does_not_have_is_said() {
        let named = named();
        let small = StepPlaces { named: &named, written_depth: 12, depth: 2 };
        let too_few = "its 2 blocks are too few for the places of the step";
        for expression in ["edge-1", "last+1", "1..0"] {
            let error = small.blocks(expression).expect_err(expression).to_string();
            assert_eq!(error, too_few, "{expression}");
        }
        let near: BTreeMap<String, usize> = [("a".to_owned(), 4), ("b".to_owned(), 5)].into();
        let error = StepPlaces { named: &near, written_depth: 12, depth: 4 }.check();
        assert!(error.expect_err("one block").to_string().contains("too few"));
        for expression in ["early", "", "edge+", "edge late"] {
            let error = small.block(expression).expect_err(expression);
            assert!(matches!(error, LessonError::Place { .. }), "{expression}: {error}");
        }
        assert!(matches!(small.plan("0-<late"), Err(LessonError::Place { .. })));
    }
}
