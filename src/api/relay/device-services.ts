/** The services behind the device endpoints, wired. */

import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';
import { DeviceService, type ShareRemoval } from '../camera/device-service.ts';
import { PendingRegistrations } from '../org/pending-registrations.ts';
import { CameraProber, type ProbeCamera } from './camera-prober.ts';
import { OnvifDiscovery, type OnvifNetwork } from './onvif-discovery.ts';
import { RtspCredentials } from './rtsp-credentials.ts';
import { type OnCameraProbed, RtspEndpointService } from './rtsp-endpoint-service.ts';

export interface DeviceServices {
  readonly devices: DeviceService;
  readonly pendingRegistrations: PendingRegistrations;
  readonly rtspCredentials: RtspCredentials;
  readonly rtspEndpoints: RtspEndpointService;
  readonly onvifDiscovery: OnvifDiscovery;
}

export interface DeviceServicesOptions {
  readonly store: Store;
  readonly shares: ShareRemoval;
  readonly clock: Clock;
  readonly probeCamera: ProbeCamera;
  readonly onvif: OnvifNetwork;
  /** Told what a probe of a camera that runs has shown; absent: nobody runs it. */
  readonly onCameraProbed?: OnCameraProbed;
}

export function createDeviceServices(options: DeviceServicesOptions): DeviceServices {
  const { store, shares, clock, probeCamera, onvif, onCameraProbed = async () => undefined } = options;
  const devices = new DeviceService({ store, shares, clock });
  const pendingRegistrations = new PendingRegistrations({ store, devices, clock });
  const rtspCredentials = new RtspCredentials(store, clock);
  const prober = new CameraProber(probeCamera, clock);
  const rtspEndpoints = new RtspEndpointService({
    ...{ store, devices, pendingRegistrations, credentials: rtspCredentials, prober, clock },
    onCameraProbed,
  });
  const onvifDiscovery = new OnvifDiscovery({
    ...{ store, prober, clock, network: onvif, credentials: rtspCredentials, endpoints: rtspEndpoints },
  });
  return { devices, pendingRegistrations, rtspCredentials, rtspEndpoints, onvifDiscovery };
}
