/**
 * What viewers of a share see now. Only to be shown: the gateway decides (docs/design/access.md), from the same terms.
 * Pure.
 */

import { type ScheduleItem, type ScheduleNow, scheduleNow } from './schedule-now.ts';

export interface ShareItem {
  readonly uuid: string;
  readonly kind: 'camera' | 'wall';
  readonly name: string;
  /** The camera or the wall. */
  readonly targetUuid: string;
  readonly targetName: string;
  readonly pageUrl: string;
  /** Null: a wall has none. */
  readonly m3u8Url: string | null;
  readonly createdAtMs: number;
  /** Null: it never ends. */
  readonly expiresAtMs: number | null;
  readonly hasPassword: boolean;
  readonly scheduleUuid: string | null;
  readonly invertSchedule: boolean;
  readonly hasPast: boolean;
  /** What decides when each camera is shown: one for a camera's share, one for each camera of a wall. */
  readonly parts: readonly SharePart[];
}

export interface SharePart {
  readonly cameraUuid: string;
  readonly scheduleUuid: string | null;
  readonly invertSchedule: boolean;
}

/**
 * What someone who has the link and its password sees. `untilMs`: when that changes; null: never, or not before the
 * share ends.
 */
export type SeenState =
  | { readonly kind: 'visible'; readonly untilMs: number | null; readonly why: 'schedule' | 'end' | null }
  /** Some cameras of a wall. */
  | { readonly kind: 'partly'; readonly shown: number; readonly of: number; readonly untilMs: number | null }
  | { readonly kind: 'hidden'; readonly untilMs: number | null }
  | { readonly kind: 'expired'; readonly sinceMs: number };

export type SeenKind = SeenState['kind'];

/** What decides about it. */
export interface SeenWorld {
  readonly shares: readonly ShareItem[];
  readonly schedules: ReadonlyMap<string, ScheduleItem>;
  /** The zone in which the schedules of a camera count. */
  readonly zoneOf: (cameraUuid: string) => string;
}

/** The state of each share now. A schedule is looked at once for all shares in a zone. */
export function seenStates(
  { shares, schedules, zoneOf }: SeenWorld,
  nowMs: number,
): ReadonlyMap<string, SeenState> {
  const known = new Map<string, ScheduleNow | null>();
  const stateOf = (scheduleUuid: string, zone: string): ScheduleNow | null => {
    const key = `${scheduleUuid} ${zone}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const schedule = schedules.get(scheduleUuid);
    const state = schedule === undefined ? null : scheduleNow(schedule, zone, nowMs);
    known.set(key, state);
    return state;
  };
  return new Map(
    shares.map((share) => [
      share.uuid,
      seenState(share, nowMs, (part) => partNow(part, (uuid) => stateOf(uuid, zoneOf(part.cameraUuid)))),
    ]),
  );
}

/** Whether a camera is shown; without a schedule it always is, with one that is missing it never is. */
function partNow(part: SharePart, stateOf: (scheduleUuid: string) => ScheduleNow | null): ScheduleNow {
  if (part.scheduleUuid === null) return { isOn: true, changesAtMs: null };
  const state = stateOf(part.scheduleUuid);
  if (state === null) return { isOn: false, changesAtMs: null };
  return { ...state, isOn: state.isOn !== part.invertSchedule };
}

function seenState(
  { expiresAtMs, parts }: ShareItem,
  nowMs: number,
  nowOf: (part: SharePart) => ScheduleNow,
): SeenState {
  const endMs = expiresAtMs ?? Number.POSITIVE_INFINITY;
  if (nowMs >= endMs) return { kind: 'expired', sinceMs: endMs };
  const states = parts.map(nowOf);
  const shown = states.filter(({ isOn }) => isOn).length;
  const changeMs = Math.min(...states.map(({ changesAtMs }) => changesAtMs ?? Number.POSITIVE_INFINITY));
  const untilMs = changeMs < endMs ? changeMs : null;
  if (shown === 0 && parts.length > 0) return { kind: 'hidden', untilMs };
  if (shown < parts.length) return { kind: 'partly', shown, of: parts.length, untilMs };
  if (untilMs !== null) return { kind: 'visible', untilMs, why: 'schedule' };
  return expiresAtMs === null
    ? { kind: 'visible', untilMs: null, why: null }
    : { kind: 'visible', untilMs: expiresAtMs, why: 'end' };
}
