/** The configuration of a camera, stored and returned (docs/spec/rules.md#camera-configurations). */

import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { RECORDING_CHOICES, RECORDING_FIELDS } from '../../devices/camera-config.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  oneOf,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { STREAM_CHOICES } from '../../recording/recording-rule.ts';
import { CROSSING_DIRECTIONS, CROSSING_OBJECTS } from '../../store/crossing.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID } from '../types/examples.ts';

/** Polygons, windows, views and groups in one list. */
const MAX_SHAPES = 256;
/** Corners of one polygon. */
const MAX_POINTS = 1_024;
const MAX_SCHEDULE_INTERVALS = 1_000;
const MAX_SHARED_FIELDS_OF_VIEW = 256;
const MAX_ACTIVITIES = 256;
const MAX_MATRIX_ROWS = 16;
const MAX_MINUTE_OF_WEEK = 7 * 24 * 60;

const FLAG_NAMES = [
  'ai_license_invalid',
  'audio_aec_via_software',
  'audio_ai_disabled',
  'audio_internal_mic_aec_enabled',
  'audio_record',
  'audio_supported',
  'audio_use_external_mic',
  'audio_use_external_speaker',
  'audio_use_internal_speaker',
  'bandwidth_reports_disabled',
  'cross_counting',
  'custom_events',
  'device_mic_enabled',
  'device_near_audio_silenced',
  'device_speaker_enabled',
  'disabled_schedule_inverted',
  'frontendNoiseSuppression',
  'hdr_enabled',
  'high_res_detection',
  'human_detection',
  'human_loitering',
  'led_stealth_mode',
  'lightweight_detection_disabled',
  'live_license_invalid',
  'object_search',
  'occupancy_counting',
  'on_demand_license_invalid',
  'person_reidentification',
  'upload_all_detections',
  'use_onboard_lpr',
  'vehicle_detection',
  'video_ai_disabled',
  'video_persist_disabled',
  'wdr_enabled',
] as const;

const NUMBER_NAMES = [
  'audio_external_mic_boost',
  'audio_external_mic_volume',
  'audio_external_speaker_volume',
  'audio_internal_mic_boost',
  'audio_internal_mic_volume',
  'audio_internal_speaker_volume',
  'audio_min_echo_amplitude',
  'audio_playback_gain_percent',
  'blocked_debounce_time_ms',
  'blocked_threshold',
  'char_threshold',
  'dwell_reset_ttl_ms',
  'dwell_time_ms',
  'exposure_level',
  'img_brightness',
  'img_contrast',
  'img_saturation',
  'img_sharpness',
  'lastModified',
  'led_mode_blink_period_ms',
  'max_detections_per_frame',
  'media_ttl_minutes',
  'night_exposure_level',
  'night_img_brightness',
  'night_img_contrast',
  'night_img_saturation',
  'night_img_sharpness',
  'night_sensor_gain_max',
  'night_shutter_time_max',
  'night_shutter_time_min',
  'rotation',
  'rtsp_encoder',
  'segment_max_bytes',
  'sensor_gain_max',
  'shutter_time_max',
  'shutter_time_min',
  'snapshot_height',
  'snapshot_interval_secs',
  'storage_target_free_megabytes',
  'storage_target_free_space_permyriad',
  'wdr_strength',
  'zero_motion_video_bitrate_percent',
] as const;

type SameFields<Name extends string, Field extends TSchema> = { [K in Name]: Field };

function sameFields<const Name extends string, Field extends TSchema>(
  names: readonly Name[],
  field: (name: Name) => Field,
): SameFields<Name, Field> {
  return Object.fromEntries(names.map((name) => [name, field(name)])) as SameFields<Name, Field>;
}

/** An object whose fields are optional numbers. */
function numbers<const Name extends string>(names: readonly Name[]) {
  return Type.Object(optionalFields(sameFields(names, () => double('Number.'))));
}

