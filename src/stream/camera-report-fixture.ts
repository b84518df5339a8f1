/** Reports of cameras, for tests of those who read them. */

import { type CameraReport, type ConnectionState, NOT_CHECKED } from './camera-connection.ts';
import type { LiveStateName } from './live-media.ts';

/** Of a camera in this state; an idle one was reached before. */
const CONNECTION: Readonly<Record<LiveStateName, ConnectionState>> = {
  idle: 'reachable',
  starting: 'connecting',
  live: 'live',
  offline: 'offline',
};

/** A camera without a sub stream that viewers see in `streamState`. */
export function reportOf(
  streamState: LiveStateName,
  state: ConnectionState = CONNECTION[streamState],
): CameraReport {
  return { streamState, main: { ...NOT_CHECKED, state }, sub: null };
}
