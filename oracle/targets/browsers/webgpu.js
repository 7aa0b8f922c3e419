// The compiler of the browser that runs this script: whether it can be asked, and what it says of a text.
const BROKEN = 'fn broken( {';
const MESSAGE_CHARACTERS = 16000;
let device = null;

// What to switch on.
function remedy() {
  const agent = navigator.userAgent;
  if (/Firefox/.test(agent)) return 'Firefox: in about:config switch on dom.webgpu.enabled; without a graphics card also gfx.webgpu.ignore-blocklist and dom.webgpu.allow-software.';
  if (/Chrom/.test(agent)) return 'Chrome, Edge: switch on chrome://flags/#enable-unsafe-webgpu, on Linux also #enable-vulkan.';
  if (/Safari/.test(agent)) return 'Safari: version 26 has WebGPU. In older ones: Settings, Advanced (iPhone: Settings, Apps, Safari, Advanced), Feature Flags, WebGPU.';
  return 'Use a current Chrome, Edge, Firefox or Safari.';
}

// Why there is no WebGPU, and what to do; null if there is.
function missing() {
  if (!isSecureContext) {
    return ['This address is not a secure one, so the browser hides WebGPU.',
      'Open it by https, as `wgsl-fuzz serve --lan` prints it, or by http://localhost on the same machine.'];
  }
  return navigator.gpu ? null : ['This browser has no WebGPU, or it is switched off.', remedy()];
}

async function openDevice() {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('WebGPU finds no graphics adapter');
  const { vendor, architecture, device: model, description } = adapter.info ?? {};
  const info = { vendor, architecture, device: model, description,
    fallback: Boolean(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter) };
  try {
    device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });
  } catch {
    device = await (await navigator.gpu.requestAdapter()).requestDevice();
  }
  const mine = device;
  mine.lost.then((lost) => { mine.gone = lost.message || lost.reason || 'unknown'; });
  device.keep = adapter; // or the collector may take it
  return info;
}

// What the browser says of itself; `open` gives its adapter.
async function claimed(open) {
  const said = { userAgent: navigator.userAgent };
  const brands = await navigator.userAgentData?.getHighEntropyValues?.(['fullVersionList']).catch(() => null);
  said.brands = brands?.fullVersionList;
  try {
    said.adapter = await open();
  } catch (error) {
    said.fault = String(error?.message ?? error);
  }
  return said;
}

// The compiler's words on a text; null if it accepts.
async function check(code) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  const error = await device.popErrorScope();
  if (!error) return null;
  const words = { info: 'note', warning: 'warning', error: 'error' };
  const { messages } = await module.getCompilationInfo();
  const lines = messages.filter((m) => m.type !== 'warning')
    .map((m) => `${m.lineNum}:${m.linePos} ${words[m.type]}: ${m.message}`);
  const raw = lines.length ? lines.join('\n') : `error: ${error.message}`;
  return raw.length > MESSAGE_CHARACTERS ? raw.slice(0, MESSAGE_CHARACTERS).toWellFormed?.() ?? raw.slice(0, MESSAGE_CHARACTERS) : raw;
}
