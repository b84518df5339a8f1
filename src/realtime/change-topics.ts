/**
 * The listeners to each organization's changes. Each message is rendered once, and all listeners get the same bytes. An organization
 * without listeners costs one lookup.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { Arrivals } from '../core/limits/arrivals.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { MergedLines } from '../core/merged-lines.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { AccessScope } from '../store/access-scope.ts';
import type { ChangeEvent } from '../store/store.ts';
import type { ChangeMessage } from './change-message.ts';
import { REALTIME_ERRORS } from './errors.ts';
import type { LimitedChanges } from './limited-changes.ts';
import { type StompPrincipal, StompSession, type StompTransport } from './stomp-session.ts';

/** How long access can outlive its end if the store does not report it: a token that expired, another node's change. */
export const RECHECK_MS = 30_000;

/** A caller with an open connection. */
export interface ChangeListener extends StompPrincipal {
  /** The key or the person. */
  readonly actorUuid: Ruuid;
  /** The organization of the key or the person: a partner's, when it listens to a client's changes. */
  readonly actorOrgUuid: Ruuid;
  /** The sites and cameras of its rights; null: the whole organization. */
  readonly scope: AccessScope | null;
  /** Null without a console session. */
  readonly consoleSessionUuid: Ruuid | null;
  /** Null without an OAuth grant. */
  readonly grantUuid: Ruuid | null;
  /** When the key ends on its own, epoch milliseconds, as of the last check; null: never. */
  endsAtMs(): number | null;
  /** Whether the credentials would still be accepted. Rejects if that cannot be determined now. */
  isStillAllowed(): Promise<boolean>;
}

export interface ChangeTopicsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The store's changes, as far as they affect who can listen. */
  readonly onChange: (listener: (event: ChangeEvent) => void) => () => void;
  /** Absent: listeners with limited rights get no messages. */
  readonly limited?: LimitedChanges;
}

type Session = StompSession<ChangeListener>;
type Admit = (connect: ReadonlyMap<string, string>) => Promise<ChangeListener>;

export class ChangeTopics {
  readonly #options: ChangeTopicsOptions;
  readonly #sessions = new Set<Session>();
  readonly #byOrg = new Map<Ruuid, Set<Session>>();
  readonly #arrivals = new Arrivals(LIMITS.changeArrivals);
  readonly #places = new Pool(LIMITS.changeListeners);
  /** Anyone can open connections, and have them ended. */
  readonly #endings: MergedLines;
  readonly #unsubscribe: () => void;
  #recheck: TimerHandle | null = null;
  /** Incremented whenever someone may have lost access: anyone admitted in the meantime is checked again. */
  #generation = 0;
  #isClosed = false;
  /** What passes messages to listeners with limited rights. */
  readonly #limited = new Map<Session, (message: ChangeMessage) => void>();

  constructor(options: ChangeTopicsOptions) {
    this.#options = options;
    this.#endings = new MergedLines(options.clock, options.log);
    this.#unsubscribe = options.onChange((event) => this.#onChange(event));
  }

