/** STREAMINFO, the one metadata block that every FLAC stream has. RFC 9639 §8.2. */

import type { FlacTrack } from '../track.ts';

export const STREAM_INFO_BYTES = 34;
export const MIN_BLOCK_SAMPLES = 16;
const MAX_CHANNELS = 8;
const MIN_BITS_PER_SAMPLE = 4;

/** A stream's declaration about its frames. */
export interface StreamInfo {
  /** Samples per channel in a frame; the two differ in streams of variable block size. */
  readonly minBlockSamples: number;
  readonly maxBlockSamples: number;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly bitsPerSample: number;
}

/** Frame sizes, the number of samples and the checksum are 0, which says that they are unknown. */
export function writeStreamInfo(info: StreamInfo): Uint8Array {
  const bytes = Buffer.alloc(STREAM_INFO_BYTES);
  bytes.writeUInt16BE(info.minBlockSamples, 0);
  bytes.writeUInt16BE(info.maxBlockSamples, 2);
  // 20 bits of rate, 3 of channels, 5 of sample size, then the 4 highest of the number of samples.
  const sizes = ((info.channelCount - 1) << 9) | ((info.bitsPerSample - 1) << 4);
  bytes.writeUInt32BE(info.sampleRateHz * 0x1000 + sizes, 10);
  return new Uint8Array(bytes);
}

/** null for anything that is not a STREAMINFO with legal values. */
export function readStreamInfo(bytes: Uint8Array): StreamInfo | null {
  if (bytes.length !== STREAM_INFO_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const rest = view.getUint32(10);
  const info: StreamInfo = {
    minBlockSamples: view.getUint16(0),
    maxBlockSamples: view.getUint16(2),
    sampleRateHz: rest >>> 12,
    channelCount: ((rest >>> 9) & 7) + 1,
    bitsPerSample: ((rest >>> 4) & 31) + 1,
  };
  const { minBlockSamples, maxBlockSamples } = info;
  const isLegal =
    minBlockSamples >= MIN_BLOCK_SAMPLES &&
    maxBlockSamples >= minBlockSamples &&
    info.sampleRateHz > 0 &&
    info.channelCount <= MAX_CHANNELS &&
    info.bitsPerSample >= MIN_BITS_PER_SAMPLE;
  return isLegal ? info : null;
}

/** The track of a stream with this STREAMINFO, which is kept; null if it is invalid. */
export function flacTrackOf(streamInfo: Uint8Array): FlacTrack | null {
  const info = readStreamInfo(streamInfo);
  if (info === null) return null;
  return {
    kind: 'audio',
    codec: 'flac',
    timescaleHz: info.sampleRateHz,
    sampleRateHz: info.sampleRateHz,
    channelCount: info.channelCount,
    samplesPerFrame: info.maxBlockSamples,
    streamInfo,
    codecString: 'fLaC',
  };
}
