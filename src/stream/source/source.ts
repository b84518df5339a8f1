/**
 * The boundary between what produces media (src/sources) and what consumes it. A source is a recipe that can be opened
 * any number of times; an instance is one attempt. An instance is never repaired: when it ends, the supervisor opens a
 * new one.
 */

import type { SourceSink } from './source-sink.ts';

export interface SourceInstance {
  /**
   * Closes its sink and releases everything (socket, process); idempotent. The promise resolves when everything is
   * released.
   */
  close(): Promise<void>;
  /**
   * Accepts no more input. Resolves when all pending output has come out; the sink gets no end event. Absent: no output
   * stays pending.
   */
  finish?(): Promise<void>;
}

export interface Source {
  /** `direct`, `ffmpeg` or `rtmp`: for logs and metrics. */
  readonly engine: string;
  /**
   * Starts an attempt. Never throws: failures are reported by `onEnded`, after this call has returned. Each attempt
   * needs its own sink.
   */
  open(sink: SourceSink): SourceInstance;
}
