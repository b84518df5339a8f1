/** Alarm centers that get alerts by mail. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ALARM_FORMATS } from '../../mail/alarm-formats.ts';
import { MAX_EMAIL_CHARS } from '../../mail/mail-address.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { EXAMPLE_MAIL_TEST, MAIL_TEST_RESPONSE, mailTestResponse } from './mail.ts';

const MAX_INPUTS = 1_000;
const MAX_LOCATIONS = 1_000;
const MAX_INPUT_NUMBER = 99_999;
const MAX_LEVEL = 4;
const FORMAT = oneOf(
  ALARM_FORMATS,
  '`IMMIX`: an XML document as text, for a device of the type “Generic Stream”. `SUREVIEW`: the alarm in the subject, coordinates in the text. `PLAIN`: text. All have the image attached.',
);

const INPUT_SCHEMA = namedType('AlarmInput', {
  deviceUuid: deviceUuid('The camera.'),
  address: Type.Optional(
    text('The address that the alarm center gave this camera. Absent: the receiver’s.', MAX_EMAIL_CHARS),
  ),
  input: int32('The number of the input at the alarm center.', 1, MAX_INPUT_NUMBER),
});

const SHOWN_INPUT_SCHEMA = namedType('ShownAlarmInput', {
  deviceUuid: ruuid('The camera.'),
  address: nullable(plainText('Its address at the alarm center; absent: the receiver’s.')),
  input: int32('The number of the input at the alarm center.'),
});

const RECEIVER_SCHEMA = namedType('AlarmReceiver', {
  alarmReceiverUuid: ruuid('The alarm center.'),
  name: plainText('Its name.'),
  format: FORMAT,
  address: nullable(
    plainText('Where alerts of cameras without an address of their own go; absent: nowhere.'),
  ),
  locationUuids: listOf(ruuid('A location.'), 'Only alerts of these; empty: all.'),
  minValidationLevel: nullable(int32('Only alerts of this level of AVS-01 or above; absent: all.')),
  inputs: listOf(SHOWN_INPUT_SCHEMA, 'Cameras with an address or a number of their own.'),
  disabled: flag('Whether it gets nothing.'),
});

const EXAMPLE_UUID = deriveRuuid('example', 'alarm receiver');
const EXAMPLE_RECEIVER = {
  alarmReceiverUuid: EXAMPLE_UUID,
  name: 'Night guard',
  format: 'IMMIX' as const,
  address: 'S12345@immixalarms.com',
  locationUuids: [],
  minValidationLevel: null,
  inputs: [{ deviceUuid: EXAMPLE_CAMERA_UUID, address: null, input: 3 }],
  disabled: false,
};

const getAlarmReceivers = defineEndpoint({
  path: '/api/console/getAlarmReceivers',
  summary: 'Lists the alarm centers that get alerts by mail.',
  description: 'In the order in which they were added.',
  isExtension: true,
  request: Type.Object({}),
  response: { alarmReceivers: listOf(RECEIVER_SCHEMA, 'The alarm centers.') },
  example: { request: {}, response: { alarmReceivers: [EXAMPLE_RECEIVER] } },
  async handler({ orgUuid, services }) {
    const receivers = await services.mail.alarmReceivers.list(orgUuid);
    return {
      alarmReceivers: receivers.map(({ uuid, name, body }) => {
        const { minValidation: minValidationLevel, locationUuids, inputs, ...rest } = body;
        return {
          alarmReceiverUuid: uuid,
          name,
          minValidationLevel,
          locationUuids: [...locationUuids],
          inputs: [...inputs],
          ...rest,
        };
      }),
    };
  },
});

const setAlarmReceiver = defineEndpoint({
  path: '/api/console/setAlarmReceiver',
  summary: 'Adds an alarm center, or changes all of one.',
  description:
    'Each alert of a camera is one mail, immediately; further ones of the same camera within half a minute are one more mail with their count. ' +
    'Absent fields have their defaults, also for one that is known.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    alarmReceiverUuid: Type.Optional(ruuid('The one to change; absent: a new one.')),
    name: text('Its name.', MAX_NAME_LENGTH),
    format: Type.Optional(FORMAT),
    address: Type.Optional(
      text('Where alerts of cameras without an address of their own go. Absent: nowhere.', MAX_EMAIL_CHARS),
    ),
    locationUuids: Type.Optional(
      listOf(ruuid('A location.'), 'Only alerts of these. Default: all.', MAX_LOCATIONS),
    ),
    minValidationLevel: Type.Optional(
      int32('Only alerts of this level of ANSI/TMA-AVS-01 or above. Default: all.', 0, MAX_LEVEL),
    ),
    inputs: Type.Optional(
      listOf(INPUT_SCHEMA, 'Cameras with an address or a number of their own.', MAX_INPUTS),
    ),
    disabled: Type.Optional(flag('Whether it gets nothing. Default false.')),
  }),
  response: { alarmReceiverUuid: ruuid('The alarm center.') },
  example: {
    request: { name: 'Night guard', format: 'IMMIX', address: 'S12345@immixalarms.com' },
    response: { alarmReceiverUuid: EXAMPLE_UUID },
  },
  async handler({ orgUuid, services }, { alarmReceiverUuid = null, ...given }) {
    const uuid = await services.mail.alarmReceivers.set(orgUuid, alarmReceiverUuid, {
      name: given.name.trim(),
      format: given.format ?? 'PLAIN',
      address: given.address ?? null,
      locationUuids: given.locationUuids ?? [],
      minValidation: given.minValidationLevel ?? null,
      inputs: (given.inputs ?? []).map(({ address = null, ...input }) => ({ ...input, address })),
      disabled: given.disabled ?? false,
    });
    return { alarmReceiverUuid: uuid };
  },
});

const deleteAlarmReceiver = defineEndpoint({
  path: '/api/console/deleteAlarmReceiver',
  summary: 'Removes an alarm center.',
  description: 'Mails to it that are on their way are not sent.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ alarmReceiverUuid: ruuid('The alarm center.') }),
  response: {},
  example: { request: { alarmReceiverUuid: EXAMPLE_UUID }, response: {} },
  async handler({ orgUuid, services }, { alarmReceiverUuid }) {
    await services.mail.alarmReceivers.remove(orgUuid, alarmReceiverUuid);
    return {};
  },
});

const sendAlarmTest = defineEndpoint({
  path: '/api/console/sendAlarmTest',
  summary: 'Sends an alarm center one mail now, as a test.',
  description:
    'In its format, with the address and the number of the camera, and “TEST, no alarm” as the text; without an image. It is tried once, and ' +
    'listed by `getMails` with the alarm center as `forUuid`. A mail that the server refuses is a result, not an error.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    alarmReceiverUuid: ruuid('The alarm center.'),
    cameraUuid: Type.Optional(deviceUuid('The camera. Absent: the first one whose alarms go there.')),
  }),
  response: MAIL_TEST_RESPONSE,
  example: {
    request: { alarmReceiverUuid: EXAMPLE_UUID, cameraUuid: EXAMPLE_CAMERA_UUID },
    response: EXAMPLE_MAIL_TEST,
  },
  async handler({ orgUuid, services }, { alarmReceiverUuid, cameraUuid = null }) {
    return mailTestResponse(await services.mail.alarmTest.run(orgUuid, alarmReceiverUuid, cameraUuid));
  },
});

export const ALARM_RECEIVER_ENDPOINTS: readonly Endpoint[] = [
  getAlarmReceivers,
  setAlarmReceiver,
  deleteAlarmReceiver,
  sendAlarmTest,
];
