/**
 * POST /api/relay/getMinimalNVRStateList: the NVRs with their state and their shares' count
 * (docs/spec/rules.md#nvrs).
 */

import { Type } from 'typebox';
import { int32, listOf, namedType, nullable } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { DEVICE_STATE_PROPERTIES, deviceStateAnswer, nvrHealth } from '../types/device-state.ts';
import { EXAMPLE_NVR_STATE, knownNvr } from '../types/nvr-state.ts';

const NVR_STATE_SCHEMA = namedType('MinimalNVRState', {
  ...DEVICE_STATE_PROPERTIES,
  numThirdPartyCamerasAssigned: int32('Cameras behind it.'),
  numThirdPartyCamerasSupported: nullable(
    int32('How many it takes, as it reported; the gateway itself sets no bound per NVR.'),
  ),
});

export const getMinimalNvrStateList = defineEndpoint({
  path: '/api/relay/getMinimalNVRStateList',
  summary: 'Lists the NVRs with their state.',
  description:
    'The shares of an NVR are the shares of its cameras. `connectionStatus` is RED when none of its cameras can be ' +
    'reached, ORANGE when none has been contacted; `healthStatus` is YELLOW when some cannot be reached. Both are absent ' +
    'for an NVR without cameras.',
  request: Type.Object({}),
  response: { nvrstates: listOf(NVR_STATE_SCHEMA, 'The NVRs, in order of their names.') },
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
  async handler({ orgUuid, services }) {
    const states = await services.deviceStates.nvrs(orgUuid);
    return {
      nvrstates: states.map(({ nvr, details, sharedCount, reports }) => ({
        ...deviceStateAnswer(knownNvr(nvr, details), sharedCount, nvrHealth(reports)),
        numThirdPartyCamerasAssigned: reports.length,
        numThirdPartyCamerasSupported: details?.report?.numThirdPartyCamerasSupported ?? null,
      })),
    };
  },
});
