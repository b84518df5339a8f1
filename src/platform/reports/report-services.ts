/** Wires up the reports. */

import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';
import { CrossingReports } from './crossing-reports.ts';
import { OccupancyReports } from './occupancy-reports.ts';
import { SalesReports } from './sales-reports.ts';

export interface ReportServices {
  readonly crossingReports: CrossingReports;
  readonly occupancyReports: OccupancyReports;
  readonly salesReports: SalesReports;
}

export function createReportServices(parts: {
  readonly store: Pick<Store, 'crossings' | 'occupancy' | 'cameras' | 'locations' | 'events'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}): ReportServices {
  return {
    crossingReports: new CrossingReports(parts),
    occupancyReports: new OccupancyReports(parts),
    salesReports: new SalesReports(parts.store),
  };
}
