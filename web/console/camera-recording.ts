/** How a camera is recorded: what is in effect, what it means in words, and what changes it. */

import { type Answer, CallError, call } from './api.ts';
import type { ScheduleItem } from './schedule-now.ts';
import { createWeekly, listSchedules, updateWeekly } from './schedule-state.ts';
import { intervalsOf, type Week } from './week.ts';
import { t } from './words.ts';

export type RecordingSettings = Answer<'camera/getRecordingSettings'> & {
  /** That of `scheduleUuid`; null: none, or it was deleted. */
  readonly schedule: ScheduleItem | null;
};

export type RecordingMode = RecordingSettings['recording'];
export type RecordingReason = RecordingSettings['reasons'][number];
export type ManualRecording = NonNullable<RecordingSettings['manual']>;

/** As long as it is if no one says otherwise, and as much as one press adds. */
export const MANUAL_SEC = 600;
const MAX_NAME_CHARS = 256;

export async function readRecording(cameraUuid: string, signal: AbortSignal): Promise<RecordingSettings> {
  const settings = await call('camera/getRecordingSettings', { cameraUuid }, signal);
  const { scheduleUuid } = settings;
  if (scheduleUuid === undefined) return { ...settings, schedule: null };
  const schedules = await listSchedules(signal);
  return { ...settings, schedule: schedules.find(({ uuid }) => uuid === scheduleUuid) ?? null };
}

/** Also puts off the end of one that runs. Fails with a CallError. */
export async function startRecording(cameraUuid: string, durationSec: number): Promise<ManualRecording> {
  return (await call('camera/startRecording', { cameraUuid, durationSec })).manual;
}

/** Fails with a CallError. */
export async function stopRecording(cameraUuid: string): Promise<void> {
  await call('camera/stopRecording', { cameraUuid });
}

/** The configuration file turns it off, and only the file takes that back. */
export function isForbidden({
  recording,
  setInFile,
}: Pick<RecordingSettings, 'recording' | 'setInFile'>): boolean {
  return recording === 'off' && setInFile.includes('recording');
}

/** What one sees of it at a glance. */
export interface RecordingSign {
  readonly tone: 'recording' | 'waiting' | 'off' | 'failed';
  readonly text: string;
}

const WAITING: Partial<Readonly<Record<RecordingReason, string>>> = {
  schedule: t('Records at its next scheduled time'),
  events: t('Records when something happens'),
  shares: t('Records when its share is shown'),
};
const REASONS: Readonly<Record<RecordingReason, string>> = {
  always: t('Always'),
  schedule: t('By schedule'),
  events: t('Around events'),
  shares: t('For a share that shows the past'),
  manual: t('Started by a person'),
};
const FAILURES: Readonly<Record<string, string>> = {
  RECORDING_DISK_FULL: t('Not recorded: the disk is full'),
  RECORDING_IO: t('Not recorded: the disk reports errors'),
  RECORDING_SCHEDULE_MISSING: t('Not recorded: its schedule was deleted'),
  RECORDING_NO_NUMBERS: t('Not recorded: the database does not respond'),
  RECORDING_S3_UNAVAILABLE: t('Not recorded: the S3 storage does not respond'),
};

/** What the recorder waits for while the camera is offline is not recorded. */
export function recordingSign(
  { state, reasons, code }: Pick<RecordingSettings, 'state' | 'reasons' | 'code'>,
  isOffline: boolean,
): RecordingSign {
  if (isOffline && (state === 'recording' || state === 'starting')) {
    return { tone: 'failed', text: t('Not recorded: the camera is offline') };
  }
  switch (state) {
    case 'recording':
      return { tone: 'recording', text: t('Recording') };
    case 'starting':
      return { tone: 'waiting', text: t('Starting to record') };
    case 'failed':
      return { tone: 'failed', text: FAILURES[code ?? ''] ?? t('Not recorded: recording failed') };
    case 'standby':
      return {
        tone: 'waiting',
        text: reasons.map((each) => WAITING[each]).find(Boolean) ?? t('Waiting to record'),
      };
    case 'off':
      return { tone: 'off', text: t('Not recorded') };
  }
}

export function reasonText(reason: RecordingReason): string {
  return REASONS[reason];
}

/** As in RecordingSettings. */
export type RecordedStreams = RecordingSettings['defaults']['streams'];

