/** The query of a manifest request. The standard has none: this one is the gateway's own. */

import { GatewayError } from '../core/errors.ts';
import { DASH_ERRORS } from './errors.ts';

/** `low`: the manifest lists the segment that is being made, for players that read it while it grows. */
export type ManifestLatency = 'normal' | 'low';

const PARAMETER = 'latency';

/** Parses a raw query string, without its `?`. Unknown parameters are ignored. Fails DASH_BAD_LATENCY. */
export function parseManifestQuery(query: string): ManifestLatency {
  if (!query.includes(PARAMETER)) return 'normal';
  const value = new URLSearchParams(query).getAll(PARAMETER).at(-1);
  if (value === undefined || value === 'normal') return 'normal';
  if (value !== 'low') throw new GatewayError(DASH_ERRORS.DASH_BAD_LATENCY);
  return 'low';
}
