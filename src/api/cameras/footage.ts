/** Footage of cameras: when they were recorded, and moments worth seeking to. */

import { Type } from 'typebox';
import { toGatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { MAX_SEEK_POINTS_PER_CAMERA, SEEK_POINT_COLORS } from '../../devices/custom-seek-points.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  flag,
  flagOrWord,
  int32,
  int64,
  int64WithoutFraction,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import {
  MAX_SPANS,
  MAX_SPANS_CAMERAS,
  MAX_SPANS_RANGE_MS,
  MIN_JOIN_MS,
} from '../../playback/recorded-spans.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { TIME_WINDOW_SCHEMA } from './device-history.ts';

/** A larger time makes sense in milliseconds only. */
const FIRST_LIKELY_TIME_MS = 100_000_000_000;

/** `time`: epoch seconds, or milliseconds. */
function epochMsOf(time: number): number {
  return time < FIRST_LIKELY_TIME_MS ? time * 1_000 : time;
}

const MAX_TIME_SEC = Math.floor(MAX_TIME_MS / 1_000);

/**
 * Clients look for windows under these names: what can be played at any time, and what only the camera has, which is not
 * there while the camera is offline. The gateway's recordings can always be played.
 */
const STORED = 'VideoCloud';
const ON_CAMERA = 'VideoLocal';

const getPresenceWindows = defineEndpoint({
  path: '/api/camera/getPresenceWindows',
  summary: 'Lists when there is footage of a camera.',
  description:
    'Of any second in a window, all is recorded and can be played (`getMediaUris`, the `Vod` templates). The range can ' +
    'begin at 0; from its first footage to its end there can be up to 366 days. Footage of the last seconds is listed once ' +
    `it is written. \`${STORED}\` is what the gateway recorded, or was handed over. \`${ON_CAMERA}\` is always empty: ` +
    'Sluice plays nothing from the storage of cameras.',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    startTimeSec: int64('Start of the range, epoch seconds.', 0, MAX_TIME_SEC),
    durationSec: int64('How long the range is, in seconds.', 1, MAX_TIME_SEC),
  }),
  response: {
    presenceWindows: mapOf(
      listOf(TIME_WINDOW_SCHEMA, 'In order, without overlaps.'),
      `The windows: \`${STORED}\` and \`${ON_CAMERA}\`.`,
    ),
  },
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      startTimeSec: EXAMPLE_TIME_MS / 1_000,
      durationSec: 7_200,
    },
    response: {
      presenceWindows: {
        [STORED]: [{ startSeconds: EXAMPLE_TIME_MS / 1_000, durationSeconds: 5_400 }],
        [ON_CAMERA]: [],
      },
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, startTimeSec, durationSec }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const windows = await services.footage.windows(camera.uuid, startTimeSec, durationSec);
    return { presenceWindows: { [STORED]: windows, [ON_CAMERA]: [] } };
  },
});

const HOUR_MS = 3_600_000;
const MAX_JOIN_MS = 86_400_000;

const SPAN_SCHEMA = namedType('RecordedSpanType', {
  fromMs: int64('When it begins, epoch milliseconds.'),
  toMs: int64('When it ends, exclusive.'),
});

const CAMERA_SPANS_SCHEMA = namedType('CameraRecordedSpansType', {
  cameraUuid: ruuid('The camera.'),
  spans: listOf(SPAN_SCHEMA, `In order, without overlaps, at most ${MAX_SPANS}.`),
  pictures: listOf(SPAN_SCHEMA, `Of these, when only pictures are left, at most ${MAX_SPANS}.`),
  joinedMs: int64('Gaps up to this long are left out: more than `joinMs` if there were too many spans.'),
});

