/** The audit trail. */

import { type Static, Type } from 'typebox';
import { SIGN_IN_FAILED } from '../../audit/audit-action.ts';
import { AUDIT_PAGE_EVENTS, displayText } from '../../audit/audit-feed.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { expectRole } from '../../http/endpoint-roles.ts';
import {
  dateTime,
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import {
  type AuditEvent,
  type AuditMark,
  type AuditPrincipal,
  type AuditQuery,
  VIEWING_ACTIONS,
} from '../../store/audit.ts';
import { maySeeAddresses } from '../types/caller-rights.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const PRINCIPAL_TYPES = [
  'API_TOKEN',
  'API_OAUTH_TOKEN',
  'PARTNER',
  'DEVICE',
  'USER',
  'SHARED_STREAM',
  'SHARED_CLIP',
  'SHARED_TIMELAPSE',
  'UNKNOWN',
] as const;
const CLIENT_TYPES = [
  'API_TOKEN',
  'API_OAUTH_TOKEN',
  'PARTNER_API_TOKEN',
  'DEVICE',
  'WEB',
  'SHARE_ANONYMOUS',
  'SHARE_SSO',
] as const;

const CLIENT_BY_PRINCIPAL: Readonly<Record<AuditPrincipal['type'], (typeof CLIENT_TYPES)[number]>> = {
  API_TOKEN: 'API_TOKEN',
  API_OAUTH_TOKEN: 'API_OAUTH_TOKEN',
  PARTNER: 'PARTNER_API_TOKEN',
  DEVICE: 'DEVICE',
  USER: 'WEB',
  SHARED_STREAM: 'SHARE_ANONYMOUS',
  SHARED_CLIP: 'SHARE_ANONYMOUS',
  SHARED_TIMELAPSE: 'SHARE_ANONYMOUS',
  UNKNOWN: 'DEVICE',
};

/** The name of all viewers of shares who did not sign in: reports of the API family look for it. Which share it was is the target. */
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
    'How many events the entry covers: views of one share, or of one camera with one key, from one address and ' +
      'program within ten minutes are one entry.',
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  action: plainText(
    'What was done, such as DEVICE_UPDATE, SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE or VIEW_SHARE_STREAM. ' +
      'Clients should expect other words too.',
  ),
  displayText: plainText('The same, in words.'),
  failure: flag('True for LOGIN_FAILURE_WEB, a wrong password; otherwise only what succeeded is recorded.'),
  principalType: oneOf(PRINCIPAL_TYPES, 'Who did it; UNKNOWN means the gateway itself.'),
  principalUuid: ruuid(
    'The API key, the key that granted the access token, the person, or the share; for the gateway itself and for ' +
      'someone who could not sign in, the nil UUID.',
  ),
  principalName: plainText(
    `Its name. Viewers of shares are named \`${VIEWER_NAME}\`, or by the email address that they signed in with, which ` +
      'is empty for callers with the role `viewer`.',
  ),
  clientType: oneOf(CLIENT_TYPES, 'How the request was sent. DEVICE also means the gateway itself.'),
  targetUuid: ruuid('The target of the action.'),
  targetName: plainText('Its last known name; empty if it has none.'),
  sourceIp: plainText(
    'The IP address of the client; empty for the gateway itself, and for callers with the role `viewer`.',
  ),
  userAgent: plainText(
    'The program of the client; empty if unknown, and for callers with the role `viewer`.',
  ),
  sourceCity: plainText(ALWAYS_EMPTY),
  sourceState: plainText(ALWAYS_EMPTY),
  sourceCountry: plainText(ALWAYS_EMPTY),
  asi: nullable(plainText('Always absent.')),
  selectiveUpdateStr: nullable(plainText('Always absent.')),
});

const EXAMPLE_AUDIT_EVENT = auditEventResponse({
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
});

/** Rows of viewers who did not sign in have the share's own name in this place. */
function isSignedInViewer({ action, principal: { type, name }, targetName }: AuditEvent): boolean {
  return (
    type === 'SHARED_STREAM' && action === 'VIEW_SHARE_STREAM' && name.includes('@') && name !== targetName
  );
}

type AuditEventResponse = Static<typeof AUDIT_EVENT_SCHEMA>;

/**
 * Converts entries for the caller: a caller who may not see addresses does not learn where others are and who signed in.
 */
function auditEventResponseFor(context: CallContext): (event: AuditEvent) => AuditEventResponse {
  return maySeeAddresses(context) ? (event) => auditEventResponse(event) : withoutAddresses;
}

function withoutAddresses(event: AuditEvent): AuditEventResponse {
  const response = auditEventResponse(event);
  const principalName = isSignedInViewer(event) ? '' : response.principalName;
  return { ...response, principalName, sourceIp: '', userAgent: '' };
}

