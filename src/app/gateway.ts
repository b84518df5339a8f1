/**
 * The whole gateway, wired: secrets, store, counters, hub, sharing, front door, API. Everything is started here in
 * order of dependence and closed in the reverse order; no other file knows all parts.
 */

import { createAccessControlServices } from '../api/accesscontrol/access-control-services.ts';
import { openRedisRateLimiters, type RedisRateLimiters } from '../api/base/redis-rate-limiter.ts';
import { buildApi } from '../api/build-api.ts';
import type { ProbeCamera } from '../api/relay/camera-prober.ts';
import { createDeviceServices } from '../api/relay/device-services.ts';
import type { OnvifNetwork } from '../api/relay/onvif-discovery.ts';
import { AuditTrail } from '../audit/audit-trail.ts';
import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Counters } from '../counters/counters.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import { openRedisCounters } from '../counters/redis-counters.ts';
import { buildFrontDoor } from '../front-door/build-front-door.ts';
import { loadWebAssets } from '../front-door/web-assets.ts';
import { ChangeFollower } from '../realtime/change-follower.ts';
import { ChangeTopics } from '../realtime/change-topics.ts';
import { AttemptLimiter } from '../sharing/attempt-limiter.ts';
import { Grants } from '../sharing/grant.ts';
import { Passwords } from '../sharing/password.ts';
import { ScheduleService } from '../sharing/schedule-service.ts';
import { ShareDirectory } from '../sharing/share-directory.ts';
import { ShareGate } from '../sharing/share-gate.ts';
import { ShareService } from '../sharing/share-service.ts';
import { ShareTokens } from '../sharing/share-token.ts';
import { ViewerSessions } from '../sharing/viewer-sessions.ts';
import { probeCamera } from '../sources/direct/probe.ts';
import { inspectOnvifDevice } from '../sources/onvif/onvif-device.ts';
import { discoverOnvifDevices } from '../sources/onvif/ws-discovery.ts';
import type { Store } from '../store/store.ts';
import { type HubOptions, StreamHub } from '../stream/hub.ts';
import { DEFAULT_PACKAGER_LIMITS, Packager, type PackagerLimits } from '../stream/packager.ts';
import { Posters } from '../thumbnails/posters.ts';
import { CameraFollower } from './camera-follower.ts';
import { CameraHealth } from './camera-health.ts';
import { CameraSources } from './camera-sources.ts';
import { Cleanup } from './cleanup.ts';
import { clipCacheFolder } from './clip-cache.ts';
import { type ApplySummary, applyConfig } from './config/apply-config.ts';
import { ensureBootstrapKeys, type MadeKeys } from './config/bootstrap-keys.ts';
import type { Config } from './config/schema.ts';
import { loadSecrets } from './config/secrets.ts';
import { openConfiguredStore } from './configured-store.ts';
import { type Decoders, startDecoders } from './decoders.ts';
import { removeDemo, startDemo, wantsDemo } from './demo.ts';
import { listen, stopListening } from './listening.ts';
import { createMetrics, type RenditionSample } from './metrics.ts';
import { createReadiness } from './readiness.ts';
import { RetentionSweeper } from './retention.ts';
import { countedShares, watchShareCounts } from './share-counts.ts';

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
  const store = await openConfiguredStore(config, secrets.fieldKey, clock);
  cleanup.add('store', () => store.close());
  const audit = new AuditTrail({ store, clock, log });
  cleanup.add('audit trail', () => audit.close());
  const applied = await applyConfig(store, config, clock);
  log.info({ ...applied }, 'configuration applied');
  const madeKeys = await ensureBootstrapKeys(store, config, clock);

  const counters = await openCounters(options, store);
  cleanup.add('counters', () => counters.close());
  cleanup.add('share counts', await watchShareCounts({ store, counters, clock, log }));

  const decoders = await startDecoders(config.ffmpeg, clock, log);
  cleanup.add('ffmpeg workers', () => decoders.close());
  const cameraHealth = await CameraHealth.start({ store, clock, log });
  cleanup.add('camera health', () => cameraHealth.stop());
  const topics = new ChangeTopics({ clock, log, onChange: (listener) => store.onChange(listener) });
  cleanup.add('real-time stream', () => topics.close());
  const changes = await ChangeFollower.start({ store, topics });
  cleanup.add('real-time changes', () => changes.close());
  const hub = createHub(options, store, (camera, state) => {
    cameraHealth.onStatusChange(camera, state);
    changes.cameraStatusChanged(camera, state);
  });
  cleanup.add('cameras', () => hub.close());
  const sources = new CameraSources({
    pool: decoders.workers,
    binary: decoders.ffmpeg,
    clock,
    log,
    connectTimeoutMs: config.sources.connectTimeoutMs,
    silenceMs: config.sources.silenceTimeoutMs,
  });
  const follower = await CameraFollower.start(store, hub, sources, log);
  cleanup.add('camera changes', () => follower.stop());

  const directory = await ShareDirectory.open({ store, clock, log });
  cleanup.add('share directory', () => directory.close());
  const tokens = new ShareTokens(secrets.shareTokenKey);
  const grants = new Grants(secrets.grantSigningKey);
  const passwords = new Passwords();
  const { maxViewersPerShare, grantLifetimeMs, passwordAttempts } = config.access;
  const sessions = new ViewerSessions({
    ...{ directory, grants, counters, clock, maxViewersPerShare },
    observer: {
      viewerJoined: (session, viewers) => changes.viewerJoined(session, viewers),
      viewerLeft: (session, viewers) => {
        changes.viewerLeft(session, viewers);
        audit.viewerLeft(session);
      },
    },
  });
  cleanup.add('viewer sessions', () => sessions.close());
  const limiter = new AttemptLimiter({ clock, perMinute: passwordAttempts });
  const gate = new ShareGate({
    ...{ directory, tokens, grants, passwords, limiter, counters, clock },
    ...{ grantLifetimeMs, maxViewersPerShare },
  });
  const posters = new Posters({ pool: decoders.posterWorkers, binary: decoders.ffmpeg, clock, log });
  const readiness = createReadiness(store, counters);
  // Only its path matters to the front door; without a public address there is none.
  const publicMediaUrl = config.public.mediaUrl ?? 'http://localhost';
  const assets = await loadWebAssets({ publicMediaUrl });
  const frontDoor = buildFrontDoor({
    ...{ cameras: hub, gate, sessions, counters, assets, clock, log, readiness },
    posters: { poster: (camera) => posters.poster(camera, POSTER_WIDTH_PX) },
    publicMediaUrl,
    trustProxy: config.trustProxy,
    onShareOpened: (share, viewer) => audit.shareOpened(share, viewer),
  });
  cleanup.add('media listener', () => stopListening(frontDoor, clock));
  const mediaUrl = await listen(frontDoor, config.listen.media, config.public.mediaUrl);

  const shares = new ShareService({
    ...{ store, directory, counters, passwords, tokens, clock },
    publicMediaUrl: mediaUrl,
  });
  const schedules = new ScheduleService({ store, directory, clock });
  const metrics = createMetrics({
    renditions: () => sampleRenditions(hub),
    viewers: () => sessions.size,
    ffmpegWorkers: () => decoders.workers.counts,
    redisUp: () => counters.status() === 'up',
  });
  const rateLimiters = await openRateLimiters(options);
  cleanup.add('rate limits', async () => rateLimiters?.close());
  const { allowPrivateNetworks } = config.webhooks;
  const accessControl = createAccessControlServices({ store, clock, log, allowPrivateNetworks });
  cleanup.add('webhooks', () => accessControl.close());
  await accessControl.resume();
  const retention = new RetentionSweeper({ store, periods: config.retention, clock, log });
  cleanup.add('retention', () => retention.stop());
  const api = await buildApi({
    accessControl,
    ...createDeviceServices({ store, shares, clock, probeCamera: prober(clock), onvif: onvifNetwork(clock) }),
    ...{ store, shares, schedules, counters, liveCameras: hub, clock, audit, log, readiness },
    changeTopics: topics,
    publicApiUrl: config.public.apiUrl ?? `http://localhost:${config.listen.api.port}`,
    trustProxy: config.trustProxy,
    corsOrigins: config.cors,
    limits: apiLimits(config.api.rateLimit),
    ...(rateLimiters === null ? {} : { createRateLimiter: rateLimiters.limiter }),
    metrics: async () => ({ contentType: metrics.contentType, body: await metrics.render() }),
  });
  cleanup.add('API listener', () => stopListening(api, clock));
  const apiUrl = await listen(api, config.listen.api, config.public.apiUrl);
  const demoPageUrl = await openDemo({ options, store, shares, decoders, cleanup });
  return {
    apiUrl,
    mediaUrl,
    madeKeys,
    demoPageUrl,
    reload: (reloaded) => applyConfig(store, reloaded, clock),
    close: () => cleanup.run(),
  };
}