const getRecordedSpans = defineEndpoint({
  path: '/api/camera/getRecordedSpans',
  summary: 'Lists when cameras were recorded.',
  description:
    `For a timeline of up to ${MAX_SPANS_CAMERAS} cameras, in one call. The range can have up to 32 days. If it has more than 300 ` +
    'hours, counted for each camera, `exact` is false, and gaps of less than an hour may be missing. `nowMs` is the ' +
    'gateway’s clock: nothing is recorded beyond it.',
  isExtension: true,
  request: Type.Object({
    cameraUuids: listOf(deviceUuid('The camera.'), 'The cameras.', MAX_SPANS_CAMERAS),
    fromMs: int64('Start of the range, epoch milliseconds.', 0, MAX_TIME_MS),
    toMs: int64('End of the range, exclusive.', 0, MAX_TIME_MS),
    joinMs: Type.Optional(
      int64(
        `Gaps up to this long are left out, such as those too short to be seen. Default ${MIN_JOIN_MS}, also the least.`,
        0,
        MAX_JOIN_MS,
      ),
    ),
  }),
  response: {
    cameras: listOf(CAMERA_SPANS_SCHEMA, 'In the order of the request; one that is named twice counts once.'),
    exact: flag('Whether each segment was looked at.'),
    nowMs: int64('The time of the gateway, epoch milliseconds.'),
  },
  example: {
    request: {
      cameraUuids: [EXAMPLE_CAMERA_UUID],
      fromMs: EXAMPLE_TIME_MS,
      toMs: EXAMPLE_TIME_MS + 2 * HOUR_MS,
      joinMs: 5_000,
    },
    response: {
      cameras: [
        {
          cameraUuid: EXAMPLE_CAMERA_UUID,
          spans: [{ fromMs: EXAMPLE_TIME_MS, toMs: EXAMPLE_TIME_MS + HOUR_MS }],
          pictures: [],
          joinedMs: 5_000,
        },
      ],
      exact: true,
      nowMs: EXAMPLE_TIME_MS + 2 * HOUR_MS,
    },
  },
  async handler({ orgUuid, services }, { cameraUuids, fromMs, toMs, joinMs = MIN_JOIN_MS }) {
    if (toMs <= fromMs) throw invalidField('toMs must be after fromMs.');
    if (toMs - fromMs > MAX_SPANS_RANGE_MS) throw invalidField('The range can have at most 32 days.');
    const named = await Promise.all(
      [...new Set(cameraUuids)].map((each) => services.devices.findCamera(orgUuid, each)),
    );
    const uuids = [...new Set(named.map(({ camera }) => camera.uuid))];
    const recorded = await services.recordedSpans.of({ cameraUuids: uuids, fromMs, toMs, joinMs });
    return {
      cameras: recorded.cameras.map(({ spans, pictures, ...camera }) => ({
        ...camera,
        spans: [...spans],
        pictures: [...pictures],
      })),
      exact: recorded.isExact,
      nowMs: recorded.nowMs,
    };
  },
});

/** 31 days. */
const MAX_RANGE_SEC = 31 * 86_400;

const SEEKPOINT_SCHEMA = namedType('FootageSeekPointV2', {
  ts: int64('When it happened, epoch milliseconds.'),
  a: nullable(plainText('What happened, such as `MOTION_HUMAN`; `CUSTOM`: someone named the moment.')),
  al: flag('Whether it raised a policy alert.'),
  cd: nullable(plainText('Description of the alert, or of the moment.')),
  cdn: nullable(plainText('Name of the moment, if someone named it.')),
  cc: nullable(oneOf(SEEK_POINT_COLORS, 'The color that was chosen for it.')),
  dcao: flag('Whether players should show it over the video.'),
});

const getFootageSeekpointsV2 = defineEndpoint({
  path: '/api/camera/getFootageSeekpointsV2',
  summary: "Lists moments of a camera's footage that are worth seeking to.",
  description:
    'One for each trigger of each policy alert of the camera, and one for each moment that `createCustomFootageSeekpoints` named, in the ' +
    'order of their times. Sluice itself detects nothing. ' +
    'Send `startTime` in epoch seconds; milliseconds are recognized. More than 20,000 alerts are refused: choose a shorter range.',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    startTime: int64('Start of the range, epoch seconds.', 0, MAX_TIME_MS),
    duration: int32('How long the range is, in seconds.', 1, MAX_RANGE_SEC),
    includeAnyMotion: Type.Optional(flagOrWord('Also those of plain motion (`MOTION`). Default false.')),
  }),
  response: { footageSeekPoints: listOf(SEEKPOINT_SCHEMA, 'In the order of their times.') },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, startTime: EXAMPLE_TIME_MS / 1_000, duration: 3_600 },
    response: {
      footageSeekPoints: [
        {
          ts: EXAMPLE_TIME_MS + 60_000,
          a: 'MOTION_HUMAN',
          al: true,
          cd: 'Person at the gate',
          cdn: null,
          cc: null,
          dcao: false,
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, startTime, duration, includeAnyMotion = false }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const fromMs = epochMsOf(startTime);
    const toMs = fromMs + duration * 1_000;
    const moments = await services.policyAlerts.moments(orgUuid, camera.uuid, fromMs, toMs);
    const custom = await services.customSeekPoints.ofCamera(orgUuid, camera.uuid, { fromMs, toMs });
    const points = [
      ...moments
        .filter(({ activity }) => includeAnyMotion || activity !== 'MOTION')
        .map((moment) => ({ atMs: moment.atMs, moment, point: null })),
      ...custom.map((point) => ({ atMs: point.timestampMs, moment: null, point })),
    ].sort((one, other) => one.atMs - other.atMs);
    return {
      footageSeekPoints: LongList.of(points).map(({ atMs, moment, point }) => ({
        ts: atMs,
        a: point === null ? moment.activity : 'CUSTOM',
        al: point === null,
        cd: point === null ? moment.description : point.description,
        cdn: point?.name ?? null,
        cc: point?.color ?? null,
        dcao: point?.displayOverlay ?? false,
      })),
    };
  },
});

