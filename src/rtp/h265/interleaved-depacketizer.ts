/**
 * Splits RTP payloads of H.265 with decoding order numbers into NAL units, and passes them on in decoding order. RFC 7798
 * §4.4 and §6: senders with sprop-max-don-diff greater than 0 may send them in another one.
 *
 * Payloads that cannot be read count as lost, because nothing says where in decoding order they belong.
 */

import { withoutTrailingZeros } from '../../codec/byte-stream.ts';
import type { AccessUnitAssembler } from '../access-unit-assembler.ts';
import type { RtpErrorCode } from '../errors.ts';
import { FrameScratch } from '../frame-scratch.ts';
import { DecodingOrderBuffer, type DecodingOrderSink, type WaitingNalu } from './decoding-order-buffer.ts';
import type { DepacketizationBounds } from './depacketization-bounds.ts';
import { AP, FU, FU_END, FU_START, PACI } from './h265-depacketizer.ts';

const HEADER_BYTES = 2;
const FU_HEADER_BYTES = 3;
/** Bytes before each NAL unit of an AP, its DON, and in its place the difference to the DON before. */
const LENGTH_BYTES = 2;
const DONL_BYTES = 2;
const DOND_BYTES = 1;
const NO_FRAGMENTS = -1;

export class InterleavedDepacketizer implements DecodingOrderSink {
  readonly #assembler: AccessUnitAssembler;
  readonly #order: DecodingOrderBuffer;
  /** The fragments of a NAL unit so far, with its header. They come one after another (§4.4.3). */
  readonly #fragments = new FrameScratch();
  #fragmentsDon = NO_FRAGMENTS;

  constructor(assembler: AccessUnitAssembler, bounds: DepacketizationBounds) {
    this.#assembler = assembler;
    this.#order = new DecodingOrderBuffer(bounds, this);
  }

  /** As H265Depacketizer. NAL units are copied, because they wait. */
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
    const type = (chunk[start]! >> 1) & 0x3f;
    // A NAL unit whose last fragment did not come.
    const isContinued =
      type === FU && start + HEADER_BYTES < end && (chunk[start + HEADER_BYTES]! & FU_START) === 0;
    if (this.#fragmentsDon !== NO_FRAGMENTS && !isContinued) this.#lose('RTP_BAD_PAYLOAD');
    if (start + HEADER_BYTES > end) this.#lose('RTP_BAD_PAYLOAD');
    else if (type === FU) this.#fragment(chunk, start, end, rtpTimestamp, arrivalMonoMs);
    else if (type < AP) this.#single(chunk, start, end, rtpTimestamp, arrivalMonoMs);
    else if (type === AP) this.#aggregate(chunk, start + HEADER_BYTES, end, rtpTimestamp, arrivalMonoMs);
    else if (type === PACI) this.#lose('RTP_UNSUPPORTED_PAYLOAD');
    this.#order.endPacket(rtpTimestamp, isMarked, arrivalMonoMs);
  }

  /** Packets are missing before the next one. */
  gap(): void {
    this.#lose('RTP_PACKET_LOSS');
  }

  onOrdered({ bytes, rtpTimestamp, isLast }: WaitingNalu, arrivalMonoMs: number): void {
    const assembler = this.#assembler;
    assembler.beginPacket(rtpTimestamp, arrivalMonoMs);
    const header = (bytes[0]! << 8) | bytes[1]!;
    assembler.beginNalu(header, bytes.length > HEADER_BYTES ? bytes[HEADER_BYTES]! : 0);
    assembler.append(bytes, HEADER_BYTES, bytes.length);
    assembler.endNalu();
    if (isLast) assembler.marker();
  }

  onMissing(code: RtpErrorCode): void {
    this.#assembler.gap(code);
  }

  onLate(code: RtpErrorCode): void {
    this.#assembler.late(code);
  }

  #lose(code: RtpErrorCode): void {
    this.#fragmentsDon = NO_FRAGMENTS;
    this.#order.lose(code);
  }

  /** §4.4.1: the DON is between the header and the payload. */
  #single(chunk: Uint8Array, start: number, end: number, rtpTimestamp: number, arrivalMonoMs: number): void {
    const payloadStart = start + HEADER_BYTES + DONL_BYTES;
    if (payloadStart > end) {
      this.#lose('RTP_BAD_PAYLOAD');
      return;
    }
    const bytes = new Uint8Array(end - start - DONL_BYTES);
    bytes[0] = chunk[start]!;
    bytes[1] = chunk[start + 1]!;
    bytes.set(chunk.subarray(payloadStart, end), HEADER_BYTES);
    this.#order.put(donAt(chunk, start + HEADER_BYTES), bytes, rtpTimestamp, arrivalMonoMs);
  }

  /** §4.4.3: as in H265Depacketizer. Only the first fragment has a DON. */
  #fragment(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    arrivalMonoMs: number,
  ): void {
    const fuHeader = start + HEADER_BYTES < end ? chunk[start + HEADER_BYTES]! : 0;
    const isStart = (fuHeader & FU_START) !== 0;
    const payloadStart = start + FU_HEADER_BYTES + (isStart ? DONL_BYTES : 0);
    if (payloadStart > end || (isStart && payloadStart === end)) {
      this.#lose('RTP_BAD_PAYLOAD');
      return;
    }
    if (isStart) this.#beginFragments(chunk, start, fuHeader);
    else if (this.#fragmentsDon === NO_FRAGMENTS) {
      // Its beginning is lost.
      this.#lose('RTP_PACKET_LOSS');
      return;
    }
    if (!this.#fragments.append(chunk, payloadStart, end)) this.#lose('RTP_FRAME_TOO_LARGE');
    else if ((fuHeader & FU_END) !== 0) {
      const bytes = new Uint8Array(this.#fragments.view());
      this.#order.put(this.#fragmentsDon, bytes, rtpTimestamp, arrivalMonoMs);
      this.#fragmentsDon = NO_FRAGMENTS;
    }
  }

  #beginFragments(chunk: Uint8Array, start: number, fuHeader: number): void {
    this.#fragmentsDon = donAt(chunk, start + FU_HEADER_BYTES);
    const header = Uint8Array.of((chunk[start]! & 0x81) | ((fuHeader & 0x3f) << 1), chunk[start + 1]!);
    this.#fragments.truncate(0);
    this.#fragments.append(header, 0, HEADER_BYTES);
  }

  /** §4.4.2: as in H265Depacketizer. The first NAL unit has a DON, the others the difference to the one before less 1. */
  #aggregate(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    arrivalMonoMs: number,
  ): void {
    let at = start;
    let don = 0;
    while (at < end) {
      const lengthAt = at + (at === start ? DONL_BYTES : DOND_BYTES);
      const naluStart = lengthAt + LENGTH_BYTES;
      if (naluStart >= end) break;
      const naluEnd = naluStart + ((chunk[lengthAt]! << 8) | chunk[lengthAt + 1]!);
      if (naluEnd > end || naluEnd < naluStart + HEADER_BYTES) break;
      don = at === start ? donAt(chunk, at) : (don + chunk[at]! + 1) & 0xffff;
      this.#order.put(don, new Uint8Array(chunk.subarray(naluStart, naluEnd)), rtpTimestamp, arrivalMonoMs);
      at = naluEnd;
    }
    const isWhole = at > start && withoutTrailingZeros(chunk, at, end) === at;
    if (!isWhole) this.#lose('RTP_BAD_PAYLOAD');
  }
}

function donAt(chunk: Uint8Array, at: number): number {
  return (chunk[at]! << 8) | chunk[at + 1]!;
}
