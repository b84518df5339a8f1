/**
 * Splits RTP payloads of H.265 into NAL units that come in decoding order and have no decoding order numbers (others:
 * InterleavedDepacketizer). RFC 7798 §4.4: single NAL units, aggregation packets (AP) and fragmentation units (FU). PACI
 * packets (§4.4.4) damage their picture: no camera sends them.
 *
 * Cameras also put several NAL units with start codes between them in place of one: see AccessUnitAssembler.
 */

import { withoutTrailingZeros } from '../../codec/byte-stream.ts';
import type { AccessUnitAssembler } from '../access-unit-assembler.ts';

export const AP = 48;
export const FU = 49;
export const PACI = 50;
export const FU_START = 0x80;
export const FU_END = 0x40;
const HEADER_BYTES = 2;
const FU_HEADER_BYTES = 3;
/** Bytes before each NAL unit of an AP. */
const LENGTH_BYTES = 2;

export class H265Depacketizer {
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
    const type = (chunk[start]! >> 1) & 0x3f;
    if (start + HEADER_BYTES > end) assembler.damage('RTP_BAD_PAYLOAD');
    else if (type === FU) this.#fragment(chunk, start, end);
    else if (type < AP) this.#whole(chunk, start, end);
    else if (type === AP) this.#aggregate(chunk, start + HEADER_BYTES, end);
    else if (type === PACI) assembler.damage('RTP_UNSUPPORTED_PAYLOAD');
    // Types from 51 on mean nothing (table 1): receivers ignore them.
    if (isMarked) assembler.marker();
  }

  /** Packets are missing before the next one. */
  gap(): void {
    this.#assembler.gap();
  }

  #whole(chunk: Uint8Array, start: number, end: number): void {
    const header = (chunk[start]! << 8) | chunk[start + 1]!;
    const payloadStart = start + HEADER_BYTES;
    this.#assembler.beginNalu(header, payloadStart < end ? chunk[payloadStart]! : 0);
    this.#assembler.append(chunk, payloadStart, end);
    this.#assembler.endNalu();
  }

  /**
   * §4.4.3: the NAL header is split over payload header (F, layer, TID) and FU header (type). The first fragment decides:
   * cameras get the type wrong in later ones (retina).
   */
  #fragment(chunk: Uint8Array, start: number, end: number): void {
    const assembler = this.#assembler;
    const fuHeader = start + HEADER_BYTES < end ? chunk[start + HEADER_BYTES]! : 0;
    const isStart = (fuHeader & FU_START) !== 0;
    const payloadStart = start + FU_HEADER_BYTES;
    // After the first fragment, cameras send empty ones (retina issue 115).
    if (payloadStart > end || (isStart && payloadStart === end)) {
      assembler.damage('RTP_BAD_PAYLOAD');
      return;
    }
    const header = ((chunk[start]! & 0x81) << 8) | ((fuHeader & 0x3f) << 9) | chunk[start + 1]!;
    if (isStart) assembler.beginNalu(header, chunk[payloadStart]!);
    else if (!assembler.isInsideNalu) {
      assembler.orphan(header);
      return;
    }
    assembler.append(chunk, payloadStart, end);
    if ((fuHeader & FU_END) !== 0) assembler.endNalu();
  }

  /** §4.4.2: NAL units, each after 16 bits of length. Zeros after the last one are padding. */
  #aggregate(chunk: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at + LENGTH_BYTES < end) {
      const naluStart = at + LENGTH_BYTES;
      const naluEnd = naluStart + ((chunk[at]! << 8) | chunk[at + 1]!);
      if (naluEnd > end || naluEnd < naluStart + HEADER_BYTES) break;
      this.#whole(chunk, naluStart, naluEnd);
      at = naluEnd;
    }
    const isWhole = at > start && withoutTrailingZeros(chunk, at, end) === at;
    if (!isWhole) this.#assembler.damage('RTP_BAD_PAYLOAD');
  }
}