const MAX_FILTER_ENTRIES = 1_000;
const MS_PER_SEC = 1_000;

const POINT_SCHEMA = namedType('SeekpointIndexType', {
  timestampMs: int64('The moment, epoch milliseconds.'),
  customDisplayName: plainText('What it is called.'),
  customDescription: plainText('What happened.'),
  deviceUuid: deviceFacetUuid('The camera.'),
  locationUuid: nullable(ruuid("The camera's location.")),
  orgUuid: ruuid('The organization.'),
});

const getCustomFootageSeekpointsV2 = defineEndpoint({
  path: '/api/camera/getCustomFootageSeekpointsV2',
  summary: "Lists named moments of cameras' footage.",
  description:
    'Those of `createCustomFootageSeekpoints`, in the order of their times. Every field narrows the list; without any, it is all of them. ' +
    'Send `startTime` in epoch seconds; milliseconds are recognized. `getFootageSeekpointsV2` also has their colors. More than 20,000 are refused.',
  request: Type.Object({
    deviceUuids: Type.Optional(
      listOf(deviceFacetUuid('Camera.'), 'Only of these cameras. Empty: of all.', MAX_FILTER_ENTRIES),
    ),
    locationUuids: Type.Optional(
      listOf(ruuid('Location.'), 'Only of cameras at these locations. Empty: wherever.', MAX_FILTER_ENTRIES),
    ),
    startTime: Type.Optional(int64('Start of the range, epoch seconds.', 0, MAX_TIME_MS)),
    duration: Type.Optional(
      int64('How long the range is, in seconds. Default: without an end.', 1, MAX_TIME_MS),
    ),
    customDisplayName: Type.Optional(text('Only those whose name has this in it, in any case.')),
    customDescription: Type.Optional(text('Only those whose description has this in it, in any case.')),
  }),
  response: { customFootageSeekPoints: listOf(POINT_SCHEMA, 'In the order of their times.') },
  example: {
    request: { deviceUuids: [EXAMPLE_CAMERA_UUID], startTime: EXAMPLE_TIME_MS / MS_PER_SEC, duration: 3_600 },
    response: {
      customFootageSeekPoints: [
        {
          timestampMs: EXAMPLE_TIME_MS,
          customDisplayName: 'Delivery',
          customDescription: '',
          deviceUuid: EXAMPLE_CAMERA_UUID,
          locationUuid: null,
          orgUuid: EXAMPLE_ORG_UUID,
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { deviceUuids = [], locationUuids = [], ...requested }) {
    const { startTime = 0, duration, customDisplayName = '', customDescription = '' } = requested;
    const fromMs = epochMsOf(startTime);
    const [name, description] = [customDisplayName.toLowerCase(), customDescription.toLowerCase()];
    const found = await services.customSeekPoints.find(orgUuid, {
      cameraUuids: deviceUuids.map((each) => parseDeviceFacetUuid(each)!.uuid),
      locationUuids,
      fromMs,
      toMs: duration === undefined ? Number.POSITIVE_INFINITY : fromMs + duration * MS_PER_SEC,
      isWanted: (point) =>
        point.name.toLowerCase().includes(name) && point.description.toLowerCase().includes(description),
    });
    return {
      customFootageSeekPoints: LongList.of(found).map((point) => ({
        timestampMs: point.timestampMs,
        customDisplayName: point.name,
        customDescription: point.description,
        deviceUuid: point.cameraUuid,
        locationUuid: point.locationUuid,
        orgUuid,
      })),
    };
  },
});

const MAX_POINTS_PER_REQUEST = 100;
const MAX_DESCRIPTION_LENGTH = 1_024;

const NEW_POINT_SCHEMA = namedType('CustomFootageSeekPointType', {
  timestampMs: int64WithoutFraction('The moment, epoch milliseconds.', 0, MAX_TIME_MS),
  name: text('What it is called.', MAX_NAME_LENGTH),
  description: Type.Optional(text('What happened. Default: empty.', MAX_DESCRIPTION_LENGTH)),
  color: Type.Optional(oneOf(SEEK_POINT_COLORS, 'In which color to show it.')),
  displayOverlay: Type.Optional(flag('Whether players should show it over the video. Default false.')),
});

const createCustomFootageSeekpoints = defineEndpoint({
  path: '/api/camera/createCustomFootageSeekpoints',
  summary: "Names moments of a camera's footage.",
  description:
    '`getFootageSeekpointsV2` and `getCustomFootageSeekpointsV2` list them. A point with the time and the name of an existing one ' +
    `replaces it, so a request can be sent again. A camera can have ${MAX_SEEK_POINTS_PER_CAMERA.toLocaleString('en-US')}; ` +
    'a request that would exceed that adds none. They are deleted with the camera. Anyone who has a link to the camera does not see them.',
  repetition: 'once',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    footageSeekPoints: listOf(
      NEW_POINT_SCHEMA,
      `The points, at most ${MAX_POINTS_PER_REQUEST}.`,
      MAX_POINTS_PER_REQUEST,
    ),
  }),
  response: {},
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      footageSeekPoints: [{ timestampMs: EXAMPLE_TIME_MS, name: 'Delivery', color: 'TEAL' }],
    },
    response: {},
  },
  async handler({ orgUuid, services }, { cameraUuid, footageSeekPoints }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const points = footageSeekPoints.map(
      ({ description = '', color = null, displayOverlay = false, ...point }) => ({
        ...point,
        description,
        color,
        displayOverlay,
      }),
    );
    await services.customSeekPoints.add(orgUuid, camera.uuid, points);
    return {};
  },
});

