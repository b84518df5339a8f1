/** The third stage of the gateway: shares, viewer sessions, and the listener for viewers. */

import { statfs } from 'node:fs/promises';
import { Callers } from '../../accounts/callers.ts';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { ClipLibrary } from '../../clips/clip-library.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { HttpListener } from '../../connections/http-listener.ts';
import type { Clock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Readiness } from '../../core/readiness.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';
import type { Counters } from '../../counters/counters.ts';
import { openCounters } from '../../counters/open-counters.ts';
import { MemoryRateLimiter } from '../../counters/rate-limiter.ts';
import type { RedisRateLimiters } from '../../counters/redis-rate-limiter.ts';
import { AlertTimes } from '../../events/alert-times.ts';
import { ApiStills } from '../../front-door/api-stills.ts';
import { buildFrontDoor } from '../../front-door/build-front-door.ts';
import { type WebAssetsOnDemand, webAssetsOnDemand } from '../../front-door/page/web-assets.ts';
import { ShareTraffic } from '../../front-door/response/share-traffic.ts';
import type { DeviceAccessParts } from '../../front-door/session/device-entries.ts';
import { VIEWER_CALLBACK_PATH, type ViewerSignIn } from '../../front-door/session/viewer-sign-in.ts';
import type { UploadParts } from '../../front-door/uploads/upload-routes.ts';
import { createSuspectLookUps } from '../../http/authentication.ts';
import { securityTextOf } from '../../http/security-text.ts';
import { OidcClient } from '../../oidc/oidc-client.ts';
import { CacheFolder } from '../../playback/cache-folder.ts';
import { MovieMaker } from '../../playback/movie-maker.ts';
import { movieThread } from '../../playback/movie-thread.ts';
import { PastPlayback } from '../../playback/past-playback.ts';
import { PastSound } from '../../playback/past-sound.ts';
import { RangeMovies } from '../../playback/range-movies.ts';
import { RecodedFiles } from '../../playback/recoded-files.ts';
import { ThumbnailSheets } from '../../playback/thumbnail-sheets.ts';
import type { RecorderPast } from '../../recorders/recorder-past.ts';
import { LevelBooks } from '../../service-levels/level-books.ts';
import { takeReport } from '../../service-levels/viewer-report.ts';
import { DeviceGate } from '../../sharing/device-gate.ts';
import { endingRules } from '../../sharing/ending-rules.ts';
import { OpenLimiter } from '../../sharing/open-limiter.ts';
import { PastAccess } from '../../sharing/past-access.ts';
import type { ShareDirectory } from '../../sharing/share-directory.ts';
import type { ShareService } from '../../sharing/share-service.ts';
import { createSharingServices } from '../../sharing/sharing-services.ts';
import { TalkRights } from '../../sharing/talk-rights.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { MediaListener } from '../../system/media-addresses.ts';
import { PublicUrlVisits } from '../../system/public-url-visits.ts';
import { createReadiness } from '../../system/readiness.ts';
import { HeldStills } from '../../thumbnails/held-stills.ts';
import { Stills } from '../../thumbnails/stills.ts';
import { apiLimits } from '../config/api-limits.ts';
import { h264Folder } from '../config/data-folder.ts';
import { oidcSettingsOf } from '../config/oidc-settings-of.ts';
import { recordingStorage } from '../config/recording-storage.ts';
import { goalsOf } from '../config/service-goals.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { boundPort, listen, stopListening } from '../process/listening.ts';
import type { ViewerThreads } from '../viewer-threads/viewer-threads.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type Access, openAccess } from './open-access.ts';
import { fileEncoder, pastEncoder, pastSoundEncoder } from './past-encoder.ts';
import type { MediaStage } from './start-media.ts';
import { startRecorders } from './start-recorders.ts';
import { type RtspStage, startRtsp } from './start-rtsp.ts';
import type { StoreStage } from './start-store.ts';
import { startUploads } from './start-uploads.ts';
import { startViewerThreads } from './start-viewer-threads.ts';
import { THUMBNAIL_TABLES } from './thumbnails.ts';

