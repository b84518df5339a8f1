/** Live sound over WebSocket, from cameras through a whole gateway to a client of this API family, in step with the picture. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opusSamples } from '../../src/codec/opus/opus-packet.ts';
import { PictureClient } from '../../src/front-door/pictures/picture-client-fixture.ts';
import { SoundClient } from '../../src/front-door/sounds/sound-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { beeps, behindOf, clipEpochMs } from '../support/opus-beeps.ts';
import { helpersOf, workersOf } from '../support/processes.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** In step: what viewers do not notice. */
const MAX_OFF_MS = 40;
const PACKETS = 250;
const PACKET_MS = 20;

let aac: SyntheticCamera;
let pcmu: SyntheticCamera;
let opus: GstCamera;
let gateway: TestGateway;

beforeAll(async () => {
  aac = await startCamera();
  pcmu = await startCamera(0, { isPcmu: true });
  opus = await startGstCamera('h264-opus');
  gateway = await TestGateway.start({
    hls: { idleStop: '2s' },
    cameras: [
      { name: 'AAC', rtsp: aac.url },
      { name: 'PCMU', rtsp: pcmu.url },
      { name: 'Opus', rtsp: opus.url },
      { name: 'Mute', rtsp: pcmu.url, audio: 'off' },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([aac, pcmu].map((camera) => camera?.close()));
  await opus?.stop();
});

async function mediaUris(name: string): Promise<Json> {
  return gateway.call('audiogateway/getMediaUris', { gatewayUuid: await gateway.cameraUuid(name) });
}

/** As clients do: the session in the query. */
async function withSession(uri: string, key = API_KEY): Promise<string> {
  const { federatedSessionToken } = await gateway.call('org/generateFederatedSessionToken', {}, key);
  return `${uri}?x-auth-scheme=federated-token&x-auth-ft=${federatedSessionToken}`;
}

async function listen(name: string): Promise<SoundClient> {
  return SoundClient.open(await withSession((await mediaUris(name)).wanLiveOpusUri));
}

describe('live sound', () => {
  it.each(['PCMU', 'AAC'])('of a camera with %s is Opus, in step with the picture', async (name) => {
    const client = await listen(name);
    const viewer = await PictureClient.open(await withSession((await mediaUris(name)).wanLiveH264Uri));
    await until('sound', () => client.packets.length >= PACKETS && viewer.frames.some(({ isKey }) => isKey));
    client.leave();
    viewer.leave();
    const { packets, malformed } = client;
    expect([malformed, packets.some(({ isFar }) => isFar)]).toEqual([0, false]);
    for (const { packet } of packets) expect(opusSamples(packet, 0, packet.length)).toBe(960);
    const key = viewer.frames.find(({ isKey }) => isKey)!;
    const startMs = await clipEpochMs(key.epochMs, key.bytes);
    const heard = await beeps(packets);
    expect(heard.length).toBeGreaterThanOrEqual((PACKETS * PACKET_MS) / 1_000 - 2);
    for (const epochMs of heard) {
      const behindMs = behindOf(epochMs - startMs);
      expect(behindMs).toBeLessThan(MAX_OFF_MS);
    }
  });

  it('of a camera with Opus passes through, and no process encodes it', async () => {
    const pid = gateway.child.process.pid!;
    const encoders = () => [...helpersOf(pid, 'sound-server'), ...workersOf(pid)];
    await until('the end of the encoders of others', () => encoders().length === 0);
    const client = await listen('Opus');
    await until('sound', () => client.packets.length >= PACKETS);
    expect(encoders()).toEqual([]);
    const heard = await beeps(client.packets);
    expect(heard.length).toBeGreaterThanOrEqual(3);
    for (const [index, epochMs] of heard.slice(1).entries()) {
      const behindMs = behindOf(epochMs - heard[index]!);
      expect(behindMs).toBeLessThan(MAX_OFF_MS);
    }
    client.leave();
  });

  it('is encoded once, however many listen, and not at all when the last one has left', async () => {
    const clients = [await listen('PCMU'), await listen('PCMU'), await listen('PCMU')];
    await until('sound for all', () => clients.every(({ packets }) => packets.length > 0));
    const pid = gateway.child.process.pid!;
    expect(helpersOf(pid, 'sound-server')).toHaveLength(1);
    const common = clients[0]!.packets.at(-1)!.packet;
    await until('the same packet', () =>
      clients.every(({ packets }) => packets.some(({ packet }) => packet.equals(common))),
    );
    for (const client of clients) client.leave();
    await until('the end of all encoders', () => {
      return helpersOf(pid, 'sound-server').length === 0 && workersOf(pid).length === 0;
    });
  });

  it('ends when the key of its session is revoked, and does not ask the client to come back', async () => {
    const wanted = { displayName: 'listener', authType: 'API_TOKEN' };
    const { apiKey } = await gateway.call('integrations/org/submitApiTokenApplication', wanted);
    const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
    const { tokenUuid } = apiTokens.find((each: Json) => each.displayName === wanted.displayName);
    const client = await SoundClient.open(
      await withSession((await mediaUris('PCMU')).wanLiveOpusUri, apiKey),
    );
    await until('sound', () => client.packets.length > 0);
    await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
    await until('the end', () => client.end !== null);
    expect([client.end, client.texts]).toEqual(['1008 credential-ended', []]);
  });

  it('of a camera without sound does not exist', async () => {
    const client = await listen('Mute');
    await until('the end', () => client.end !== null);
    expect([client.end, client.packets, client.texts]).toEqual(['1008 not-found', [], []]);
  });
});
