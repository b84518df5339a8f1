/**
 * The recorder's thread of a simulated process: the product's own side of it (recorder-side.ts) over the simulated disk. A port in the
 * world's time stands in for the thread's; the disk says how long it takes.
 */

import { DecryptingStorage } from '../../src/recording/decrypting-storage.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import type { LaunchRecorder, RecorderThreadEvents } from '../../src/recording/recorder.ts';
import type {
  RecorderMessage,
  RecorderNotice,
  RecorderWorkerData,
} from '../../src/recording/recorder-protocol.ts';
import { RecorderSide } from '../../src/recording/recorder-side.ts';
import { RecordingKeys } from '../../src/recording/recording-cipher.ts';
import type { RecordedSegment, RecordedStream } from '../../src/recording/segment-index.ts';
import { RingReader } from '../../src/recording/shared-ring.ts';
import type { SimulatedDisk, SimulatedMount } from './disk.ts';
import type { Random } from './random.ts';
import { ARRIVALS, type Host, type HostClock, type World } from './world.ts';

export const RECORDINGS_FOLDER = '/recordings';
const MESSAGE_MS = 0.2;
/** Limit on the requested bytes that a killed process has still written. */
const MAX_LAST_BYTES = 3_000;

export interface RecorderSurroundings {
  readonly world: World;
  readonly disk: SimulatedDisk;
  readonly random: Random;
  /** The thread has said that this segment is written. */
  onWritten(mount: SimulatedMount, stream: RecordedStream, number: number, segment: RecordedSegment): void;
}

export class SimulatedRecorder {
  readonly mount: SimulatedMount;
  readonly launch: (data: Omit<RecorderWorkerData, 'ring'>) => LaunchRecorder;
  readonly #surroundings: RecorderSurroundings;
  readonly #host: Host;
  #waiting: RecorderMessage[] = [];
  #notices: RecorderNotice[] = [];
  #side: RecorderSide | null = null;
  #isWorking = false;

  constructor(surroundings: RecorderSurroundings, host: Host, clock: HostClock, bootId: Buffer) {
    this.#surroundings = surroundings;
    this.#host = host;
    this.mount = surroundings.disk.mount();
    this.launch = (data) => (memory, events) => {
      const streams = new Map<number, RecordedStream>();
      const { limits, isNumbered = false, storage } = data;
      this.#waiting = [];
      this.#side = null;
      const begin = (): void => {
        let folder: FileStorage;
        try {
          folder = new FileStorage(RECORDINGS_FOLDER, this.mount);
        } catch (thrown) {
          events.onEnd(thrown);
          return;
        }
        this.#side = new RecorderSide({
          limits,
          isNumbered,
          clock,
          bootId,
          ring: new RingReader(memory),
          storage: new DecryptingStorage(folder, new RecordingKeys(storage.key)),
          send: (notice) => this.#send(structuredClone(notice), events, streams),
        });
        this.#work();
      };
      surroundings.world.after(surroundings.disk.latencyMs + MESSAGE_MS, begin, ARRIVALS, host);
      return {
        post: (message) => {
          if (message.op === 'open') streams.set(message.stream, message.of);
          this.#waiting.push(structuredClone(message));
          this.#work();
        },
        terminate: () => undefined,
      };
    };
  }

  /** The process is killed, perhaps in the middle of a request to its thread. */
  killed(): void {
    const { random } = this.#surroundings;
    const isWriting = this.#side !== null && this.#waiting.length > 0 && random.chance(0.7);
    this.mount.die(isWriting ? 1 + random.below(MAX_LAST_BYTES) : 0);
    if (!isWriting) return;
    for (const message of this.#waiting.splice(0)) void this.#side?.take(message);
  }

  #work(): void {
    if (this.#isWorking || this.#side === null || this.#waiting.length === 0) return;
    this.#isWorking = true;
    const { world, disk } = this.#surroundings;
    const work = (): void => {
      this.#isWorking = false;
      for (const message of this.#waiting.splice(0)) void this.#side?.take(message);
    };
    world.after(disk.latencyMs + MESSAGE_MS, work, ARRIVALS, this.#host);
  }

  #send(notice: RecorderNotice, events: RecorderThreadEvents, streams: Map<number, RecordedStream>): void {
    const { world, onWritten } = this.#surroundings;
    if (notice.op === 'segment') {
      onWritten(this.mount, streams.get(notice.stream)!, notice.number, notice.segment);
    }
    this.#notices.push(notice);
    if (this.#notices.length > 1) return;
    const deliver = (): void => {
      for (const each of this.#notices.splice(0)) events.onNotice(each);
    };
    world.after(MESSAGE_MS, deliver, ARRIVALS, this.#host);
  }
}
