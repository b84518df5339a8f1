/** Calls for images that wait: one organization's leave room for those of others. */

import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { StillRequest } from '../devices/camera-stills.ts';
import type { LiveCamera } from '../stream/media/live-media.ts';
import { ApiStills } from './api-stills.ts';

const REQUEST: StillRequest = {
  widthPx: 320,
  format: 'jpeg',
  qualityPercent: null,
  crop: null,
  downscaleFactor: 1,
  isOnlyLive: false,
  isHeld: false,
  atEpochMs: null,
};

let stills: ApiStills;
let clock: FakeClock;
/** A camera of organization `a`; all others belong to `b`. */
const own = newRuuid();

beforeEach(() => {
  clock = new FakeClock();
  // It never has a picture, so every call waits.
  const cameraOf = (uuid: Ruuid) =>
    ({
      uuid,
      keyFrame: () => null,
      status: () => ({ state: 'starting' }),
      hasPicture: () => null,
      touch: () => undefined,
      rendition: () => null,
      awaitPicture: () => undefined,
    }) as unknown as LiveCamera;
  stills = new ApiStills({
    clock,
    mediaUrl: 'http://media.example',
    cameras: { get: cameraOf },
    stills: { still: async () => null, pastStill: () => new Promise(() => undefined) },
    media: {} as never,
    held: {} as never,
    organizationOf: (camera) => (camera === own ? 'a' : 'b'),
  });
});

/** Calls that wait, until `count` were made; returns why others did not. */
async function take(count: number, camera: () => Ruuid, fields: Partial<StillRequest>): Promise<unknown[]> {
  const refusals: unknown[] = [];
  for (let call = 0; call < count; call++) {
    stills.take(camera(), { ...REQUEST, ...fields }).catch((error: { code: string; context: object }) => {
      refusals.push({ code: error.code, ...error.context });
    });
  }
  await Promise.resolve();
  await Promise.resolve();
  return refusals;
}

describe.each([
  ['for live images', {}],
  ['for frames of the past', { atEpochMs: 1_000 }],
])('calls %s', (_name, fields) => {
  it('of one organization leave half of the places', async () => {
    const { total } = LIMITS.imageCalls;
    const refused = await take(total + 10, newRuuid, fields);
    expect(refused).toHaveLength(total / 2 + 10);
    expect(refused[0]).toEqual({ code: 'CAMERA_IMAGE_BUSY', boundOf: 'organization' });
    expect(await take(20, () => own, fields)).toEqual([]);
  });

  it('for one camera leave places for the others of its organization', async () => {
    const camera = newRuuid();
    const refused = await take(LIMITS.imageCalls.total, () => camera, fields);
    expect(refused[0]).toEqual({ code: 'CAMERA_IMAGE_BUSY', boundOf: 'camera' });
    expect(await take(20, newRuuid, fields)).toEqual([]);
  });
});
