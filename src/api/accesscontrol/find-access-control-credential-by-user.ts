/** POST /api/accesscontrol/findAccessControlCredentialByUser: the credentials of a user. */

import { Type } from 'typebox';
import { CREDENTIAL_TYPES } from '../../access-control/credential.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, listOf, oneOf, ruuid } from '../../http/fields/field-types.ts';
import {
  CREDENTIAL_SCHEMA,
  credentialAnswer,
  EXAMPLE_CREDENTIAL,
  WORKFLOW_STATUSES,
} from './credential-type.ts';

const MAX_FILTER_ENTRIES = 500;

const uuids = (of: string) =>
  Type.Optional(listOf(ruuid(of), `Only credentials last used there.`, MAX_FILTER_ENTRIES));

const FILTER = Type.Object({
  credTypeFilter: Type.Optional(
    listOf(oneOf(CREDENTIAL_TYPES, 'Type.'), 'Only credentials of these types.', CREDENTIAL_TYPES.length),
  ),
  workflowStatusFilter: Type.Optional(
    listOf(
      oneOf(WORKFLOW_STATUSES, 'Status.'),
      'Only credentials in these states.',
      WORKFLOW_STATUSES.length,
    ),
  ),
  lastUsedAccessControlledDoorUuidFilter: uuids('Door.'),
  lastUsedLocationUuidFilter: uuids('Location.'),
  lastUsedAfterFilter: Type.Optional(
    int64('Only credentials last used at or after this time, epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  lastUsedBeforeFilter: Type.Optional(
    int64('Only credentials last used before this time, epoch milliseconds.', 0, MAX_TIME_MS),
  ),
});

export const findAccessControlCredentialByUser = defineEndpoint({
  path: '/api/accesscontrol/findAccessControlCredentialByUser',
  summary: 'Lists the credentials of a user.',
  description:
    'Those that were reported with this `userUuid` (`/api/ingest/credentials`), of every type. Conditions of `filter` combine. ' +
    'Users are those of the system that reports, so an unknown one has no credentials.',
  request: Type.Object({ userUuid: ruuid('The user.'), filter: Type.Optional(FILTER) }),
  response: { credentials: listOf(CREDENTIAL_SCHEMA, 'The credentials.') },
  example: {
    request: { userUuid: deriveRuuid('example', 'user'), filter: { workflowStatusFilter: ['ACTIVE'] } },
    response: { credentials: [EXAMPLE_CREDENTIAL] },
  },
  async handler({ orgUuid, services }, { userUuid, filter = {} }) {
    const types = filter.credTypeFilter;
    const states = filter.workflowStatusFilter;
    const doors = filter.lastUsedAccessControlledDoorUuidFilter;
    const locations = filter.lastUsedLocationUuidFilter;
    const { lastUsedAfterFilter: fromMs, lastUsedBeforeFilter: toMs } = filter;
    const found = await services.accessControl.credentials.listOfUser(orgUuid, userUuid, (body) => {
      const { lastUsedAtMillis: usedAtMs, lastUsedLocationUuid: locationUuid } = body;
      const { workflowStatus: status, lastUsedAccessControlledDoorUuid: doorUuid } = body;
      return (
        (types?.includes(body.type) ?? true) &&
        (states === undefined || (status !== undefined && states.includes(status))) &&
        (doors === undefined || (doorUuid !== undefined && doors.includes(doorUuid))) &&
        (locations === undefined || (locationUuid !== undefined && locations.includes(locationUuid))) &&
        (fromMs === undefined || (usedAtMs !== undefined && usedAtMs >= fromMs)) &&
        (toMs === undefined || (usedAtMs !== undefined && usedAtMs < toMs))
      );
    });
    return { credentials: found.map(credentialAnswer) };
  },
});
