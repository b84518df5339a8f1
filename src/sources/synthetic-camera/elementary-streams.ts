/** Splits what ffmpeg writes for the clip: an H.264 byte stream into NAL units, an ADTS stream into raw AAC frames. */

import { defineErrors, GatewayError } from '../../core/errors.ts';

export const CLIP_ERRORS = defineErrors({
  CLIP_UNREADABLE: { kind: 'internal', message: 'The clip of the synthetic camera cannot be read.' },
  CLIP_NOT_MADE: { kind: 'unavailable', message: 'ffmpeg did not make the clip of the synthetic camera.' },
});

/** NAL units of a byte stream (ITU-T H.264 Annex B.1): views without start codes and trailing zeros. */
export function splitByteStream(bytes: Buffer): Buffer[] {
  const nalus: Buffer[] = [];
  let start = -1;
  for (let at = bytes.indexOf('\0\0\u0001', 0, 'latin1'); at >= 0; ) {
    if (start >= 0) nalus.push(withoutTrailingZeros(bytes.subarray(start, at)));
    start = at + 3;
    at = bytes.indexOf('\0\0\u0001', start, 'latin1');
  }
  if (start >= 0) nalus.push(withoutTrailingZeros(bytes.subarray(start)));
  return nalus;
}

function withoutTrailingZeros(nalu: Buffer): Buffer {
  let end = nalu.length;
  while (end > 0 && nalu[end - 1] === 0) end--;
  return nalu.subarray(0, end);
}

export interface AdtsStream {
  readonly frames: readonly Buffer[];
  readonly sampleRateHz: number;
  readonly channelCount: number;
  /** AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1), two bytes. */
  readonly audioSpecificConfig: Buffer;
}

const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
];
const ADTS_HEADER_BYTES = 7;

/** Raw frames of an ADTS stream without CRC (ISO/IEC 13818-7 §6.2). Fails CLIP_UNREADABLE. */
export function splitAdts(bytes: Buffer): AdtsStream {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const isHeader = at + ADTS_HEADER_BYTES <= bytes.length && (bytes.readUInt16BE(at) & 0xfff6) === 0xfff0;
    const frameBytes = isHeader ? (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff : 0;
    if (frameBytes <= ADTS_HEADER_BYTES || at + frameBytes > bytes.length) {
      throw new GatewayError(CLIP_ERRORS.CLIP_UNREADABLE, { at });
    }
    frames.push(bytes.subarray(at + ADTS_HEADER_BYTES, at + frameBytes));
    at += frameBytes;
  }
  if (frames.length === 0) throw new GatewayError(CLIP_ERRORS.CLIP_UNREADABLE, { at: 0 });
  const objectType = (bytes[2]! >> 6) + 1;
  const rateIndex = (bytes[2]! >> 2) & 0x0f;
  const channelCount = ((bytes[2]! & 1) << 2) | (bytes[3]! >> 6);
  const config = (objectType << 11) | (rateIndex << 7) | (channelCount << 3);
  return {
    frames,
    sampleRateHz: SAMPLE_RATES_HZ[rateIndex] ?? 0,
    channelCount,
    audioSpecificConfig: Buffer.from([config >> 8, config & 0xff]),
  };
}
