/** What services of sharing do if the store does not accept a change that ends access. */

import type { Ruuid } from '../core/ruuid.ts';
import type { LinkEndRequest } from '../store/access-end.ts';
import { actingView } from '../store/acting-view.ts';
import { isStoreAway } from '../store/store-away.ts';
import { acceptedEnd } from '../store/unstored-end.ts';
import type { AccessRules } from './access-rules.ts';
import { SHARING_ERRORS } from './errors.ts';
import type { SharedGroupBody } from './shared-group.ts';

const ERRORS = {
  notKept: SHARING_ERRORS.SHARE_END_NOT_STORED,
  full: SHARING_ERRORS.TOO_MANY_UNSTORED_ENDS,
};

type LinkRules = Pick<SharedGroupBody, 'passwordHash' | 'expiresAtSec'>;

/**
 * Ends access all the same, if the store is unavailable and the change does nothing else. Resolves with the record as it is in force; null:
 * it no longer exists. Fails with `thrown` if this cannot be done, SHARE_END_NOT_STORED, TOO_MANY_UNSTORED_ENDS.
 */
export async function endWithoutStore<Row extends object>(
  rules: Pick<AccessRules, 'endAccess'>,
  orgUuid: Ruuid,
  request: LinkEndRequest,
  thrown: unknown,
): Promise<Row | null> {
  // A removal fails for no other reason.
  if (request.kind !== 'link' && !isStoreAway(thrown)) throw thrown;
  // Only the store knows whose link it is.
  if (actingView() !== null) throw thrown;
  return acceptedEnd(await rules.endAccess(orgUuid, request), thrown, ERRORS) as Row | null;
}

/** The rules that a request changes for the link of a wall or a group, as they are stored. */
export function changedRules(
  { password, expirationTimeSecs }: { readonly password?: unknown; readonly expirationTimeSecs?: unknown },
  { passwordHash, expiresAtSec }: Partial<LinkRules>,
): Partial<LinkRules> {
  return {
    ...(password === undefined ? {} : { passwordHash: passwordHash ?? null }),
    ...(expirationTimeSecs === undefined ? {} : { expiresAtSec: expiresAtSec ?? null }),
  };
}
