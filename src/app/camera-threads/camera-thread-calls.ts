/** Messages between the gateway's thread and its camera threads. */

import type { MessagePort } from 'node:worker_threads';
import type { CameraHostCalls } from '../../sources/threaded/host-messages.ts';
import type { RingMemory } from '../../sources/threaded/unit-ring.ts';

/** Data with which each thread starts. */
export interface CameraThreadData {
  readonly ring: RingMemory;
  /** Memory of a ThreadReport, written at least every second: without it, the thread is stuck. */
  readonly report: SharedArrayBuffer;
  /** Slab notices: the gateway's thread takes them when it needs them, which costs less than events. */
  readonly slabs: MessagePort;
  /** Any message wakes the gateway's thread. It has a port of its own because a call costs its receiver several times as much. */
  readonly wakes: MessagePort;
  /** Monotonic time of the gateway's thread minus the machine's (`process.hrtime`), in milliseconds. */
  readonly monoMinusHrMs: number;
}

/** Calls that a camera thread accepts. */
export interface CameraThreadCalls extends CameraHostCalls {
  /** Resolves when it can read cameras. */
  start(): Promise<void>;
  /** Resolves when every camera is released. */
  closeAll(): Promise<void>;
}
