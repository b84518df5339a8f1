/**
 * The whole gateway, wired: secrets, store, counters, hub, sharing, front door, the API's thread. Everything is started
 * here in order of dependence and closed in the reverse order. What the API consists of is for its own thread to know
 * (api-thread/api-side.ts).
 */

import { statfs } from 'node:fs/promises';
import { AuditTrail } from '../audit/audit-trail.ts';
import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
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
import { ChangeFeed } from '../store/change-feed.ts';
import { withChangesFrom } from '../store/joined-changes.ts';
import type { Store } from '../store/store.ts';
import { cameraFaultOf } from '../stream/camera-fault.ts';
import { StreamHub } from '../stream/hub.ts';
import type { LiveState } from '../stream/live-media.ts';
import { DEFAULT_PACKAGER_LIMITS, Packager, type PackagerLimits } from '../stream/packager.ts';
import { Posters } from '../thumbnails/posters.ts';
import { ApiThread } from './api-thread/api-thread.ts';
import type { ApiThreadData, Notice } from './api-thread/thread-calls.ts';
import { CameraFollower } from './camera-follower.ts';
import { CameraSources } from './camera-sources.ts';
import { Cleanup } from './cleanup.ts';
import { clipCacheFolder } from './clip-cache.ts';
import { type ApplySummary, applyConfig } from './config/apply-config.ts';
import { ensureBootstrapKeys, type MadeKeys } from './config/bootstrap-keys.ts';
import type { Config } from './config/schema.ts';
import { loadSecrets, type Secrets } from './config/secrets.ts';
import { openSharedStore, type SharedStore } from './configured-store.ts';
import { type Decoders, startDecoders } from './decoders.ts';
import { type Demo, removeDemo, startDemo, wantsDemo } from './demo.ts';
import { type DescriptorPlan, descriptorLimit, FEW_DESCRIPTORS, planDescriptors } from './descriptor-plan.ts';
import { listen, stopListening } from './listening.ts';
import { resolveFormat } from './logging.ts';
import { countCameras, sampleOffline, sampleRenditions, sampleShares } from './metric-samples.ts';
import { createMetrics } from './metrics.ts';
import { openCounters } from './open-counters.ts';
import { createReadiness } from './readiness.ts';
import { RetentionSweeper } from './retention.ts';
import { UnstoredEnds } from './unstored-ends.ts';

/** Enough for the moment before the video plays, on any screen. */
const POSTER_WIDTH_PX = 640;

export interface GatewayOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Gateway {
  readonly apiUrl: string;
  readonly mediaUrl: string;
  /** Keys made now, to be shown once. */
  readonly madeKeys: MadeKeys;
  /** The demo's viewer page, when there is a demo. */
  readonly demoPageUrl: string | null;
  /** Applies the file's cameras, NVRs and locations anew; everything else needs a restart. */
  reload(config: Config): Promise<ApplySummary>;
  /** Ends within the shutdown time: requests finished, cameras closed, numbers saved. */
  close(): Promise<void>;
}

