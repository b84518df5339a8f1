/** The recorder's thread without the thread: takes messages in order, writes, and sends notices. */

import type { Clock } from '../core/clock.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import type { RecordedRendition } from '../store/recording.ts';
import { CountedNumbers, type FileNumbers, ReservedNumbers } from './file-numbers.ts';
import { HeldBudget, HeldSegments } from './held-segments.ts';
import { ImportedFiles } from './imported-files.ts';
import { KeyFrameFiles } from './key-frame-files.ts';
import type { MediaStorage } from './media-storage.ts';
import type {
  PartInRing,
  RecorderCall,
  RecorderLimits,
  RecorderMessage,
  RecorderNotice,
  RecorderResults,
} from './recorder-protocol.ts';
import type { RecordingKeys } from './recording-cipher.ts';
import { RecordingWriter } from './recording-writer.ts';
import { repairRecording } from './repair-recording.ts';
import { type LinkSigner, SegmentChain } from './segment-chain.ts';
import { type RecordedStream, recordingName, recordingNumber } from './segment-index.ts';
import type { RingReader } from './shared-ring.ts';
import { StreamRecording } from './stream-recording.ts';
import { ThumbnailFiles } from './thumbnail-files.ts';

export interface RecorderSideOptions {
  readonly storage: MediaStorage;
  readonly ring: RingReader;
  readonly limits: RecorderLimits;
  readonly clock: Clock;
  /** To encrypt new files with; null: not at all. Default null. */
  readonly keys?: RecordingKeys | null;
  /** Signs the links of segments; null: they are not signed. Absent: there are no links. */
  readonly signer?: LinkSigner | null;
  /** Files get numbers that are given to this thread. Default: it counts on from the files that are there. */
  readonly isNumbered?: boolean;
  /** Boot ID of the running system. */
  readonly bootId: Buffer;
  readonly send: (notice: RecorderNotice) => void;
  /** Whose camera it is, before its first file. */
  readonly onOwner?: (cameraUuid: Ruuid, organization: string) => void;
}

const RENDITIONS: ReadonlySet<string> = new Set<RecordedRendition>([
  ...(['main', 'sub', 'main-silent', 'sub-silent', 'uploaded', 'pulled', 'key-frames'] as const),
]);

interface OpenStream {
  readonly of: RecordedStream;
  readonly recording: StreamRecording;
  /** null: it counts. */
  readonly reserved: ReservedNumbers | null;
}

export class RecorderSide {
  readonly #options: RecorderSideOptions;
  readonly #streams = new Map<number, OpenStream>();
  readonly #budget: HeldBudget;
  readonly #imports: ImportedFiles;
  readonly #keyFrames: KeyFrameFiles;
  readonly #thumbnails: ThumbnailFiles;
  #signer: LinkSigner | null;
  #work: Promise<void> = Promise.resolve();
  /** Calls of a remote storage, one after the other and in parallel with the work. */
  #calls: Promise<void> = Promise.resolve();

  constructor(options: RecorderSideOptions) {
    this.#options = options;
    this.#budget = new HeldBudget(options.limits.heldBytes);
    this.#signer = options.signer ?? null;
    const { storage, keys = null, limits } = options;
    this.#thumbnails = new ThumbnailFiles({ storage, keys, minFreeBytes: limits.minFreeBytes });
    this.#imports = new ImportedFiles({ ...options, createChain: (of) => this.#createChain(of) });
    this.#keyFrames = new KeyFrameFiles(storage, this.#imports);
  }

  /** Does the work after that of earlier messages; resolves when it is done. Rejects only for a defect of ours. */
  take(message: RecorderMessage): Promise<void> {
    this.#work = this.#work.then(() => this.#handle(message));
    return this.#work;
  }

