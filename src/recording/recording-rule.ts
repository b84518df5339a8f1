/** When a camera is recorded, from what the configuration file, the API, people and its shares with VOD say. Pure. */

import type { Ruuid } from '../core/ruuid.ts';
import { type ScheduleState, scheduleStateAt } from '../sharing/schedule-state.ts';
import type { Schedule, Share, WeeklyMinuteInterval } from '../store/entities.ts';
import type { RecordingPurpose } from '../store/recording.ts';
import type { RecordingReason } from '../stream/media/recording-state.ts';

/** One of the store, or the file's own. */
export type RuleSchedule =
  | { readonly kind: 'stored'; readonly uuid: Ruuid }
  | { readonly kind: 'weekly'; readonly intervals: readonly WeeklyMinuteInterval[] };

/** The values of a camera's `recording`. */
export type RecordingChoice = 'off' | 'always' | 'schedule' | 'events';

/** Which of a camera's streams are recorded. Of a camera without a substream, it is always the main stream. */
export const STREAM_CHOICES = ['main', 'sub', 'both'] as const;
export type StreamChoice = (typeof STREAM_CHOICES)[number];

/** The settings of a camera that the configuration file or the API can have. */
export const RECORDING_SETTINGS = [
  'recording',
  'streams',
  'schedule',
  'preRoll',
  'postRoll',
  'keep',
  'keepSub',
  'keepKeyFrames',
  'maxSize',
] as const;
export type RecordingSetting = (typeof RECORDING_SETTINGS)[number];

/** The recording settings of a camera. null: not set, so the settings for all cameras apply. */
export interface RecordingRule {
  readonly choice: RecordingChoice | null;
  /** The configuration file says `off`: shares do not turn recording on either. */
  readonly isForbidden: boolean;
  /** An administrator chose that the stored settings take the place of the file's. */
  readonly isOverFile: boolean;
  readonly streams: StreamChoice | null;
  readonly schedule: RuleSchedule | null;
  readonly preRollMs: number | null;
  readonly postRollMs: number | null;
  readonly keepMs: number | null;
  readonly keepSubMs: number | null;
  readonly keepKeyFramesMs: number | null;
  readonly maxBytes: number | null;
  /** When the recording ends that a person started, epoch milliseconds of the wall clock; null: no one did. */
  readonly manualUntilMs: number | null;
}

export const NO_RULE: RecordingRule = {
  choice: null,
  isForbidden: false,
  isOverFile: false,
  streams: null,
  schedule: null,
  preRollMs: null,
  postRollMs: null,
  keepMs: null,
  keepSubMs: null,
  keepKeyFramesMs: null,
  maxBytes: null,
  manualUntilMs: null,
};

/** The longest time from now to the end of a recording that a person started. */
export const MAX_MANUAL_MS = 12 * 3_600_000;

/** Whether it still runs. A farther end comes from a clock that was set back since. */
export function isManualRunning(untilEpochMs: number, atEpochMs: number): boolean {
  return atEpochMs < untilEpochMs && untilEpochMs - atEpochMs <= MAX_MANUAL_MS;
}

/** The fields of a share with VOD that decide about recording. */
export type VodShare = Pick<
  Share,
  'orgUuid' | 'cameraUuid' | 'expiresAtSec' | 'scheduleUuid' | 'invertSchedule'
>;

/** How a camera is to be recorded at an instant. */
export interface RecordingDemand {
  readonly mode: 'off' | 'hold' | 'write';
  readonly purpose: RecordingPurpose;
  readonly reasons: readonly RecordingReason[];
  /** It will be recorded at some later time. */
  readonly isWaiting: boolean;
  /** Its schedule does not exist. */
  readonly isScheduleMissing: boolean;
  /** The earliest instant at which any of this can change on its own; null: never. */
  readonly changesAtEpochMs: number | null;
}

