/** Pages of resources, each with the position where the next one begins. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Resource, ResourceMark, ResourcePageQuery, ResourceRepository } from './resource.ts';

export interface ResourcePage<Body extends object> {
  readonly items: readonly Resource<Body>[];
  /** `after` of the next page; null: this is the last page. */
  readonly next: ResourceMark | null;
}

/** At most `limit` resources. Reads one more to find out whether this is the last page. */
export async function resourcePage<Body extends object>(
  repository: Pick<ResourceRepository<Body>, 'page'>,
  orgUuid: Ruuid,
  query: ResourcePageQuery,
): Promise<ResourcePage<Body>> {
  const found = await repository.page(orgUuid, { ...query, limit: query.limit + 1 });
  const items = found.slice(0, query.limit);
  const last = items.at(-1);
  if (found.length <= query.limit || last === undefined) return { items, next: null };
  return { items, next: { createdAtMs: last.createdAtMs, uuid: last.uuid } };
}
