/**
 * The whole gateway, in four stages: the store (and with it the cluster, if there is one), the media, the front door, the
 * API. Each stage knows the earlier ones but none of the later ones. Everything is closed in reverse order. The API's own
 * thread knows the parts of the API (src/app/api-thread/api-side.ts).
 */

import { join } from 'node:path';
import type { Cluster } from '../../cluster/cluster.ts';
import { leaveCluster } from '../../cluster/leave-cluster.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import { openSharedLimits } from '../../counters/open-counters.ts';
import type { ReloadOutcome } from '../../system/config-view.ts';
import { applyConfig } from '../config/apply-config.ts';
import type { MadeKeys } from '../config/bootstrap-keys.ts';
import { DRAIN_SOCKET } from '../config/data-folder.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { mailSettingsOf } from '../config/mail-settings-of.ts';
import { recordedChannels } from '../config/recorded-channels.ts';
import { Cleanup } from '../process/cleanup.ts';
import { clipCacheFolder } from '../process/clip-cache.ts';
import { DrainSocket } from '../process/drain-socket.ts';
import { reloadCertificates } from './certificates.ts';
import { firstConsoleLink } from './console-link.ts';
import { type Demo, removeDemo, startDemo, wantsDemo } from './demo.ts';
import { preparePages } from './demo-warmth.ts';
import { followSettings } from './follow-settings.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type SettledGateway, settleConfig } from './settle-config.ts';
import { startApi } from './start-api.ts';
import { COMMAND_DRAIN_MS, startCluster } from './start-cluster.ts';
import { type FrontDoorStage, startFrontDoor } from './start-front-door.ts';
import { type MediaStage, startMedia } from './start-media.ts';
import { type StoreStage, startStore } from './start-store.ts';

/** By then, every node of the cluster that can be reached has said who watches there. */
const VIEWERS_HEARD_MS = 2_000;

export interface Gateway {
  readonly apiUrl: string;
  readonly mediaUrl: string;
  /** Keys created just now, to be shown once. */
  readonly madeKeys: MadeKeys;
  /** The demo's viewer page, if there is a demo. */
  readonly demoPageUrl: string | null;
  /** Reads the configuration file again, and applies what can change while the gateway runs. Fails as RunningConfig.reload. */
  reload(): Promise<ReloadOutcome>;
  /** A link that signs in the first person; null: there are people. */
  readonly consoleLink: Secret | null;
  /** Ends within the shutdown time: finishes requests, closes cameras, saves numbers. */
  close(): Promise<void>;
}

