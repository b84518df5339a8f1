/** Policy alerts. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { PolicyAlertBody } from '../../events/policy-alerts.ts';
import { sortFaces, sortVehicles } from '../../events/recognition.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableFields, type ResponseFields } from '../../http/fields/field-groups.ts';
import {
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import type { StoredEvent } from '../../store/event.ts';
import { FISHEYE_MAP } from '../types/clip-fields.ts';
import {
  BOUNDING_BOX_FIELDS,
  type GivenBoundingBox,
  type GivenSeekPoint,
  responseBoxes,
  responseRecordList,
  responseSeekPoints,
  SEEK_POINT_FIELDS,
} from '../types/detection-type.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  ALERT_FOOTAGE_FIELDS,
  EXAMPLE_ALERT_EVENT,
  EXAMPLE_ALERT_UUID,
  EXAMPLE_POLICY_ALERT,
  type KnownAlertBody,
  POLICY_ALERT_SCHEMA,
  policyAlertResponse,
  RESPONSE_RECORD_PROPERTIES,
} from './policy-alert-types.ts';

const getPolicyAlert = defineEndpoint({
  path: '/api/event/getPolicyAlert',
  summary: 'Reads one policy alert.',
  description: 'Alerts are reported through `/api/ingest/policyAlerts`. What was not reported is absent.',
  request: Type.Object({ policyAlertUuid: ruuid('The alert.') }),
  response: { policyAlert: POLICY_ALERT_SCHEMA },
  example: {
    request: { policyAlertUuid: EXAMPLE_ALERT_UUID },
    response: { policyAlert: EXAMPLE_POLICY_ALERT },
  },
  async handler({ orgUuid, services }, { policyAlertUuid }) {
    return {
      policyAlert: policyAlertResponse(await services.policyAlerts.find(orgUuid, policyAlertUuid)),
    };
  },
});

const FACES = RESPONSE_RECORD_PROPERTIES.alertingEventFaces;
const VEHICLES = RESPONSE_RECORD_PROPERTIES.alertingEventVehicles;
const BOXES = responseRecordList('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.');
const SEEK_POINTS = responseRecordList('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.');

const { clientType, thirdPartyDeviceName } = nullableFields(ALERT_FOOTAGE_FIELDS);

const ALERT_WITH_DETAILS_SCHEMA = namedType('PolicyAlertWithDetails', {
  ...POLICY_ALERT_SCHEMA.properties,
  clientType,
  thirdPartyDeviceName,
  recognizedEventFaces: FACES,
  recognizedEventVehicles: VEHICLES,
  unrecognizedEventFaces: FACES,
  unrecognizedEventVehicles: VEHICLES,
  boundingBoxes: BOXES,
  boundingBoxesMap: mapOf(BOXES, 'Boxes, by device.'),
  seekPoints: SEEK_POINTS,
  seekPointsMap: mapOf(SEEK_POINTS, 'Points in time, by device.'),
  componentCompositeSeekPointsMap: mapOf(SEEK_POINTS, 'Points in time, by component.'),
});

const getPolicyAlertDetails = defineEndpoint({
  path: '/api/event/getPolicyAlertDetails',
  summary: 'Reads one policy alert with what its footage shows.',
  description:
    'Like `/api/event/getPolicyAlert`, with what was reported about the footage. A face counts as recognized if it ' +
    'has a name or a person, a vehicle if it has a name.',
  request: Type.Object({ policyAlertUuid: ruuid('The alert.') }),
  response: { policyAlert: ALERT_WITH_DETAILS_SCHEMA },
  example: {
    request: { policyAlertUuid: EXAMPLE_ALERT_UUID },
    response: { policyAlert: detailsResponse(EXAMPLE_ALERT_EVENT) },
  },
  async handler({ orgUuid, services }, { policyAlertUuid }) {
    return { policyAlert: detailsResponse(await services.policyAlerts.find(orgUuid, policyAlertUuid)) };
  },
});

function detailsResponse(event: StoredEvent): Static<typeof ALERT_WITH_DETAILS_SCHEMA> {
  const body = event.body as KnownAlertBody;
  const response = policyAlertResponse(event);
  const faces = sortFaces(response.alertingEventFaces);
  const vehicles = sortVehicles(response.alertingEventVehicles);
  return {
    ...response,
    clientType: body.clientType ?? null,
    thirdPartyDeviceName: body.thirdPartyDeviceName ?? null,
    recognizedEventFaces: faces.recognized,
    recognizedEventVehicles: vehicles.recognized,
    unrecognizedEventFaces: faces.unrecognized,
    unrecognizedEventVehicles: vehicles.unrecognized,
    boundingBoxes: responseBoxes(body.boundingBoxes),
    boundingBoxesMap: eachResponse(body.boundingBoxesMap, responseBoxes),
    seekPoints: responseSeekPoints(body.seekPoints),
    seekPointsMap: eachResponse(body.seekPointsMap, responseSeekPoints),
    componentCompositeSeekPointsMap: eachResponse(body.componentCompositeSeekPointsMap, responseSeekPoints),
  };
}

function eachResponse<
  Given extends GivenBoundingBox | GivenSeekPoint,
  Responded extends ResponseFields<typeof BOUNDING_BOX_FIELDS> | ResponseFields<typeof SEEK_POINT_FIELDS>,
>(
  lists: Readonly<Record<string, readonly Given[]>> = {},
  responded: (list: readonly Given[]) => Responded[],
): Record<string, Responded[]> {
  return Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, responded(list)]));
}

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;
const MAX_FILTER_ENTRIES = 500;
const ALERT_LIST_PROPERTIES = {
  afterTimestampMs: Type.Optional(
    int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  beforeTimestampMs: Type.Optional(
    int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  deviceFilter: Type.Optional(
    listOf(
      deviceUuid('Device.'),
      `Only alerts of these devices, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  locationFilter: Type.Optional(
    listOf(
      ruuid('Location.'),
      `Only alerts at these locations, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  onlyUnacknowledged: Type.Optional(flag('Only alerts that no one has acknowledged.')),
  lastTimestampMs: Type.Optional(
    int64('`timestampMs` of the oldest alert of the previous page.', 0, MAX_TIME_MS),
  ),
  lastUuid: Type.Optional(ruuid('`uuid` of the oldest alert of the previous page.')),
  maxResults: Type.Optional(int32(`Maximum number of alerts. Default ${DEFAULT_RESULTS}.`, 1, MAX_RESULTS)),
};

const ALERT_LIST_REQUEST = Type.Object(ALERT_LIST_PROPERTIES);

/** `doorUuids`: only alerts of these doors. Fails INVALID_FIELD for half a page key, POLICY_ALERT_SEARCH_TOO_LONG. */
function listAlerts(
  { orgUuid, services }: CallContext,
  body: Static<typeof ALERT_LIST_REQUEST>,
  doorUuids?: readonly Ruuid[],
): Promise<StoredEvent[]> {
  const { lastTimestampMs, lastUuid, deviceFilter, locationFilter } = body;
  if ((lastTimestampMs === undefined) !== (lastUuid === undefined)) {
    throw invalidField('lastTimestampMs and lastUuid must be sent together.');
  }
  return services.policyAlerts.page(orgUuid, {
    fromMs: body.afterTimestampMs ?? 0,
    toMs: body.beforeTimestampMs ?? MAX_TIME_MS + 1,
    ...(body.onlyUnacknowledged === true ? { isOpen: true } : {}),
    ...(deviceFilter === undefined ? {} : { deviceUuids: deviceFilter }),
    ...(locationFilter === undefined ? {} : { locationUuids: locationFilter }),
    ...(doorUuids === undefined ? {} : { componentUuids: doorUuids }),
    after:
      lastTimestampMs === undefined || lastUuid === undefined
        ? null
        : { atMs: lastTimestampMs, id: lastUuid },
    limit: body.maxResults ?? DEFAULT_RESULTS,
  });
}

