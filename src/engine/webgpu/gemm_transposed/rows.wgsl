// out[m, k] = sum_n a[m, n] w[n, k] for few rows of a: a workgroup makes {ROWS} x 32 of it, and eight
// threads share the n of four columns.

//head

const LANES: u32 = 8u;   // threads four columns
const COLUMNS: u32 = 8u; // fours a workgroup

var<workgroup> sums: array<vec4<f32>, {SUMS}>; // [row][four columns][lane]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    // Neighbours go along a row of w.
    let own = index % COLUMNS;
    let lane = index / COLUMNS;
    let first = p.column + group.x * COLUMNS;
    let column = first + own;
    let last = p.m - 1u;
    //repeat {ROWS}
    var sum# = vec4<f32>();
    //end
    if column < p.k4 {
        for (var n = lane; n < p.n; n += LANES) {
            let w = load(n * p.w4 + column);
            //repeat {ROWS}
            sum# = fma(vec4<f32>(a[min(p.row + #u, last) * p.stride + p.first + n]), w, sum#);
            //end
        }
    }
    //repeat {ROWS}
    sums[(#u * COLUMNS + own) * LANES + lane] = sum#;
    //end
    workgroupBarrier();
    if index < {ROWS}u * COLUMNS {
        var sum = vec4<f32>();
        for (var lane = 0u; lane < LANES; lane += 1u) {
            sum += sums[index * LANES + lane];
        }
        store(p.row + index / COLUMNS, first + index % COLUMNS, sum);
    }
}
