/** Access and viewers: directories, gates, and views. The simulation opens it as the gateway does. */

import type { AuditTrail } from '../../audit/audit-trail.ts';
import { SharedClips } from '../../clips/shared-clips.ts';
import { SharedTimelapses } from '../../clips/shared-timelapses.ts';
import {
  groupViewerObserver,
  type ViewerCounts,
  viewerCounts,
  viewerObserver,
} from '../../cluster/adapters/viewer-notices.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Counters } from '../../counters/counters.ts';
import type { RedisRateLimiters } from '../../counters/redis-rate-limiter.ts';
import { EmergencyViews } from '../../emergency/emergency-views.ts';
import { GroupLists } from '../../front-door/files/group-lists.ts';
import type { GroupParts } from '../../front-door/files/group-routes.ts';
import { sealedArchives } from '../../front-door/files/sealed-archive.ts';
import { SealedCases } from '../../front-door/files/sealed-case.ts';
import { AttemptLimiter } from '../../sharing/attempt-limiter.ts';
import { DeviceDirectory } from '../../sharing/device-directory.ts';
import { DeviceGrants } from '../../sharing/device-grant.ts';
import { EndedViews } from '../../sharing/ended-views.ts';
import { followEndedViews } from '../../sharing/follow-ended-views.ts';
import { Grants } from '../../sharing/grant.ts';
import { OpenLimiter } from '../../sharing/open-limiter.ts';
import { Passwords } from '../../sharing/password.ts';
import { ShareDirectory } from '../../sharing/share-directory.ts';
import { ShareGate, type ShareGateOptions } from '../../sharing/share-gate.ts';
import { ShareTokens } from '../../sharing/share-token.ts';
import { ShareViewers } from '../../sharing/share-viewers.ts';
import { SignedInViews } from '../../sharing/signed-in-views.ts';
import type { UnstoredEnds } from '../../sharing/unstored-ends.ts';
import { ViewerProofs } from '../../sharing/viewer-proofs.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { type DeviceViews, ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { WallGate } from '../../sharing/wall-gate.ts';
import { oidcSettingsOf } from '../config/oidc-settings-of.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { StoreStage } from './start-store.ts';
import { type EndsFile, openUnstoredEnds } from './start-unstored-ends.ts';

/** Parts that decide about viewers. */
export interface Access {
  readonly directory: ShareDirectory;
  readonly deviceDirectory: DeviceDirectory;
  readonly deviceViews: DeviceViews;
  readonly unstoredEnds: UnstoredEnds;
  readonly tokens: ShareTokens;
  readonly passwords: Passwords;
  /** As organizations see them. */
  readonly counts: ViewerCounts;
  /** null: no provider is configured. */
  readonly signedIn: SignedInViews | null;
  readonly proofs: ViewerProofs | null;
  readonly gate: ShareGate;
  readonly sessions: ViewerSessions;
  readonly walls: WallGate;
  readonly groups: GroupParts;
  readonly shareViewers: ShareViewers;
}

/** Parts of the first stage that this one uses. */
export interface AccessParts extends Pick<StoreStage, 'store' | 'secrets'> {
  readonly audit: Pick<AuditTrail, 'viewerLeft' | 'deviceLeft' | 'groupOpened'>;
  readonly apiThread: Pick<StoreStage['apiThread'], 'notify' | 'itemProgress'>;
  readonly foreignChanges: Pick<StoreStage['foreignChanges'], 'caughtUp'>;
}

