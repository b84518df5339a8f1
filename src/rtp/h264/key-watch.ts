/**
 * Which pictures of an H.264 stream players can begin at, and whether there are any.
 *
 * - IDR pictures.
 * - Intra pictures that a recovery point SEI with recovery_frame_cnt 0 marks (ISO/IEC 14496-10 §D.2.8): x264 with open
 *   GOPs, and encoders that send one IDR picture when they start. They only count while no IDR picture comes, because
 *   players accepted them late (Chromium's Media Source Extensions: some time between versions 81 and 156).
 * - Not the recovery points of a gradual intra refresh, whose recovery_frame_cnt is higher: no browser begins there.
 */

import { isFirstISlice } from '../../codec/h264/slice-header.ts';
import { statesIntraRefresh } from '../../codec/h264/x264-options.ts';
import type { AssembledPicture } from '../access-unit-assembler.ts';
import { firstSliceOf } from './picture-rewriter.ts';

export type KeyKind = 'idr' | 'recovery-point' | 'none';

/** With IDR pictures more often than this, they are the only key frames. */
const IDR_INTERVAL_MS = 4_000;
/** How long a camera that refreshes gradually may have no key frame: before the first one, and after one. */
const KEYLESS_JOINING_MS = 4_000;
/** Below the longest segment (`maxSegmentMs`), whose rest would be dropped. */
const KEYLESS_MS = 16_000;
/** A single recovery point proves no habit. */
const MIN_REFRESHES = 2;
const NEVER_MONO_MS = Number.NEGATIVE_INFINITY;

export class KeyWatch {
  #idrMonoMs = NEVER_MONO_MS;
  /** Arrival of the last key frame of either kind; before it, of the first picture. */
  #keyMonoMs = Number.NaN;
  #hasKey = false;
  /** Gradual refreshes since then. */
  #refreshes = 0;

  /**
   * The camera refreshes gradually and sends no key frames: none has come, or the last one is so long ago that the
   * segment that it began is about to end, or the encoder states with its first one that no other follows.
   */
  isKeyless = false;

  get hasKey(): boolean {
    return this.#hasKey;
  }

  /** Call for each whole picture, in order. */
  judge(picture: AssembledPicture): KeyKind {
    const { arrivalMonoMs, recoveryFrames } = picture;
    if (Number.isNaN(this.#keyMonoMs)) this.#keyMonoMs = arrivalMonoMs;
    if (picture.isKey) {
      const isFirst = !this.#hasKey;
      this.#idrMonoMs = arrivalMonoMs;
      this.#foundKey(arrivalMonoMs);
      this.isKeyless = isFirst && statesIntraRefresh(picture.data);
      return 'idr';
    }
    if (recoveryFrames === 0) return this.#recoveryPoint(picture);
    if (recoveryFrames > 0) this.#refreshed(arrivalMonoMs);
    return 'none';
  }

  #recoveryPoint(picture: AssembledPicture): KeyKind {
    const { arrivalMonoMs } = picture;
    const hasIdrs = arrivalMonoMs - this.#idrMonoMs < IDR_INTERVAL_MS;
    if (hasIdrs || !isFirstISlice(firstSliceOf(picture.data)[1] ?? 0)) return 'none';
    this.#foundKey(arrivalMonoMs);
    return 'recovery-point';
  }

  #foundKey(arrivalMonoMs: number): void {
    this.#keyMonoMs = arrivalMonoMs;
    this.#hasKey = true;
    this.#refreshes = 0;
    this.isKeyless = false;
  }

  #refreshed(arrivalMonoMs: number): void {
    this.#refreshes += 1;
    const limitMs = this.#hasKey ? KEYLESS_MS : KEYLESS_JOINING_MS;
    this.isKeyless = this.#refreshes >= MIN_REFRESHES && arrivalMonoMs - this.#keyMonoMs >= limitMs;
  }
}
