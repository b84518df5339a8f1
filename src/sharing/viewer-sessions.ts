/**
 * The viewers who are watching now, by a share or by a device grant. A media request costs one Map lookup (grant text → session) and one
 * comparison. The access decision is made again when time may have changed it, when the share, device, or credential changed, and otherwise
 * every second, which also notices a changed wall clock.
 *
 * A viewer is cut off immediately. Such a change, or the timer of the next expiration or schedule flip, ends the waiting requests of all
 * viewers that it concerns, and the media in transit to them. The published limit is one second (docs/design/access.md).
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { Counters } from '../counters/counters.ts';
import type { Share } from '../store/entities.ts';
import {
  type AccessDecision,
  type AccessRefused,
  decideAccess,
  type SharedMedia,
} from './access-decision.ts';
import type { ConcernsGrant, DeviceDirectory } from './device-directory.ts';
import { type DeviceGrant, type DeviceGrants, deviceAudienceUuid } from './device-grant.ts';
import type { EndedViews } from './ended-views.ts';
import { SHARING_ERRORS } from './errors.ts';
import { type Grant, type Grants, probeAudienceUuid } from './grant.ts';
import { ShareAudience } from './share-audience.ts';
import type { SharesInForce } from './share-directory.ts';
import { ViewerSession, type Watched } from './viewer-session.ts';
import { actorUrgency, shareUrgency } from './viewing-urgency.ts';

/** Longest time for which a decision is reused. */
export const RECHECK_MS = 1_000;
/** A viewer that requests nothing for this long has left; same as the counters' timeout. */
export const VIEWER_IDLE_MS = 15_000;

/** How many of the longest unseen sessions to check for one that can make room. */
const EVICTION_CANDIDATES = 64;
const VIEWER_LIMIT: AccessRefused = { allowed: false, reason: 'viewer-limit', untilEpochMs: null };
const UNKNOWN_ORIGIN: ViewerOrigin = { ip: '' };
/** How much of a program's self-description a session keeps. */
export const MAX_USER_AGENT_CHARS = 200;

/** Called when viewers arrive and leave, with their audience's current number here. Must not throw. */
export interface ViewerObserver {
  viewerJoined(session: ViewerSession, viewers: number): void;
  viewerLeft(session: ViewerSession, viewers: number): void;
  /** Of all sessions, counted or not. */
  sessionBegan?(session: ViewerSession): void;
  sessionEnded?(session: ViewerSession): void;
}

/** The origin of a request. Read only for new viewers, because finding it takes a while behind proxies. */
export interface ViewerOrigin {
  readonly ip: string;
  readonly headers?: { readonly 'user-agent'?: string | undefined };
}

/** Views of devices, which need no share. */
export interface DeviceViews {
  readonly directory: DeviceDirectory;
  readonly grants: DeviceGrants;
}

export interface ViewerSessionsOptions {
  readonly directory: SharesInForce;
  readonly grants: Grants;
  /** Absent: only shares can be watched. */
  readonly devices?: DeviceViews;
  /** Grants of the synthetic viewer; absent: there is none. */
  readonly probes?: Grants;
  /** Absent: no view is ever ended for one viewer alone. */
  readonly ended?: Pick<EndedViews, 'find'>;
  readonly counters: Pick<Counters, 'viewerSeen' | 'viewerLeft' | 'localViewerCount'>;
  readonly clock: Clock;
  /** Maximum number of concurrent viewers per share; null: no limit. */
  readonly maxViewersPerShare: number | null;
  readonly maxSessions?: number;
  /** Whether viewers get media under paths that they share if the share does not set this; default: no. */
  readonly sharesPaths?: boolean;
  readonly observer?: ViewerObserver | undefined;
}

export class ViewerSessions {
  readonly #options: ViewerSessionsOptions;
  readonly #clock: Clock;
  readonly #places: Pool<typeof LIMITS.viewerSessions>;
  /** In the order of their last check: sessions without requests gather at the front. */
  readonly #sessions = new Map<string, ViewerSession>();
  readonly #audiences = new Map<Ruuid, ShareAudience>();
  readonly #unsubscribe: readonly (() => void)[];
  #viewers = 0;

