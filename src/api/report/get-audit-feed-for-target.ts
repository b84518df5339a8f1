/** POST /api/report/getAuditFeedForTarget: what was done to a thing, newest first. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { EXAMPLE_AUDIT_EVENT } from './audit-event-type.ts';
import { AUDIT_EVENTS, AUDIT_FEED_RULES, AUDIT_MAX_RESULTS, auditFeedOf } from './audit-feed-of.ts';

export const getAuditFeedForTarget = defineEndpoint({
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
