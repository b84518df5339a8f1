/**
 * Recorded media that are being read for viewers, or are on their way to them. Unlike the live window, which all viewers
 * share, every response has bytes of its own, so they are bounded.
 */

import { GatewayError } from '../../core/errors.ts';
import { type NotTaken, Pool, type Taken } from '../../core/limits/pool.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { LentMedia } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { viewerHolders } from '../response/viewer-holders.ts';

/** The fields of a session that the bounds depend on. */
type Reader = Parameters<typeof viewerHolders>[0];

export class PastBudget {
  readonly #requests = new Pool(LIMITS.pastRequests);
  readonly #bytes = new Pool(LIMITS.pastBytes);

  /** Requests that were refused because of a bound, so far. */
  get refused(): number {
    return this.#requests.refused + this.#bytes.refused;
  }

  /** Bytes that are being read, or are on their way. */
  get bytes(): number {
    return this.#bytes.used;
  }

  get requests(): number {
    return this.#requests.used;
  }

  /** A request begins. Call the returned function when nothing is read for it anymore. Fails TOO_MANY_PAST_READS. */
  enter(session: Reader): () => void {
    return room(this.#requests.take(viewerHolders(session)));
  }

  /** Makes room for bytes of a request that has entered. Fails TOO_MANY_PAST_READS. */
  take(session: Reader, bytes: number): () => void {
    return room(this.#bytes.take(viewerHolders(session), bytes));
  }
}

function room(taken: Taken | NotTaken): () => void {
  if (taken.isTaken) return taken.giveBack;
  throw new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_PAST_READS, { boundOf: taken.level });
}

/** Media of the past as a response borrows it. */
export function pastMedia(bytes: Buffer, release: () => void): LentMedia {
  return { bytes, release, isRecalled: () => false };
}
