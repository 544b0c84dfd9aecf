//! How many workgroups a dispatch needs: at most 65535 lie in one direction, so long lists fold.

const FOLD: usize = 1 << 15;

/// Workgroups for `items` of which each takes `a_group`; kernels count `group.y * groups.x + group.x`.
pub fn grid(items: usize, a_group: usize) -> [u32; 3] {
    let groups = items.div_ceil(a_group);
    [groups.min(FOLD) as u32, groups.div_ceil(FOLD) as u32, 1]
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_long_list_folds_and_holds_everything() {
        for items in [0usize, 1, 64, 65, 64 << 15, (64 << 15) + 1, 64 << 20] {
            let [x, y, _] = super::grid(items, 64);
            assert!(x <= 65535 && y <= 65535);
            assert!(x as usize * y as usize * 64 >= items);
        }
    }
}
