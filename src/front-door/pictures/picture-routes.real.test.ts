import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import { pictureOf } from '../../stream/pictures/picture-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { askUpgrade, PictureClient } from './picture-client-fixture.ts';

let door: FrontDoorFixture;
let base: string;

async function open(options: Parameters<typeof openFrontDoorFixture>[0] = {}): Promise<void> {
  door = await openFrontDoorFixture({ hasSubStream: true, ...options });
  await door.listen();
  base = `http://127.0.0.1:${(door.app.server.address() as AddressInfo).port}`;
  door.camera.start();
}

beforeEach(() => open());
afterEach(() => door.close());

async function folderOf(fields: object = {}): Promise<string> {
  return base + (await door.openShare(await door.share(fields)));
}

const sockets = () => door.app.pictureSockets;
const readers = () => door.camera.mainPictures.readers.size;

/** Frames of `client`, by what `pictureOf` fills them with. */
const framesOf = ({ frames }: PictureClient) =>
  frames.map(({ isKey, bytes }) => `${isKey ? 'K' : 'd'}${bytes.at(-1)}`).join(' ');

describe('the WebSocket of a stream', () => {
  it('carries the access units of the main stream, and counts as a viewer', async () => {
    const folder = await folderOf();
    const client = await PictureClient.open(`${folder}ws`);
    expect(door.sharing.sessions.viewers).toBe(1);
    for (const [index, isKey] of [true, false, false].entries()) {
      door.camera.mainPictures.publish(pictureOf(index, isKey));
    }
    await expect.poll(() => framesOf(client)).toBe('K0 d1 d2');
    expect(client.frames[2]!.epochMs).toBe(1_700_000_000_080);
    expect(client.subprotocolsAndExtensions).toBe('');
    client.leave();
    await expect.poll(readers).toBe(0);
    expect([client.end, sockets().size, sockets().counts.sentFrames]).toEqual(['1005', 0, 3]);
  });

  it('carries the substream under another name', async () => {
    const client = await PictureClient.open(`${await folderOf()}wsl`);
    door.camera.subPictures.publish(pictureOf(5, true));
    door.camera.mainPictures.publish(pictureOf(6, true));
    await expect.poll(() => framesOf(client)).toBe('K5');
  });

  it('may have anything in its query', async () => {
    const client = await PictureClient.open(
      `${await folderOf()}ws?x-auth-scheme=federated-token&x-auth-ft=x`,
    );
    door.camera.mainPictures.publish(pictureOf(1, true));
    await expect.poll(() => framesOf(client)).toBe('K1');
  });

  it('adds what it sends to the traffic of the share', async () => {
    const share = await door.share();
    const client = await PictureClient.open(`${base}${await door.openShare(share)}ws`);
    door.camera.mainPictures.publish(pictureOf(1, true, 1_000));
    await expect.poll(() => client.frames.length).toBe(1);
    const overhead = 16;
    expect(door.traffic.bytesOf(share.uuid)).toBe(client.frames[0]!.bytes.length + overhead);
  });

  it('keeps its viewer present and its camera open', async () => {
    const client = await PictureClient.open(`${await folderOf()}ws`);
    const touchesBefore = door.camera.touches.length;
    for (let second = 0; second < 30; second++) {
      door.camera.mainPictures.publish(pictureOf(second, true));
      door.sharing.clock.advance(1_000);
      // The client answers pings.
      await new Promise(setImmediate);
    }
    expect(door.camera.touches.length - touchesBefore).toBeGreaterThanOrEqual(29);
    expect([door.sharing.sessions.viewers, client.end]).toEqual([1, null]);
  });
});

