/**
 * The numbers of devices in the report tables. A number is assigned once and never changes, so known ones are kept in
 * memory.
 */

import { type CompiledQuery, type Expression, sql } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { isFacetWanted, type Ruuid } from '../../core/ruuid.ts';
import type { ReportingDevice, ReportName } from '../crossing.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import { ruuidOf } from './columns.ts';

/** How many rows the report tables accept in one transaction; more would delay everyone else's. */
export const MAX_REPORTED_TOGETHER = 1_000;

const MAX_DEVICES = LIMITS.reportingDevices.perOrganization;
const MAX_KEPT_KEYS = 20_000;
/** Another process that numbers devices at the same moment may take a number. Then the next one is tried. */
const MAX_ATTEMPTS = 5;

export class ReportingDevices {
  readonly #database: SqlDatabase;
  readonly #keys = new Map<string, number>();

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** The devices' numbers, in their order; unknown devices get one. Fails TOO_MANY_REPORTING_DEVICES. */
  async numbersFor(orgUuid: Ruuid, devices: readonly ReportingDevice[]): Promise<number[]> {
    const unknown = new Map<string, ReportingDevice>();
    for (const device of devices) {
      const name = nameOf(orgUuid, device);
      if (!this.#keys.has(name)) unknown.set(name, device);
    }
    if (this.#keys.size + unknown.size > MAX_KEPT_KEYS) {
      this.#keys.clear();
      for (const device of devices) unknown.set(nameOf(orgUuid, device), device);
    }
    for (let attempt = 0; unknown.size > 0 && attempt < MAX_ATTEMPTS; attempt++) {
      await this.#number(orgUuid, unknown);
    }
    return devices.map((device) => {
      const key = this.#keys.get(nameOf(orgUuid, device));
      // Only a full bound leaves a device without a number.
      if (key === undefined)
        throw new GatewayError(STORE_ERRORS.TOO_MANY_REPORTING_DEVICES, { limit: 'reportingDevices' });
      return key;
    });
  }

  /** Numbers of those devices that ever reported; facet '' means every facet. null: all of the organization's. */
  async find(
    orgUuid: Ruuid,
    devices: readonly ReportingDevice[] | null,
  ): Promise<Map<number, ReportingDevice>> {
    let query = this.#database.build
      .selectFrom('reporting_devices')
      .selectAll()
      .where('org_uuid', '=', orgUuid);
    if (devices !== null) {
      query = query.where(
        'device_uuid',
        'in',
        devices.map(({ deviceUuid }) => deviceUuid),
      );
    }
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const isWanted = devices === null ? () => true : wantedAmong(devices);
    const found = new Map<number, ReportingDevice>();
    for (const row of rows) {
      const device = { deviceUuid: ruuidOf(row.device_uuid), facet: row.facet };
      if (isWanted(device)) found.set(row.device_key, device);
    }
    return found;
  }

  /** The devices that have a row in the table. */
  async withRowsIn(table: 'crossings' | 'occupancy_counts', orgUuid: Ruuid): Promise<Ruuid[]> {
    const query = this.#database.build
      .selectFrom('reporting_devices')
      .select('device_uuid')
      .distinct()
      .where('org_uuid', '=', orgUuid)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom(table)
            .select(`${table}.device_key`)
            .whereRef(`${table}.device_key`, '=', 'reporting_devices.device_key'),
        ),
      );
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map((row) => ruuidOf(row.device_uuid));
  }

  /** The ids under each device's number. Devices that never reported get a number too. */
  async idsByNumber(
    orgUuid: Ruuid,
    reports: readonly ReportName[],
  ): Promise<Map<number, { readonly device: ReportingDevice; readonly ids: string[] }>> {
    const numbers = await this.numbersFor(orgUuid, reports);
    const byNumber = new Map<number, { readonly device: ReportingDevice; readonly ids: string[] }>();
    for (const [index, { id, deviceUuid, facet }] of reports.entries()) {
      const known = byNumber.get(numbers[index]!);
      if (known === undefined) byNumber.set(numbers[index]!, { device: { deviceUuid, facet }, ids: [id] });
      else known.ids.push(id);
    }
    return byNumber;
  }

  async #number(orgUuid: Ruuid, unknown: Map<string, ReportingDevice>): Promise<void> {
    const { build, executor } = this.#database;
    const devices = [...unknown.values()];
    await executor.run(...devices.map((device) => this.#insert(orgUuid, device)));
    const query = build
      .selectFrom('reporting_devices')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where(
        'device_uuid',
        'in',
        devices.map(({ deviceUuid }) => deviceUuid),
      );
    const [{ rows }] = await executor.run(query.compile());
    for (const row of rows) {
      const name = nameOf(orgUuid, { deviceUuid: ruuidOf(row.device_uuid), facet: row.facet });
      this.#keys.set(name, row.device_key);
      unknown.delete(name);
    }
  }

  #insert(orgUuid: Ruuid, { deviceUuid, facet }: ReportingDevice): CompiledQuery<unknown> {
    const text = (value: string): Expression<string> => sql`cast(${value} as text)`;
    return this.#database.build
      .insertInto('reporting_devices')
      .columns(['device_key', 'org_uuid', 'device_uuid', 'facet'])
      .expression(({ selectFrom }) =>
        selectFrom('reporting_devices')
          .select([
            sql<number>`coalesce(max(device_key), 0) + 1`.as('device_key'),
            sql<string>`${text(orgUuid)}`.as('org_uuid'),
            sql<string>`${text(deviceUuid)}`.as('device_uuid'),
            sql<string>`${text(facet)}`.as('facet'),
          ])
          // A select before `on conflict` needs a where (sqlite.org/lang_upsert.html, "Parsing Ambiguity").
          .where('device_key', '>', 0)
          // Without `group by`, an aggregate has a row even if `where` lets none through.
          .having(
            sql<boolean>`(select count(*) from reporting_devices where org_uuid = ${orgUuid}) < ${sql.lit(MAX_DEVICES)}`,
          ),
      )
      .onConflict((conflict) => conflict.doNothing())
      .compile();
  }
}

function nameOf(orgUuid: Ruuid, { deviceUuid, facet }: ReportingDevice): string {
  return `${orgUuid}${deviceUuid}${facet}`;
}

function wantedAmong(devices: readonly ReportingDevice[]): (device: ReportingDevice) => boolean {
  const facets = new Map<Ruuid, Set<string>>();
  for (const { deviceUuid, facet } of devices) {
    const known = facets.get(deviceUuid);
    if (known === undefined) facets.set(deviceUuid, new Set([facet]));
    else known.add(facet);
  }
  return ({ deviceUuid, facet }) => {
    const wanted = facets.get(deviceUuid);
    return wanted !== undefined && [...wanted].some((each) => isFacetWanted(each, facet));
  };
}

/** The same statement with other parameters, so that a batch is compiled once. */
export function rebound<Row>(
  statement: CompiledQuery<Row>,
  parameters: readonly unknown[],
): CompiledQuery<Row> {
  return { ...statement, parameters };
}
