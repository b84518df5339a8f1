import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { descriptorLimit, planDescriptors } from './descriptor-plan.ts';

const NEEDS = { cameras: 10, ffmpegWorkers: 4, viewerThreads: 0, hasRtsp: false, maxPerAddress: null };

describe('planDescriptors', () => {
  it.each([
    [256, 88, 32],
    [1_024, 672, 128],
    [20_000, 15_404, 2_000],
    [1_048_576, 50_000, 2_000],
  ])('of %i gives the media %i and the API %i connections', (limit, media, api) => {
    const plan = planDescriptors({ ...NEEDS, limit });
    expect([plan.media.maxConnections, plan.api.maxConnections]).toEqual([media, api]);
    expect(plan.media.maxPerAddress).toBe(media / 2);
  });

  it('leaves room for many cameras, and half of the total for everything else', () => {
    expect(planDescriptors({ ...NEEDS, limit: 4_096, cameras: 300 }).reserved).toBe(96 + 1_200);
    expect(planDescriptors({ ...NEEDS, limit: 4_096, cameras: 5_000 }).reserved).toBe(96 + 2_048);
  });

  it.each([
    [256, 16, 24],
    [1_024, 64, 416],
    [20_000, 1_250, 12_648],
    [1_048_576, 2_000, 50_000],
  ])('of %i gives viewers by RTSP %i connections, and the media %i', (limit, rtsp, media) => {
    const plan = planDescriptors({ ...NEEDS, limit, hasRtsp: true });
    expect([plan.rtsp, plan.media.maxConnections]).toEqual([rtsp, media]);
    expect(planDescriptors({ ...NEEDS, limit }).rtsp).toBe(0);
  });

  it('takes the limit per address from the configuration', () => {
    expect(planDescriptors({ ...NEEDS, limit: 1_024, maxPerAddress: 10 }).media.maxPerAddress).toBe(10);
    expect(planDescriptors({ ...NEEDS, limit: 1_024, maxPerAddress: 9_999 }).media.maxPerAddress).toBe(672);
  });

  it('never plans more than the limit, and keeps the highest numbers for the API and cameras', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 256, max: 1_048_576 }),
        fc.nat(5_000),
        fc.nat(30),
        fc.boolean(),
        (limit, cameras, ffmpegWorkers, hasRtsp) => {
          const { media, api, reserved } = planDescriptors({
            limit,
            cameras,
            ffmpegWorkers,
            viewerThreads: 0,
            hasRtsp,
            maxPerAddress: null,
          });
          const isTight = media.maxConnections === 16;
          expect(isTight || media.maxConnections + api.maxConnections + reserved <= limit).toBe(true);
          expect(media.maxDescriptor).toBeLessThanOrEqual(api.maxDescriptor - api.maxConnections);
          expect(api.maxDescriptor).toBeLessThanOrEqual(limit * (7 / 8) + 1);
        },
      ),
      randomRuns(1_000),
    );
  });
});

describe('descriptorLimit', () => {
  it.each([
    [
      'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            256                  512                  files     \n',
      256,
    ],
    ['Max open files            unlimited            unlimited            files     \n', 1_048_576],
    ['Max open files            1073741816           1073741816           files     \n', 1_048_576],
    ['Max processes             7                    7                    processes \n', 1_024],
  ])('reads %j', (text, limit) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-limits-'));
    const file = join(folder, 'limits');
    writeFileSync(file, text);
    expect(descriptorLimit(file)).toBe(limit);
    rmSync(folder, { recursive: true });
    expect(descriptorLimit(file)).toBe(1_024);
  });
});
