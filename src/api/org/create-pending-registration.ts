/** POST /api/org/createPendingRegistration: announces an NVR (docs/spec/rules.md#nvrs). */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid, text } from '../../http/fields/field-types.ts';
import { keptWithoutEffect } from '../../http/fields/no-effect.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const MAX_WIFI_KEYS = 10;
const NO_SET_UP = 'the gateway does not set up hardware';

export const createPendingRegistration = defineEndpoint({
  path: '/api/org/createPendingRegistration',
  summary: 'Announces an NVR by its serial number.',
  description:
    '`/api/org/findAllHardwareWithPendingRegistration` lists the announced NVR with its future UUID. It becomes an ' +
    'NVR when the first camera is assigned to it. Refused if the serial number is already announced or registered. ' +
    'The Wi-Fi keys are stored encrypted and never returned.',
  repetition: 'once',
  request: Type.Object({
    serialNumber: text('Its serial number.'),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    orgUuid: Type.Optional(
      ruuid('The organization that the request acts for, or a client of the calling partner.'),
    ),
    wifiSsid: Type.Optional(keptWithoutEffect(text('The Wi-Fi network that it should use.'), NO_SET_UP)),
    wifiPsk: Type.Optional(
      keptWithoutEffect(listOf(text('Key.'), 'Keys of that network.', MAX_WIFI_KEYS), NO_SET_UP),
    ),
  }),
  response: {},
  example: {
    request: { serialNumber: 'NVR-0002', locationUuid: EXAMPLE_LOCATION_UUID },
    response: {},
  },
  async handler({ caller, services }, body) {
    const orgUuid = await services.organizations.meant(caller, body.orgUuid);
    await services.pendingRegistrations.create(orgUuid, {
      serialNumber: body.serialNumber,
      locationUuid: body.locationUuid ?? null,
      wifiSsid: body.wifiSsid ?? null,
      wifiPsk: body.wifiPsk ?? [],
    });
    return {};
  },
});
