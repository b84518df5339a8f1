/** Camera reports, for tests of the code that reads them. */

import { type CameraReport, type ConnectionState, NOT_CHECKED } from './camera-connection.ts';
import type { LiveStateName } from './media/live-media.ts';

/** The report of a camera in this state; an idle one was reached before. */
const CONNECTION: Readonly<Record<LiveStateName, ConnectionState>> = {
  idle: 'reachable',
  starting: 'connecting',
  live: 'live',
  offline: 'offline',
};

/** A camera without a substream whose state for viewers is `streamState`. */
export function reportOf(
  streamState: LiveStateName,
  state: ConnectionState = CONNECTION[streamState],
): CameraReport {
  return { streamState, main: { ...NOT_CHECKED, state }, sub: null };
}
