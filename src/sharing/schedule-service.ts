/** Creating, changing and removing schedules: the rules behind the API's schedule calls. */

import { Temporal } from 'temporal-polyfill';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { MAX_TIME_SEC } from '../core/max-time.ts';
import { inOrderOfNames } from '../core/name-order.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { laterThan, type ScheduleHours } from '../store/access-end.ts';
import { waitingBrieflyIf } from '../store/brief-waits.ts';
import type {
  AbsoluteSchedule,
  AbsoluteSecondsInterval,
  LocalDateTimeInterval,
  RealtimeRelativeSchedule,
  RelativeDateTimeSchedule,
  Schedule,
  Share,
  WeeklyMinuteInterval,
  WeeklySchedule,
} from '../store/entities.ts';
import type { Room } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import type { AccessRules } from './access-rules.ts';
import { endWithoutStore } from './end-without-store.ts';
import { SHARING_ERRORS } from './errors.ts';
import { lastChange } from './schedule-spans.ts';
import { MINUTES_PER_WEEK, type ScheduleState, scheduleStateAt } from './schedule-state.ts';

export interface NewScheduleRequest<Interval> {
  readonly name: string;
  readonly intervals: readonly Interval[];
  readonly oneTimeUse: boolean;
}

/** Absent: stays as it is. */
export interface ScheduleChangeRequest<Interval> {
  readonly name?: string;
  readonly intervals?: readonly Interval[];
}

export interface SchedulesByKind {
  readonly weekly: readonly WeeklySchedule[];
  readonly absolute: readonly AbsoluteSchedule[];
  readonly realtimeRelative: readonly RealtimeRelativeSchedule[];
  readonly relativeDateTime: readonly RelativeDateTimeSchedule[];
}

export interface ScheduleServiceOptions {
  readonly store: Pick<Store, 'schedules'>;
  readonly rules: AccessRules;
  readonly clock: Clock;
}

export interface NewRealtimeRelativeRequest {
  readonly name: string;
  readonly pastSeconds: number;
  readonly oneTimeUse: boolean;
}

/** The state of a schedule at one instant, with its history. */
export interface ScheduleStateAt extends ScheduleState {
  readonly atEpochMs: number;
  /** First instant from which on it was in this state; null: longer than `lastChange` looks back. */
  readonly sinceEpochMs: number | null;
}

/** A hundred years. */
const MAX_PAST_SECONDS = 3_155_760_000;

export const MAX_SCHEDULE_NAME_CHARS = 256;
export const MAX_SCHEDULE_INTERVALS = 1_000;

/** Limit on the shares named in a refusal. */
const MAX_NAMED_SHARES = 10;

type Strategy = Schedule['strategy'];

/** A part of a schedule. */
export interface SchedulePlace {
  /** Absent: of any. */
  readonly of?: Strategy;
  readonly part: 'name' | 'intervals' | 'start' | 'stop' | 'past';
  /** The interval whose start or stop it is. */
  readonly index?: number;
}

/** The error in a schedule: the context of SCHEDULE_INVALID. */
export interface ScheduleFault extends SchedulePlace {
  /** `not-in-range`: no whole number from 0 to `limit`. */
  readonly rule:
    | 'blank'
    | 'too-long'
    | 'too-many'
    | 'not-in-range'
    | 'not-after-start'
    | 'no-local-date-time';
  /** The maximum number of characters or intervals, or the largest number. */
  readonly limit?: number;
}

type OfStrategy<S extends Strategy> = Extract<Schedule, { strategy: S }>;

const ROOM: Room = {
  atMost: LIMITS.schedules.perOrganization,
  full: () => new GatewayError(SHARING_ERRORS.TOO_MANY_SCHEDULES, { limit: 'schedules' }),
};

export class ScheduleService {
  readonly #options: ScheduleServiceOptions;
  /** Rules learn about a schedule's changes in the order in which they were stored. */
  readonly #turns = new KeyedLock();

  constructor(options: ScheduleServiceOptions) {
    this.#options = options;
  }

  /** Minutes 0 to 10080; stop at or below start wraps around the week. Fails with SCHEDULE_INVALID. */
  async createWeekly(
    orgUuid: Ruuid,
    request: NewScheduleRequest<WeeklyMinuteInterval>,
  ): Promise<WeeklySchedule> {
    const intervals = weeklyIntervals(request.intervals);
    return this.#keep({ ...this.#base(orgUuid, request), strategy: 'WEEKLY_REPEATING_MINUTES', intervals });
  }