/** A schedule and its current state, which is computed again only when it changes, or the clock went back. */
export class CurrentSchedule {
  readonly schedule: Schedule;
  readonly timeZone: string;
  #state: ScheduleState | null = null;
  #fromEpochMs = Number.POSITIVE_INFINITY;
  #untilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(schedule: Schedule, timeZone: string) {
    this.schedule = schedule;
    this.timeZone = timeZone;
  }

  /** null: the time zone does not exist. */
  stateAt(epochMs: number): ScheduleState | null {
    if (epochMs < this.#fromEpochMs || epochMs >= this.#untilEpochMs) {
      this.#state = scheduleStateAt(this.schedule, this.timeZone, epochMs);
      this.#fromEpochMs = epochMs;
      this.#untilEpochMs = this.#state?.changesAtEpochMs ?? Number.POSITIVE_INFINITY;
    }
    return this.#state;
  }
}

/** `null` schedule: it does not exist. */
export interface DemandInput {
  readonly rule: RecordingRule;
  /** That of a rule with `schedule`. */
  readonly schedule: CurrentSchedule | null;
  /** All shares of the camera with VOD, with their schedules if they name one. */
  readonly shares: readonly { readonly share: VodShare; readonly schedule: CurrentSchedule | null }[];
  readonly atEpochMs: number;
}

/**
 * The camera's own rule comes first, with a recording that a person started. A share with VOD wants what its viewers may see: while it has not expired and its
 * schedule shows it.
 */
export function demandAt({ rule, schedule, shares, atEpochMs }: DemandInput): RecordingDemand {
  const reasons: RecordingReason[] = [];
  let changesAtEpochMs: number | null = null;
  let isWaiting = false;
  let isOwn = false;
  let isScheduleMissing = false;
  const changes = (epochMs: number | null | undefined): void => {
    if (epochMs !== null && epochMs !== undefined && epochMs > atEpochMs) {
      changesAtEpochMs = Math.min(changesAtEpochMs ?? epochMs, epochMs);
    }
  };
  if (rule.choice === 'always') {
    isOwn = true;
    reasons.push('always');
  } else if (rule.choice === 'schedule') {
    const state = schedule?.stateAt(atEpochMs) ?? null;
    isScheduleMissing = state === null;
    isOwn = state?.isInside === true;
    isWaiting = state?.isInside === false;
    changes(state?.changesAtEpochMs);
    reasons.push('schedule');
  } else if (rule.choice === 'events') reasons.push('events');
  const { manualUntilMs } = rule;
  if (manualUntilMs !== null && !rule.isForbidden && isManualRunning(manualUntilMs, atEpochMs)) {
    isOwn = true;
    changes(manualUntilMs);
    reasons.push('manual');
  }
  let isShared = false;
  let isSharedLater = false;
  for (const each of rule.isForbidden ? [] : shares) {
    const wanted = isShownAt(each, atEpochMs, changes);
    isShared ||= wanted === 'now';
    isSharedLater ||= wanted === 'later';
  }
  isWaiting ||= isSharedLater;
  if (isShared || isSharedLater) reasons.push('shares');
  const mode = isOwn || isShared ? 'write' : rule.choice === 'events' ? 'hold' : 'off';
  const purpose = isOwn ? 'camera' : 'shares';
  return { mode, purpose, reasons, isWaiting, isScheduleMissing, changesAtEpochMs };
}

function isShownAt(
  { share, schedule }: DemandInput['shares'][number],
  atEpochMs: number,
  changes: (epochMs: number | null) => void,
): 'now' | 'later' | 'never' {
  const endEpochMs = share.expiresAtSec === null ? null : share.expiresAtSec * 1_000;
  if (endEpochMs !== null && atEpochMs >= endEpochMs) return 'never';
  changes(endEpochMs);
  if (share.scheduleUuid === null) return 'now';
  const state = schedule?.stateAt(atEpochMs) ?? null;
  if (state === null) return 'never';
  changes(state.changesAtEpochMs);
  return state.isInside === share.invertSchedule ? 'later' : 'now';
}
