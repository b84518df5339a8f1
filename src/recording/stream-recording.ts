/**
 * One stream in the recorder's thread: decides segment by segment whether its parts are written, held in memory for the
 * time before an event, or ignored.
 */

import type { HeldSegment, HeldSegments } from './held-segments.ts';
import type { StreamTurn } from './recording-turn.ts';
import type { RecordedPart, RecordingWriter } from './recording-writer.ts';

export interface StreamRecordingOptions {
  readonly held: HeldSegments;
  /** Creates the writer when there is something to write; null: not possible now. */
  readonly createWriter: () => Promise<RecordingWriter | null>;
  /** The media that an event wanted is written; the next parts are held again. */
  readonly onStandby: () => void;
}

export class StreamRecording {
  readonly #options: StreamRecordingOptions;
  #turn: StreamTurn = { mode: 'write', purpose: 'camera', fromEpochMs: Number.NEGATIVE_INFINITY };
  /** Segments that start before this time of the media are written, for an event. */
  #keepUntilEpochMs = Number.NEGATIVE_INFINITY;
  #writer: RecordingWriter | null = null;
  /** That of the newest part, and that of the newest part that was written. */
  #init: Uint8Array | null = null;
  #writtenInit: Uint8Array | null = null;
  /** Parts of the segment in progress are written. */
  #isWriting = false;

  constructor(options: StreamRecordingOptions) {
    this.#options = options;
  }

  /** Number of the file that is being written; null: none. */
  get openNumber(): number | null {
    return this.#writer?.openNumber ?? null;
  }

  /** Applies from this call on. */
  async turn(turn: StreamTurn): Promise<void> {
    this.#turn = turn;
    if (turn.mode === 'off') {
      await this.close();
    } else if (turn.mode === 'write' && !this.#isWriting) {
      await this.#writeHeld(turn.fromEpochMs, Number.POSITIVE_INFINITY);
    }
  }

  /** An event: the segments that cover any of this time of the media are written, as far as they are held or come. */
  async keep(fromEpochMs: number, toEpochMs: number): Promise<void> {
    if (this.#turn.mode === 'off') return;
    this.#keepUntilEpochMs = Math.max(this.#keepUntilEpochMs, toEpochMs);
    this.#writer?.claim(toEpochMs);
    if (this.#isWriting || this.#turn.mode === 'write') return;
    const hasWritten = await this.#writeHeld(fromEpochMs, toEpochMs);
    // It came so late that all of it is in the past.
    if (hasWritten && !this.#isWriting) await this.#rest();
  }

  /** `bytes` are borrowed until it resolves. */
  async take(part: RecordedPart, bytes: Uint8Array): Promise<void> {
    if (part.init !== null) this.#init = part.init;
    if (part.isSegmentStart) await this.#begin(part);
    if (this.#isWriting) await this.#write(part, this.#init, bytes);
    else if (this.#turn.mode === 'hold') {
      this.#options.held.push(part, this.#init, Uint8Array.from(bytes), this.#turn.holdMs);
    }
  }

  /** Ends the file. What comes next has a gap before it. */
  async close(): Promise<void> {
    this.#isWriting = false;
    this.#options.held.clear();
    await this.#writer?.close();
  }

  async #begin({ epochMs }: RecordedPart): Promise<void> {
    const isForEvent = epochMs < this.#keepUntilEpochMs;
    const isWanted = this.#turn.mode === 'write' || (this.#turn.mode === 'hold' && isForEvent);
    if (!isWanted) {
      if (this.#isWriting) await this.#rest();
      return;
    }
    this.#isWriting = true;
    if (this.#writer === null) return;
    this.#writer.purpose = this.#purposeOf(isForEvent);
  }

  #purposeOf(isForEvent: boolean): RecordingWriter['purpose'] {
    return this.#turn.mode === 'write' && !isForEvent ? this.#turn.purpose : 'camera';
  }

  async #rest(): Promise<void> {
    this.#isWriting = false;
    this.#options.held.follow();
    await this.#writer?.endFile();
    if (this.#turn.mode === 'hold') this.#options.onStandby();
  }

  /** Whether there was something. */
  async #writeHeld(fromEpochMs: number, toEpochMs: number): Promise<boolean> {
    const { segments, isInProgress, hasGap } = this.#options.held.take(fromEpochMs, toEpochMs);
    if (segments.length > 0 && hasGap) this.#writer?.skip();
    for (const segment of segments) await this.#writeSegment(segment);
    this.#isWriting = isInProgress;
    return segments.length > 0;
  }

  async #writeSegment({ epochMs, init, parts }: HeldSegment): Promise<void> {
    if (this.#writer !== null) this.#writer.purpose = this.#purposeOf(epochMs < this.#keepUntilEpochMs);
    for (const { part, bytes } of parts) await this.#write(part, init, bytes);
  }

  async #write(part: RecordedPart, init: Uint8Array | null, bytes: Uint8Array): Promise<void> {
    this.#writer ??= await this.#createWriter(part);
    if (this.#writer === null) return;
    const isSame = init === this.#writtenInit;
    await this.#writer.write(isSame ? withInit(part, null) : withInit(part, init), bytes);
    this.#writtenInit = init;
  }

  async #createWriter({ epochMs }: RecordedPart): Promise<RecordingWriter | null> {
    const writer = await this.#options.createWriter();
    if (writer !== null) writer.purpose = this.#purposeOf(epochMs < this.#keepUntilEpochMs);
    return writer;
  }
}

function withInit(part: RecordedPart, init: Uint8Array | null): RecordedPart {
  return part.init === init ? part : { ...part, init };
}