/** Choices of a person in the form. */
export interface RecordingDraft {
  readonly mode: RecordingMode;
  readonly streams: RecordedStreams;
  readonly week: Week;
  readonly preRollSec: number;
  readonly postRollSec: number;
  /** Null: as for all cameras. */
  readonly keepHours: number | null;
  /** Of the substream. Null: as the main stream, or as for all cameras. */
  readonly keepSubHours: number | null;
  /** Of pictures that stay when the video is deleted. Null: as for all cameras. */
  readonly keepKeyFramesHours: number | null;
  readonly maxBytes: number | null;
}

/** What a draft is saved over. */
export interface RecordingBase {
  readonly scheduleUuid: string | undefined;
  readonly isWeekNew: boolean;
  /** Settings of the configuration file. What is saved takes their place. */
  readonly setInFile: RecordingSettings['setInFile'];
}

/**
 * Stores what differs, and what the configuration file decided until now. A week that only this camera uses is changed in place, any
 * other one stays for those who use it. Fails with a CallError.
 */
export async function saveRecording(
  camera: { readonly uuid: string; readonly name: string },
  before: RecordingDraft,
  draft: RecordingDraft,
  { scheduleUuid, isWeekNew, setInFile }: RecordingBase,
): Promise<void> {
  const isOverFile = setInFile.length > 0;
  const inFile = (setting: (typeof setInFile)[number]) => setInFile.includes(setting);
  const {
    mode,
    streams,
    week,
    preRollSec,
    postRollSec,
    keepHours,
    keepSubHours,
    keepKeyFramesHours,
    maxBytes,
  } = draft;
  const uuid = mode === 'schedule' ? await scheduleOf() : undefined;
  await call('camera/updateFacetedConfig', {
    configUpdate: {
      deviceUuid: camera.uuid,
      recording: mode,
      ...(streams === before.streams && !inFile('streams') ? {} : { recording_streams: streams }),
      ...(uuid === undefined ? {} : { recording_schedule_uuid: uuid }),
      ...(isOverFile ? { recording_over_file: true } : {}),
      ...(preRollSec === before.preRollSec && !inFile('preRoll')
        ? {}
        : { recording_pre_roll_sec: preRollSec }),
      ...(postRollSec === before.postRollSec && !inFile('postRoll')
        ? {}
        : { recording_post_roll_sec: postRollSec }),
      ...(keepHours === before.keepHours && !inFile('keep') ? {} : { recording_keep_hours: keepHours ?? 0 }),
      ...(keepSubHours === before.keepSubHours && !inFile('keepSub')
        ? {}
        : { recording_keep_sub_hours: keepSubHours ?? 0 }),
      ...(keepKeyFramesHours === before.keepKeyFramesHours && !inFile('keepKeyFrames')
        ? {}
        : { recording_keep_key_frames_hours: keepKeyFramesHours ?? 0 }),
      ...(maxBytes === before.maxBytes && !inFile('maxSize') ? {} : { recording_max_bytes: maxBytes ?? 0 }),
    },
  });

  /** The file may use its schedule for other cameras, so this one gets its own. */
  async function scheduleOf(): Promise<string | undefined> {
    if (!inFile('schedule')) return isWeekNew ? saveWeek(camera, week, scheduleUuid) : undefined;
    return week.length === 0 ? scheduleUuid : saveWeek(camera, week, undefined);
  }
}

/** The settings of the configuration file count again. Fails with a CallError. */
export async function followFile(cameraUuid: string): Promise<void> {
  await call('camera/updateFacetedConfig', {
    configUpdate: { deviceUuid: cameraUuid, recording_over_file: false },
  });
}

/** Returns the UUID of the schedule that now has this week. */
async function saveWeek(
  { uuid, name }: { readonly uuid: string; readonly name: string },
  week: Week,
  scheduleUuid: string | undefined,
): Promise<string> {
  const title = t('Recording of {camera}', { camera: name }).slice(0, MAX_NAME_CHARS);
  if (scheduleUuid !== undefined && (await isOwnSchedule(scheduleUuid, uuid))) {
    await updateWeekly(scheduleUuid, title, intervalsOf(week));
    return scheduleUuid;
  }
  return createWeekly(title, intervalsOf(week));
}

/** Whether nothing but this camera's recording uses it. */
async function isOwnSchedule(scheduleUuid: string, cameraUuid: string): Promise<boolean> {
  try {
    const { uses } = await call('schedule/getScheduleUses', { scheduleUuid });
    return uses.every(({ kind, uuid }) => kind === 'CAMERA_CONFIG' && uuid === cameraUuid);
  } catch (error) {
    // A refusal: it was deleted.
    if (error instanceof CallError && error.status === 200) return false;
    throw error;
  }
}
