// out[m, n] = sum_k a[m, k] * w[n, k] + bias[n]: a workgroup makes 32 x 32 of it, a thread 4 x 4.

//head

const K4: u32 = 8u; // vec4s of a and w a step

// Both tiles transposed, [k][row / 4]: four rows a vec4, so that a step of k is one read of each.
var<workgroup> tile_a: array<vec4<f32>, 256>;
var<workgroup> tile_w: array<vec4<f32>, 256>;

fn load_a(row: u32, k: u32) -> vec4<f32> {
    if row < p.m && k < p.k4 {
        return a[row * p.k4 + k];
    }
    return vec4<f32>();
}

fn load_w(row: u32, k: u32) -> vec4<f32> {
    if row < p.n && k < p.k4 {
        return load(row * p.k4 + k);
    }
    return vec4<f32>();
}

@compute @workgroup_size(8, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = p.row + group.y * 32u + local.y * 4u;
    let column = p.column + group.x * 32u + local.x * 4u;
    // What this thread stages: four rows x four k of each operand; neighbours go along k.
    let k_staged = index % 8u;
    let four = index / 8u;
    let row_a = p.row + group.y * 32u + four * 4u;
    let row_w = p.column + group.x * 32u + four * 4u;

    var sum0 = vec4<f32>();
    var sum1 = vec4<f32>();
    var sum2 = vec4<f32>();
    var sum3 = vec4<f32>();
    for (var k = 0u; k < p.k4; k += K4) {
        let from_a = transpose(mat4x4<f32>(
            load_a(row_a, k + k_staged), load_a(row_a + 1u, k + k_staged),
            load_a(row_a + 2u, k + k_staged), load_a(row_a + 3u, k + k_staged)));
        let from_w = transpose(mat4x4<f32>(
            load_w(row_w, k + k_staged), load_w(row_w + 1u, k + k_staged),
            load_w(row_w + 2u, k + k_staged), load_w(row_w + 3u, k + k_staged)));
        workgroupBarrier();
        let at = k_staged * 32u + four;
        tile_a[at] = from_a[0];
        tile_a[at + 8u] = from_a[1];
        tile_a[at + 16u] = from_a[2];
        tile_a[at + 24u] = from_a[3];
        tile_w[at] = from_w[0];
        tile_w[at + 8u] = from_w[1];
        tile_w[at + 16u] = from_w[2];
        tile_w[at + 24u] = from_w[3];
        workgroupBarrier();
        for (var four_k = 0u; four_k < 256u; four_k += 32u) {
            var x: vec4<f32>;
            var y: vec4<f32>;
            //repeat 4
            x = tile_a[four_k + #u * 8u + local.y];
            y = tile_w[four_k + #u * 8u + local.x];
            sum0 = fma(vec4<f32>(x.x), y, sum0);
            sum1 = fma(vec4<f32>(x.y), y, sum1);
            sum2 = fma(vec4<f32>(x.z), y, sum2);
            sum3 = fma(vec4<f32>(x.w), y, sum3);
            //end
        }
    }
    store(row, column, sum0);
    store(row + 1u, column, sum1);
    store(row + 2u, column, sum2);
    store(row + 3u, column, sum3);
}
