/** POST /api/org/findAllHardwareWithPendingRegistration: NVRs that were announced and have not been used. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { listOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import {
  EXAMPLE_REGISTRATION,
  HARDWARE_SCHEMA,
  HARDWARE_WITH_INFO_SCHEMA,
  hardwareAnswer,
  hardwareWithInfoAnswer,
} from './hardware-type.ts';

export const findAllHardwareWithPendingRegistration = defineEndpoint({
  path: '/api/org/findAllHardwareWithPendingRegistration',
  summary: 'Lists NVRs that were announced and have not been used.',
  description: 'Both lists are about the same hardware, in the order of its announcement.',
  request: Type.Object({}),
  response: {
    hardwareList: listOf(HARDWARE_SCHEMA, 'The hardware.'),
    hardwareWithPendingRegistrationInfoList: listOf(
      HARDWARE_WITH_INFO_SCHEMA,
      'The hardware with what it will be.',
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
