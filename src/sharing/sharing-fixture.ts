/** Sharing on a real in-memory store with one organization, for tests. */

import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import type { Camera, Location } from '../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { AttemptLimiter } from './attempt-limiter.ts';
import { DeviceDirectory } from './device-directory.ts';
import { DeviceGate } from './device-gate.ts';
import { DeviceGrants } from './device-grant.ts';
import { EndedViews } from './ended-views.ts';
import { Grants } from './grant.ts';
import { OpenLimiter } from './open-limiter.ts';
import { Passwords } from './password.ts';
import type { ScheduleService } from './schedule-service.ts';
import { ShareDirectory } from './share-directory.ts';
import { ShareGate } from './share-gate.ts';
import type { NewShareRequest, ShareService } from './share-service.ts';
import { ShareTokens } from './share-token.ts';
import { ShareViewers } from './share-viewers.ts';
import type { SharedGroupService } from './shared-group-service.ts';
import { createSharingServices } from './sharing-services.ts';
import { SignedInViews } from './signed-in-views.ts';
import type { VideoWallService } from './video-wall-service.ts';
import { ViewerProofs } from './viewer-proofs.ts';
import { type ViewerObserver, ViewerSessions } from './viewer-sessions.ts';
import { WallGate } from './wall-gate.ts';
import type { WallShareService } from './wall-share-service.ts';

/** Thursday 2026-01-01T00:00Z, Wednesday 19:00 in New York, where the fixture's camera is. */
export const FIXTURE_EPOCH_MS = Date.UTC(2026, 0, 1);
export const GRANT_LIFETIME_MS = 24 * 3_600_000;
export const ATTEMPTS_PER_MINUTE = 3;

export interface SharingFixture {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly counters: Counters;
  readonly directory: ShareDirectory;
  readonly tokens: ShareTokens;
  readonly grants: Grants;
  /** Grants of the synthetic viewer. */
  readonly probeGrants: Grants;
  readonly shares: ShareService;
  readonly schedules: ScheduleService;
  readonly gate: ShareGate;
  readonly wallTokens: ShareTokens;
  readonly wallShares: WallShareService;
  readonly videoWalls: VideoWallService;
  readonly wallGate: WallGate;
  readonly sessions: ViewerSessions;
  readonly groupTokens: ShareTokens;
  readonly groupGrants: Grants;
  readonly groups: SharedGroupService;
  readonly groupGate: ShareGate;
  readonly groupSessions: ViewerSessions;
  readonly devices: DeviceDirectory;
  readonly deviceGrants: DeviceGrants;
  readonly deviceGate: DeviceGate;
  readonly ended: EndedViews;
  readonly viewers: ShareViewers;
  readonly proofs: ViewerProofs | null;
  readonly signedIn: SignedInViews;
  readonly orgUuid: Ruuid;
  readonly location: Location;
  readonly camera: Camera;
  /** The context of a request, in addition to its own fields. */
  readonly request: NewShareRequest;
  close(): Promise<void>;
}

export interface SharingFixtureOptions {
  readonly maxViewersPerShare?: number;
  readonly maxSessions?: number;
  readonly opensPerMinute?: number;
  readonly observer?: ViewerObserver;
  /** As in ShareGateOptions. */
  readonly caughtUp?: () => Promise<void>;
  /** Default: example.com; null: without a provider. */
  readonly signInDomains?: readonly string[] | null;
}

