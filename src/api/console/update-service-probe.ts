/** POST /api/console/updateServiceProbe: whether the synthetic viewer plays a share. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, ruuid } from '../../http/fields/field-types.ts';
import { MAX_PROBED_SHARES } from '../../service-levels/level-books.ts';
import { EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

export const updateServiceProbe = defineEndpoint({
  path: '/api/console/updateServiceProbe',
  summary: 'Turns the synthetic viewer on or off for a share.',
  description:
    `${OPERATORS_ONLY} The synthetic viewer plays at most ${MAX_PROBED_SHARES} shares of the gateway, each as often as ` +
    '`serviceLevels.every` says. It opens the camera like a viewer, and is no viewer: it is not counted, takes no place under a limit, ' +
    'and is not in the audit trail. Shares with a password or a sign-in can be chosen, too. Turning it off forgets what it ' +
    'measured of the share.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuid: ruuid('The share. One that was deleted can be turned off.'),
    isProbed: flag('Whether the synthetic viewer plays it.'),
  }),
  response: {},
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID, isProbed: true },
    response: {},
  },
  async handler({ caller, services }, { sharedLiveVideoStreamUuid, isProbed }) {
    await services.system.serviceLevels.choose(caller, sharedLiveVideoStreamUuid, isProbed);
    return {};
  },
});