/** Counted apart from those of the API. */
const FAILURES_POLICY = 'media-address';
const VIEWER_SIGN_INS_POLICY = 'viewer-oidc';

export interface FrontDoorStage extends Access {
  readonly counters: Counters;
  readonly traffic: ShareTraffic;
  readonly stills: Stills;
  readonly shares: ShareService;
  readonly readiness: () => Promise<Readiness>;
  readonly frontDoor: FrontDoor;
  readonly assets: WebAssetsOnDemand;
  /** The URL at which viewers reach it. */
  readonly mediaUrl: string;
  readonly mediaListener: MediaListener;
  readonly apiStills: ApiStills;
  readonly uploads: UploadParts;
  readonly deviceGate: DeviceGate;
  readonly publicUrlVisits: PublicUrlVisits;
  /** null: viewers are served by the gateway's thread. */
  readonly viewerThreads: ViewerThreads | null;
  readonly levels: LevelBooks;
  readonly recorders: RecorderPast;
  /** null: RTSP is off. */
  readonly rtsp: RtspStage | null;
}

type FrontDoor = ReturnType<typeof buildFrontDoor>;
type DoorParts = Parameters<typeof buildFrontDoor>[0];

/** Stages from which the front door starts. */
interface EarlierParts {
  readonly stored: StoreStage;
  readonly media: MediaStage;
  readonly cluster: Cluster | null;
  /** null: this process limits for itself. */
  readonly shared: RedisRateLimiters | null;
}

export async function startFrontDoor(
  options: GatewayOptions,
  earlier: EarlierParts,
  cleanup: Cleanup,
): Promise<FrontDoorStage> {
  const { config, clock, log } = options;
  const { stored, media, cluster, shared } = earlier;
  const { store } = stored;
  const counters = await openCounters(config.redis, {
    clock,
    log,
    counts: 'viewers',
    onReturned: async () => undefined,
  });
  cleanup.add('counters', () => counters.close());
  const access = await openAccess(options, stored, { counters, cluster, shared }, cleanup);
  const { directory, deviceDirectory, sessions, passwords, unstoredEnds } = access;
  const organizationOf = (cameraUuid: string) => deviceDirectory.find(cameraUuid as Ruuid)?.orgUuid ?? null;
  media.recording.shareReads(organizationOf);
  const pictures = openStills(options, earlier, organizationOf, cleanup);
  const traffic = openTraffic(directory);
  const devices = openDeviceGate(options, stored, access, shared, cleanup);
  const recorders = await startRecorders(
    options,
    earlier,
    (cameraUuid) => past.playback.clipAdded(cameraUuid),
    cleanup,
  );
  const past = openPast(options, earlier, { directory, organizationOf, recorders }, cleanup);
  const principals = { directory: deviceDirectory, ...devices };
  const onImported: PastPlayback['clipAdded'] = (cameraUuid) => past.playback.clipAdded(cameraUuid);
  const uploads = await startUploads(options, earlier, principals, onImported, cleanup);
  const publicUrlVisits = new PublicUrlVisits(clock);
  const levels = new LevelBooks(clock, goalsOf(config.serviceLevels));
  const { foreignChanges } = stored;
  const freeBytes = config.database === null ? () => freeBytesOf(config.data) : null;
  const readiness = createReadiness({
    store,
    counters,
    foreignChanges,
    clock,
    freeBytes,
    absence: media.absence,
  });
  // The front door only uses its path; without a public URL there is none.
  const publicMediaUrl = config.public.mediaUrl ?? 'http://localhost';
  let mediaUrl = publicMediaUrl;
  const assets = webAssetsOnDemand({ publicMediaUrl });
  const frontDoor = buildFrontDoor({
    ...accessParts(access),
    listener: openListener(options, stored),
    cameras: media.hub,
    clock,
    log,
    publicMediaUrl,
    assets,
    trustProxy: config.trustProxy,
    securityText: securityTextOf(config.security),
    traffic,
    devices,
    past,
    uploads,
    publicUrlVisits,
    readiness,
    stills: pictures.stills,
    heldStills: pictures.held,
    connections: media.descriptors.media,
    viewerSignIn: openViewerSignIn(options, earlier, access, () => mediaUrl),
    onViewerReport: config.serviceLevels.viewerReports ? reportsInto(levels, clock) : null,
    liveSigner: media.liveSigner,
    previewsFramedBy: (host) => consoleOrigins(config.public.apiUrl, stored.apiThread.apiUrl, host),
    ...openingsIn(stored.audit),
    // One talker for each camera: nodes do not know of each other's.
    ...(earlier.cluster === null ? { talk: talkTo(devices.gate, access, stored.audit) } : {}),
  });
  cleanup.add('media listener', () => stopListening(frontDoor, clock));
  const listening = await listenForViewers(options, earlier, { frontDoor, sessions, traffic }, cleanup);
  mediaUrl = listening.mediaUrl;
  const { gate } = access;
  const { onShareOpened } = openingsIn(stored.audit);
  const maxViewers = media.descriptors.rtsp;
  const replays = { media: past.media, access: past.access, budget: frontDoor.pastBudget };
  const viewing = { gate, sessions, cameras: media.hub, traffic, onShareOpened };
  const rtspParts = { ...viewing, past: replays, maxViewers, mediaUrl };
  const rtsp = await startRtsp(options, rtspParts, stored.certificates.media, cleanup);
  const { shares } = createSharingServices({
    store,
    counters,
    passwords,
    clock,
    shareTokenKey: stored.secrets.shareTokenKey,
    rules: endingRules(directory, unstoredEnds, actingPrincipal),
    publicMediaUrl: mediaUrl,
    signInDomains: oidcSettingsOf(config)?.allowedDomains ?? null,
  });
  const apiStills = new ApiStills({
    ...pictures,
    cameras: media.hub,
    media: media.recording.media,
    maskedFrame: (cameraUuid, atEpochMs) => past.playback.maskedFrame(cameraUuid, atEpochMs),
    clock,
    mediaUrl,
    organizationOf,
  });
  return {
    ...access,
    ...listening,
    counters,
    traffic,
    stills: pictures.stills,
    shares,
    readiness,
    frontDoor,
    assets,
    apiStills,
    uploads,
    deviceGate: devices.gate,
    publicUrlVisits,
    levels,
    recorders,
    rtsp,
  };
}

