/**
 * What a link shows at any instant, and when that changes next. It makes the access decision for a viewer with the link and its password
 * (access-decision.ts), so there is only one set of rules. Pure.
 */

import { Temporal } from 'temporal-polyfill';
import { isTimeZone } from '../core/time-zone.ts';
import { DEFAULT_TIME_ZONE } from '../store/camera-time-zone.ts';
import type { Schedule } from '../store/entities.ts';
import { decideAccess, type RefusalReason, type ShareTerms } from './access-decision.ts';
import type { ScheduleState } from './schedule-state.ts';

export interface Visibility {
  readonly isVisible: boolean;
  /** null: visible. */
  readonly reason: RefusalReason | null;
  /** Ends a sentence such as `Visible at 2026-12-01 09:00 because …`. */
  because(): string;
}

/** A change, and the state from then on. */
export interface VisibilityChange extends Visibility {
  readonly atEpochMs: number;
}

/** What a link shows at any instant. */
export interface Shown {
  at(epochMs: number): Visibility;
  /** First instant after this one at which time alone may change that; Infinity: never. */
  mayChangeAfter(epochMs: number): number;
}

/** A share, or one camera of a shared wall, with what decides about it. */
export interface ShownShare {
  readonly terms: ShareTerms;
  /** null: the share names none, or it does not exist. */
  readonly schedule: Pick<Schedule, 'name'> | null;
  /** As `scheduleStateAt`, in `timeZone`. */
  readonly stateAt: (epochMs: number) => ScheduleState | null;
  readonly timeZone: string;
  /** Its camera no longer exists. */
  readonly isCameraRemoved: boolean;
}

/** Changes that change nothing that is looked at before giving up: a zone's offset changes, an expired share's schedule. */
const MAX_IDLE_CHANGES = 100;

export function shownShare(share: ShownShare): Shown {
  const { terms, stateAt } = share;
  const expiresAtMs = terms.expiresAtSec === null ? Number.POSITIVE_INFINITY : terms.expiresAtSec * 1_000;
  return {
    at(epochMs) {
      const state = stateAt(epochMs);
      const refusal = refusalOf(terms, state, epochMs);
      const reason = refusal ?? (share.isCameraRemoved ? 'device-removed' : null);
      return { isVisible: reason === null, reason, because: () => becauseOf(share, reason) };
    },
    mayChangeAfter(epochMs) {
      if (epochMs >= expiresAtMs) return Number.POSITIVE_INFINITY;
      const changesAtMs = stateAt(epochMs)?.changesAtEpochMs ?? Number.POSITIVE_INFINITY;
      return Math.min(expiresAtMs, changesAtMs);
    },
  };
}

/** A shared wall is hidden if its own time is over, or if all of its cameras are hidden (wall-gate.ts). */
export function shownWall(terms: ShareTerms, timeZone: string, cameras: readonly Shown[]): Shown {
  const own = shownShare({
    terms,
    timeZone,
    schedule: null,
    stateAt: () => null,
    isCameraRemoved: false,
  });
  return {
    at(epochMs) {
      const ofWall = own.at(epochMs);
      if (!ofWall.isVisible) return ofWall;
      const visible = cameras.filter((camera) => camera.at(epochMs).isVisible).length;
      const isHidden = visible === 0 && cameras.length > 0;
      return {
        isVisible: !isHidden,
        reason: isHidden ? 'hidden-by-schedule' : null,
        because: () =>
          isHidden
            ? 'a schedule hides each of its cameras'
            : `${visible} of ${cameras.length} cameras ${visible === 1 ? 'is' : 'are'} shown`,
      };
    },
    mayChangeAfter: (epochMs) =>
      Math.min(own.mayChangeAfter(epochMs), ...cameras.map((camera) => camera.mayChangeAfter(epochMs))),
  };
}

/** The first change after `epochMs`; null: time alone changes nothing. */
export function nextChange(shown: Shown, epochMs: number): VisibilityChange | null {
  const now = shown.at(epochMs);
  let atEpochMs = epochMs;
  for (let i = 0; i < MAX_IDLE_CHANGES; i++) {
    atEpochMs = shown.mayChangeAfter(atEpochMs);
    if (!Number.isFinite(atEpochMs)) return null;
    const then = shown.at(atEpochMs);
    if (then.reason !== now.reason) return { ...then, atEpochMs };
  }
  return null;
}

/** `Visible at 2026-12-01 09:00 because the schedule ‘Office hours’ is active.`, in the zone's local time. */
export function visibilitySentence(visibility: Visibility, epochMs: number, timeZone: string): string {
  const state = visibility.isVisible ? 'Visible' : 'Not visible';
  return `${state} at ${localMinute(epochMs, timeZone)} because ${visibility.because()}.`;
}

/** `2026-12-01 09:00`; in UTC if the zone is unknown. */
export function localMinute(epochMs: number, timeZone: string): string {
  const zone = isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_ZONE;
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).toPlainDateTime();
  return local.toString({ smallestUnit: 'minute' }).replace('T', ' ');
}

function refusalOf(terms: ShareTerms, state: ScheduleState | null, nowEpochMs: number): RefusalReason | null {
  const decision = decideAccess({
    credential: { kind: 'link', isPasswordProven: true, isSignInProven: true },
    share: terms,
    schedule: state,
    ended: null,
    admittedTo: null,
    nowEpochMs,
    otherViewers: 0,
    maxViewers: null,
  });
  return decision.allowed ? null : decision.reason;
}

function becauseOf({ terms, schedule, timeZone, stateAt }: ShownShare, reason: RefusalReason | null): string {
  const { expiresAtSec, scheduleUuid, invertSchedule } = terms;
  switch (reason) {
    case 'expired':
      return `the share expired at ${localMinute((expiresAtSec ?? 0) * 1_000, timeZone)}`;
    case 'device-removed':
      return 'its camera was removed';
    case null:
    case 'hidden-by-schedule': {
      if (scheduleUuid === null) return 'the share has no schedule';
      if (schedule === null) return 'its schedule does not exist';
      if (stateAt(0) === null) return `the time zone ${timeZone} of its location is unknown`;
      const isActive = (reason === null) !== invertSchedule;
      const which = `the schedule ‘${schedule.name}’`;
      return `${which}${invertSchedule ? ', which hides it,' : ''} is ${isActive ? 'active' : 'not active'}`;
    }
    default:
      return `the access decision is ${reason}`;
  }
}
