/** The records that a sound server reads and writes: native/sound-server.c describes the bytes. */

import { GatewayError } from '../core/errors.ts';
import { FFMPEG_ERRORS } from './errors.ts';

const HELLO = Buffer.from('sluice-sound-server 2\n');
/** Stream, kind, length of the body: 32 bits each, little-endian. */
const HEAD_BYTES = 12;
/** ISO/IEC 14496-3 §4.5.3.2: the decoder's input buffer holds 6144 bits for each of two channels. */
const MAX_BODY_BYTES = (2 * 6_144) / 8;

export const INPUT_RECORDS = { open: 1, samples: 2, close: 3 } as const;
export const OUTPUT_RECORDS = { frame: 1, failed: 2 } as const;

/** A record with room for `bodyBytes` behind the head. */
export function recordOf(stream: number, kind: number, bodyBytes: number): Buffer {
  const record = Buffer.allocUnsafe(HEAD_BYTES + bodyBytes);
  record.writeUInt32LE(stream, 0);
  record.writeUInt32LE(kind, 4);
  record.writeUInt32LE(bodyBytes, 8);
  return record;
}

/** Where the body of a record begins. */
export const BODY_AT = HEAD_BYTES;

/** Takes the output of a sound server apart, however it is cut. */
export class SoundRecordReader {
  readonly #onRecord: (stream: number, kind: number, body: Buffer) => void;
  #isGreeted = false;
  /** Less than a record. */
  #rest: Buffer = Buffer.alloc(0);

  /** `body` is borrowed until the callback returns. */
  constructor(onRecord: (stream: number, kind: number, body: Buffer) => void) {
    this.#onRecord = onRecord;
  }

  /** Fails FFMPEG_BAD_OUTPUT: it is not a sound server, or a record is too long. Do not push after that. */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = this.#isGreeted ? 0 : this.#greeting(bytes);
    while (this.#isGreeted && at + HEAD_BYTES <= bytes.length) {
      const bodyBytes = bytes.readUInt32LE(at + 8);
      if (bodyBytes > MAX_BODY_BYTES) throw badOutput('a record is too long');
      const end = at + HEAD_BYTES + bodyBytes;
      if (end > bytes.length) break;
      this.#onRecord(
        bytes.readUInt32LE(at),
        bytes.readUInt32LE(at + 4),
        bytes.subarray(at + HEAD_BYTES, end),
      );
      at = end;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** Bytes of it that can be left behind. */
  #greeting(bytes: Buffer): number {
    const length = Math.min(bytes.length, HELLO.length);
    if (bytes.compare(HELLO, 0, length, 0, length) !== 0) throw badOutput('no greeting');
    this.#isGreeted = length === HELLO.length;
    return this.#isGreeted ? length : 0;
  }
}

/** The error for output that breaks the protocol. */
export function badOutput(reason: string): GatewayError {
  return new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_OUTPUT, { reason });
}
