/** POST /api/camera/unblockSharedStreamAddress: lets an address open a link again. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { text } from '../../http/fields/field-types.ts';
import { EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import { LINK_INPUT } from './viewer-types.ts';

const MAX_ADDRESS_CHARS = 64;

export const unblockSharedStreamAddress = defineEndpoint({
  path: '/api/camera/unblockSharedStreamAddress',
  summary: 'Lets an address open a link again.',
  description: 'Lifts a block of `endSharedStreamViewer` before its time. Views that were ended stay ended.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuid: LINK_INPUT,
    address: text(
      'The address, as `getSharedStreamViewers` lists it, or one that it stands for.',
      MAX_ADDRESS_CHARS,
    ),
  }),
  response: {},
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID, address: '192.0.2.10' },
    response: {},
  },
  async handler({ orgUuid, services }, { sharedLiveVideoStreamUuid, address }) {
    await services.viewers.unblock(orgUuid, sharedLiveVideoStreamUuid, address);
    return {};
  },
});
