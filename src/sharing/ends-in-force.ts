/** Ends that the store does not have yet, by the record that they change: the directory's rows with their ends applied. */

import type { Ruuid } from '../core/ruuid.ts';
import {
  type AccessEnd,
  type HoursEnd,
  inOrderOfEnds,
  type RulesEnd,
  type WallEnd,
} from '../store/access-end.ts';
import type { Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { Emergency } from './emergency-link.ts';
import { withHours, withoutCameras, withRules } from './end-merge.ts';
import type { SharedGroup, SharedGroupBody } from './shared-group.ts';

/** A row as it was read, and as it is in force. */
interface Merged {
  readonly row: object | undefined;
  readonly inForce: object | undefined;
}

export class EndsInForce {
  /** By record, in the order in which they count. */
  readonly #ends = new Map<Ruuid, readonly AccessEnd[]>();
  /** So that a row that stays as it is stays the same object. */
  readonly #merged = new Map<Ruuid, Merged>();

  put(end: AccessEnd): void {
    const others = (this.#ends.get(end.uuid) ?? []).filter(({ endUuid }) => endUuid !== end.endUuid);
    this.#ends.set(end.uuid, [...others, end].sort(inOrderOfEnds));
    this.#merged.delete(end.uuid);
  }

  remove({ uuid, endUuid }: Pick<AccessEnd, 'uuid' | 'endUuid'>): void {
    const left = (this.#ends.get(uuid) ?? []).filter((end) => end.endUuid !== endUuid);
    if (left.length === 0) this.#ends.delete(uuid);
    else this.#ends.set(uuid, left);
    this.#merged.delete(uuid);
  }

  of(uuid: Ruuid): readonly AccessEnd[] {
    return this.#ends.get(uuid) ?? [];
  }

  share(row: Share | undefined): Share | undefined {
    return this.#inForce(row, (share, ends) => ends.filter(isRules).reduce(withRules, share));
  }

  wallShare(row: WallShare | undefined): WallShare | undefined {
    return this.#inForce(row, (share, ends) => ends.filter(isRules).reduce(withRules, share));
  }

  group(row: SharedGroup | undefined): SharedGroup | undefined {
    return this.#inForce(row, (group, ends) => ends.filter(isRules).reduce(groupWithRules, group));
  }

  emergency(row: Emergency | undefined): Emergency | undefined {
    return this.#inForce(row, (emergency) => emergency);
  }

  schedule(row: Schedule | undefined): Schedule | undefined {
    return this.#inForce(row, (schedule, ends) => ends.filter(isHours).reduce(withHours, schedule));
  }

  wall(row: VideoWall | undefined): VideoWall | undefined {
    return this.#inForce(row, (wall, ends) => ends.filter(isWall).reduce(withoutCameras, wall));
  }

  #inForce<Row extends { readonly uuid: Ruuid }>(
    row: Row | undefined,
    merge: (row: Row, ends: readonly AccessEnd[]) => Row,
  ): Row | undefined {
    if (row === undefined) return undefined;
    const ends = this.#ends.get(row.uuid);
    if (ends === undefined) return row;
    if (ends.some(({ kind }) => kind === 'link')) return undefined;
    const known = this.#merged.get(row.uuid);
    if (known?.row === row) return known.inForce as Row | undefined;
    const inForce = merge(row, ends);
    this.#merged.set(row.uuid, { row, inForce });
    return inForce;
  }
}

/** The same object if the end changes nothing. */
export function groupWithRules(group: SharedGroup, end: RulesEnd): SharedGroup {
  const { updatedAtMs, body } = group;
  const row = { ...body, updatedAtMs };
  const ruled = withRules(row, end);
  if (ruled === row) return group;
  const { updatedAtMs: changedAtMs, ...changed } = ruled;
  return { ...group, body: changed satisfies SharedGroupBody, updatedAtMs: changedAtMs };
}

function isRules(end: AccessEnd): end is RulesEnd {
  return end.kind === 'rules';
}

function isHours(end: AccessEnd): end is HoursEnd {
  return end.kind === 'hours';
}

function isWall(end: AccessEnd): end is WallEnd {
  return end.kind === 'wall';
}
