// out[m, n] = sum_k a[m, k] * w[n, k] + bias[n] for few rows of a: a workgroup makes {ROWS} x 8 of it, and
// eight threads share the k of a column.

//head

const LANES: u32 = 8u;   // threads a column
const COLUMNS: u32 = 8u; // a workgroup

var<workgroup> sums: array<f32, {SUMS}>; // [row][column][lane]

fn total(row: u32, column: u32) -> f32 {
    let at = (row * COLUMNS + column) * LANES;
    var sum = 0.0;
    for (var lane = 0u; lane < LANES; lane += 1u) {
        sum += sums[at + lane];
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let lane = index % LANES;
    let own = index / LANES;
    let first = p.column + group.x * COLUMNS;
    let column = first + own;
    let last = p.m - 1u;
    //repeat {ROWS}
    var sum# = 0.0;
    //end
    if column < p.n {
        for (var k = lane; k < p.k4; k += LANES) {
            let w = load(column * p.k4 + k);
            //repeat {ROWS}
            sum# += dot(a[min(p.row + #u, last) * p.k4 + k], w);
            //end
        }
    }
    //repeat {ROWS}
    sums[(#u * COLUMNS + own) * LANES + lane] = sum#;
    //end
    workgroupBarrier();
    // Four neighbouring columns a thread.
    if index < {ROWS}u * 2u {
        let row = index / 2u;
        let four = (index % 2u) * 4u;
        store(p.row + row, first + four, vec4<f32>(
            total(row, four), total(row, four + 1u), total(row, four + 2u), total(row, four + 3u)));
    }
}
