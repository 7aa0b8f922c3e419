@group(0) @binding(0) var<storage, read_write> words: buffer;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  *bufferView<u32>(&words, 0u) = lid;
  if *bufferView<u32>(&words, 0u) == 0u {
    workgroupBarrier();
  }
}
