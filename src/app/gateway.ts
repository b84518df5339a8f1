/**
 * The whole gateway, in four stages: the store, the media, the front door, the API. Each stage knows the earlier ones
 * but none of the later ones. Everything is closed in reverse order. The API's own thread knows what the API consists
 * of (api-thread/api-side.ts).
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
  /** Keys created just now, to be shown once. */
  readonly madeKeys: MadeKeys;
  /** The demo's viewer page, if there is a demo. */
  readonly demoPageUrl: string | null;
  /** Applies the file's cameras, NVRs and locations again; everything else needs a restart. */
  reload(config: Config): Promise<ApplySummary>;
  /** Ends within the shutdown time: finishes requests, closes cameras, saves numbers. */
  close(): Promise<void>;
}

/** Starts everything. If a part fails, those already started are ended and the error is rethrown. */
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
  // Started before the cameras, so that it closes after them: its end must not look like a camera failure.
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

/** Null without one. If the demo cannot be created, the gateway serves anyway. */
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