/** Resolves when ends of access that the store does not have, and ended views, are in force. */
export async function openAccess(
  options: GatewayOptions,
  parts: AccessParts,
  of: {
    readonly counters: Counters;
    readonly cluster: Cluster | null;
    /** null: this process limits for itself. */
    readonly shared: RedisRateLimiters | null;
    /** As in openUnstoredEnds. */
    readonly file?: EndsFile;
  },
  cleanup: Cleanup,
): Promise<Access> {
  const { clock, log } = options;
  const { store, secrets } = parts;
  const directory = await ShareDirectory.open({ store, clock, log });
  cleanup.add('share directory', () => directory.close());
  const deviceDirectory = await DeviceDirectory.open({ store, clock, log });
  cleanup.add('device directory', () => deviceDirectory.close());
  const deviceViews = { directory: deviceDirectory, grants: new DeviceGrants(secrets.deviceGrantKey) };
  const unstoredEnds = await openUnstoredEnds(options, parts, { ...of, directory, deviceDirectory }, cleanup);
  const ended = new EndedViews(clock, store.endedViews);
  const common = {
    directory,
    deviceViews,
    tokens: new ShareTokens(secrets.shareTokenKey),
    passwords: new Passwords(),
    ...(await openSignIns(options, parts, ended, cleanup)),
  };
  const counts = viewerCounts(of.cluster, of.counters);
  const emergencyViews = new EmergencyViews({ store, directory, clock, log });
  cleanup.add('views of emergencies', () => emergencyViews.close());
  const guarded = openGate(options, parts, { ...of, ...common, ended, emergencyViews, counters: counts });
  const { sessions, groups, shareViewers } = guarded;
  cleanup.add('viewer sessions', () => sessions.close());
  cleanup.add('sessions of shared files', () => groups.sessions.close());
  cleanup.add('ended views of other nodes', followEndedViews(options, store, shareViewers));
  await ended.load();
  return { ...common, ...guarded, deviceDirectory, unstoredEnds, counts };
}

/** Viewers who sign in at a provider. */
async function openSignIns(
  { config, clock, log }: GatewayOptions,
  { store, secrets }: AccessParts,
  ended: EndedViews,
  cleanup: Cleanup,
): Promise<Pick<Access, 'signedIn' | 'proofs'>> {
  const settings = oidcSettingsOf(config);
  if (settings === null) return { signedIn: null, proofs: null };
  const signedIn = await SignedInViews.open({ store, ended, clock, log });
  cleanup.add('sign-ins of viewers', () => signedIn.close());
  const { grantLifetimeMs: lifetimeMs } = config.access;
  const proofs = new ViewerProofs({
    settings,
    sealingKey: secrets.ssoKey,
    views: signedIn,
    clock,
    lifetimeMs,
  });
  return { signedIn, proofs };
}

