/**
 * A PTZ move that lasts as long as someone holds a button or a key. The gateway ends a move that is not renewed, so the camera also stops
 * if this page, its tab, or the connection ends.
 */

export interface Direction {
  /** -1 (left) to 1 (right). */
  readonly pan: number;
  /** -1 (down) to 1 (up). */
  readonly tilt: number;
  /** -1 (out) to 1 (in). */
  readonly zoom: number;
}

/** A full-speed turn overshoots. */
const SPEED = 0.6;
const STILL: Direction = { pan: 0, tilt: 0, zoom: 0 };

export const PTZ_DIRECTIONS = {
  up: { ...STILL, tilt: SPEED },
  down: { ...STILL, tilt: -SPEED },
  left: { ...STILL, pan: -SPEED },
  right: { ...STILL, pan: SPEED },
  closer: { ...STILL, zoom: SPEED },
  wider: { ...STILL, zoom: -SPEED },
} as const satisfies Readonly<Record<string, Direction>>;
export type PtzDirection = keyof typeof PTZ_DIRECTIONS;

export interface MoveCalls {
  /** Moves until `timeoutMs` is over. */
  readonly move: (direction: Direction, timeoutMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export const RENEW_MS = 600;
/** Two renewals can be late. */
export const MOVE_TIMEOUT_MS = 2_000;

export class HeldMove {
  readonly #calls: MoveCalls;
  #held: Direction | null = null;
  #isSending = false;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(calls: MoveCalls) {
    this.#calls = calls;
  }

  /** Moves in this direction until `release`. */
  hold(direction: Direction): void {
    this.#held = direction;
    this.#timer ??= setInterval(() => void this.#send(), RENEW_MS);
    void this.#send();
  }

  /** Stops the camera, if it was held. */
  release(): void {
    if (this.#held === null) return;
    this.#held = null;
    this.#endRenewals();
    this.#stop();
  }

  async #send(): Promise<void> {
    const direction = this.#held;
    if (direction === null || this.#isSending) return;
    this.#isSending = true;
    try {
      await this.#calls.move(direction, MOVE_TIMEOUT_MS);
    } catch (error) {
      this.#held = null;
      this.#endRenewals();
      this.#calls.onError(error);
    } finally {
      this.#isSending = false;
    }
    // The camera may have received the stop before this move.
    if (this.#held === null) this.#stop();
    else if (this.#held !== direction) void this.#send();
  }

  #stop(): void {
    this.#calls.stop().catch((error: unknown) => this.#calls.onError(error));
  }

  #endRenewals(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
