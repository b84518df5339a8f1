/** Conversations with cameras that move: those of one organization leave some to others. */

import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { MemoryRateLimiter } from '../counters/rate-limiter.ts';
import { sampleCamera } from '../store/sample-entities-fixture.ts';
import type { PtzState } from './onvif/onvif-ptz.ts';
import type { CameraPtz } from './ptz-camera.ts';
import { NO_PTZ_AUDIT, PTZ_CALL_LIMIT, PtzService } from './ptz-service.ts';

function open(respond: () => Promise<PtzState>, onOpen = () => {}) {
  const clock = new FakeClock();
  const devices = {
    findCamera: async (orgUuid: Ruuid, uuid: string) => ({
      camera: sampleCamera(orgUuid, { uuid: uuid as Ruuid }),
      facet: null,
    }),
  };
  return new PtzService({
    clock,
    log: silentLog,
    audit: NO_PTZ_AUDIT,
    moves: null,
    devices: devices as never,
    openPtz: () => {
      onOpen();
      return { state: respond } as unknown as CameraPtz;
    },
    limiter: new MemoryRateLimiter(PTZ_CALL_LIMIT, clock),
  });
}

it('moves cameras of one organization while those of another never answer', async () => {
  let isGreedy = true;
  const state = {} as PtzState;
  const ptz = open(() => (isGreedy ? new Promise(() => undefined) : Promise.resolve(state)));
  const greedy = newRuuid();
  const refusals: unknown[] = [];
  for (let count = 0; count < LIMITS.ptzCameras.total + 10; count++) {
    ptz.state(greedy, newRuuid()).catch((error: { code: string; context: unknown }) => {
      refusals.push({ code: error.code, context: error.context });
    });
    // Until the camera receives the request: an idle one makes room.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  expect(refusals).toHaveLength(LIMITS.ptzCameras.total / 2 + 10);
  expect(refusals[0]).toEqual({ code: 'PTZ_BUSY', context: { boundOf: 'organization' } });
  isGreedy = false;
  const own = newRuuid();
  for (let count = 0; count < 20; count++) expect(await ptz.state(own, newRuuid())).toBe(state);
});

it('keeps the conversations of others when one organization uses many cameras', async () => {
  let opened = 0;
  const ptz = open(
    async () => ({}) as PtzState,
    () => void opened++,
  );
  const [own, camera, greedy] = [newRuuid(), newRuuid(), newRuuid()];
  await ptz.state(own, camera);
  const requested = LIMITS.ptzCameras.total + 10;
  for (let count = 0; count < requested; count++) await ptz.state(greedy, newRuuid());
  expect(opened).toBe(1 + requested);
  await ptz.state(own, camera);
  expect(opened).toBe(1 + requested);
});
