/** How a camera is recorded, and recordings that people start. Specific to Sluice. */

import { Type } from 'typebox';
import { RECORDING_CHOICES } from '../../devices/camera-config.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { MAX_MANUAL_MS, RECORDING_SETTINGS, STREAM_CHOICES } from '../../recording/recording-rule.ts';
import type { StreamForecast } from '../../recording/retention-forecast.ts';
import type { ManualRecordingBody } from '../../store/manual-recording.ts';
import { RECORDING_REASONS } from '../../stream/media/recording-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { RETENTION_FORECAST_FIELDS } from '../types/retention-forecast.ts';

const MS_PER_SEC = 1_000;
const MS_PER_HOUR = 3_600_000;
const MINUTES_OF_WEEK = 10_080;
const DEFAULT_DURATION_SEC = 600;
const MIN_DURATION_SEC = 10;

const CAMERA = deviceFacetUuid('The camera.');

const MANUAL_RECORDING_SCHEMA = namedType('ManualRecordingType', {
  startedAtMs: int64('When it was started, epoch milliseconds.'),
  endsAtMs: int64('When it ends, unless someone extends or stops it.'),
  startedBy: plainText('The name of the person or the key.'),
});

const RECORDING_LIMITS = {
  preRollSec: 'Seconds to record before an event',
  postRollSec: 'Seconds to record after an event',
  streams: 'Which streams are recorded',
  keepHours: 'How long recordings stay, in hours',
  keepSubHours: 'How long recordings of the substream stay, in hours',
  keepKeyFramesHours: 'How long key frames stay after everything else of their time was deleted, in hours',
} as const;

const DEFAULTS_SCHEMA = namedType('RecordingDefaultsType', {
  streams: oneOf(STREAM_CHOICES, `${RECORDING_LIMITS.streams}.`),
  preRollSec: int32(`${RECORDING_LIMITS.preRollSec}.`),
  postRollSec: int32(`${RECORDING_LIMITS.postRollSec}.`),
  keepHours: int32(`${RECORDING_LIMITS.keepHours}.`),
  keepSubHours: int32(`${RECORDING_LIMITS.keepSubHours}.`),
  keepKeyFramesHours: nullable(
    int32(`${RECORDING_LIMITS.keepKeyFramesHours}; null: they are deleted with it.`),
  ),
  maxBytes: nullable(int64('How much of a camera stays; null: no limit.')),
});

const FORECAST_SCHEMA = namedType('RecordingForecastType', RETENTION_FORECAST_FIELDS);

const WEEK_TIME_SCHEMA = namedType('RecordingWeekTimeType', {
  minuteOfWeekStart: int32('Minutes since Monday 00:00.', 0, MINUTES_OF_WEEK),
  minuteOfWeekStop: int32('Exclusive; before the start: in the next week.', 0, MINUTES_OF_WEEK),
});

const EXAMPLE_MANUAL: ManualRecordingBody = {
  startedAtMs: EXAMPLE_TIME_MS,
  endsAtMs: EXAMPLE_TIME_MS + DEFAULT_DURATION_SEC * MS_PER_SEC,
  startedBy: 'Ada',
};

