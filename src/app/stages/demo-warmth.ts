/**
 * Keeps the demo camera open for the first minutes, even without viewers: someone who tries the gateway opens the link that
 * it prints, and must not wait for a key frame first.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { LiveCameras } from '../../stream/media/live-media.ts';

/** Signing in and looking around come first. After that, the page has the last picture as its poster. */
export const WARM_MS = 600_000;
/** Shorter than the shortest `hls.idleStop`. */
const TOUCH_MS = 500;

/** After the start has printed the link. */
const PREPARED_AFTER_MS = 100;

/** Prepares pages once the start is over: it does not wait for them. The next request tries a failure again. Returns what ends it. */
export function preparePages(assets: () => Promise<unknown>, clock: Clock): () => void {
  const timer = clock.after(PREPARED_AFTER_MS, () => void assets().catch(() => undefined));
  return () => timer.cancel();
}

/** Returns what ends it. */
export function keepDemoWarm(cameras: LiveCameras, cameraUuid: Ruuid, clock: Clock): () => void {
  const untilMonoMs = clock.monoMs() + WARM_MS;
  let timer: TimerHandle | null = null;
  const touch = (): void => {
    cameras.get(cameraUuid)?.touch('sound');
    timer = clock.monoMs() < untilMonoMs ? clock.after(TOUCH_MS, touch) : null;
  };
  touch();
  return () => timer?.cancel();
}
