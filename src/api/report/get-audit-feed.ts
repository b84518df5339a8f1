/** POST /api/report/getAuditFeed: who changed or viewed what. */

import { Type } from 'typebox';
import { AUDIT_PAGE_EVENTS } from '../../audit/audit-feed.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, listOf, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { AUDIT_EVENT_SCHEMA, auditEventAnswerFor, EXAMPLE_AUDIT_EVENT } from './audit-event-type.ts';

const MAX_ACTIONS = 500;
const actions = (description: string) => Type.Optional(listOf(text('Action.'), description, MAX_ACTIONS));

export const getAuditFeed = defineEndpoint({
  path: '/api/report/getAuditFeed',
  summary: 'Lists who changed or viewed what.',
  description:
    'Newest first. The trail records every change of what the API or the configuration manages, and when viewers of ' +
    'shares and cameras come and go. Device reports are not changes, unless they add something managed, such as doors. A ' +
    `response has at most about ${AUDIT_PAGE_EVENTS.toLocaleString('en')} entries, or more if all of them have the ` +
    'same millisecond. If there are older entries, a warning says so; get them with `timestampMsBefore` set to the ' +
    'time of the last entry. Callers with the role `viewer` get entries without addresses and programs.',
  request: Type.Object({
    timestampMsAfter: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    timestampMsBefore: Type.Optional(
      int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    includeActions: actions('Only these actions; unknown ones match nothing.'),
    excludeActions: actions('None of these actions.'),
  }),
  response: { auditEvents: listOf(AUDIT_EVENT_SCHEMA, 'The entries.') },
  example: {
    request: { timestampMsAfter: EXAMPLE_TIME_MS, includeActions: ['DEVICE_UPDATE'] },
    response: {
      auditEvents: [EXAMPLE_AUDIT_EVENT],
    },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { events, isMore } = await services.auditFeed.page(orgUuid, {
      fromMs: body.timestampMsAfter ?? 0,
      toMs: body.timestampMsBefore ?? MAX_TIME_MS + 1,
      includeActions: body.includeActions ?? null,
      excludeActions: body.excludeActions ?? [],
    });
    if (isMore) {
      context.warn(
        'There are older entries: get them with timestampMsBefore set to the time of the last one.',
      );
    }
    return { auditEvents: LongList.of(events).map(auditEventAnswerFor(context)) };
  },
});
