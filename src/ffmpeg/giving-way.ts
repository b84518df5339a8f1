/**
 * Which running worker makes room for a start. Work that yields gives way to what outweighs it. Beyond that, a worker gives way
 * only to another organization: an organization has more than an equal part as long as no other one wants it.
 */

import { isBefore } from './waiting-line.ts';
import type { WorkerShares } from './worker-shares.ts';

/** A worker that runs. */
export interface Giver {
  /** null: several share it. */
  readonly organization: string | null;
  readonly cores: number;
  /** 0 is the most urgent. From YIELDING_RANK on, it gives way to everything. */
  readonly rank: number;
  readonly isYielding: boolean;
  /** Many cameras share it. */
  readonly isShared: boolean;
  readonly sinceMonoMs: number;
  /** It cannot be ended yet. */
  readonly isStarting: boolean;
}

/** A start that finds no room. */
export interface Taker {
  readonly organization: string;
  readonly cores: number;
  /** By its urgency alone, however long it has waited. */
  readonly rank: number;
  readonly isYielding: boolean;
  readonly isShared: boolean;
  /** It lacks a worker, and not only cores. */
  readonly needsWorker: boolean;
}

export interface Gift<G extends Giver> {
  readonly giver: G;
  /** The giver's organization has more than its equal part; otherwise its work yields. */
  readonly isExcess: boolean;
}

/** The one that is missed the least; null: none gives way to this start. */
export function giftFor<G extends Giver>(
  givers: Iterable<G>,
  taker: Taker,
  shares: WorkerShares,
): Gift<G> | null {
  let best: { readonly gift: Gift<G>; readonly key: readonly number[] } | null = null;
  for (const giver of givers) {
    const isOutweighed = yieldsTo(giver, taker, shares);
    const isExcess = !isOutweighed && isExcessOver(giver, taker, shares);
    if (!isOutweighed && !isExcess) continue;
    const key = lossOf(giver, taker, isExcess, shares);
    // The last of several equal ones wins.
    if (best === null || !isBefore(best.key, key)) best = { gift: { giver, isExcess }, key };
  }
  return best?.gift ?? null;
}

/** The less, the sooner it gives way. The only worker of another organization is the last resort. */
function lossOf(giver: Giver, taker: Taker, isExcess: boolean, shares: WorkerShares): number[] {
  const { organization, rank, sinceMonoMs } = giver;
  const isOther = organization !== null && organization !== taker.organization;
  const isLast = isOther && !giver.isShared && shares.ownOf(organization) === 1;
  const part = isExcess && organization !== null ? shares.partWith(organization, 0) : 0;
  return [isLast ? 1 : 0, isExcess ? 1 : 0, giver.isStarting ? 1 : 0, -part, -rank, -sinceMonoMs];
}

/** Not the only worker of another organization, unless the start's has none. Shared work ends no other shared work. */
function yieldsTo(giver: Giver, taker: Taker, shares: WorkerShares): boolean {
  if (!giver.isYielding || taker.rank >= giver.rank) return false;
  if (giver.isShared) return !taker.isYielding;
  const { organization } = giver;
  if (organization === null || organization === taker.organization) return true;
  return shares.ownOf(organization) > 1 || shares.ownOf(taker.organization) === 0;
}

/**
 * Whether the giver's organization has more than its due. Each organization is due its first worker, regardless of how
 * others use theirs. It is due further workers only for equally or more urgent starts, and as long as the giver's
 * organization has no less than the taker's.
 */
function isExcessOver(giver: Giver, taker: Taker, shares: WorkerShares): boolean {
  const { organization } = giver;
  if (organization === null || organization === taker.organization) return false;
  const isFirst = shares.ownOf(taker.organization) === 0;
  if (giver.isShared) return isFirst && !taker.isShared;
  if (shares.ownOf(organization) < 2) return false;
  if (isFirst && taker.needsWorker) return true;
  if (isFirst) return shares.keepsEqualPart(organization, giver.cores, taker.organization, taker.cores);
  return (
    taker.rank <= giver.rank && shares.staysAhead(organization, giver.cores, taker.organization, taker.cores)
  );
}
