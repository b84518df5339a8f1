/**
 * Writes pulled segments into recording files of the stream `pulled`, in order. The first file has one segment, so that viewers do not
 * wait; later ones are longer. A file is listed as a whole or not at all.
 */

import { type GatewayError, toGatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingImports } from '../recording/recording-imports.ts';
import type { RecordedFile } from '../recording/segment-index.ts';
import type { PulledSegment } from './pulled-media.ts';

export interface PulledFilesOptions {
  readonly cameraUuid: Ruuid;
  readonly imports: Pick<RecordingImports, 'reserve' | 'append' | 'finish' | 'cancel'>;
  /** A file is listed. Of these times, in true time, all is there. */
  readonly onListed: (file: RecordedFile, startMs: number, endMs: number) => void;
  readonly onFailed: (error: GatewayError) => void;
  /** Whether much waits for the disk. */
  readonly onPressure: (isHigh: boolean) => void;
}

const FIRST_FILE_MS = 1;
const LATER_FILE_MS = 8_000;
const HIGH_BYTES = 16 * 1_048_576;
/** So much room is reserved for a file at first. */
const EXPECTED_BYTES = 4 * 1_048_576;

interface OpenFile {
  readonly number: number;
  readonly startMs: number;
  endMs: number;
  init: Uint8Array;
}

export class PulledFiles {
  readonly #options: PulledFilesOptions;
  readonly #queue: PulledSegment[] = [];
  #waitingBytes = 0;
  #isHigh = false;
  #file: OpenFile | null = null;
  #hasListed = false;
  /** The first segment of a session continues none. */
  #isBreak = true;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #failure: GatewayError | null = null;

  constructor(options: PulledFilesOptions) {
    this.#options = options;
  }

  add(segment: PulledSegment): void {
    if (this.#failure !== null) return;
    this.#queue.push(segment);
    this.#waitingBytes += segment.byteLength;
    this.#tellPressure();
    this.#kick();
  }

  #kick(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#writeAll().finally(() => {
      this.#isWriting = false;
    });
  }

  /** Lists what is there. Resolves when all is written; never rejects. */
  async end(): Promise<void> {
    await this.#writing;
    await this.#close();
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      await this.#write(next);
      this.#queue.shift();
      this.#waitingBytes -= next.byteLength;
      this.#tellPressure();
    }
  }

  async #write(segment: PulledSegment): Promise<void> {
    const { cameraUuid, imports } = this.#options;
    if (this.#failure !== null) return;
    try {
      let file = this.#file;
      const isFirst = file === null;
      if (file === null) {
        const number = await imports.reserve(cameraUuid);
        file = { number, startMs: segment.startMs, endMs: segment.endMs, init: segment.init };
        this.#file = file;
      }
      const hasInit = isFirst || file.init !== segment.init;
      for (const { part, bytes } of segment.parts) {
        const init = hasInit && part.isSegmentStart ? segment.init : null;
        const isDiscontinuity = part.isDiscontinuity || (part.isSegmentStart && this.#isBreak);
        const written = { part: { ...part, init, isDiscontinuity }, bytes, expectedBytes: EXPECTED_BYTES };
        await imports.append(cameraUuid, file.number, written);
        if (part.isSegmentStart) this.#isBreak = false;
      }
      file.endMs = segment.endMs;
      file.init = segment.init;
      const wantedMs = this.#hasListed ? LATER_FILE_MS : FIRST_FILE_MS;
      if (file.endMs - file.startMs >= wantedMs) await this.#close();
    } catch (thrown) {
      await this.#fail(toGatewayError(thrown));
    }
  }

  async #close(): Promise<void> {
    const file = this.#file;
    if (file === null || this.#failure !== null) return;
    this.#file = null;
    try {
      const listed = await this.#options.imports.finish(this.#options.cameraUuid, file.number);
      this.#hasListed = true;
      this.#options.onListed(listed, file.startMs, file.endMs);
    } catch (thrown) {
      await this.#fail(toGatewayError(thrown));
    }
  }

  async #fail(error: GatewayError): Promise<void> {
    this.#failure = error;
    const file = this.#file;
    this.#file = null;
    // Nothing of it was listed; what could not be deleted goes at the next start.
    if (file !== null)
      await this.#options.imports.cancel(this.#options.cameraUuid, file.number).catch(() => undefined);
    this.#options.onFailed(error);
  }

  #tellPressure(): void {
    const isHigh = this.#waitingBytes > HIGH_BYTES;
    if (isHigh === this.#isHigh) return;
    this.#isHigh = isHigh;
    this.#options.onPressure(isHigh);
  }
}