describe('refusals', () => {
  it.each([
    ['a path that is not a grant', 'nothing', 404, 'unknown'],
    ['a path that is too long', 'x'.repeat(300), 400, 'bad-request'],
  ])('of %s are responses with the reason', async (_case, grant, status, reason) => {
    expect(await askUpgrade(`${base}/live/${grant}/ws`)).toMatchObject({ status, body: { reason } });
  });

  it('of a viewer who may not watch come before the upgrade', async () => {
    const share = await door.share();
    const folder = base + (await door.openShare(share));
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    expect(await askUpgrade(`${folder}ws`)).toMatchObject({ status: 403, body: { reason: 'revoked' } });
    expect(sockets().size).toBe(0);
  });

  it('of a camera that is off, of one that is gone, and of a stream that it does not have', async () => {
    const folder = await folderOf();
    door.camera.goOffline(door.sharing.clock.epochMs() + 3_000);
    expect(await askUpgrade(`${folder}ws`)).toMatchObject({
      status: 503,
      body: { reason: 'camera-offline' },
    });
    door.removeCamera();
    expect(await askUpgrade(`${folder}ws`)).toMatchObject({
      status: 503,
      body: { reason: 'camera-offline' },
    });
    await door.close();
    await open({ hasSubStream: false });
    expect(await askUpgrade(`${await folderOf()}wsl`)).toMatchObject({
      status: 404,
      body: { reason: 'not-found' },
    });
  });

  it('of a plain request say that it is a WebSocket', async () => {
    const response = await fetch(`${await folderOf()}ws`);
    expect([response.status, (await response.json()) as object]).toMatchObject([
      400,
      { reason: 'bad-request' },
    ]);
  });

  it('of one socket more than a viewer may have', async () => {
    const folder = await folderOf();
    const clients: PictureClient[] = [];
    for (let count = 0; count < LIMITS.pictureSockets.levels.viewer.max; count++) {
      clients.push(await PictureClient.open(`${folder}ws`));
    }
    expect(await askUpgrade(`${folder}ws`)).toMatchObject({ status: 503, body: { reason: 'busy' } });
    clients[0]!.leave();
    await expect.poll(() => sockets().size).toBe(LIMITS.pictureSockets.levels.viewer.max - 1);
    expect((await askUpgrade(`${folder}ws`)).status).toBe(101);
  });

  it('of a viewer beyond the limit of the share', async () => {
    await door.close();
    await open({ maxViewersPerShare: 1 });
    const share = await door.share();
    const [first, second] = [await door.openShare(share), await door.openShare(share)];
    const client = await PictureClient.open(`${base}${first}ws`);
    expect(await askUpgrade(`${base}${second}ws`)).toMatchObject({
      status: 403,
      body: { reason: 'viewer-limit' },
    });
    expect(client.end).toBeNull();
  });

  it('do not reach requests that merely ask for an upgrade, as proxies do', async () => {
    const folder = await folderOf();
    expect((await askUpgrade(`${base}/healthz`)).status).toBe(200);
    expect((await askUpgrade(`${folder}ws`, { upgrade: 'h2c' })).status).toBe(400);
  });

  it('admit pages of any origin, as playlists do: the grant is the only credential', async () => {
    const origin = 'https://elsewhere.example';
    expect((await askUpgrade(`${await folderOf()}ws`, { origin })).status).toBe(101);
  });
});

describe('the end', () => {
  async function watch(fields: object = {}) {
    const share = await door.share(fields);
    const client = await PictureClient.open(`${base}${await door.openShare(share)}ws`);
    door.camera.mainPictures.publish(pictureOf(0, true));
    await expect.poll(() => client.frames.length).toBe(1);
    return { share, client };
  }

  it('comes at once when the share is withdrawn, with the reason', async () => {
    const { share, client } = await watch();
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    door.camera.mainPictures.publish(pictureOf(1, true));
    await expect.poll(() => client.end).toBe('1008 revoked');
    expect([client.frames.length, readers(), door.sharing.sessions.size]).toEqual([1, 0, 0]);
  });

  it('comes at the second at which the share expires', async () => {
    const expirationTimeSecs = Math.floor(door.sharing.clock.epochMs() / 1_000) + 10;
    const { client } = await watch({ expirationTimeSecs });
    door.sharing.clock.advance(10_000);
    await expect.poll(() => client.end).toBe('1008 expired');
  });

  it('comes when the camera goes off line', async () => {
    const { client } = await watch();
    door.camera.goOffline(door.sharing.clock.epochMs() + 3_000);
    await expect.poll(() => client.end).toBe('1013 camera-offline');
  });

  it('comes when the gateway stops', async () => {
    const { client } = await watch();
    await door.app.close();
    await expect.poll(() => client.end).toBe('1001 restarting');
  });

  it('comes for a client that sends more than viewers have to say', async () => {
    const { client } = await watch();
    client.say('x'.repeat(3_000));
    await expect.poll(() => client.end).toBe('1009');
    await expect.poll(readers).toBe(0);
  });
});
