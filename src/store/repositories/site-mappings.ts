/** Locations and network video recorders. */

import type { Location, Nvr } from '../entities.ts';
import { LOCATIONS, type LocationRow, NVRS, type NvrRow } from '../entity-tables.ts';
import type { OrgMapping } from './org-table.ts';

export const LOCATION_MAPPING: OrgMapping<Location, LocationRow> = {
  ...LOCATIONS,
  entity: 'location',
  belongings: ['floorPlan'],
  detailsOf: ({ name }) => ({ deviceUuid: null, fields: { name } }),
};

export const NVR_MAPPING: OrgMapping<Nvr, NvrRow> = {
  ...NVRS,
  entity: 'nvr',
  detailsOf: ({ uuid, name, locationUuid }) => ({ deviceUuid: uuid, fields: { name, locationUuid } }),
};