async function openCounters({ config, clock, log }: GatewayOptions, store: Store): Promise<Counters> {
  if (config.redis === null) return createMemoryCounters({ clock });
  const counters: Counters = await openRedisCounters({
    url: config.redis,
    clock,
    log,
    onReturned: async () => counters.reconcile(await countedShares(store)),
  });
  return counters;
}

/** Buckets that all nodes share; null without a Redis: each node has its own. */
async function openRateLimiters({ config, clock, log }: GatewayOptions): Promise<RedisRateLimiters | null> {
  return config.redis === null ? null : openRedisRateLimiters({ url: config.redis, clock, log });
}

function createHub(
  { config, clock, log }: GatewayOptions,
  store: Store,
  onStatusChange: HubOptions['onStatusChange'],
): StreamHub {
  const { hls, sources, ffmpeg } = config;
  const limits: PackagerLimits = {
    ...DEFAULT_PACKAGER_LIMITS,
    targetSegmentMs: hls.segmentTargetMs,
    wantedPartMs: hls.partTargetMs,
    windowMs: hls.windowMs,
    maxWindowBytes: hls.maxWindowBytes,
  };
  return new StreamHub({
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
    onStatusChange: (camera, state) => {
      log.info({ camera, state: state.state }, 'camera state');
      onStatusChange(camera, state);
    },
  });
}

