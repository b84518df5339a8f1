/** POST /api/report/findAuditEvents: who viewed what from where, or what changed: parts of the audit trail, page by page. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { expectRole } from '../../http/endpoint-roles.ts';
import { int32, int64, listOf, oneOf, ruuid, text } from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import { type AuditMark, type AuditQuery, VIEWING_ACTIONS } from '../../store/audit.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { AUDIT_EVENT_SCHEMA, auditEventAnswerFor, EXAMPLE_AUDIT_EVENT } from './audit-event-type.ts';

const MAX_ACTIONS = 500;
const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
/** An IPv6 address with a zone. */
const MAX_ADDRESS_CHARS = 64;
const KEY_LIST = 'auditEvents';

export const findAuditEvents = defineEndpoint({
  path: '/api/report/findAuditEvents',
  summary: 'Finds entries of the audit trail by what was done, by whom, to what, from where and when.',
  description:
    'Newest first, in pages: views (who watched what from where), changes, or both. Conditions combine. The entries are ' +
    'those of `getAuditFeed`. `targetUuid` is the share, the camera or the setting; `principalUuid` is the API key, or the ' +
    'share whose link a viewer has. Callers with the role `viewer` get entries without addresses and programs, and cannot ' +
    'look for a `sourceIp`.',
  isExtension: true,
  request: Type.Object({
    about: Type.Optional(oneOf(['VIEWS', 'CHANGES'], 'Only what viewers did, or only everything else.')),
    actions: Type.Optional(
      listOf(text('Action.'), 'Only these actions; unknown ones match nothing.', MAX_ACTIONS),
    ),
    principalUuid: Type.Optional(ruuid('Only what this key, or viewers with the link of this share, did.')),
    targetUuid: Type.Optional(ruuid('Only what was done to this.')),
    sourceIp: Type.Optional(
      text(
        'Only what came from this address, as entries write it. Needs the role `operator`.',
        MAX_ADDRESS_CHARS,
      ),
    ),
    timestampMsAfter: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    timestampMsBefore: Type.Optional(
      int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    lastEvaluatedKey: PAGE_KEY,
    maxPageSize: Type.Optional(int32(`Entries per page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
  }),
  response: { auditEvents: listOf(AUDIT_EVENT_SCHEMA, 'The entries.'), lastEvaluatedKey: NEXT_PAGE_KEY },
  example: {
    request: { about: 'CHANGES', targetUuid: EXAMPLE_CAMERA_UUID, maxPageSize: 50 },
    response: { auditEvents: [EXAMPLE_AUDIT_EVENT], lastEvaluatedKey: null },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { principalUuid, targetUuid, sourceIp, lastEvaluatedKey, maxPageSize } = body;
    // Whoever may not see addresses could try them.
    if (sourceIp !== undefined) expectRole(context.caller, 'operator');
    const query: AuditQuery = {
      fromMs: body.timestampMsAfter ?? 0,
      toMs: body.timestampMsBefore ?? MAX_TIME_MS + 1,
      ...actionsOf(body),
      ...(principalUuid === undefined ? {} : { principalUuid }),
      ...(targetUuid === undefined ? {} : { targetUuid }),
      ...(sourceIp === undefined ? {} : { sourceIp }),
      ...(lastEvaluatedKey === undefined ? {} : { after: markIn(lastEvaluatedKey) }),
      limit: maxPageSize ?? DEFAULT_PAGE_SIZE,
    };
    const { events, isMore } = await services.auditFeed.search(orgUuid, query);
    const last = events.at(-1);
    return {
      auditEvents: LongList.of(events).map(auditEventAnswerFor(context)),
      lastEvaluatedKey: isMore && last !== undefined ? pageKeyOf(KEY_LIST, [last.atMs, last.uuid]) : null,
    };
  },
});

function actionsOf({
  about,
  actions,
}: {
  readonly about?: 'VIEWS' | 'CHANGES';
  readonly actions?: readonly string[];
}): Pick<AuditQuery, 'includeActions' | 'excludeActions'> {
  if (about === 'CHANGES') return { includeActions: actions ?? null, excludeActions: VIEWING_ACTIONS };
  if (about === undefined) return { includeActions: actions ?? null, excludeActions: [] };
  const views = VIEWING_ACTIONS.filter((action) => actions?.includes(action) ?? true);
  return { includeActions: views, excludeActions: [] };
}

function markIn(key: string): AuditMark {
  const [atMs, uuid] = readPageKey(key, KEY_LIST, ['number', 'string']);
  return { atMs, uuid: uuid as Ruuid };
}
