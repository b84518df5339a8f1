/**
 * Repositories as limited callers have them. Each method of a repository needs a rule, so a new one cannot be forgotten. Without a view
 * (acting-view.ts), every call goes through unchanged.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type ActingView, actingView, actWithin, seeingAll } from './acting-view.ts';
import { STORE_ERRORS } from './errors.ts';
import type { DecideRecord, NextRecord, RecordChange } from './record-change.ts';
import type { OrgRepository } from './store.ts';

type Method = (...given: never[]) => unknown;

/** What a limited caller's call does. It runs without a view, so it reads everything. */
type Limited<Repository, Call> = Call extends (...given: infer Given) => infer Result
  ? (view: ActingView, real: Repository, ...given: Given) => Result
  : never;

/**
 * - `open`: the same as without a view: nothing in it depends on cameras, or the gateway calls it for itself.
 * - `refused`: no limited caller needs it.
 */
export type ScopeRules<Repository> = {
  readonly [Name in keyof Repository as Repository[Name] extends Method ? Name : never]:
    | 'open'
    | 'refused'
    | Limited<Repository, Repository[Name]>;
};

/** Whether the view includes the record. */
export type Sees<Record> = (record: Record, view: ActingView) => boolean | Promise<boolean>;

export function scopedRepository<Repository extends object>(
  repository: Repository,
  rules: ScopeRules<Repository>,
): Repository {
  const ruleOf = new Map(Object.entries(rules) as [string | symbol, 'open' | 'refused' | Method][]);
  return new Proxy(repository, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const rule = ruleOf.get(name) ?? 'refused';
      return (...given: unknown[]): unknown => {
        const view = actingView();
        if (view === null || rule === 'open') return method.apply(target, given);
        if (rule === 'refused') throw new GatewayError(STORE_ERRORS.STORE_NOT_IN_VIEW);
        const limited = rule as (...all: unknown[]) => unknown;
        return seeingAll(() => limited(view, target, ...given));
      };
    },
  });
}

export async function onlySeen<Record>(
  records: readonly Record[],
  view: ActingView,
  sees: Sees<Record>,
): Promise<Record[]> {
  const seen: Record[] = [];
  for (const record of records) {
    const isSeen = sees(record, view);
    if (isSeen === true || (isSeen !== false && (await isSeen))) seen.push(record);
  }
  return seen;
}

export async function ifSeen<Record>(
  record: Record | null,
  view: ActingView,
  sees: Sees<Record>,
): Promise<Record | null> {
  return record !== null && (await sees(record, view)) ? record : null;
}

/** A record that is not seen does not exist, cannot be replaced, and cannot be written. */
export function decidingSeen<Record>(
  decide: DecideRecord<Record>,
  view: ActingView,
  sees: Sees<Record>,
): DecideRecord<Record> {
  return async (known) => {
    const shown = await ifSeen(known, view, sees);
    const next = await actWithin(view, () => decide(shown));
    if (next === 'unchanged') return next;
    if (known !== null && shown === null) throw new GatewayError(STORE_ERRORS.STORE_NOT_IN_VIEW);
    await expectSeen(next, view, sees);
    return next;
  };
}

/** Fails STORE_NOT_IN_VIEW. */
export async function expectSeen<Record>(
  next: NextRecord<Record>,
  view: ActingView,
  sees: Sees<Record>,
): Promise<void> {
  if (next === 'unchanged' || next === 'removed') return;
  if (!(await sees(next, view))) throw new GatewayError(STORE_ERRORS.STORE_NOT_IN_VIEW);
}

/** The change of a record that is not seen is none. */
export async function changeOfSeen<Record>(
  { before, after }: RecordChange<Record>,
  view: ActingView,
  sees: Sees<Record>,
  shown: (record: Record, view: ActingView) => Record = (record) => record,
): Promise<RecordChange<Record>> {
  const seenAfter = await ifSeen(after, view, sees);
  const shownAfter = seenAfter === null ? null : shown(seenAfter, view);
  // The same object twice: nothing was stored.
  if (before === after) return { before: shownAfter, after: shownAfter };
  const seenBefore = await ifSeen(before, view, sees);
  return { before: seenBefore === null ? null : shown(seenBefore, view), after: shownAfter };
}

/** The rules of a repository of records. `shown`: the record as limited callers read it; default: as it is. */
export function recordRules<Record extends { readonly uuid: Ruuid; readonly orgUuid: Ruuid }>(
  sees: Sees<Record>,
  shown: (record: Record, view: ActingView) => Record = (record) => record,
): ScopeRules<OrgRepository<Record>> {
  const shownChange = (change: RecordChange<Record>, view: ActingView) =>
    changeOfSeen(change, view, sees, shown);
  return {
    async find(view, real, orgUuid, uuid) {
      const seen = await ifSeen(await real.find(orgUuid, uuid), view, sees);
      return seen === null ? null : shown(seen, view);
    },
    async list(view, real, orgUuid) {
      const seen = await onlySeen(await real.list(orgUuid), view, sees);
      return seen.map((record) => shown(record, view));
    },
    async save(view, real, entity, importance) {
      await expectSeen(entity, view, sees);
      const known = await real.find(entity.orgUuid, entity.uuid);
      if (known !== null) await expectSeen(known, view, sees);
      await real.save(entity, importance);
    },
    async change(view, real, orgUuid, uuid, decide, importance) {
      return shownChange(
        await real.change(orgUuid, uuid, decidingSeen(decide, view, sees), importance),
        view,
      );
    },
    async changeWithRoom(view, real, orgUuid, uuid, decide, room) {
      return shownChange(
        await real.changeWithRoom(orgUuid, uuid, decidingSeen(decide, view, sees), room),
        view,
      );
    },
    async add(view, real, entity, room) {
      await expectSeen(entity, view, sees);
      return shownChange(await real.add(entity, room), view);
    },
    async remove(view, real, orgUuid, uuid) {
      const seen = await ifSeen(await real.find(orgUuid, uuid), view, sees);
      return seen !== null && real.remove(orgUuid, uuid);
    },
    // To load caches, which are for everyone.
    listEverywhere: 'open',
  };
}