/** Starts everything. When a part fails, those already started are ended and the error is thrown on. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const cleanup = new Cleanup(options.log);
  try {
    return await start(options, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function start(options: GatewayOptions, cleanup: Cleanup): Promise<Gateway> {
  const { config, env, clock, log } = options;
  const secrets = loadSecrets(config.data, env);
  const shared = await openSharedStore(config, { fieldKey: secrets.fieldKey, clock, log });
  cleanup.add('store', () => shared.store.close());
  // It starts last, and loads meanwhile. Nobody misses what happens before: it begins with things as they are then.
  const apiThread: ApiThread = new ApiThread({
    data: () => apiThreadData(config, secrets, shared),
    now: () => ({
      mediaUrl,
      connections: descriptors.api,
      cameras: [...hub.all()].map((camera) => [camera.uuid, camera.report()]),
      cameraSounds: [...hub.all()].map((camera) => [camera.uuid, camera.sound]),
    }),
    takeOver: async () => {
      await Promise.all([directory.refresh(), follower.refresh()]);
    },
    calls: {
      putShare: (share) => directory.putShare(share),
      removeShare: (uuid) => directory.removeShare(uuid),
      endShare: (orgUuid, uuid, principal) => unstoredEnds.endShare(orgUuid, uuid, principal),
      putSchedule: (schedule) => directory.putSchedule(schedule),
      removeSchedule: (uuid) => directory.removeSchedule(uuid),
      auditSettled: () => audit.settled(),
      cameraProbed: (orgUuid, cameraUuid, verdict) => follower.probed(orgUuid, cameraUuid, verdict),
      readiness: () => readiness(),
      metrics: async () => ({ contentType: metrics.contentType, body: await metrics.render() }),
      changed: (changes) => {
        for (const change of changes) apiChanges.publish(change);
      },
    },
    ...{ clock, log },
  });
  cleanup.add('API before its start', () => apiThread.close());
  apiThread.prepare();
  const notify = (notice: Notice): void => apiThread.notify(notice);
  shared.store.onChange((change) => notify({ kind: 'change', change }));
  const audit = new AuditTrail({
    ...{ store: shared.store, clock, log },
    maxRows: config.retention.auditMaxRows,
  });
  cleanup.add('audit trail', () => audit.close());
  const apiChanges = new ChangeFeed();
  const store = withChangesFrom(apiChanges, shared.store);
  const applied = await applyConfig(store, config, clock);
  log.info({ ...applied }, 'configuration applied');
  const madeKeys = await ensureBootstrapKeys(store, config, clock);

  const counters = await openCounters(config.redis, {
    ...{ clock, log },
    counts: 'viewers',
    onReturned: async () => undefined,
  });
  cleanup.add('counters', () => counters.close());

  const decoders = await startDecoders(config.ffmpeg, clock, log);
  cleanup.add('ffmpeg workers', () => decoders.close());
  // Before the cameras, so that it closes after them: its end is no failure of a camera.
  let demo: Demo | null = null;
  cleanup.add('demo camera', () => demo?.close());
  const hub = createHub(options, store, notify);
  cleanup.add('cameras', () => hub.close());
  const sources = new CameraSources({
    pool: decoders.workers,
    binary: decoders.ffmpeg,
    clock,
    log,
    connectTimeoutMs: config.sources.connectTimeoutMs,
    silenceMs: config.sources.silenceTimeoutMs,
    undeclaredRule: config.sources.allowLocal ? 'anywhere' : 'no-local',
  });
  const follower = await CameraFollower.start(store, hub, sources, log);
  cleanup.add('camera changes', () => follower.stop());

  const descriptors = shareDescriptors(options, [...hub.all()].length);

  const directory = await ShareDirectory.open({ store, clock, log });
  cleanup.add('share directory', () => directory.close());
  const unstoredEnds = new UnstoredEnds({ store, directory, clock, log });
  cleanup.add('unstored ends of shares', () => unstoredEnds.close());
  const tokens = new ShareTokens(secrets.shareTokenKey);
  const grants = new Grants(secrets.grantSigningKey);
  const passwords = new Passwords();
  const { maxViewersPerShare, grantLifetimeMs, passwordAttempts, opensPerMinute } = config.access;
  const sessions = new ViewerSessions({
    ...{ directory, grants, counters, clock, maxViewersPerShare },
    observer: {
      viewerJoined: (session, viewers) => notify(viewerNotice('CREATE', session, viewers)),
      viewerLeft: (session, viewers) => {
        notify(viewerNotice('DELETE', session, viewers));
      },
      sessionEnded: (session) => audit.viewerLeft(session),
    },
  });
  cleanup.add('viewer sessions', () => sessions.close());
  const limiter = new AttemptLimiter({ clock, perMinute: passwordAttempts });
  const openLimiter = new OpenLimiter({ clock, perMinute: opensPerMinute });
  const gate = new ShareGate({
    ...{ directory, tokens, grants, passwords, limiter, openLimiter, counters, sessions, clock },
    ...{ grantLifetimeMs, maxViewersPerShare },
  });
  const posters = new Posters({ pool: decoders.posterWorkers, binary: decoders.ffmpeg, clock, log });
  const freeBytes = config.database === null ? () => freeBytesOf(config.data) : null;
  const readiness = createReadiness({ store, counters, clock, freeBytes });
  // Only its path matters to the front door; without a public address there is none.
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

  const metrics = createMetrics({
    renditions: () => sampleRenditions(hub),
    cameras: () => countCameras(hub),
    offline: () => sampleOffline(hub),
    shares: () => sampleShares({ sessions, traffic, directory, hub }),
    viewers: () => sessions.viewers,
    ffmpegWorkers: () => decoders.workers.counts,
    redisUp: () => counters.status() === 'up',
    mediaConnections: () => frontDoor.connectionTable.counts(),
    mediaAnswers: () => frontDoor.mediaAnswers,
    apiThread: () => ({ starts: apiThread.starts, busySec: apiThread.busySec }),
  });
  const retention = new RetentionSweeper({ store, periods: config.retention, clock, log });
  cleanup.add('retention', () => retention.stop());
  cleanup.add('API', () => apiThread.close());
  await apiThread.start();
  const shares = new ShareService({
    ...{ store, counters, passwords, tokens, clock, rules: directory },
    publicMediaUrl: mediaUrl,
  });
  demo = await openDemo({ options, store, shares, decoders });
  return {
    apiUrl: apiThread.apiUrl,
    mediaUrl,
    madeKeys,
    demoPageUrl: demo === null ? null : shares.urls(demo.share).pageUrl,
    reload: (reloaded) => applyConfig(store, reloaded, clock),
    close: () => cleanup.run(),
  };
}

function shareDescriptors({ config, log }: GatewayOptions, cameras: number): DescriptorPlan {
  const plan = planDescriptors({
    limit: descriptorLimit(),
    cameras,
    ffmpegWorkers: config.ffmpeg.maxWorkers,
    maxPerAddress: config.access.maxConnectionsPerAddress,
  });
  const { limit, reserved, media, api } = plan;
  const fields = { limit, reserved, media: media.maxConnections, api: api.maxConnections };
  if (limit < FEW_DESCRIPTORS) log.warn(fields, 'too few file descriptors, raise the limit (ulimit -n)');
  else log.debug(fields, 'file descriptors');
  return plan;
}

function createHub(
  { config, clock, log }: GatewayOptions,
  store: Store,
  notify: (notice: Notice) => void,
): StreamHub {
  const { hls, sources, ffmpeg } = config;
  const limits: PackagerLimits = {
    ...DEFAULT_PACKAGER_LIMITS,
    targetSegmentMs: hls.segmentTargetMs,
    wantedPartMs: hls.partTargetMs,
    windowMs: hls.windowMs,
    maxWindowBytes: hls.maxWindowBytes,
  };
  const hub = new StreamHub({
    clock,
    log,
    limits: {
      backoffMinMs: sources.backoffMinMs,
      backoffMaxMs: sources.backoffMaxMs,
      startMs: Math.max(sources.connectTimeoutMs, ffmpeg.queueTimeoutMs) + sources.silenceTimeoutMs,
      silenceMs: sources.silenceTimeoutMs,
    },
    idleStopMs: hls.idleStopMs,
    numberingStore: store.streamLedger,
    createPackager: (each) => new Packager({ ...each, clock, limits }),
    onStatusChange: ({ uuid, name }, state) => {
      log.info({ camera: uuid, name, state: state.state, ...reasonFields(state) }, 'camera state');
    },
    onReport: (cameraUuid, report) => notify({ kind: 'camera', cameraUuid, report }),
    onSoundChange: (cameraUuid, sound) => notify({ kind: 'sound', cameraUuid, sound }),
    onCamera: (cameraUuid, change) => {
      const report = change === 'put' ? (hub.get(cameraUuid)?.report() ?? null) : null;
      notify({ kind: 'camera', cameraUuid, report });
    },
  });
  return hub;
}

/** Why a camera is offline: for the log line that says that it is. */
function reasonFields(state: LiveState): object {
  if (state.state !== 'offline') return {};
  const { reason, code, host, port, errno } = cameraFaultOf(state.error);
  return { reason, code, host: host ?? undefined, port: port ?? undefined, errno: errno ?? undefined };
}

