/**
 * The viewers of one link now, as the organization sees them, and the end of one of these views. Runs where the sessions are and returns
 * plain values (docs/design/access.md#ending-a-view).
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { Counters } from '../counters/counters.ts';
import type { BlockedAddress, EndedViewer, EndedViews } from './ended-views.ts';
import { isViewerId } from './grant.ts';
import { type FoundViewer, NO_OTHER_NODES, type OtherNodes, type ViewerOfLink } from './other-nodes.ts';
import type { ShareDirectory } from './share-directory.ts';
import type { MediaProtocol, ViewerSession } from './viewer-session.ts';
import type { ViewerSessions } from './viewer-sessions.ts';

/** The most viewers in a list. */
export const MAX_LISTED_VIEWERS = 1_000;

/** The kind of media that a link opens. */
export type LinkKind = 'stream' | 'wall' | 'group';

/** A viewer of one link; of a wall, with all cameras that it watches. */
export interface LinkViewer {
  readonly viewerId: string;
  /** When its first request arrived. */
  readonly sinceEpochMs: number;
  /** Precise to a second. */
  readonly lastRequestEpochMs: number;
  /** The address of its first request; '' if unknown, like the next. */
  readonly address: string;
  readonly userAgent: string;
  /** The protocol of its last media; null: no media yet. */
  readonly protocol: MediaProtocol | null;
  readonly profile: 'main' | 'sub' | 'h264' | null;
  readonly isInPast: boolean;
  readonly sentBytes: number;
  /** Whether it is one of the share's viewers as they are counted (share-audience.ts). */
  readonly isCounted: boolean;
  /** The cameras of a wall that the viewer watches; otherwise empty. */
  readonly cameraUuids: readonly Ruuid[];
}

export interface LinkViewers {
  readonly kind: LinkKind;
  /** In order of arrival, at most MAX_LISTED_VIEWERS. */
  readonly viewers: readonly LinkViewer[];
  /** All of them, listed or not. */
  readonly total: number;
  readonly blocked: readonly BlockedAddress[];
  /** Nodes of the cluster that did not report their viewers; absent: all did. */
  readonly silentNodes?: readonly string[];
}

/** The result of ending a view. */
export interface EndedLinkViews {
  readonly kind: LinkKind;
  /** The view itself, and with a blocked address the others from there. */
  readonly endedViews: number;
  /** null: none; also if the viewer's address is unknown. */
  readonly blocked: BlockedAddress | null;
  /** False: the store could not save it, so it is in effect until a restart. */
  readonly isStored: boolean;
  /** Nodes of the cluster that did not report which views ended there. They read the end from the store. */
  readonly silentNodes: readonly string[];
}

export interface ShareViewersOptions {
  readonly directory: Pick<ShareDirectory, 'find' | 'findWall' | 'findGroup'>;
  readonly sessions: ViewerSessions;
  /** Sessions of shared groups of files. */
  readonly groupSessions: ViewerSessions;
  readonly ended: EndedViews;
  readonly counters: Pick<Counters, 'viewerCounts'>;
  readonly clock: Clock;
}

/** A link with the sessions of those who opened it. */
interface Link {
  readonly kind: LinkKind;
  readonly sessions: ViewerSessions;
  readonly audiences: readonly Ruuid[];
}

export class ShareViewers {
  readonly #options: ShareViewersOptions;

  constructor(options: ShareViewersOptions) {
    this.#options = options;
  }

  /** `linkUuid`: a share, a shared wall or a shared group. null: the organization has no such link. */
  list(orgUuid: Ruuid, linkUuid: Ruuid): LinkViewers | null {
    const link = this.#find(orgUuid, linkUuid);
    if (link === null) return null;
    const { ended, clock } = this.#options;
    const monoToEpochMs = clock.epochMs() - clock.monoMs();
    const viewers = new Map<string, LinkViewer>();
    let most = 0;
    for (const audience of link.audiences) {
      const sessions = link.sessions.sessionsOf(audience);
      most = Math.max(most, sessions.size);
      let looked = 0;
      for (const session of sessions) {
        if (looked++ === MAX_LISTED_VIEWERS) break;
        const { viewerId } = session.grant;
        const known = viewers.get(viewerId);
        if (known === undefined && viewers.size === MAX_LISTED_VIEWERS) continue;
        viewers.set(viewerId, joined(known, viewerOf(session, link.kind, monoToEpochMs)));
      }
    }
    return {
      kind: link.kind,
      viewers: [...viewers.values()],
      total: Math.max(most, viewers.size),
      blocked: ended.blocked(orgUuid, linkUuid),
    };
  }