  async #handle(message: RecorderMessage): Promise<void> {
    switch (message.op) {
      case 'open':
        if (!this.#streams.has(message.stream)) this.#open(message.stream, message.of);
        return;
      case 'parts':
        for (const part of message.parts) await this.#take(part);
        return;
      case 'owner':
        this.#options.onOwner?.(message.cameraUuid, message.organization);
        return;
      case 'turn':
        await this.#streams.get(message.stream)?.recording.turn(message.turn);
        if (message.turn.mode === 'off') this.#streams.get(message.stream)?.reserved?.forget();
        return;
      case 'numbers':
        this.#streams.get(message.stream)?.reserved?.add(message.block);
        return;
      case 'keep':
        await this.#streams.get(message.stream)?.recording.keep(message.fromEpochMs, message.toEpochMs);
        return;
      case 'call':
        if (this.#options.storage.isRemote !== true) return this.#respond(message.id, message.call);
        // The network keeps no part waiting.
        this.#calls = this.#calls.then(() => this.#respond(message.id, message.call));
        return;
      case 'stop':
        for (const { recording } of this.#streams.values()) await recording.close();
        await this.#imports.abandon();
        await this.#thumbnails.close();
        this.#options.send({ op: 'stopped' });
    }
  }

  #open(stream: number, of: RecordedStream): void {
    const { isNumbered = false, send } = this.#options;
    const reserved = isNumbered ? new ReservedNumbers(() => send({ op: 'numbersLow', stream })) : null;
    const recording = new StreamRecording({
      held: new HeldSegments(this.#budget),
      createWriter: () => this.#createWriter(stream, of, reserved),
      onStandby: () => this.#options.send({ op: 'standby', stream }),
    });
    this.#streams.set(stream, { of, recording, reserved });
  }

  async #take({ stream, part, position, byteLength, release }: PartInRing): Promise<void> {
    const { ring } = this.#options;
    try {
      await this.#streams.get(stream)?.recording.take(part, ring.view(position, byteLength));
    } finally {
      ring.release(release);
    }
  }

  /** null: its folder cannot be read now, or its numbers are on their way; the next part tries again. */
  async #createWriter(
    stream: number,
    of: RecordedStream,
    reserved: ReservedNumbers | null,
  ): Promise<RecordingWriter | null> {
    const { storage, limits, clock, bootId, send, keys = null } = this.#options;
    let numbers: FileNumbers;
    if (reserved !== null) {
      if (reserved.isEmpty) return null;
      numbers = reserved;
    } else {
      try {
        const newest = await storage.newestName(folderOf(of));
        const number = newest === null ? -1 : recordingNumber(newest);
        numbers = new CountedNumbers((number ?? (await numbersOf(storage, of)).at(-1) ?? -1) + 1);
      } catch (thrown) {
        send({ op: 'state', stream, state: { state: 'failed', error: wireErrorOf(thrown) } });
        return null;
      }
    }
    return new RecordingWriter({
      stream: of,
      storage,
      limits,
      keys,
      chain: this.#createChain(of),
      clock,
      bootId,
      numbers,
      events: {
        onSegment: (number, segment) => send({ op: 'segment', stream, number, segment }),
        onFile: (file) => send({ op: 'file', stream, file }),
        onUnfinished: (number) => send({ op: 'unfinished', stream, number }),
        onState: (state) => send({ op: 'state', stream, state }),
        onDropped: () => send({ op: 'dropped', stream }),
      },
    });
  }

  #createChain(of: RecordedStream): SegmentChain | null {
    return this.#options.signer === undefined ? null : new SegmentChain(of, () => this.#signer);
  }

  async #respond(id: number, call: RecorderCall): Promise<void> {
    const { send } = this.#options;
    try {
      send({ op: 'result', id, value: await this.#run(call) });
    } catch (thrown) {
      send({ op: 'failure', id, failure: wireErrorOf(thrown) });
    }
  }

  async #run(call: RecorderCall): Promise<RecorderResults[keyof RecorderResults]> {
    const { storage, bootId } = this.#options;
    switch (call.name) {
      case 'streams':
        return streamsOf(storage);
      case 'numbers': {
        const before = this.#openNumber(call.of);
        const numbers = await numbersOf(storage, call.of);
        const open = this.#openNumber(call.of);
        return numbers.filter(
          (number) => number !== before && number !== open && !this.#imports.has(call.of, number),
        );
      }
      case 'newestNumber': {
        const newest = await storage.newestName(folderOf(call.of));
        return newest === null ? null : recordingNumber(newest);
      }
      case 'repair':
        if (this.#isOpen(call.of, call.number)) return null;
        return repairRecording(storage, recordingName(call.of, call.number), bootId, this.#signer);
      case 'delete':
        if (this.#isOpen(call.of, call.number)) return false;
        await this.#thumbnails.delete(call.of, call.number);
        return storage.delete(recordingName(call.of, call.number));
      case 'freeBytes':
        return storage.freeBytes();
      case 'addThumbnails':
        await this.#thumbnails.append(call.of, call.number, call.chunk);
        return null;
      case 'endThumbnails':
        await this.#thumbnails.end(call.of, call.number);
        return null;
      case 'importSegment':
        await this.#imports.append(call.of, call.number, call);
        return null;
      case 'thin':
        return this.#keyFrames.append(call);
      case 'importEnd':
        this.#keyFrames.forget();
        return this.#imports.finish(call.of, call.number);
      case 'importCancel':
        this.#keyFrames.forget();
        return this.#imports.cancel(call.of, call.number);
    }
  }

  #isOpen(of: RecordedStream, number: number): boolean {
    return this.#openNumber(of) === number || this.#imports.has(of, number);
  }

  #openNumber({ cameraUuid, rendition }: RecordedStream): number | null {
    for (const { of, recording } of this.#streams.values()) {
      if (of.cameraUuid === cameraUuid && of.rendition === rendition) return recording.openNumber;
    }
    return null;
  }
}

/** A camera whose folder cannot be read may have any of them; reading their files fails then. */
async function streamsOf(storage: MediaStorage): Promise<RecordedStream[]> {
  const streams: RecordedStream[] = [];
  for (const cameraUuid of await storage.list('')) {
    if (!isRuuid(cameraUuid)) continue;
    const renditions = await storage.list(cameraUuid).catch(() => [...RENDITIONS]);
    for (const rendition of renditions) {
      if (RENDITIONS.has(rendition)) streams.push({ cameraUuid, rendition: rendition as RecordedRendition });
    }
  }
  return streams;
}

function folderOf({ cameraUuid, rendition }: RecordedStream): string {
  return `${cameraUuid}/${rendition}`;
}

async function numbersOf(storage: MediaStorage, stream: RecordedStream): Promise<number[]> {
  const names = await storage.list(folderOf(stream));
  return names.map(recordingNumber).filter((number) => number !== null);
}
