import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import { MemoryRateLimiter } from '../counters/rate-limiter.ts';
import { CameraProber } from './camera-prober.ts';

it('tries cameras of one organization while those of others never answer', async () => {
  const clock = new FakeClock();
  const limiter = new MemoryRateLimiter({ burst: 100, perSec: 1 }, clock);
  const prober = new CameraProber(() => Promise.reject(new Error('not called')), clock, limiter);
  const never = () => new Promise<never>(() => undefined);
  const { max } = LIMITS.cameraProbes.levels.organization;
  const greedy = newRuuid();
  for (let count = 0; count < max; count++) void prober.inSlot(greedy, never);
  await expect(prober.inSlot(greedy, never)).rejects.toMatchObject({
    code: 'PROBES_BUSY',
    context: { boundOf: 'organization' },
  });
  expect(await prober.inSlot(newRuuid(), async () => 'tried')).toBe('tried');
});
