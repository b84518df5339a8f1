/**
 * The boundary between what delivers media (src/sources) and what consumes it. A source is a recipe that can be
 * opened any number of times; an instance is one attempt. An instance is never repaired: when it ends, the
 * supervisor opens a new one.
 */

import type { SourceSink } from './source-sink.ts';

export interface SourceInstance {
  /** Closes its sink and releases everything (socket, process); idempotent. The promise resolves when nothing is left. */
  close(): Promise<void>;
}

export interface Source {
  /** `direct` or `ffmpeg`: for logs and metrics. */
  readonly engine: string;
  /** Starts an attempt. Never throws: failures come through `onEnded`, after this call has returned. A sink of its own. */
  open(sink: SourceSink): SourceInstance;
}
