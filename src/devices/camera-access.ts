/** How the API reaches cameras: each connection within the networks of the organization on whose behalf it is opened. */

import type { Clock } from '../core/clock.ts';
import { probeCamera } from '../sources/probe.ts';
import type { AddressRules } from './address-rules.ts';
import type { ProbeCamera } from './camera-prober.ts';
import { type ExamineStream, examinedStream } from './examined-stream.ts';
import { inspectOnvifDevice, readOnvifClock } from './onvif/onvif-device.ts';
import { OnvifPtz } from './onvif/onvif-ptz.ts';
import { discoverOnvifDevices, type ProbeTarget } from './onvif/ws-discovery.ts';
import type { OnvifNetwork } from './onvif-discovery.ts';

/** How the API finds cameras. */
export function onvifNetwork(
  clock: Clock,
  onvifProbes: readonly ProbeTarget[],
  addressRules: AddressRules,
): OnvifNetwork {
  return {
    discover: (waitMs) => discoverOnvifDevices({ clock, waitMs, targets: onvifProbes }),
    inspect: (orgUuid, service, access, timeoutMs) =>
      inspectOnvifDevice(service, {
        clock,
        ...access,
        timeoutMs,
        addressRule: addressRules.for({ reach: 'no-local', orgUuid }),
      }),
    readClock: ({ rule, ...target }, timeoutMs) =>
      readOnvifClock(target.service, { clock, ...target, timeoutMs, addressRule: addressRules.for(rule) }),
    openPtz: ({ rule, ...target }) => new OnvifPtz({ clock, ...target, addressRule: addressRules.for(rule) }),
  };
}

/** How the API probes cameras: as the direct engine opens them. */
export function prober(clock: Clock, addressRules: AddressRules): ProbeCamera {
  return (url, timeoutMs, { rule, ...how }) => {
    const addressRule = addressRules.for(rule);
    return probeCamera(url, { ...how, timeoutMs, clock, addressRule });
  };
}

/** How the API examines cameras: as `prober`, with all that can be measured. */
export function examiner(clock: Clock, addressRules: AddressRules): ExamineStream {
  return async (url, { rule, engine, ...how }) => {
    const addressRule = addressRules.for(rule);
    return examinedStream(
      await probeCamera(url, { ...how, clock, addressRule, keepsKeyFrame: true }),
      engine,
    );
  };
}