/** Starts everything. If a part fails, those already started are ended and the error is rethrown. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const cleanup = new Cleanup(options.log);
  let settled: SettledGateway | null = null;
  try {
    settled = await settleConfig(options, cleanup);
    return await start(settled, cleanup);
  } catch (error) {
    await cleanup.run();
    // Without the settings of the console, nothing else would be different.
    if (settled === null || settled.options === options) throw error;
    const cause = toGatewayError(error);
    options.log.error({ err: cause }, 'start with console settings failed');
    const detail = `${cause.message} (${cause.code})`;
    return startGateway({ ...options, ignoredSettings: { reason: 'start', detail } });
  }
}

async function start(settled: SettledGateway, cleanup: Cleanup): Promise<Gateway> {
  const { options } = settled;
  const stored = await startStore(settled, cleanup);
  // Started before the cameras, so that it closes after them: its end must not look like a camera failure.
  let demo: Demo | null = null;
  cleanup.add('demo camera', () => demo?.close());
  const cluster = await startCluster(options, stored, cleanup);
  const { config, clock, log } = options;
  const shared = await openSharedLimits(config.redis, { clock, log, counts: 'openings' });
  cleanup.add('shared limits', async () => shared?.close());
  const media = await startMedia(options, { stored, cluster, shared }, cleanup);
  const door = await startFrontDoor(options, { stored, media, cluster, shared }, cleanup);
  const reload = async (): Promise<ReloadOutcome> => {
    await reloadCertificates(stored.certificates);
    return reloadConfig(options, stored, media, door);
  };
  // API clients then get notices about viewers who come and leave, but not again about those already there.
  await cluster?.viewers.untilHeard(VIEWERS_HEARD_MS);
  await startApi(options, { stored, media, door, cluster, reload }, cleanup);
  cleanup.add('settings of other nodes', followSettings(stored.store, reload, log));
  if (cluster !== null) await beginCluster(options, cluster, { media, door }, cleanup);
  media.checks?.start();
  demo = await openDemo(options, stored, media, door);
  const { apiUrl } = stored.apiThread;
  const consoleLink = await firstConsoleLink({ store: stored.store, clock: options.clock, apiUrl });
  // People who try the gateway open the link of the demo first. Other gateways may never serve a page.
  if (demo !== null) {
    const end = preparePages(door.assets, clock);
    cleanup.add('preparation of pages', async () => end());
  }
  return {
    apiUrl,
    consoleLink,
    mediaUrl: door.mediaUrl,
    madeKeys: stored.madeKeys,
    demoPageUrl: demo === null ? null : door.shares.urls(demo.share).pageUrl,
    reload,
    close: async () => {
      if (cluster !== null) await leave(options, cluster, stored, door);
      await cleanup.run();
    },
  };
}

async function beginCluster(
  { config, log }: GatewayOptions,
  cluster: Cluster,
  { media, door }: { readonly media: MediaStage; readonly door: FrontDoorStage },
  cleanup: Cleanup,
): Promise<void> {
  cluster.begin(media.hub, () => door.sessions.viewers);
  const drain = async (): Promise<void> => {
    cluster.expectHeirs();
    await cluster.drain(COMMAND_DRAIN_MS);
  };
  const socket = await DrainSocket.open(join(config.data, DRAIN_SOCKET), drain, log);
  cleanup.add('drain socket', () => socket.close());
}

async function leave(
  { clock }: GatewayOptions,
  cluster: Cluster,
  { apiThread }: StoreStage,
  { viewerThreads, frontDoor }: FrontDoorStage,
): Promise<void> {
  const leaveConnections = (): void => {
    apiThread.leave();
    // With viewer threads, only they have connections to this one.
    if (viewerThreads === null) frontDoor.connectionTable.leave();
    else viewerThreads.leave();
  };
  await leaveCluster({ cluster, clock, leaveConnections });
}

async function reloadConfig(
  { clock, log, logControl }: GatewayOptions,
  { store, apiThread, runningConfig }: StoreStage,
  { recording }: MediaStage,
  door: FrontDoorStage,
): Promise<ReloadOutcome> {
  const outcome = await runningConfig.reload(async (config) => {
    const applied = await applyConfig(store, config, clock);
    await recording.configure(config.cameras);
    await door.recorders.configure(recordedChannels(config, DEFAULT_ORG_UUID));
    return applied;
  });
  const { level } = runningConfig.newest.log;
  logControl?.setLevel(level);
  apiThread.setLogLevel(level);
  apiThread.setMail(mailSettingsOf(runningConfig.newest));
  door.viewerThreads?.setLogLevel(level);
  const { records, applied, needsRestart } = outcome;
  log.info({ ...records, applied, needsRestart }, 'configuration reloaded');
  return outcome;
}

/** Null without one. If the demo cannot be created, the gateway serves anyway. */
async function openDemo(
  { config, env, clock, log }: GatewayOptions,
  { store }: StoreStage,
  { decoders, hub }: MediaStage,
  { shares }: FrontDoorStage,
): Promise<Demo | null> {
  if (!(await wantsDemo(store, config.demo))) {
    await removeDemo(store, shares);
    return null;
  }
  try {
    const ffmpegPath = decoders.ffmpeg.path;
    const cacheDir = clipCacheFolder(env);
    return await startDemo({ store, shares, cameras: hub, ffmpegPath, cacheDir, clock, log });
  } catch (thrown) {
    log.error({ err: toGatewayError(thrown) }, 'demo camera failed to start');
    return null;
  }
}
