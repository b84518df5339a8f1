/**
 * Code that ends access waits for the store only briefly: a database that takes requests and answers none must not keep a link
 * open (docs/design/failure.md#ending-access-without-the-store). A call that is given up is not canceled: its late changes are
 * stored and announced as if its caller had waited.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { STORE_ERRORS } from './errors.ts';
import type { Store } from './store.ts';

/** How long what ends access waits for each call of the store. */
export const BRIEF_WAIT_MS = 2_000;

const brief = new AsyncLocalStorage<true>();

/**
 * Runs `work`, whose calls of the store fail STORE_SILENT after BRIEF_WAIT_MS, and immediately while an earlier one is still not
 * answered. Only for work that has something to do without the store.
 */
export function waitingBriefly<T>(work: () => Promise<T>): Promise<T> {
  return brief.run(true, work);
}

/** `waitingBriefly`, if the work has something to do without the store. */
export function waitingBrieflyIf<T>(hasOther: boolean, work: () => Promise<T>): Promise<T> {
  return hasOther ? waitingBriefly(work) : work();
}

/** `store`, whose calls know about `waitingBriefly`. */
export function withBriefWaits(store: Store, clock: Clock): Store {
  const waits = new BriefWaits(clock);
  const { apiKeys, cameras, shares, wallShares, schedules, videoWalls, organizations } = store;
  const { people, consoleSessions, oauthGrants, resources } = store;
  return {
    ...store,
    apiKeys: waits.of(apiKeys),
    cameras: waits.of(cameras),
    shares: waits.of(shares),
    wallShares: waits.of(wallShares),
    schedules: waits.of(schedules),
    videoWalls: waits.of(videoWalls),
    organizations: waits.of(organizations),
    people: waits.of(people),
    consoleSessions: waits.of(consoleSessions),
    oauthGrants: waits.of(oauthGrants),
    resources: { of: (kind) => waits.of(resources.of(kind)) },
  };
}

class BriefWaits {
  readonly #clock: Clock;
  /** Calls that were given up, and have no answer yet. */
  #outstanding = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same repository. What its methods are given to decide on a row is not asked after the caller has given up. */
  of<Repository extends object>(repository: Repository): Repository {
    return new Proxy(repository, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...given: unknown[]) => {
          if (brief.getStore() === undefined) return method.apply(target, given) as unknown;
          // One time limit for the call, and none for what it sets off.
          return this.#run(
            (isGivenUp) => method.apply(target, given.map(unless(isGivenUp))) as Promise<unknown>,
          );
        };
      },
    });
  }

  async #run(call: (isGivenUp: () => boolean) => Promise<unknown>): Promise<unknown> {
    if (this.#outstanding > 0) throw new GatewayError(STORE_ERRORS.STORE_SILENT);
    let isGivenUp = false;
    const result = brief.exit(() => call(() => isGivenUp));
    const deadline = Promise.withResolvers<never>();
    const timer = this.#clock.after(BRIEF_WAIT_MS, () => {
      isGivenUp = true;
      this.#outstanding += 1;
      const responded = (): void => {
        this.#outstanding -= 1;
      };
      result.then(responded, responded);
      deadline.reject(new GatewayError(STORE_ERRORS.STORE_SILENT));
    });
    try {
      return await Promise.race([result, deadline.promise]);
    } finally {
      timer.cancel();
    }
  }
}

/** A record is as it was when its change was decided, or the change is dropped: by now, another one may count. */
function unless(isGivenUp: () => boolean): (given: unknown) => unknown {
  return (given) => {
    if (typeof given !== 'function') return given;
    return (...known: unknown[]) => {
      if (isGivenUp()) throw new GatewayError(STORE_ERRORS.STORE_SILENT);
      return given(...known) as unknown;
    };
  };
}
