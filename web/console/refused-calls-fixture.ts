/** Calls that the compiler refuses. `tsc -p web/console` fails if it accepts one of these lines. */

import { call } from './api.ts';
import type { CameraItem } from './camera-state.ts';
import type { ScheduleItem } from './schedule-now.ts';

export async function refusedCalls(): Promise<void> {
  // @ts-expect-error: no endpoint has this path.
  await call('camera/getCameraStates', {});
  // @ts-expect-error: the endpoint needs a body.
  await call('camera/delete');
  // @ts-expect-error: a required field is missing.
  await call('camera/getUptimeHistory', {});
  // @ts-expect-error: the endpoint takes only its own words.
  await call('console/getLogTail', { level: 'loud' });
  const rename = { name: 'Lobby', nameUpdated: true };
  // @ts-expect-error: links of walls have no name of their own.
  await call('camera/updateSharedVideoWall', { uuid: '', ...rename });
}

export function refusedReads(camera: CameraItem, schedule: ScheduleItem): readonly unknown[] {
  return [
    // @ts-expect-error: a camera can be at no site.
    camera.locationUuid.length,
    // @ts-expect-error: nothing is known of a camera that was never opened.
    camera.connectionDetail.state,
    // @ts-expect-error: only weekly and absolute schedules have this list.
    schedule.intervalList,
  ];
}
