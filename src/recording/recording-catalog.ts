/**
 * Where each instant of the past lies: one row per finished file in the store, and the files that are being written in
 * memory. docs/design/recording.md#the-catalog.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Recording, RecordingRepository, RecordingSpan } from '../store/recording.ts';
import {
  type FoundFile,
  type FoundSegment,
  type PackedFile,
  RecordingFinder,
  type UnlistedFile,
} from './recording-finder.ts';
import {
  packIndex,
  type RecordedFile,
  type RecordedSegment,
  type RecordedStream,
  recordingName,
  timeSpanOf,
  unpackIndex,
} from './segment-index.ts';

export type { FoundFile, FoundSegment } from './recording-finder.ts';

export interface RecordingCatalogOptions {
  readonly recordings: RecordingRepository;
  /** The file of a stream that is being written, as far as it is. */
  readonly openFile: (
    stream: RecordedStream,
  ) => { readonly number: number; readonly segments: readonly RecordedSegment[] } | null;
  /** In a cluster: files of other nodes that the store does not have. Never rejects. Default: none. */
  readonly elsewhere?: (stream: RecordedStream) => Promise<readonly PackedFile[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Finished files that the store has not taken yet. Beyond this, they wait for the next start. */
const MAX_UNSAVED_FILES = 1_000;
const SAVE_AGAIN_MS = 5_000;
/** Rows that the store does not take, one after the other: then it takes none. */
const MAX_FAILURES_IN_ROW = 3;

export class RecordingCatalog {
  readonly #options: RecordingCatalogOptions;
  readonly #finder: RecordingFinder;
  /** By name, in the order in which they are tried. */
  readonly #unsaved = new Map<string, RecordedFile>();
  #saving: Promise<void> | null = null;
  #saveAgain: TimerHandle | null = null;

  constructor(options: RecordingCatalogOptions) {
    this.#options = options;
    this.#finder = new RecordingFinder({
      recordings: options.recordings,
      unlisted: async (stream) => [...this.#unlisted(stream), ...unpackFiles(await this.#elsewhere(stream))],
    });
  }

  /** Stores the row of a finished file; tries again until the store takes it. */
  add(file: RecordedFile): void {
    const name = recordingName(file, file.number);
    if (this.#unsaved.size >= MAX_UNSAVED_FILES && !this.#unsaved.has(name)) {
      this.#options.log.error(
        { name },
        'recording not listed before the next start, the store takes no rows',
      );
      return;
    }
    this.#unsaved.set(name, file);
    this.#save();
  }

  /** Resolves when nothing is being stored anymore. */
  async settled(): Promise<void> {
    while (this.#saving !== null) await this.#saving;
  }

  /** Stops trying. Files without a row are found at the next start. */
  async close(): Promise<void> {
    await this.settled();
    this.#saveAgain?.cancel();
    this.#unsaved.clear();
  }

  /**
   * An event wants the recordings of this time of the camera: they are no longer kept for shares only. Fails like the store.
   */
  async claim(stream: RecordedStream, fromMs: number, toMs: number): Promise<void> {
    for (const [name, file] of this.#unsaved) {
      const { startMs, endMs } = timeSpanOf(file.segments);
      const isMeant = nameOfStream(file) === nameOfStream(stream) && startMs < toMs && endMs > fromMs;
      if (isMeant && file.purpose === 'shares') this.#unsaved.set(name, { ...file, purpose: 'camera' });
    }
    await this.settled();
    await this.#options.recordings.claim(stream, fromMs, toMs);
  }

  /** Whether the file is finished, and not in the store yet. */
  isUnsaved(stream: RecordedStream, number: number): boolean {
    return this.#unsaved.has(recordingName(stream, number));
  }

  /** As RecordingFinder. */
  segments(stream: RecordedStream, fromMs: number, toMs: number): Promise<FoundFile[]> {
    return this.#finder.segments(stream, fromMs, toMs);
  }

  /** As RecordingFinder. */
  spans(stream: RecordedStream, fromMs: number, toMs: number, joinMs: number): Promise<RecordingSpan[]> {
    return this.#finder.spans(stream, fromMs, toMs, joinMs);
  }

  /** As RecordingFinder. */
  hours(stream: RecordedStream, fromMs: number, toMs: number): Promise<RecordingSpan[]> {
    return this.#finder.hours(stream, fromMs, toMs);
  }

  /** As RecordingFinder. */
  seek(stream: RecordedStream, atMs: number): Promise<FoundSegment | null> {
    return this.#finder.seek(stream, atMs);
  }

  /** The files that the store does not have, for a RecordingFinder in another thread. */
  async unlisted(stream: RecordedStream): Promise<PackedFile[]> {
    return [...this.ownUnlisted(stream), ...(await this.#elsewhere(stream))];
  }

  /** As `unlisted`, of this gateway alone. */
  ownUnlisted(stream: RecordedStream): PackedFile[] {
    return this.#unlisted(stream).map(({ number, segments }) => ({ number, segments: packIndex(segments) }));
  }

  async #elsewhere(stream: RecordedStream): Promise<readonly PackedFile[]> {
    return this.#options.elsewhere?.(stream) ?? [];
  }

  #unlisted(stream: RecordedStream): UnlistedFile[] {
    const files: UnlistedFile[] = [];
    for (const file of this.#unsaved.values()) {
      if (file.cameraUuid === stream.cameraUuid && file.rendition === stream.rendition) files.push(file);
    }
    files.sort((one, other) => one.number - other.number);
    const open = this.#options.openFile(stream);
    // It grows while the caller reads.
    if (open !== null) files.push({ number: open.number, segments: [...open.segments] });
    return files;
  }

  #save(): void {
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = null;
      if (this.#unsaved.size > 0 && this.#saveAgain === null) this.#save();
    });
  }

  /** One after the other. A row that the store does not take lets the others pass; if several fail in a row, all wait. */
  async #saveAll(): Promise<void> {
    if (this.#saveAgain !== null) return;
    const { clock } = this.#options;
    let failuresInRow = 0;
    const failed = new Set<string>();
    while (failuresInRow < MAX_FAILURES_IN_ROW) {
      const entry = [...this.#unsaved].find(([name]) => !failed.has(name));
      if (entry === undefined) break;
      const [name, file] = entry;
      if (await this.#saveOne(name, file)) failuresInRow = 0;
      else {
        failed.add(name);
        failuresInRow++;
      }
    }
    if (failed.size === 0) return;
    this.#saveAgain = clock.after(SAVE_AGAIN_MS, () => {
      this.#saveAgain = null;
      this.#save();
    });
  }

  async #saveOne(name: string, file: RecordedFile): Promise<boolean> {
    const { recordings, log } = this.#options;
    try {
      await recordings.save(recordingOf(file));
      if (this.#unsaved.get(name) === file) this.#unsaved.delete(name);
      return true;
    } catch (thrown) {
      log.error({ name, err: toGatewayError(thrown) }, 'recording not stored, trying again');
      // It comes after the others the next time.
      const newest = this.#unsaved.get(name) ?? file;
      this.#unsaved.delete(name);
      this.#unsaved.set(name, newest);
      return false;
    }
  }
}

function unpackFiles(files: readonly PackedFile[]): UnlistedFile[] {
  return files.map(({ number, segments }) => ({ number, segments: unpackIndex(segments) }));
}

function nameOfStream({ cameraUuid, rendition }: RecordedStream): string {
  return `${cameraUuid}/${rendition}`;
}

export function recordingOf(file: RecordedFile): Recording {
  const { cameraUuid, rendition, number, purpose = 'camera', byteLength, segments, head } = file;
  return {
    cameraUuid,
    rendition,
    number,
    purpose,
    byteLength,
    ...timeSpanOf(segments),
    segments: packIndex(segments, head),
  };
}
