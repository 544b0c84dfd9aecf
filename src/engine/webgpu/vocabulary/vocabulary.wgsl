// From every row of logits: ln sum exp, entropy, divergence from the reference's row to it, the likeliest (id, ln P),
// and (rank, ln P) of followed tokens. One workgroup per row.

struct Params {
    rows: u32,       // that are written
    vocabulary: u32, // V
    top: u32,
    followed: u32,   // ids per row
    first: u32,      // word of lists
    base: u32,       // the first number of out
    start: u32,      // the first row
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> logits: array<f32>;    // [read, V]
@group(0) @binding(2) var<storage, read> lists: array<u32>;     // [rows, 1 + followed] reference's row, ids
@group(0) @binding(3) var<storage, read_write> out: array<f32>; // [rows, 3 + 2 top + 2 followed] from base on

var<workgroup> largest: array<f32, 64>;
var<workgroup> place: array<u32, 64>;

//total

// Puts the likeliest of what the threads found into place 0: of equal ones the first.
fn likeliest(local: u32, logit: f32, id: u32) {
    largest[local] = logit;
    place[local] = id;
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
}

// The largest logit of a row.
fn most_of(local: u32, base: u32) -> f32 {
    var best = -3.0e38;
    for (var i = local; i < p.vocabulary; i += 64u) {
        best = max(best, logits[base + i]);
    }
    likeliest(local, best, 0u);
    let most = largest[0];
    workgroupBarrier();
    return most;
}

fn sum_of(local: u32, base: u32, most: f32) -> f32 {
    var sum = 0.0;
    for (var i = local; i < p.vocabulary; i += 64u) {
        sum += exp(logits[base + i] - most);
    }
    return total(local, sum);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = p.start + group.y * groups.x + group.x;
    if row >= p.rows {
        return;
    }
    let base = row * p.vocabulary;
    let list = p.first + row * (1u + p.followed);
    let reference = lists[list];
    let to = p.base + row * (3u + 2u * p.top + 2u * p.followed);

    // 1. ln Z and entropy
    let most = most_of(local, base);
    let log_sum = log(sum_of(local, base, most));
    var entropy = 0.0;
    for (var i = local; i < p.vocabulary; i += 64u) {
        let own = logits[base + i] - most - log_sum;
        entropy -= exp(own) * own;
    }
    entropy = total(local, entropy);

    // 2. Divergence from the reference
    var divergence = 0.0;
    if reference != row {
        let other = reference * p.vocabulary;
        let others_most = most_of(local, other);
        let others_log_sum = log(sum_of(local, other, others_most));
        for (var i = local; i < p.vocabulary; i += 64u) {
            let own = logits[base + i] - most - log_sum;
            let referred = logits[other + i] - others_most - others_log_sum;
            divergence += exp(referred) * (referred - own);
        }
        divergence = total(local, divergence);
    }
    if local == 0u {
        out[to] = most + log_sum;
        out[to + 1u] = entropy;
        out[to + 2u] = divergence;
    }

    // 3. The likeliest tokens
    var last = 3.0e38;
    var last_id = 0u;
    for (var n = 0u; n < p.top; n++) {
        var best = -3.0e38;
        var best_id = 0xffffffffu;
        for (var i = local; i < p.vocabulary; i += 64u) {
            let x = logits[base + i];
            let is_left = x < last || (x == last && i > last_id);
            if is_left && x > best {
                best = x;
                best_id = i;
            }
        }
        likeliest(local, best, best_id);
        last = largest[0];
        last_id = place[0];
        if local == 0u {
            out[to + 3u + 2u * n] = f32(last_id);
            out[to + 4u + 2u * n] = last - most - log_sum;
        }
        workgroupBarrier();
    }

    // 4. Followed tokens
    for (var n = 0u; n < p.followed; n++) {
        let id = lists[list + 1u + n];
        let x = logits[base + id];
        var above = 0.0;
        for (var i = local; i < p.vocabulary; i += 64u) {
            let other = logits[base + i];
            above += select(0.0, 1.0, other > x || (other == x && i < id));
        }
        above = total(local, above);
        if local == 0u {
            let word = to + 3u + 2u * p.top + 2u * n;
            out[word] = above + 1.0;
            out[word + 1u] = x - most - log_sum;
        }
    }
}
