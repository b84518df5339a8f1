/** What services of accounts do if the store does not accept a change that ends access. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialEndRequest } from '../store/access-end.ts';
import { waitingBriefly } from '../store/brief-waits.ts';
import { isStoreAway } from '../store/store-away.ts';
import { acceptedEnd } from '../store/unstored-end.ts';
import type { CredentialRules } from './credential-rules.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

const ERRORS = {
  notKept: ACCOUNT_ERRORS.API_TOKEN_END_NOT_STORED,
  full: ACCOUNT_ERRORS.TOO_MANY_UNSTORED_TOKEN_ENDS,
};

/** In force, and not in the store yet. */
export interface NotStored {
  readonly isStored: false;
  /** The record as it is in force; null: it no longer exists, or has no fields that callers see. */
  readonly record: object | null;
}

/**
 * Resolves with what `store` resolves with, which may wait for the store only briefly. If the store is unavailable, access ends all the
 * same. Fails like `store` if this cannot be done, API_TOKEN_END_NOT_STORED, TOO_MANY_UNSTORED_TOKEN_ENDS.
 */
export async function storedOrInForce<T>(
  rules: Pick<CredentialRules, 'endAccess'>,
  orgUuid: Ruuid,
  request: CredentialEndRequest,
  store: () => Promise<T>,
): Promise<{ readonly isStored: true; readonly result: T } | NotStored> {
  try {
    return { isStored: true, result: await waitingBriefly(store) };
  } catch (thrown) {
    if (!isStoreAway(thrown)) throw thrown;
    const outcome = await rules.endAccess(orgUuid, request);
    if (outcome === 'unknown' && request.kind === 'key') {
      throw new GatewayError(ACCOUNT_ERRORS.API_TOKEN_NOT_FOUND);
    }
    return { isStored: false, record: acceptedEnd(outcome, thrown, ERRORS) };
  }
}
