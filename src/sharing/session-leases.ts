/**
 * Viewers that another thread serves. The session stays here, with its decision, its limits, and its counts. The other thread holds a lease
 * of it, reports what the viewer did, and ends the lease when it is notified.
 */

import type { AccessRefused } from './access-decision.ts';
import type { DeviceGrant } from './device-grant.ts';
import type { Grant } from './grant.ts';
import type { MediaConnection, MediaReader, ViewerSession, ViewerStart, Watched } from './viewer-session.ts';
import { shortAgent, type ViewerOrigin, type ViewerSessions } from './viewer-sessions.ts';

/** A session as plain values. */
export interface SessionLease {
  readonly id: number;
  readonly grantText: string;
  readonly grant: Grant | DeviceGrant;
  readonly watched: Watched;
  readonly start: ViewerStart;
  readonly validUntilEpochMs: number;
}

/** A viewer's activity since the last note. */
export interface LeaseNote {
  readonly id: number;
  /** It requested a segment or a part. */
  readonly hasFetched: boolean;
  /** The stream it got live media from by HLS; null: from none. */
  readonly profile: 'main' | 'sub' | 'h264' | null;
  readonly sentBytes: number;
}

export interface SessionLeasesOptions {
  readonly sessions: Pick<ViewerSessions, 'access'>;
  readonly onSent: (session: ViewerSession, bytes: number) => void;
  /** The viewer may no longer watch. */
  readonly onEnded: (id: number, refusal: AccessRefused) => void;
  /** Whether the viewer shares paths has changed. */
  readonly onChanged: (id: number, sharesPaths: boolean) => void;
}

/** The refusal for a lease that is unknown or has ended. */
export const UNKNOWN_LEASE: AccessRefused = { allowed: false, reason: 'unknown', untilEpochMs: null };

export class SessionLeases {
  readonly #options: SessionLeasesOptions;
  readonly #leases = new Map<number, Lease>();
  #nextId = 0;

  constructor(options: SessionLeasesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#leases.size;
  }

  /** null: refused. Fails as ViewerSessions.access. */
  lease(grantText: string, origin: ViewerOrigin): SessionLease | null {
    const session = this.#options.sessions.access(grantText, origin);
    if (!session.allowed) return null;
    const id = this.#nextId++;
    const kept = { ip: origin.ip, headers: { 'user-agent': shortAgent(origin) } };
    this.#leases.set(id, new Lease(session, kept, (refusal) => this.#end(id, refusal)));
    const { grant, start, orgUuid, audienceUuid, cameraUuid, wallShareUuid, urgency } = session;
    const { includeAudio, sharesPaths, isProbe, deviceUuid } = session;
    const ofShare = { orgUuid, audienceUuid, cameraUuid, deviceUuid, wallShareUuid, urgency };
    const watched = { ...ofShare, includeAudio, sharesPaths, isProbe };
    return { id, grantText, grant, watched, start, validUntilEpochMs: session.validUntilEpochMs };
  }

  /** The viewers are present. */
  note(notes: Iterable<LeaseNote>): void {
    for (const note of notes) {
      const lease = this.#leases.get(note.id);
      if (lease !== undefined) this.#note(lease, note);
      // It ended before the other thread had it, so that thread could not end it.
      else this.#options.onEnded(note.id, UNKNOWN_LEASE);
    }
  }

  /** The other thread has forgotten them. */
  drop(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#leases.get(id)?.leave();
      this.#leases.delete(id);
    }
  }

  /** The other thread has ended. */
  close(): void {
    this.drop([...this.#leases.keys()]);
  }

  #note(lease: Lease, { id, hasFetched, profile, sentBytes }: LeaseNote): void {
    const { session: before, origin } = lease;
    if (hasFetched) before.noteFetch();
    const access = this.#options.sessions.access(before.grantText, origin);
    if (!access.allowed) {
      this.#end(id, access);
      return;
    }
    // Forgotten here, because it was quiet, and admitted again.
    if (access !== before) lease.follow(access);
    if (access.sharesPaths !== lease.sharesPaths) {
      lease.sharesPaths = access.sharesPaths;
      this.#options.onChanged(id, access.sharesPaths);
    }
    if (profile !== null) access.noteLive('hls', profile);
    if (sentBytes > 0) this.#options.onSent(access, sentBytes);
  }

  #end(id: number, refusal: AccessRefused): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    this.#leases.delete(id);
    lease.leave();
    this.#options.onEnded(id, refusal);
  }
}

/** In the eyes of its session, a connection that carries media. */
class Lease implements MediaConnection {
  readonly origin: ViewerOrigin;
  /** As the other thread knows it. */
  sharesPaths: boolean;
  readonly #onCut: (refusal: AccessRefused) => void;
  #session: ViewerSession;

  constructor(session: ViewerSession, origin: ViewerOrigin, onCut: (refusal: AccessRefused) => void) {
    this.#session = session;
    this.origin = origin;
    this.sharesPaths = session.sharesPaths;
    this.#onCut = onCut;
    session.connections.add(this);
  }

  get session(): ViewerSession {
    return this.#session;
  }

  follow(session: ViewerSession): void {
    this.leave();
    this.#session = session;
    session.connections.add(this);
  }

  leave(): void {
    this.#session.connections.delete(this);
  }

  cutFor(_session: MediaReader, refusal: AccessRefused): void {
    this.#onCut(refusal);
  }
}
