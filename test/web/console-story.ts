/**
 * One morning, told the same way by all pictures of the console: who watches, what is held, and how long the emergency lasted. What a
 * gateway that has run for a minute cannot know.
 */

import type { Json } from '../support/gateway.ts';

const MINUTE_MS = 60_000;
const GIB = 1_073_741_824;

/** Who watches now, by the name of the share. Together as many as the counters say. */
const WATCHING: Readonly<Record<string, number>> = { 'Control room': 4, 'Harbor master': 2 };
export const VIEWERS = Object.values(WATCHING).reduce((sum, count) => sum + count, 0);
/** Minutes since someone watched the others. */
const LAST_VIEWED: Readonly<Record<string, number>> = {
  Carrier: 26,
  Customs: 95,
  Neighbors: 780,
  Insurance: 1_500,
};
const EMERGENCY_MINUTES = 18;

/** `shown`: what the gateway returned for the operation, with the times of the story. Changes it. */
export function tell(operation: string, request: Json, shown: Json, nowMs: number): void {
  switch (operation) {
    case 'findSharedStreams':
      for (const share of shown.sharedStreams ?? []) Object.assign(share, viewersOf(share.name, nowMs));
      break;
    case 'getSharedStreamViewers':
      Object.assign(shown, viewersOfMaster(request, nowMs));
      break;
    case 'findHolds':
      Object.assign(shown, { heldBytes: 1.4 * GIB, allowedBytes: 465 * GIB });
      break;
    case 'findEmergencies':
      for (const emergency of shown.emergencies) Object.assign(emergency, lasted(emergency));
      break;
    case 'getEmergencyReport':
      Object.assign(shown.emergency, lasted(shown.emergency));
      for (const delivery of shown.deliveries) delivery.queuedAtMs = shown.emergency.openedAtMs;
      break;
  }
}

function viewersOf(name: string, nowMs: number): Json {
  const viewerCount = WATCHING[name] ?? 0;
  const minutes = viewerCount > 0 ? 0 : LAST_VIEWED[name];
  return { viewerCount, ...(minutes === undefined ? {} : { lastViewedAtMs: nowMs - minutes * MINUTE_MS }) };
}

/** Of the share that the pictures open: the first one. */
function viewersOfMaster(_request: Json, nowMs: number): Json {
  const common = { isInPast: false, isCounted: true, cameraUuids: [], protocol: 'HLS', stream: 'MAIN' };
  const viewers = [
    ['192.0.2.44', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Safari/605.1.15', 11],
    ['192.0.2.61', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/150.0.0.0 Safari/537.36', 3],
  ].map(([address, userAgent, minutes], i) => ({
    ...common,
    viewerId: `viewer-${i}`,
    address,
    userAgent,
    sinceMs: nowMs - Number(minutes) * MINUTE_MS,
    lastRequestMs: nowMs,
    sentBytes: Number(minutes) * 15_000_000,
  }));
  return { viewers, totalCount: viewers.length, lastViewedAtMs: nowMs };
}

/** One that was closed in the same moment never helped anyone. */
function lasted({ closedAtMs }: Json): Json {
  return closedAtMs === undefined ? {} : { openedAtMs: closedAtMs - EMERGENCY_MINUTES * MINUTE_MS };
}
