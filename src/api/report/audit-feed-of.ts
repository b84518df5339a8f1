/** The newest entries of the audit trail of one principal or one target, for two endpoints. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { int32, listOf } from '../../http/fields/field-types.ts';
import type { AuditQuery } from '../../store/audit.ts';
import { AUDIT_EVENT_SCHEMA, auditEventAnswerFor } from './audit-event-type.ts';

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;

export const AUDIT_MAX_RESULTS = Type.Optional(
  int32(`Maximum number of entries. Default ${DEFAULT_RESULTS}.`, 1, MAX_RESULTS),
);
export const AUDIT_EVENTS = { auditEvents: listOf(AUDIT_EVENT_SCHEMA, 'The entries.') };
export const AUDIT_FEED_RULES =
  'Newest first: views and changes, as in `getAuditFeed`. If there are older entries, a warning says so; ' +
  '`findAuditEvents` pages through all of them. Callers with the role `viewer` get entries without addresses and programs.';

/** Rejects like the store. */
export async function auditFeedOf(
  context: CallContext,
  of: Pick<AuditQuery, 'principalUuid' | 'targetUuid'>,
  maxResults = DEFAULT_RESULTS,
) {
  const all = { fromMs: 0, toMs: MAX_TIME_MS + 1, includeActions: null, excludeActions: [] };
  const { auditFeed } = context.services;
  const { events, isMore } = await auditFeed.search(context.orgUuid, { ...all, ...of, limit: maxResults });
  if (isMore) context.warn('There are older entries: raise maxResults, or call findAuditEvents.');
  return { auditEvents: LongList.of(events).map(auditEventAnswerFor(context)) };
}