  /** A viewer of the link that has a session here; null: there is none. */
  find({ orgUuid, linkUuid, viewerId }: ViewerOfLink): FoundViewer | null {
    const link = this.#find(orgUuid, linkUuid);
    const sessions = link === null ? [] : sessionsOf(link);
    const own = sessions.filter(({ grant }) => grant.viewerId === viewerId);
    if (own.length === 0) return null;
    const newest = own.reduce((one, other) => (one.lastSeenMonoMs > other.lastSeenMonoMs ? one : other));
    const { clock } = this.#options;
    return {
      address: newest.address,
      grantUntilEpochMs: Math.max(...own.map(({ grant }) => grant.expiresAtSec * 1_000)),
      idleMs: clock.monoMs() - newest.lastSeenMonoMs,
    };
  }

  /**
   * Ends one view at all nodes, and blocks its address from the link for `blockMs`, which also ends the other views from there; null: no
   * block. When it resolves, their waiting requests have ended and their media were cut, at all nodes that answered. `no-viewer`: no viewer
   * with this ID is watching; null: the organization has no such link. Fails ENDED_VIEWERS_FULL, BLOCKED_ADDRESSES_FULL.
   */
  async end(
    orgUuid: Ruuid,
    linkUuid: Ruuid,
    viewerId: string,
    blockMs: number | null,
    others: OtherNodes = NO_OTHER_NODES,
  ): Promise<EndedLinkViews | 'no-viewer' | null> {
    const link = this.#find(orgUuid, linkUuid);
    if (link === null) return null;
    const viewer: ViewerOfLink = { orgUuid, linkUuid, viewerId };
    const { responses, silent } = await others.find(viewer);
    const found = [this.find(viewer), ...responses].filter((one) => one !== null);
    // At a node that is silent, the viewer may be watching.
    if (found.length === 0 && (silent.length === 0 || !isViewerId(viewerId))) return 'no-viewer';
    const { ended, clock } = this.#options;
    const nowMs = clock.epochMs();
    const address = newestAddress(found);
    const view: EndedViewer = {
      ...viewer,
      grantUntilEpochMs: Math.max(
        silent.length === 0 ? 0 : nowMs + others.grantLifetimeMs,
        ...found.map(({ grantUntilEpochMs }) => grantUntilEpochMs),
      ),
      blocked:
        blockMs === null || address === ''
          ? null
          : { address: subscriberOf(address), untilEpochMs: nowMs + blockMs },
    };
    const stored = ended.end(view).then(
      () => true,
      // The caller learns of it. The view has ended all the same.
      () => false,
    );
    const views = this.#cutOff(view);
    const [isStored, elsewhere] = await Promise.all([stored, others.end(view)]);
    return {
      kind: link.kind,
      endedViews: new Set([...views, ...elsewhere.responses.flat()]).size,
      blocked: view.blocked,
      isStored,
      silentNodes: elsewhere.silent,
    };
  }

  /** Another node ends this view, and stores that. The viewers whose views ended here. Fails like `end`. */
  endHere(view: EndedViewer): string[] {
    this.#options.ended.apply(view);
    return this.#cutOff(view);
  }

  /**
   * Another process ended views of a link, or blocked or unblocked an address: reads that, and ends those views. Without a
   * link: all. Rejects like the store.
   */
  async endedElsewhere(linkUuid?: Ruuid): Promise<void> {
    await this.#options.ended.load(linkUuid);
    const { directory, sessions, groupSessions } = this.#options;
    if (linkUuid === undefined) {
      sessions.reconsiderAll();
      groupSessions.reconsiderAll();
      return;
    }
    const members = directory.findWall(linkUuid)?.members.map(({ share }) => share.uuid);
    for (const audience of members ?? [linkUuid]) sessions.reconsider(audience);
    groupSessions.reconsider(linkUuid);
  }

