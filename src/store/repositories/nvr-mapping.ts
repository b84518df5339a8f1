/** Network video recorders. */

import type { Nvr } from '../entities.ts';
import type { NvrRow } from '../entity-tables.ts';
import { bitOf, optionalRuuidOf, ruuidOf } from './columns.ts';
import type { OrgMapping } from './org-table.ts';

export const NVR_MAPPING: OrgMapping<Nvr, NvrRow> = {
  table: 'nvrs',
  entity: 'nvr',
  detailsOf: ({ uuid, name, locationUuid }) => ({ deviceUuid: uuid, fields: { name, locationUuid } }),
  toRow: (nvr) => ({
    uuid: nvr.uuid,
    org_uuid: nvr.orgUuid,
    location_uuid: nvr.locationUuid,
    name: nvr.name,
    serial_number: nvr.serialNumber,
    created_at_ms: nvr.createdAtMs,
    mummified: bitOf(nvr.mummified),
    from_config: bitOf(nvr.fromConfig),
  }),
  fromRow: (row) => ({
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    locationUuid: optionalRuuidOf(row.location_uuid),
    name: row.name,
    serialNumber: row.serial_number,
    createdAtMs: row.created_at_ms,
    mummified: row.mummified === 1,
    fromConfig: row.from_config === 1,
  }),
};
