/** Pages of elevator landings, which three endpoints share. */

import { Type } from 'typebox';
import type { Landing } from '../../../access-control/landing.ts';
import type { Ruuid } from '../../../core/ruuid.ts';
import type { ResourceMark } from '../../../store/resource.ts';
import { int32, nullable, plainText, text } from '../../fields/field-types.ts';
import type { CallContext } from '../../http/endpoint.ts';
import {
  MAX_PAGE_KEY_LENGTH,
  NEXT_PAGE_KEY_DESCRIPTION,
  PAGE_KEY_DESCRIPTION,
  pageKeyOf,
  readPageKey,
} from '../../http/page-key.ts';

const MAX_PAGE_SIZE = 1_000;
const DEFAULT_PAGE_SIZE = 100;

export const PAGE_REQUEST_PROPERTIES = {
  lastEvaluatedKey: Type.Optional(text(PAGE_KEY_DESCRIPTION, MAX_PAGE_KEY_LENGTH)),
  maxPageSize: Type.Optional(int32(`Entries of a page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
};

export const NEXT_PAGE_KEY = nullable(plainText(NEXT_PAGE_KEY_DESCRIPTION));

export interface LandingPageRequest {
  readonly lastEvaluatedKey?: string;
  readonly maxPageSize?: number;
  readonly locationUuid?: Ruuid;
}

/** `list` names the list in its keys. Fails INVALID_FIELD for a foreign key, LOCATION_NOT_FOUND. */
export async function landingPage(
  { orgUuid, services }: CallContext,
  list: string,
  { lastEvaluatedKey, maxPageSize = DEFAULT_PAGE_SIZE, locationUuid }: LandingPageRequest,
): Promise<{ landings: readonly Landing[]; lastEvaluatedKey: string | null }> {
  if (locationUuid !== undefined) await services.devices.requireLocation(orgUuid, locationUuid);
  const after = lastEvaluatedKey === undefined ? null : markIn(lastEvaluatedKey, list);
  const { items, next } = await services.accessControl.elevatorLandings.page(orgUuid, {
    ...(locationUuid === undefined ? {} : { parentUuid: locationUuid }),
    after,
    limit: maxPageSize,
  });
  return {
    landings: items,
    lastEvaluatedKey: next === null ? null : pageKeyOf(list, [next.createdAtMs, next.uuid]),
  };
}

function markIn(key: string, list: string): ResourceMark {
  const [createdAtMs, uuid] = readPageKey(key, list, ['number', 'string']);
  return { createdAtMs, uuid: uuid as Ruuid };
}
