/** POST /api/policy/pauseAlertPolicyForComponentComposite: pauses alerts. */

import { type TUnsafe, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int64, listOf, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const MAX_ENTRIES = 100;
/** One year. */
const MAX_PAUSE_SEC = 31_536_000;
/** 9998-12-31: with the longest pause, times stay within what dates can show. */
const LAST_START_SEC = 253_370_764_800;

const uuids = (one: TUnsafe<Ruuid>, all: string) => Type.Optional(listOf(one, all, MAX_ENTRIES));

export const pauseAlertPolicyForComponentComposite = defineEndpoint({
  path: '/api/policy/pauseAlertPolicyForComponentComposite',
  summary: 'Pauses alert policies for a while.',
  description:
    'Until the pause ends, the doors, landings, devices and locations raise no alerts; after that, they raise them ' +
    'again. At least one of the lists must have an entry. Sensors are not registered: if a device has not reported ' +
    'anything yet, the response warns about it, but the pause still applies.',
  repetition: 'once',
  request: Type.Object({
    componentCompositeUuids: uuids(
      ruuid('A door, a landing or a sensor of a door.'),
      'Doors, landings and their parts to pause.',
    ),
    deviceUuids: uuids(deviceUuid('A device.'), 'Devices to pause: cameras, NVRs, controllers and sensors.'),
    locationUuids: uuids(ruuid('A location.'), 'Locations to pause, with everything in them.'),
    durationSec: int64('Length of the pause in seconds.', 1, MAX_PAUSE_SEC),
    scheduledTimestampSec: Type.Optional(
      int64('Epoch second at which the pause begins; default: now.', 0, LAST_START_SEC),
    ),
  }),
  response: {},
  example: { request: { locationUuids: [EXAMPLE_LOCATION_UUID], durationSec: 3_600 }, response: {} },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { componentCompositeUuids = [], deviceUuids = [], locationUuids = [] } = body;
    const { durationSec, scheduledTimestampSec: startSec } = body;
    const subjects = { componentCompositeUuids, deviceUuids, locationUuids };
    const { alertPauses } = services.accessControl;
    await alertPauses.pauseFor(orgUuid, subjects, { startSec, durationSec });
    const unheardOf = await alertPauses.unheardOf(orgUuid, deviceUuids);
    if (unheardOf.length > 0) {
      context.warn(
        `These devices have not reported anything yet: ${unheardOf.join(', ')}. Their alerts are paused too.`,
      );
    }
    return {};
  },
});
