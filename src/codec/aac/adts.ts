/** AAC as a byte stream of frames with headers. ISO/IEC 14496-3 §1.A.2.2. */

import { AAC_SAMPLE_RATES_HZ, buildAudioSpecificConfig } from './audio-specific-config.ts';

export interface AdtsStream {
  /** Raw frames without their headers, views into the stream. */
  readonly frames: readonly Uint8Array[];
  /** Of the first frame; the others have the same. */
  readonly audioSpecificConfig: Uint8Array;
  readonly sampleRateHz: number;
  readonly channelCount: number;
}

const HEADER_BYTES = 7;
const CHECKSUM_BYTES = 2;
const AAC_LC_PROFILE = 1;

/** The frames of a whole AAC-LC stream with one frame per header; null when it is something else. A cut frame at its end is left out. */
export function readAdts(stream: Uint8Array): AdtsStream | null {
  const frames: Uint8Array[] = [];
  let at = 0;
  let sampleRateHz = 0;
  let channelCount = 0;
  while (at + HEADER_BYTES <= stream.length) {
    const second = stream[at + 1]!;
    const third = stream[at + 2]!;
    const fourth = stream[at + 3]!;
    const isSync = stream[at] === 0xff && (second & 0xf6) === 0xf0;
    const frameBytes = ((fourth & 0x03) << 11) | (stream[at + 4]! << 3) | (stream[at + 5]! >> 5);
    const headerBytes = HEADER_BYTES + ((second & 1) === 0 ? CHECKSUM_BYTES : 0);
    const isSingle = (stream[at + 6]! & 0x03) === 0;
    if (!isSync || third >> 6 !== AAC_LC_PROFILE || !isSingle || frameBytes < headerBytes) return null;
    if (at + frameBytes > stream.length) break;
    sampleRateHz = AAC_SAMPLE_RATES_HZ[(third >> 2) & 0x0f] ?? 0;
    channelCount = ((third & 1) << 2) | (fourth >> 6);
    frames.push(stream.subarray(at + headerBytes, at + frameBytes));
    at += frameBytes;
  }
  if (frames.length === 0 || sampleRateHz === 0 || channelCount === 0) return null;
  const audioSpecificConfig = buildAudioSpecificConfig(sampleRateHz, channelCount);
  return { frames, audioSpecificConfig, sampleRateHz, channelCount };
}
