/** AAC as a byte stream of frames with ADTS headers. ISO/IEC 14496-3 §1.A.2.2. */

import { AAC_SAMPLE_RATES_HZ, buildAudioSpecificConfig } from './audio-specific-config.ts';

export interface AdtsStream {
  /** Raw frames without their headers, views into the stream. */
  readonly frames: readonly Uint8Array[];
  /** The first frame's configuration; the other frames share it. */
  readonly audioSpecificConfig: Uint8Array;
  readonly sampleRateHz: number;
  readonly channelCount: number;
}

const HEADER_BYTES = 7;
const CHECKSUM_BYTES = 2;
const AAC_LC_PROFILE = 1;

/**
 * Whether the first two bytes are those of an ADTS header. No raw AAC frame begins this way (id_syn_ele END, then no
 * zero bits).
 */
export function isAdtsSync(first: number, second: number): boolean {
  return first === 0xff && (second & 0xf6) === 0xf0;
}

/** aac_frame_length: length of header and frame. Call it only where HEADER_BYTES are available. */
function frameLength(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 3]! & 0x03) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
}

/** The header has a checksum: protection_absent is 0. */
function headerLength(bytes: Uint8Array, at: number): number {
  return HEADER_BYTES + ((bytes[at + 1]! & 1) === 0 ? CHECKSUM_BYTES : 0);
}

/** number_of_raw_data_blocks_in_frame is 0: one frame follows the header. */
function isSingleFrame(bytes: Uint8Array, at: number): boolean {
  return (bytes[at + 6]! & 0x03) === 0;
}

/**
 * Header length of the ADTS frame at `at`, if it holds one raw frame of at least one byte and lies entirely before
 * `end`; otherwise 0. The frame's end: `adtsFrameEnd`.
 */
export function adtsHeaderBytes(bytes: Uint8Array, at: number, end: number): number {
  if (end - at <= HEADER_BYTES || !isAdtsSync(bytes[at]!, bytes[at + 1]!)) return 0;
  const headerBytes = headerLength(bytes, at);
  const length = frameLength(bytes, at);
  return isSingleFrame(bytes, at) && length > headerBytes && at + length <= end ? headerBytes : 0;
}

/** End of the ADTS frame at `at`. Its header must be complete. */
export function adtsFrameEnd(bytes: Uint8Array, at: number): number {
  return at + frameLength(bytes, at);
}

/**
 * The frames of a whole AAC-LC stream with one frame per header; null for anything else. An incomplete frame at the end
 * is left out.
 */
export function readAdts(stream: Uint8Array): AdtsStream | null {
  const frames: Uint8Array[] = [];
  let at = 0;
  let sampleRateHz = 0;
  let channelCount = 0;
  while (at + HEADER_BYTES <= stream.length) {
    const third = stream[at + 2]!;
    const frameBytes = frameLength(stream, at);
    const headerBytes = headerLength(stream, at);
    const isSync = isAdtsSync(stream[at]!, stream[at + 1]!);
    const isLowComplexity = third >> 6 === AAC_LC_PROFILE;
    if (!isSync || !isLowComplexity || !isSingleFrame(stream, at) || frameBytes < headerBytes) return null;
    if (at + frameBytes > stream.length) break;
    sampleRateHz = AAC_SAMPLE_RATES_HZ[(third >> 2) & 0x0f] ?? 0;
    channelCount = ((third & 1) << 2) | (stream[at + 3]! >> 6);
    frames.push(stream.subarray(at + headerBytes, at + frameBytes));
    at += frameBytes;
  }
  if (frames.length === 0 || sampleRateHz === 0 || channelCount === 0) return null;
  const audioSpecificConfig = buildAudioSpecificConfig(sampleRateHz, channelCount);
  return { frames, audioSpecificConfig, sampleRateHz, channelCount };
}

const MAX_FRAME_BYTES = 2 ** 13 - 1;
const MAX_CHANNEL_CONFIGURATION = 7;

/** The header of one raw AAC-LC frame; null: ADTS has no code for the rate, the channels or the length. */
export function adtsHeader(
  sampleRateHz: number,
  channelCount: number,
  frameBytes: number,
): Uint8Array | null {
  const rate = AAC_SAMPLE_RATES_HZ.indexOf(sampleRateHz);
  const length = HEADER_BYTES + frameBytes;
  // Configuration 7 has 8 channels.
  const channels = channelCount === 8 ? MAX_CHANNEL_CONFIGURATION : channelCount;
  if (rate < 0 || channels < 1 || channels > MAX_CHANNEL_CONFIGURATION || channelCount === 7) return null;
  if (length > MAX_FRAME_BYTES) return null;
  return Uint8Array.of(
    0xff,
    0xf1,
    (AAC_LC_PROFILE << 6) | (rate << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  );
}
