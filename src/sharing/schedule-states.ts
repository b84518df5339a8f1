/** The states of schedules, for code that checks many shares with few schedules at few instants. */

import type { Schedule } from '../store/entities.ts';
import { type ScheduleState, scheduleStateAt } from './schedule-state.ts';

interface KnownState {
  readonly state: ScheduleState | null;
  readonly fromEpochMs: number;
  /** Exclusive. */
  readonly untilEpochMs: number;
}

/** Per schedule and time zone: the state now, the one after the next change, and a few for other callers. */
const MAX_KNOWN_STATES = 8;
/** Per schedule. There are a few hundred in the world. */
const MAX_ZONES = 32;

export class ScheduleStates {
  /** A change of a schedule makes a new object. */
  readonly #known = new WeakMap<Schedule, Map<string, KnownState[]>>();

  /** As `scheduleStateAt`. */
  at(schedule: Schedule, timeZone: string, epochMs: number): ScheduleState | null {
    const zones = this.#known.get(schedule) ?? new Map<string, KnownState[]>();
    if (zones.size === 0) this.#known.set(schedule, zones);
    let states = zones.get(timeZone);
    if (states === undefined) {
      if (zones.size >= MAX_ZONES) zones.clear();
      states = [];
      zones.set(timeZone, states);
    }
    const found = states.find((one) => epochMs >= one.fromEpochMs && epochMs < one.untilEpochMs);
    if (found !== undefined) return found.state;
    const state = scheduleStateAt(schedule, timeZone, epochMs);
    if (states.length >= MAX_KNOWN_STATES) states.shift();
    const untilEpochMs = state?.changesAtEpochMs ?? Number.POSITIVE_INFINITY;
    states.push({ state, fromEpochMs: epochMs, untilEpochMs });
    return state;
  }
}
