import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { StillRequest } from '../devices/camera-stills.ts';
import type { KeyFrame, LiveCamera, LiveState } from '../stream/media/live-media.ts';
import type { Still } from '../thumbnails/stills.ts';
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

const uuid = newRuuid();
let clock: FakeClock;
let frame: KeyFrame | null;
let state: LiveState;
let touches: number;
let made: number;
let stills: ApiStills;

beforeEach(() => {
  clock = new FakeClock();
  frame = null;
  state = { state: 'idle' };
  touches = 0;
  made = 0;
  const camera = {
    uuid,
    keyFrame: () => frame,
    status: () => state,
    touch: () => void touches++,
    rendition: () => null,
    hasPicture: () => null,
  } as unknown as LiveCamera;
  const still = async (): Promise<Still | null> => {
    if (frame === null) return null;
    made++;
    const { atEpochMs: takenAtEpochMs } = frame;
    return { bytes: Buffer.from('x'), format: 'jpeg', widthPx: 1, heightPx: 1, takenAtEpochMs, digest: '' };
  };
  stills = new ApiStills({
    clock,
    mediaUrl: 'http://media.example',
    cameras: { get: () => camera },
    stills: { still, pastStill: async () => null },
    media: {} as never,
    held: {} as never,
  });
});

function taken(msAgo: number): void {
  frame = { fmp4: [], widthPx: 640, heightPx: 360, atEpochMs: clock.epochMs() - msAgo };
}

describe('an image of a known age', () => {
  it('opens no camera while there is one that will do', async () => {
    taken(10_000);
    for (let i = 0; i < 100; i++) {
      const still = await stills.take(uuid, { ...REQUEST, maxAgeMs: 10_000 });
      expect(still).toMatchObject({ isLive: false, takenAtEpochMs: clock.epochMs() - 10_000 });
    }
    expect([touches, made]).toEqual([0, 100]);
  });

  it('opens the camera if the image is too old, unless that is forbidden', async () => {
    taken(10_001);
    await stills.take(uuid, { ...REQUEST, maxAgeMs: 10_000 });
    expect(touches).toBe(1);
    const without = stills.take(uuid, { ...REQUEST, maxAgeMs: 10_000, mayOpen: false });
    await expect(without).rejects.toMatchObject({ code: 'CAMERA_IMAGE_UNAVAILABLE' });
    expect([touches, made]).toEqual([1, 1]);
  });

  it('does not open a camera that never showed anything, if that is forbidden', async () => {
    const without = stills.take(uuid, { ...REQUEST, mayOpen: false });
    await expect(without).rejects.toMatchObject({ code: 'CAMERA_IMAGE_UNAVAILABLE' });
    expect(touches).toBe(0);
  });

  it('is the newest one if no age is named', async () => {
    taken(0);
    await stills.take(uuid, REQUEST);
    expect(touches).toBe(1);
  });
});
