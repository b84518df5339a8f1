/** The recorder's thread without a thread: messages wait until the test lets it work. */

import type { Clock } from '../core/clock.ts';
import type { MediaStorage } from './media-storage.ts';
import type { LaunchRecorder, RecorderThreadEvents } from './recorder.ts';
import type { RecorderLimits, RecorderMessage } from './recorder-protocol.ts';
import { RecorderSide } from './recorder-side.ts';
import type { RecordingKeys } from './recording-cipher.ts';
import { RingReader } from './shared-ring.ts';

const DEFAULT_HELD_BYTES = 1_048_576;

export class FakeRecorderThread {
  readonly launches: RecorderThreadEvents[] = [];
  /** False: nothing is taken from the ring. */
  isWorking = true;
  /** The organization of each camera, as the thread of the last launch knows it. */
  readonly owners = new Map<string, string>();
  readonly #waiting: RecorderMessage[] = [];
  #side: RecorderSide | null = null;
  /** The message that was taken last. */
  #done: Promise<void> = Promise.resolve();
  readonly launch: LaunchRecorder;

  constructor(options: {
    readonly storage: MediaStorage;
    readonly limits: Omit<RecorderLimits, 'heldBytes'> & Partial<RecorderLimits>;
    readonly clock: Clock;
    readonly bootId: Buffer;
    readonly keys?: RecordingKeys | null;
    readonly isNumbered?: boolean;
  }) {
    this.launch = (ring, events) => {
      this.launches.push(events);
      this.#waiting.length = 0;
      this.owners.clear();
      const side = new RecorderSide({
        signer: null,
        ...options,
        limits: { heldBytes: DEFAULT_HELD_BYTES, ...options.limits },
        ring: new RingReader(ring),
        onOwner: (cameraUuid, organization) => void this.owners.set(cameraUuid, organization),
        send: (notice) => {
          if (this.#side === side) events.onNotice(structuredClone(notice));
        },
      });
      this.#side = side;
      return {
        post: (message) => {
          this.#waiting.push(structuredClone(message));
          if (this.isWorking) void this.work();
        },
        terminate: () => undefined,
      };
    };
  }

  /** Takes what waits; resolves when all of it is done. */
  async work(): Promise<void> {
    const side = this.#side;
    if (side === null) return;
    for (const message of this.#waiting.splice(0)) this.#done = side.take(message);
    await this.#done;
  }

  /** It ends without finishing anything, as if it had failed. */
  fail(): void {
    this.#side = null;
    this.launches.at(-1)!.onEnd(new Error('thread failed'));
  }
}