  constructor(options: ViewerSessionsOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#places = new Pool(LIMITS.viewerSessions, options.maxSessions);
    const ofDevices = options.devices?.directory.onChange((concerns) => this.#onDeviceChanged(concerns));
    this.#unsubscribe = [
      options.directory.onChange((shareUuid) => {
        this.reconsider(shareUuid);
        if (options.probes !== undefined) this.reconsider(probeAudienceUuid(shareUuid));
      }),
      ...(ofDevices === undefined ? [] : [ofDevices]),
    ];
  }

  /** Sessions, counted as viewers or not. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Audiences on this node, with their number of viewers. For metrics. */
  *viewersByAudience(): Iterable<readonly [Ruuid, number]> {
    for (const [audienceUuid, { viewers }] of this.#audiences) yield [audienceUuid, viewers];
  }

  /** Viewers of each camera that has any, by shares and by device grants. For counters. */
  viewersByCamera(): Map<Ruuid, number> {
    const viewers = new Map<Ruuid, number>();
    for (const audience of this.#audiences.values()) {
      // All of an audience watch the same camera.
      const first = audience.sessions.values().next().value;
      if (first === undefined || audience.viewers === 0) continue;
      viewers.set(first.deviceUuid, (viewers.get(first.deviceUuid) ?? 0) + audience.viewers);
    }
    return viewers;
  }

  /** The name of the link that the viewer opened; null: it opened a device. */
  nameOf({ audienceUuid }: ViewerSession): string | null {
    return this.#options.directory.find(audienceUuid)?.share.name ?? null;
  }

  /** The sessions of one audience, in order of arrival. */
  sessionsOf(audienceUuid: Ruuid): ReadonlySet<ViewerSession> {
    return this.#audiences.get(audienceUuid)?.sessions ?? NO_SESSIONS;
  }

  /** How many viewers of one audience count. */
  viewersOf(audienceUuid: Ruuid): number {
    return this.#audiences.get(audienceUuid)?.viewers ?? 0;
  }

  /** Decides again about all viewers of an audience. Those who may no longer watch are cut off before it returns. */
  reconsider(audienceUuid: Ruuid): void {
    const audience = this.#audiences.get(audienceUuid);
    if (audience === undefined) return;
    for (const session of audience.sessions) session.doubt();
    this.#look(audienceUuid, audience);
  }

  reconsiderAll(): void {
    for (const audience of [...this.#audiences.keys()]) this.reconsider(audience);
  }

  isWatched(audienceUuid: Ruuid): boolean {
    return this.#audiences.has(audienceUuid);
  }

  /** Viewers of all shares and devices (share-audience.ts defines who counts). */
  get viewers(): number {
    return this.#viewers;
  }

  /** Whether the limit leaves a place at the share for a newcomer from `address`, or a session gives up its place. */
  hasPlaceFor(shareUuid: Ruuid, address: string, viewers: number): boolean {
    const { maxViewersPerShare } = this.#options;
    if (maxViewersPerShare === null) return true;
    const audience = this.#audiences.get(shareUuid);
    if (Math.max(viewers, audience?.sessions.size ?? 0) < maxViewersPerShare) return true;
    return (audience?.placeholderFor(address, maxViewersPerShare) ?? null) !== null;
  }

  /**
   * The session of a grant, or the reason for a refusal. Hot: called for every media request. Fails with
   * VIEWER_SESSIONS_FULL if there is no room for a new viewer.
   */
  access(grantText: string, from: ViewerOrigin = UNKNOWN_ORIGIN): ViewerSession | AccessRefused {
    const known = this.known(grantText);
    if (known !== null) return known;
    const session = this.#sessions.get(grantText);
    return session === undefined ? this.#admit(grantText, from) : this.#check(session);
  }

  /** The session of a viewer who may continue without another decision; null: `access` has to decide. Hot. */
  known(grantText: string): ViewerSession | null {
    const session = this.#sessions.get(grantText);
    return session !== undefined && this.#clock.monoMs() < session.checkAtMonoMs ? session : null;
  }

  /** The session of a grant that is being used, with no decision made. */
  find(grantText: string): ViewerSession | null {
    return this.#sessions.get(grantText) ?? null;
  }

  /** Forgets all sessions; waiting requests are left to their owners. */
  close(): void {
    for (const end of this.#unsubscribe) end();
    for (const { timer } of this.#audiences.values()) timer?.cancel();
    this.#audiences.clear();
    for (const session of this.#sessions.values()) session.giveBackPlace();
    this.#sessions.clear();
    this.#viewers = 0;
  }

  #admit(grantText: string, from: ViewerOrigin): ViewerSession | AccessRefused {
    const { grants, devices, probes } = this.#options;
    // All are signed, and those of devices differ in length.
    const ofViewer = grants.verify(grantText) ?? devices?.grants.verify(grantText) ?? null;
    const grant = ofViewer ?? probes?.verify(grantText) ?? null;
    const nowEpochMs = this.#clock.epochMs();
    const decision = this.#decide(grant, null, nowEpochMs, from);
    if (!decision.allowed) return decision;
    const { ip } = from;
    const isProbe = ofViewer === null;
    const watched = this.#watchedBy(grant!, isProbe);
    const needsPlace = grant!.of === 'share' && !isProbe;
    if (needsPlace && !this.#makePlace(watched.audienceUuid, ip)) return VIEWER_LIMIT;
    const place = this.#takePlace(watched, ip);
    const start = { address: ip, userAgent: shortAgent(from), atEpochMs: nowEpochMs };
    const session = new ViewerSession(grantText, grant!, watched, start);
    session.giveBackPlace = place;
    const audience = this.#audienceOf(session.audienceUuid);
    session.keep(decision, nowEpochMs);
    const isCounted = audience.join(session);
    this.#touch(session, nowEpochMs);
    this.#arm(audience, session.checkAtMonoMs);
    this.#options.observer?.sessionBegan?.(session);
    if (isCounted) this.#welcome(session, audience);
    return session;
  }

  /** The media of a grant that was just allowed. */
  #watchedBy(grant: Grant | DeviceGrant, isProbe: boolean): Watched {
    if (grant.of === 'share') {
      const { share, stored, wallShareUuid } = this.#options.directory.find(grant.shareUuid)!;
      const { orgUuid, cameraUuid, includeAudio } = share;
      const urgency = isProbe ? 'viewer' : shareUrgency(share);
      const sharesPaths = this.#sharesPaths(share);
      const audienceUuid = isProbe ? probeAudienceUuid(grant.shareUuid) : grant.shareUuid;
      const watched = { orgUuid, cameraUuid, includeAudio, wallShareUuid, urgency, audienceUuid };
      return { ...watched, deviceUuid: stored.cameraUuid, sharesPaths, isProbe };
    }
    const { deviceUuid } = grant;
    const { directory } = this.#options.devices!;
    const { orgUuid } = directory.find(deviceUuid)!;
    const urgency = actorUrgency(directory.actorOf(grant.principal));
    const audienceUuid = deviceAudienceUuid(deviceUuid);
    return {
      orgUuid,
      cameraUuid: directory.shownCamera(grant),
      deviceUuid,
      includeAudio: true,
      wallShareUuid: null,
      urgency,
      audienceUuid,
      // An organization's own viewers are few, and their access ends within a second.
      sharesPaths: false,
    };
  }

  #sharesPaths({ cdn }: Pick<Share, 'cdn'>): boolean {
    return cdn ?? this.#options.sharesPaths ?? false;
  }

  /** A place under the limit, perhaps given up by another session; false: there is none. */
  #makePlace(shareUuid: Ruuid, address: string): boolean {
    const { counters, maxViewersPerShare } = this.#options;
    if (maxViewersPerShare === null) return true;
    const audience = this.#audiences.get(shareUuid);
    const taken = Math.max(counters.localViewerCount(shareUuid), audience?.sessions.size ?? 0);
    if (taken < maxViewersPerShare) return true;
    const placeholder = audience?.placeholderFor(address, maxViewersPerShare) ?? null;
    if (placeholder === null) return false;
    this.#cutOff(placeholder, VIEWER_LIMIT);
    return true;
  }

  /** It counts from now on. */
  #welcome(session: ViewerSession, audience: ShareAudience): void {
    this.#viewers++;
    this.#options.observer?.viewerJoined(session, audience.viewers);
  }

  /** The viewer sends requests again after a while. */
  #check(session: ViewerSession): ViewerSession | AccessRefused {
    const nowEpochMs = this.#clock.epochMs();
    const refusal = this.#review(session, nowEpochMs);
    if (refusal !== null) return refusal;
    this.#touch(session, nowEpochMs);
    return session;
  }

  /** The viewer is present: seen now, last in order, and valid for a while. */
  #touch(session: ViewerSession, nowEpochMs: number): void {
    this.#sessions.delete(session.grantText);
    this.#sessions.set(session.grantText, session);
    const audience = this.#audiences.get(session.audienceUuid);
    if (audience?.look(session) === true) this.#welcome(session, audience);
    this.#noteSeen(session);
    session.checkAtMonoMs = session.lastSeenMonoMs + untilLook(session, nowEpochMs);
  }

