/** The viewers who are served first if not every camera can have a worker: those who answer alarms. */

import type { Share } from '../store/entities.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import type { PrincipalActor } from './device-rows.ts';

/** Shares that were made for an alarm receiving center or for emergency services. */
const ALARM_STREAMS: ReadonlySet<Share['streamType']> = new Set(['ALARM_MONITORING', 'RAPIDSOS']);

export function shareUrgency({ streamType }: Pick<Share, 'streamType'>): Urgency {
  return ALARM_STREAMS.has(streamType) ? 'alarm' : 'viewer';
}

/** The urgency of a viewer with credentials of its own. Partners answer an organization's alarms. */
export function actorUrgency(actor: Pick<PrincipalActor, 'scheme'> | null): Urgency {
  return actor?.scheme === 'partner-api' ? 'alarm' : 'viewer';
}