  /** `not-blocked`: nothing to lift; null: the organization has no such link. */
  async unblock(
    orgUuid: Ruuid,
    linkUuid: Ruuid,
    address: string,
  ): Promise<'unblocked' | 'not-blocked' | null> {
    if (this.#find(orgUuid, linkUuid) === null) return null;
    return (await this.#options.ended.unblock(orgUuid, linkUuid, address)) ? 'unblocked' : 'not-blocked';
  }

  /** Viewers of each link on all nodes; of a wall, those of the camera with the most. In the order of `linkUuids`. */
  async counts(linkUuids: readonly Ruuid[]): Promise<number[]> {
    const { directory, counters } = this.#options;
    const audiences = linkUuids.map((uuid) => {
      const wall = directory.findWall(uuid);
      return wall === undefined ? [uuid] : wall.members.map(({ share }) => share.uuid);
    });
    const counts = await counters.viewerCounts(audiences.flat());
    let at = 0;
    return audiences.map(({ length }) => {
      const ofLink = counts.slice(at, at + length);
      at += length;
      return Math.max(0, ...ofLink);
    });
  }

  /** Makes the decision about all viewers of the link again. Those whom the end concerns. */
  #cutOff({ orgUuid, linkUuid, viewerId, blocked }: EndedViewer): string[] {
    const link = this.#find(orgUuid, linkUuid);
    if (link === null) return [];
    const viewers = new Set<string>();
    for (const { grant, address } of sessionsOf(link)) {
      const isConcerned = grant.viewerId === viewerId || subscriberOf(address) === blocked?.address;
      if (isConcerned) viewers.add(grant.viewerId);
    }
    for (const audience of link.audiences) link.sessions.reconsider(audience);
    return [...viewers];
  }

  #find(orgUuid: Ruuid, linkUuid: Ruuid): Link | null {
    const { directory, sessions, groupSessions } = this.#options;
    const view = directory.find(linkUuid);
    if (view !== undefined && view.wallShareUuid === null) {
      return view.share.orgUuid === orgUuid ? { kind: 'stream', sessions, audiences: [linkUuid] } : null;
    }
    const wall = directory.findWall(linkUuid);
    if (wall?.wallShare.orgUuid === orgUuid) {
      return { kind: 'wall', sessions, audiences: wall.members.map(({ share }) => share.uuid) };
    }
    const group = directory.findGroup(linkUuid);
    return group?.orgUuid === orgUuid
      ? { kind: 'group', sessions: groupSessions, audiences: [linkUuid] }
      : null;
  }
}

function sessionsOf({ sessions, audiences }: Link): ViewerSession[] {
  return audiences.flatMap((audience) => [...sessions.sessionsOf(audience)]);
}

/** '' if no node knows it. */
function newestAddress(found: readonly FoundViewer[]): string {
  const known = found.filter(({ address }) => address !== '');
  return known.toSorted((one, other) => one.idleMs - other.idleMs)[0]?.address ?? '';
}

function viewerOf(session: ViewerSession, kind: LinkKind, monoToEpochMs: number): LinkViewer {
  const { start, protocol, profile, isInPast, sentBytes, isCounted } = session;
  return {
    viewerId: session.grant.viewerId,
    sinceEpochMs: start.atEpochMs,
    lastRequestEpochMs: Math.max(start.atEpochMs, Math.round(session.lastSeenMonoMs + monoToEpochMs)),
    address: start.address,
    userAgent: start.userAgent,
    protocol,
    profile,
    isInPast,
    sentBytes,
    isCounted,
    cameraUuids: kind === 'wall' ? [session.deviceUuid] : [],
  };
}

/** The tiles of a wall are one viewer, as are its sessions on several nodes. */
export function joined(known: LinkViewer | undefined, other: LinkViewer): LinkViewer {
  if (known === undefined) return other;
  const newer = known.lastRequestEpochMs > other.lastRequestEpochMs ? known : other;
  return {
    ...newer,
    sinceEpochMs: Math.min(known.sinceEpochMs, other.sinceEpochMs),
    sentBytes: known.sentBytes + other.sentBytes,
    isCounted: known.isCounted || other.isCounted,
    cameraUuids: [...new Set([...known.cameraUuids, ...other.cameraUuids])],
  };
}