export async function openSharingFixture(options: SharingFixtureOptions = {}): Promise<SharingFixture> {
  const { maxViewersPerShare = null, maxSessions = 2_000, opensPerMinute = 600, observer } = options;
  const { caughtUp = async () => undefined } = options;
  const { signInDomains = ['example.com'] } = options;
  const clock = new FakeClock(FIXTURE_EPOCH_MS);
  const store = await openTestStore(clock);
  const organization = sampleOrganization();
  const orgUuid = organization.uuid;
  const location = sampleLocation(orgUuid, { tz: 'America/New_York' });
  const nvr = sampleNvr(orgUuid, { locationUuid: location.uuid });
  const camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: nvr.uuid });
  await store.organizations.save(organization);
  await store.locations.save(location);
  await store.nvrs.save(nvr);
  await store.cameras.save(camera);
  const ended = new EndedViews(clock);
  const signedIn = await SignedInViews.open({ store, ended, clock, log: silentLog });
  const proofs =
    signInDomains === null
      ? null
      : new ViewerProofs({
          settings: { issuer: 'https://login.example', allowedDomains: signInDomains },
          sealingKey: Buffer.alloc(32, 5),
          views: signedIn,
          clock,
          lifetimeMs: GRANT_LIFETIME_MS,
        });
  const counters = createMemoryCounters({ clock });
  const directory = await ShareDirectory.open({ store, clock, log: silentLog });
  const tokens = new ShareTokens(Buffer.alloc(32, 1));
  const grants = new Grants(Buffer.alloc(32, 2));
  const probeGrants = Grants.forProbes(Buffer.alloc(32, 2));
  const passwords = new Passwords({ log2N: 4, r: 8, p: 1 });
  const limiter = new AttemptLimiter({ clock, perMinute: ATTEMPTS_PER_MINUTE });
  const openLimiter = new OpenLimiter({ clock, perMinute: opensPerMinute });
  const devices = await DeviceDirectory.open({ store, clock, log: silentLog });
  const deviceGrants = new DeviceGrants(Buffer.alloc(32, 3));
  const common = { store, directory, counters, clock, ended, caughtUp };
  const wallTokens = ShareTokens.forWalls(Buffer.alloc(32, 1));
  const sharing = createSharingServices({
    ...common,
    rules: directory,
    passwords,
    signInDomains,
    shareTokenKey: Buffer.alloc(32, 1),
    publicMediaUrl: 'https://media.example/',
  });
  const sessions = new ViewerSessions({
    ...common,
    grants,
    probes: probeGrants,
    maxViewersPerShare,
    maxSessions,
    devices: { directory: devices, grants: deviceGrants },
    ...(observer === undefined ? {} : { observer }),
  });
  signedIn.onEnded((shareUuid) => sessions.reconsider(shareUuid));
  const groupTokens = ShareTokens.forGroups(Buffer.alloc(32, 1));
  const ofGroups = {
    counters,
    clock,
    ended,
    directory: directory.groupShares,
    grants: Grants.forGroups(Buffer.alloc(32, 2)),
  };
  const groupSessions = new ViewerSessions({ ...ofGroups, maxViewersPerShare, maxSessions });
  return {
    ...common,
    tokens,
    grants,
    probeGrants,
    proofs,
    signedIn,
    ...sharing,
    gate: new ShareGate({
      ...common,
      tokens,
      grants,
      passwords,
      proofs,
      signedIn,
      limiter,
      openLimiter,
      sessions,
      grantLifetimeMs: GRANT_LIFETIME_MS,
      maxViewersPerShare,
    }),
    wallTokens,
    wallGate: new WallGate({
      directory,
      clock,
      ended,
      grants,
      passwords,
      limiter,
      openLimiter,
      caughtUp,
      tokens: wallTokens,
      grantLifetimeMs: GRANT_LIFETIME_MS,
    }),
    sessions,
    groupTokens,
    groupGrants: ofGroups.grants,
    groups: sharing.sharedGroups,
    groupGate: new ShareGate({
      ...ofGroups,
      tokens: groupTokens,
      passwords,
      limiter,
      openLimiter,
      maxViewersPerShare,
      sessions: groupSessions,
      grantLifetimeMs: GRANT_LIFETIME_MS,
    }),
    groupSessions,
    viewers: new ShareViewers({ ...common, sessions, groupSessions }),
    devices,
    deviceGrants,
    deviceGate: new DeviceGate({
      directory: devices,
      grants: deviceGrants,
      openLimiter,
      clock,
      grantLifetimeMs: GRANT_LIFETIME_MS,
    }),
    orgUuid,
    location,
    camera,
    request: { camera, cameraFacet: '', streamType: 'USER', vodEnabled: false },
    async close() {
      sessions.close();
      groupSessions.close();
      directory.close();
      signedIn.close();
      devices.close();
      await counters.close();
      await store.close();
    },
  };
}
