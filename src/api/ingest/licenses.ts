/** Licenses: what an organization bought and what happened to it. */

import { Type } from 'typebox';
import { DEVICE_TYPES } from '../../devices/device-types.ts';
import {
  ADD_ON_LICENSES,
  LICENSE_FAMILIES,
  PERCEPTION_TYPES,
  PRODUCT_TYPES,
  UNASSIGN_EMAIL_STATES,
} from '../../devices/license.ts';
import { licenseReportRules } from '../../devices/report-rules.ts';
import { deviceUuid, flag, int32, listOf, oneOf, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind, MAX_ROW_ID_LENGTH, timeMs } from './define-ingest-kind.ts';

const perceptionTypes = (description: string) =>
  Type.Optional(listOf(oneOf(PERCEPTION_TYPES, 'Feature.'), description, PERCEPTION_TYPES.length));

const LICENSE_ROW = Type.Object({
  id: text('The license. A row whose id is known replaces what was reported before.', MAX_ROW_ID_LENGTH),
  deviceUuid: Type.Optional(deviceUuid('The device that it is assigned to.')),
  deviceType: Type.Optional(oneOf(DEVICE_TYPES, 'The type of that device.')),
  productCode: Type.Optional(text('What was bought.')),
  productType: Type.Optional(oneOf(PRODUCT_TYPES, 'The type of product.')),
  license: Type.Optional(oneOf(ADD_ON_LICENSES, 'What it allows.')),
  addOnLicenseType: Type.Optional(oneOf(ADD_ON_LICENSES, 'What it adds to a device that has a license.')),
  licenseFamily: Type.Optional(oneOf(LICENSE_FAMILIES, 'The devices that it is for.')),
  licenseToUnassignEmailState: Type.Optional(
    oneOf(UNASSIGN_EMAIL_STATES, 'The state of the emails that warn of its removal from the device.'),
  ),
  claimKeyUuid: Type.Optional(ruuid('The claim key that it came with.')),
  priorClaimKeyUuid: Type.Optional(ruuid('The claim key before its renewal.')),
  cloudArchiveDays: Type.Optional(int32('How many days recordings are kept.', 0)),
  trial: Type.Optional(flag('True if it is a trial.')),
  additionalPerceptionFeatures: perceptionTypes('Analytics in addition to its own.'),
  perceptionTypes: perceptionTypes('Analytics that it allows.'),
  firstAssignedAtMs: Type.Optional(timeMs('When it was first assigned to a device.')),
  expiresAtMs: Type.Optional(timeMs('When it expires.')),
  maxDeleteAtMs: Type.Optional(timeMs('When it expires permanently.')),
  returnRequested: Type.Optional(flag('True if its return was requested.')),
  renewalDeclined: Type.Optional(flag('True if it will not be renewed.')),
});

export const licenses = defineIngestKind({
  name: 'licenses',
  summary: 'Reports licenses of the organization.',
  description:
    'Read by `/api/partner/getLicensesForOrg`, which computes their state from the dates and decisions given here. `id` ' +
    'is unique among the organization’s licenses.',
  row: LICENSE_ROW,
  example: {
    id: 'L-1',
    deviceUuid: EXAMPLE_CAMERA_UUID,
    deviceType: 'CAMERA',
    productCode: 'CAM-1Y',
    productType: 'DEVICE',
    cloudArchiveDays: 30,
    firstAssignedAtMs: EXAMPLE_TIME_MS,
  },
  rules: licenseReportRules,
});
