/** The audit trail's rows. */

import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { AuditEvent, AuditPrincipal, AuditQuery, AuditRepository } from '../audit.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { AuditEventRow } from '../tables.ts';
import { optionalRuuidOf, ruuidOf } from './columns.ts';
import { MAX_REPORTED_TOGETHER } from './reporting-devices.ts';

export class AuditTable implements AuditRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    if (events.length > MAX_REPORTED_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: events.length });
    }
    const { build, executor } = this.#database;
    await executor.run(
      ...events.map((event) => build.insertInto('audit_events').values(toRow(event)).compile()),
    );
  }

  async list(orgUuid: Ruuid, query: AuditQuery): Promise<AuditEvent[]> {
    const { fromMs, toMs, includeActions, excludeActions, limit } = query;
    let rows = this.#database.build
      .selectFrom('audit_events')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    if (includeActions !== null) rows = rows.where('action', 'in', includeActions);
    if (excludeActions.length > 0) rows = rows.where('action', 'not in', excludeActions);
    const sorted = rows.orderBy('at_ms', 'desc').orderBy('uuid', 'desc').limit(limit);
    const found = await this.#database.executor.readLong(sorted.compile());
    return found.map(fromRow).toArray();
  }

  async removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number> {
    const { build, executor } = this.#database;
    const old = build
      .selectFrom('audit_events')
      .select('uuid')
      .where('org_uuid', '=', orgUuid)
      .where('at_ms', '<', beforeMs)
      .orderBy('at_ms')
      .orderBy('uuid')
      .limit(limit);
    const [{ changes }] = await executor.run(
      build.deleteFrom('audit_events').where('uuid', 'in', old).compile(),
    );
    return changes;
  }

  async lastNameOf(orgUuid: Ruuid, targetUuid: Ruuid): Promise<string | null> {
    const query = this.#database.build
      .selectFrom('audit_events')
      .select('target_name')
      .where('org_uuid', '=', orgUuid)
      .where('target_uuid', '=', targetUuid)
      .orderBy('at_ms', 'desc')
      .limit(1);
    const [result] = await this.#database.executor.run(query.compile());
    return result.rows[0]?.target_name ?? null;
  }
}

function toRow(event: AuditEvent): AuditEventRow {
  const { principal } = event;
  return {
    uuid: event.uuid,
    org_uuid: event.orgUuid,
    at_ms: event.atMs,
    action: event.action,
    target_uuid: event.targetUuid,
    target_name: event.targetName,
    principal_type: principal.type,
    principal_uuid: principal.uuid,
    principal_name: principal.name,
    source_ip: principal.sourceIp,
    user_agent: principal.userAgent,
  };
}

function fromRow(row: AuditEventRow): AuditEvent {
  return {
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    atMs: row.at_ms,
    action: row.action,
    principal: {
      type: row.principal_type as AuditPrincipal['type'],
      uuid: optionalRuuidOf(row.principal_uuid),
      name: row.principal_name,
      sourceIp: row.source_ip,
      userAgent: row.user_agent,
    },
    targetUuid: ruuidOf(row.target_uuid),
    targetName: row.target_name,
  };
}
