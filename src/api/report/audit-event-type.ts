/** Entries of the audit trail, as two endpoints return them. */

import type { Static } from 'typebox';
import { SIGN_IN_FAILED } from '../../audit/audit-action.ts';
import { displayText } from '../../audit/audit-feed.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { CallContext } from '../../http/endpoint.ts';
import {
  dateTime,
  flag,
  int64,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { AuditEvent, AuditPrincipal } from '../../store/audit.ts';
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
export const AUDIT_EVENT_SCHEMA = namedType('AuditEventWeb', {
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

export const EXAMPLE_AUDIT_EVENT = auditEventAnswer({
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

type AuditEventAnswer = Static<typeof AUDIT_EVENT_SCHEMA>;

/** How the caller gets entries: whoever may not see addresses does not learn where others are and who signed in. */
export function auditEventAnswerFor(context: CallContext): (event: AuditEvent) => AuditEventAnswer {
  return maySeeAddresses(context) ? (event) => auditEventAnswer(event) : withoutAddresses;
}

function withoutAddresses(event: AuditEvent): AuditEventAnswer {
  const answer = auditEventAnswer(event);
  const principalName = isSignedInViewer(event) ? '' : answer.principalName;
  return { ...answer, principalName, sourceIp: '', userAgent: '' };
}

function auditEventAnswer(event: AuditEvent): AuditEventAnswer {
  const { principal, action, targetName } = event;
  const isSignedIn = isSignedInViewer(event);
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
    principalName: principal.type.startsWith('SHARED_') && !isSignedIn ? VIEWER_NAME : principal.name,
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
