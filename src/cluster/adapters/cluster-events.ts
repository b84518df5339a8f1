/** Passes events that cameras report to the node that records the camera. Any node can receive the report. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { SeenEvent } from '../../policies/recorded-events.ts';
import type { Cluster } from '../cluster.ts';

const EVENTS_SEEN = 'events.seen';

/** As GatewayCalls.eventsSeen. */
export function recordSeen(
  cluster: Pick<Cluster, 'tell' | 'onTold' | 'isPlacedHere'> | null,
  recordAround: (cameraUuid: Ruuid, fromMs: number, toMs: number) => void,
): (seen: readonly SeenEvent[]) => void {
  const record = (seen: readonly SeenEvent[]): void => {
    for (const { cameraUuid, fromMs, toMs } of seen) recordAround(cameraUuid, fromMs, toMs);
  };
  if (cluster === null) return record;
  cluster.onTold(EVENTS_SEEN, (body) => {
    record((body as readonly SeenEvent[]).filter(({ cameraUuid }) => cluster.isPlacedHere(cameraUuid)));
  });
  return (seen) => {
    record(seen);
    const ofOthers = seen.filter(({ cameraUuid }) => !cluster.isPlacedHere(cameraUuid));
    if (ofOthers.length > 0) cluster.tell(EVENTS_SEEN, ofOthers);
  };
}