  /** Epoch seconds, stop above start. Fails with SCHEDULE_INVALID. */
  async createAbsolute(
    orgUuid: Ruuid,
    request: NewScheduleRequest<AbsoluteSecondsInterval>,
  ): Promise<AbsoluteSchedule> {
    const intervals = absoluteIntervals(request.intervals);
    return this.#keep({ ...this.#base(orgUuid, request), strategy: 'ABSOLUTE_SECONDS', intervals });
  }

  /** The last `pastSeconds`. Relative schedules cannot be changed. Fails with SCHEDULE_INVALID. */
  async createRealtimeRelative(
    orgUuid: Ruuid,
    request: NewRealtimeRelativeRequest,
  ): Promise<RealtimeRelativeSchedule> {
    const { pastSeconds } = request;
    checkNumber(pastSeconds, MAX_PAST_SECONDS, { of: 'REALTIME_RELATIVE_SECONDS', part: 'past' });
    const base = { ...this.#base(orgUuid, request), mutable: false };
    return this.#keep({ ...base, strategy: 'REALTIME_RELATIVE_SECONDS', pastSeconds });
  }

  /** Local date-times, stop after start. Relative schedules cannot be changed. Fails with SCHEDULE_INVALID. */
  async createRelativeDateTime(
    orgUuid: Ruuid,
    request: NewScheduleRequest<LocalDateTimeInterval>,
  ): Promise<RelativeDateTimeSchedule> {
    const intervals = localDateTimeIntervals(request.intervals);
    const base = { ...this.#base(orgUuid, request), mutable: false };
    return this.#keep({ ...base, strategy: 'RELATIVE_DATETIME_INTERVALS', intervals });
  }

  /** Fails with SCHEDULE_NOT_FOUND, SCHEDULE_NOT_MUTABLE or SCHEDULE_INVALID. */
  async updateWeekly(
    orgUuid: Ruuid,
    uuid: Ruuid,
    changes: ScheduleChangeRequest<WeeklyMinuteInterval>,
  ): Promise<WeeklySchedule> {
    const strategy = 'WEEKLY_REPEATING_MINUTES';
    const { name, intervals } = changes;
    const hours =
      intervals === undefined ? null : ({ strategy, intervals: weeklyIntervals(intervals) } as const);
    return this.#changeHours(orgUuid, uuid, strategy, name, hours);
  }

  /** Fails with SCHEDULE_NOT_FOUND, SCHEDULE_NOT_MUTABLE or SCHEDULE_INVALID. */
  async updateAbsolute(
    orgUuid: Ruuid,
    uuid: Ruuid,
    changes: ScheduleChangeRequest<AbsoluteSecondsInterval>,
  ): Promise<AbsoluteSchedule> {
    const strategy = 'ABSOLUTE_SECONDS';
    const { name, intervals } = changes;
    const hours =
      intervals === undefined ? null : ({ strategy, intervals: absoluteIntervals(intervals) } as const);
    return this.#changeHours(orgUuid, uuid, strategy, name, hours);
  }

  /** Fails with SCHEDULE_NOT_FOUND, also for an absolute one. */
  findWeekly(orgUuid: Ruuid, uuid: Ruuid): Promise<WeeklySchedule> {
    return this.#find(orgUuid, uuid, 'WEEKLY_REPEATING_MINUTES');
  }

  /** Fails with SCHEDULE_NOT_FOUND, also for a weekly one. */
  findAbsolute(orgUuid: Ruuid, uuid: Ruuid): Promise<AbsoluteSchedule> {
    return this.#find(orgUuid, uuid, 'ABSOLUTE_SECONDS');
  }

  /** Fails with SCHEDULE_NOT_FOUND, also for one of another kind. */
  findRealtimeRelative(orgUuid: Ruuid, uuid: Ruuid): Promise<RealtimeRelativeSchedule> {
    return this.#find(orgUuid, uuid, 'REALTIME_RELATIVE_SECONDS');
  }

  /** Fails with SCHEDULE_NOT_FOUND, also for one of another kind. */
  findRelativeDateTime(orgUuid: Ruuid, uuid: Ruuid): Promise<RelativeDateTimeSchedule> {
    return this.#find(orgUuid, uuid, 'RELATIVE_DATETIME_INTERVALS');
  }

  /** A schedule of any kind. Fails SCHEDULE_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<Schedule> {
    const schedule = await this.#options.store.schedules.find(orgUuid, uuid);
    if (schedule === null) throw notFound(uuid);
    return schedule;
  }

  /**
   * Whether a schedule of any kind is on at `atMs` (default: now), since when, and until when. `timeZone`: IANA name. Fails
   * SCHEDULE_NOT_FOUND, SCHEDULE_TIME_ZONE_UNKNOWN.
   */
  async stateAt(orgUuid: Ruuid, uuid: Ruuid, timeZone: string, atMs?: number): Promise<ScheduleStateAt> {
    const schedule = await this.find(orgUuid, uuid);
    const atEpochMs = atMs ?? this.#options.clock.epochMs();
    const state = isTimeZone(timeZone) ? scheduleStateAt(schedule, timeZone, atEpochMs) : null;
    if (state === null) throw new GatewayError(SHARING_ERRORS.SCHEDULE_TIME_ZONE_UNKNOWN, { timeZone });
    const sinceEpochMs = lastChange((epochMs) => scheduleStateAt(schedule, timeZone, epochMs), atEpochMs);
    return { ...state, atEpochMs, sinceEpochMs };
  }

  list(orgUuid: Ruuid): Promise<Schedule[]> {
    return this.#options.store.schedules.list(orgUuid);
  }

  /** By kind, each sorted by name. */
  async listByKind(orgUuid: Ruuid): Promise<SchedulesByKind> {
    const byName = await inOrderOfNames(await this.list(orgUuid));
    return {
      weekly: byName.filter((schedule) => schedule.strategy === 'WEEKLY_REPEATING_MINUTES'),
      absolute: byName.filter((schedule) => schedule.strategy === 'ABSOLUTE_SECONDS'),
      realtimeRelative: byName.filter((schedule) => schedule.strategy === 'REALTIME_RELATIVE_SECONDS'),
      relativeDateTime: byName.filter((schedule) => schedule.strategy === 'RELATIVE_DATETIME_INTERVALS'),
    };
  }

  /** Fails with SCHEDULE_NOT_FOUND, or with SCHEDULE_IN_USE, whose sentence names the shares. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#turns.run(uuid, async () => {
      const { removed, usedBy } = await this.#options.store.schedules.removeUnused(orgUuid, uuid);
      if (removed) await this.#options.rules.applied({ kind: 'schedule', uuid, record: null });
      else if (usedBy.length > 0) throw inUse(uuid, usedBy);
      else throw notFound(uuid);
    });
  }

  #base(orgUuid: Ruuid, { name, oneTimeUse }: { name: string; oneTimeUse: boolean }) {
    const createdAtMs = this.#options.clock.epochMs();
    return {
      uuid: newRuuid(),
      orgUuid,
      name: scheduleName(name),
      mutable: true,
      oneTimeUse,
      createdAtMs,
      updatedAtMs: createdAtMs,
    };
  }

  #renamed(name: string | undefined): { name?: string; updatedAtMs: number } {
    const updatedAtMs = this.#options.clock.epochMs();
    return name === undefined ? { updatedAtMs } : { name: scheduleName(name), updatedAtMs };
  }

  #changeHours<S extends ScheduleHours['strategy']>(
    orgUuid: Ruuid,
    uuid: Ruuid,
    strategy: S,
    name: string | undefined,
    /** Null: they stay. */
    hours: Extract<ScheduleHours, { strategy: S }> | null,
  ): Promise<OfStrategy<S>> {
    const change = (schedule: OfStrategy<S>) => ({ ...schedule, ...this.#renamed(name), ...hours });
    return this.#change(orgUuid, uuid, strategy, change, name === undefined ? hours : null);
  }

  async #change<S extends Strategy>(
    orgUuid: Ruuid,
    uuid: Ruuid,
    strategy: S,
    change: (schedule: OfStrategy<S>) => OfStrategy<S>,
    /** Null: they stay, or other things change, too. */
    hours: ScheduleHours | null,
  ): Promise<OfStrategy<S>> {
    const { store, rules } = this.#options;
    const decide = (known: Schedule | null): OfStrategy<S> => {
      const schedule = ofStrategy(known, uuid, strategy);
      if (!schedule.mutable) throw new GatewayError(SHARING_ERRORS.SCHEDULE_NOT_MUTABLE, { schedule: uuid });
      const changed = change(schedule);
      return { ...changed, updatedAtMs: laterThan(schedule, changed.updatedAtMs) };
    };
    return this.#turns.run(uuid, async () => {
      const storeChange = async () => {
        await rules.storeEnds(uuid);
        // The change may hide shown video.
        return store.schedules.change(orgUuid, uuid, decide, 'vital');
      };
      try {
        const { after } = await waitingBrieflyIf(hours !== null, storeChange);
        const changed = ofStrategy(after, uuid, strategy);
        await rules.applied({ kind: 'schedule', uuid, record: changed });
        return changed;
      } catch (thrown) {
        // Hours in which nothing more is shown do not wait for the store.
        if (hours === null) throw thrown;
        const request = { kind: 'hours', uuid, hours } as const;
        return ofStrategy(await endWithoutStore<Schedule>(rules, orgUuid, request, thrown), uuid, strategy);
      }
    });
  }

