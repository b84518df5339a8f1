/** POST /api/relay/getMinimalNVRStateList: the NVRs with their state and their share counts (docs/spec/rules.md#nvrs). */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, namedType, nullable } from '../../http/fields/field-types.ts';
import {
  DEVICE_STATE_PROPERTIES,
  deviceStateAnswer,
  deviceStateFor,
  nvrHealth,
} from '../types/device-state.ts';
import { EXAMPLE_NVR_STATE, knownNvr } from '../types/nvr-state.ts';

const NVR_STATE_SCHEMA = namedType('MinimalNVRState', {
  ...DEVICE_STATE_PROPERTIES,
  numThirdPartyCamerasAssigned: int32('How many cameras are behind it.'),
  numThirdPartyCamerasSupported: nullable(
    int32('How many it supports, as it reported; the gateway itself sets no limit per NVR.'),
  ),
});

export const getMinimalNvrStateList = defineEndpoint({
  path: '/api/relay/getMinimalNVRStateList',
  summary: 'Lists the NVRs with their state.',
  description:
    'The shares of an NVR are the shares of its cameras. `connectionStatus` is RED if none of its cameras can be ' +
    'reached, and ORANGE if none has been contacted. `healthStatus` is YELLOW if some cannot be reached. Both are ' +
    'absent for an NVR without cameras.',
  request: Type.Object({}),
  response: { nvrstates: listOf(NVR_STATE_SCHEMA, 'The NVRs, sorted by name.') },
  example: {
    request: {},
    response: {
      nvrstates: [
        {
          ...EXAMPLE_NVR_STATE,
          numThirdPartyCamerasAssigned: 1,
          numThirdPartyCamerasSupported: null,
        },
      ],
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const states = await services.deviceStates.nvrs(orgUuid);
    return {
      nvrstates: states.map(({ nvr, details, sharedCount, reports }) => ({
        ...deviceStateFor(
          context,
          deviceStateAnswer(knownNvr(nvr, details), sharedCount, nvrHealth(reports)),
        ),
        numThirdPartyCamerasAssigned: reports.length,
        numThirdPartyCamerasSupported: details?.report?.numThirdPartyCamerasSupported ?? null,
      })),
    };
  },
});
