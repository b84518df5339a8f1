/** Pages of lists in creation order: doors, elevator landings and webhook calls. */

import { Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { int32 } from '../../http/fields/field-types.ts';
import { PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import type { ResourceMark } from '../../store/resource.ts';

const MAX_PAGE_SIZE = 1_000;
export const DEFAULT_PAGE_SIZE = 100;

export const PAGE_REQUEST_PROPERTIES = {
  lastEvaluatedKey: PAGE_KEY,
  maxPageSize: Type.Optional(int32(`Entries per page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
};

export interface PageRequest {
  readonly lastEvaluatedKey?: string;
  readonly maxPageSize?: number;
}

export interface CreationPage<Item> {
  readonly items: readonly Item[];
  readonly lastEvaluatedKey: string | null;
}

/** Which part of a list to read: the first `limit` entries after `after`. */
export interface CreationPageQuery {
  readonly after: ResourceMark | null;
  readonly limit: number;
}

/** `list` names the list in its keys. Fails INVALID_FIELD for a key of another list, and as `read` does. */
export async function creationPage<Item extends ResourceMark>(
  list: string,
  { lastEvaluatedKey, maxPageSize = DEFAULT_PAGE_SIZE }: PageRequest,
  read: (query: CreationPageQuery) => Promise<{ items: readonly Item[]; next: ResourceMark | null }>,
): Promise<CreationPage<Item>> {
  const after = lastEvaluatedKey === undefined ? null : markIn(lastEvaluatedKey, list);
  const { items, next } = await read({ after, limit: maxPageSize });
  return { items, lastEvaluatedKey: next === null ? null : pageKeyOf(list, [next.createdAtMs, next.uuid]) };
}

function markIn(key: string, list: string): ResourceMark {
  const [createdAtMs, uuid] = readPageKey(key, list, ['number', 'string']);
  return { createdAtMs, uuid: uuid as Ruuid };
}
