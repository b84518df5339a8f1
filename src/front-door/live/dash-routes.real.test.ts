import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { RawViewer } from '../raw-viewer-fixture.ts';

let door: FrontDoorFixture;

beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

describe('a segment that is read while it is being made', () => {
  let viewer: RawViewer;

  async function begin(fields: object = {}): Promise<Share> {
    door.camera.start();
    const share = await door.share(fields);
    const folder = await door.openShare(share);
    await door.listen();
    viewer = await RawViewer.connect((door.app.server.address() as AddressInfo).port);
    viewer.ask(`${folder}video/seg_0.m4v`);
    await until(() => viewer.text.includes('main-silent part 0.0;'));
    return share;
  }

  afterEach(() => viewer.leave());

  it('arrives part by part', async () => {
    await begin();
    const live = door.camera.fake('main-silent');
    for (let part = 1; part < 4; part++) {
      expect(viewer.text).not.toContain(`part 0.${part};`);
      live.publish();
      await until(() => viewer.text.includes(`part 0.${part};`));
    }
    await until(() => viewer.text.endsWith('0\r\n\r\n'));
    await until(() => live.loans === 0);
    expect(viewer.end).toBeNull();
  });

  it('breaks off when the camera goes offline, so that no one takes it for complete', async () => {
    await begin();
    door.camera.goOffline(door.sharing.clock.epochMs() + 5_000);
    await until(() => viewer.end !== null);
    expect(viewer.text).not.toContain('\r\n0\r\n\r\n');
    await until(() => door.camera.fake('main-silent').loans === 0);
  });

  it('breaks off when the share is revoked', async () => {
    const share = await begin();
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    await until(() => viewer.end !== null);
    expect(viewer.text).not.toContain('\r\n0\r\n\r\n');
    expect(door.camera.fake('main-silent').waitingCount).toBe(0);
  });

  it('returns its loans when its viewer leaves', async () => {
    await begin();
    const live = door.camera.fake('main-silent');
    live.publish();
    viewer.leave();
    await until(() => live.loans === 0 && live.waitingCount === 0);
  });
});
