/** POST /api/console/getPasskeys: the caller's own. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, nullable, oneOf, plainText } from '../../http/fields/field-types.ts';
import { expectPerson, NOTHING } from './console-types.ts';
import { EXAMPLE_PASSKEY, PASSKEY_SCHEMA, passkeyAnswer } from './passkey-types.ts';

export const getPasskeys = defineEndpoint({
  path: '/api/console/getPasskeys',
  summary: 'Lists the caller’s own passkeys.',
  description: 'Only a person who is signed in can call this.',
  isExtension: true,
  request: NOTHING,
  response: {
    passkeys: listOf(PASSKEY_SCHEMA, 'In the order in which they were added.'),
    origin: nullable(plainText('The only origin whose pages can use them; absent: see obstacle.')),
    obstacle: nullable(
      oneOf(
        ['IP_ADDRESS', 'PLAIN_HTTP'],
        'Why browsers offer passkeys to no page of this console: its address is an IP address, or plain HTTP. Absent: ' +
          'they do.',
      ),
    ),
    isConfirmed: flag(
      'Whether passkeys can be added and removed now; if not, `/api/console/confirmIdentity` comes first.',
    ),
  },
  example: {
    request: {},
    response: {
      passkeys: [passkeyAnswer(EXAMPLE_PASSKEY, true)],
      ...{ origin: 'https://api.example.com', obstacle: null, isConfirmed: true },
    },
  },
  async handler({ caller, services: { passkeys, confirmation } }) {
    const who = expectPerson(caller);
    const { party } = passkeys;
    const list = await passkeys.list(who.person);
    return {
      passkeys: list.map((passkey) => passkeyAnswer(passkey, passkeys.works(passkey))),
      origin: typeof party === 'string' ? null : party.origin,
      obstacle: typeof party === 'string' ? party : null,
      isConfirmed: await confirmation.isFresh(who),
    };
  },
});
