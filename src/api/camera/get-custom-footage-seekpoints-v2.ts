/** POST /api/camera/getCustomFootageSeekpointsV2: the named moments of cameras' footage. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  int64,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { epochMsOf } from '../types/footage-times.ts';

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

export const getCustomFootageSeekpointsV2 = defineEndpoint({
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
          ...{ timestampMs: EXAMPLE_TIME_MS, customDisplayName: 'Delivery', customDescription: '' },
          ...{ deviceUuid: EXAMPLE_CAMERA_UUID, locationUuid: null, orgUuid: EXAMPLE_ORG_UUID },
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { deviceUuids = [], locationUuids = [], ...asked }) {
    const { startTime = 0, duration, customDisplayName = '', customDescription = '' } = asked;
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
        ...{ timestampMs: point.timestampMs, customDisplayName: point.name },
        ...{ customDescription: point.description, deviceUuid: point.cameraUuid },
        ...{ locationUuid: point.locationUuid, orgUuid },
      })),
    };
  },
});
