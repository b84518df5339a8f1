/** One change of many shares, with the result of each, and what takes it back. */

import { CallError, call, type Request } from './api.ts';
import { gatewayNowMs } from './gateway-clock.ts';
import type { ShareItem } from './share-item.ts';
import { deleteShare, MAX_ROWS, updateShare } from './share-state.ts';
import { t } from './words.ts';

/** Action on one share. `endSec`: as the API takes it; null: the share never ends. */
export type BulkStep = { readonly kind: 'delete' } | { readonly kind: 'end'; readonly endSec: number | null };

export interface BulkResult {
  readonly share: ShareItem;
  /** In words. */
  readonly outcome: string;
  readonly isFailed: boolean;
  /** Null: nothing was changed, or it cannot be taken back. */
  readonly undo: BulkStep | null;
}

/** Action that a person chose for all selected shares. */
export type BulkChoice =
  | { readonly kind: 'delete' }
  /** The link stays and can be extended. */
  | { readonly kind: 'end' }
  /** Those that end later stay as they are. `endSec`: epoch seconds; null: never. */
  | { readonly kind: 'extend'; readonly endSec: number | null };

interface Planned {
  readonly share: ShareItem;
  /** Null: it stays as it is. */
  readonly step: BulkStep | null;
  readonly done: string;
  readonly undo: BulkStep | null;
}

/** The API knows no end that is over: it is the next second. */
const AT_ONCE: BulkStep = { kind: 'end', endSec: 1 };
/** Parallel calls, where the API has no bulk call. */
const CALLS_AT_ONCE = 4;

export function planOf(choice: BulkChoice, share: ShareItem, nowMs: number): Planned {
  const { expiresAtMs } = share;
  const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
  const back: BulkStep = isOver
    ? AT_ONCE
    : { kind: 'end', endSec: expiresAtMs === null ? null : expiresAtMs / 1_000 };
  switch (choice.kind) {
    case 'delete':
      return { share, step: { kind: 'delete' }, done: t('Deleted'), undo: null };
    case 'end':
      return isOver
        ? { share, step: null, done: t('Had ended before'), undo: null }
        : { share, step: AT_ONCE, done: t('Ended'), undo: back };
    case 'extend': {
      const { endSec } = choice;
      const isLater =
        expiresAtMs === null ? endSec !== null : endSec !== null && expiresAtMs >= endSec * 1_000;
      if (isLater || (expiresAtMs === null && endSec === null)) {
        return {
          share,
          step: null,
          done: expiresAtMs === null ? t('Never ends') : t('Ends later'),
          undo: null,
        };
      }
      return { share, step: { kind: 'end', endSec }, done: t('Extended'), undo: back };
    }
  }
}

export function changeShares(choice: BulkChoice, shares: readonly ShareItem[]): Promise<BulkResult[]> {
  const nowMs = gatewayNowMs();
  return carryOut(shares.map((share) => planOf(choice, share, nowMs)));
}

/** Undoes the changes that can be undone. */
export function undoChanges(results: readonly BulkResult[]): Promise<BulkResult[]> {
  return carryOut(
    results
      .filter(({ undo }) => undo !== null)
      .map(({ share, undo }) => ({ share, step: undo, done: t('As before'), undo: null })),
  );
}

/** Never fails: what failed is in the results. */
async function carryOut(plans: readonly Planned[]): Promise<BulkResult[]> {
  const errors = new Map<string, string>();
  const toDo = plans.filter(({ step }) => step !== null);
  const groups = Map.groupBy(
    toDo.filter(({ share }) => share.kind === 'STREAM'),
    ({ step }) => JSON.stringify(step),
  );
  const works = [
    ...[...groups.values()].flatMap((group) =>
      batchesOf(group).map((batch) => () => changeBatch(batch, errors)),
    ),
    ...toDo.filter(({ share }) => share.kind !== 'STREAM').map((planned) => () => changeOne(planned, errors)),
  ];
  await fewAtOnce(works);
  return plans.map(({ share, step, done, undo }) => {
    const error = errors.get(share.uuid);
    return {
      share,
      outcome: error ?? done,
      isFailed: error !== undefined,
      undo: error === undefined && step !== null ? undo : null,
    };
  });
}

function batchesOf(plans: readonly Planned[]): (readonly Planned[])[] {
  const batches: (readonly Planned[])[] = [];
  for (let at = 0; at < plans.length; at += MAX_ROWS) batches.push(plans.slice(at, at + MAX_ROWS));
  return batches;
}

/** All have the same step. */
async function changeBatch(batch: readonly Planned[], errors: Map<string, string>): Promise<void> {
  try {
    const { results } = await call('camera/bulkUpdateSharedStreams', {
      sharedLiveVideoStreamUuids: batch.map(({ share }) => share.uuid),
      ...actionOf(batch[0]!.step!),
    });
    for (const { uuid, errorMsg } of results) if (errorMsg !== undefined) errors.set(uuid, errorMsg);
  } catch (thrown) {
    for (const { share } of batch) errors.set(share.uuid, messageOf(thrown));
  }
}

function actionOf(
  step: BulkStep,
): Omit<Request<'camera/bulkUpdateSharedStreams'>, 'sharedLiveVideoStreamUuids'> {
  if (step.kind === 'delete') return { action: 'DELETE' };
  return step.endSec === null
    ? { action: 'REMOVE_EXPIRATION' }
    : { action: 'SET_EXPIRATION', expirationTimeSecs: step.endSec };
}

async function changeOne({ share, step }: Planned, errors: Map<string, string>): Promise<void> {
  try {
    if (step!.kind === 'delete') await deleteShare(share);
    else await updateShare(share, { expirationTimeSecs: step!.endSec });
  } catch (thrown) {
    errors.set(share.uuid, messageOf(thrown));
  }
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof CallError)) throw thrown;
  return thrown.message;
}

async function fewAtOnce(works: readonly (() => Promise<void>)[]): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < works.length) await works[next++]!();
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}
