// out[m, k] = sum_n a[m, n] w[n, k]: a workgroup makes 32 x 32 of it, a thread 4 x 4.

//head

// [n][rows / 4] and [n][columns / 4].
var<workgroup> tile_a: array<vec4<f32>, 256>;
var<workgroup> tile_w: array<vec4<f32>, 256>;

fn load_a(row: u32, n: u32) -> f32 {
    if row < p.m && n < p.n {
        return a[row * p.stride + p.first + n];
    }
    return 0.0;
}

fn load_w(n: u32, column: u32) -> vec4<f32> {
    if n < p.n && column < p.k4 {
        return load(n * p.w4 + column);
    }
    return vec4<f32>();
}

@compute @workgroup_size(8, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let first_row = p.row + group.y * 32u;
    let first_column = p.column + group.x * 8u;
    // What this thread stages: of a, four rows at one n, and so for four times four rows; neighbours go
    // along n. Of w, neighbours go along its row.
    let n_staged = index % 32u;
    let half = index / 32u;

    var sum0 = vec4<f32>();
    var sum1 = vec4<f32>();
    var sum2 = vec4<f32>();
    var sum3 = vec4<f32>();
    for (var n = 0u; n < p.n; n += 32u) {
        workgroupBarrier();
        for (var i = 0u; i < 4u; i += 1u) {
            let four = half * 4u + i;
            let row = first_row + four * 4u;
            tile_a[n_staged * 8u + four] = vec4<f32>(
                load_a(row, n + n_staged), load_a(row + 1u, n + n_staged),
                load_a(row + 2u, n + n_staged), load_a(row + 3u, n + n_staged));
            let at = index + i * 64u;
            tile_w[at] = load_w(n + at / 8u, first_column + at % 8u);
        }
        workgroupBarrier();
        for (var four_n = 0u; four_n < 256u; four_n += 32u) {
            var x: vec4<f32>;
            var y: vec4<f32>;
            //repeat 4
            x = tile_a[four_n + #u * 8u + local.y];
            y = tile_w[four_n + #u * 8u + local.x];
            sum0 = fma(vec4<f32>(x.x), y, sum0);
            sum1 = fma(vec4<f32>(x.y), y, sum1);
            sum2 = fma(vec4<f32>(x.z), y, sum2);
            sum3 = fma(vec4<f32>(x.w), y, sum3);
            //end
        }
    }
    let row = first_row + local.y * 4u;
    let column = first_column + local.x;
    store(row, column, sum0);
    store(row + 1u, column, sum1);
    store(row + 2u, column, sum2);
    store(row + 3u, column, sum3);
}
