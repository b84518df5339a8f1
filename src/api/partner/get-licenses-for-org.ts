/** POST /api/partner/getLicensesForOrg (docs/spec/rules.md#licenses): the licenses of a client organization. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LICENSE_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { LICENSE_SCHEMA, licenseAnswer } from './license-type.ts';

export const getLicensesForOrg = defineEndpoint({
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
        licenseAnswer(
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
    return { licenses: licenses.map(({ license, state }) => licenseAnswer(license, state)) };
  },
});
