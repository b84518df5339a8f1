/**
 * Closes the gaps that lost pictures leave, so that what follows can be passed on: each lost reference picture is
 * replaced by one that repeats the previous picture and has the lost one's numbers. An encoder could have written the
 * resulting stream: no decoder sees an error, and the timeline has no hole. The viewer sees the old picture with new
 * movement drawn into it until the next key frame.
 *
 * If a key frame is lost, so is the numbering of its group of pictures: the following pictures are renumbered
 * (frame_num, pic_order_cnt_lsb) to continue the previous group.
 */

import { NAL_IDR_SLICE, NAL_SLICE, nalType } from '../../codec/h264/nal-unit.ts';
import type { ParameterSets } from '../../codec/h264/parameter-sets.ts';
import type { PictureCoding } from '../../codec/h264/picture-coding.ts';
import { renumberedHead } from '../../codec/h264/renumber-slice.ts';
import { RepeatPictureWriter } from '../../codec/h264/repeat-picture.ts';
import { isFirstBSlice, slicePpsId } from '../../codec/h264/slice-header.ts';
import { readSliceNumbers, SLICE_HEAD_BYTES, type SliceNumbers } from '../../codec/h264/slice-numbers.ts';
import { type AssembledPicture, emptyPicture } from '../access-unit-assembler.ts';
import { MAX_REPAIRED_GAP_SEC, MAX_REPEATS } from '../loss-policy.ts';
import { firstSliceOf, PictureRewriter } from './picture-rewriter.ts';

/** Steps of the picture order from one frame to the next, if it has to be made up: two, one for each field. */
const ORDER_STEP = 2;

export class LossRepair {
  readonly #parameterSets: ParameterSets;
  readonly #onPicture: (picture: AssembledPicture) => void;
  readonly #rewriter = new PictureRewriter();
  /** A repeat, or a renumbered picture. */
  readonly #output = emptyPicture();
  /** The head of the newest picture's first slice, as received. */
  readonly #newestHead = new Uint8Array(SLICE_HEAD_BYTES);
  #newestHeadBytes = 0;
  #newestTimestamp = 0;
  /** RTP ticks between the two newest pictures without a loss between them; 0: not known. */
  #intervalTicks = 0;
  /** The stream has B pictures: the order and times of missing pictures are then unknown. */
  #hasBPictures = false;
  #isPending = false;
  #isKeyLost = false;
  /** The offset that has been added to the numbers of this group of pictures. */
  #frameNumShift = 0;
  #orderShift = 0;
  #writer: RepeatPictureWriter | null = null;
  readonly #maxGapTicks: number;

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

  /** Pictures may be missing before the next one; if `isKey`, a key frame is. */
  lost(isKey: boolean): void {
    this.#isPending = true;
    if (isKey) this.#isKeyLost = true;
  }