function sampleRenditions(hub: StreamHub): RenditionSample[] {
  const samples: RenditionSample[] = [];
  for (const camera of hub.all()) {
    for (const profile of camera.profiles()) {
      const isLive = profile.state().state === 'live';
      for (const { name, packager } of profile.openRenditions()) {
        const { instances } = profile;
        samples.push({ camera: camera.uuid, rendition: name, isLive, instances, ...packager.stats() });
      }
    }
  }
  return samples;
}

/** How the API finds cameras. */
function onvifNetwork(clock: Clock): OnvifNetwork {
  return {
    discover: (waitMs) => discoverOnvifDevices({ clock, waitMs }),
    inspect: (service, login, timeoutMs) => inspectOnvifDevice(service, { clock, login, timeoutMs }),
  };
}

/** How the API tries cameras: as the direct engine opens them. */
function prober(clock: Clock): ProbeCamera {
  return (url, timeoutMs) => probeCamera(url, { transport: 'auto', timeoutMs, clock });
}

/** A token bucket that lets a minute's requests come in ten seconds. */
function apiLimits(requestsPerMinute: number) {
  return {
    requestsPerOrg: { burst: Math.max(1, Math.ceil(requestsPerMinute / 6)), perSec: requestsPerMinute / 60 },
  };
}

/** The demo's page, null without one. A demo that cannot be made does not keep the gateway from serving. */
async function openDemo(context: {
  options: GatewayOptions;
  store: Store;
  shares: ShareService;
  decoders: Decoders;
  cleanup: Cleanup;
}): Promise<string | null> {
  const { options, store, shares, decoders, cleanup } = context;
  const { config, env, clock, log } = options;
  if (!(await wantsDemo(store, config.demo))) {
    await removeDemo(store, shares);
    return null;
  }
  try {
    const ffmpegPath = decoders.ffmpeg.path;
    const demo = await startDemo({ store, shares, ffmpegPath, cacheDir: clipCacheFolder(env), clock, log });
    cleanup.add('demo camera', () => demo.close());
    return shares.urls(demo.share).pageUrl;
  } catch (thrown) {
    log.error({ err: toGatewayError(thrown) }, 'there is no demo camera');
    return null;
  }
}
