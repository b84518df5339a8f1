/** Integrations with other systems, as sent and as returned (integrations/org-integrations.ts). */

import { Type } from 'typebox';
import {
  flag,
  int64,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { IntegrationBody } from '../../integrations/org-integrations.ts';
import type { Resource } from '../../store/resource.ts';

const AUDIT_EVENT_SCHEMA = namedType('IntegrationAuditEvent', {
  integrationAuditEvent: oneOf(['UPDATE', 'DELETE'], 'What was done.'),
  enabledTimestampMs: int64('The time, epoch milliseconds.'),
  user: plainText('The API key that did it.'),
  userUuid: nullable(ruuid('The user on whose behalf it was done.')),
});

/** What integrations of all kinds return. */
export const ORG_INTEGRATION_PROPERTIES = {
  enabled: flag('Whether it is on.'),
  integration: plainText('Its kind.'),
  integrationAuditMap: mapOf(AUDIT_EVENT_SCHEMA, 'Its latest changes, by the time of each.'),
  orgUuid: ruuid('The organization.'),
  userUuid: nullable(ruuid('The user on whose behalf it acts.')),
};

export const ORG_INTEGRATION_SCHEMA = namedType('OrgIntegration', ORG_INTEGRATION_PROPERTIES);

/** What callers send to turn an integration on and off. */
export const ORG_INTEGRATION_INPUT = {
  enabled: Type.Optional(flag('Whether it is on. Default true for a new one.')),
  userUuid: Type.Optional(ruuid('The user on whose behalf it acts.')),
};

/** What a response needs of an integration. */
export type AnsweredIntegration = Pick<Resource<IntegrationBody>, 'orgUuid' | 'body'>;

export function orgIntegrationAnswer(integration: string, { orgUuid, body }: AnsweredIntegration) {
  return {
    enabled: body.enabled,
    integration,
    integrationAuditMap: Object.fromEntries(
      body.audit.map(({ atMs, user, userUuid }) => [
        String(atMs),
        { integrationAuditEvent: 'UPDATE' as const, enabledTimestampMs: atMs, user, userUuid },
      ]),
    ),
    orgUuid,
    userUuid: body.userUuid,
  };
}
