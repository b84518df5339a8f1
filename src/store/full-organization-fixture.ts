/**
 * A store that behaves as if an organization had as many rows of a kind as it can, without inserting them: a room that the
 * statement checks has no place. Counts and lists show what there really is, like those that were read before others added
 * rows, so a limit that is only counted beforehand refuses nothing.
 */

import type { LimitName } from '../core/limits/registry.ts';
import { ROW_LIMITS } from '../core/limits/row-limits.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Room } from './record-change.ts';
import type { ResourceKindName } from './resource.ts';
import type { Store } from './store.ts';

export type RowLimitName = Extract<LimitName, keyof typeof ROW_LIMITS>;

/** Where rows are: a repository of the store, or a kind of resource. */
export type Place = RepositoryName | ResourceKindName;
type RepositoryName = (typeof REPOSITORIES)[number];

const REPOSITORIES = [
  ...(['apiKeys', 'cameras', 'consoleSessions', 'locations', 'nvrs', 'oauthApplications'] as const),
  ...(['passkeys', 'people', 'schedules', 'shares', 'videoWalls', 'wallShares'] as const),
] as const satisfies readonly (keyof Store)[];

interface Filled {
  readonly orgUuid: Ruuid;
  readonly place: Place;
  readonly limit: RowLimitName;
  /** How many rows can be added. */
  readonly free: 0 | 1;
  /** Counts and lists are filled up, too: for limits whose holders take turns. Default: false. */
  readonly isCounted?: boolean | undefined;
}

export class FullOrganization {
  #filled: Filled | null = null;

  /** Until the next call; null: no organization is full. */
  fill(filled: Filled | null): void {
    this.#filled = filled;
  }

  /** Replaces the store's repositories. */
  watch(store: Store): void {
    for (const name of REPOSITORIES) {
      Object.defineProperty(store, name, { value: this.#watched(name, store[name]) });
    }
    const { resources } = store;
    const of: typeof resources.of = (kind) => this.#watched(kind.name, resources.of(kind));
    Object.defineProperty(store, 'resources', { value: { of } });
  }

  #watched<T extends object>(place: Place, repository: T): T {
    return new Proxy(repository, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => {
          const filled = this.#filled;
          const isMeant = filled?.place === place && isOf(args[0], filled.orgUuid);
          if (!isMeant) return Reflect.apply(value, target, args);
          return callFull(filled, String(name), args, (given) => Reflect.apply(value, target, given));
        };
      },
    });
  }
}

function isOf(given: unknown, orgUuid: Ruuid): boolean {
  return given === orgUuid || (isObject(given) && given.orgUuid === orgUuid);
}

/** The result of a method if the organization is full. */
function callFull(
  { limit, free, isCounted }: Filled,
  method: string,
  args: readonly unknown[],
  call: (args: readonly unknown[]) => unknown,
): unknown {
  const most = ROW_LIMITS[limit].perOrganization;
  if (method === 'count' && isCounted) return Promise.resolve(most - free);
  if (isCounted && (method === 'list' || method === 'listRecords')) {
    return Promise.resolve(call(args)).then((rows) => filledUp(rows as unknown[], most - free));
  }
  const inFull = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(inFull);
    return isRoom(given) && given.atMost === most ? { ...given, atMost: free && most } : given;
  };
  return call(args.map(inFull));
}

/** With copies of the first row, which must exist. */
function filledUp(rows: readonly unknown[], size: number): unknown[] {
  if (rows.length === 0) throw new Error('the organization has nothing that can be copied');
  return [...rows, ...Array<unknown>(Math.max(0, size - rows.length)).fill(rows[0])];
}

function isRoom(given: unknown): given is Room {
  return isObject(given) && typeof given.atMost === 'number' && typeof given.full === 'function';
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null;
}
