/** POST /api/relay/deleteThirdPartyCameraPassword: deletes a saved login. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CREDENTIAL } from './third-party-camera-password-type.ts';

export const deleteThirdPartyCameraPassword = defineEndpoint({
  path: '/api/relay/deleteThirdPartyCameraPassword',
  summary: 'Deletes a saved login for cameras.',
  description: 'Cameras that were added with it keep it.',
  repetition: 'same-outcome',
  request: Type.Object({ passwordUuid: ruuid('The saved login.') }),
  response: {},
  example: { request: { passwordUuid: EXAMPLE_CREDENTIAL.uuid }, response: {} },
  async handler({ orgUuid, services }, { passwordUuid }) {
    await services.rtspCredentials.remove(orgUuid, passwordUuid);
    return {};
  },
});
