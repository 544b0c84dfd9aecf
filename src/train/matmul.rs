//! The three products of a linear layer, on row-major slices.

/// `dst [m, n] = keep * dst + lhs [m, k] rhs [k, n]`, each matrix given by (slice, row stride,
/// column stride).
fn gemm(
    m: usize,
    n: usize,
    k: usize,
    dst: &mut [f32],
    keep: bool,
    lhs: (&[f32], usize, usize),
    rhs: (&[f32], usize, usize),
) {
    let last = |rows: usize, cols: usize, rs: usize, cs: usize| (rows - 1) * rs + (cols - 1) * cs;
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    assert!(dst.len() >= m * n, "product does not fit its destination");
    assert!(
        lhs.0.len() > last(m, k, lhs.1, lhs.2),
        "left factor is too short"
    );
    assert!(
        rhs.0.len() > last(k, n, rhs.1, rhs.2),
        "right factor is too short"
    );
    // SAFETY: the three asserts above keep every index that `gemm` reads or writes in its slice.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            dst.as_mut_ptr(),
            1,
            n as isize,
            keep,
            lhs.0.as_ptr(),
            lhs.2 as isize,
            lhs.1 as isize,
            rhs.0.as_ptr(),
            rhs.2 as isize,
            rhs.1 as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// `y [n, out] (+)= x [n, in] w [out, in]^T`
pub fn forward(y: &mut [f32], x: &[f32], w: &[f32], n: usize, width_in: usize, add: bool) {
    let width_out = w.len() / width_in;
    gemm(
        n,
        width_out,
        width_in,
        y,
        add,
        (x, width_in, 1),
        (w, 1, width_in),
    );
}

/// `dx [n, in] = dy [n, out] w [out, in]`
pub fn input_gradient(dx: &mut [f32], dy: &[f32], w: &[f32], n: usize, width_in: usize) {
    let width_out = w.len() / width_in;
    gemm(
        n,
        width_in,
        width_out,
        dx,
        false,
        (dy, width_out, 1),
        (w, width_in, 1),
    );
}

/// `dw [out, in] += dy [n, out]^T x [n, in]`
pub fn weight_gradient(dw: &mut [f32], dy: &[f32], x: &[f32], n: usize, width_in: usize) {
    let width_out = dw.len() / width_in;
    gemm(
        width_out,
        width_in,
        n,
        dw,
        true,
        (dy, 1, width_out),
        (x, width_in, 1),
    );
}
