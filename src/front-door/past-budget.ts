/**
 * What is read of the past for viewers, and is still on its way to them. Unlike the live window, which all viewers
 * share, every response has bytes of its own, so they are bounded: for one viewer, for all viewers with one link, and for
 * all.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import type { LentMedia } from '../stream/live-media.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';

export const MAX_PAST_BYTES = 512 * 1_048_576;
/** Two of the largest possible segments. */
export const MAX_PAST_BYTES_PER_VIEWER = 64 * 1_048_576;
/** Requests of one viewer that are being read: what players ask for at a time, twice. */
export const MAX_PAST_REQUESTS_PER_VIEWER = 8;
/** Of all viewers: lists of segments are memory too. */
export const MAX_PAST_REQUESTS = 1_024;
/** Whoever has one link can open it as often as they like, and read slowly: others must still get theirs. */
export const MAX_PAST_BYTES_PER_LINK = MAX_PAST_BYTES / 2;
export const MAX_PAST_REQUESTS_PER_LINK = MAX_PAST_REQUESTS / 2;

interface Use {
  requests: number;
  bytes: number;
}

/** What of a session the bounds depend on. */
type Reader = Pick<ViewerSession, 'audienceUuid' | 'wallShareUuid'>;

export class PastBudget {
  readonly #viewers = new Map<Reader, Use>();
  readonly #links = new Map<Ruuid, Use>();
  readonly #all: Use = { requests: 0, bytes: 0 };
  #refused = 0;

  /** Requests that were refused because of a bound, so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Bytes that are being read, or are on their way. */
  get bytes(): number {
    return this.#all.bytes;
  }

  get requests(): number {
    return this.#all.requests;
  }

  /** A request begins; call what it returns when nothing is read for it anymore. Fails TOO_MANY_PAST_READS. */
  enter(session: Reader): () => void {
    const [viewer, link] = this.#usesOf(session);
    const isTooMuch =
      viewer.requests >= MAX_PAST_REQUESTS_PER_VIEWER ||
      link.requests >= MAX_PAST_REQUESTS_PER_LINK ||
      this.#all.requests >= MAX_PAST_REQUESTS;
    if (isTooMuch) throw this.#tooMany();
    return this.#add(session, 1, 0);
  }

  /** Makes room for bytes of a request that has entered. Fails TOO_MANY_PAST_READS. */
  take(session: Reader, bytes: number): () => void {
    const [viewer, link] = this.#usesOf(session);
    const isTooMuch =
      (viewer.bytes > 0 && viewer.bytes + bytes > MAX_PAST_BYTES_PER_VIEWER) ||
      (link.bytes > 0 && link.bytes + bytes > MAX_PAST_BYTES_PER_LINK) ||
      this.#all.bytes + bytes > MAX_PAST_BYTES;
    if (isTooMuch) throw this.#tooMany();
    return this.#add(session, 0, bytes);
  }

  #usesOf(session: Reader): readonly [Use, Use] {
    return [this.#viewers.get(session) ?? NOTHING, this.#links.get(linkOf(session)) ?? NOTHING];
  }

  #add(session: Reader, requests: number, bytes: number): () => void {
    const link = linkOf(session);
    const change = (factor: 1 | -1): void => {
      changeUse(this.#viewers, session, factor * requests, factor * bytes);
      changeUse(this.#links, link, factor * requests, factor * bytes);
      this.#all.requests += factor * requests;
      this.#all.bytes += factor * bytes;
    };
    change(1);
    return once(() => change(-1));
  }

  #tooMany(): GatewayError {
    this.#refused++;
    return new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_PAST_READS);
  }
}

const NOTHING: Readonly<Use> = { requests: 0, bytes: 0 };

/** What was opened: all cameras of a wall have one link. */
function linkOf({ audienceUuid, wallShareUuid }: Reader): Ruuid {
  return wallShareUuid ?? audienceUuid;
}

/** One that uses nothing is forgotten. */
function changeUse<Key>(uses: Map<Key, Use>, key: Key, requests: number, bytes: number): void {
  const use = uses.get(key) ?? { requests: 0, bytes: 0 };
  use.requests += requests;
  use.bytes += bytes;
  if (use.requests === 0 && use.bytes === 0) uses.delete(key);
  else uses.set(key, use);
}

/** Media of the past as a response borrows it. */
export function pastMedia(bytes: Buffer, release: () => void): LentMedia {
  return { bytes, release, isRecalled: () => false };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
