/** POST /api/event/getPolicyAlertDetails: one alert with what its footage shows. */

import { type Static, Type } from 'typebox';
import { sortFaces, sortVehicles } from '../../events/recognition.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { type AnsweredFields, nullableFields } from '../../http/fields/field-groups.ts';
import { mapOf, namedType, ruuid } from '../../http/fields/field-types.ts';
import type { StoredEvent } from '../../store/event.ts';
import {
  answeredBoxes,
  answeredRecordList,
  answeredSeekPoints,
  BOUNDING_BOX_FIELDS,
  type GivenBoundingBox,
  type GivenSeekPoint,
  SEEK_POINT_FIELDS,
} from '../types/detection-type.ts';
import { EXAMPLE_ALERT_EVENT, EXAMPLE_ALERT_UUID } from './policy-alert-example.ts';
import { ALERT_FOOTAGE_FIELDS } from './policy-alert-footage.ts';
import { ANSWERED_RECORD_PROPERTIES } from './policy-alert-records.ts';
import { type KnownAlertBody, POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

const FACES = ANSWERED_RECORD_PROPERTIES.alertingEventFaces;
const VEHICLES = ANSWERED_RECORD_PROPERTIES.alertingEventVehicles;
const BOXES = answeredRecordList('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.');
const SEEK_POINTS = answeredRecordList('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.');

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

export const getPolicyAlertDetails = defineEndpoint({
  path: '/api/event/getPolicyAlertDetails',
  summary: 'Reads one policy alert with what its footage shows.',
  description:
    'Like `/api/event/getPolicyAlert`, with what was reported about the footage. A face counts as recognized if it ' +
    'has a name or a person, a vehicle if it has a name.',
  request: Type.Object({ policyAlertUuid: ruuid('The alert.') }),
  response: { policyAlert: ALERT_WITH_DETAILS_SCHEMA },
  example: {
    request: { policyAlertUuid: EXAMPLE_ALERT_UUID },
    response: { policyAlert: detailsAnswer(EXAMPLE_ALERT_EVENT) },
  },
  async handler({ orgUuid, services }, { policyAlertUuid }) {
    return { policyAlert: detailsAnswer(await services.policyAlerts.find(orgUuid, policyAlertUuid)) };
  },
});

function detailsAnswer(event: StoredEvent): Static<typeof ALERT_WITH_DETAILS_SCHEMA> {
  const body = event.body as KnownAlertBody;
  const answer = policyAlertAnswer(event);
  const faces = sortFaces(answer.alertingEventFaces);
  const vehicles = sortVehicles(answer.alertingEventVehicles);
  return {
    ...answer,
    clientType: body.clientType ?? null,
    thirdPartyDeviceName: body.thirdPartyDeviceName ?? null,
    recognizedEventFaces: faces.recognized,
    recognizedEventVehicles: vehicles.recognized,
    unrecognizedEventFaces: faces.unrecognized,
    unrecognizedEventVehicles: vehicles.unrecognized,
    boundingBoxes: answeredBoxes(body.boundingBoxes),
    boundingBoxesMap: eachAnswered(body.boundingBoxesMap, answeredBoxes),
    seekPoints: answeredSeekPoints(body.seekPoints),
    seekPointsMap: eachAnswered(body.seekPointsMap, answeredSeekPoints),
    componentCompositeSeekPointsMap: eachAnswered(body.componentCompositeSeekPointsMap, answeredSeekPoints),
  };
}

function eachAnswered<
  Given extends GivenBoundingBox | GivenSeekPoint,
  Answered extends AnsweredFields<typeof BOUNDING_BOX_FIELDS> | AnsweredFields<typeof SEEK_POINT_FIELDS>,
>(
  lists: Readonly<Record<string, readonly Given[]>> = {},
  answered: (list: readonly Given[]) => Answered[],
): Record<string, Answered[]> {
  return Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, answered(list)]));
}