function accessParts({ gate, sessions, walls, groups, counts: counters }: Access) {
  return { gate, sessions, walls, groups, counters } satisfies Partial<DoorParts>;
}

/** Records openings in the audit trail. */
function openingsIn(audit: AuditTrail) {
  return {
    onWallOpened: ({ wallShare, name }, viewer) => audit.wallOpened({ ...wallShare, name }, viewer),
    onShareOpened: (share, viewer) => audit.shareOpened(share, viewer),
    onDeviceOpened: ({ device, actor, isPast }, viewer) =>
      audit.deviceOpened(device, actor, viewer, isPast ? 'VIEW_CAMERA_VOD' : 'VIEW_CAMERA_LIVE'),
  } satisfies Partial<DoorParts>;
}

/** Who may talk to cameras, recorded in the audit trail. */
function talkTo(
  gate: DeviceGate,
  { deviceDirectory, directory }: Pick<Access, 'deviceDirectory' | 'directory'>,
  audit: AuditTrail,
): NonNullable<DoorParts['talk']> {
  const rights = new TalkRights(gate, directory);
  return {
    actorOf: (session) => rights.actorOf(session),
    begin: async ({ deviceUuid, start }, actor) => {
      const device = deviceDirectory.find(deviceUuid);
      const viewer = { address: start.address, userAgent: start.userAgent };
      if (device === null) return 'device-unavailable';
      return (await audit.talkBegan(device, actor, viewer)) ?? 'not-recorded';
    },
  };
}

/** Takes what viewers report of their playback. */
function reportsInto(levels: LevelBooks, clock: Clock): NonNullable<DoorParts['onViewerReport']> {
  return (session, body) => {
    const measured = takeReport(session, body, clock);
    if (measured !== null) levels.add('viewers', session.audienceUuid, measured, session.orgUuid);
  };
}

