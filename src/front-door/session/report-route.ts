/**
 * POST /live/<grant>/report: a viewer page's report about its own playback. The route exists only if the operator enabled it. The response
 * does not depend on the report, and never wakes a camera or makes a viewer.
 */

import type { FastifyInstance } from 'fastify';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { COMMON_HEADERS } from '../response/refusal-response.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import type { GrantParams } from './grant-replies.ts';

/** Half a kilobyte is enough for the numbers. */
const MAX_BODY_BYTES = 1_024;

/** Reports of more viewers of a share than this add nothing, so only about this many are asked to report. */
const REPORTING_VIEWERS = 2_000;

/** Whether a viewer who opens a share with this many viewers is asked to report. */
export function asksForReport(viewers: number): boolean {
  return viewers < REPORTING_VIEWERS || Math.random() < REPORTING_VIEWERS / viewers;
}

export function registerReportRoute(
  app: FastifyInstance,
  sessions: ViewerSessions,
  onReport: NonNullable<FrontDoorParts['onViewerReport']>,
): void {
  app.post<{ Params: GrantParams }>(
    '/live/:grant/report',
    { config: { access: 'grant' }, bodyLimit: MAX_BODY_BYTES },
    ({ params, body, headers }, reply) => {
      const session = sessions.find(params.grant);
      const wantsPrivacy = headers.dnt === '1' || headers['sec-gpc'] === '1';
      if (session?.grant.of === 'share' && !session.isProbe && !wantsPrivacy) onReport(session, body);
      reply
        .code(204)
        .headers({ ...COMMON_HEADERS, 'cache-control': 'no-store' })
        .send();
    },
  );
}
