// Of every row of logits: (ln sum exp, entropy, divergence from the last row to it), the likeliest
// (id, logit), and of followed tokens (rank, logit). A workgroup a row.

struct Params {
    rows: u32,       // that are written; the last row read is the end's
    vocabulary: u32, // V
    end: u32,        // the end's row
    top: u32,
    followed: u32,
    first: u32,      // followed id
    base: u32,       // the first number of out
    start: u32,      // the first row
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> logits: array<f32>;    // [end + 1, V]
@group(0) @binding(2) var<storage, read> followed: array<u32>;
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
    let end = p.end * p.vocabulary;
    let most = most_of(local, base);
    let sum = sum_of(local, base, most);
    let ends_most = most_of(local, end);
    let ends_sum = sum_of(local, end, ends_most);
    let log_sum = log(sum);
    let ends_log_sum = log(ends_sum);
    var entropy = 0.0;
    var divergence = 0.0;
    for (var i = local; i < p.vocabulary; i += 64u) {
        let own = logits[base + i] - most - log_sum;
        let of_end = logits[end + i] - ends_most - ends_log_sum;
        entropy -= exp(own) * own;
        divergence += exp(of_end) * (of_end - own);
    }
    entropy = total(local, entropy);
    divergence = total(local, divergence);
    let to = p.base + row * (3u + 2u * p.top + 2u * p.followed);
    if local == 0u {
        out[to] = most + log_sum;
        out[to + 1u] = entropy;
        out[to + 2u] = divergence;
    }
    var last = 3.0e38;
    var last_id = 0u;
    for (var n = 0u; n < p.top; n++) {
        var best = -3.0e38;
        var at = 0xffffffffu;
        for (var i = local; i < p.vocabulary; i += 64u) {
            let x = logits[base + i];
            let is_left = x < last || (x == last && i > last_id);
            if is_left && x > best {
                best = x;
                at = i;
            }
        }
        likeliest(local, best, at);
        last = largest[0];
        last_id = place[0];
        if local == 0u {
            out[to + 3u + 2u * n] = f32(last_id);
            out[to + 4u + 2u * n] = last;
        }
        workgroupBarrier();
    }
    for (var n = 0u; n < p.followed; n++) {
        let x = logits[base + followed[p.first + n]];
        var above = 0.0;
        for (var i = local; i < p.vocabulary; i += 64u) {
            above += select(0.0, 1.0, logits[base + i] > x);
        }
        above = total(local, above);
        if local == 0u {
            let at = to + 3u + 2u * p.top + 2u * n;
            out[at] = above + 1.0;
            out[at + 1u] = x;
        }
    }
}