const POINT = Type.Object({ x: double('From the left.'), y: double('From the top.') });
const POLYGON = namedType('Polygon', { coordinates: listOf(POINT, 'Its corners.', MAX_POINTS) });
const RECT = namedType(
  'Rect',
  optionalFields(sameFields(['h', 'size', 'w', 'x', 'y'], () => double('Number.'))),
);
const POLYGONS = (description: string) => listOf(POLYGON, description, MAX_SHAPES);
const EQUALIZER = numbers(['frequency', 'gain', 'q']);
const METERING = Type.Object(
  optionalFields({ rotation: double('Rotation of the table.'), table: text('Weights.', 4_096) }),
);
const REGION = Type.Object(
  optionalFields({
    inverted: flag('Whether the region is everything outside the polygons.'),
    polygons: POLYGONS('The region.'),
  }),
);
const MINUTE_OF_WEEK = int32('Minute of the week from Monday 00:00.', 0, MAX_MINUTE_OF_WEEK);
const SCHEDULE_INTERVAL = Type.Object({
  minuteOfWeekStart: MINUTE_OF_WEEK,
  minuteOfWeekStop: MINUTE_OF_WEEK,
});
const REGION_OF_INTEREST = Type.Object(
  optionalFields({
    activities: listOf(text('Activity.'), 'What to detect.', MAX_ACTIVITIES),
    name: text('Its name.', MAX_NAME_LENGTH),
    polygon: POLYGON,
    uuid: ruuid('The region.'),
  }),
);
const REGION_GROUP = Type.Object(
  optionalFields({
    inclusive: flag('Whether to watch the regions, or everything outside them.'),
    regionsOfInterest: listOf(REGION_OF_INTEREST, 'Its regions.', MAX_SHAPES),
  }),
);
/** Where crossings count: from one area into the other. */
export const CROSS_COUNTING_SCHEMA = namedType(
  'CameraCrossCountingSettings',
  optionalFields({
    directions: listOf(
      oneOf(CROSSING_DIRECTIONS, 'Direction.'),
      'Which directions count.',
      CROSSING_DIRECTIONS.length,
    ),
    in_roi: POLYGONS('The area inside.'),
    out_roi: POLYGONS('The area outside.'),
    object_type: oneOf(CROSSING_OBJECTS, 'What counts.'),
    object_type_id: int32('The same, as the camera’s number.'),
  }),
);
const TILE_VIEW = Type.Object(
  optionalFields({
    aspectRatio: numbers(['height', 'width']),
    pitchDegrees: double('Pitch.'),
    rollDegrees: double('Roll.'),
    verticalFieldOfViewDegrees: double('Vertical field of view.'),
    yawDegrees: double('Yaw.'),
  }),
);
const MOTOR = Type.Object(
  optionalFields({
    af_enabled: flag('Whether autofocus is on.'),
    af_region: RECT,
    ...sameFields(['focus', 'pan_degrees', 'piris', 'pt_speed', 'tilt_degrees', 'zoom'], (name) =>
      double(`${name}.`),
    ),
  }),
);

/** An object with fields that nothing defines. */
function freeForm(description: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });
}

/**
 * The specification (docs/spec/README.md) does not give units, ranges and meanings for most of them: they are stored as
 * sent.
 */
