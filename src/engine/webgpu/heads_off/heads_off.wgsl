// Zeros the outputs of some heads, in place: a thread a number.

struct Params {
    rows: u32,
    stride: u32,     // H W
    head_width: u32, // W
    count: u32,      // of heads that are off
    mask: vec4<u32>, // a bit a head
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> attended: array<f32>; // [rows, stride]

// The place of the n-th set bit.
fn head_of(n: u32) -> u32 {
    var left = n;
    var head = 0u;
    for (var word = 0u; word < 4u; word++) {
        let bits = p.mask[word];
        let here = countOneBits(bits);
        if left >= here {
            left -= here;
            continue;
        }
        for (head = 0u; head < 32u; head++) {
            if ((bits >> head) & 1u) == 1u {
                if left == 0u {
                    return word * 32u + head;
                }
                left--;
            }
        }
    }
    return head;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    let numbers = p.count * p.head_width;
    let row = i / numbers;
    if row >= p.rows {
        return;
    }
    let head = head_of(i % numbers / p.head_width);
    attended[row * p.stride + head * p.head_width + i % p.head_width] = 0.0;
}
