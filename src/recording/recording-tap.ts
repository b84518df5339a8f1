/** Where the recorder reads a packager's parts. */

import type { CmafPart } from '../cmaf/part.ts';
import type { RecordingStateName } from '../stream/media/recording-state.ts';
import { NOTHING } from './recording-turn.ts';
import type { RecordedPart } from './recording-writer.ts';
import type { RecordedSegment, RecordedStream } from './segment-index.ts';

/** The part of the recorder that a tap needs. */
export interface PartTaker {
  /** False: no room for the part, which is borrowed. */
  send(tap: RecordingTap, part: CmafPart, said: RecordedPart): boolean;
  /** A segment, or the rest of one, was left out. */
  dropped(): void;
}

/** One stream: takes its parts. Exists as long as the recorder. */
export class RecordingTap {
  readonly stream: RecordedStream;
  readonly id: number;
  readonly #recorder: PartTaker;
  wanted = NOTHING;
  state: RecordingStateName = 'off';
  code: string | null = null;
  /** The newest event's time of the media that is to be written. */
  kept: { readonly fromEpochMs: number; readonly toEpochMs: number } | null = null;
  segments = 0;
  droppedSegments = 0;
  byteLength = 0;
  newestEpochMs: number | null = null;
  /** Number and segments of the file that is being written. */
  openFile: { readonly number: number; readonly segments: RecordedSegment[] } | null = null;
  /** Bytes of it in the ring, up to the last time anyone looked. */
  waitingBytes = 0;
  /** How often it was turned on or off: numbers that were asked for before are not for it. */
  turns = 0;
  /** Numbers for its files were asked for. */
  isReserving = false;
  #init: Buffer | null = null;
  #isDiscontinuity = true;
  /** Up to the next segment. */
  #isDropping = true;

  constructor(recorder: PartTaker, stream: RecordedStream, id: number) {
    this.#recorder = recorder;
    this.stream = stream;
    this.id = id;
  }

  /** Another packager begins: its timeline has nothing to do with the one before. */
  restart(): void {
    this.#isDiscontinuity = true;
    this.#isDropping = true;
  }

  /** The recorder's thread knows nothing of this stream. */
  forget(): void {
    this.#init = null;
    this.restart();
    this.openFile = null;
    this.waitingBytes = 0;
  }

  get isOn(): boolean {
    return this.wanted.turn.mode !== 'off';
  }

  /** Hot: once per part. `part` is borrowed. */
  take(part: CmafPart): void {
    if (this.wanted.turn.mode === 'off') return;
    if (part.isSegmentStart) this.#isDropping = false;
    else if (this.#isDropping) return;
    const { tracks } = part;
    const isNewInit = tracks.init !== this.#init;
    const sent = this.#recorder.send(this, part, {
      timescaleHz: tracks.pace.timescaleHz,
      startTicks: part.startTicks,
      durationTicks: part.durationTicks,
      pictures: part.pictures,
      epochMs: part.epochMs,
      isSegmentStart: part.isSegmentStart,
      isSegmentEnd: part.isSegmentEnd,
      isDiscontinuity: part.isSegmentStart && (part.hasDiscontinuity || this.#isDiscontinuity),
      init: isNewInit ? new Uint8Array(tracks.init) : null,
    });
    if (sent) {
      this.#init = tracks.init;
      this.#isDiscontinuity = false;
      return;
    }
    this.#isDropping = true;
    this.#isDiscontinuity = true;
    this.droppedSegments++;
    this.#recorder.dropped();
  }
}