const getPolicyAlerts = defineEndpoint({
  path: '/api/event/getPolicyAlerts',
  summary: 'Lists the policy alerts of the organization, including those of doors.',
  description:
    'Newest first. To get the next page, send back the `timestampMs` and `uuid` of the last alert as ' +
    '`lastTimestampMs` and `lastUuid`. A page shorter than `maxResults` is the last one. Alerts that arrive in the ' +
    'meantime are neither repeated nor hide others. With both `deviceFilter` and `accessControlledDoorFilter`, an ' +
    'alert matches if it is about one of these devices or one of these doors.',
  request: Type.Object({
    ...ALERT_LIST_PROPERTIES,
    accessControlledDoorFilter: Type.Optional(
      listOf(
        ruuid('Door.'),
        `Only alerts whose \`componentUuid\` is one of these doors, at most ${MAX_FILTER_ENTRIES}.`,
        MAX_FILTER_ENTRIES,
      ),
    ),
  }),
  response: { policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.') },
  example: {
    request: { afterTimestampMs: EXAMPLE_TIME_MS, deviceFilter: [EXAMPLE_CAMERA_UUID], maxResults: 100 },
    response: { policyAlerts: [EXAMPLE_POLICY_ALERT] },
  },
  async handler(context, { accessControlledDoorFilter, ...body }) {
    const events = await listAlerts(context, body, accessControlledDoorFilter);
    return { policyAlerts: LongList.of(events).map(policyAlertResponse) };
  },
});

const getPolicyAlertsV2 = defineEndpoint({
  path: '/api/event/getPolicyAlertsV2',
  summary: 'Lists the policy alerts of the organization.',
  description:
    'Newest first. To get the next page, send back the `timestampMs` and `uuid` of `oldestPolicyAlert` as ' +
    '`lastTimestampMs` and `lastUuid`. A page shorter than `maxResults` is the last one. Alerts that arrive in the ' +
    'meantime are neither repeated nor hide others.',
  isDeprecated: true,
  request: Type.Object(ALERT_LIST_PROPERTIES),
  response: {
    policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.'),
    oldestPolicyAlert: nullable(POLICY_ALERT_SCHEMA),
  },
  example: {
    request: { afterTimestampMs: EXAMPLE_TIME_MS, deviceFilter: [EXAMPLE_CAMERA_UUID], maxResults: 100 },
    response: { policyAlerts: [EXAMPLE_POLICY_ALERT], oldestPolicyAlert: EXAMPLE_POLICY_ALERT },
  },
  async handler(context, body) {
    const events = await listAlerts(context, body);
    const oldest = events.at(-1);
    return {
      policyAlerts: LongList.of(events).map(policyAlertResponse),
      oldestPolicyAlert: oldest === undefined ? null : policyAlertResponse(oldest),
    };
  },
});

const MAX_ALERTS = 500;

const getExpiringPolicyAlerts = defineEndpoint({
  path: '/api/event/getExpiringPolicyAlerts',
  summary: 'Lists policy alerts whose clips will be deleted soon.',
  description:
    `Newest first, among the ${MAX_ALERTS} newest alerts of that age: those with a clip that is deleted because of its age ` +
    '(`clips.keepOfAlerts`) within 30 days, and that no one saved. Clips that are deleted earlier, to make room, are not predicted.',
  request: Type.Object({}),
  response: { policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.') },
  example: { request: {}, response: { policyAlerts: [EXAMPLE_POLICY_ALERT] } },
  async handler({ orgUuid, services }) {
    const toMs = services.clips.alertsExpiringBeforeMs();
    const old = await services.policyAlerts.page(orgUuid, {
      fromMs: 0,
      toMs,
      after: null,
      limit: MAX_ALERTS,
    });
    const expiring = old.filter(({ body }) => {
      const { clipLocation, saved } = body as PolicyAlertBody;
      return clipLocation !== undefined && saved !== true;
    });
    return { policyAlerts: LongList.of(expiring).map(policyAlertResponse) };
  },
});

/** Alerts further apart are not of one group. */
const MAX_GAP_MS = 300_000;

const GROUP_SCHEMA = namedType('PolicyAlertGroupV2', {
  startTime: int64('When the first alert was raised, in epoch milliseconds.'),
  endTime: int64('When the last alert was raised, in epoch milliseconds.'),
  policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts, newest first.'),
});

const getPolicyAlertGroupsV2 = defineEndpoint({
  path: '/api/event/getPolicyAlertGroupsV2',
  summary: 'Lists the policy alerts that no one has dismissed, in groups.',
  description:
    'Newest first. A group has alerts of which each was raised at most 5 minutes after the one before. `maxResults` counts alerts. To ' +
    'get the next page, send `timestampMs` and `uuid` of the last alert as `lastTimestampMs` and `lastUuid`: its first group can ' +
    'continue the last one of this page. Acknowledged alerts are left out.',
  request: Type.Object({
    afterTimestampMs: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    beforeTimestampMs: Type.Optional(
      int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    deviceUuids: Type.Optional(
      listOf(deviceUuid('Device.'), 'Only alerts of these devices.', MAX_FILTER_ENTRIES),
    ),
    locationUuids: Type.Optional(
      listOf(ruuid('Location.'), 'Only alerts at these locations.', MAX_FILTER_ENTRIES),
    ),
    lastTimestampMs: Type.Optional(
      int64('`timestampMs` of the last alert of the previous page.', 0, MAX_TIME_MS),
    ),
    lastUuid: Type.Optional(ruuid('`uuid` of the last alert of the previous page.')),
    maxResults: Type.Optional(int32(`Maximum number of alerts. Default ${DEFAULT_RESULTS}.`, 1, MAX_RESULTS)),
  }),
  response: { policyAlertGroups: listOf(GROUP_SCHEMA, 'The groups.') },
  example: {
    request: { maxResults: 100 },
    response: {
      policyAlertGroups: [
        { startTime: EXAMPLE_TIME_MS, endTime: EXAMPLE_TIME_MS, policyAlerts: [EXAMPLE_POLICY_ALERT] },
      ],
    },
  },
  async handler(context, { deviceUuids, locationUuids, ...range }) {
    const alerts = await listAlerts(context, {
      ...range,
      ...(deviceUuids === undefined ? {} : { deviceFilter: deviceUuids }),
      ...(locationUuids === undefined ? {} : { locationFilter: locationUuids }),
      onlyUnacknowledged: true,
    });
    return { policyAlertGroups: groupsOf(alerts).map(groupResponse) };
  },
});

/** `alerts`: newest first. */
function groupsOf(alerts: readonly StoredEvent[]): StoredEvent[][] {
  const groups: StoredEvent[][] = [];
  for (const alert of alerts) {
    const group = groups.at(-1);
    const later = group?.at(-1);
    if (group !== undefined && later !== undefined && later.atMs - alert.atMs <= MAX_GAP_MS)
      group.push(alert);
    else groups.push([alert]);
  }
  return groups;
}

function groupResponse(alerts: readonly StoredEvent[]) {
  return {
    startTime: alerts.at(-1)!.atMs,
    endTime: alerts[0]!.atMs,
    policyAlerts: alerts.map(policyAlertResponse),
  };
}

const MAX_DESCRIPTION_LENGTH = 4_096;

const savePolicyAlertV2 = defineEndpoint({
  path: '/api/event/savePolicyAlertV2',
  summary: 'Saves a policy alert as a clip.',
  description:
    'The clip takes its device, time and footage data from the alert, which is `saved` from then on. If the alert ' +
    'was saved before, it keeps its clip, with the title, description and views of this call.',
  repetition: 'once',
  request: Type.Object({
    alertUuid: ruuid('The alert.'),
    savedClipTitle: Type.Optional(text('Title; default: the alert’s description.')),
    savedClipDescription: Type.Optional(text('A description.', MAX_DESCRIPTION_LENGTH)),
    fisheyePresentationMap: Type.Optional(FISHEYE_MAP),
  }),
  response: {},
  example: {
    request: { alertUuid: EXAMPLE_ALERT_UUID, savedClipTitle: 'Delivery at the dock' },
    response: {},
  },
  async handler(
    { orgUuid, caller, services },
    { alertUuid, savedClipTitle, savedClipDescription, ...views },
  ) {
    const { fisheyePresentationMap } = views;
    await services.savedClips.saveAlert(orgUuid, alertUuid, {
      userUuid: caller.actor.uuid,
      ...(savedClipTitle === undefined ? {} : { title: savedClipTitle }),
      ...(savedClipDescription === undefined ? {} : { description: savedClipDescription }),
      ...(fisheyePresentationMap === undefined ? {} : { fisheyeMap: fisheyePresentationMap }),
    });
    return {};
  },
});

export const POLICY_ALERT_ENDPOINTS: readonly Endpoint[] = [
  getPolicyAlert,
  getPolicyAlertDetails,
  getPolicyAlerts,
  getPolicyAlertsV2,
  getExpiringPolicyAlerts,
  getPolicyAlertGroupsV2,
  savePolicyAlertV2,
];
