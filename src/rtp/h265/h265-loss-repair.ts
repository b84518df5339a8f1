/**
 * Closes the gaps that lost pictures leave, so that what follows can be passed on: pictures that repeat the one before are
 * put where others are missing, with the picture order of those that later pictures refer to. An encoder could have
 * written the resulting stream: no decoder sees an error. The viewer sees the old picture with new movement drawn into it
 * until the next key frame.
 *
 * In H.265 every picture says which others it needs (its reference picture set), by their distance in picture order. So
 * nothing has to be renumbered, not even when a key frame is lost: the pictures after it refer to a picture that is
 * missing like any other.
 */

import { isVcl, nalHeader, nalType, temporalId } from '../../codec/h265/nal-unit.ts';
import type { ParameterSets } from '../../codec/h265/parameter-sets.ts';
import type { PictureCoding } from '../../codec/h265/picture-coding.ts';
import { RepeatPictureWriter } from '../../codec/h265/repeat-picture.ts';
import {
  readSliceSegmentHead,
  readSliceSegmentHeader,
  type SliceHeader,
} from '../../codec/h265/slice-segment-header.ts';
import { type AssembledPicture, emptyPicture } from '../access-unit-assembler.ts';
import { MAX_REPAIRED_GAP_SEC, MAX_REPEATS } from '../loss-policy.ts';

const LENGTH_BYTES = 4;

/** Pictures by picture order, relative to the newest one that was passed on: that one is 0. */
interface Gap {
  /** Order of the next picture. */
  readonly nextOrder: number;
  /** In the decoder after the newest picture, and still needed by the next one. */
  readonly present: readonly number[];
  /** Needed by the next one, and missing; ascending. */
  readonly missing: readonly number[];
}

export class H265LossRepair {
  readonly #parameterSets: ParameterSets;
  readonly #maxGapTicks: number;
  readonly #onPicture: (picture: AssembledPicture) => void;
  readonly #repeat = emptyPicture();
  /** The newest picture that was passed on. */
  readonly #newest = new SliceHead();
  #newestTimestamp = 0;
  /** RTP ticks between the two newest pictures without a loss between them; 0: not known. */
  #intervalTicks = 0;
  /** Pictures of several sub-layers: repeats would have to be in one of them. */
  #hasSubLayers = false;
  #isPending = false;
  #writer: RepeatPictureWriter | null = null;

  /** `onPicture` receives repeats and pictures, borrowed, in order. */
  constructor(
    parameterSets: ParameterSets,
    clockRateHz: number,
    onPicture: (picture: AssembledPicture) => void,
  ) {
    this.#parameterSets = parameterSets;
    this.#maxGapTicks = MAX_REPAIRED_GAP_SEC * clockRateHz;
    this.#onPicture = onPicture;
  }

  /** Pictures are missing before the next one. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Pictures may be missing before the next one. */
  lost(): void {
    this.#isPending = true;
  }

  /** A key frame that is passed on: nothing before it counts. */
  key(picture: AssembledPicture): void {
    this.#hasSubLayers = false;
    this.#pass(picture);
  }

