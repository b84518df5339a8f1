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
    'The announced NVR is listed by `/api/org/findAllHardwareWithPendingRegistration` with the UUID that it will have, and ' +
    'becomes an NVR when the first camera is assigned to it. Refused when the serial number is announced or registered ' +
    'already. The Wi-Fi keys are kept encrypted and never answered.',
  request: Type.Object({
    serialNumber: text('Its serial number.'),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    orgUuid: Type.Optional(
      ruuid('The organisation that the request acts on, or a client of the partner that asks.'),
    ),
    wifiSsid: Type.Optional(text('The Wi-Fi it is to use.')),
    wifiPsk: Type.Optional(listOf(text('Key.'), 'Keys of that Wi-Fi.', MAX_WIFI_KEYS)),
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
      context.warn('wifiSsid and wifiPsk are kept and have no effect: the gateway sets up no hardware.');
    }
    return {};
  },
});
