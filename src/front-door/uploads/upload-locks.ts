/**
 * One request at a time works on an upload. A new request tells the holder to let go, which may be a connection that died long ago. The
 * package's own lock tries again in every turn of the event loop.
 */

import type { Lock, Locker, RequestRelease } from '@tus/utils';
import { GatewayError } from '../../core/errors.ts';
import { UPLOAD_ERRORS } from '../../uploads/errors.ts';

/** Requests that wait for one upload. */
const MAX_WAITING = 8;

interface Holder {
  readonly release: RequestRelease;
  readonly waiting: Set<() => void>;
}

export class UploadLocks implements Locker {
  readonly #held = new Map<string, Holder>();

  newLock(id: string): Lock {
    return {
      lock: (signal, release) => this.#take(id, signal, release),
      unlock: async () => this.#free(id),
    };
  }

  async #take(id: string, signal: AbortSignal, release: RequestRelease): Promise<void> {
    while (this.#held.has(id)) {
      const holder = this.#held.get(id)!;
      if (signal.aborted || holder.waiting.size >= MAX_WAITING) {
        throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_MANY, { retryAfterSec: 1 });
      }
      const { promise: freed, resolve } = Promise.withResolvers<void>();
      holder.waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await holder.release();
      await freed;
      holder.waiting.delete(resolve);
    }
    if (signal.aborted) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_INTERRUPTED, {});
    this.#held.set(id, { release, waiting: new Set() });
  }

  #free(id: string): void {
    const holder = this.#held.get(id);
    this.#held.delete(id);
    for (const resolve of holder?.waiting ?? []) resolve();
  }
}