/** Opens the gate that decides who may watch, and the sessions of the viewers. */
function openGate(
  { config, clock }: GatewayOptions,
  parts: AccessParts,
  of: {
    directory: ShareDirectory;
    cluster: Cluster | null;
    counters: ViewerCounts;
    /** null: this process counts for itself. */
    shared: RedisRateLimiters | null;
    tokens: ShareTokens;
    passwords: Passwords;
    proofs: ViewerProofs | null;
    signedIn: SignedInViews | null;
    deviceViews: DeviceViews;
    ended: EndedViews;
    emergencyViews: EmergencyViews;
  },
): {
  gate: ShareGate;
  sessions: ViewerSessions;
  walls: WallGate;
  groups: GroupParts;
  shareViewers: ShareViewers;
} {
  const { secrets, audit, apiThread, foreignChanges } = parts;
  const { directory, cluster, counters, deviceViews, ended, emergencyViews } = of;
  const { maxViewersPerShare, grantLifetimeMs, passwordAttempts, opensPerMinute } = config.access;
  const grants = new Grants(secrets.grantSigningKey);
  const probes = Grants.forProbes(secrets.grantSigningKey);
  const wallViewers = (wallShareUuid: Ruuid): number => {
    const members = directory.findWall(wallShareUuid)?.members ?? [];
    return Math.max(0, ...members.map(({ share }) => sessions.viewersOf(share.uuid)));
  };
  const sessions: ViewerSessions = new ViewerSessions({
    directory,
    grants,
    probes,
    counters,
    clock,
    ended,
    maxViewersPerShare,
    devices: deviceViews,
    sharesPaths: config.cdn,
    observer: {
      ...viewerObserver(cluster, (viewer) => apiThread.notify({ kind: 'viewer', viewer }), wallViewers),
      sessionBegan: (session) => emergencyViews.sessionBegan(session),
      sessionEnded: (session) => {
        emergencyViews.sessionEnded(session);
        recordEnd(audit, deviceViews.directory, session);
      },
    },
  });
  of.signedIn?.onEnded((shareUuid) => sessions.reconsider(shareUuid));
  const shared = of.shared?.buckets ?? null;
  const limiter = new AttemptLimiter({ clock, perMinute: passwordAttempts, shared });
  const openLimiter = new OpenLimiter({ clock, perMinute: opensPerMinute, shared });
  const caughtUp = async (): Promise<void> => {
    await foreignChanges.caughtUp();
    await directory.settled();
  };
  const limits = { limiter, openLimiter, ended, clock, grantLifetimeMs, maxViewersPerShare, caughtUp };
  const gate = new ShareGate({ ...of, ...limits, grants, sessions });
  const walls = new WallGate({
    directory,
    grants,
    limiter,
    openLimiter,
    ended,
    clock,
    grantLifetimeMs,
    passwords: of.passwords,
    caughtUp,
    tokens: ShareTokens.forWalls(secrets.shareTokenKey),
  });
  const groups = openGroups(parts, { ...of, limits });
  const shareViewers = new ShareViewers({
    directory,
    sessions,
    groupSessions: groups.sessions,
    ended,
    counters,
    clock,
  });
  return { gate, sessions, walls, groups, shareViewers };
}

/** Opens the gate for shared groups of files, and the sessions of their viewers. */
function openGroups(
  { store, secrets, audit, apiThread }: AccessParts,
  of: {
    readonly directory: ShareDirectory;
    readonly cluster: Cluster | null;
    readonly counters: ViewerCounts;
    readonly passwords: Passwords;
    readonly limits: Omit<
      ShareGateOptions,
      'directory' | 'grants' | 'sessions' | 'passwords' | 'tokens' | 'counters'
    >;
  },
): GroupParts {
  const { directory, cluster, counters, passwords, limits } = of;
  const ofGroups = {
    directory: directory.groupShares,
    grants: Grants.forGroups(secrets.grantSigningKey),
    counters,
  };
  const sessions = new ViewerSessions({
    ...limits,
    ...ofGroups,
    observer: cluster === null ? undefined : groupViewerObserver(cluster),
  });
  return {
    gate: new ShareGate({
      ...limits,
      ...ofGroups,
      sessions,
      passwords,
      tokens: ShareTokens.forGroups(secrets.shareTokenKey),
    }),
    sessions,
    directory,
    openSealed: sealedArchives(store),
    cases: new SealedCases({ store, clock: limits.clock }),
    lists: new GroupLists({
      items: { clip: new SharedClips(store), timelapse: new SharedTimelapses(store) },
      progress: (kind, uuids) => apiThread.itemProgress(kind, uuids),
      clock: limits.clock,
    }),
    onGroupOpened: (group, viewer) => audit.groupOpened(group, viewer),
  };
}

function recordEnd(audit: AccessParts['audit'], devices: DeviceDirectory, session: ViewerSession): void {
  const { orgUuid, cameraUuid, address, grant, profile, hasWatchedPast } = session;
  if (session.isProbe) return;
  // The trail has the opening of a wall; its page leaves and returns with every tile.
  if (session.wallShareUuid !== null) return;
  if (grant.of === 'device' && profile === null && hasWatchedPast) return;
  if (grant.of === 'share') audit.viewerLeft({ orgUuid, shareUuid: grant.shareUuid, cameraUuid, address });
  else audit.deviceLeft({ uuid: grant.deviceUuid, orgUuid }, devices.actorOf(grant.principal), address);
}