  /** A key, a session, a grant, or a person that the store has as working has ended. */
  credentialEnded(uuid: Ruuid): void {
    this.#review(({ actorUuid, consoleSessionUuid, grantUuid }) =>
      [actorUuid, consoleSessionUuid, grantUuid].includes(uuid),
    );
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Adds a connection. A connection without a place gets an error and ends, and so does one that makes room. */
  open(transport: StompTransport, address: string, admit: Admit): Session {
    const { clock } = this.#options;
    let orgUuid: Ruuid | null = null;
    let giveBack: () => void = () => undefined;
    const session: Session = new StompSession<ChangeListener>({
      transport,
      clock,
      admit: async (connect) => {
        const listener = await this.#admit(connect, admit);
        giveBack = this.#join(listener, session);
        orgUuid = listener.orgUuid;
        arrival.leave();
        this.#armEnd(session, listener);
        return listener;
      },
      onEnd: (error) => {
        arrival.leave();
        giveBack();
        this.#leave(orgUuid, session);
        if (error === null) return;
        const { code } = error;
        this.#endings.info(`${orgUuid} ${code}`, { orgUuid, code }, 'real-time connection ended');
      },
    });
    const arrival = this.#arrivals.add(address, () => session.fail(noRoom('address')));
    this.#sessions.add(session);
    this.#armRecheck();
    if (this.#isClosed) session.goAway();
    return session;
  }

  /** Whether anyone would get a message about this organization. */
  hasListeners(orgUuid: Ruuid): boolean {
    return this.#byOrg.has(orgUuid);
  }

  publish(orgUuid: Ruuid, message: ChangeMessage): void {
    const sessions = this.#byOrg.get(orgUuid);
    if (sessions === undefined) return;
    const body = bodyOf(message);
    for (const session of sessions) {
      if (session.principal?.scope === null) session.publish(body);
      else this.#limited.get(session)?.(message);
    }
  }

  /** Unknown changes are missing: clients connect again and reread their data. */
  changesMissed(): void {
    this.#generation += 1;
    const error = new GatewayError(REALTIME_ERRORS.REALTIME_CHANGES_MISSED);
    for (const session of this.#sessions) if (session.principal !== null) session.fail(error);
  }

  /** Ends every connection and admits no others. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#recheck?.cancel();
    for (const session of this.#sessions) session.goAway();
  }

  async #admit(connect: ReadonlyMap<string, string>, admit: Admit): Promise<ChangeListener> {
    const generation = this.#generation;
    const listener = await admit(connect);
    if (generation === this.#generation || (await listener.isStillAllowed())) return listener;
    throw new GatewayError(REALTIME_ERRORS.REALTIME_ACCESS_ENDED);
  }

  /** Returns what gives its place back. Fails TOO_MANY_REALTIME_SESSIONS. */
  #join({ orgUuid, ...listener }: ChangeListener, session: Session): () => void {
    // It may have ended while its credentials were being checked.
    if (!this.#sessions.has(session)) return () => undefined;
    const credential = listener.consoleSessionUuid ?? listener.grantUuid ?? listener.actorUuid;
    const place = this.#places.take({ organization: orgUuid, credential });
    if (!place.isTaken) throw noRoom(place.level);
    const sessions = this.#byOrg.get(orgUuid);
    if (sessions === undefined) this.#byOrg.set(orgUuid, new Set([session]));
    else sessions.add(session);
    const { scope } = listener;
    const { limited } = this.#options;
    if (scope !== null && limited !== undefined) {
      const send = (message: ChangeMessage) => session.publish(bodyOf(message));
      const fail = () => session.fail(new GatewayError(REALTIME_ERRORS.REALTIME_CHANGES_MISSED));
      this.#limited.set(session, limited.listener(orgUuid, scope, send, fail));
    }
    return place.giveBack;
  }

  #leave(orgUuid: Ruuid | null, session: Session): void {
    this.#sessions.delete(session);
    this.#limited.delete(session);
    if (orgUuid === null) return;
    const sessions = this.#byOrg.get(orgUuid);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#byOrg.delete(orgUuid);
  }

  /** Rechecks everyone whom an event may have deprived of access. */
  #onChange({ entity, uuid }: ChangeEvent): void {
    switch (entity) {
      case 'apiKey':
      case 'person':
        this.#review((listener) => listener.actorUuid === uuid);
        return;
      case 'consoleSession':
        this.#review((listener) => listener.consoleSessionUuid === uuid);
        return;
      case 'oauthGrant':
      case 'oauthApplication':
        this.#review((listener) => listener.grantUuid !== null);
        return;
      case 'organization':
        this.#review((listener) => listener.orgUuid === uuid || listener.actorOrgUuid === uuid);
        return;
    }
  }

  #armRecheck(): void {
    if (this.#recheck !== null || this.#isClosed) return;
    this.#recheck = this.#options.clock.after(RECHECK_MS, () => {
      this.#recheck = null;
      this.#review(() => true);
      if (this.#sessions.size > 0) this.#armRecheck();
    });
  }

  /** The next recheck comes before a later end. */
  #armEnd(session: Session, listener: ChangeListener): void {
    const { clock } = this.#options;
    const remainingMs = (listener.endsAtMs() ?? Number.POSITIVE_INFINITY) - clock.epochMs();
    if (remainingMs > RECHECK_MS || !this.#sessions.has(session)) return;
    clock.after(Math.max(remainingMs, 0), () => void this.#check(session, listener));
  }

  /** Not immediately: the code that caches credentials gets the same event, perhaps later than this does. */
  #review(concerns: (listener: ChangeListener) => boolean): void {
    this.#generation += 1;
    queueMicrotask(() => this.#checkEach(concerns));
  }

  #checkEach(concerns: (listener: ChangeListener) => boolean): void {
    for (const session of this.#sessions) {
      const { principal } = session;
      if (principal !== null && concerns(principal)) void this.#check(session, principal);
    }
  }

  async #check(session: Session, listener: ChangeListener): Promise<void> {
    try {
      if (await listener.isStillAllowed()) {
        this.#armEnd(session, listener);
        return;
      }
      session.fail(new GatewayError(REALTIME_ERRORS.REALTIME_ACCESS_ENDED));
    } catch (thrown) {
      // The next recheck tries again.
      this.#options.log.warn({ err: toGatewayError(thrown) }, 'real-time connection not rechecked');
    }
  }
}

function bodyOf(message: ChangeMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function noRoom(boundOf: string): GatewayError {
  return new GatewayError(REALTIME_ERRORS.TOO_MANY_REALTIME_SESSIONS, { boundOf });
}