  async #find<S extends Strategy>(orgUuid: Ruuid, uuid: Ruuid, strategy: S): Promise<OfStrategy<S>> {
    return ofStrategy(await this.#options.store.schedules.find(orgUuid, uuid), uuid, strategy);
  }

  async #keep<S extends Schedule>(schedule: S): Promise<S> {
    await this.#options.store.schedules.add(schedule, ROOM);
    await this.#options.rules.applied({ kind: 'schedule', uuid: schedule.uuid, record: schedule });
    return schedule;
  }
}

/** Fails with SCHEDULE_NOT_FOUND for one of another kind. */
function ofStrategy<S extends Strategy>(schedule: Schedule | null, uuid: Ruuid, strategy: S): OfStrategy<S> {
  if (schedule?.strategy !== strategy) throw notFound(uuid);
  return schedule as OfStrategy<S>;
}

function scheduleName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalid({ part: 'name', rule: 'blank' });
  if (trimmed.length > MAX_SCHEDULE_NAME_CHARS) {
    throw invalid({ part: 'name', rule: 'too-long', limit: MAX_SCHEDULE_NAME_CHARS });
  }
  return trimmed;
}

function weeklyIntervals(intervals: readonly WeeklyMinuteInterval[]): WeeklyMinuteInterval[] {
  const of = 'WEEKLY_REPEATING_MINUTES';
  checkCount(intervals, of);
  return intervals.map(({ minuteOfWeekStart, minuteOfWeekStop }, index) => {
    checkNumber(minuteOfWeekStart, MINUTES_PER_WEEK, { of, part: 'start', index });
    checkNumber(minuteOfWeekStop, MINUTES_PER_WEEK, { of, part: 'stop', index });
    return { minuteOfWeekStart, minuteOfWeekStop };
  });
}

