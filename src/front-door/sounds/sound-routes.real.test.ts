import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { askUpgrade } from '../pictures/picture-client-fixture.ts';
import { SoundClient } from './sound-client-fixture.ts';

const EPOCH_MS = 1_700_000_000_000;
const RECONNECT = '{"action":"reconnect"}';

let door: FrontDoorFixture;
let base: string;

beforeEach(async () => {
  door = await openFrontDoorFixture();
  await door.listen();
  base = `http://127.0.0.1:${(door.app.server.address() as AddressInfo).port}`;
  door.camera.start();
});
afterEach(() => door.close());

const publish = (index: number) =>
  door.camera.sounds.publish({ epochMs: EPOCH_MS + index * 20, packet: Uint8Array.of(0xf8, index) });
const listeners = () => door.camera.sounds.readers.size;

async function soundOf(fields: object = {}): Promise<{ url: string; uuid: Ruuid }> {
  const share = await door.share({ includeAudio: true, ...fields });
  return { url: `${base}${await door.openShare(share)}opus/ws`, uuid: share.uuid };
}

describe('the WebSocket of a camera’s sound', () => {
  it('carries packets with their times, and keeps the camera open without packaging', async () => {
    const client = await SoundClient.open((await soundOf()).url);
    for (const index of [0, 1, 2]) publish(index);
    await expect.poll(() => client.packets.length).toBe(3);
    expect(client.packets.map(({ epochMs, packet }) => [epochMs - EPOCH_MS, packet[1]])).toEqual([
      [0, 0],
      [20, 1],
      [40, 2],
    ]);
    expect([client.malformed, client.epochs]).toEqual([0, [EPOCH_MS]]);
    expect(door.camera.touches.at(-1)).toBe('units');
    client.leave();
    await expect.poll(listeners).toBe(0);
    expect(door.app.soundSockets.size).toBe(0);
  });

  it('does not exist for a link without sound', async () => {
    const { url } = await soundOf({ includeAudio: false });
    expect(await askUpgrade(url)).toMatchObject({ status: 404, body: { reason: 'not-found' } });
    expect(listeners()).toBe(0);
  });

  it('ends when the link is withdrawn, and does not ask the client to come back', async () => {
    const { url, uuid } = await soundOf();
    const client = await SoundClient.open(url);
    publish(0);
    await expect.poll(() => client.packets.length).toBe(1);
    await door.sharing.shares.remove(door.sharing.orgUuid, uuid);
    publish(1);
    await expect.poll(() => client.end).toBe('1008 revoked');
    expect([client.packets.length, client.texts, listeners()]).toEqual([1, [], 0]);
  });

  it('asks clients to connect again when the camera goes offline, and when the gateway stops', async () => {
    const { url } = await soundOf();
    const client = await SoundClient.open(url);
    door.camera.goOffline(door.sharing.clock.epochMs() + 3_000);
    await expect.poll(() => client.end).toBe('1013 camera-offline');
    expect(client.texts).toEqual([RECONNECT]);
    door.camera.start();
    const next = await SoundClient.open((await soundOf()).url);
    await door.app.close();
    await expect.poll(() => next.end).toBe('1001 restarting');
    expect(next.texts).toEqual([RECONNECT]);
  });

  it('says why a viewer with a link is not heard, and ends after three messages that mean nothing', async () => {
    const client = await SoundClient.open((await soundOf()).url);
    client.say(Uint8Array.from([...Buffer.from('ctrl'), 0, 0, 0, 8, ...Array(8).fill(0xff)]));
    client.say(new Uint8Array(1_920));
    const refused = { action: 'talk', state: 'refused', reason: 'capability-unavailable' };
    await expect.poll(() => client.texts.map((text) => JSON.parse(text))).toEqual([refused]);
    for (let count = 0; count < 3; count++) client.say(new Uint8Array(16));
    await expect.poll(() => client.end).toBe('1003 bad-request');
  });

  it('has limits of its own', async () => {
    const { url } = await soundOf();
    const clients: SoundClient[] = [];
    for (let count = 0; count < LIMITS.soundSockets.levels.viewer.max; count++) {
      clients.push(await SoundClient.open(url));
    }
    expect(await askUpgrade(url)).toMatchObject({ status: 503, body: { reason: 'busy' } });
    expect((await askUpgrade(url.replace('opus/ws', 'ws'))).status).toBe(101);
  });
});
