/**
 * The viewers of one share, and which of them count. The limit counts views, not openings: a client that opens a share
 * two hundred times is not two hundred viewers, and an office behind one address is not one. So of each address (an
 * IPv6 /64 is one), a few sessions count immediately, and every further one once it has proven to play: when it has
 * fetched media in several different seconds. Addresses are kept only as long as their sessions, and never disclosed.
 */

import type { TimerHandle } from '../core/clock.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { ViewerSession } from './viewer-session.ts';

/** Limit on sessions of one address that count before they have proven to play: what reopening can add. */
export const MAX_NEW_VIEWERS_PER_ADDRESS = 3;
/** Limit on sessions of one address that count; any others are served but not counted. */
export const MAX_COUNTED_PER_ADDRESS = 250;
/** Number of checks, at least a second apart, at each of which the session had fetched media since the previous one. */
export const LOOKS_TO_PROVE = 4;

/** Sessions without a known address have nothing in common. */
const UNKNOWN_ADDRESS = '';

interface AddressSessions {
  /** In order of arrival. */
  readonly sessions: Set<ViewerSession>;
  counted: number;
  /** Counted, but not proven yet. */
  newCounted: number;
  unproven: number;
}

export class ShareAudience {
  /** In order of arrival. */
  readonly sessions = new Set<ViewerSession>();
  /** Time of the next check. Maintained by ViewerSessions. */
  timer: TimerHandle | null = null;
  dueMonoMs = 0;
  readonly #addresses = new Map<string, AddressSessions>();
  #viewers = 0;

  /** Number of sessions that count. */
  get viewers(): number {
    return this.#viewers;
  }

  /** All sessions of the address, counted or not. */
  sessionsOf(address: string): number {
    return this.#addresses.get(subscriberOf(address))?.sessions.size ?? 0;
  }

  /** Whether it counts. */
  join(session: ViewerSession): boolean {
    this.sessions.add(session);
    if (session.isProbe) return false;
    const key = subscriberOf(session.address);
    let place = this.#addresses.get(key);
    if (place === undefined) {
      place = { sessions: new Set(), counted: 0, newCounted: 0, unproven: 0 };
      this.#addresses.set(key, place);
    }
    place.sessions.add(session);
    place.unproven++;
    if (place.newCounted >= MAX_NEW_VIEWERS_PER_ADDRESS || !this.#count(session, place)) return false;
    place.newCounted++;
    return true;
  }

  /** Checks a session that requested something. Returns whether it counts from now on and did not before. */
  look(session: ViewerSession): boolean {
    if (session.isProven || session.isProbe || !session.takeFetched()) return false;
    if (++session.looksWithMedia < LOOKS_TO_PROVE) return false;
    session.isProven = true;
    const place = this.#addresses.get(subscriberOf(session.address))!;
    place.unproven--;
    if (!session.isCounted) return this.#count(session, place);
    place.newCounted--;
    return false;
  }

  leave(session: ViewerSession): void {
    this.sessions.delete(session);
    const key = subscriberOf(session.address);
    const place = this.#addresses.get(key);
    if (place === undefined || !place.sessions.delete(session)) return;
    if (!session.isProven) place.unproven--;
    if (session.isCounted) {
      place.counted--;
      this.#viewers--;
      if (!session.isProven) place.newCounted--;
    }
    if (place.sessions.size === 0) this.#addresses.delete(key);
  }

  /**
   * Which session gives its place to a newcomer from `address` when the share is full: the newest that has not proven
   * to play, of the address with the most of those; otherwise the newest of an address that holds more than half of all
   * places. Always from an address that keeps more than the newcomer's has. null: none.
   */
  placeholderFor(address: string, maxViewers: number): ViewerSession | null {
    const own = this.sessionsOf(address);
    let unproven: AddressSessions | null = null;
    let majority: AddressSessions | null = null;
    for (const [key, place] of this.#addresses) {
      if (key === UNKNOWN_ADDRESS || place.sessions.size < own + 2) continue;
      if (place.unproven > (unproven?.unproven ?? 0)) unproven = place;
      if (place.sessions.size > maxViewers / 2) majority = place;
    }
    if (unproven !== null) return newestOf(unproven, false);
    return majority === null ? null : newestOf(majority, true);
  }

  #count(session: ViewerSession, place: AddressSessions): boolean {
    if (place.counted >= MAX_COUNTED_PER_ADDRESS) return false;
    session.isCounted = true;
    place.counted++;
    this.#viewers++;
    return true;
  }
}

function newestOf(place: AddressSessions, isProven: boolean): ViewerSession | null {
  let newest: ViewerSession | null = null;
  for (const session of place.sessions) if (session.isProven === isProven) newest = session;
  return newest;
}