const MAX_CAMERAS = 100;

const RESULT_SCHEMA = namedType('DeleteCustomFootageSeekpointsWSResponse_SeekPointDeleteResponse', {
  err: flag('Whether nothing could be deleted.'),
  errMsg: nullable(plainText('Why; null: it was.')),
});

const deleteCustomFootageSeekpoints = defineEndpoint({
  path: '/api/camera/deleteCustomFootageSeekpoints',
  summary: "Deletes named moments of cameras' footage.",
  description:
    'Those of `createCustomFootageSeekpoints`, from the start to the end, both included. Without `customName`, whatever their names. ' +
    'A camera without such points is no failure.',
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuids: listOf(deviceFacetUuid('Camera.'), `At most ${MAX_CAMERAS}.`, MAX_CAMERAS),
    startTimestampMs: int64('From here on, epoch milliseconds.', 0, MAX_TIME_MS),
    endTimestampMs: int64('Up to here, epoch milliseconds.', 0, MAX_TIME_MS),
    customName: Type.Optional(text('Only those with exactly this name.', MAX_NAME_LENGTH)),
  }),
  response: { deleteSeekpointResponseMap: mapOf(RESULT_SCHEMA, 'What happened, by camera as it was named.') },
  example: {
    request: {
      cameraUuids: [EXAMPLE_CAMERA_UUID],
      customName: 'Delivery',
      startTimestampMs: EXAMPLE_TIME_MS,
      endTimestampMs: EXAMPLE_TIME_MS,
    },
    response: { deleteSeekpointResponseMap: { [EXAMPLE_CAMERA_UUID]: { err: false, errMsg: null } } },
  },
  async handler({ orgUuid, services }, { cameraUuids, startTimestampMs, endTimestampMs, customName }) {
    const results: Record<string, { err: boolean; errMsg: string | null }> = {};
    for (const each of cameraUuids) {
      try {
        const { camera } = await services.devices.findCamera(orgUuid, each);
        await services.customSeekPoints.remove(orgUuid, camera.uuid, {
          fromMs: startTimestampMs,
          toMs: endTimestampMs + 1,
          isWanted: ({ name }) => customName === undefined || name === customName,
        });
        results[each] = { err: false, errMsg: null };
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (error.code !== DEVICE_ERRORS.CAMERA_NOT_FOUND.code) throw error;
        results[each] = { err: true, errMsg: DEVICE_ERRORS.CAMERA_NOT_FOUND.message };
      }
    }
    return { deleteSeekpointResponseMap: results };
  },
});

export const FOOTAGE_ENDPOINTS: readonly Endpoint[] = [
  getPresenceWindows,
  getRecordedSpans,
  getFootageSeekpointsV2,
  getCustomFootageSeekpointsV2,
  createCustomFootageSeekpoints,
  deleteCustomFootageSeekpoints,
];
