/**
 * Bytes sent to each share's viewers, and to those of each device. A session holds its audience's counter, so a response costs one
 * addition. If there are too many counters, those of audiences without sessions make room. Audiences that find no room are counted
 * together.
 */

import type { Ruuid } from '../../core/ruuid.ts';
import type { TrafficCounter, ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';

/** Limit on shares with their own counter: each is a separate series in the metrics. */
export const MAX_COUNTED_SHARES = 2_000;
/** How many of the least recently used counters are checked for one that can make room. */
const EVICTION_CANDIDATES = 64;

export class ShareTraffic {
  readonly #maxShares: number;
  /** In the order in which a viewer last arrived. */
  readonly #counters = new Map<Ruuid, TrafficCounter>();
  readonly #others: TrafficCounter = { bytes: 0 };
  /** The synthetic viewer does not count as a viewer of any share. */
  readonly #ofProbes: TrafficCounter = { bytes: 0 };
  #totalBytes = 0;
  /** Live playlists and manifests sent so far. */
  playlists = 0;
  /** Responses under paths that viewers share, and their bytes, which belong to no share. */
  sharedResponses = 0;
  sharedBytes = 0;

  constructor(maxShares = MAX_COUNTED_SHARES) {
    this.#maxShares = maxShares;
  }

  /**
   * The counter of a share whose viewer arrives; called once for each viewer. `isWatched`: whether a share has viewers
   * now.
   */
  counterOf(shareUuid: Ruuid, isWatched: (shareUuid: Ruuid) => boolean): TrafficCounter {
    const known = this.#counters.get(shareUuid);
    if (known !== undefined) {
      this.#counters.delete(shareUuid);
      this.#counters.set(shareUuid, known);
      return known;
    }
    if (this.#counters.size >= this.#maxShares && !this.#makeRoom(isWatched)) return this.#others;
    const counter: TrafficCounter = { bytes: 0 };
    this.#counters.set(shareUuid, counter);
    return counter;
  }

  /** Bytes that are on their way to a viewer. Hot. */
  count(session: ViewerSession, bytes: number, sessions: Pick<ViewerSessions, 'isWatched'>): void {
    session.traffic ??= session.isProbe
      ? this.#ofProbes
      : this.counterOf(session.audienceUuid, (audience) => sessions.isWatched(audience));
    session.traffic.bytes += bytes;
    this.#totalBytes += bytes;
    session.sentBytes += bytes;
  }

  countShared(bytes: number): void {
    this.sharedResponses += 1;
    this.sharedBytes += bytes;
    this.#totalBytes += bytes;
  }

  bytesOf(shareUuid: Ruuid): number {
    return this.#counters.get(shareUuid)?.bytes ?? 0;
  }

  /** Bytes of all shares and devices since the start, including deleted ones. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Bytes of shares that are counted together. */
  get otherBytes(): number {
    return this.#others.bytes;
  }

  shares(): Iterable<Ruuid> {
    return this.#counters.keys();
  }

  /** The share was deleted. */
  forget(shareUuid: Ruuid): void {
    this.#counters.delete(shareUuid);
  }

  #makeRoom(isWatched: (shareUuid: Ruuid) => boolean): boolean {
    let candidates = EVICTION_CANDIDATES;
    for (const [shareUuid, { bytes }] of this.#counters) {
      if (!isWatched(shareUuid)) {
        this.#counters.delete(shareUuid);
        this.#others.bytes += bytes;
        return true;
      }
      if (--candidates === 0) return false;
    }
    return false;
  }
}
