/** POST /api/relay/getThirdPartyCameraPasswords: the saved logins without their passwords. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CREDENTIAL,
  THIRD_PARTY_CAMERA_PASSWORD_SCHEMA,
  thirdPartyCameraPasswordAnswer,
} from './third-party-camera-password-type.ts';

export const getThirdPartyCameraPasswords = defineEndpoint({
  path: '/api/relay/getThirdPartyCameraPasswords',
  summary: 'Lists the saved logins for cameras.',
  description: 'Without their passwords, in the order in which they are tried.',
  request: Type.Object({}),
  response: { passwords: listOf(THIRD_PARTY_CAMERA_PASSWORD_SCHEMA, 'The saved logins.') },
  example: {
    request: {},
    response: { passwords: [thirdPartyCameraPasswordAnswer(EXAMPLE_CREDENTIAL)] },
  },
  async handler({ orgUuid, services }) {
    const saved = await services.rtspCredentials.list(orgUuid);
    return { passwords: LongList.of(saved).map(thirdPartyCameraPasswordAnswer) };
  },
});