const getRecordingSettings = defineEndpoint({
  path: '/api/camera/getRecordingSettings',
  summary: 'Reads how a camera is recorded, and whether it is being recorded now.',
  description:
    'The settings in effect: those of the configuration file come first, then those that `/api/camera/updateFacetedConfig` ' +
    'stored. With `recording_over_file`, only the stored ones count. `state`, `reasons` and `code` are those of `/api/camera/getFullCameraState`.',
  isExtension: true,
  request: Type.Object({ cameraUuid: CAMERA }),
  response: {
    recording: oneOf(RECORDING_CHOICES, 'Whether the gateway records the camera, besides shares and people.'),
    streams: nullable(oneOf(STREAM_CHOICES, `${RECORDING_LIMITS.streams}; null: as for all cameras.`)),
    scheduleUuid: nullable(
      ruuid('The schedule of `recording: schedule`; null: none, or that of `scheduleTimes`.'),
    ),
    scheduleTimes: nullable(
      listOf(WEEK_TIME_SCHEMA, 'The times that the configuration file has; null: it has none.'),
    ),
    preRollSec: nullable(int32(`${RECORDING_LIMITS.preRollSec}; null: as for all cameras.`)),
    postRollSec: nullable(int32(`${RECORDING_LIMITS.postRollSec}; null: as for all cameras.`)),
    keepHours: nullable(int32(`${RECORDING_LIMITS.keepHours}; null: as for all cameras.`)),
    keepSubHours: nullable(
      int32(`${RECORDING_LIMITS.keepSubHours}; null: as \`keepHours\`, or as for all cameras.`),
    ),
    keepKeyFramesHours: nullable(int32(`${RECORDING_LIMITS.keepKeyFramesHours}; null: as for all cameras.`)),
    maxBytes: nullable(int64('How much stays; null: as for all cameras.')),
    defaults: DEFAULTS_SCHEMA,
    setInFile: listOf(
      oneOf(RECORDING_SETTINGS, 'A setting.'),
      'Settings that the configuration file decides: storing others has no effect.',
      RECORDING_SETTINGS.length,
    ),
    ignoredInFile: listOf(
      oneOf(RECORDING_SETTINGS, 'A setting.'),
      'Settings of the configuration file that do not count, because `recording_over_file` is stored for the camera.',
      RECORDING_SETTINGS.length,
    ),
    state: oneOf(['off', 'standby', 'starting', 'recording', 'failed'], 'Whether it is being recorded.'),
    reasons: listOf(oneOf(RECORDING_REASONS, 'A reason.'), 'Why.', RECORDING_REASONS.length),
    code: nullable(plainText('Why recording failed: a code.')),
    manual: nullable(MANUAL_RECORDING_SCHEMA),
    forecast: nullable(FORECAST_SCHEMA),
    timeZone: plainText('The time zone in which its schedule counts: that of its site, otherwise UTC.'),
    nowMs: int64('The time of the gateway, epoch milliseconds.'),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      recording: 'events',
      streams: null,
      scheduleUuid: null,
      scheduleTimes: null,
      preRollSec: null,
      postRollSec: 60,
      keepHours: null,
      keepSubHours: null,
      keepKeyFramesHours: 8_760,
      maxBytes: null,
      defaults: {
        streams: 'both',
        preRollSec: 10,
        postRollSec: 30,
        keepHours: 720,
        keepSubHours: 720,
        keepKeyFramesHours: null,
        maxBytes: null,
      },
      setInFile: ['postRoll'],
      ignoredInFile: [],
      state: 'recording',
      reasons: ['events', 'manual'],
      code: null,
      manual: EXAMPLE_MANUAL,
      forecast: { bytesPerDay: 43_200_000_000, keptMs: 984_960_000, decidedBy: 'disk' },
      timeZone: 'Europe/Berlin',
      nowMs: EXAMPLE_TIME_MS,
    },
  },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const { rule, defaults, inFile, ignoredInFile, forecast, state, manual, timeZone, nowMs } =
      await services.recordingSettings.of(camera);
    const { schedule } = rule;
    return {
      recording: rule.choice ?? 'off',
      streams: rule.streams,
      scheduleUuid: schedule?.kind === 'stored' ? schedule.uuid : null,
      scheduleTimes: schedule?.kind === 'weekly' ? [...schedule.intervals] : null,
      preRollSec: secondsOf(rule.preRollMs),
      postRollSec: secondsOf(rule.postRollMs),
      keepHours: hoursOf(rule.keepMs),
      keepSubHours: hoursOf(rule.keepSubMs),
      keepKeyFramesHours: hoursOf(rule.keepKeyFramesMs),
      maxBytes: rule.maxBytes,
      defaults: {
        streams: defaults.streams,
        preRollSec: defaults.preRollMs / MS_PER_SEC,
        postRollSec: defaults.postRollMs / MS_PER_SEC,
        keepHours: Math.round(defaults.keepMs / MS_PER_HOUR),
        keepSubHours: Math.round(defaults.keepSubMs / MS_PER_HOUR),
        keepKeyFramesHours: hoursOf(defaults.keepKeyFramesMs),
        maxBytes: defaults.maxBytes,
      },
      setInFile: [...inFile],
      ignoredInFile: [...ignoredInFile],
      state: state?.state ?? 'off',
      reasons: [...(state?.reasons ?? [])],
      code: state?.code ?? null,
      manual,
      forecast: forecast === null ? null : forecastOf(forecast),
      timeZone,
      nowMs,
    };
  },
});

const startRecording = defineEndpoint({
  path: '/api/camera/startRecording',
  summary: 'Records a camera from now on, for a while.',
  description:
    'Whatever else records it. If someone has started it already, its end moves to `durationSec` from now, and never ' +
    'forward in time. It survives a restart of the gateway. Fails if the configuration file turns recording off for the camera.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuid: CAMERA,
    durationSec: Type.Optional(
      int32(
        `How long from now, in seconds; default ${DEFAULT_DURATION_SEC}.`,
        MIN_DURATION_SEC,
        MAX_MANUAL_MS / MS_PER_SEC,
      ),
    ),
  }),
  response: { manual: MANUAL_RECORDING_SCHEMA },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, durationSec: DEFAULT_DURATION_SEC },
    response: { manual: EXAMPLE_MANUAL },
  },
  async handler({ orgUuid, caller, services }, { cameraUuid, durationSec = DEFAULT_DURATION_SEC }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const { name } = caller.actor;
    return { manual: await services.recordingSettings.start(camera, durationSec * MS_PER_SEC, name) };
  },
});

const stopRecording = defineEndpoint({
  path: '/api/camera/stopRecording',
  summary: 'Ends a recording that someone started.',
  description: 'What records the camera otherwise continues. If no one started one, nothing happens.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: CAMERA }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    await services.manualRecordings.stop(orgUuid, camera.uuid);
    return {};
  },
});

/** Without the stream that it is of. */
function forecastOf({ bytesPerDay, keptMs, decidedBy }: StreamForecast): StreamForecast {
  return { bytesPerDay, keptMs, decidedBy };
}

/** null: as for all cameras. */
function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / MS_PER_SEC);
}

function hoursOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / MS_PER_HOUR);
}

export const CAMERA_RECORDING_ENDPOINTS: readonly Endpoint[] = [
  getRecordingSettings,
  startRecording,
  stopRecording,
];