function openStills(
  { clock, log }: GatewayOptions,
  { stored: { store }, media: { decoders } }: EarlierParts,
  organizationOf: (cameraUuid: string) => string | null,
  cleanup: Cleanup,
): { stills: Stills; held: HeldStills } {
  const stills = new Stills({ decoder: decoders.stills, organizationOf, clock, log });
  const held = new HeldStills(clock, organizationOf);
  const unsubscribe = store.onChange(({ entity, type, uuid }) => {
    if (entity !== 'camera' || type !== 'DELETE') return;
    stills.forget(uuid);
    held.forget(uuid);
  });
  cleanup.add('still images', async () => unsubscribe());
  return { stills, held };
}

/** Counts traffic, and forgets shares that have ended. */
function openTraffic(directory: ShareDirectory): ShareTraffic {
  const traffic = new ShareTraffic();
  directory.onChange((shareUuid) => {
    const isKnown = directory.find(shareUuid) ?? directory.findGroup(shareUuid);
    if (isKnown === undefined) traffic.forget(shareUuid);
  });
  return traffic;
}

/** Where H.264 of recordings stays until the next start. */
function openRecodedFiles({ config, clock, log }: GatewayOptions, cleanup: Cleanup): RecodedFiles {
  const files = new RecodedFiles({
    disk: new CacheFolder(h264Folder(config)),
    maxBytes: config.recording.h264CacheBytes,
    minFreeBytes: config.recording.minFreeBytes,
    clock,
    log,
  });
  files.begin();
  cleanup.add('H.264 of recordings', () => files.close());
  return files;
}

function openPast(
  options: GatewayOptions,
  { stored: { store, secrets }, media: { recording, decoders } }: EarlierParts,
  of: {
    readonly directory: ShareDirectory;
    readonly organizationOf: (cameraUuid: Ruuid) => string | null;
    readonly recorders: RecorderPast;
  },
  cleanup: Cleanup,
) {
  const { config, clock, log } = options;
  const { directory, organizationOf, recorders } = of;
  const maker = new MovieMaker({
    launch: movieThread('sluice-movies', { storage: recordingStorage(config, secrets), minFreeBytes: 0 }),
    ...(recording.readElsewhere === null ? {} : { readElsewhere: recording.readElsewhere }),
    clock,
    log,
  });
  cleanup.add('movie thread', async () => maker.close());
  const { media } = recording;
  const { masked } = directory;
  const recodedFiles = openRecodedFiles(options, cleanup);
  recording.h264Cache.isFailing = () => !recodedFiles.isWorking;
  const playback = new PastPlayback({
    media,
    pulled: recorders,
    encoder: pastEncoder(decoders, organizationOf, clock),
    recodedFiles,
    organizationOf,
    maskedBy: (cameraUuid) => masked.find(cameraUuid),
    hasThumbnails: recording.thumbnails !== null,
    clock,
  });
  recording.onDeleted.add(playback.recordingDeleted);
  cleanup.add('masks of the past', async () => {
    unsubscribe();
    recording.onDeleted.delete(playback.recordingDeleted);
  });
  const unsubscribe = masked.onChange((maskedUuid) => playback.masksChanged(maskedUuid));
  return {
    playback,
    access: new PastAccess(directory, clock),
    movies: new RangeMovies({ media, maker, clock }),
    sound: new PastSound({
      playback,
      encoderOf: pastSoundEncoder(decoders, organizationOf, clock, log),
      clock,
    }),
    encodeFile: fileEncoder(decoders, clock),
    library: new ClipLibrary(store.resources),
    alertTimes: new AlertTimes(store.events),
    media,
    thumbnails:
      recording.thumbnails === null
        ? null
        : new ThumbnailSheets({ ...recording.thumbnails, tables: THUMBNAIL_TABLES }),
    // In a bucket, files are not where the proxy looks.
    internalFiles: config.s3.bucket === null ? config.public.internalFiles : null,
  } satisfies DoorParts['past'];
}

