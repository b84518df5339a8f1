/** POST /api/org/getOrgV2: the organization that the key acts for. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, mapOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const ORG_SCHEMA = namedType('OrgV2', {
  uuid: ruuid('The organization.'),
  name: plainText('Its name.'),
  createdAtMillis: int64('When it was created, epoch milliseconds.'),
});

const NO_FIELDS = Type.Object({});

export const getOrgV2 = defineEndpoint({
  path: '/api/org/getOrgV2',
  summary: 'Reads the organization that the API key acts for.',
  description:
    'With a partner key and `x-auth-org` this is the client organization. The maps are empty: Sluice takes video as ' +
    'cameras send it and has no defaults of its own.',
  request: Type.Object({}),
  response: {
    org: ORG_SCHEMA,
    featureFlags: mapOf(plainText('Value.'), 'Feature flags; empty.'),
    cameraConfigDefaults: mapOf(NO_FIELDS, 'Video settings by camera model; empty.'),
    cameraConfigOptions: mapOf(Type.Array(NO_FIELDS), 'Possible video settings by camera model; empty.'),
  },
  example: {
    request: {},
    response: {
      org: { uuid: EXAMPLE_ORG_UUID, name: 'Main street stores', createdAtMillis: EXAMPLE_TIME_MS },
      featureFlags: {},
      cameraConfigDefaults: {},
      cameraConfigOptions: {},
    },
  },
  async handler({ orgUuid, services }) {
    const org = await services.organizations.find(orgUuid);
    return {
      org: { uuid: org.uuid, name: org.name, createdAtMillis: org.createdAtMs },
      featureFlags: {},
      cameraConfigDefaults: {},
      cameraConfigOptions: {},
    };
  },
});
