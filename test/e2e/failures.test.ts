/** What breaks around the gateway, and in the gateway itself, and what viewers and operators then see. */

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { runCli } from '../support/cli.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { freePort } from '../support/ports.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { ScriptedCamera } from '../support/scripted-camera.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const COMMON = {
  hls: { segmentTarget: '1s', partTarget: '200ms', window: '8s', idleStop: '5m' },
  sources: { backoffMin: '200ms', backoffMax: '1s', connectTimeout: '20s' },
  nvrs: [{ name: 'Core' }],
};

let camera: SyntheticCamera;
/** Has a key frame every 8 s. */
let slow: SyntheticCamera;
/** Accepts connections and says nothing: viewers wait for it. */
let mute: ScriptedCamera;
let redis: RedisServer;
let gateway: TestGateway;
let config: { cameras: Json[] } & Json;

beforeAll(async () => {
  camera = await startCamera();
  // Frames come before its first key frame: otherwise that would be silence.
  const clip = await makeClip(320, 180, { gopSec: 8 });
  slow = await startCamera(0, { clip, habits: { startsAtOnce: true } });
  mute = await ScriptedCamera.listen(() => undefined);
  redis = await startRedis();
  config = {
    ...COMMON,
    redis: redis.url,
    cameras: [
      { name: 'Lobby', nvr: 'Core', rtsp: camera.url },
      { name: 'Yard', rtsp: camera.url },
      { name: 'Ghost', rtsp: `rtsp://127.0.0.1:${await freePort()}/stream` },
      { name: 'Mute', rtsp: mute.url },
      { name: 'Slow', rtsp: slow.url },
    ],
  };
  gateway = await TestGateway.start(config);
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await slow?.close();
  await mute?.close();
  await redis?.stop();
});

async function stateOf(name: string): Promise<Json> {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  return cameraStates.find((state: Json) => state.name === name);
}

async function sharedCountOfNvr(): Promise<number> {
  const { nvrstates } = await gateway.call('relay/getMinimalNVRStateList');
  return nvrstates.find((state: Json) => state.name === 'Core').liveStreamsSharedCount;
}

async function metric(name: string, labels = ''): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  const line = text.split('\n').find((each) => each.startsWith(name) && each.includes(labels));
  if (line === undefined) throw new Error(`no metric ${name} ${labels}`);
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

