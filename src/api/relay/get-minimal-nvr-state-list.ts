/** POST /api/relay/getMinimalNVRStateList: the NVRs with their state and their shares' count (spec). */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { int32, listOf, namedType, nullable } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { inOrderOfNames } from '../http/name-order.ts';
import {
  DEVICE_STATE_PROPERTIES,
  deviceStateAnswer,
  EXAMPLE_CAMERA_REPORT,
  nvrHealth,
} from '../types/device-state.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_NVR_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { knownNvr } from '../types/nvr-state.ts';

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
          ...deviceStateAnswer(
            {
              uuid: EXAMPLE_NVR_UUID,
              name: 'Core',
              serialNumber: 'NVR-0001',
              createdAtMs: EXAMPLE_TIME_MS,
              locationUuid: EXAMPLE_LOCATION_UUID,
              mummified: false,
              supportedFacets: [],
            },
            2,
            nvrHealth([EXAMPLE_CAMERA_REPORT]),
          ),
          numThirdPartyCamerasAssigned: 1,
          numThirdPartyCamerasSupported: null,
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const listed = await services.store.nvrs.list(orgUuid);
    const nvrs = await inOrderOfNames(listed.filter((nvr) => !nvr.mummified));
    const camerasByNvr = new Map<Ruuid | null, Ruuid[]>();
    await (await services.store.cameras.records(orgUuid)).forEach(({ uuid, nvrUuid, mummified }) => {
      if (mummified) return;
      const behind = camerasByNvr.get(nvrUuid);
      if (behind === undefined) camerasByNvr.set(nvrUuid, [uuid]);
      else behind.push(uuid);
    });
    const details = await services.devices.detailsByDevice(orgUuid);
    const counts = await services.counters.shareCounts(nvrs.map((nvr) => nvr.uuid));
    return {
      nvrstates: LongList.of(nvrs).map((nvr, index) => {
        const known = details.get(nvr.uuid);
        const assigned = camerasByNvr.get(nvr.uuid) ?? [];
        const states = assigned.map((uuid) => services.cameraStates.get(uuid));
        return {
          ...deviceStateAnswer(knownNvr(nvr, known), counts[index] ?? 0, nvrHealth(states)),
          numThirdPartyCamerasAssigned: assigned.length,
          numThirdPartyCamerasSupported: known?.report?.numThirdPartyCamerasSupported ?? null,
        };
      }),
    };
  },
});
