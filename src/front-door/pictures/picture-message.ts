/**
 * One access unit as a WebSocket message: type-length-value items, each with 1 byte of type and 3 bytes of length, big
 * endian. First the timestamp, then the frame: clients apply a timestamp to the frames after it.
 *
 *     02 000008 <epoch milliseconds, 8 bytes>
 *     00 <length> <key frame>        parameter sets, then the frame's NAL units
 *     01 <length> <other frame>
 *
 * Each NAL unit follows a start code of four bytes (Annex B of ISO/IEC 14496-10 and of ISO/IEC 23008-2). Clients of this
 * API family recognize a key frame by its first NAL unit: nothing comes before the SPS, or in H.265 the VPS.
 */

import { LONG_START_CODE, lengthsToStartCodes } from '../../codec/byte-stream.ts';
import type { LivePicture } from '../../stream/media/live-media.ts';

export const TLV_KEY = 0;
export const TLV_DELTA = 1;
export const TLV_TIMESTAMP = 2;
export const TLV_HEADER_BYTES = 4;
const TIMESTAMP_BYTES = 8;
const LENGTH_BITS = 24;

/** A new buffer; it can be sent to any number of viewers. */
export function writePictureMessage(picture: LivePicture): Buffer {
  const { track, isKey, epochMs, data } = picture;
  const vps = track.codec === 'h265' ? track.vps : [];
  const sets = isKey ? [...vps, ...track.sps, ...track.pps] : [];
  let frameBytes = data.length;
  for (const set of sets) frameBytes += LONG_START_CODE.length + set.length;
  const message = Buffer.allocUnsafeSlow(2 * TLV_HEADER_BYTES + TIMESTAMP_BYTES + frameBytes);
  let at = writeHeader(message, 0, TLV_TIMESTAMP, TIMESTAMP_BYTES);
  at = message.writeBigUInt64BE(BigInt(epochMs), at);
  at = writeHeader(message, at, isKey ? TLV_KEY : TLV_DELTA, frameBytes);
  for (const set of sets) {
    message.set(LONG_START_CODE, at);
    message.set(set, at + LONG_START_CODE.length);
    at += LONG_START_CODE.length + set.length;
  }
  message.set(data, at);
  lengthsToStartCodes(message, at);
  return message;
}

/** Returns where the value begins. */
function writeHeader(message: Buffer, at: number, type: number, lengthBytes: number): number {
  return message.writeUInt32BE(type * 2 ** LENGTH_BITS + lengthBytes, at);
}

/** Each access unit's message, made when the first viewer gets it. */
export class PictureMessages {
  readonly #messages = new WeakMap<LivePicture, Buffer>();

  /** Borrowed forever: it must not be changed. Hot: once per frame and viewer. */
  of(picture: LivePicture): Buffer {
    let message = this.#messages.get(picture);
    if (message === undefined) {
      message = writePictureMessage(picture);
      this.#messages.set(picture, message);
    }
    return message;
  }
}
