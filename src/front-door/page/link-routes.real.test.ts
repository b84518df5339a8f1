import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

const PASSWORD = 'Wörd: with a colon';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);

/** Clients that are connected. */
const connections = () =>
  new Promise<number>((resolve) => door.app.server.getConnections((_error, count) => resolve(count)));

describe('the bare playlist URL', () => {
  const bare = (share: Share) => `/live/${door.shareToken(share)}/file.m3u8`;

  it('keeps no place for a client that left while its password was checked', async () => {
    const client = await door.listen();
    const share = await door.share({ password: PASSWORD });
    let isChecked = false;
    const { gate } = door.sharing;
    const open = gate.open.bind(gate);
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    gate.open = async (request) => {
      const opened = await open(request);
      isChecked = true;
      await hold;
      return opened;
    };
    const exchange = client.begin(`${bare(share)}?${new URLSearchParams({ password: PASSWORD })}`);
    while (!isChecked) await settle();
    exchange.leave();
    while ((await connections()) > 0) await settle();
    release();
    await settle();
    expect([door.app.waitingRoom.size, door.camera.waitingCount]).toEqual([0, 0]);
  });
});
