/** The third stage of the gateway: shares, viewer sessions, and the listener for viewers. */

import { statfs } from 'node:fs/promises';
import type { Counters } from '../counters/counters.ts';
import { buildFrontDoor } from '../front-door/build-front-door.ts';
import { ShareTraffic } from '../front-door/share-traffic.ts';
import { loadWebAssets } from '../front-door/web-assets.ts';
import { AttemptLimiter } from '../sharing/attempt-limiter.ts';
import { Grants } from '../sharing/grant.ts';
import { OpenLimiter } from '../sharing/open-limiter.ts';
import { Passwords } from '../sharing/password.ts';
import { ShareDirectory } from '../sharing/share-directory.ts';
import { ShareGate } from '../sharing/share-gate.ts';
import { ShareService } from '../sharing/share-service.ts';
import { ShareTokens } from '../sharing/share-token.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import { ViewerSessions } from '../sharing/viewer-sessions.ts';
import { Posters } from '../thumbnails/posters.ts';
import type { Notice } from './api-thread/thread-calls.ts';
import type { Cleanup } from './cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { listen, stopListening } from './listening.ts';
import { openCounters } from './open-counters.ts';
import { createReadiness } from './readiness.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';
import { UnstoredEnds } from './unstored-ends.ts';

/** Enough for the moment before the video plays, on any screen. */
const POSTER_WIDTH_PX = 640;

export interface FrontDoorStage {
  readonly counters: Counters;
  readonly directory: ShareDirectory;
  readonly unstoredEnds: UnstoredEnds;
  readonly sessions: ViewerSessions;
  readonly traffic: ShareTraffic;
  readonly shares: ShareService;
  readonly readiness: ReturnType<typeof createReadiness>;
  readonly frontDoor: Awaited<ReturnType<typeof buildFrontDoor>>;
  /** The URL at which viewers reach it. */
  readonly mediaUrl: string;
}

export async function startFrontDoor(
  options: GatewayOptions,
  stored: StoreStage,
  media: MediaStage,
  cleanup: Cleanup,
): Promise<FrontDoorStage> {
  const { config, clock, log } = options;
  const { store, secrets, audit } = stored;
  const { hub, decoders, descriptors } = media;
  const counters = await openCounters(config.redis, {
    ...{ clock, log },
    counts: 'viewers',
    onReturned: async () => undefined,
  });
  cleanup.add('counters', () => counters.close());
  const directory = await ShareDirectory.open({ store, clock, log });
  cleanup.add('share directory', () => directory.close());
  const unstoredEnds = new UnstoredEnds({ store, directory, clock, log });
  cleanup.add('unstored ends of shares', () => unstoredEnds.close());
  const tokens = new ShareTokens(secrets.shareTokenKey);
  const passwords = new Passwords();
  const guarded = openGate(options, stored, { directory, counters, tokens, passwords });
  const { gate, sessions } = guarded;
  cleanup.add('viewer sessions', () => sessions.close());
  const posters = new Posters({ pool: decoders.posterWorkers, binary: decoders.ffmpeg, clock, log });
  const freeBytes = config.database === null ? () => freeBytesOf(config.data) : null;
  const readiness = createReadiness({ store, counters, clock, freeBytes });
  // The front door only uses its path; without a public URL there is none.
  const publicMediaUrl = config.public.mediaUrl ?? 'http://localhost';
  const assets = await loadWebAssets({ publicMediaUrl });
  const traffic = new ShareTraffic();
  directory.onChange((shareUuid) => {
    if (directory.find(shareUuid) === undefined) traffic.forget(shareUuid);
  });
  const frontDoor = buildFrontDoor({
    ...{ traffic, cameras: hub, gate, sessions, counters, assets, clock, log, readiness },
    posters: { poster: (camera) => posters.poster(camera, POSTER_WIDTH_PX) },
    publicMediaUrl,
    trustProxy: config.trustProxy,
    connections: descriptors.media,
    onShareOpened: (share, viewer) => audit.shareOpened(share, viewer),
  });
  cleanup.add('media listener', () => stopListening(frontDoor, clock));
  const mediaUrl = await listen(frontDoor, config.listen.media, config.public.mediaUrl);
  const shares = new ShareService({
    ...{ store, counters, passwords, tokens, clock, rules: directory },
    publicMediaUrl: mediaUrl,
  });
  return {
    ...{ counters, directory, unstoredEnds, sessions, traffic, shares, readiness, frontDoor, mediaUrl },
  };
}

/** Who may watch, and who is watching. */
function openGate(
  { config, clock }: GatewayOptions,
  { secrets, audit, apiThread }: StoreStage,
  of: { directory: ShareDirectory; counters: Counters; tokens: ShareTokens; passwords: Passwords },
): { gate: ShareGate; sessions: ViewerSessions } {
  const { directory, counters } = of;
  const { maxViewersPerShare, grantLifetimeMs, passwordAttempts, opensPerMinute } = config.access;
  const grants = new Grants(secrets.grantSigningKey);
  const sessions = new ViewerSessions({
    ...{ directory, grants, counters, clock, maxViewersPerShare },
    observer: {
      viewerJoined: (session, viewers) => apiThread.notify(viewerNotice('CREATE', session, viewers)),
      viewerLeft: (session, viewers) => apiThread.notify(viewerNotice('DELETE', session, viewers)),
      sessionEnded: (session) => audit.viewerLeft(session),
    },
  });
  const limiter = new AttemptLimiter({ clock, perMinute: passwordAttempts });
  const openLimiter = new OpenLimiter({ clock, perMinute: opensPerMinute });
  const gate = new ShareGate({
    ...{ ...of, grants, limiter, openLimiter, sessions, clock, grantLifetimeMs, maxViewersPerShare },
  });
  return { gate, sessions };
}

function viewerNotice(type: 'CREATE' | 'DELETE', session: ViewerSession, viewers: number): Notice {
  const { orgUuid, shareUuid, cameraUuid, grant } = session;
  return {
    kind: 'viewer',
    viewer: { type, orgUuid, shareUuid, cameraUuid, viewerId: grant.viewerId, viewers },
  };
}

/** Room on the disk that holds a folder. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
