/**
 * Recording rules of each camera from the configuration file, the API, and people. The file takes precedence, unless an
 * administrator chose otherwise for the camera.
 */

import { deriveRuuid, isRuuid, type Ruuid } from '../../core/ruuid.ts';
import {
  CAMERA_CONFIGS,
  type CameraConfigBody,
  RECORDING_CHOICES,
  RECORDING_FIELDS,
} from '../../devices/camera-config.ts';
import {
  NO_RULE,
  RECORDING_SETTINGS,
  type RecordingRule,
  type RecordingSetting,
  STREAM_CHOICES,
} from '../../recording/recording-rule.ts';
import { MANUAL_RECORDINGS } from '../../store/manual-recording.ts';
import type { Store } from '../../store/store.ts';
import type { CameraConfig } from './schema.ts';

const MS_PER_SEC = 1_000;
const MS_PER_HOUR = 3_600_000;

/** Cameras of which nothing is said are absent. Fails like the store. */
export async function readRecordingRules(
  store: Pick<Store, 'resources'>,
  declared: readonly CameraConfig[],
): Promise<Map<Ruuid, RecordingRule>> {
  const rules = new Map<Ruuid, RecordingRule>();
  const put = (cameraUuid: Ruuid, rule: RecordingRule): void => {
    if (Object.values(rule).some((value) => value !== null && value !== false)) rules.set(cameraUuid, rule);
  };
  for (const { parentUuid, body } of await store.resources.of(CAMERA_CONFIGS).listEverywhere()) {
    if (parentUuid !== null) put(parentUuid, ruleOfApi(body));
  }
  for (const { uuid, body } of await store.resources.of(MANUAL_RECORDINGS).listEverywhere()) {
    put(uuid, { ...(rules.get(uuid) ?? NO_RULE), manualUntilMs: body.endsAtMs });
  }
  for (const camera of declared) {
    const cameraUuid = uuidOf(camera);
    put(cameraUuid, ruleOfFile(camera, rules.get(cameraUuid) ?? NO_RULE));
  }
  return rules;
}

/** The settings that the file has for a camera. */
export function settingsInFile(declared: readonly CameraConfig[], cameraUuid: Ruuid): RecordingSetting[] {
  const camera = declared.find((each) => uuidOf(each) === cameraUuid);
  if (camera === undefined) return [];
  const given: Readonly<Record<RecordingSetting, unknown>> = {
    recording: camera.recording,
    streams: camera.recordingStreams,
    schedule: camera.recordingSchedule,
    preRoll: camera.recordingPreRollMs,
    postRoll: camera.recordingPostRollMs,
    keep: camera.recordingKeep,
    keepSub: camera.recordingKeep,
    keepKeyFrames: camera.recordingKeep?.keyFramesMs ?? null,
    maxSize: camera.recordingMaxSizeBytes,
  };
  return RECORDING_SETTINGS.filter((setting) => given[setting] !== null);
}

function uuidOf({ uuid, name }: CameraConfig): Ruuid {
  return uuid ?? deriveRuuid('camera', name);
}

/** The API checked the values when it stored them. */
function ruleOfApi(body: CameraConfigBody): RecordingRule {
  const schedule = body[RECORDING_FIELDS.schedule];
  return {
    choice: RECORDING_CHOICES.find((choice) => choice === body.recording) ?? null,
    isForbidden: false,
    streams: STREAM_CHOICES.find((choice) => choice === body[RECORDING_FIELDS.streams]) ?? null,
    isOverFile: body[RECORDING_FIELDS.overFile] === true,
    schedule: isRuuid(schedule) ? { kind: 'stored', uuid: schedule } : null,
    preRollMs: numberOf(body[RECORDING_FIELDS.preRollSec], MS_PER_SEC),
    postRollMs: numberOf(body[RECORDING_FIELDS.postRollSec], MS_PER_SEC),
    keepMs: numberOf(body[RECORDING_FIELDS.keepHours], MS_PER_HOUR) || null,
    keepSubMs: numberOf(body[RECORDING_FIELDS.keepSubHours], MS_PER_HOUR) || null,
    keepKeyFramesMs: numberOf(body[RECORDING_FIELDS.keepKeyFramesHours], MS_PER_HOUR) || null,
    maxBytes: numberOf(body[RECORDING_FIELDS.maxBytes], 1) || null,
    manualUntilMs: null,
  };
}

/** `off` in the file is a promise that nothing is recorded: only the file takes it back. */
function ruleOfFile(camera: CameraConfig, stored: RecordingRule): RecordingRule {
  const isForbidden = camera.recording === 'off';
  if (stored.isOverFile && !isForbidden) return stored;
  return {
    ...stored,
    choice: camera.recording ?? stored.choice,
    isForbidden,
    isOverFile: false,
    streams: camera.recordingStreams ?? stored.streams,
    schedule: camera.recordingSchedule ?? stored.schedule,
    preRollMs: camera.recordingPreRollMs ?? stored.preRollMs,
    postRollMs: camera.recordingPostRollMs ?? stored.postRollMs,
    keepMs: camera.recordingKeep?.mainMs ?? stored.keepMs,
    keepSubMs: camera.recordingKeep?.subMs ?? stored.keepSubMs,
    keepKeyFramesMs: camera.recordingKeep?.keyFramesMs ?? stored.keepKeyFramesMs,
    maxBytes: camera.recordingMaxSizeBytes ?? stored.maxBytes,
  };
}

function numberOf(value: unknown, unit: number): number | null {
  return typeof value === 'number' ? value * unit : null;
}
