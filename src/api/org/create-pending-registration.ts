/** POST /api/org/createPendingRegistration: announces an NVR (docs/spec/rules.md#nvrs). */

import { Type } from 'typebox';
import { listOf, ruuid, text } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const MAX_WIFI_KEYS = 10;

export const createPendingRegistration = defineEndpoint({
  path: '/api/org/createPendingRegistration',
  summary: 'Announces an NVR by its serial number.',
  description:
    '`/api/org/findAllHardwareWithPendingRegistration` lists the announced NVR with its future UUID. It becomes an ' +
    'NVR when the first camera is assigned to it. Refused if the serial number is already announced or registered. ' +
    'The Wi-Fi keys are stored encrypted and never returned.',
  request: Type.Object({
    serialNumber: text('Its serial number.'),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    orgUuid: Type.Optional(
      ruuid('The organization that the request acts for, or a client of the calling partner.'),
    ),
    wifiSsid: Type.Optional(text('The Wi-Fi network that it should use.')),
    wifiPsk: Type.Optional(listOf(text('Key.'), 'Keys of that network.', MAX_WIFI_KEYS)),
  }),
  response: {},
  example: {
    request: { serialNumber: 'NVR-0002', locationUuid: EXAMPLE_LOCATION_UUID },
    response: {},
  },
  async handler(context, body) {
    const orgUuid = await context.services.organisations.meant(context.caller, body.orgUuid);
    await context.services.pendingRegistrations.create(orgUuid, {
      serialNumber: body.serialNumber,
      locationUuid: body.locationUuid ?? null,
      wifiSsid: body.wifiSsid ?? null,
      wifiPsk: body.wifiPsk ?? [],
    });
    if (body.wifiSsid !== undefined || body.wifiPsk !== undefined) {
      context.warn(
        'wifiSsid and wifiPsk are stored but have no effect: the gateway does not set up hardware.',
      );
    }
    return {};
  },
});
