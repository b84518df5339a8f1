/**
 * Limits what one camera may send. Everything it sends costs time on the thread that serves all viewers, and a
 * connection on loopback or a fast network carries millions of tiny packets per second.
 *
 * Real cameras stay far below. 8K at 50 Mbit/s is 4,500 packets of 1,400 bytes per second, or 12,500 packets of 500
 * bytes. A camera that sends a backlog of the last seconds, or a gateway that slept, adds what socket buffers hold, by
 * default at most 6 MiB. The window has room for such bursts.
 */

export const FLOOD_WINDOW_MS = 1_000;
/** Packets and messages from a camera; boxes and samples from a worker. */
export const MAX_WINDOW_PACKETS = 20_000;
/** 268 Mbit/s. */
export const MAX_WINDOW_BYTES = 32 * 1_048_576;
/** Pause before a camera that flooded is opened again: a tenth of a second of flood is then 0.3% of the time. */
export const FLOOD_PAUSE_SEC = 30;

/** The counts in the window that exceeded a limit, for the error's context. */
export interface FloodFigures {
  readonly packets: number;
  readonly bytes: number;
  /** Time since the window began. */
  readonly elapsedMs: number;
  readonly maxPackets: number;
  readonly maxBytes: number;
  readonly windowMs: number;
  /** The supervisor follows it, up to its longest pause. */
  readonly retryAfterSec: number;
}

export class FloodGuard {
  #windowMonoMs = Number.NEGATIVE_INFINITY;
  #packets = 0;
  #bytes = 0;

  /** Hot: once per read. Returns false if the window holds too much. */
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

  /** The counts of the open window. */
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