  /**
   * Hot. A picture that is not a key frame. Returns false and passes nothing on if what is missing cannot be replaced: then
   * everything up to the next key frame is lost.
   */
  picture(picture: AssembledPicture): boolean {
    if (this.#isPending && !this.#close(picture)) return false;
    this.#pass(picture);
    return true;
  }

  #pass(picture: AssembledPicture): void {
    const ticks = (picture.rtpTimestamp - this.#newestTimestamp) | 0;
    if (!this.#isPending && ticks > 0) this.#intervalTicks = ticks;
    this.#isPending = false;
    this.#newestTimestamp = picture.rtpTimestamp;
    this.#newest.keep(picture.data);
    if (temporalId(picture.sliceHeader) > 0) this.#hasSubLayers = true;
    this.#onPicture(picture);
  }

  /** Puts repeats between the newest picture and `next`. */
  #close(next: AssembledPicture): boolean {
    const elapsedTicks = (next.rtpTimestamp - this.#newestTimestamp) | 0;
    if (elapsedTicks <= 0 || elapsedTicks > this.#maxGapTicks) return false;
    if (this.#hasSubLayers || temporalId(next.sliceHeader) > 0) return false;
    const nextHead = new SliceHead();
    nextHead.keep(next.data);
    const found = this.#codingOf(nextHead.bytes);
    const before = this.#codingOf(this.#newest.bytes);
    if (found === null || before === null || found.coding.sps !== before.coding.sps) return false;
    const gap = gapBetween(before.slice, found.slice, found.coding);
    if (gap === null) return false;
    const orders = this.#ordersFor(gap, elapsedTicks, found.coding);
    return this.#write(orders, gap, before.slice.pictureOrderLsb, found.coding, next);
  }

  /** Orders of all repeats, ascending: those that are needed, and as many as pictures are missing in time. */
  #ordersFor(gap: Gap, elapsedTicks: number, { sps }: PictureCoding): number[] {
    const inTime = this.#intervalTicks > 0 ? Math.round(elapsedTicks / this.#intervalTicks) - 1 : 0;
    // §8.3.1: a decoder takes a step of half the range or more for one back.
    const longestStep = 2 ** (sps.pictureOrderBits - 1) - 1;
    const steps = Math.ceil(gap.nextOrder / longestStep) - 1;
    const wanted = Math.min(Math.max(inTime, steps, gap.missing.length), MAX_REPEATS, gap.nextOrder - 1);
    const orders = new Set(gap.missing);
    for (let at = 1; at <= wanted; at++) {
      const order = Math.round((gap.nextOrder * at) / (wanted + 1));
      if (order > 0 && order < gap.nextOrder) orders.add(order);
    }
    return [...orders].sort((one, other) => one - other);
  }

  #write(
    orders: readonly number[],
    { present, nextOrder, missing }: Gap,
    newestLsb: number,
    coding: PictureCoding,
    next: AssembledPicture,
  ): boolean {
    const room = coding.sps.maxBufferedPictures - 1;
    if (present.length + missing.length > room || orders.length > 2 * MAX_REPEATS) return false;
    if (!hasShortSteps([0, ...orders, nextOrder], 2 ** (coding.sps.pictureOrderBits - 1))) return false;
    if (this.#writer?.coding.pps !== coding.pps || this.#writer.coding.sps !== coding.sps) {
      this.#writer = new RepeatPictureWriter(coding);
    }
    const elapsedTicks = (next.rtpTimestamp - this.#newestTimestamp) | 0;
    const needed = new Set([...present, ...missing]);
    const made: number[] = [];
    let repeated = 0;
    for (const [index, order] of orders.entries()) {
      const held = new Set([...present, ...made.filter((one) => needed.has(one))]);
      // Repeats the newest picture that stays, if there is no room for one more.
      if (held.size < room) held.add(repeated);
      const kept = [...held].sort((one, other) => other - one);
      const source = kept[0];
      if (source === undefined) return false;
      const stepTicks = Math.round((elapsedTicks * (index + 1)) / (orders.length + 1));
      const nalus = this.#writer.write({
        pictureOrder: newestLsb + order,
        repeated: newestLsb + source,
        kept: kept.map((one) => newestLsb + one),
      });
      this.#repeat.data = joined(nalus);
      this.#repeat.sliceHeader = nalHeader(nalus[0]!);
      this.#repeat.rtpTimestamp = (this.#newestTimestamp + stepTicks) >>> 0;
      this.#repeat.arrivalMonoMs = next.arrivalMonoMs;
      this.#onPicture(this.#repeat);
      made.push(order);
      repeated = order;
    }
    return true;
  }

  #codingOf(nalu: Uint8Array): { readonly coding: PictureCoding; readonly slice: SliceHeader } | null {
    const head = readSliceSegmentHead(nalu);
    const coding = head === null ? null : this.#parameterSets.codingFor(head.ppsId);
    if (coding === null) return null;
    const slice = readSliceSegmentHeader(nalu, coding.pps, coding.sps)?.slice ?? null;
    return slice === null ? null : { coding, slice };
  }
}

/** null: something is needed that cannot be made: later pictures, long-term ones, and what had left the decoder before. */
function gapBetween(newest: SliceHeader, next: SliceHeader, { sps }: PictureCoding): Gap | null {
  const needed = next.shortTerm;
  if (needed === null || next.longTerm.length > 0 || newest.longTerm.length > 0) return null;
  const held = newest.shortTerm?.orderDeltas ?? [];
  if (needed.earlierCount < needed.orderDeltas.length) return null;
  if (newest.shortTerm !== null && newest.shortTerm.earlierCount < held.length) return null;
  const range = 2 ** sps.pictureOrderBits;
  const forward = (next.pictureOrderLsb - newest.pictureOrderLsb + range) % range;
  const nextOrder = forward === 0 ? range : forward;
  const present: number[] = [];
  const missing: number[] = [];
  for (const delta of needed.orderDeltas) {
    const order = nextOrder + delta;
    if (order > 0) missing.push(order);
    else if (order === 0 || held.includes(order)) present.push(order);
    else return null;
  }
  return { nextOrder, present, missing: missing.reverse() };
}

function hasShortSteps(orders: readonly number[], end: number): boolean {
  return orders.every((order, index) => index === 0 || order - orders[index - 1]! < end);
}

/** NAL units, each after a 4-byte length. */
function joined(nalus: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(nalus.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0));
  let at = 0;
  for (const nalu of nalus) {
    at = bytes.writeUInt32BE(nalu.length, at);
    bytes.set(nalu, at);
    at += nalu.length;
  }
  return bytes;
}

/** Cameras need 10 to 30 bytes; a header that does not fit cannot be read. */
const MAX_HEAD_BYTES = 256;

/** A copy of the beginning of a picture's first slice, as long as slice segment headers are. */
class SliceHead {
  readonly #copy = new Uint8Array(MAX_HEAD_BYTES);
  #length = 0;

  /** Hot. `picture`: NAL units, each after a 4-byte length; borrowed. */
  keep(picture: Uint8Array): void {
    this.#length = 0;
    let at = 0;
    while (at + LENGTH_BYTES < picture.length) {
      const start = at + LENGTH_BYTES;
      const length =
        picture[at]! * 0x1000000 + ((picture[at + 1]! << 16) | (picture[at + 2]! << 8) | picture[at + 3]!);
      if (isVcl(nalType(nalHeader(picture, start)))) {
        this.#length = Math.min(length, MAX_HEAD_BYTES, picture.length - start);
        for (let index = 0; index < this.#length; index++) this.#copy[index] = picture[start + index]!;
        return;
      }
      at = start + length;
    }
  }

  /** Empty if the picture had no slice. Borrowed until the next `keep`. */
  get bytes(): Uint8Array {
    return this.#copy.subarray(0, this.#length);
  }
}
