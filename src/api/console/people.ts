/** People who can sign in, and invitations. */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { flag, int64, listOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { emailKey } from '../../store/person.ts';
import { SCOPE_CHANGE, scopeChange, WANTED_SCOPE, wantedScope } from '../types/access-scope-fields.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  EXAMPLE_PERSON,
  EXAMPLE_SESSION,
  INVITATION_SCHEMA,
  INVITE_TOKEN,
  invitationResponse,
  NEW_PASSWORD,
  NOTHING,
  PERSON_EMAIL,
  PERSON_NAME,
  PERSON_ROLE,
  PERSON_SCHEMA,
  PERSON_UUID,
  personResponse,
} from './console-types.ts';
import {
  CREATION_PROPERTIES,
  creationResponse,
  EXAMPLE_CREATION,
  PASSKEY_NAME,
  REGISTRATION_SCHEMA,
  registrationOf,
} from './passkeys.ts';
import { signedIn } from './sessions.ts';

const MAIL_REFUSAL_SCHEMA = namedType('MailRefusal', {
  personUuid: PERSON_UUID,
  reply: plainText('The words of the mail server.'),
  refusedAtMs: int64('When, epoch milliseconds.'),
});

const getPeople = defineEndpoint({
  path: '/api/console/getPeople',
  summary: 'Lists the people of the organization, and invitations.',
  description: 'For administrators.',
  isExtension: true,
  request: NOTHING,
  response: {
    people: listOf(PERSON_SCHEMA, 'The people, in the order in which they were added.'),
    invitations: listOf(INVITATION_SCHEMA, 'Invitations that can still be accepted, the oldest first.'),
    mailRefusals: listOf(
      MAIL_REFUSAL_SCHEMA,
      'People to whose address nothing is sent, because a mail server refused it for good. A test mail removes the mark.',
    ),
    provisionedUuids: listOf(ruuid('A person.'), 'People whom a directory manages.'),
    groupsDecide: flag('True: groups of the directory decide about the role and scope of those.'),
  },
  example: {
    request: {},
    response: {
      people: [personResponse(EXAMPLE_PERSON)],
      invitations: [],
      mailRefusals: [],
      provisionedUuids: [],
      groupsDecide: false,
    },
  },
  async handler({ orgUuid, services }) {
    const people = await services.people.list(orgUuid);
    const refusals = new Map(
      (await services.mail.refusals.list(orgUuid)).map((refusal) => [
        emailKey(refusal.body.address),
        refusal,
      ]),
    );
    const invitations = await services.invitations.list(orgUuid);
    const mailRefusals = people.flatMap(({ uuid: personUuid, email }) => {
      const refusal = email === null ? undefined : refusals.get(emailKey(email));
      if (refusal === undefined) return [];
      return [{ personUuid, reply: refusal.body.reply, refusedAtMs: refusal.createdAtMs }];
    });
    const { uuids, byGroups } = await services.scim.rights.managed(orgUuid);
    return {
      people: people.map(personResponse),
      invitations: invitations.map(invitationResponse),
      mailRefusals,
      provisionedUuids: [...uuids],
      groupsDecide: byGroups,
    };
  },
});

const invitePerson = defineEndpoint({
  path: '/api/console/invitePerson',
  summary: 'Invites someone to the console.',
  description:
    'For administrators. Returns a link that works once, for 7 days: anyone who opens it chooses a password and is signed ' +
    'in. The link is shown only here and not stored; `/api/console/sendLinkMail` sends it. A new invitation to the same address ends ' +
    'the earlier one; `/api/console/deletePerson` withdraws it.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ name: PERSON_NAME, email: PERSON_EMAIL, role: PERSON_ROLE, scope: WANTED_SCOPE }),
  response: {
    inviteUrl: plainText('The link. Its fragment has the token, which browsers send to no server.'),
    invitation: INVITATION_SCHEMA,
  },
  example: {
    request: {
      name: 'Ada',
      email: 'ada@example.com',
      role: 'operator',
      scope: { locationUuids: [EXAMPLE_LOCATION_UUID], cameraUuids: [] },
    },
    response: {
      inviteUrl: 'https://api.example.com/console/#invite=sli_THE-TOKEN-SHOWN-THIS-ONCE',
      invitation: {
        invitationUuid: EXAMPLE_SESSION.uuid,
        name: 'Ada',
        email: 'ada@example.com',
        role: 'operator',
        scope: { locationUuids: [EXAMPLE_LOCATION_UUID], cameraUuids: [] },
        expiresAtMs: EXAMPLE_TIME_MS,
      },
    },
  },
  async handler({ orgUuid, services }, { scope, ...wanted }) {
    const limited = { ...wanted, scope: wantedScope(scope) };
    const { invitation, token } = await services.invitations.create(orgUuid, limited);
    const { publicApiUrl } = services.consoleAddresses;
    return {
      inviteUrl: `${publicApiUrl}/console/#invite=${token.reveal()}`,
      invitation: invitationResponse(invitation),
    };
  },
});