  /** Before the key frame `next`: fills the gap before it with repeats. */
  closeGroup(next: AssembledPicture): void {
    const isPlain = this.#isPending && !this.#hasBPictures;
    const coding = isPlain ? this.#codingOf(this.#newest()) : null;
    const numbers = coding === null ? null : this.#newestNumbers(coding);
    const elapsedTicks = this.#ticksTo(next);
    if (coding === null || numbers === null || this.#intervalTicks <= 0 || elapsedTicks <= 0) return;
    const missing = Math.round(elapsedTicks / this.#intervalTicks) - 1;
    this.#repeatNewest(coding, numbers, Math.min(missing, MAX_REPEATS), ORDER_STEP, next);
  }

  /** A key frame that is passed on, or a recovery point to begin with: forgets everything before it. */
  key(picture: AssembledPicture): void {
    this.#frameNumShift = 0;
    this.#orderShift = 0;
    this.#note(picture);
    this.#isPending = false;
    this.#isKeyLost = false;
    this.#onPicture(picture);
  }

  /**
   * Hot. A picture that is not an IDR picture. Returns false and passes nothing on if the picture cannot be made to fit
   * what came before: then everything up to the next key frame is lost.
   */
  picture(picture: AssembledPicture): boolean {
    if (this.#isPending && !this.#closeGap(picture)) return false;
    const output = this.#frameNumShift === 0 && this.#orderShift === 0 ? picture : this.#renumbered(picture);
    if (output === null) return false;
    this.#note(picture);
    this.#isPending = false;
    this.#isKeyLost = false;
    this.#onPicture(output);
    return true;
  }

  #note(picture: AssembledPicture): void {
    const ticks = (picture.rtpTimestamp - this.#newestTimestamp) | 0;
    if (!this.#isPending && ticks > 0) this.#intervalTicks = ticks;
    this.#newestTimestamp = picture.rtpTimestamp;
    const slice = firstSliceOf(picture.data);
    if (isFirstBSlice(slice[1] ?? 0)) this.#hasBPictures = true;
    const head = slice.length > SLICE_HEAD_BYTES ? slice.subarray(0, SLICE_HEAD_BYTES) : slice;
    this.#newestHead.set(head);
    this.#newestHeadBytes = head.length;
  }

  #newest(): Uint8Array {
    return this.#newestHead.subarray(0, this.#newestHeadBytes);
  }

  /** Numbers of the newest picture, as passed on; null if no made-up picture can follow it. */
  #newestNumbers(coding: PictureCoding): SliceNumbers | null {
    const numbers = readSliceNumbers(this.#newest(), coding);
    return numbers === null ? null : this.#shifted(numbers);
  }

  #shifted(numbers: SliceNumbers): SliceNumbers {
    return {
      ...numbers,
      frameNum: numbers.frameNum + this.#frameNumShift,
      pictureOrder: numbers.pictureOrder + this.#orderShift,
    };
  }

  /** Ticks from the newest picture to `next`; 0 when that is not forward, or too far. */
  #ticksTo(next: AssembledPicture): number {
    const ticks = (next.rtpTimestamp - this.#newestTimestamp) | 0;
    return ticks > 0 && ticks <= this.#maxGapTicks ? ticks : 0;
  }

  /** Fills the gap before `picture` with repeats, and decides how the pictures from it on are numbered. */
  #closeGap(picture: AssembledPicture): boolean {
    const slice = firstSliceOf(picture.data);
    if (this.#hasBPictures || isFirstBSlice(slice[1] ?? 0)) return false;
    const newestCoding = this.#codingOf(this.#newest());
    const coding = this.#codingOf(slice);
    if (newestCoding === null || coding === null || this.#ticksTo(picture) === 0) return false;
    const before = this.#newestNumbers(newestCoding);
    const numbers = readSliceNumbers(slice, coding);
    if (before === null || numbers === null) return false;
    const expected = before.frameNum + (before.isReference ? 1 : 0);
    const frameNumMask = 2 ** coding.frameNumBits - 1;
    const missing = this.#isKeyLost
      ? Math.max(1, numbers.frameNum)
      : (numbers.frameNum + this.#frameNumShift - expected) & frameNumMask;
    const repeats = Math.min(missing, MAX_REPEATS);
    const orderMask = 2 ** coding.pictureOrderBits - 1;
    const orderRoom = (numbers.pictureOrder + this.#orderShift - before.pictureOrder) & orderMask;
    const isOrderKept = !this.#isKeyLost && orderRoom > repeats && orderRoom <= orderMask >> 1;
    const orderStep = isOrderKept ? Math.floor(orderRoom / (repeats + 1)) : ORDER_STEP;
    this.#repeatNewest(coding, before, repeats, orderStep, picture);
    this.#frameNumShift = (expected + repeats - numbers.frameNum) & frameNumMask;
    if (!isOrderKept) {
      const order = before.pictureOrder + ORDER_STEP * (repeats + 1);
      this.#orderShift = (order - numbers.pictureOrder) & orderMask;
    }
    return true;
  }

  /** `count` pictures that repeat the newest one, spaced evenly between it and `next`. */
  #repeatNewest(
    coding: PictureCoding,
    newest: SliceNumbers,
    count: number,
    orderStep: number,
    next: AssembledPicture,
  ): void {
    if (count <= 0) return;
    if (this.#writer?.coding !== coding) this.#writer = new RepeatPictureWriter(coding);
    const elapsedTicks = this.#ticksTo(next);
    const firstFrameNum = newest.frameNum + (newest.isReference ? 1 : 0);
    const repeat = this.#output;
    for (let at = 0; at < count; at++) {
      const stepTicks = Math.round((elapsedTicks * (at + 1)) / (count + 1));
      const nalu = this.#writer.write(firstFrameNum + at, newest.pictureOrder + orderStep * (at + 1));
      repeat.data = this.#rewriter.single(nalu);
      repeat.rtpTimestamp = (this.#newestTimestamp + stepTicks) >>> 0;
      repeat.arrivalMonoMs = next.arrivalMonoMs;
      repeat.isKey = false;
      this.#onPicture(repeat);
    }
  }

  /** The picture with this group's numbers; borrowed. null if one of its slices cannot be renumbered. */
  #renumbered(picture: AssembledPicture): AssembledPicture | null {
    const data = this.#rewriter.rewrite(picture.data, (slice) => {
      const coding = this.#codingOf(slice);
      const numbers = coding === null ? null : readSliceNumbers(slice, coding);
      if (coding === null || numbers === null) return null;
      const { frameNum, pictureOrder } = this.#shifted(numbers);
      return renumberedHead(slice, numbers, coding, frameNum, pictureOrder);
    });
    if (data === null) return null;
    const output = this.#output;
    output.data = data;
    output.rtpTimestamp = picture.rtpTimestamp;
    output.arrivalMonoMs = picture.arrivalMonoMs;
    output.isKey = picture.isKey;
    return output;
  }

  #codingOf(slice: Uint8Array): PictureCoding | null {
    const type = nalType(slice[0] ?? 0);
    const ppsId = type === NAL_IDR_SLICE || type === NAL_SLICE ? slicePpsId(slice) : null;
    return ppsId === null ? null : this.#parameterSets.codingFor(ppsId);
  }
}
