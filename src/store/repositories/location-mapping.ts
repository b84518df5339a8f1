/** Locations. */

import type { Location } from '../entities.ts';
import type { LocationRow } from '../entity-tables.ts';
import { bitOf, optionalRuuidOf, ruuidOf } from './columns.ts';
import type { OrgMapping } from './org-table.ts';

export const LOCATION_MAPPING: OrgMapping<Location, LocationRow> = {
  table: 'locations',
  entity: 'location',
  detailsOf: ({ name }) => ({ deviceUuid: null, fields: { name } }),
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
    from_config: bitOf(location.fromConfig),
    parent_uuid: location.parentUuid,
    policy_uuid: location.policyUuid,
    labels_json: JSON.stringify(location.labels),
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
    fromConfig: row.from_config === 1,
    parentUuid: optionalRuuidOf(row.parent_uuid),
    policyUuid: optionalRuuidOf(row.policy_uuid),
    labels: JSON.parse(row.labels_json) as string[],
  }),
};
