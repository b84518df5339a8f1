/** G.711 codes as RTP packets, one for each payload. RFC 3551 §4.5.14. */

import { writeRtpHeader } from './rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from './rtp-packet.ts';

export class G711Packetizer {
  readonly #payloadType: number;
  readonly #ssrc: number;
  #sequenceNumber: number;
  #rtpTimestamp: number;
  /** §4.1: the first packet of a talkspurt is marked. */
  #isFirst = true;

  /** `first`: a random number, where the counts begin (RFC 3550 §5.1). */
  constructor(payloadType: number, ssrc: number, first: number) {
    this.#payloadType = payloadType;
    this.#ssrc = ssrc;
    this.#sequenceNumber = first & 0xffff;
    this.#rtpTimestamp = first >>> 0;
  }

  /** A new buffer. `codes` follow those before. */
  packet(codes: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(RTP_HEADER_BYTES + codes.length);
    writeRtpHeader(
      bytes,
      0,
      this.#payloadType,
      this.#isFirst,
      this.#sequenceNumber,
      this.#rtpTimestamp,
      this.#ssrc,
    );
    bytes.set(codes, RTP_HEADER_BYTES);
    this.#isFirst = false;
    this.#sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    this.#rtpTimestamp = (this.#rtpTimestamp + codes.length) >>> 0;
    return bytes;
  }
}
