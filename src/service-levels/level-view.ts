/** The service levels as an operator reads them. Plain values: they cross to the API's thread. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type Attainment, attainmentOf } from './attainment.ts';
import { GOAL_NAMES, type Goals } from './goals.ts';
import { DELAY_BOUNDS_MS, FIRST_PICTURE_BOUNDS_MS } from './histogram.ts';
import type { LevelBooks } from './level-books.ts';
import { type LevelHistory, SLOT_MS, SLOTS } from './level-history.ts';
import type { LevelSums } from './level-sums.ts';
import { type LevelSource, REQUEST_ERRORS, type RequestError } from './measurement.ts';
import type { ProbeProcessState } from './probe-process-link.ts';
import type { ProbedShare, ProbePlan, ProbeRunRecord, ProbeSchedule } from './probe-schedule.ts';

/** The states of a share that the synthetic viewer plays. */
export const PROBE_STATES = [
  'waiting',
  'measured',
  'failing',
  'camera-offline',
  'sound-only',
  'hidden',
  'expired',
  'revoked',
  'refused',
] as const;
export type ProbeState = (typeof PROBE_STATES)[number];

export interface Figures {
  /** Runs, or reports. */
  readonly measurements: number;
  readonly firstPictures: number;
  readonly missingPictures: number;
  /** Above the last bound they read as that. */
  readonly firstPictureP50Ms: number | null;
  readonly firstPictureP95Ms: number | null;
  readonly firstPictureP99Ms: number | null;
  readonly delayP50Ms: number | null;
  readonly delayP95Ms: number | null;
  readonly delayP99Ms: number | null;
  readonly playedSec: number;
  readonly stalledSec: number;
  readonly stalls: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly errors: readonly { readonly reason: RequestError; readonly count: number }[];
}

export interface MeasuredLevels {
  readonly hour: Figures;
  readonly day: Figures;
  /** The goals of the day. */
  readonly goals: readonly Attainment[];
}

export interface ShareLevels {
  readonly shareUuid: Ruuid;
  readonly name: string;
  /** null: the share no longer exists. */
  readonly cameraUuid: Ruuid | null;
  /** null: the synthetic viewer does not play it. */
  readonly probe: {
    readonly state: ProbeState;
    readonly reason: string | null;
    readonly isRunning: boolean;
    readonly runs: readonly ProbeRunRecord[];
  } | null;
  readonly measured: Readonly<Record<LevelSource, MeasuredLevels | null>>;
}

export interface ServiceLevelState {
  readonly plan: ProbePlan;
  readonly through: 'listener' | 'public';
  readonly hasViewerReports: boolean;
  readonly goals: Goals;
  readonly process: {
    readonly state: ProbeProcessState;
    readonly starts: number;
    readonly pid: number | null;
  };
  /** The levels of all shares of the gateway. */
  readonly overall: Readonly<Record<LevelSource, MeasuredLevels>>;
  /** The levels of one organization's shares. */
  readonly shares: readonly ShareLevels[];
}

/** One value for each five minutes of a day, oldest first; NaN: nothing was measured. */
export interface LevelColumns {
  readonly slotMs: number;
  /** When each began, in epoch milliseconds. */
  readonly timesMs: readonly number[];
  readonly columns: Readonly<Record<LevelColumn, readonly number[]>>;
}

export const LEVEL_COLUMNS = [
  'firstPictureP95Ms',
  'delayP95Ms',
  'stalledPercent',
  'failedPercent',
  'measurements',
] as const;
export type LevelColumn = (typeof LEVEL_COLUMNS)[number];

/** A share as it is now. */
export interface KnownShare {
  readonly orgUuid: Ruuid;
  readonly name: string;
  readonly cameraUuid: Ruuid;
  /** The reason why the share cannot be watched now; null: it can. */
  readonly refusal: string | null;
}

const SLOTS_PER_HOUR = 3_600_000 / SLOT_MS;
const REFUSED: Readonly<Record<string, ProbeState>> = {
  'hidden-by-schedule': 'hidden',
  expired: 'expired',
  revoked: 'revoked',
};

