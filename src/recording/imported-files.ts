/**
 * Recording files that are handed over as a whole, in the recorder's thread: written segment by segment like those of a
 * live stream, but an error ends them. docs/design/upload.md.
 */

import { GatewayError } from '../core/errors.ts';
import { errorOfWire } from '../core/wire-error.ts';
import { RECORDING_ERRORS } from './errors.ts';
import { CountedNumbers } from './file-numbers.ts';
import type { MediaStorage } from './media-storage.ts';
import type { RecordingKeys } from './recording-cipher.ts';
import type { RecordedPart, WriterLimits } from './recording-writer.ts';
import { RecordingWriter } from './recording-writer.ts';
import type { SegmentChain } from './segment-chain.ts';
import { type RecordedFile, type RecordedStream, recordingName } from './segment-index.ts';

export interface ImportedFilesOptions {
  readonly storage: MediaStorage;
  readonly limits: WriterLimits;
  /** To encrypt with; null: not at all. Default null. */
  readonly keys?: RecordingKeys | null;
  /** Links the segments of a file; null: they have no links. Default: none has. */
  readonly createChain?: (of: RecordedStream) => SegmentChain | null;
  /** Boot ID of the running system. */
  readonly bootId: Buffer;
}

export interface ImportedSegment {
  readonly part: RecordedPart;
  readonly bytes: Uint8Array;
  /** Approximate size of the whole file: so much room is reserved for it. */
  readonly expectedBytes: number;
}

interface OpenImport {
  readonly writer: RecordingWriter;
  file: RecordedFile | null;
  failure: GatewayError | null;
}

/** Boxes around the segments, at most. */
const ROOM_FOR_BOXES = 1_048_576;

export class ImportedFiles {
  readonly #options: ImportedFilesOptions;
  /** By the names of their files. */
  readonly #open = new Map<string, OpenImport>();
  /** Names under which there is another file, until their imports are canceled. */
  readonly #taken = new Set<string>();

  constructor(options: ImportedFilesOptions) {
    this.#options = options;
  }

  /** Whether the file is being written. */
  has(of: RecordedStream, number: number): boolean {
    return this.#open.has(recordingName(of, number));
  }

  /** Fails RECORDING_DISK_FULL, RECORDING_IO; then the file is gone. Fails RECORDING_EXISTS; then the other one stays. */
  async append(of: RecordedStream, number: number, segment: ImportedSegment): Promise<void> {
    const name = recordingName(of, number);
    let open = this.#open.get(name);
    if (open === undefined) {
      open = this.#begin(of, number, segment.expectedBytes);
      this.#open.set(name, open);
    }
    await open.writer.write(segment.part, segment.bytes);
    if (open.failure !== null) await this.#fail(name, open.failure);
  }

  /** It is on the disk when this resolves. Fails like `append`, and RECORDING_NOT_FOUND if nothing was appended. */
  async finish(of: RecordedStream, number: number): Promise<RecordedFile> {
    const name = recordingName(of, number);
    const open = this.#open.get(name);
    if (open === undefined) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
    await open.writer.close();
    const { file, failure } = open;
    if (file === null) {
      return this.#fail(name, failure ?? new GatewayError(RECORDING_ERRORS.RECORDING_IO, { name }));
    }
    this.#open.delete(name);
    return file;
  }

  /** Whether there was something to delete. */
  async cancel(of: RecordedStream, number: number): Promise<boolean> {
    const name = recordingName(of, number);
    await this.#open.get(name)?.writer.close();
    this.#open.delete(name);
    return !this.#taken.delete(name) && this.#options.storage.delete(name);
  }

  /** The gateway stops: unfinished files will be written again. */
  async abandon(): Promise<void> {
    for (const [name, { writer }] of this.#open) {
      await writer.close();
      // A disk that fails now has the same file at the next start, when it is replaced.
      await this.#options.storage.delete(name).catch(() => undefined);
    }
    this.#open.clear();
  }

  #begin(of: RecordedStream, number: number, expectedBytes: number): OpenImport {
    const { storage, limits, bootId, keys = null, createChain } = this.#options;
    const open: OpenImport = {
      file: null,
      failure: null,
      writer: new RecordingWriter({
        stream: of,
        storage,
        keys,
        chain: createChain?.(of) ?? null,
        bootId,
        numbers: new CountedNumbers(number),
        isOneFile: true,
        limits: {
          ...limits,
          fileBytes: expectedBytes + Math.min(expectedBytes, ROOM_FOR_BOXES),
          // More is deleted for it than it takes.
          minFreeBytes: of.rendition === 'key-frames' ? 0 : limits.minFreeBytes,
        },
        events: {
          onSegment: () => undefined,
          onFile: (file) => {
            open.file = file;
          },
          onUnfinished: () => undefined,
          onState: (state) => {
            if (state.state === 'failed') open.failure = errorOfWire(state.error);
          },
          onDropped: () => undefined,
        },
      }),
    };
    return open;
  }

  async #fail(name: string, failure: GatewayError): Promise<never> {
    this.#open.delete(name);
    if (failure.code === RECORDING_ERRORS.RECORDING_EXISTS.code) this.#taken.add(name);
    else await this.#options.storage.delete(name).catch(() => undefined);
    throw failure;
  }
}
