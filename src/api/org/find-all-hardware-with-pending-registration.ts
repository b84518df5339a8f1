/** POST /api/org/findAllHardwareWithPendingRegistration: NVRs that are announced but not used yet. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_REGISTRATION,
  HARDWARE_SCHEMA,
  HARDWARE_WITH_INFO_SCHEMA,
  hardwareAnswer,
  hardwareWithInfoAnswer,
} from './hardware-type.ts';

export const findAllHardwareWithPendingRegistration = defineEndpoint({
  path: '/api/org/findAllHardwareWithPendingRegistration',
  summary: 'Lists NVRs that are announced but not used yet.',
  description: 'Both lists describe the same hardware, in the order in which it was announced.',
  request: Type.Object({}),
  response: {
    hardwareList: listOf(HARDWARE_SCHEMA, 'The hardware.'),
    hardwareWithPendingRegistrationInfoList: listOf(
      HARDWARE_WITH_INFO_SCHEMA,
      'The hardware with its future details.',
    ),
  },
  example: {
    request: {},
    response: {
      hardwareList: [hardwareAnswer(EXAMPLE_REGISTRATION)],
      hardwareWithPendingRegistrationInfoList: [hardwareWithInfoAnswer(EXAMPLE_REGISTRATION)],
    },
  },
  async handler({ orgUuid, services }) {
    const pending = await services.pendingRegistrations.list(orgUuid);
    return {
      hardwareList: LongList.of(pending).map(hardwareAnswer),
      hardwareWithPendingRegistrationInfoList: LongList.of(pending).map(hardwareWithInfoAnswer),
    };
  },
});
