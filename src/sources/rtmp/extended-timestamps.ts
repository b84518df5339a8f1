/**
 * Timestamps that do not fit into the 24 bits of a chunk's header: after 4.66 hours, or from the first message on where a
 * camera counts from its own zero. §5.3.1.3 wants them again in each further chunk of the message. Encoders with an old
 * librtmp, and some recorders, leave them out there. Each chunk stream tells which form it has with the first chunk that
 * continues a message: by whether the same four bytes come again. A guess that is wrong once in 2³² streams is right forever after.
 */

import type { RtmpMessage } from 'node-media-server/src/protocol/rtmp.js';

/** In a header: the timestamp follows it. */
export const IS_EXTENDED = 0xffffff;
/** Bytes of a message header by its type. §5.3.1.2 */
export const MESSAGE_HEADER_BYTES = [11, 7, 3, 0] as const;
export const EXTENDED_BYTES = 4;
/** The parser adds it to a clock that wraps there, and it is not IS_EXTENDED. */
const WRAP = 2 ** 32;

interface StreamForm {
  /** The extended timestamp of the message under way. */
  timestamp: number;
  /** Whether chunks that continue a message repeat the timestamp; null: none came. */
  isRepeated: boolean | null;
}

export class ExtendedTimestamps {
  /** By chunk stream: the library keeps one message for each. */
  readonly #forms = new Map<RtmpMessage, StreamForm>();

  /** A message begins, and its header had this extended timestamp. */
  begins(message: RtmpMessage, timestamp: number): void {
    const form = this.#forms.get(message);
    if (form === undefined) this.#forms.set(message, { timestamp, isRepeated: null });
    else form.timestamp = timestamp;
    if (form?.isRepeated === false) this.#leaveOut(message, timestamp);
  }

  /** `bytes`: those behind the header of a chunk that continues a message. False: they belong to the message. */
  isRepeated(message: RtmpMessage, bytes: number): boolean {
    const form = this.#forms.get(message);
    if (form === undefined) return true;
    form.isRepeated ??= bytes === form.timestamp;
    if (!form.isRepeated) this.#leaveOut(message, form.timestamp);
    return form.isRepeated;
  }

  /** Makes the parser expect no timestamp in later chunks without a header. */
  #leaveOut({ header }: RtmpMessage, timestamp: number): void {
    header.timestamp = timestamp + WRAP;
  }
}
