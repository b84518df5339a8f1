/**
 * The whole gateway, in four stages: the store, the media, the front door, the API. Each stage knows those before it
 * and none behind it; what was started is closed in the reverse order. What the API consists of is for its own thread
 * to know (api-thread/api-side.ts).
 */

import { toGatewayError } from '../core/errors.ts';
import { Cleanup } from './cleanup.ts';
import { clipCacheFolder } from './clip-cache.ts';
import { type ApplySummary, applyConfig } from './config/apply-config.ts';
import type { MadeKeys } from './config/bootstrap-keys.ts';
import type { Config } from './config/schema.ts';
import { type Demo, removeDemo, startDemo, wantsDemo } from './demo.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { startApi } from './start-api.ts';
import { type FrontDoorStage, startFrontDoor } from './start-front-door.ts';
import { type MediaStage, startMedia } from './start-media.ts';
import { type StoreStage, startStore } from './start-store.ts';

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
  const stored = await startStore(options, cleanup);
  // Before the cameras, so that it closes after them: its end is no failure of a camera.
  let demo: Demo | null = null;
  cleanup.add('demo camera', () => demo?.close());
  const media = await startMedia(options, stored, cleanup);
  const door = await startFrontDoor(options, stored, media, cleanup);
  await startApi(options, { stored, media, door }, cleanup);
  demo = await openDemo(options, stored, media, door);
  return {
    apiUrl: stored.apiThread.apiUrl,
    mediaUrl: door.mediaUrl,
    madeKeys: stored.madeKeys,
    demoPageUrl: demo === null ? null : door.shares.urls(demo.share).pageUrl,
    reload: (reloaded) => applyConfig(stored.store, reloaded, options.clock),
    close: () => cleanup.run(),
  };
}

/** Null without one. A demo that cannot be made does not keep the gateway from serving. */
async function openDemo(
  { config, env, clock, log }: GatewayOptions,
  { store }: StoreStage,
  { decoders }: MediaStage,
  { shares }: FrontDoorStage,
): Promise<Demo | null> {
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