function viewerNotice(type: 'CREATE' | 'DELETE', session: ViewerSession, viewers: number): Notice {
  const { orgUuid, shareUuid, cameraUuid, grant } = session;
  return {
    kind: 'viewer',
    viewer: { type, orgUuid, shareUuid, cameraUuid, viewerId: grant.viewerId, viewers },
  };
}

function apiThreadData(config: Config, secrets: Secrets, shared: SharedStore): ApiThreadData {
  const { trustProxy, cors, api, webhooks, retention, listen, log, redis } = config;
  return {
    ...{ trustProxy, cors, api, webhooks, retention },
    listen: listen.api,
    store: shared.connect(),
    fieldKey: secrets.fieldKey,
    shareTokenKey: secrets.shareTokenKey,
    redisUrl: redis?.reveal() ?? null,
    publicApiUrl: config.public.apiUrl,
    metricsToken: config.metrics.token?.reveal() ?? null,
    addressRule: config.sources.allowLocal ? 'anywhere' : 'no-local',
    log: { level: log.level, format: resolveFormat(log.format) },
  };
}

/** Room on the disk of a folder. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Null without one. A demo that cannot be made does not keep the gateway from serving. */
async function openDemo(context: {
  options: GatewayOptions;
  store: Store;
  shares: ShareService;
  decoders: Decoders;
}): Promise<Demo | null> {
  const { options, store, shares, decoders } = context;
  const { config, env, clock, log } = options;
  if (!(await wantsDemo(store, config.demo))) {
    await removeDemo(store, shares);
    return null;
  }
  try {
    const ffmpegPath = decoders.ffmpeg.path;
    return await startDemo({ store, shares, ffmpegPath, cacheDir: clipCacheFolder(env), clock, log });
  } catch (thrown) {
    log.error({ err: toGatewayError(thrown) }, 'demo camera failed to start');
    return null;
  }
}
