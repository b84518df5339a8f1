/**
 * Splits RTP payloads of H.264 into NAL units. RFC 6184 §5.6 to §5.8, packetization modes 0 and 1: single NAL units,
 * STAP-A and FU-A. Payloads that only the interleaved mode 2 may send (STAP-B, MTAP, FU-B) damage their picture.
 *
 * Cameras also put several NAL units with start codes between them in place of one: see AccessUnitAssembler.
 */

import { withoutTrailingZeros } from '../../codec/byte-stream.ts';
import type { AccessUnitAssembler } from '../access-unit-assembler.ts';

export const STAP_A = 24;
export const FU_A = 28;
const FIRST_AGGREGATION = 24;
const FU_START = 0x80;
const FU_END = 0x40;
const FU_HEADER_BYTES = 2;
/** Bytes before each NAL unit of a STAP-A. */
const LENGTH_BYTES = 2;

export class H264Depacketizer {
  readonly #assembler: AccessUnitAssembler;

  constructor(assembler: AccessUnitAssembler) {
    this.#assembler = assembler;
  }

  /** Hot. One packet's payload `chunk[start, end)`, borrowed. Packets come in order; `gap` reports lost ones. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    // Empty payloads are keep-alives (RFC 6263 §4.1).
    if (start >= end) return;
    const assembler = this.#assembler;
    assembler.beginPacket(rtpTimestamp, arrivalMonoMs);
    const header = chunk[start]!;
    const type = header & 0x1f;
    if (type === FU_A) this.#fragment(chunk, start, end);
    else if (type < FIRST_AGGREGATION) this.#whole(chunk, start, end);
    else if (type === STAP_A) this.#aggregate(chunk, start + 1, end);
    else assembler.damage('RTP_UNSUPPORTED_PAYLOAD');
    if (isMarked) assembler.marker();
  }

  /** Packets are missing before the next one. */
  gap(): void {
    this.#assembler.gap();
  }

  #whole(chunk: Uint8Array, start: number, end: number): void {
    this.#assembler.beginNalu(chunk[start]!, start + 1 < end ? chunk[start + 1]! : 0);
    this.#assembler.append(chunk, start + 1, end);
    this.#assembler.endNalu();
  }

  /** §5.8: the NAL header is split over FU indicator (F, NRI) and FU header (type). */
  #fragment(chunk: Uint8Array, start: number, end: number): void {
    const assembler = this.#assembler;
    const payloadStart = start + FU_HEADER_BYTES;
    const fuHeader = start + 1 < end ? chunk[start + 1]! : 0;
    const isStart = (fuHeader & FU_START) !== 0;
    // After the first fragment, cameras send empty ones (retina issue 115).
    if (payloadStart > end || (isStart && payloadStart === end)) {
      assembler.damage('RTP_BAD_PAYLOAD');
      return;
    }
    if (isStart) assembler.beginNalu((chunk[start]! & 0xe0) | (fuHeader & 0x1f), chunk[payloadStart]!);
    else if (!assembler.isInsideNalu) {
      assembler.orphan(fuHeader);
      return;
    }
    assembler.append(chunk, payloadStart, end);
    if ((fuHeader & FU_END) !== 0) assembler.endNalu();
  }

  /** §5.7.1: NAL units, each after 16 bits of length. Zeros after the last one are padding. */
  #aggregate(chunk: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at + LENGTH_BYTES < end) {
      const naluStart = at + LENGTH_BYTES;
      const naluEnd = naluStart + ((chunk[at]! << 8) | chunk[at + 1]!);
      if (naluEnd > end || naluEnd === naluStart) break;
      this.#whole(chunk, naluStart, naluEnd);
      at = naluEnd;
    }
    const isWhole = at > start && withoutTrailingZeros(chunk, at, end) === at;
    if (!isWhole) this.#assembler.damage('RTP_BAD_PAYLOAD');
  }
}
