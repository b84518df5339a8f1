/** POST /api/partner/getClientsV2: the client organizations of a partner. */

import { type Static, Type } from 'typebox';
import type { PartnerClient } from '../../accounts/organizations.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int32, int64, listOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const CLIENT_SCHEMA = namedType('PartnerClient', {
  clientOrgUuid: ruuid('The client organization; the value for `x-auth-org`.'),
  clientOrgName: plainText('Its name.'),
  authorityUuid: ruuid('The partner.'),
  clientAccessAllowed: flag('Always true: the keys of the partner act for its clients.'),
  createdAtMillis: int64('When the client was created, epoch milliseconds.'),
  totalCameras: int32('How many cameras it has, without removed ones.'),
  totalLocations: int32('How many locations it has.'),
});

export const getPartnerClientsV2 = defineEndpoint({
  path: '/api/partner/getClientsV2',
  scheme: 'partner-api',
  summary: 'Lists the client organizations of the partner.',
  description: 'In the order of their creation. With `x-auth-org`, the list is the client’s, which is empty.',
  request: Type.Object({}),
  response: { clients: listOf(CLIENT_SCHEMA, 'The clients.') },
  example: {
    request: {},
    response: {
      clients: [
        clientAnswer(deriveRuuid('example', 'partner'), {
          organization: {
            uuid: EXAMPLE_ORG_UUID,
            name: 'Harbour',
            partnerUuid: null,
            cameraNetworks: [],
            createdAtMs: EXAMPLE_TIME_MS,
          },
          cameraCount: 12,
          locationCount: 2,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const clients = await services.organizations.clientsOf(orgUuid);
    return { clients: LongList.of(clients).map((client) => clientAnswer(orgUuid, client)) };
  },
});

function clientAnswer(
  partnerUuid: Ruuid,
  { organization, cameraCount, locationCount }: PartnerClient,
): Static<typeof CLIENT_SCHEMA> {
  return {
    clientOrgUuid: organization.uuid,
    clientOrgName: organization.name,
    authorityUuid: partnerUuid,
    clientAccessAllowed: true,
    createdAtMillis: organization.createdAtMs,
    totalCameras: cameraCount,
    totalLocations: locationCount,
  };
}
