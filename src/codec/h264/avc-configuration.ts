/** AVCDecoderConfigurationRecord, what FLV and MP4 call avcC. ISO/IEC 14496-15 §5.3.3.1. */

import type { H264Track } from '../track.ts';
import { NAL_PPS, NAL_SPS, nalType } from './nal-unit.ts';
import { h264CodecString, parseSequenceParameterSet } from './sequence-parameter-set.ts';

export interface AvcConfiguration {
  /** Copies. */
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
  /** Size of the lengths before NAL units: 1, 2 or 4. */
  readonly lengthBytes: number;
}

const FIXED_BYTES = 6;
const VERSION = 1;

/** null: truncated, of another version, or with NAL units that are not parameter sets. */
export function parseAvcConfiguration(record: Uint8Array): AvcConfiguration | null {
  if (record.length < FIXED_BYTES || record[0] !== VERSION) return null;
  const lengthBytes = (record[4]! & 3) + 1;
  if (lengthBytes === 3) return null;
  const sps: Uint8Array[] = [];
  const pps: Uint8Array[] = [];
  const ppsAt = readSets(record, FIXED_BYTES, record[5]! & 0x1f, NAL_SPS, sps);
  if (ppsAt < 0 || ppsAt >= record.length) return null;
  if (readSets(record, ppsAt + 1, record[ppsAt]!, NAL_PPS, pps) < 0) return null;
  return sps.length === 0 || pps.length === 0 ? null : { sps, pps, lengthBytes };
}

/** The track of a record; null if its SPS cannot be read. Keeps the sets. */
export function h264TrackOf({ sps, pps }: AvcConfiguration, timescaleHz: number): H264Track | null {
  const parsed = parseSequenceParameterSet(sps[0]!);
  if (parsed === null) return null;
  return {
    kind: 'video',
    codec: 'h264',
    timescaleHz,
    sps,
    pps,
    widthPx: parsed.widthPx,
    heightPx: parsed.heightPx,
    nominalFrameRateHz: parsed.nominalFrameRateHz,
    codecString: h264CodecString(parsed),
  };
}

/** Returns where the sets end; -1 if they do not fit or are something else. */
function readSets(record: Uint8Array, from: number, count: number, type: number, sets: Uint8Array[]): number {
  let at = from;
  for (let i = 0; i < count; i++) {
    if (at + 2 > record.length) return -1;
    const start = at + 2;
    const end = start + ((record[at]! << 8) | record[at + 1]!);
    if (end > record.length || end === start || nalType(record[start]!) !== type) return -1;
    sets.push(new Uint8Array(record.subarray(start, end)));
    at = end;
  }
  return at;
}
