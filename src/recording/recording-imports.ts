/**
 * The way into a camera's recordings for media that is not being recorded: as files of the stream `uploaded`, `pulled`, or `key-frames`. A file is
 * in the catalog as a whole or not at all, also if the gateway ends in between. docs/design/upload.md.
 */

import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingRepository } from '../store/recording.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { NumberBlock } from './file-numbers.ts';
import type { ImportedSegment } from './imported-files.ts';
import type { Recorder } from './recorder.ts';
import { recordingOf } from './recording-catalog.ts';
import type { RecordingKeeper } from './recording-keeper.ts';
import { type RecordedFile, type RecordedStream, recordingName } from './segment-index.ts';

export interface RecordingImportsOptions {
  readonly recorder: Pick<Recorder, 'start' | 'call'>;
  readonly recordings: RecordingRepository;
  /** In a cluster: numbers that no other node uses. */
  readonly reserveNumbers?: ((stream: RecordedStream, count: number) => Promise<NumberBlock>) | undefined;
  readonly keeper: () => Pick<RecordingKeeper, 'finished'>;
  /** Default: `uploaded`. */
  readonly rendition?: 'uploaded' | 'pulled' | 'key-frames';
}

export class RecordingImports {
  readonly #options: RecordingImportsOptions;
  /** Names of files that are not finished. */
  readonly #reserved = new Set<string>();
  /** By camera, the highest number that was finished. A year of files takes the store and the disk a while to list. */
  readonly #finished = new Map<Ruuid, number>();
  readonly #lock = new KeyedLock();

  constructor(options: RecordingImportsOptions) {
    this.#options = options;
  }

  /** Keeps a file that an earlier gateway may have left unfinished: only its upload may list it. */
  keep(cameraUuid: Ruuid, number: number): void {
    this.#reserved.add(recordingName(this.#streamOf(cameraUuid), number));
  }

  isReserved(stream: RecordedStream, number: number): boolean {
    return this.#reserved.has(recordingName(stream, number));
  }

  /** A number for a new file. Fails like the recorder and the store. */
  async reserve(cameraUuid: Ruuid): Promise<number> {
    const { recorder, recordings, reserveNumbers } = this.#options;
    const of = this.#streamOf(cameraUuid);
    recorder.start();
    if (reserveNumbers !== undefined) {
      const { first } = await reserveNumbers(of, 1);
      this.keep(cameraUuid, first);
      return first;
    }
    return this.#lock.run(cameraUuid, async () => {
      // Not a list of all: S3 would have to answer for it.
      let number = this.#finished.get(cameraUuid) ?? null;
      if (number === null) {
        const newest = await recorder.call({ name: 'newestNumber', of });
        const listed = await recordings.numbers(of);
        number = Math.max(-1, newest ?? -1, ...listed.slice(-1));
      }
      number++;
      while (this.isReserved(of, number)) number++;
      this.keep(cameraUuid, number);
      return number;
    });
  }

  /** Whether a file with this number is finished and in the catalog. */
  async isListed(cameraUuid: Ruuid, number: number): Promise<boolean> {
    return (await this.#options.recordings.numbers(this.#streamOf(cameraUuid))).includes(number);
  }

  /** Segments come in order, each when the one before is written. Fails like the recorder; then nothing is left. */
  async append(cameraUuid: Ruuid, number: number, segment: ImportedSegment): Promise<void> {
    const { recorder } = this.#options;
    recorder.start();
    await recorder.call({ name: 'importSegment', of: this.#streamOf(cameraUuid), number, ...segment });
  }

  /** When it resolves, the file is on the disk and in the catalog. */
  async finish(cameraUuid: Ruuid, number: number): Promise<RecordedFile> {
    const file = await this.#seal(cameraUuid, number);
    await this.#options.recordings.save(recordingOf(file));
    this.#take(file);
    return file;
  }

  /** As `finish`, of a file that is not written again: if the store does not take its row now, this fails, and the catalog tries again. */
  async finishForGood(cameraUuid: Ruuid, number: number): Promise<RecordedFile> {
    const file = await this.#seal(cameraUuid, number).finally(() => this.release(cameraUuid, number));
    try {
      await this.#options.recordings.save(recordingOf(file));
    } finally {
      this.#take(file);
    }
    return file;
  }

  async #seal(cameraUuid: Ruuid, number: number): Promise<RecordedFile> {
    const of = this.#streamOf(cameraUuid);
    const file = await this.#options.recorder.call({ name: 'importEnd', of, number });
    if (file.number === number) return file;
    throw new GatewayError(RECORDING_ERRORS.RECORDING_IO, { name: recordingName(of, number) });
  }

  #take(file: RecordedFile): void {
    const { cameraUuid, number } = file;
    this.release(cameraUuid, number);
    this.#finished.set(cameraUuid, Math.max(number, this.#finished.get(cameraUuid) ?? -1));
    this.#options.keeper().finished(file);
  }

  /** Nothing of it is left; its number is free. Fails like the recorder. */
  async cancel(cameraUuid: Ruuid, number: number): Promise<void> {
    const { recorder } = this.#options;
    const of = this.#streamOf(cameraUuid);
    recorder.start();
    await recorder.call({ name: 'importCancel', of, number });
    this.#reserved.delete(recordingName(of, number));
  }

  /** It was finished before the gateway ended. */
  release(cameraUuid: Ruuid, number: number): void {
    this.#reserved.delete(recordingName(this.#streamOf(cameraUuid), number));
  }

  #streamOf(cameraUuid: Ruuid): RecordedStream {
    return { cameraUuid, rendition: this.#options.rendition ?? 'uploaded' };
  }
}
