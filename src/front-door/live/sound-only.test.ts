/** If a viewer may not hear a camera that sends only audio, every response says so. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;

beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

it.each(['file.m3u8', 'stream.m3u8', 'file.mpd', 'status', 'snapshot.jpeg'])(
  'by %s, with a reason and a sentence',
  async (name) => {
    door.camera.start();
    const folder = await door.openShare(await door.share({ includeAudio: false }));
    door.camera.isSoundOnly = true;
    const response = await door.get(folder + name);
    expect([response.statusCode, response.json()]).toMatchObject([
      409,
      { error: true, reason: 'sound-only', errorMsg: expect.stringMatching(/sends only sound/) },
    ]);
  },
);

it.each(['file.m3u8', 'file.mpd', 'status'])('but not one who may hear it: %s', async (name) => {
  door.camera.start();
  const folder = await door.openShare(await door.share());
  door.camera.isSoundOnly = true;
  const response = await door.get(folder + name);
  expect(response.statusCode).toBe(200);
  if (name === 'status')
    expect(response.json()).toMatchObject({ camera: { state: 'live', soundOnly: true } });
});
