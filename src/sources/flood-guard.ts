/**
 * What one camera may send. Everything it sends costs the thread that serves all viewers: a connection on loopback or a
 * fast network carries millions of tiny packets a second.
 *
 * Real cameras stay far below. 8K at 50 Mbit/s is 4,500 packets of 1,400 bytes a second, 12,500 in packets of 500
 * bytes; a camera that sends all it has kept of the last seconds, or a gateway that slept, adds what socket buffers hold,
 * at most 6 MiB by default. The window takes in such bursts.
 */

export const FLOOD_WINDOW_MS = 1_000;
/** Packets and messages of a camera; boxes and samples of a worker. */
export const MAX_WINDOW_PACKETS = 20_000;
/** 268 Mbit/s. */
export const MAX_WINDOW_BYTES = 32 * 1_048_576;
/** Until a camera that flooded is opened again: a tenth of a second of flood is then a third of a percent of the time. */
export const FLOOD_PAUSE_SEC = 30;

/** What was counted in a window when it was too much: for the error's context. */
export interface FloodFigures {
  readonly packets: number;
  readonly bytes: number;
  /** How long it took. */
  readonly elapsedMs: number;
  readonly maxPackets: number;
  readonly maxBytes: number;
  readonly windowMs: number;
  /** Heeded by the supervisor, within its longest pause. */
  readonly retryAfterSec: number;
}

export class FloodGuard {
  #windowMonoMs = Number.NEGATIVE_INFINITY;
  #packets = 0;
  #bytes = 0;

  /** Hot: once a read. False when the window holds too much. */
  admits(packets: number, bytes: number, nowMonoMs: number): boolean {
    if (nowMonoMs - this.#windowMonoMs >= FLOOD_WINDOW_MS) {
      this.#windowMonoMs = nowMonoMs;
      this.#packets = 0;
      this.#bytes = 0;
    }
    this.#packets += packets;
    this.#bytes += bytes;
    return this.#packets <= MAX_WINDOW_PACKETS && this.#bytes <= MAX_WINDOW_BYTES;
  }

  /** Of the window that is open. */
  figures(nowMonoMs: number): FloodFigures {
    return {
      packets: this.#packets,
      bytes: this.#bytes,
      elapsedMs: Math.round(nowMonoMs - this.#windowMonoMs),
      maxPackets: MAX_WINDOW_PACKETS,
      maxBytes: MAX_WINDOW_BYTES,
      windowMs: FLOOD_WINDOW_MS,
      retryAfterSec: FLOOD_PAUSE_SEC,
    };
  }
}
