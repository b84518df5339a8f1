/** POST /api/report/getAuditFeedForPrincipal: what a key, a person or the viewers of a link did, newest first. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { EXAMPLE_AUDIT_EVENT } from './audit-event-type.ts';
import { AUDIT_EVENTS, AUDIT_FEED_RULES, AUDIT_MAX_RESULTS, auditFeedOf } from './audit-feed-of.ts';

export const getAuditFeedForPrincipal = defineEndpoint({
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
