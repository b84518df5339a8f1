/** A store that fails, or that takes requests and answers none, for tests of what works without it. */

import { GatewayError } from '../core/errors.ts';
import { STORE_ERRORS } from './errors.ts';
import type { Store } from './store.ts';

/** `away`: each call fails. `hung`: each call waits until the store works again, and is done then. */
export type StoreCondition = 'working' | 'away' | 'hung';

const METHODS = [
  'add',
  'change',
  'changeKeepingAdmin',
  'find',
  'findByHash',
  'findByTokenHash',
  'findEverywhere',
  'findToken',
  'list',
  'listByPerson',
  'listByWall',
  'listRecords',
  'remove',
  'save',
] as const;

/** Stands between a store and what uses it. Give it the store before anything else. */
export class UnresponsiveStore {
  #condition: StoreCondition = 'working';
  #waiting: (() => void)[] = [];

  /** Every repository that ends of access could use. */
  standBefore(store: Store): void {
    const { apiKeys, cameras, shares, wallShares, schedules, videoWalls, organizations, people } = store;
    const { resources, consoleSessions, oauthGrants } = store;
    const repositories = [apiKeys, cameras, shares, wallShares, schedules, videoWalls, organizations, people];
    for (const repository of [...repositories, consoleSessions, oauthGrants]) this.#hold(repository);
    const of = resources.of.bind(resources);
    resources.of = (kind) => {
      const repository = of(kind);
      this.#hold(repository);
      return repository;
    };
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  become(condition: StoreCondition): void {
    this.#condition = condition;
    if (condition === 'hung') return;
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  #hold(repository: object): void {
    const methods = repository as Record<string, unknown>;
    for (const name of METHODS) {
      const method = methods[name];
      if (typeof method !== 'function') continue;
      methods[name] = async (...given: unknown[]) => {
        if (this.#condition === 'hung') await new Promise<void>((resolve) => this.#waiting.push(resolve));
        if (this.#condition === 'away') throw new GatewayError(STORE_ERRORS.STORE_UNREACHABLE);
        return method.apply(repository, given) as unknown;
      };
    }
  }
}