function absoluteIntervals(intervals: readonly AbsoluteSecondsInterval[]): AbsoluteSecondsInterval[] {
  const of = 'ABSOLUTE_SECONDS';
  checkCount(intervals, of);
  return intervals.map(({ startSec, stopSec }, index) => {
    checkNumber(startSec, MAX_TIME_SEC, { of, part: 'start', index });
    checkNumber(stopSec, MAX_TIME_SEC, { of, part: 'stop', index });
    if (stopSec <= startSec) throw invalid({ of, part: 'stop', index, rule: 'not-after-start' });
    return { startSec, stopSec };
  });
}

function localDateTimeIntervals(intervals: readonly LocalDateTimeInterval[]): LocalDateTimeInterval[] {
  const of = 'RELATIVE_DATETIME_INTERVALS';
  checkCount(intervals, of);
  return intervals.map(({ localStart, localStop }, index) => {
    const start = localDateTime(localStart, { of, part: 'start', index });
    const stop = localDateTime(localStop, { of, part: 'stop', index });
    if (Temporal.PlainDateTime.compare(start, stop) >= 0) {
      throw invalid({ of, part: 'stop', index, rule: 'not-after-start' });
    }
    return { localStart: start.toString(), localStop: stop.toString() };
  });
}

function localDateTime(text: string, place: SchedulePlace): Temporal.PlainDateTime {
  const isFormed = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(text);
  try {
    if (isFormed) return Temporal.PlainDateTime.from(text, { overflow: 'reject' });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw invalid({ ...place, rule: 'no-local-date-time' });
}

function checkCount(intervals: readonly unknown[], of: Strategy): void {
  if (intervals.length > MAX_SCHEDULE_INTERVALS) {
    throw invalid({ of, part: 'intervals', rule: 'too-many', limit: MAX_SCHEDULE_INTERVALS });
  }
}

function checkNumber(value: number, limit: number, place: SchedulePlace): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > limit) {
    throw invalid({ ...place, rule: 'not-in-range', limit });
  }
}

function invalid(fault: ScheduleFault): GatewayError {
  return new GatewayError(SHARING_ERRORS.SCHEDULE_INVALID, { ...fault });
}

function notFound(uuid: Ruuid): GatewayError {
  return new GatewayError(SHARING_ERRORS.SCHEDULE_NOT_FOUND, { schedule: uuid });
}

function inUse(uuid: Ruuid, usedBy: readonly Share[]): GatewayError {
  const named = usedBy.slice(0, MAX_NAMED_SHARES).map(({ name, uuid: share }) => `${name} (${share})`);
  const rest = usedBy.length > named.length ? ` and ${usedBy.length - named.length} more` : '';
  const sentence = `The schedule is used by ${usedBy.length} shared live stream${usedBy.length === 1 ? '' : 's'}: ${named.join(', ')}${rest}.`;
  return new GatewayError(SHARING_ERRORS.SCHEDULE_IN_USE, { schedule: uuid, sentence });
}
