/** Decoded frames that wait for their sound. They are shown in order, and few are held: decoders have few to give. */

const MAX_HELD = 8;

interface HeldFrame {
  readonly frame: VideoFrame;
  readonly epochMs: number;
}

export class HeldFrames {
  readonly #dueAtMs: (epochMs: number) => number | null;
  readonly #onDue: (frame: VideoFrame, epochMs: number) => void;
  readonly #held: HeldFrame[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `dueAtMs`: by `performance.now()`, as it is known now; null: it need not wait. `onDue`: takes over the frame. */
  constructor(
    dueAtMs: (epochMs: number) => number | null,
    onDue: (frame: VideoFrame, epochMs: number) => void,
  ) {
    this.#dueAtMs = dueAtMs;
    this.#onDue = onDue;
  }

  /** Takes over `frame`. */
  put(frame: VideoFrame, epochMs: number): void {
    this.#held.push({ frame, epochMs });
    this.#look();
  }

  clear(): void {
    clearTimeout(this.#timer);
    for (const { frame } of this.#held.splice(0)) frame.close();
  }

  #look(): void {
    clearTimeout(this.#timer);
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const waitMs = (this.#dueAtMs(next.epochMs) ?? Number.NEGATIVE_INFINITY) - performance.now();
      if (waitMs > 0 && this.#held.length <= MAX_HELD) {
        this.#timer = setTimeout(() => this.#look(), waitMs);
        return;
      }
      this.#held.shift();
      this.#onDue(next.frame, next.epochMs);
    }
  }
}