const mediaPlaylistOf = async (share: TestShare): Promise<string> =>
  (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');

describe('a camera that is not there', () => {
  it('is 503 with Retry-After to viewers and RED in the API, and never an auth error', async () => {
    const share = await gateway.share('Ghost');
    const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
    expect(opened.status).toBe(200);
    const { playlistUrl } = (await opened.json()) as Json;
    for (const url of [share.m3u8Url, new URL(playlistUrl, gateway.mediaUrl).href]) {
      const response = await fetch(url);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({ error: true, reason: 'camera-offline' });
    }
    const state = await stateOf('Ghost');
    expect(state).toMatchObject({ connectionStatus: 'RED', healthStatusDetails: 'DISCONNECTED' });
  });
});

describe('a camera that goes away and returns', () => {
  it('is RED meanwhile, its window stays, and the same URLs play again', async () => {
    const share = await gateway.share('Lobby');
    const playlistUrl = await mediaPlaylistOf(share);
    const before = await until('segments', async () => {
      const playlist = readPlaylistText((await fetchOk(playlistUrl)).toString());
      return playlist.segments.length >= 2 ? playlist : null;
    });
    const { port } = camera;
    await camera.close();
    await until('RED', async () => (await stateOf('Lobby')).connectionStatus === 'RED');
    // What the link leads to is known; the playlist behind it has nothing new to tell.
    expect((await fetch(share.m3u8Url)).status).toBe(200);
    await fetchOk(new URL(before.segments.at(-1)!.uri, playlistUrl).href);
    const waiting = await fetch(`${playlistUrl}?_HLS_msn=${before.hint.msn + 1}`);
    expect([waiting.status, await refusalReason(waiting)]).toEqual([503, 'camera-offline']);
    camera = await startCamera(port);
    const after = await until('new segments', async () => {
      const playlist = readPlaylistText((await fetchOk(playlistUrl)).toString());
      return playlist.segments.some((segment) => segment.hasDiscontinuity) ? playlist : null;
    });
    expect(after.segments.at(-1)!.msn).toBeGreaterThan(before.segments.at(-1)!.msn);
    expect((await stateOf('Lobby')).connectionStatus).toBe('GREEN');
    expect((await fetch(share.m3u8Url)).status).toBe(200);
    await gateway.revoke(share);
  });
});

describe('Redis', () => {
  it('disappears and returns under load without a viewer or a count noticing', async () => {
    const shares = [await gateway.share('Lobby'), await gateway.share('Lobby')];
    const base = await sharedCountOfNvr();
    expect(base).toBe(shares.length);
    const viewers: TestViewer[] = [];
    for (let index = 0; index < 12; index++) {
      viewers.push(new TestViewer(await mediaPlaylistOf(shares[index % 2]!)));
    }
    const everyonePlayed = (parts: number) =>
      until('parts', () => viewers.every((each) => each.parts >= parts));
    await everyonePlayed(3);
    await redis.stop();
    await until('the loss to be noticed', async () => (await metric('sluice_redis_up')) === 0);
    // While Redis is down, shares come and go: counts are correct during the outage and afterwards.
    shares.push(await gateway.share('Lobby'), await gateway.share('Lobby'));
    await gateway.revoke(shares.pop()!);
    expect(await sharedCountOfNvr()).toBe(3);
    await everyonePlayed(10);
    redis = await startRedis(redis.port);
    await until('the return to be noticed', async () => (await metric('sluice_redis_up')) === 1);
    await everyonePlayed(viewers[0]!.parts + 5);
    await until('the true count', async () => (await sharedCountOfNvr()) === 3);
    await gateway.revoke(shares.pop()!);
    expect(await sharedCountOfNvr()).toBe(2);
    await Promise.all(viewers.map((viewer) => viewer.stop()));
    expect(viewers.flatMap((viewer) => viewer.failures)).toEqual([]);
    expect(gateway.child.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    for (const share of shares) await gateway.revoke(share);
  });
});

describe('SIGHUP', () => {
  it('adds and removes cameras without touching the viewer of an unchanged one', async () => {
    const share = await gateway.share('Lobby');
    const viewer = new TestViewer(await mediaPlaylistOf(share));
    await until('parts', () => viewer.parts >= 2);
    const lobby = `camera="${share.cameraUuid}",name="Lobby",rendition="main"`;
    const instances = await metric('sluice_stream_instances_total', lobby);
    const added = { name: 'Annex', rtsp: camera.url };
    await gateway.configure({ ...config, cameras: [...config.cameras, added] });
    await reload(/"msg":"configuration reloaded"/);
    const annex = await gateway.share('Annex');
    await fetchOk(annex.m3u8Url);
    const annexMedia = await mediaPlaylistOf(annex);
    await gateway.configure(config);
    await reload(/"removed":1.*"msg":"configuration reloaded"/);
    const gone = await until('the removed camera to be gone', async () => {
      const response = await fetch(annexMedia);
      return response.status === 200 ? null : response;
    });
    expect([gone.status, await refusalReason(gone)]).toEqual([503, 'camera-offline']);
    const played = viewer.parts;
    await until('the viewer to play on', () => viewer.parts >= played + 3);
    await viewer.stop();
    expect(viewer).toMatchObject({ failures: [], discontinuities: 0 });
    expect(await metric('sluice_stream_instances_total', lobby)).toBe(instances);
    await gateway.revoke(share);
  });

  it('with a broken file changes nothing and says what is wrong', async () => {
    const file = join(gateway.folder, 'sluice.yaml');
    const good = await readFile(file, 'utf8');
    await writeFile(file, good.replace('cameras:', 'camras:'));
    await reload(/camras.*configuration not reloaded/);
    expect(await stateOf('Lobby')).toBeDefined();
    await writeFile(file, good);
  });

  async function reload(outcome: RegExp): Promise<void> {
    const seen = gateway.child.lines.filter((line) => outcome.test(line)).length;
    gateway.child.process.kill('SIGHUP');
    await until(`${outcome}`, () => gateway.child.lines.filter((line) => outcome.test(line)).length > seen);
  }
});

describe('kill -9', () => {
  it('loses no share whose creation was answered', async () => {
    const responded: TestShare[] = [];
    for (const enough of [5, 40]) {
      const goal = responded.length + enough;
      const create = async (): Promise<void> => {
        for (;;) responded.push(await gateway.share('Yard', { name: `number ${responded.length}` }));
      };
      const loops = Array.from({ length: 4 }, () => create().catch((error: unknown) => error));
      await until('shares', () => responded.length >= goal);
      gateway.child.process.kill('SIGKILL');
      await Promise.all(loops);
      await gateway.child.exited;
      await gateway.run();
      const listed = await gateway.call('camera/findAllSharedLiveVideoStreams');
      expect(listed.errorMsg).toBeUndefined();
      const found = new Set(listed.sharedLiveVideoStreams.map((share: Json) => share.uuid));
      expect(responded.filter((share) => !found.has(share.uuid))).toEqual([]);
    }
    const opened = await fetch(`${responded.at(-1)!.pageUrl}/open`, { method: 'POST' });
    expect(opened.status).toBe(200);
    expect(new Set(responded.map((share) => share.pageUrl)).size).toBe(responded.length);
  });
});

describe('SIGTERM', () => {
  it('answers who waits, is not held up by who dawdles, and ends with 0', async () => {
    const live = await mediaPlaylistOf(await gateway.share('Slow'));
    const { hint } = readPlaylistText((await fetchOk(live)).toString());
    const unfinished = net.connect(Number(new URL(gateway.mediaUrl).port), '127.0.0.1');
    await once(unfinished, 'connect');
    unfinished.on('error', () => undefined).write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const muteShare = await gateway.share('Mute');
    const connections = mute.connections;
    const cold = fetch(muteShare.m3u8Url);
    await until('the waiting request to reach the camera', () => mute.connections > connections);
    // Whole after another group of pictures: it waits.
    const reload = fetch(`${live}?_HLS_msn=${hint.msn + 1}`);
    await fetchOk(live);
    gateway.child.process.kill('SIGTERM');
    const [coldResponse, reloadResponse] = await Promise.all([cold, reload]);
    expect([coldResponse.status, await refusalReason(coldResponse)]).toEqual([503, 'restarting']);
    expect([reloadResponse.status, await refusalReason(reloadResponse)]).toEqual([503, 'restarting']);
    await gateway.child.exited;
    expect([gateway.child.process.exitCode, gateway.child.process.signalCode]).toEqual([0, null]);
    expect(gateway.child.lines.at(-1)).toContain('"msg":"stopped"');
    unfinished.destroy();
    await gateway.run();
  });
});

describe('the command line', () => {
  const configFile = () => join(gateway.folder, 'sluice.yaml');

  it('says which address is taken', async () => {
    const { code, stderr } = await runCli('serve', '--config', configFile());
    expect([code, stderr]).toEqual([1, expect.stringContaining('CLI_LISTEN_FAILED')]);
    expect(stderr).toContain(new URL(gateway.mediaUrl).port);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('keys are made, listed and revoked while the gateway runs', async () => {
    const made = await runCli('keys', 'make', '--name', 'video wall', '--config', configFile());
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    const uuid = /\(([\w-]{22})\)/.exec(made.stderr)![1]!;
    const isKnown = async () =>
      (await gateway.call('camera/getMinimalCameraStateList', {}, key)).error === false;
    await until('the new key to work', isKnown);
    const listed = await runCli('keys', 'list', '--config', configFile());
    expect(listed.stdout).toMatch(new RegExp(`^${uuid}.*active.*video wall$`, 'm'));
    expect(listed.stdout).not.toContain(key);
    expect((await runCli('keys', 'revoke', uuid, '--config', configFile())).code).toBe(0);
    const ask = () =>
      fetch(`${gateway.apiUrl}/api/camera/getMinimalCameraStateList`, {
        method: 'POST',
        headers: { 'x-auth-apikey': key, 'x-auth-scheme': 'api-token' },
      });
    await until('the key to be refused', async () => (await ask()).status === 401);
    expect(await (await ask()).json()).toMatchObject({ authenticationFailed: true });
    const unknown = await runCli('keys', 'revoke', 'nonsense', '--config', configFile());
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('keys revoke')]);
  });
});
