/** Wires up the services of devices and locations. */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { CameraProber, type ProbeCamera } from './camera-prober.ts';
import { DeviceService, type ShareRemoval } from './device-service.ts';
import { Licenses } from './license.ts';
import { LocationService } from './location-service.ts';
import { NearbyFeeds } from './nearby-feeds.ts';
import { OnvifCameras } from './onvif-cameras.ts';
import { OnvifDiscovery, type OnvifNetwork } from './onvif-discovery.ts';
import { PendingRegistrations } from './pending-registrations.ts';
import { ProximityTags } from './proximity-tags.ts';
import { RtspCredentials } from './rtsp-credentials.ts';
import { type OnCameraProbed, RtspEndpointService } from './rtsp-endpoint-service.ts';

export interface DeviceServices {
  readonly devices: DeviceService;
  readonly pendingRegistrations: PendingRegistrations;
  readonly rtspCredentials: RtspCredentials;
  readonly rtspEndpoints: RtspEndpointService;
  readonly onvifDiscovery: OnvifDiscovery;
  readonly onvifCameras: OnvifCameras;
  readonly locations: LocationService;
  readonly proximityTags: ProximityTags;
  readonly licenses: Licenses;
  readonly nearbyFeeds: NearbyFeeds;
}

export interface DeviceServicesOptions {
  readonly store: Store;
  readonly shares: ShareRemoval;
  readonly clock: Clock;
  readonly probeCamera: ProbeCamera;
  readonly onvif: OnvifNetwork;
  /** Receives the result of probing a running camera; absent: no one runs it. */
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
    ...{ store, devices, prober, clock, network: onvif },
    ...{ credentials: rtspCredentials, endpoints: rtspEndpoints },
  });
  const onvifCameras = new OnvifCameras({
    ...{ devices, discovery: onvifDiscovery, endpoints: rtspEndpoints, credentials: rtspCredentials },
  });
  const locations = new LocationService({ store, clock });
  const proximityTags = new ProximityTags({ store, clock });
  return {
    ...{ devices, pendingRegistrations, rtspCredentials, rtspEndpoints, onvifDiscovery },
    ...{ onvifCameras, locations, proximityTags },
    licenses: new Licenses({ store, clock }),
    nearbyFeeds: new NearbyFeeds({ store, devices, clock }),
  };
}
