/** Reads a message of the gateway's WebSocket: a timestamp and a frame (docs/design/real-time.md). */

import { h265CodecOf } from './h265.ts';

export interface Picture {
  readonly isKey: boolean;
  /** When it was taken, by the gateway's clock. */
  readonly epochMs: number;
  /** NAL units behind start codes of four bytes; parameter sets first in a key frame. A view into the message. */
  readonly data: Uint8Array;
}

const TYPE_KEY = 0;
const TYPE_DELTA = 1;
const TYPE_TIMESTAMP = 2;
const HEADER_BYTES = 4;
const TIMESTAMP_BYTES = 8;
const START_CODE_BYTES = 4;
const NAL_SPS = 7;
/** The first byte of a VPS of the base layer: type 32. In H.264 it would be slice data without a beginning. */
const H265_VPS_HEADER = 32 << 1;

/** null for anything else. Items of other types are skipped. */
export function readPictureMessage(message: ArrayBuffer): Picture | null {
  const view = new DataView(message);
  let epochMs: number | null = null;
  let at = 0;
  while (at + HEADER_BYTES <= view.byteLength) {
    const type = view.getUint8(at);
    const lengthBytes = view.getUint32(at) & 0xff_ff_ff;
    const start = at + HEADER_BYTES;
    if (start + lengthBytes > view.byteLength) return null;
    if (type === TYPE_TIMESTAMP && lengthBytes === TIMESTAMP_BYTES) {
      epochMs = Number(view.getBigUint64(start));
    } else if ((type === TYPE_KEY || type === TYPE_DELTA) && epochMs !== null) {
      return { isKey: type === TYPE_KEY, epochMs, data: new Uint8Array(message, start, lengthBytes) };
    }
    at = start + lengthBytes;
  }
  return null;
}

/** RFC 6381 name of a key frame's codec, from the profile and level in its SPS; null if it begins with no parameter set. */
export function codecOf({ data }: Picture): string | null {
  if (data[START_CODE_BYTES] === H265_VPS_HEADER) return h265CodecOf(data);
  const [header = 0, profile, constraints, level] = data.subarray(START_CODE_BYTES);
  if (
    (header & 0x1f) !== NAL_SPS ||
    profile === undefined ||
    constraints === undefined ||
    level === undefined
  )
    return null;
  const hex = [profile, constraints, level].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `avc1.${hex}`;
}
