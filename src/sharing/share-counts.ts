/** Shares as the counters need them, and the events by which the store keeps the counters correct. */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { CountedShare, Counters } from '../counters/counters.ts';
import type { ChangeFeed } from '../store/change-feed.ts';
import type { Store } from '../store/store.ts';

/** Other nodes change the same counts: this is how often an update lost between two reads is corrected. */
const RECONCILE_INTERVAL_MS = 5 * 60_000;

/** Every share with the devices that it counts toward. */
export async function countedShares(store: Store): Promise<CountedShare[]> {
  const [shares, cameras] = await Promise.all([
    store.shares.listEverywhere(),
    store.cameras.listEverywhere(),
  ]);
  const nvrOfCamera = new Map(cameras.map((camera) => [camera.uuid, camera.nvrUuid]));
  return shares.map(({ uuid, cameraUuid, expiresAtSec }) => ({
    uuid,
    cameraUuid,
    nvrUuid: nvrOfCamera.get(cameraUuid) ?? null,
    expiresAtSec,
  }));
}

/**
 * Reconciles now, when a camera moves to another NVR, when another thread or process changes a share, and regularly. Returns a
 * function that ends it.
 */
export async function watchShareCounts(options: {
  store: Store;
  /** Commits of other threads, which `store` reports as well. */
  elsewhere: ChangeFeed;
  /** Whether the nodes share the counts: then the node that made a change counts it. */
  isShared: boolean;
  counters: Pick<Counters, 'reconcile'>;
  clock: Clock;
  log: Log;
}): Promise<() => void> {
  const { store, elsewhere, counters, isShared, clock, log } = options;
  let timer: TimerHandle | null = null;
  let running: Promise<void> | null = null;
  let isRequestedAgain = false;
  const reconcile = async (): Promise<void> => counters.reconcile(await countedShares(store));
  /** One run at a time; a request during a run causes one more run afterwards. */
  const request = (): void => {
    if (running !== null) {
      isRequestedAgain = true;
      return;
    }
    running = reconcile()
      .catch((thrown) => log.warn({ err: toGatewayError(thrown) }, 'share counts not reconciled'))
      .finally(() => {
        running = null;
        if (isRequestedAgain) {
          isRequestedAgain = false;
          request();
        }
      });
  };
  const arm = (): void => {
    timer = clock.after(RECONCILE_INTERVAL_MS, () => {
      request();
      arm();
    });
  };
  await reconcile();
  arm();
  const unsubscribe = [
    store.onChange(({ entity, isForeign }) => {
      if (entity === 'camera' && !(isForeign && isShared)) request();
    }),
    elsewhere.subscribe(({ entity, isForeign }) => {
      if (entity === 'share' && !(isForeign && isShared)) request();
    }),
  ];
  return () => {
    timer?.cancel();
    for (const end of unsubscribe) end();
  };
}
