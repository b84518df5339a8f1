/**
 * A record as it is with an end that is not stored yet. Pure. The result is the same while the end is in force in memory and when it is
 * stored, where `record` is the stored one. If two changes set one field, the later one counts, at any node. Other fields stay.
 */

import { createHash } from 'node:crypto';
import type {
  HoursEnd,
  LinkRules,
  RulesEnd,
  ScheduleHours,
  ShownTimes,
  WallEnd,
} from '../store/access-end.ts';
import type { Schedule, VideoWall } from '../store/entities.ts';

/** A link's fields that ends change. */
export interface RuledRecord extends Required<Pick<LinkRules, 'passwordHash' | 'expiresAtSec'>> {
  readonly ssoProtected?: boolean;
  readonly scheduleUuid?: ShownTimes['scheduleUuid'];
  readonly invertSchedule?: boolean;
  readonly vodEnabled?: boolean;
  readonly vodPastSec?: number | null;
  readonly vodExpiresAtSec?: number | null;
  readonly accessEpoch: number;
  readonly updatedAtMs: number;
}

/** The same object if the end changes nothing. */
export function withRules<Row extends RuledRecord>(row: Row, end: RulesEnd): Row {
  const { base, atMs } = end;
  const isNewer = row.updatedAtMs > atMs;
  const changed: { -readonly [Field in keyof RuledRecord]?: RuledRecord[Field] } = {};
  // Each change of the password raises the epoch, so the epoch says whether someone else has changed it.
  const isChangedSince = row.accessEpoch !== base.accessEpoch;
  if (end.passwordHash !== undefined && end.passwordHash !== row.passwordHash) {
    if (!isChangedSince || !isNewer) {
      changed.passwordHash = end.passwordHash;
      changed.accessEpoch = Math.max(row.accessEpoch + 1, end.accessEpoch);
    } else if (row.accessEpoch <= end.accessEpoch) {
      // Someone may have opened the link with the password that does not count, and has a grant of that epoch.
      changed.accessEpoch = end.accessEpoch + 1;
    }
  }
  if (end.ssoProtected === true && row.ssoProtected === false && !(isChangedSince && isNewer)) {
    changed.ssoProtected = true;
    changed.accessEpoch ??= Math.max(row.accessEpoch + 1, end.accessEpoch);
  }
  if (end.expiresAtSec !== undefined && end.expiresAtSec !== row.expiresAtSec) {
    if (row.expiresAtSec === base.expiresAtSec || !isNewer) changed.expiresAtSec = end.expiresAtSec;
  }
  const shown = shownOf(row);
  if (end.shown !== undefined && !isSameTimes(end.shown, shown)) {
    if (isSameTimes(shown, base.shown) || !isNewer) Object.assign(changed, end.shown);
  }
  // It was on before: who turned it on again meanwhile cannot be told from no one.
  if (end.vodEnabled === false && row.vodEnabled === true) changed.vodEnabled = false;
  for (const field of ['vodPastSec', 'vodExpiresAtSec'] as const) {
    const [ended, known] = [end[field], row[field]];
    if (ended === undefined || known === undefined || ended === known) continue;
    if (known === (base[field] ?? null) || !isNewer) changed[field] = ended;
  }
  if (Object.keys(changed).length === 0) return row;
  return { ...row, ...changed, updatedAtMs: Math.max(row.updatedAtMs, atMs) };
}

/** The same object if the end changes nothing. */
export function withHours(schedule: Schedule, { hours, baseHash, atMs }: HoursEnd): Schedule {
  if (schedule.strategy !== hours.strategy) return schedule;
  const hash = hoursHash(schedule as ScheduleHours);
  if (hash === hoursHash(hours) || (hash !== baseHash && schedule.updatedAtMs > atMs)) return schedule;
  return { ...schedule, ...hours, updatedAtMs: Math.max(schedule.updatedAtMs, atMs) };
}

/** The same object if the end changes nothing. A camera that was put on the wall again later stays. */
export function withoutCameras(wall: VideoWall, { removed, atMs }: WallEnd): VideoWall {
  const cameras = wall.cameras.filter(
    ({ cameraUuid, addedAtMs }) => addedAtMs > atMs || !removed.includes(cameraUuid),
  );
  if (cameras.length === wall.cameras.length) return wall;
  return { ...wall, cameras, updatedAtMs: Math.max(wall.updatedAtMs, atMs) };
}

export function hoursHash({ strategy, intervals }: ScheduleHours): string {
  const numbers = intervals.map((interval) => Object.values(interval));
  return createHash('sha256')
    .update(JSON.stringify([strategy, numbers]))
    .digest('base64url');
}

export function shownOf({ scheduleUuid = null, invertSchedule = false }: Partial<ShownTimes>): ShownTimes {
  return { scheduleUuid, invertSchedule };
}

export function isSameTimes(one: ShownTimes, other: ShownTimes): boolean {
  return one.scheduleUuid === other.scheduleUuid && one.invertSchedule === other.invertSchedule;
}
