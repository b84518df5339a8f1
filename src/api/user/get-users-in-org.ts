/** POST /api/user/getUsersInOrg: the people of the organization. */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { Person } from '../../store/person.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const USER_SCHEMA = namedType('WrappedOrgUser', {
  uuid: ruuid('The person.'),
  orgUuid: ruuid('The organization.'),
  name: plainText('What the person is called.'),
  firstName: plainText('The name up to its first space.'),
  lastName: plainText('The rest of the name.'),
  email: nullable(plainText('The email address, in lower case.')),
  emailCaseSensitive: nullable(plainText('The email address as it was given.')),
  status: oneOf(['JOINED', 'INACTIVE'], 'INACTIVE: the person is disabled.'),
  passwordSet: flag('Whether the person has a password.'),
  accountOwner: flag('Whether the person has the role `admin`.'),
  deleted: flag('Always false.'),
  createdAtMillis: int64('When the person was added, in epoch milliseconds.'),
});

const NONE = listOf(Type.Object({}), 'Always empty.');
const EMPTY = {
  notificationSettings: [],
  notificationSettingsV2: [],
  partners: [],
  snoozeSettings: [],
  userPermissions: [],
};

export const getUsersInOrg = defineEndpoint({
  path: '/api/user/getUsersInOrg',
  summary: 'Lists the people of the organization.',
  description:
    'For administrators, as `/api/console/getPeople`, in the order in which they were added. Invitations are not users yet. ' +
    'The other lists are empty: rights follow from a role, and `getCurrentUserNotificationSettings` reads settings.',
  request: Type.Object({}),
  response: {
    users: listOf(USER_SCHEMA, 'The people.'),
    ...{ partners: NONE, notificationSettings: NONE, notificationSettingsV2: NONE },
    ...{ snoozeSettings: NONE, userPermissions: NONE },
  },
  example: {
    request: {},
    response: {
      ...EMPTY,
      users: [
        userAnswer({
          ...{ uuid: deriveRuuid('example', 'person'), orgUuid: EXAMPLE_ORG_UUID, name: 'Ada Lovelace' },
          ...{ email: 'ada@example.com', role: 'admin', passwordHash: null, disabled: false },
          ...{ createdAtMs: EXAMPLE_TIME_MS, lastSignInAtMs: null },
        }),
      ],
    },
  },
  async handler({ orgUuid, services }) {
    return { ...EMPTY, users: (await services.people.list(orgUuid)).map(userAnswer) };
  },
});

function userAnswer(person: Person): Static<typeof USER_SCHEMA> {
  const { name, email } = person;
  const [firstName = '', ...others] = name.split(' ');
  return {
    uuid: person.uuid,
    orgUuid: person.orgUuid,
    ...{ name, firstName, lastName: others.join(' ') },
    email: email === null ? null : email.toLowerCase(),
    emailCaseSensitive: email,
    status: person.disabled ? 'INACTIVE' : 'JOINED',
    passwordSet: person.passwordHash !== null,
    accountOwner: person.role === 'admin',
    deleted: false,
    createdAtMillis: person.createdAtMs,
  };
}
