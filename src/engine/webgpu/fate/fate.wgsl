// Of every row of logits: (the largest, sum of exp(x - the largest), the target's logit, is the target
// the first of the largest?). A workgroup a row.

struct Params {
    rows: u32,
    vocabulary: u32,
    first: u32,  // target
    base: u32,   // the first number of out
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> logits: array<f32>;   // [rows, V]
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;     // [rows, 4] from base on

var<workgroup> largest: array<f32, 64>;
var<workgroup> place: array<u32, 64>;

//total

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group.y * groups.x + group.x;
    if row >= p.rows {
        return;
    }
    let base = row * p.vocabulary;
    var best = -3.0e38;
    var at = 0xffffffffu;
    for (var i = local; i < p.vocabulary; i += 64u) {
        let x = logits[base + i];
        if x > best {
            best = x;
            at = i;
        }
    }
    largest[local] = best;
    place[local] = at;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            let other = largest[local + half];
            let other_at = place[local + half];
            if other > largest[local] || (other == largest[local] && other_at < place[local]) {
                largest[local] = other;
                place[local] = other_at;
            }
        }
    }
    workgroupBarrier();
    let most = largest[0];
    let winner = place[0];
    var sum = 0.0;
    for (var i = local; i < p.vocabulary; i += 64u) {
        sum += exp(logits[base + i] - most);
    }
    sum = total(local, sum);
    if local == 0u {
        let target_id = targets[p.first + row];
        let to = p.base + row * 4u;
        out[to] = most;
        out[to + 1u] = sum;
        out[to + 2u] = logits[base + target_id];
        out[to + 3u] = select(0.0, 1.0, winner == target_id);
    }
}
