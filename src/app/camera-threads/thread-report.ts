/** A camera thread's report about itself, in shared memory: it costs the gateway's thread no event. */

export interface CameraThreadState {
  /** When it said so: monotonic time of the gateway's thread. */
  readonly atMonoMs: number;
  /** Since its start. */
  readonly busySec: number;
  /** Bytes of its media blocks, now. */
  readonly blockBytes: { readonly used: number; readonly free: number };
}

const NUMBERS = 4;

/** One thread writes it, one reads it. A number that is being written is read as it was or as it is. */
export class ThreadReport {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Float64Array;

  constructor(memory = new SharedArrayBuffer(NUMBERS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#numbers = new Float64Array(memory);
  }

  write({ atMonoMs, busySec, blockBytes }: CameraThreadState): void {
    this.#numbers[0] = atMonoMs;
    this.#numbers[1] = busySec;
    this.#numbers[2] = blockBytes.used;
    this.#numbers[3] = blockBytes.free;
  }

  /** Zeros before the first one. */
  read(): CameraThreadState {
    const [atMonoMs, busySec, used, free] = this.#numbers as unknown as [number, number, number, number];
    return { atMonoMs, busySec, blockBytes: { used, free } };
  }
}
