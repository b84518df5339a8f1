/** Provisioning by SCIM: tokens of directories, and what their groups may do. The requests of directories are in `api/scim`. */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { GroupMapping } from '../../scim/group-rights.ts';
import type { ScimGroup } from '../../scim/scim-group.ts';
import type { ScimRequest, ScimToken } from '../../scim/scim-tokens.ts';
import { ROLES } from '../../store/person.ts';
import { SHOWN_SCOPE, scopeResponse, WANTED_SCOPE, wantedScope } from '../types/access-scope-fields.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { NOTHING } from './console-types.ts';

const MAX_NAME_CHARS = 256;
const TOKEN_UUID = deriveRuuid('example', 'scim token');
const MAPPING_UUID = deriveRuuid('example', 'scim mapping');

const REQUEST_SCHEMA = namedType('ScimRequest', {
  atMs: int64('When it arrived, epoch milliseconds.'),
  method: plainText('The HTTP method.'),
  path: plainText('The path below the address, without its query.'),
  status: int32('The HTTP status of the response.'),
  detail: nullable(plainText('What the response said of a failure.')),
});

const TOKEN_SCHEMA = namedType('ScimToken', {
  tokenUuid: ruuid('The token.'),
  name: plainText('What the token is called.'),
  createdAtMs: int64('When it was created, epoch milliseconds.'),
  lastRequest: nullable(REQUEST_SCHEMA),
});

const MAPPING_SCHEMA = namedType('ScimMapping', {
  mappingUuid: ruuid('The mapping.'),
  group: plainText('The name of the group, or its `externalId`.'),
  role: oneOf(ROLES, 'The role of its members.'),
  scope: SHOWN_SCOPE,
});

const GROUP_SCHEMA = namedType('ScimGroup', {
  groupUuid: ruuid('The group.'),
  name: plainText('The name of the group in the directory.'),
  externalId: nullable(plainText('The ID of the group in the directory.')),
  memberCount: int32('How many people are in it.'),
});

const EXAMPLE_REQUEST: ScimRequest = {
  atMs: EXAMPLE_TIME_MS,
  method: 'PATCH',
  path: `/Users/${deriveRuuid('example', 'person')}`,
  status: 200,
  detail: null,
};
const EXAMPLE_MAPPING = {
  mappingUuid: MAPPING_UUID,
  group: 'Guards',
  role: 'operator' as const,
  scope: { locationUuids: [EXAMPLE_LOCATION_UUID], cameraUuids: [] },
};

function tokenResponse({
  token,
  lastRequest,
}: {
  readonly token: ScimToken;
  readonly lastRequest: ScimRequest | null;
}): Static<typeof TOKEN_SCHEMA> {
  const { uuid, name, createdAtMs } = token;
  return { tokenUuid: uuid, name, createdAtMs, lastRequest };
}

function mappingResponse({ uuid, name, body }: GroupMapping): Static<typeof MAPPING_SCHEMA> {
  return { mappingUuid: uuid, group: name, role: body.role, scope: scopeResponse(body.scope) };
}

function groupResponse({ uuid, name, body }: ScimGroup): Static<typeof GROUP_SCHEMA> {
  return {
    groupUuid: uuid,
    name,
    externalId: body.externalId ?? null,
    memberCount: body.members.length,
  };
}

