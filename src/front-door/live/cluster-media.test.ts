/** Responses of a node of a cluster about media that another node may have. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { LentMedia } from '../../stream/media/live-media.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

const AHEAD = ['file.m3u8?_HLS_msn=99', 'seg_99.0.m4v', 'seg_99.m4v', 'seg_4.m4v', 'seg_init_01234567.mp4'];
const PAST = ['seg_0.99.m4v'];

function bytesOf(media: LentMedia | null): string {
  const text = String(media?.bytes);
  media?.release();
  return text;
}

/** Status and Retry-After. */
async function outcomes(folder: string, names: readonly string[]): Promise<unknown[]> {
  const responses = await Promise.all(names.map((name) => door.get(folder + name)));
  return responses.map(({ statusCode, headers }) => [statusCode, headers['retry-after']]);
}

describe('a node that shows what another one makes', () => {
  it('asks to come back for what is ahead of it, and knows what never was', async () => {
    door.camera.start();
    const main = door.camera.fake('main');
    main.publishSegments(1);
    main.isFollowing = true;
    const folder = await door.openShare(await door.share());
    expect(await outcomes(folder, AHEAD)).toEqual(AHEAD.map(() => [503, '1']));
    expect(await outcomes(folder, PAST)).toEqual(PAST.map(() => [404, undefined]));
  });

  it('waits for a segment that viewers may know from another node, and gives it complete', async () => {
    door.camera.start();
    const main = door.camera.fake('main');
    main.publishSegments(1);
    main.isFollowing = true;
    const folder = await door.openShare(await door.share());
    const names = [1, 2].flatMap((msn) => [
      `${folder}seg_${msn}.m4v`,
      `/cdn/${door.camera.uuid}/main/signed/seg_${msn}.m4v`,
    ]);
    const responses = names.map((name) => door.get(name));
    while (main.waitingCount < names.length) await new Promise(setImmediate);
    main.publish();
    expect(main.waitingCount).toBe(names.length);
    main.publishSegments(2);
    const bodies = (await Promise.all(responses)).map(({ body }) => body);
    const complete = [1, 2].map((msn) => bytesOf(main.segment(msn)));
    expect(bodies).toEqual([complete[0], complete[0], complete[1], complete[1]]);
  });

  it('ends the wait for such a segment with the camera', async () => {
    door.camera.start();
    const main = door.camera.fake('main');
    main.publishSegments(1);
    main.isFollowing = true;
    const folder = await door.openShare(await door.share());
    const response = door.get(`${folder}seg_1.m4v`);
    while (main.waitingCount === 0) await new Promise(setImmediate);
    main.fail(new GatewayError(STREAM_ERRORS.STREAM_OUT_OF_REACH));
    expect((await response).statusCode).toBe(503);
  });

  it('asks to come back for everything before the camera is open here', async () => {
    door.camera.isClustered = true;
    const folder = await door.openShare(await door.share());
    const names = ['seg_0.0.m4v', 'seg_0.m4v', 'seg_init.mp4'];
    expect(await outcomes(folder, names)).toEqual(names.map(() => [503, '1']));
  });
});

it('a gateway that makes them itself says that they do not exist', async () => {
  door.camera.start();
  door.camera.fake('main').publishSegments(1);
  const folder = await door.openShare(await door.share());
  expect(await outcomes(folder, AHEAD)).toEqual([
    [400, undefined],
    [404, undefined],
    [404, undefined],
    [404, undefined],
    [404, undefined],
  ]);
});