const SETTINGS = {
  ...sameFields(FLAG_NAMES, (name) => flag(`${words(name)}.`)),
  ...sameFields(NUMBER_NAMES, (name) => double(`${words(name)}.`)),
  cross_counting_settings: CROSS_COUNTING_SCHEMA,
  disabled_schedule_uuid: ruuid('The schedule in which the camera is off.'),
  disabled_schedule: listOf(
    SCHEDULE_INTERVAL,
    'When the camera is off, in minutes of the week.',
    MAX_SCHEDULE_INTERVALS,
  ),
  firmware_dev_settings: freeForm('Free form.'),
  floorplan_homography: listOf(
    listOf(double('Number.'), 'Row.', MAX_MATRIX_ROWS),
    'Matrix from the image to the floor plan.',
    MAX_MATRIX_ROWS,
  ),
  frontendEqualizerHighShelf: EQUALIZER,
  frontendEqualizerLowShelf: EQUALIZER,
  frontendEqualizerPeaking1: EQUALIZER,
  frontendEqualizerPeaking2: EQUALIZER,
  frontendEqualizerPeaking3: EQUALIZER,
  human_loitering_settings: Type.Object(optionalFields({ roi: POLYGONS('Where loitering counts.') })),
  metering_config: METERING,
  night_metering_config: METERING,
  motor_config: MOTOR,
  privacy_window_polygons: POLYGONS('Areas that are blacked out.'),
  privacy_windows: listOf(RECT, 'Areas that are blacked out.', MAX_SHAPES),
  recording: oneOf(
    RECORDING_CHOICES,
    'Whether the gateway records the camera: always, by `recording_schedule_uuid`, or around policy alerts and ' +
      'component events. Shares with `vodEnabled` are recorded regardless. The configuration file decides if it says ' +
      'so for the camera, unless `recording_over_file` is true. Specific to Sluice.',
  ),
  [RECORDING_FIELDS.streams]: oneOf(
    STREAM_CHOICES,
    'Which streams the gateway records. Of a camera without a substream, it is the main stream. Specific to Sluice.',
  ),
  [RECORDING_FIELDS.schedule]: ruuid('The schedule by which the gateway records. Specific to Sluice.'),
  [RECORDING_FIELDS.preRollSec]: int32('Seconds to record before an event. Specific to Sluice.', 0, 60),
  [RECORDING_FIELDS.postRollSec]: int32('Seconds to record after an event. Specific to Sluice.', 0, 3_600),
  [RECORDING_FIELDS.keepHours]: int32(
    'How long to keep recordings; 0: as the gateway’s configuration says. Specific to Sluice.',
    0,
    876_000,
  ),
  [RECORDING_FIELDS.keepSubHours]: int32(
    'The same for recordings of the substream; 0: as long as those of the main stream, if that has a time of its own. Specific to Sluice.',
    0,
    876_000,
  ),
  [RECORDING_FIELDS.keepKeyFramesHours]: int32(
    'How long key frames stay after everything else of their time was deleted; 0: as the gateway’s configuration says. No longer than the others: they are deleted with it. Specific to Sluice.',
    0,
    876_000,
  ),
  [RECORDING_FIELDS.maxBytes]: int64(
    'How much to keep; 0: as the gateway’s configuration says. Specific to Sluice.',
    0,
  ),
  [RECORDING_FIELDS.overFile]: flag(
    'The recording settings stored here take the place of all that the configuration file has for the camera, except ' +
      '`recording: off`. Send those that are to count with it. Specific to Sluice.',
  ),
  ptz_config: numbers(['offset_x_percent', 'offset_y_percent', 'rotation', 'size_percent']),
  region_for_occupancy: REGION,
  region_of_interest: REGION,
  region_of_interest_groups: listOf(REGION_GROUP, 'Groups of regions.', MAX_SHAPES),
  resolution: numbers(['height', 'width']),
  shared_fov: listOf(
    deviceFacetUuid('Camera.'),
    'Cameras with the same field of view.',
    MAX_SHARED_FIELDS_OF_VIEW,
  ),
  tile_views: listOf(TILE_VIEW, 'Views of parts of the image.', MAX_SHAPES),
};

/** Camera configurations as sent to the API (docs/spec/rules.md#camera-configurations). The names are the specification's. */
export const CAMERA_CONFIG_SCHEMA = namedType('CameraConfig', {
  deviceUuid: deviceUuid('The camera.'),
  orgUuid: Type.Optional(ruuid('The organization; if given, it must be the caller’s own.')),
  ...optionalFields(SETTINGS),
});
type CameraConfig = Static<typeof CAMERA_CONFIG_SCHEMA>;

