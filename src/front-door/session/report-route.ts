/**
 * POST /live/<grant>/report: what the viewer page says about its own playback. It is there only if the operator asked for it. The
 * answer is the same whatever comes of the report, and never wakes a camera or makes a viewer.
 */

import type { FastifyInstance } from 'fastify';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { COMMON_HEADERS } from '../response/refusal-answer.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import type { GrantParams } from './grant-replies.ts';

/** Half a kilobyte is enough for the numbers. */
const MAX_BODY_BYTES = 1_024;

/** More viewers of a share than this do not tell more: of many, so many are asked. */
const REPORTING_VIEWERS = 2_000;

/** Whether a viewer who opens a share with so many viewers is asked. */
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
