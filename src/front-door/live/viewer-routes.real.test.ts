import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
});
afterEach(() => door.close());

/** A playing camera, and the folder of a viewer. */
async function watch(fields: object = {}): Promise<string> {
  door.camera.start();
  return door.openShare(await door.share(fields));
}

describe('media', () => {
  it('cannot be reached without its grant', async () => {
    const folder = await watch();
    const client = await door.listen();
    const paths = [`${folder}../x/seg_0.0.m4v`, `${folder}sub/../seg_0.0.m4v`, `${folder}./seg_0.0.m4v`];
    const others = [
      `/live/../live/x/seg_0.0.m4v`,
      `//live/x/seg_0.0.m4v`,
      `/live/x/..${folder.slice(5)}seg_0.0.m4v`,
    ];
    for (const path of [...paths, ...others]) {
      expect((await client.get(path)).statusCode).toBe(404);
    }
  });
});
