/** The callers of a route. Every route declares its rule; without one, the front door is not built (docs/design/access.md#invariants). */

import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';

/**
 * - `public`: anyone; the route reveals nothing about any share, except whether this gateway made a link.
 * - `share-link`: anyone who knows a share's link; the gate decides (src/sharing/share-gate.ts).
 * - `credentials`: anyone with a key or token of an organization; the gate of devices decides (src/sharing/device-gate.ts).
 * - `grant`: anyone who opened a share or a device; the viewer's session decides (src/sharing/viewer-sessions.ts).
 * - `link-or-grant`: either of the two; their form tells them apart.
 * - `upload`: anyone with a key that may report; for each request about a clip, src/uploads/upload-access.ts decides.
 * - `shared-path`: anyone who was given a signed path of a segment, as long as it lives (docs/design/cdn.md).
 * - `frame`: anyone who was given the name of an image that an API call made (src/thumbnails/held-stills.ts).
 */
export type AccessRule =
  | 'public'
  | 'share-link'
  | 'credentials'
  | 'grant'
  | 'link-or-grant'
  | 'frame'
  | 'shared-path'
  | 'upload';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessRule;
  }
}

export interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
  readonly access: AccessRule;
}

/** Collects the routes declared from now on. Throws ACCESS_RULE_MISSING for a route without a rule. */
export function collectRoutes(app: FastifyInstance): readonly DeclaredRoute[] {
  const routes: DeclaredRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access;
    if (access === undefined) throw new GatewayError(FRONT_DOOR_ERRORS.ACCESS_RULE_MISSING, { path: url });
    for (const one of [method].flat()) routes.push({ method: one, path: url, access });
  });
  return routes;
}
