@group(0) @binding(0) var<storage, read_write> list: array<u32>;

fn length(p: ptr<storage, array<u32>, read_write>) -> u32 {
    return arrayLength(p);
}

@compute @workgroup_size(2)
fn main() {
    if (length(&list) == 0u) {
        workgroupBarrier();
    }
}
