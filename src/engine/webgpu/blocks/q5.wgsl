// Four numbers of five bits: nibbles of two halves, and 32 fifth bits.
fn fives(fifth: u32, nibbles: u32, i: u32) -> vec4<f32> {
    let q = bytes((nibbles >> (i & 4u)) & 0x0f0f0f0fu);
    let high = (vec4<u32>(fifth >> (4u * (i & 7u))) >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(1u);
    return vec4<f32>(q | (high << vec4<u32>(4u)));
}