/** Every field of a configuration besides the two that say which camera it belongs to. */
export const CAMERA_SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** `audio_record`: `Audio record`. */
function words(name: string): string {
  const spaced = name
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`;
}

/** The stored configuration of a camera, as read by two endpoints. */
const CAMERA_CONFIG_READING = {
  description:
    'What `/api/camera/updateConfig` stored, and `lastModified`. Fields that were never sent are left out: Sluice ' +
    'does not query the camera.',
  response: { config: CAMERA_CONFIG_SCHEMA },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      config: {
        deviceUuid: EXAMPLE_CAMERA_UUID,
        orgUuid: EXAMPLE_ORG_UUID,
        hdr_enabled: true,
        rotation: 180,
        resolution: { width: 1920, height: 1080 },
      },
    },
  },
  /** `cameraUuid`: with or without a facet. Fails CAMERA_NOT_FOUND. */
  async handler(
    { orgUuid, services }: CallContext,
    { cameraUuid }: { cameraUuid: string },
  ): Promise<{ config: Static<typeof CAMERA_CONFIG_SCHEMA> }> {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const settings = await services.devices.cameraConfig(orgUuid, camera.uuid);
    return { config: { ...settings, deviceUuid: camera.uuid, orgUuid } };
  },
};

const getCameraConfig = defineEndpoint({
  path: '/api/camera/getConfig',
  summary: 'Reads the stored configuration of a camera.',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  ...CAMERA_CONFIG_READING,
});

const FACET_MEANING = 'The camera or one of its facets, which all share one configuration.';

const getFacetedConfig = defineEndpoint({
  path: '/api/camera/getFacetedConfig',
  summary: 'Reads the stored configuration of a camera, by one of its facets.',
  request: Type.Object({
    cameraUuid: Type.Optional(deviceFacetUuid(FACET_MEANING)),
    deviceUuid: Type.Optional(deviceFacetUuid('The same; send one of the two.')),
  }),
  ...CAMERA_CONFIG_READING,
  handler(context, { cameraUuid, deviceUuid }) {
    const named = cameraUuid ?? deviceUuid;
    if (named === undefined) throw invalidField('cameraUuid is required.');
    return CAMERA_CONFIG_READING.handler(context, { cameraUuid: named });
  },
});

/** Warns that it has no effect on the camera. Fails CAMERA_NOT_FOUND. */
async function storeCameraConfig(context: CallContext, config: CameraConfig): Promise<void> {
  const { orgUuid, services } = context;
  if (config.orgUuid !== undefined && config.orgUuid !== orgUuid) {
    throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: config.deviceUuid });
  }
  const { camera } = await services.devices.findCamera(orgUuid, config.deviceUuid);
  await services.devices.updateCameraConfig(orgUuid, camera.uuid, settingsOf(config));
  context.warn('The gateway stores the configuration but sends none of it to the camera.');
}

/** Settings to store: only the known fields. */
function settingsOf(config: CameraConfig): Record<string, unknown> {
  const given = config as Readonly<Record<string, unknown>>;
  const settings: Record<string, unknown> = {};
  for (const name of CAMERA_SETTING_NAMES) {
    if (given[name] !== undefined) settings[name] = given[name];
  }
  return settings;
}

/** Stores a camera's configuration (docs/spec/rules.md#camera-configurations; deprecated there). */
const updateCameraConfig = defineEndpoint({
  path: '/api/camera/updateConfig',
  isDeprecated: true,
  summary: 'Stores fields of a camera’s configuration.',
  description:
    'Each field that you send replaces the stored one, objects and lists as a whole; all others stay. To read it ' +
    'back, use `onCloudState.v0` of `/api/camera/getFullCameraState`. Sluice stores the configuration for ' +
    'integrations and sends nothing to the camera; only `recording` has an effect. `lastModified` is the time of the call unless you send it. ' +
    'Deprecated: the response has a `Deprecation` header (RFC 9745) and says so in `warningMsg`.',
  repetition: 'same-outcome',
  request: Type.Object({ config: CAMERA_CONFIG_SCHEMA }),
  response: {},
  example: {
    request: {
      config: {
        deviceUuid: EXAMPLE_CAMERA_UUID,
        hdr_enabled: true,
        rotation: 180,
        resolution: { width: 1920, height: 1080 },
      },
    },
    response: {},
  },
  async handler(context, { config }) {
    context.warn('updateConfig is deprecated and may be removed in a later version.');
    await storeCameraConfig(context, config);
    return {};
  },
});

const updateFacetedConfig = defineEndpoint({
  path: '/api/camera/updateFacetedConfig',
  summary: 'Stores fields of a camera’s configuration, by one of its facets.',
  description:
    'Each field that you send replaces the stored one, objects and lists as a whole; all others stay. All facets of a ' +
    'camera share one configuration. Sluice stores it for integrations and sends nothing to the camera; only ' +
    '`recording` has an effect. To read it back, use `/api/camera/getFacetedConfig`.',
  repetition: 'same-outcome',
  request: Type.Object({ configUpdate: CAMERA_CONFIG_SCHEMA }),
  response: {},
  example: {
    request: { configUpdate: { deviceUuid: EXAMPLE_CAMERA_UUID, hdr_enabled: true } },
    response: {},
  },
  async handler(context, { configUpdate }) {
    await storeCameraConfig(context, configUpdate);
    return {};
  },
});

export const CAMERA_CONFIG_ENDPOINTS: readonly Endpoint[] = [
  getCameraConfig,
  getFacetedConfig,
  updateCameraConfig,
  updateFacetedConfig,
];