  /** Decides again if necessary; a refused viewer is cut off. */
  #review(session: ViewerSession, nowEpochMs: number): AccessRefused | null {
    if (session.isDecidedFor(nowEpochMs)) return null;
    const decision = this.#decideFor(session, nowEpochMs);
    if (decision.allowed) {
      session.keep(decision, nowEpochMs);
      const view =
        session.grant.of === 'share' ? this.#options.directory.find(session.grant.shareUuid) : null;
      if (view) session.sharesPaths = this.#sharesPaths(view.share);
      return null;
    }
    this.#cutOff(session, decision);
    return decision;
  }

  #decideFor(session: ViewerSession, nowEpochMs: number): AccessDecision {
    return this.#decide(session.grant, session, nowEpochMs, { ip: session.address });
  }

  #decide(
    grant: Grant | DeviceGrant | null,
    admittedTo: SharedMedia | null,
    nowEpochMs: number,
    from: ViewerOrigin,
  ): AccessDecision {
    if (grant?.of === 'device') {
      return this.#options.devices!.directory.decide(grant, nowEpochMs, admittedTo);
    }
    const view = grant === null ? undefined : this.#options.directory.find(grant.shareUuid);
    return decideAccess({
      credential: grant === null ? null : { kind: 'grant', ...grant },
      share: view?.share ?? null,
      schedule: view?.scheduleStateAt(nowEpochMs) ?? null,
      ended:
        view === undefined
          ? null
          : (this.#options.ended?.find(view.share.orgUuid, view.linkUuid, grant!.viewerId, from) ?? null),
      admittedTo,
      nowEpochMs,
      // The limit is checked once, when a viewer arrives.
      otherViewers: 0,
      maxViewers: null,
    });
  }

  #noteSeen(session: ViewerSession): void {
    session.lastSeenMonoMs = this.#clock.monoMs();
    if (session.isCounted) this.#options.counters.viewerSeen(session.audienceUuid, session.grant.viewerId);
  }

  #onDeviceChanged(concerns: ConcernsGrant): void {
    for (const [audienceUuid, audience] of [...this.#audiences]) {
      let isConcerned = false;
      for (const session of audience.sessions) {
        if (session.grant.of === 'share') break;
        if (!concerns(session.grant)) continue;
        session.doubt();
        isConcerned = true;
      }
      if (isConcerned) this.#look(audienceUuid, audience);
    }
  }

  /** Cuts off those that may no longer watch, forgets those that left, and sets the timer for the next check. */
  #look(audienceUuid: Ruuid, audience: ShareAudience): void {
    audience.timer?.cancel();
    audience.timer = null;
    const nowEpochMs = this.#clock.epochMs();
    const nowMonoMs = this.#clock.monoMs();
    let nextLookMs = RECHECK_MS;
    for (const session of audience.sessions) {
      if (this.#review(session, nowEpochMs) !== null) continue;
      if (session.grant.of === 'device') this.#options.devices?.directory.confirm(session.grant);
      if (session.isServed) this.#noteSeen(session);
      if (nowMonoMs - session.lastSeenMonoMs >= VIEWER_IDLE_MS) this.#forget(session);
      else nextLookMs = Math.min(nextLookMs, untilLook(session, nowEpochMs));
    }
    if (this.#audiences.get(audienceUuid) === audience) this.#arm(audience, nowMonoMs + nextLookMs);
  }

  #arm(audience: ShareAudience, dueMonoMs: number): void {
    if (audience.timer !== null && audience.dueMonoMs <= dueMonoMs) return;
    audience.timer?.cancel();
    audience.dueMonoMs = dueMonoMs;
    const { audienceUuid } = audience.sessions.values().next().value!;
    const delayMs = Math.max(1, dueMonoMs - this.#clock.monoMs());
    audience.timer = this.#clock.after(delayMs, () => this.#look(audienceUuid, audience));
  }

  #audienceOf(audienceUuid: Ruuid): ShareAudience {
    let audience = this.#audiences.get(audienceUuid);
    if (audience === undefined) {
      audience = new ShareAudience();
      this.#audiences.set(audienceUuid, audience);
    }
    return audience;
  }

  #cutOff(session: ViewerSession, refusal: AccessRefused): void {
    this.#forget(session);
    for (const request of session.waiting) request.onCutOff(refusal);
    session.waiting.clear();
    for (const connection of session.connections) connection.cutFor(session, refusal);
  }

  #forget(session: ViewerSession): void {
    const audience = this.#audiences.get(session.audienceUuid);
    this.#sessions.delete(session.grantText);
    session.giveBackPlace();
    audience?.leave(session);
    if (audience?.sessions.size === 0) {
      audience.timer?.cancel();
      this.#audiences.delete(session.audienceUuid);
    }
    const { counters, observer } = this.#options;
    observer?.sessionEnded?.(session);
    if (!session.isCounted) return;
    this.#viewers--;
    counters.viewerLeft(session.audienceUuid, session.grant.viewerId);
    observer?.viewerLeft(session, audience?.viewers ?? 0);
  }

  /**
   * Returns a function that gives it back. A viewer who has left makes room, among those whose bound was reached. Fails
   * VIEWER_SESSIONS_FULL.
   */
  #takePlace({ orgUuid, audienceUuid, wallShareUuid }: Watched, ip: string): () => void {
    const link = wallShareUuid ?? audienceUuid;
    const holders = { organization: orgUuid, link, address: `${audienceUuid} ${subscriberOf(ip)}` };
    let place = this.#places.take(holders);
    if (!place.isTaken) {
      const { level } = place;
      const isInTheWay = (session: ViewerSession) =>
        level === 'all' ||
        (session.orgUuid === orgUuid && (level === 'organization' || session.audienceUuid === audienceUuid));
      if (this.#forgetIdle(isInTheWay)) place = this.#places.take(holders);
    }
    if (place.isTaken) return place.giveBack;
    throw new GatewayError(SHARING_ERRORS.VIEWER_SESSIONS_FULL, { boundOf: place.level });
  }

  /** Those without requests gather at the front. */
  #forgetIdle(isInTheWay: (session: ViewerSession) => boolean): boolean {
    let candidates = EVICTION_CANDIDATES;
    for (const session of this.#sessions.values()) {
      if (!session.isServed && isInTheWay(session)) {
        this.#forget(session);
        return true;
      }
      if (--candidates === 0) break;
    }
    return false;
  }
}

const NO_SESSIONS: ReadonlySet<ViewerSession> = new Set();

/** A copy: a part of a header would keep all of it in memory. */
export function shortAgent({ headers }: ViewerOrigin): string {
  const userAgent = headers?.['user-agent'] ?? '';
  if (userAgent.length <= MAX_USER_AGENT_CHARS) return userAgent;
  return Buffer.from(userAgent.slice(0, MAX_USER_AGENT_CHARS)).toString();
}

/** Milliseconds until the session must be checked again. */
function untilLook(session: ViewerSession, nowEpochMs: number): number {
  return Math.min(RECHECK_MS, session.validUntilEpochMs - nowEpochMs);
}
