/** POST /api/report/getAuditFeed: who changed or viewed what. */

import { type Static, Type } from 'typebox';
import { AUDIT_PAGE_EVENTS, displayText } from '../../audit/audit-feed.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { AuditEvent, AuditPrincipal } from '../../store/audit.ts';
import {
  dateTime,
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_ACTIONS = 500;
const PRINCIPAL_TYPES = [
  'API_TOKEN',
  'API_OAUTH_TOKEN',
  'PARTNER',
  'DEVICE',
  'SHARED_STREAM',
  'UNKNOWN',
] as const;
const CLIENT_TYPES = [
  'API_TOKEN',
  'API_OAUTH_TOKEN',
  'PARTNER_API_TOKEN',
  'DEVICE',
  'SHARE_ANONYMOUS',
] as const;

const CLIENT_BY_PRINCIPAL: Readonly<Record<AuditPrincipal['type'], (typeof CLIENT_TYPES)[number]>> = {
  API_TOKEN: 'API_TOKEN',
  API_OAUTH_TOKEN: 'API_OAUTH_TOKEN',
  PARTNER: 'PARTNER_API_TOKEN',
  DEVICE: 'DEVICE',
  SHARED_STREAM: 'SHARE_ANONYMOUS',
  UNKNOWN: 'DEVICE',
};

/** The name of all viewers of shares: reports of the API family look for it. Which share it was is the target. */
const VIEWER_NAME = 'Anonymous Share User';

/** The nil UUID (RFC 9562 §5.9). */
const NIL_RUUID = 'AAAAAAAAAAAAAAAAAAAAAA' as Ruuid;

const ALWAYS_EMPTY = 'Always empty: addresses are not looked up.';

/**
 * Every entry has the same fields: scripts of the API family write entries as rows of a table whose columns are the fields
 * of the first one.
 */
const AUDIT_EVENT_SCHEMA = namedType('AuditEventWeb', {
  uuid: ruuid('The entry.'),
  orgUuid: ruuid('The organization.'),
  timestamp: dateTime('The time, as ISO 8601 in UTC.'),
  lastTimestamp: dateTime('The last time, if the entry covers several; otherwise the same.'),
  occurrences: int64(
    'How many events the entry covers: views of one share from one address and program within ten minutes are one ' +
      'entry.',
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  action: plainText(
    'What was done, such as DEVICE_UPDATE, SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE or VIEW_SHARE_STREAM. ' +
      'Clients should expect other words too.',
  ),
  displayText: plainText('The same, in words.'),
  failure: flag('Always false: only successful actions are recorded.'),
  principalType: oneOf(PRINCIPAL_TYPES, 'Who did it; UNKNOWN means the gateway itself.'),
  principalUuid: ruuid(
    'The API key, the key that granted the access token, or the share; for the gateway itself, the nil UUID.',
  ),
  principalName: plainText(`Its name; of all viewers of shares, \`${VIEWER_NAME}\`.`),
  clientType: oneOf(CLIENT_TYPES, 'How it came. DEVICE also stands for the gateway itself.'),
  targetUuid: ruuid('The target of the action.'),
  targetName: plainText('Its name, as it was last seen; empty if it has none.'),
  sourceIp: plainText('The address it came from; empty for the gateway itself.'),
  userAgent: plainText('The program it came from; empty if it did not say.'),
  sourceCity: plainText(ALWAYS_EMPTY),
  sourceState: plainText(ALWAYS_EMPTY),
  sourceCountry: plainText(ALWAYS_EMPTY),
  asi: nullable(plainText('Always absent.')),
  selectiveUpdateStr: nullable(plainText('Always absent.')),
});

const actions = (description: string) => Type.Optional(listOf(text('Action.'), description, MAX_ACTIONS));

export const getAuditFeed = defineEndpoint({
  path: '/api/report/getAuditFeed',
  summary: 'Lists who changed or viewed what.',
  description:
    'Newest first. The trail records every change of what the API or the configuration manages, and when viewers of ' +
    'shares come and go. Device reports are not changes, unless they add something managed, such as doors. A ' +
    `response has at most about ${AUDIT_PAGE_EVENTS.toLocaleString('en')} entries, or more if all of them have the ` +
    'same millisecond. If there are older entries, a warning says so; get them with `timestampMsBefore` set to the ' +
    'time of the last entry.',
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
      auditEvents: [
        auditEventAnswer({
          uuid: deriveRuuid('example', 'audit event'),
          orgUuid: EXAMPLE_ORG_UUID,
          atMs: EXAMPLE_TIME_MS,
          action: 'DEVICE_UPDATE',
          principal: {
            type: 'API_TOKEN',
            uuid: deriveRuuid('example', 'api key'),
            name: 'Video wall',
            sourceIp: '192.0.2.10',
            userAgent: 'curl/8.5.0',
          },
          targetUuid: EXAMPLE_CAMERA_UUID,
          targetName: 'Front desk',
        }),
      ],
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
    return { auditEvents: LongList.of(events).map(auditEventAnswer) };
  },
});

function auditEventAnswer(event: AuditEvent): Static<typeof AUDIT_EVENT_SCHEMA> {
  const { principal, action, targetName } = event;
  return {
    uuid: event.uuid,
    orgUuid: event.orgUuid,
    timestamp: new Date(event.atMs).toISOString(),
    lastTimestamp: new Date(event.repeated?.lastAtMs ?? event.atMs).toISOString(),
    occurrences: event.repeated?.occurrences ?? 1,
    action,
    displayText: displayText(event),
    failure: false,
    principalType: principal.type,
    principalUuid: principal.uuid ?? NIL_RUUID,
    principalName: principal.type === 'SHARED_STREAM' ? VIEWER_NAME : principal.name,
    clientType: CLIENT_BY_PRINCIPAL[principal.type],
    targetUuid: event.targetUuid,
    targetName,
    sourceIp: principal.sourceIp ?? '',
    userAgent: principal.userAgent ?? '',
    sourceCity: '',
    sourceState: '',
    sourceCountry: '',
    asi: null,
    selectiveUpdateStr: null,
  };
}