const getScimProvisioning = defineEndpoint({
  path: '/api/console/getScimProvisioning',
  summary: 'Returns how a directory provisions people (SCIM 2.0).',
  description:
    'For administrators. A directory such as Microsoft Entra ID or Okta adds and removes people, and tells their groups, at `baseUrl` with ' +
    'one of the tokens. Mappings say what members of a group may do: someone in several groups has the highest of their roles, at all of ' +
    'their sites; someone in none of them sees nothing. Without any mapping, administrators give rights to each person.',
  isExtension: true,
  request: NOTHING,
  response: {
    baseUrl: plainText('The address to which directories send their requests.'),
    tokens: listOf(TOKEN_SCHEMA, 'The tokens, in the order in which they were created.'),
    mappings: listOf(MAPPING_SCHEMA, 'The mappings, in the order in which they were added.'),
    groups: listOf(GROUP_SCHEMA, 'The groups that the directory has sent.'),
  },
  example: {
    request: {},
    response: {
      baseUrl: 'https://sluice.example.com/scim/v2',
      tokens: [
        {
          tokenUuid: TOKEN_UUID,
          name: 'Entra ID',
          createdAtMs: EXAMPLE_TIME_MS,
          lastRequest: EXAMPLE_REQUEST,
        },
      ],
      mappings: [EXAMPLE_MAPPING],
      groups: [],
    },
  },
  async handler({ orgUuid, services: { scim } }) {
    const [tokens, mappings, groups] = await Promise.all([
      scim.tokens.list(orgUuid),
      scim.rights.list(orgUuid),
      scim.listGroups(orgUuid),
    ]);
    return {
      baseUrl: scim.baseUrl,
      tokens: tokens.map(tokenResponse),
      mappings: mappings.map(mappingResponse),
      groups: groups.map(groupResponse),
    };
  },
});

const createScimToken = defineEndpoint({
  path: '/api/console/createScimToken',
  summary: 'Creates a token for provisioning.',
  description:
    'For administrators. The token is shown only here and not stored. Anyone who has it can add, change, and remove the people of the ' +
    'organization, except its last administrator with a password or a passkey, and do nothing else. Several tokens work at the same time, ' +
    'so that a directory can change to a new one.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    name: text('What the token is called, for example the directory.', MAX_NAME_CHARS),
  }),
  response: { token: plainText('The token.'), tokenUuid: ruuid('The token’s UUID.') },
  example: {
    request: { name: 'Entra ID' },
    response: { token: 'slv_2yS0fE9rX0vA6bqJm1cKc7l3lV1oXxk4T8mD5nQwZ0E', tokenUuid: TOKEN_UUID },
  },
  async handler({ orgUuid, services }, { name }) {
    const { record, token } = await services.scim.tokens.create(orgUuid, name);
    return { token: token.reveal(), tokenUuid: record.uuid };
  },
});

const revokeScimToken = defineEndpoint({
  path: '/api/console/revokeScimToken',
  summary: 'Ends a token for provisioning.',
  description: 'For administrators. It works for no further request. People whom the directory added stay.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ tokenUuid: ruuid('The token.') }),
  response: {},
  example: { request: { tokenUuid: TOKEN_UUID }, response: {} },
  async handler({ orgUuid, services }, { tokenUuid }) {
    await services.scim.tokens.revoke(orgUuid, tokenUuid);
    return {};
  },
});

const setScimMapping = defineEndpoint({
  path: '/api/console/setScimMapping',
  summary: 'Says what members of a directory’s group may do.',
  description:
    'For administrators. Adds or replaces the mapping of a group, which the directory need not have sent yet. Its members have the rights ' +
    'when the call returns. People whom the directory does not manage keep theirs.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    group: text('The name of the group, or its `externalId`, in any case.', MAX_NAME_CHARS),
    role: oneOf(ROLES, 'The role of its members.'),
    scope: WANTED_SCOPE,
  }),
  response: { mapping: MAPPING_SCHEMA },
  example: {
    request: { group: 'Guards', role: 'operator', scope: EXAMPLE_MAPPING.scope },
    response: { mapping: EXAMPLE_MAPPING },
  },
  async handler({ orgUuid, services }, { group, role, scope }) {
    const rights = { role, scope: wantedScope(scope) };
    return { mapping: mappingResponse(await services.scim.rights.set(orgUuid, group, rights)) };
  },
});

const deleteScimMapping = defineEndpoint({
  path: '/api/console/deleteScimMapping',
  summary: 'Takes the rights from members of a directory’s group.',
  description: 'For administrators. Members keep what other groups give them.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ mappingUuid: ruuid('The mapping.') }),
  response: {},
  example: { request: { mappingUuid: MAPPING_UUID }, response: {} },
  async handler({ orgUuid, services }, { mappingUuid }) {
    await services.scim.rights.remove(orgUuid, mappingUuid);
    return {};
  },
});

export const PROVISIONING_ENDPOINTS: readonly Endpoint[] = [
  getScimProvisioning,
  createScimToken,
  revokeScimToken,
  setScimMapping,
  deleteScimMapping,
];
