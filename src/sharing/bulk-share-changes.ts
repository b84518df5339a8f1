/** One change of many shares: each on its own, so that a refusal of one leaves the others done. */

import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SHARING_ERRORS } from './errors.ts';
import type { ShareService } from './share-service.ts';

/** The most shares in one call. */
export const MAX_BULK_SHARES = 500;

/** The change that a call makes to each share. */
export type BulkShareChange =
  | { readonly kind: 'delete' }
  /** As in ShareChangeRequest; null: they never end. */
  | { readonly kind: 'expire'; readonly expirationTimeSecs: number | null };

export interface BulkShareResult {
  readonly shareUuid: Ruuid;
  /** null: it was done. */
  readonly error: GatewayError | null;
}

/** Concurrent changes, so that one that waits for the store does not delay the next. */
const AT_ONCE = 8;

/**
 * The result of each share, in order; a share that is named twice counts once. A reason that would refuse all of them is checked before the
 * first. Fails SHARE_EXPIRY_INVALID.
 */
export async function changeShares(
  shares: Pick<ShareService, 'update' | 'remove' | 'checkExpiry'>,
  orgUuid: Ruuid,
  shareUuids: readonly Ruuid[],
  change: BulkShareChange,
): Promise<readonly BulkShareResult[]> {
  if (change.kind === 'expire') shares.checkExpiry(change.expirationTimeSecs);
  const uuids = [...new Set(shareUuids)];
  if (uuids.length > MAX_BULK_SHARES) {
    throw new GatewayError(SHARING_ERRORS.TOO_MANY_BULK_SHARES, { limit: MAX_BULK_SHARES });
  }
  const results: BulkShareResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < uuids.length; index = next++) {
      const shareUuid = uuids[index]!;
      results[index] = { shareUuid, error: await errorOf(changeOne(shares, orgUuid, shareUuid, change)) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

async function changeOne(
  shares: Pick<ShareService, 'update' | 'remove'>,
  orgUuid: Ruuid,
  shareUuid: Ruuid,
  change: BulkShareChange,
): Promise<void> {
  if (change.kind === 'delete') await shares.remove(orgUuid, shareUuid);
  else await shares.update(orgUuid, shareUuid, { expirationTimeSecs: change.expirationTimeSecs });
}

async function errorOf(work: Promise<void>): Promise<GatewayError | null> {
  try {
    await work;
    return null;
  } catch (thrown) {
    return toGatewayError(thrown);
  }
}
