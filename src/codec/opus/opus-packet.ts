/** Reads an Opus packet's duration from its first bytes, and makes packets of silence. RFC 6716 §3. */

export const OPUS_SAMPLE_RATE_HZ = 48_000;

/** Table 2: samples per frame by configuration, at 48 kHz. */
const SILK_SAMPLES = [480, 960, 1_920, 2_880];
const HYBRID_SAMPLES = [480, 960];
const CELT_SAMPLES = [120, 240, 480, 960];
/** 120 ms, the longest packet. */
const MAX_PACKET_SAMPLES = 5_760;
const MAX_FRAME_BYTES = 1_275;

/** How many frames follow the first byte, in its two lowest bits: §3.2.2 to §3.2.5. */
const CODE_ONE_FRAME = 0;
const CODE_TWO_EQUAL = 1;
const CODE_TWO_SIZED = 2;
const CODE_MANY = 3;
const COUNT_MASK = 0x3f;
const HAS_PADDING = 0x40;
const HAS_SIZES = 0x80;
const LONGER_PADDING = 255;
/** A size of 252 and more takes a second byte. */
const TWO_BYTE_SIZE = 252;

/** A frame of 20 ms of CELT at full bandwidth: configuration 31. */
const CELT_20_MS_CONFIGURATION = 31;
const CELT_20_MS_SAMPLES = 960;
const STEREO = 0x04;
/** The range coder's bytes after the flag that says that a frame is silent. §4.3. */
const SILENT_CELT_FRAME = [0xff, 0xfe];

/**
 * Samples at 48 kHz in the packet `chunk[start, end)`; 0 if a decoder would refuse it: requirements R1 to R7 of RFC 6716
 * §3.4.
 */
export function opusSamples(chunk: Uint8Array, start: number, end: number): number {
  if (start >= end) return 0;
  const toc = chunk[start]!;
  const frames = frameCount(chunk, start, end);
  const samples = frames * frameSamples(toc >> 3);
  return samples > MAX_PACKET_SAMPLES ? 0 : samples;
}

/** A packet of `samples` (a multiple of 20 ms, up to 120 ms) that decodes to zeros; null for other lengths. */
export function silentOpusPacket(samples: number, channelCount: number): Uint8Array | null {
  const frames = samples / CELT_20_MS_SAMPLES;
  if (!Number.isInteger(frames) || frames < 1 || samples > MAX_PACKET_SAMPLES) return null;
  const toc = (CELT_20_MS_CONFIGURATION << 3) | (channelCount > 1 ? STEREO : 0);
  if (frames === 1) return Uint8Array.of(toc, ...SILENT_CELT_FRAME);
  const packet = [toc | CODE_MANY, frames];
  for (let frame = 0; frame < frames; frame++) packet.push(...SILENT_CELT_FRAME);
  return Uint8Array.from(packet);
}

/** Frames whose sizes fit into the packet; 0 if they do not. */
function frameCount(chunk: Uint8Array, start: number, end: number): number {
  const bytes = end - start - 1;
  switch (chunk[start]! & 3) {
    case CODE_ONE_FRAME:
      return bytes <= MAX_FRAME_BYTES ? 1 : 0;
    case CODE_TWO_EQUAL:
      return bytes % 2 === 0 && bytes <= 2 * MAX_FRAME_BYTES ? 2 : 0;
    case CODE_TWO_SIZED: {
      const left = bytesAfterSizes(chunk, start + 1, end, 1);
      return left >= 0 && left <= MAX_FRAME_BYTES ? 2 : 0;
    }
    default:
      return manyFrames(chunk, start, end);
  }
}

function manyFrames(chunk: Uint8Array, start: number, end: number): number {
  if (end - start < 2) return 0;
  const header = chunk[start + 1]!;
  const frames = header & COUNT_MASK;
  let at = start + 2;
  let paddingBytes = 0;
  if ((header & HAS_PADDING) !== 0) {
    let byte = LONGER_PADDING;
    while (byte === LONGER_PADDING && at < end) {
      byte = chunk[at++]!;
      paddingBytes += byte === LONGER_PADDING ? LONGER_PADDING - 1 : byte;
    }
    if (byte === LONGER_PADDING) return 0;
  }
  const framesEnd = end - paddingBytes;
  if (frames === 0 || framesEnd < at) return 0;
  if ((header & HAS_SIZES) === 0) {
    const bytes = framesEnd - at;
    return bytes % frames === 0 && bytes / frames <= MAX_FRAME_BYTES ? frames : 0;
  }
  const left = bytesAfterSizes(chunk, at, framesEnd, frames - 1);
  return left >= 0 && left <= MAX_FRAME_BYTES ? frames : 0;
}

/** Bytes that remain for the last frame after `count` sizes and the frames they announce; negative if there are none. */
function bytesAfterSizes(chunk: Uint8Array, start: number, end: number, count: number): number {
  let at = start;
  let framesBytes = 0;
  for (let index = 0; index < count; index++) {
    if (at >= end) return -1;
    const first = chunk[at++]!;
    if (first >= TWO_BYTE_SIZE && at >= end) return -1;
    framesBytes += first < TWO_BYTE_SIZE ? first : first + 4 * chunk[at++]!;
  }
  return end - at - framesBytes;
}

function frameSamples(configuration: number): number {
  if (configuration < 12) return SILK_SAMPLES[configuration & 3]!;
  if (configuration < 16) return HYBRID_SAMPLES[configuration & 1]!;
  return CELT_SAMPLES[configuration & 3]!;
}
