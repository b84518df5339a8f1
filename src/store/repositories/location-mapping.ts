/** Locations. */

import type { Location } from '../entities.ts';
import type { LocationRow } from '../tables.ts';
import { ruuidOf } from './columns.ts';
import type { OrgMapping } from './org-table.ts';

export const LOCATION_MAPPING: OrgMapping<Location, LocationRow> = {
  table: 'locations',
  entity: 'location',
  toRow: (location) => ({
    uuid: location.uuid,
    org_uuid: location.orgUuid,
    name: location.name,
    tz: location.tz,
    latitude: location.latitude,
    longitude: location.longitude,
    address1: location.address1,
    address2: location.address2,
    postal_code: location.postalCode,
    country_code: location.countryCode,
    created_at_ms: location.createdAtMs,
  }),
  fromRow: (row) => ({
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    name: row.name,
    tz: row.tz,
    latitude: row.latitude,
    longitude: row.longitude,
    address1: row.address1,
    address2: row.address2,
    postalCode: row.postal_code,
    countryCode: row.country_code,
    createdAtMs: row.created_at_ms,
  }),
};
