/** Wires up the services of the platform. */

import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';
import { ComponentEvents } from '../access-control/component-events.ts';
import { CountingCameras } from '../devices/counting-cameras.ts';
import { Licenses } from '../devices/license.ts';
import { ProximityTags } from '../devices/proximity-tags.ts';
import { ClimatePolicies } from '../policies/climate-policies.ts';
import { createReportServices, type ReportServices } from '../reports/report-services.ts';

export interface PlatformServices extends ReportServices {
  readonly climatePolicies: ClimatePolicies;
  readonly componentEvents: ComponentEvents;
  readonly countingCameras: CountingCameras;
  readonly licenses: Licenses;
  readonly proximityTags: ProximityTags;
}

export function createPlatformServices(parts: {
  readonly store: Store;
  readonly clock: Clock;
}): PlatformServices {
  const { store } = parts;
  return {
    ...createReportServices(parts),
    climatePolicies: new ClimatePolicies(parts),
    componentEvents: new ComponentEvents(store),
    countingCameras: new CountingCameras(store),
    licenses: new Licenses(parts),
    proximityTags: new ProximityTags(parts),
  };
}