const beginInvitePasskey = defineEndpoint({
  path: '/api/console/beginInvitePasskey',
  summary: 'Begins to accept an invitation with a passkey.',
  description:
    'The response goes to `navigator.credentials.create`, what that returns to `/api/console/acceptInvite`. The invitation ' +
    'is not used up. Needs no credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({ inviteToken: INVITE_TOKEN, name: Type.Optional(PERSON_NAME) }),
  response: CREATION_PROPERTIES,
  example: {
    request: { inviteToken: 'sli_THE-TOKEN-SHOWN-THIS-ONCE', name: 'Ada' },
    response: { ...EXAMPLE_CREATION, publicKey: { ...EXAMPLE_CREATION.publicKey, excludeCredentials: [] } },
  },
  async handler(context, { inviteToken, name }) {
    const { services, client } = context;
    const { browserToken, ...creation } = await services.passkeys.beginInvitation(
      inviteToken,
      name ?? null,
      client,
    );
    context.tieBrowser(browserToken);
    return creationResponse(creation);
  },
});

const acceptInvite = defineEndpoint({
  path: '/api/console/acceptInvite',
  summary: 'Accepts an invitation to the console.',
  description:
    'Adds the invited person and signs them in, as `/api/console/signIn` does. An invitation works once. Send ' +
    'a password, or what the browser returned for the challenge of `/api/console/beginInvitePasskey`. Needs no ' +
    'credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({
    inviteToken: INVITE_TOKEN,
    name: Type.Optional(PERSON_NAME),
    password: Type.Optional(NEW_PASSWORD),
    passkey: Type.Optional(REGISTRATION_SCHEMA),
    passkeyName: Type.Optional(PASSKEY_NAME),
  }),
  response: { person: PERSON_SCHEMA },
  example: {
    request: {
      inviteToken: 'sli_THE-TOKEN-SHOWN-THIS-ONCE',
      name: 'Ada',
      password: 'correct horse battery',
    },
    response: { person: personResponse(EXAMPLE_PERSON) },
  },
  async handler(context, { inviteToken, name = null, password, passkey, passkeyName = 'Passkey' }) {
    const { services, client } = context;
    if ((password === undefined) === (passkey === undefined)) {
      throw invalidField('Send either password or passkey.');
    }
    const person =
      password !== undefined
        ? await services.invitations.accept(inviteToken, name, password)
        : await services.passkeys.acceptInvitation(
            inviteToken,
            name,
            { name: passkeyName, registration: registrationOf(passkey!) },
            client,
          );
    return signedIn(context, await services.signIn.byInvitation(person, client));
  },
});

const updatePerson = defineEndpoint({
  path: '/api/console/updatePerson',
  summary: 'Changes a person.',
  description:
    'For administrators. Fields that are absent stay as they are. A new role or scope applies to the person’s next request; if ' +
    'the person is disabled, their sessions end immediately. The last admin who can sign in cannot be disabled or become ' +
    'something else. Groups of a directory decide about the role and scope of the people whom it manages.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    personUuid: PERSON_UUID,
    name: Type.Optional(PERSON_NAME),
    email: Type.Optional(PERSON_EMAIL),
    role: Type.Optional(PERSON_ROLE),
    ...SCOPE_CHANGE,
    disabled: Type.Optional(flag('True: the person cannot sign in.')),
  }),
  response: { person: PERSON_SCHEMA },
  example: {
    request: { personUuid: EXAMPLE_PERSON.uuid, role: 'operator' },
    response: { person: personResponse(EXAMPLE_PERSON) },
  },
  async handler({ orgUuid, services }, { personUuid, scope, scopeUpdated, ...changes }) {
    const limited = scopeChange({ scope, scopeUpdated });
    const wanted = limited === undefined ? changes : { ...changes, scope: limited };
    if (changes.role !== undefined || limited !== undefined) {
      await services.scim.rights.expectFree(orgUuid, personUuid);
    }
    return { person: personResponse(await services.people.update(orgUuid, personUuid, wanted)) };
  },
});

const deletePerson = defineEndpoint({
  path: '/api/console/deletePerson',
  summary: 'Removes a person, or withdraws an invitation.',
  description:
    'For administrators. The person’s sessions end immediately. The audit trail keeps what they did. The last admin who can ' +
    'sign in cannot be removed.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ personUuid: ruuid('The person, or an invitation that was not accepted.') }),
  response: {},
  example: { request: { personUuid: EXAMPLE_PERSON.uuid }, response: {} },
  async handler({ orgUuid, services }, { personUuid }) {
    if (await services.invitations.removeIfKnown(orgUuid, personUuid)) return {};
    await services.people.remove(orgUuid, personUuid);
    return {};
  },
});

export const PEOPLE_ENDPOINTS: readonly Endpoint[] = [
  getPeople,
  invitePerson,
  beginInvitePasskey,
  acceptInvite,
  updatePerson,
  deletePerson,
];
