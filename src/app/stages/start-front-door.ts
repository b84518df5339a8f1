/** The third stage of the gateway: shares, viewer sessions, and the listener for viewers. */

import { statfs } from 'node:fs/promises';
import { Callers } from '../../accounts/callers.ts';
import type { EndedCredentials } from '../../accounts/ended-credentials.ts';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { ClipLibrary } from '../../clips/clip-library.ts';
import { SharedClips } from '../../clips/shared-clips.ts';
import { SharedTimelapses } from '../../clips/shared-timelapses.ts';
import {
  groupViewerObserver,
  type ViewerCounts,
  viewerCounts,
  viewerObserver,
} from '../../cluster/adapters/viewer-notices.ts';
import type { ClusterStage } from '../../cluster/cluster-stage.ts';
import { HttpListener } from '../../connections/http-listener.ts';
import { toGatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';
import type { Counters } from '../../counters/counters.ts';
import { openCounters } from '../../counters/open-counters.ts';
import { MemoryRateLimiter } from '../../counters/rate-limiter.ts';
import type { RedisRateLimiters } from '../../counters/redis-rate-limiter.ts';
import { AlertTimes } from '../../events/alert-times.ts';
import { ApiStills } from '../../front-door/api-stills.ts';
import { buildFrontDoor } from '../../front-door/build-front-door.ts';
import { GroupLists } from '../../front-door/files/group-lists.ts';
import type { GroupParts } from '../../front-door/files/group-routes.ts';
import { loadWebAssets } from '../../front-door/page/web-assets.ts';
import { ShareTraffic } from '../../front-door/response/share-traffic.ts';
import type { DeviceAccessParts } from '../../front-door/session/device-entries.ts';
import { VIEWER_CALLBACK_PATH, type ViewerSignIn } from '../../front-door/session/viewer-sign-in.ts';
import type { UploadParts } from '../../front-door/uploads/upload-routes.ts';
import { createSuspectLookUps } from '../../http/authentication.ts';
import { OidcClient } from '../../oidc/oidc-client.ts';
import { MovieMaker } from '../../playback/movie-maker.ts';
import { movieThread } from '../../playback/movie-thread.ts';
import { PastPlayback } from '../../playback/past-playback.ts';
import { RangeMovies } from '../../playback/range-movies.ts';
import { LevelBooks } from '../../service-levels/level-books.ts';
import { takeReport } from '../../service-levels/viewer-report.ts';
import { AttemptLimiter } from '../../sharing/attempt-limiter.ts';
import { DeviceDirectory } from '../../sharing/device-directory.ts';
import { DeviceGate } from '../../sharing/device-gate.ts';
import { DeviceGrants } from '../../sharing/device-grant.ts';
import { EndedViews } from '../../sharing/ended-views.ts';
import { endingRules } from '../../sharing/ending-rules.ts';
import { Grants } from '../../sharing/grant.ts';
import { OpenLimiter } from '../../sharing/open-limiter.ts';
import { Passwords } from '../../sharing/password.ts';
import { PastAccess } from '../../sharing/past-access.ts';
import { ShareDirectory } from '../../sharing/share-directory.ts';
import { ShareGate } from '../../sharing/share-gate.ts';
import { ShareService } from '../../sharing/share-service.ts';
import { ShareTokens } from '../../sharing/share-token.ts';
import { ShareViewers } from '../../sharing/share-viewers.ts';
import { SignedInViews } from '../../sharing/signed-in-views.ts';
import type { UnstoredEnds } from '../../sharing/unstored-ends.ts';
import { ViewerProofs } from '../../sharing/viewer-proofs.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { type DeviceViews, ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { WallGate } from '../../sharing/wall-gate.ts';
import type { Store } from '../../store/store.ts';
import { PublicUrlVisits } from '../../system/public-url-visits.ts';
import { HeldStills } from '../../thumbnails/held-stills.ts';
import { Stills } from '../../thumbnails/stills.ts';
import { apiLimits } from '../config/api-limits.ts';
import { oidcSettingsOf } from '../config/oidc-settings-of.ts';
import { recordingStorage } from '../config/recording-storage.ts';
import { goalsOf } from '../config/service-goals.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { listen, stopListening } from '../process/listening.ts';
import type { ViewerThreads } from '../viewer-threads/viewer-threads.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { createReadiness } from './readiness.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';
import { openUnstoredEnds } from './start-unstored-ends.ts';
import { startUploads } from './start-uploads.ts';
import { startViewerThreads } from './start-viewer-threads.ts';

/** After a failure. */
const READ_AGAIN_MS = 250;
/** Counted apart from those of the API. */
const FAILURES_POLICY = 'media-address';
const VIEWER_SIGN_INS_POLICY = 'viewer-oidc';

export interface FrontDoorStage {
  readonly counters: Counters;
  readonly directory: ShareDirectory;
  readonly deviceDirectory: DeviceDirectory;
  readonly unstoredEnds: UnstoredEnds;
  readonly sessions: ViewerSessions;
  /** Of shared groups of files. */
  readonly groupSessions: ViewerSessions;
  readonly shareViewers: ShareViewers;
  /** null: no provider is configured. */
  readonly signedIn: SignedInViews | null;
  readonly traffic: ShareTraffic;
  readonly stills: Stills;
  readonly shares: ShareService;
  readonly readiness: ReturnType<typeof createReadiness>;
  readonly frontDoor: Awaited<ReturnType<typeof buildFrontDoor>>;
  /** The URL at which viewers reach it. */
  readonly mediaUrl: string;
  readonly apiStills: ApiStills;
  readonly uploads: UploadParts;
  readonly deviceGate: DeviceGate;
  readonly publicUrlVisits: PublicUrlVisits;
  /** null: viewers are served by the gateway's thread. */
  readonly viewerThreads: ViewerThreads | null;
  readonly levels: LevelBooks;
}

export async function startFrontDoor(
  options: GatewayOptions,
  {
    stored,
    media,
    cluster,
    shared,
  }: {
    readonly stored: StoreStage;
    readonly media: MediaStage;
    readonly cluster: ClusterStage | null;
    readonly shared: RedisRateLimiters | null;
  },
  cleanup: Cleanup,
): Promise<FrontDoorStage> {
  const { config, clock, log } = options;
  const { store, secrets, audit } = stored;
  const { hub, decoders, descriptors, recording, absence } = media;
  const counters = await openCounters(config.redis, {
    ...{ clock, log },
    counts: 'viewers',
    onReturned: async () => undefined,
  });
  cleanup.add('counters', () => counters.close());
  const directory = await ShareDirectory.open({ store, clock, log });
  cleanup.add('share directory', () => directory.close());
  const deviceDirectory = await DeviceDirectory.open({ store, clock, log });
  cleanup.add('device directory', () => deviceDirectory.close());
  const organizationOf = (cameraUuid: string) => deviceDirectory.find(cameraUuid as Ruuid)?.orgUuid ?? null;
  recording.shareReads(organizationOf);
  const deviceViews = { directory: deviceDirectory, grants: new DeviceGrants(secrets.deviceGrantKey) };
  const unstoredEnds = await openUnstoredEnds(
    options,
    stored,
    { directory, deviceDirectory, cluster },
    cleanup,
  );
  const tokens = new ShareTokens(secrets.shareTokenKey);
  const passwords = new Passwords();
  const ended = new EndedViews(clock, store.endedViews);
  const oidc = oidcSettingsOf(config);
  const signedIn = oidc === null ? null : await SignedInViews.open({ store, ended, clock, log });
  cleanup.add('sign-ins of viewers', async () => signedIn?.close());
  const { grantLifetimeMs: lifetimeMs } = config.access;
  const proofs =
    oidc === null || signedIn === null
      ? null
      : new ViewerProofs({
          ...{ settings: oidc, sealingKey: secrets.ssoKey, views: signedIn, clock, lifetimeMs },
        });
  const counts = viewerCounts(cluster, counters);
  const guarded = openGate(options, stored, {
    ...{ directory, cluster, shared, tokens, passwords, proofs, signedIn, deviceViews, ended },
    counters: counts,
  });
  const { gate, sessions, walls, groups, shareViewers } = guarded;
  cleanup.add('viewer sessions', () => sessions.close());
  cleanup.add('sessions of shared files', () => groups.sessions.close());
  const stills = new Stills({ decoder: decoders.stills, organizationOf, clock, log });
  const heldStills = new HeldStills(clock, organizationOf);
  const unsubscribe = store.onChange(({ entity, type, uuid }) => {
    if (entity !== 'camera' || type !== 'DELETE') return;
    stills.forget(uuid);
    heldStills.forget(uuid);
  });
  cleanup.add('still images', async () => unsubscribe());
  cleanup.add('ended views of other nodes', followEndedViews(options, store, shareViewers));
  await ended.load();
  const freeBytes = config.database === null ? () => freeBytesOf(config.data) : null;
  const { foreignChanges } = stored;
  const readiness = createReadiness({ store, counters, foreignChanges, clock, absence, freeBytes });
  // The front door only uses its path; without a public URL there is none.
  const publicMediaUrl = config.public.mediaUrl ?? 'http://localhost';
  const assets = await loadWebAssets({ publicMediaUrl });
  const traffic = new ShareTraffic();
  directory.onChange((shareUuid) => {
    const isKnown = directory.find(shareUuid) ?? directory.findGroup(shareUuid);
    if (isKnown === undefined) traffic.forget(shareUuid);
  });
  const { endedCredentials } = unstoredEnds;
  const devices = openDeviceGate(options, stored, { ...deviceViews, shared, endedCredentials }, cleanup);
  let mediaUrl = publicMediaUrl;
  const { address: failedVisits } = LIMITS.failedProviderVisits.levels;
  const viewerSignIn = openViewerSignIn(options, stored, proofs, {
    failures:
      shared?.limiter(VIEWER_SIGN_INS_POLICY, failedVisits) ?? new MemoryRateLimiter(failedVisits, clock),
    mediaUrl: () => mediaUrl,
  });
  const movieMaker = new MovieMaker({
    launch: movieThread('sluice-movies', { storage: recordingStorage(config, secrets), minFreeBytes: 0 }),
    ...(recording.readElsewhere === null ? {} : { readElsewhere: recording.readElsewhere }),
    ...{ clock, log },
  });
  cleanup.add('movie thread', async () => movieMaker.close());
  const playback = new PastPlayback({ media: recording.media, clock });
  const principals = { directory: deviceDirectory, ...devices };
  const onImported: PastPlayback['clipAdded'] = (cameraUuid) => playback.clipAdded(cameraUuid);
  const uploads = await startUploads(options, { stored, media, cluster }, principals, onImported, cleanup);
  const publicUrlVisits = new PublicUrlVisits(clock);
  const levels = new LevelBooks(clock, goalsOf(config.serviceLevels));
  const certificate = stored.certificates.media;
  // What viewer threads forward comes from this process.
  const isForwarded = config.threads.viewers > 0;
  const listener = new HttpListener({
    certificate: isForwarded ? null : (certificate?.current ?? null),
    isHttp2Plain: !isForwarded && config.h2c.media,
    hasProxyHeader: !isForwarded && config.proxyProtocol.media,
    ...{ trustProxy: config.trustProxy, clock },
  });
  certificate?.onChange((changed) => listener.setCertificate(changed));
  const frontDoor = buildFrontDoor({
    listener,
    ...{ traffic, cameras: hub, gate, sessions, devices, counters: counts, assets, clock, log, readiness },
    ...{ stills, heldStills },
    past: {
      playback,
      access: new PastAccess(directory),
      movies: new RangeMovies({ media: recording.media, maker: movieMaker, clock }),
      library: new ClipLibrary(store.resources),
      alertTimes: new AlertTimes(store.events),
      media: recording.media,
      // In a bucket, files are not where the proxy looks.
      internalFiles: config.s3.bucket === null ? config.public.internalFiles : null,
    },
    ...{ uploads, groups, viewerSignIn },
    publicUrlVisits,
    onViewerReport: config.serviceLevels.viewerReports
      ? (session, body) => {
          const measured = takeReport(session, body, clock);
          if (measured !== null) levels.add('viewers', session.audienceUuid, measured, session.orgUuid);
        }
      : null,
    publicMediaUrl,
    trustProxy: config.trustProxy,
    connections: descriptors.media,
    walls,
    previewsFramedBy: (host) => consoleOrigins(config.public.apiUrl, stored.apiThread.apiUrl, host),
    onWallOpened: ({ wallShare, name }, viewer) => audit.wallOpened({ ...wallShare, name }, viewer),
    onShareOpened: (share, viewer) => audit.shareOpened(share, viewer),
    onDeviceOpened: ({ device, actor, isPast }, viewer) =>
      audit.deviceOpened(device, actor, viewer, isPast ? 'VIEW_CAMERA_VOD' : 'VIEW_CAMERA_LIVE'),
  });
  cleanup.add('media listener', () => stopListening(frontDoor, clock));
  const viewerThreads =
    config.threads.viewers === 0
      ? null
      : startViewerThreads(options, media, { frontDoor, sessions, traffic, certificate }, secrets);
  if (viewerThreads === null) {
    const isTls = certificate !== null;
    mediaUrl = await listen(frontDoor, config.listen.media, config.public.mediaUrl, { isTls });
  } else {
    cleanup.add('viewer threads', () => viewerThreads.close());
    mediaUrl = await viewerThreads.listen();
  }
  const shares = new ShareService({
    ...{ store, counters, passwords, tokens, clock },
    rules: endingRules(directory, unstoredEnds, actingPrincipal),
    publicMediaUrl: mediaUrl,
    signInDomains: oidc?.allowedDomains ?? null,
  });
  const apiStills = new ApiStills({
    ...{ cameras: hub, media: recording.media, stills, held: heldStills, clock, mediaUrl },
    organizationOf,
  });
  return {
    ...{ counters, directory, deviceDirectory, unstoredEnds, sessions, traffic, stills, shares },
    ...{ readiness, frontDoor, mediaUrl, apiStills, uploads, groupSessions: groups.sessions, shareViewers },
    signedIn,
    deviceGate: devices.gate,
    publicUrlVisits,
    viewerThreads: viewerThreads?.threads ?? null,
    levels,
  };
}

/** This process's own are in effect without an event. Returns a function that ends it. */
export function followEndedViews(
  { clock, log }: GatewayOptions,
  store: Pick<Store, 'onChange'>,
  viewers: Pick<ShareViewers, 'endedElsewhere'>,
): () => Promise<void> {
  let isClosed = false;
  const read = (linkUuid: Ruuid): void => {
    viewers.endedElsewhere(linkUuid).catch((thrown: unknown) => {
      log.warn({ err: toGatewayError(thrown), linkUuid }, 'ended views not readable');
      clock.after(READ_AGAIN_MS, () => {
        if (!isClosed) read(linkUuid);
      });
    });
  };
  const unsubscribe = store.onChange(({ entity, uuid }) => {
    if (entity === 'endedView') read(uuid);
  });
  return async () => {
    isClosed = true;
    unsubscribe();
  };
}

/** What the gate needs of the first stage. */
export interface GateParts extends Pick<StoreStage, 'store' | 'secrets'> {
  readonly audit: Pick<AuditTrail, 'viewerLeft' | 'deviceLeft' | 'groupOpened'>;
  readonly apiThread: Pick<StoreStage['apiThread'], 'notify' | 'itemProgress'>;
  readonly foreignChanges: Pick<StoreStage['foreignChanges'], 'caughtUp'>;
}

/** Who may watch, and who is watching. */
export function openGate(
  { config, clock }: GatewayOptions,
  { store, secrets, audit, apiThread, foreignChanges }: GateParts,
  of: {
    directory: ShareDirectory;
    cluster: ClusterStage | null;
    counters: ViewerCounts;
    /** null: this process counts for itself. */
    shared: RedisRateLimiters | null;
    tokens: ShareTokens;
    passwords: Passwords;
    proofs: ViewerProofs | null;
    signedIn: SignedInViews | null;
    deviceViews: DeviceViews;
    ended: EndedViews;
  },
): {
  gate: ShareGate;
  sessions: ViewerSessions;
  walls: WallGate;
  groups: GroupParts;
  shareViewers: ShareViewers;
} {
  const { directory, cluster, counters, deviceViews, ended } = of;
  const { maxViewersPerShare, grantLifetimeMs, passwordAttempts, opensPerMinute } = config.access;
  const grants = new Grants(secrets.grantSigningKey);
  const probes = Grants.forProbes(secrets.grantSigningKey);
  const wallViewers = (wallShareUuid: Ruuid): number => {
    const members = directory.findWall(wallShareUuid)?.members ?? [];
    return Math.max(0, ...members.map(({ share }) => sessions.viewersOf(share.uuid)));
  };
  const sessions: ViewerSessions = new ViewerSessions({
    ...{ directory, grants, probes, counters, clock, ended, maxViewersPerShare, devices: deviceViews },
    sharesPaths: config.cdn,
    observer: {
      ...viewerObserver(cluster, (viewer) => apiThread.notify({ kind: 'viewer', viewer }), wallViewers),
      sessionEnded: (session) => recordEnd(audit, deviceViews.directory, session),
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
    ...{ directory, grants, limiter, openLimiter, ended, clock, grantLifetimeMs, passwords: of.passwords },
    caughtUp,
    tokens: ShareTokens.forWalls(secrets.shareTokenKey),
  });
  const ofGroups = {
    ...{ directory: directory.groupShares, grants: Grants.forGroups(secrets.grantSigningKey), counters },
  };
  const groupSessions = new ViewerSessions({
    ...{ ...ofGroups, ended, clock, maxViewersPerShare },
    observer: cluster === null ? undefined : groupViewerObserver(cluster),
  });
  const groups: GroupParts = {
    gate: new ShareGate({
      ...{ ...limits, ...ofGroups, sessions: groupSessions, passwords: of.passwords },
      tokens: ShareTokens.forGroups(secrets.shareTokenKey),
    }),
    sessions: groupSessions,
    directory,
    lists: new GroupLists({
      items: { clip: new SharedClips(store), timelapse: new SharedTimelapses(store) },
      progress: (kind, uuids) => apiThread.itemProgress(kind, uuids),
      clock,
    }),
    onGroupOpened: (group, viewer) => audit.groupOpened(group, viewer),
  };
  const shareViewers = new ShareViewers({ directory, sessions, groupSessions, ended, counters, clock });
  return { gate, sessions, walls, groups, shareViewers };
}

/** null: no provider is configured. */
function openViewerSignIn(
  { config, clock, log }: GatewayOptions,
  { secrets }: StoreStage,
  proofs: ViewerProofs | null,
  of: Pick<ViewerSignIn, 'failures' | 'mediaUrl'>,
): ViewerSignIn | null {
  const settings = oidcSettingsOf(config);
  if (settings === null || proofs === null) return null;
  let opened: OidcClient | null = null;
  const client = () => {
    const redirectUri = `${withoutTrailingSlashes(of.mediaUrl())}${VIEWER_CALLBACK_PATH}`;
    const sealingKey = secrets.ssoKey;
    opened ??= new OidcClient({ settings, sealingKey, purpose: 'viewer', redirectUri, clock, log });
    return opened;
  };
  const { grantLifetimeMs: proofLifetimeMs } = config.access;
  return { ...of, label: settings.label, proofs, proofLifetimeMs, client };
}

/** Who may watch devices without a share. */
function openDeviceGate(
  { config, clock }: GatewayOptions,
  { store }: StoreStage,
  {
    directory,
    grants,
    shared,
    endedCredentials,
  }: DeviceViews & { readonly shared: RedisRateLimiters | null; readonly endedCredentials: EndedCredentials },
  cleanup: Cleanup,
): DeviceAccessParts {
  const { opensPerMinute, grantLifetimeMs } = config.access;
  const callers = new Callers(store, clock, endedCredentials);
  cleanup.add('callers of the media listener', async () => callers.close());
  const { failedAuthenticationsPerAddress } = apiLimits(config.api);
  const failures =
    shared?.limiter(FAILURES_POLICY, failedAuthenticationsPerAddress) ??
    new MemoryRateLimiter(failedAuthenticationsPerAddress, clock);
  const openLimiter = new OpenLimiter({ clock, perMinute: opensPerMinute, shared: shared?.buckets ?? null });
  return {
    gate: new DeviceGate({ directory, grants, openLimiter, clock, grantLifetimeMs }),
    // People watch by grants that the API gives them: their cookie never comes here.
    authentication: { callers, failures, suspectLookUps: createSuspectLookUps(), consoleUrl: null },
  };
}

function recordEnd(audit: GateParts['audit'], devices: DeviceDirectory, session: ViewerSession): void {
  const { orgUuid, address, grant, profile, hasWatchedPast } = session;
  if (session.isProbe) return;
  // Who opened a wall is in the trail; its page leaves and comes back with every tile.
  if (session.wallShareUuid !== null) return;
  if (grant.of === 'device' && profile === null && hasWatchedPast) return;
  if (grant.of === 'share') audit.viewerLeft({ orgUuid, shareUuid: grant.shareUuid, address });
  else audit.deviceLeft({ uuid: grant.deviceUuid, orgUuid }, devices.actorOf(grant.principal), address);
}

/** Room on the disk that holds a folder. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const PLAIN_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;

/**
 * The API's own origin. Without a public URL, it is at the host by which the client knows this listener, at the API's
 * port. `apiUrl`: empty while the API does not listen.
 */
function consoleOrigins(publicApiUrl: string | null, apiUrl: string, host: string): string[] {
  if (publicApiUrl !== null) return [new URL(publicApiUrl).origin];
  if (apiUrl === '') return [];
  const { origin, protocol, port } = new URL(apiUrl);
  return PLAIN_HOST.test(host) ? [...new Set([origin, `${protocol}//${host}:${port}`])] : [origin];
}