export function sharesOf(
  orgUuid: Ruuid,
  schedule: ProbeSchedule,
  books: LevelBooks,
  find: (shareUuid: Ruuid) => KnownShare | null,
): ShareLevels[] {
  const chosen = schedule.shares().filter((share) => share.orgUuid === orgUuid);
  const known = new Set(chosen.map(({ shareUuid }) => shareUuid));
  const reported = [...books.shares('viewers')].flatMap(([shareUuid]) => {
    const share = find(shareUuid);
    return known.has(shareUuid) || share?.orgUuid !== orgUuid ? [] : [shareUuid];
  });
  const levels = (shareUuid: Ruuid, probed: ProbedShare | null): ShareLevels => {
    const share = find(shareUuid);
    return {
      shareUuid,
      name: share?.name ?? probed?.name ?? '',
      cameraUuid: share?.cameraUuid ?? null,
      probe:
        probed === null
          ? null
          : { ...stateOf(probed, share), isRunning: probed.isRunning, runs: [...probed.runs] },
      measured: {
        probe: measuredOf(books.of('probe', shareUuid), books.goals),
        viewers: measuredOf(books.of('viewers', shareUuid), books.goals),
      },
    };
  };
  return [
    ...chosen.map((probed) => levels(probed.shareUuid, probed)),
    ...reported.map((shareUuid) => levels(shareUuid, null)),
  ];
}

/** The current decision takes precedence over the result of the last run. */
export function stateOf(
  { runs }: Pick<ProbedShare, 'runs'>,
  share: KnownShare | null,
): { readonly state: ProbeState; readonly reason: string | null } {
  if (share === null) return { state: 'revoked', reason: 'revoked' };
  if (share.refusal !== null) {
    return { state: REFUSED[share.refusal] ?? 'refused', reason: share.refusal };
  }
  const [last] = runs;
  if (last === undefined) return { state: 'waiting', reason: null };
  const { outcome, reason } = last;
  switch (outcome) {
    case 'played':
      return { state: 'measured', reason: null };
    case 'failed':
      return { state: 'failing', reason };
    case 'refused':
      // The share was refused then, and no longer is.
      return reason !== null && reason in REFUSED
        ? { state: 'waiting', reason: null }
        : { state: 'refused', reason };
    default:
      return { state: outcome, reason };
  }
}

function measuredOf(history: LevelHistory | null, goals: Goals): MeasuredLevels | null {
  return history === null ? null : readLevels(history, goals);
}

export function readLevels(history: LevelHistory, goals: Goals): MeasuredLevels {
  const day = history.recent(SLOTS);
  return {
    hour: figuresOf(history.recent(SLOTS_PER_HOUR)),
    day: figuresOf(day),
    goals: GOAL_NAMES.map((goal) => attainmentOf(goal, goals, day)),
  };
}

function figuresOf(sums: LevelSums): Figures {
  return {
    measurements: sums.measurements,
    firstPictures: sums.firstPictures,
    missingPictures: sums.missingPictures,
    firstPictureP50Ms: shown(sums.firstPictureMs(50), FIRST_PICTURE_BOUNDS_MS),
    firstPictureP95Ms: shown(sums.firstPictureMs(95), FIRST_PICTURE_BOUNDS_MS),
    firstPictureP99Ms: shown(sums.firstPictureMs(99), FIRST_PICTURE_BOUNDS_MS),
    delayP50Ms: shown(sums.delayMs(50), DELAY_BOUNDS_MS),
    delayP95Ms: shown(sums.delayMs(95), DELAY_BOUNDS_MS),
    delayP99Ms: shown(sums.delayMs(99), DELAY_BOUNDS_MS),
    playedSec: sums.playedSec,
    stalledSec: sums.stalledSec,
    stalls: sums.stalls,
    requests: sums.requests,
    failedRequests: sums.failedRequests,
    errors: REQUEST_ERRORS.map((reason) => ({ reason, count: sums.errorsOf(reason) })).filter(
      ({ count }) => count > 0,
    ),
  };
}

function shown(valueMs: number | null, bounds: readonly number[]): number | null {
  return valueMs === null ? null : Math.round(Math.min(valueMs, bounds.at(-1)!));
}

export function columnsOf(history: LevelHistory | null, clock: Clock): LevelColumns {
  const newestMs = clock.epochMs() - (clock.monoMs() % SLOT_MS);
  const slots = history?.slots() ?? [];
  const column = (value: (sums: LevelSums) => number | null) =>
    slots.map((sums) => value(sums) ?? Number.NaN);
  return {
    slotMs: SLOT_MS,
    timesMs: slots.map((_sums, index) => Math.round(newestMs - (slots.length - 1 - index) * SLOT_MS)),
    columns: {
      firstPictureP95Ms: column((sums) => shown(sums.firstPictureMs(95), FIRST_PICTURE_BOUNDS_MS)),
      delayP95Ms: column((sums) => shown(sums.delayMs(95), DELAY_BOUNDS_MS)),
      stalledPercent: column((sums) => percent(sums.stalledSec, sums.playedSec + sums.stalledSec)),
      failedPercent: column((sums) => percent(sums.failedRequests, sums.requests)),
      measurements: column((sums) => sums.measurements),
    },
  };
}

function percent(part: number, all: number): number | null {
  return all <= 0 ? null : (part / all) * 100;
}
