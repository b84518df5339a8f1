/** POST /api/policy/pauseAlertPolicyForComponentComposite: no alerts for a while. */

import { type TUnsafe, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { deviceUuid, int64, listOf, ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const MAX_ENTRIES = 100;
/** A year. */
const MAX_PAUSE_SEC = 31_536_000;
/** 9998-12-31: with the longest pause, times stay within what dates can show. */
const LAST_START_SEC = 253_370_764_800;

const uuids = (one: TUnsafe<Ruuid>, all: string) => Type.Optional(listOf(one, all, MAX_ENTRIES));

export const pauseAlertPolicyForComponentComposite = defineEndpoint({
  path: '/api/policy/pauseAlertPolicyForComponentComposite',
  summary: 'Pauses alert policies for a while.',
  description:
    'Until the pause ends, alerts of the doors, landings, devices and locations are not raised; then they are again, ' +
    'by themselves. At least one of the lists must have an entry. Sensors are not registered: for a device that has not ' +
    'reported anything yet the answer warns, and the pause counts all the same.',
  request: Type.Object({
    componentCompositeUuids: uuids(
      ruuid('A door, a landing or a sensor of a door.'),
      'Doors, landings and their parts to pause.',
    ),
    deviceUuids: uuids(deviceUuid('A device.'), 'Devices to pause: cameras, NVRs, controllers and sensors.'),
    locationUuids: uuids(ruuid('A location.'), 'Locations to pause, with all that is there.'),
    durationSec: int64('Length of the pause in seconds.', 1, MAX_PAUSE_SEC),
    scheduledTimestampSec: Type.Optional(
      int64('Epoch second at which the pause begins; at once when absent.', 0, LAST_START_SEC),
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
        `Nothing was reported yet of these devices: ${unheardOf.join(', ')}. Their alerts are paused too.`,
      );
    }
    return {};
  },
});