function openListener({ config, clock }: GatewayOptions, { certificates }: StoreStage): HttpListener {
  const certificate = certificates.media;
  // Requests that viewer threads forward come from this process.
  const isForwarded = config.threads.viewers > 0;
  const listener = new HttpListener({
    certificate: isForwarded ? null : (certificate?.current ?? null),
    isHttp2Plain: !isForwarded && config.h2c.media,
    hasProxyHeader: !isForwarded && config.proxyProtocol.media,
    trustProxy: config.trustProxy,
    clock,
  });
  certificate?.onChange((changed) => listener.setCertificate(changed));
  return listener;
}

/** Resolves when viewers can connect. Fails with CLI_LISTEN_FAILED. */
async function listenForViewers(
  options: GatewayOptions,
  { stored, media }: EarlierParts,
  door: { readonly frontDoor: FrontDoor; readonly sessions: ViewerSessions; readonly traffic: ShareTraffic },
  cleanup: Cleanup,
): Promise<Pick<FrontDoorStage, 'mediaUrl' | 'mediaListener' | 'viewerThreads'>> {
  const { config } = options;
  const certificate = stored.certificates.media;
  const isTls = certificate !== null;
  if (config.threads.viewers === 0) {
    const mediaUrl = await listen(door.frontDoor, config.listen.media, config.public.mediaUrl, { isTls });
    const port = boundPort(door.frontDoor) ?? config.listen.media.port;
    return { mediaUrl, mediaListener: { ...config.listen.media, port, isTls }, viewerThreads: null };
  }
  const started = startViewerThreads(options, media, { ...door, certificate }, stored.secrets);
  cleanup.add('viewer threads', () => started.close());
  const mediaUrl = await started.listen();
  return { mediaUrl, mediaListener: { ...config.listen.media, isTls }, viewerThreads: started.threads };
}

/** null: no provider is configured. */
function openViewerSignIn(
  { config, clock, log }: GatewayOptions,
  { stored: { secrets }, shared }: EarlierParts,
  { proofs }: Access,
  mediaUrl: () => string,
): ViewerSignIn | null {
  const settings = oidcSettingsOf(config);
  if (settings === null || proofs === null) return null;
  let opened: OidcClient | null = null;
  const client = () => {
    const redirectUri = `${withoutTrailingSlashes(mediaUrl())}${VIEWER_CALLBACK_PATH}`;
    const sealingKey = secrets.ssoKey;
    opened ??= new OidcClient({ settings, sealingKey, purpose: 'viewer', redirectUri, clock, log });
    return opened;
  };
  const { address: failedVisits } = LIMITS.failedProviderVisits.levels;
  const failures =
    shared?.limiter(VIEWER_SIGN_INS_POLICY, failedVisits) ?? new MemoryRateLimiter(failedVisits, clock);
  const { grantLifetimeMs: proofLifetimeMs } = config.access;
  return { failures, mediaUrl, label: settings.label, proofs, proofLifetimeMs, client };
}

/** Opens the gate for viewers of devices without a share. */
function openDeviceGate(
  { config, clock }: GatewayOptions,
  { store }: StoreStage,
  { deviceViews, unstoredEnds }: Access,
  shared: RedisRateLimiters | null,
  cleanup: Cleanup,
): DeviceAccessParts {
  const { opensPerMinute, grantLifetimeMs } = config.access;
  const callers = new Callers(store, clock, unstoredEnds.endedCredentials);
  cleanup.add('callers of the media listener', () => callers.close());
  const { failedAuthenticationsPerAddress } = apiLimits(config.api);
  const failures =
    shared?.limiter(FAILURES_POLICY, failedAuthenticationsPerAddress) ??
    new MemoryRateLimiter(failedAuthenticationsPerAddress, clock);
  const openLimiter = new OpenLimiter({ clock, perMinute: opensPerMinute, shared: shared?.buckets ?? null });
  return {
    gate: new DeviceGate({ ...deviceViews, openLimiter, clock, grantLifetimeMs }),
    // People watch by grants that the API gives them: their cookie never comes here.
    authentication: { callers, failures, suspectLookUps: createSuspectLookUps(), consoleUrl: null },
  };
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
