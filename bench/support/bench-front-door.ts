/**
 * The front door as the application wires it: a store in memory with one share, the access decision, the HTTP
 * server.
 */

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { ClipLibrary } from '../../src/clips/clip-library.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { createMemoryCounters } from '../../src/counters/memory-counters.ts';
import { AlertTimes } from '../../src/events/alert-times.ts';
import { buildFrontDoor } from '../../src/front-door/build-front-door.ts';
import type { PastParts } from '../../src/front-door/past/past-routes.ts';
import { ShareTraffic } from '../../src/front-door/response/share-traffic.ts';
import { CompressedAsset } from '../../src/http/compressed-asset.ts';
import { PastSound } from '../../src/playback/past-sound.ts';
import { AttemptLimiter } from '../../src/sharing/attempt-limiter.ts';
import { EndedViews } from '../../src/sharing/ended-views.ts';
import { Grants } from '../../src/sharing/grant.ts';
import { OpenLimiter } from '../../src/sharing/open-limiter.ts';
import { Passwords } from '../../src/sharing/password.ts';
import { PastAccess } from '../../src/sharing/past-access.ts';
import { ShareDirectory } from '../../src/sharing/share-directory.ts';
import { ShareGate } from '../../src/sharing/share-gate.ts';
import { ShareTokens } from '../../src/sharing/share-token.ts';
import { ViewerSessions } from '../../src/sharing/viewer-sessions.ts';
import type { Share, WeeklySchedule } from '../../src/store/entities.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleCamera, sampleShare } from '../../src/store/sample-entities-fixture.ts';
import type { Store } from '../../src/store/store.ts';
import type { LiveCameras } from '../../src/stream/media/live-media.ts';

export interface BenchFrontDoor {
  readonly port: number;
  /** Opens the share as a new viewer: where that viewer's playlist and media are, with a slash at the end. */
  openShare(): Promise<string>;
  readonly traffic: ShareTraffic;
  /** Requests under paths that viewers share, answered with media or not. */
  sharedRequests(): number;
  close(): Promise<void>;
}

const NO_PAGE = new CompressedAsset('text/html', '');
const KEY_BYTES = 32;
const HOUR_SEC = 3_600;
const DAY_MS = 86_400_000;
const MINUTES_PER_WEEK = 10_080;
const ATTEMPTS_PER_MINUTE = 10;
/** Every viewer of the swarm comes from this machine's address. */
const OPENS_PER_MINUTE = 1_000_000;

/**
 * `past`: earlier recordings of the camera; absent: the door serves no past. `sharesPaths`: viewers get media under paths
 * that they share.
 */
export async function startBenchFrontDoor(
  cameras: LiveCameras,
  cameraUuid: Ruuid,
  past?: Pick<PastParts, 'playback' | 'movies' | 'media'>,
  sharesPaths = false,
): Promise<BenchFrontDoor> {
  const clock = systemClock;
  const log = silentLog;
  const store = await openStore({
    kind: 'sqlite',
    path: ':memory:',
    fieldKey: randomBytes(KEY_BYTES),
    clock,
  });
  const share = await saveShare(store, cameraUuid);
  const directory = await ShareDirectory.open({ store, clock, log });
  const counters = createMemoryCounters({ clock });
  const tokens = new ShareTokens(randomBytes(KEY_BYTES));
  const grants = new Grants(randomBytes(KEY_BYTES));
  const maxViewersPerShare = null;
  const sessions = new ViewerSessions({
    directory,
    grants,
    counters,
    clock,
    maxViewersPerShare,
    sharesPaths,
  });
  const gate = new ShareGate({
    directory,
    tokens,
    grants,
    counters,
    sessions,
    clock,
    maxViewersPerShare,
    ended: new EndedViews(clock),
    passwords: new Passwords(),
    limiter: new AttemptLimiter({ clock, perMinute: ATTEMPTS_PER_MINUTE }),
    openLimiter: new OpenLimiter({ clock, perMinute: OPENS_PER_MINUTE }),
    grantLifetimeMs: HOUR_SEC * 1_000,
  });
  const library = new ClipLibrary(store.resources);
  const traffic = new ShareTraffic();
  const app = buildFrontDoor({
    gate,
    sessions,
    cameras,
    counters,
    clock,
    log,
    traffic,
    stills: { still: async () => null },
    ...(past === undefined
      ? {}
      : {
          past: {
            ...past,
            sound: new PastSound({ playback: past.playback, encoderOf: () => null, clock }),
            access: new PastAccess(directory, clock),
            library,
            alertTimes: new AlertTimes(store.events),
            encodeFile: null,
            thumbnails: null,
          },
        }),
    assets: async () => ({
      page: NO_PAGE,
      wallPage: NO_PAGE,
      watchedWallPage: NO_PAGE,
      clipsPage: NO_PAGE,
      reachPage: NO_PAGE,
      byName: new Map(),
    }),
    readiness: async () => ({ ready: true, checks: {} }),
    publicMediaUrl: 'http://localhost',
  });
  let sharedRequests = 0;
  if (sharesPaths) {
    app.server.on('request', ({ url = '' }) => {
      if (url.startsWith('/cdn/')) sharedRequests++;
    });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  const shareToken = tokens.tokenOf(share.uuid);
  return {
    port: (app.server.address() as AddressInfo).port,
    openShare: async () => {
      const request = { shareToken, password: null, address: '127.0.0.1', onNear: () => undefined };
      const opened = await gate.open(request);
      if (!opened.allowed) throw new Error(`the share does not open: ${opened.reason}`);
      return `/live/${opened.grantText}/`;
    },
    traffic,
    sharedRequests: () => sharedRequests,
    close: async () => {
      await app.close();
      sessions.close();
      directory.close();
      await counters.close();
      await store.close();
    },
  };
}

/** A share with everything that is checked on the way, all of it in effect: an expiration and a whole-week schedule. */
async function saveShare(store: Store, cameraUuid: Ruuid): Promise<Share> {
  const orgUuid = newRuuid();
  const nowMs = systemClock.epochMs();
  await store.organizations.save({
    uuid: orgUuid,
    name: 'Bench',
    partnerUuid: null,
    cameraNetworks: [],
    createdAtMs: nowMs,
  });
  await store.cameras.save(sampleCamera(orgUuid, { uuid: cameraUuid }));
  const schedule: WeeklySchedule = {
    uuid: newRuuid(),
    orgUuid,
    name: 'Always',
    mutable: true,
    oneTimeUse: false,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    strategy: 'WEEKLY_REPEATING_MINUTES',
    intervals: [{ minuteOfWeekStart: 0, minuteOfWeekStop: MINUTES_PER_WEEK }],
  };
  await store.schedules.save(schedule);
  const share = sampleShare(orgUuid, {
    cameraUuid,
    scheduleUuid: schedule.uuid,
    passwordHash: null,
    vodEnabled: true,
    createdAtMs: nowMs - DAY_MS,
    expiresAtSec: Math.ceil(nowMs / 1_000) + HOUR_SEC,
  });
  await store.shares.save(share);
  return share;
}