function auditEventResponse(event: AuditEvent): AuditEventResponse {
  const { principal, action, targetName } = event;
  const isSignedIn = isSignedInViewer(event);
  // The target of a talk is the camera, so the name says which link it was.
  const isNamed = isSignedIn || action === 'TALK_CAMERA';
  return {
    uuid: event.uuid,
    orgUuid: event.orgUuid,
    timestamp: new Date(event.atMs).toISOString(),
    lastTimestamp: new Date(event.repeated?.lastAtMs ?? event.atMs).toISOString(),
    occurrences: event.repeated?.occurrences ?? 1,
    action,
    displayText: displayText(event),
    failure: action === SIGN_IN_FAILED,
    principalType: principal.type,
    principalUuid: principal.uuid ?? NIL_RUUID,
    principalName: principal.type.startsWith('SHARED_') && !isNamed ? VIEWER_NAME : principal.name,
    clientType: isSignedIn ? 'SHARE_SSO' : CLIENT_BY_PRINCIPAL[principal.type],
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

const MAX_ACTIONS = 500;
const actions = (description: string) => Type.Optional(listOf(text('Action.'), description, MAX_ACTIONS));

const getAuditFeed = defineEndpoint({
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
    cameraUuid: Type.Optional(
      deviceUuid(
        'Only what concerns this camera: it and what belongs to it, its links, and the walls that show it now with their ' +
          'links. Specific to Sluice.',
      ),
    ),
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
    const { cameraUuid } = body;
    const about = cameraUuid === undefined ? null : await services.auditFeed.targetsOf(orgUuid, cameraUuid);
    const { events, isMore } = await services.auditFeed.page(orgUuid, {
      fromMs: body.timestampMsAfter ?? 0,
      toMs: body.timestampMsBefore ?? MAX_TIME_MS + 1,
      includeActions: body.includeActions ?? null,
      excludeActions: body.excludeActions ?? [],
      ...(about === null ? {} : { about }),
    });
    if (isMore) {
      context.warn(
        'There are older entries: get them with timestampMsBefore set to the time of the last one.',
      );
    }
    return { auditEvents: LongList.of(events).map(auditEventResponseFor(context)) };
  },
});

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;

const AUDIT_MAX_RESULTS = Type.Optional(
  int32(`Maximum number of entries. Default ${DEFAULT_RESULTS}.`, 1, MAX_RESULTS),
);
const AUDIT_EVENTS = { auditEvents: listOf(AUDIT_EVENT_SCHEMA, 'The entries.') };
const AUDIT_FEED_RULES =
  'Newest first: views and changes, as in `getAuditFeed`. If there are older entries, a warning says so; ' +
  '`findAuditEvents` pages through all of them. Callers with the role `viewer` get entries without addresses and programs.';

/** Rejects like the store. */
async function auditFeedOf(
  context: CallContext,
  of: Pick<AuditQuery, 'principalUuid' | 'targetUuid'>,
  maxResults = DEFAULT_RESULTS,
) {
  const all = { fromMs: 0, toMs: MAX_TIME_MS + 1, includeActions: null, excludeActions: [] };
  const { auditFeed } = context.services;
  const { events, isMore } = await auditFeed.search(context.orgUuid, { ...all, ...of, limit: maxResults });
  if (isMore) context.warn('There are older entries: raise maxResults, or call findAuditEvents.');
  return { auditEvents: LongList.of(events).map(auditEventResponseFor(context)) };
}

const getAuditFeedForPrincipal = defineEndpoint({
  path: '/api/report/getAuditFeedForPrincipal',
  summary: 'Lists what a key, a person or the viewers of a link did.',
  description: AUDIT_FEED_RULES,
  request: Type.Object({
    principalUuid: ruuid('The API key, the person, or the share whose link viewers have.'),
    maxResults: AUDIT_MAX_RESULTS,
  }),
  response: AUDIT_EVENTS,
  example: {
    request: { principalUuid: EXAMPLE_CAMERA_UUID, maxResults: 50 },
    response: { auditEvents: [EXAMPLE_AUDIT_EVENT] },
  },
  handler: (context, { principalUuid, maxResults }) => auditFeedOf(context, { principalUuid }, maxResults),
});

const getAuditFeedForTarget = defineEndpoint({
  path: '/api/report/getAuditFeedForTarget',
  summary: 'Lists what was done to a camera, a share or another thing.',
  description: AUDIT_FEED_RULES,
  request: Type.Object({
    targetUuid: ruuid('The share, the camera, the setting or another thing.'),
    maxResults: AUDIT_MAX_RESULTS,
  }),
  response: AUDIT_EVENTS,
  example: {
    request: { targetUuid: EXAMPLE_CAMERA_UUID, maxResults: 50 },
    response: { auditEvents: [EXAMPLE_AUDIT_EVENT] },
  },
  handler: (context, { targetUuid, maxResults }) => auditFeedOf(context, { targetUuid }, maxResults),
});

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
/** An IPv6 address with a zone. */
const MAX_ADDRESS_CHARS = 64;
const KEY_LIST = 'auditEvents';

const findAuditEvents = defineEndpoint({
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
    // A caller who may not see addresses could find them by trying.
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
      auditEvents: LongList.of(events).map(auditEventResponseFor(context)),
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

export const AUDIT_ENDPOINTS: readonly Endpoint[] = [
  getAuditFeed,
  getAuditFeedForPrincipal,
  getAuditFeedForTarget,
  findAuditEvents,
];
