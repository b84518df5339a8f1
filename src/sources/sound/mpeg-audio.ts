/** How long MPEG audio frames last. ISO/IEC 11172-3 §2.4.2.3, ISO/IEC 13818-3. */

const HEADER_BYTES = 4;
const BIT_RATES_KBIT: Readonly<Record<string, readonly number[]>> = {
  '1-1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];

/**
 * Samples of `chunk[start, end)` counted at `atRateHz`, whatever the rate of the frames; a frame that only begins there
 * counts in full. Returns 0 without a frame header at `start`.
 */
export function mpegAudioSamples(chunk: Uint8Array, start: number, end: number, atRateHz: number): number {
  let samples = 0;
  for (let at = start; at + HEADER_BYTES <= end; ) {
    const frame = readHeader(chunk, at);
    if (frame === null) break;
    samples += (frame.samples * atRateHz) / frame.sampleRateHz;
    at += frame.bytes;
  }
  return Math.round(samples);
}

function readHeader(
  chunk: Uint8Array,
  at: number,
): { samples: number; sampleRateHz: number; bytes: number } | null {
  const [first, second, third] = [chunk[at]!, chunk[at + 1]!, chunk[at + 2]!];
  const versionBits = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const rateIndex = (third >> 2) & 3;
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || versionBits === 1 || layer === 4 || rateIndex === 3)
    return null;
  const isVersion1 = versionBits === 3;
  const row = isVersion1 ? `1-${layer}` : layer === 1 ? '2-1' : '2-2';
  const bitRate = (BIT_RATES_KBIT[row]![third >> 4] ?? 0) * 1_000;
  if (bitRate === 0) return null;
  const sampleRateHz = SAMPLE_RATES_HZ[rateIndex]! / (isVersion1 ? 1 : versionBits === 2 ? 2 : 4);
  const padding = (third >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isVersion1 ? 576 : 1_152;
  const bytes =
    layer === 1
      ? (Math.floor((12 * bitRate) / sampleRateHz) + padding) * 4
      : Math.floor((samples / 8) * (bitRate / sampleRateHz)) + padding;
  return { samples, sampleRateHz, bytes };
}
