/** Licenses of an organization, for its partner. */

import { type Static, Type } from 'typebox';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LICENSE_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../../api/types/examples.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { DEVICE_TYPES } from '../../devices/device-types.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  dateTime,
  flag,
  int32,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import {
  ADD_ON_LICENSES,
  LICENSE_FAMILIES,
  LICENSE_STATES,
  type License,
  type LicenseState,
  PERCEPTION_TYPES,
  PRODUCT_TYPES,
  UNASSIGN_EMAIL_STATES,
} from '../devices/license.ts';

/** The LicenseUsage type of the API (docs/spec/rules.md#licenses) and its conversion from the store. */
const LICENSE_SCHEMA = namedType('LicenseUsage', {
  uuid: ruuid('The license.'),
  orgUuid: ruuid('The organization that has it.'),
  deviceUuid: nullable(ruuid('The device that it is assigned to.')),
  deviceType: nullable(oneOf(DEVICE_TYPES, 'The type of that device.')),
  claimKeyUuid: nullable(ruuid('The claim key that it came with.')),
  priorClaimKeyUuid: nullable(ruuid('The claim key before its renewal.')),
  productCode: nullable(plainText('What was bought.')),
  productType: nullable(oneOf(PRODUCT_TYPES, 'The type of product.')),
  license: nullable(oneOf(ADD_ON_LICENSES, 'What it allows.')),
  addOnLicenseType: nullable(oneOf(ADD_ON_LICENSES, 'What it adds to a device that has a license.')),
  licenseFamily: nullable(oneOf(LICENSE_FAMILIES, 'The devices that it is for.')),
  licenseToUnassignEmailState: nullable(
    oneOf(UNASSIGN_EMAIL_STATES, 'The state of the emails that warn of its removal from the device.'),
  ),
  cloudArchiveDays: nullable(int32('How many days recordings are kept.')),
  trial: flag('True if it is a trial.'),
  state: oneOf(LICENSE_STATES, 'Its current state, computed from its dates and from decisions about it.'),
  additionalPerceptionFeatures: listOf(
    oneOf(PERCEPTION_TYPES, 'Feature.'),
    'Analytics in addition to its own.',
  ),
  perceptionTypes: listOf(oneOf(PERCEPTION_TYPES, 'Feature.'), 'Analytics that it allows.'),
  createdOn: dateTime('When it was first reported.'),
  updatedOn: dateTime('When it was last reported.'),
  firstAssignedDate: nullable(dateTime('When it was first assigned to a device.')),
  maxDeleteDate: nullable(dateTime('When it can be deleted permanently.')),
});

function licenseResponse(license: License, state: LicenseState): Static<typeof LICENSE_SCHEMA> {
  const { body } = license;
  return {
    uuid: license.uuid,
    orgUuid: license.orgUuid,
    deviceUuid: license.parentUuid,
    deviceType: body.deviceType ?? null,
    claimKeyUuid: (body.claimKeyUuid as Ruuid | undefined) ?? null,
    priorClaimKeyUuid: (body.priorClaimKeyUuid as Ruuid | undefined) ?? null,
    productCode: body.productCode ?? null,
    productType: body.productType ?? null,
    license: body.license ?? null,
    addOnLicenseType: body.addOnLicenseType ?? null,
    licenseFamily: body.licenseFamily ?? null,
    licenseToUnassignEmailState: body.licenseToUnassignEmailState ?? null,
    cloudArchiveDays: body.cloudArchiveDays ?? null,
    trial: body.trial ?? false,
    state,
    additionalPerceptionFeatures: [...(body.additionalPerceptionFeatures ?? [])],
    perceptionTypes: [...(body.perceptionTypes ?? [])],
    createdOn: isoTime(license.createdAtMs),
    updatedOn: isoTime(license.updatedAtMs),
    firstAssignedDate: body.firstAssignedAtMs === undefined ? null : isoTime(body.firstAssignedAtMs),
    maxDeleteDate: body.maxDeleteAtMs === undefined ? null : isoTime(body.maxDeleteAtMs),
  };
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const getLicensesForOrg = defineEndpoint({
  path: '/api/partner/getLicensesForOrg',
  scheme: 'partner-api',
  isDeprecated: true,
  summary: 'Lists the licenses of a client organization.',
  description:
    'In the order in which they were first reported. `orgUuid` or `x-auth-org` names the organization; without ' +
    'either, it is the partner itself. Licenses are reported through `/api/ingest/licenses`.',
  request: Type.Object({ orgUuid: Type.Optional(ruuid('A client organization of the partner.')) }),
  response: { licenses: listOf(LICENSE_SCHEMA, 'The licenses.') },
  example: {
    request: { orgUuid: EXAMPLE_ORG_UUID },
    response: {
      licenses: [
        licenseResponse(
          {
            uuid: EXAMPLE_LICENSE_UUID,
            orgUuid: EXAMPLE_ORG_UUID,
            name: 'L-1',
            parentUuid: EXAMPLE_CAMERA_UUID,
            body: {
              productCode: 'CAM-1Y',
              productType: 'DEVICE',
              licenseFamily: 'CAMERA',
              deviceType: 'CAMERA',
              cloudArchiveDays: 30,
              perceptionTypes: ['PEOPLE_COUNTING'],
              firstAssignedAtMs: EXAMPLE_TIME_MS,
            },
            secret: null,
            createdAtMs: EXAMPLE_TIME_MS,
            updatedAtMs: EXAMPLE_TIME_MS,
          },
          'CLAIMED',
        ),
      ],
    },
  },
  async handler({ caller, services }, body) {
    const orgUuid = await services.organizations.meant(caller, body.orgUuid);
    const licenses = await services.licenses.list(orgUuid);
    return { licenses: licenses.map(({ license, state }) => licenseResponse(license, state)) };
  },
});

export const LICENSE_ENDPOINTS: readonly Endpoint[] = [getLicensesForOrg];
