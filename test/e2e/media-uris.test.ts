/** Media of devices without a share: from the management API's URIs to a player's frames, and to the end of the access. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PictureClient } from '../../src/front-door/pictures/picture-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { runCli } from '../support/cli.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, refusalReason } from '../support/hls.ts';
import { OtherAddress } from '../support/other-address.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

let source: SyntheticCamera;
let sub: SyntheticCamera;
let near: OtherAddress;
let gateway: TestGateway;
let lobby: string;

const deviceCamera = (name: string) => ({ name, rtsp: source.url, substream: sub.url });

beforeAll(async () => {
  source = await startCamera();
  sub = await startCamera(0, { clip: await makeClip(160, 90) });
  near = await OtherAddress.open();
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    public: { lanMediaUrls: [near.url] },
    cameras: ['Lobby', 'Dock'].map(deviceCamera),
  });
  near.leadTo(gateway.mediaUrl);
  lobby = await gateway.cameraUuid('Lobby');
});
afterAll(async () => {
  await gateway?.dispose();
  await near?.close();
  await Promise.all([source, sub].map((camera) => camera?.close()));
});

const byKey = (key: string) => ({ 'x-auth-scheme': 'api-token', 'x-auth-apikey': key });
const asFfmpegHeaders = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

async function addKey(name: string): Promise<{ key: string; tokenUuid: string }> {
  const wanted = { displayName: name, authType: 'API_TOKEN' };
  const { apiKey } = await gateway.call('integrations/org/submitApiTokenApplication', wanted);
  const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
  const { tokenUuid } = apiTokens.find((each: Json) => each.displayName === name);
  return { key: apiKey, tokenUuid };
}

async function liveUri(cameraUuid = lobby): Promise<string> {
  const response = await gateway.call('camera/getMediaUris', { cameraUuid });
  expect(response).toMatchObject({ error: false });
  return response.wanLiveM3u8Uri;
}

/** The Media Playlist that a device's URI leads to. */
async function openDevice(uri: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(uri, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'))!;
  return new URL(variant, uri).href;
}

/** The first refusal of the playlist. */
async function refusalOf(url: string): Promise<{ status: number; reason: string }> {
  return until('a refusal', async () => {
    const response = await fetch(url);
    if (response.ok) return null;
    return { status: response.status, reason: await refusalReason(response) };
  });
}

const sessionToken = async (body: Json = {}): Promise<string> =>
  (await gateway.call('org/generateFederatedSessionToken', body)).federatedSessionToken;

describe('an emergency service', () => {
  it('plays what getNearbyFeeds returned, with the URL alone', async () => {
    const position = { latitude: 40.7, longitude: -74 };
    const placed = { latitudeUpdated: true, longitudeUpdated: true };
    await gateway.call('camera/updateDetailsV2', { uuid: lobby, ...position, ...placed });
    await gateway.share('Lobby', { streamType: 'RAPIDSOS', expirationTimeSecs: 3_600 });
    await gateway.share('Lobby', { streamType: 'RAPIDSOS', password: 'Correct horse' });
    const { streamUrls } = await gateway.call('rapidsos/getNearbyFeeds', { ...position, width: 500 });
    expect(streamUrls).toHaveLength(1);
    const entries = ['-show_entries', 'stream=codec_name', '-of', 'csv', streamUrls[0]];
    const probed = await run('ffprobe', ['-v', 'error', ...entries], { timeout: 60_000 });
    expect(probed.stderr).toBe('');
    expect(probed.stdout).toContain('h264');
    const played = ['-nostdin', '-v', 'error', '-i', streamUrls[0], '-frames:v', '50', '-f', 'null', '-'];
    const { stdout, stderr } = await run('ffmpeg', played, { timeout: 60_000 });
    expect(stdout + stderr).toBe('');
  });
});

describe('a player', () => {
  it('plays a device with a key in its headers', async () => {
    const headers = asFfmpegHeaders(byKey(API_KEY));
    const args = ['-nostdin', '-v', 'error', '-headers', headers, '-i', await liveUri()];
    const played = await run('ffmpeg', [...args, '-frames:v', '50', '-f', 'null', '-'], { timeout: 60_000 });
    expect(played.stdout + played.stderr).toBe('');
  });

  it('plays it with a session in the query, which it never repeats', async () => {
    const query = `?x-auth-scheme=federated-token&x-auth-ft=${await sessionToken()}`;
    const uri = (await liveUri()) + query;
    const probed = await run(
      'ffprobe',
      ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv', uri],
      {
        timeout: 60_000,
      },
    );
    expect(probed.stdout).toContain('h264');
    const media = await openDevice(uri, {});
    expect(media).not.toContain('x-auth');
    const { segments, url } = await fetchPlaylist(media);
    const [segment] = segments;
    for (const name of [segment!.map.uri, segment!.uri]) {
      expect((await fetchOk(new URL(name, url).href)).length).toBeGreaterThan(500);
    }
  });

  it('with a session for one device plays no other', async () => {
    const token = await sessionToken({ deviceUuid: lobby });
    const cookie = { cookie: `RSESSIONID=RFT:${token}` };
    expect((await fetch(await openDevice(await liveUri(), cookie))).status).toBe(200);
    const other = await fetch(await liveUri(await gateway.cameraUuid('Dock')), { headers: cookie });
    expect([other.status, await refusalReason(other)]).toEqual([404, 'unknown']);
  });
});

/** Calls the management API as a page does, with a session. */
async function callAsPage(path: string, body: Json, token: string): Promise<Json> {
  const response = await fetch(`${gateway.apiUrl}/api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-auth-scheme': 'federated-token',
      'x-auth-ft': token,
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Json;
}

/** As players of pages do it with each URL, whatever its query. */
function withSession(url: string, token: string): string {
  const named = new URL(url);
  named.searchParams.set('x-auth-scheme', 'federated-token');
  named.searchParams.set('x-auth-ft', token);
  return named.href;
}

const attribute = (manifest: string, name: string) =>
  [...manifest.matchAll(new RegExp(` ${name}="([^"]+)"`, 'g'))].map(([, value]) => value!);

async function sizeOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${response.status} for ${url}: ${await response.text()}`);
  return (await response.arrayBuffer()).byteLength;
}

describe.each(['wan', 'lan'] as const)('a page, at %s addresses,', (network) => {
  const uriIn = (response: Json, kind: string): string =>
    network === 'wan' ? response[`wanLive${kind}Uri`] : response[`lanLive${kind}Uris`][0];

  it('plays the manifest and its segments with its session in every query', async () => {
    const token = await sessionToken();
    const uris = await callAsPage('camera/getMediaUris', { cameraUuid: lobby }, token);
    if (network === 'lan') expect((await fetch(uris.lanCheckUrls[0])).status).toBe(200);
    const response = await fetch(withSession(`${uriIn(uris, 'Mpd')}?_ds=h480b360`, token));
    const manifest = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/dash+xml']);
    expect(new URL(response.url).origin).toBe(new URL(uriIn(uris, 'Mpd')).origin);
    expect(response.url + manifest).not.toContain('x-auth');
    const numbers = attribute(manifest, 'startNumber');
    for (const [index, media] of attribute(manifest, 'media').entries()) {
      const name = media.replace('$Number$', numbers[index]!);
      expect(await sizeOf(withSession(new URL(name, response.url).href, token))).toBeGreaterThan(500);
    }
    expect(numbers.length).toBe(3);
    // Of a small height there is the substream alone, and the audio.
    const small = await fetch(withSession(`${uriIn(uris, 'Mpd')}?_ds=h90b240`, token));
    const heights = attribute(await small.text(), 'height');
    expect(heights).toEqual(['90']);
    const playlist = await fetch(withSession(`${uriIn(uris, 'M3u8')}?_ds=h120b240`, token));
    expect((await playlist.text()).match(/RESOLUTION=\S+\n.*/g)).toEqual([
      expect.stringMatching(/^RESOLUTION=160x90\b.*\n.*\/sub\/stream\.m3u8$/),
    ]);
  });

  it.each([
    ['ws', 320],
    ['wsl', 160],
  ])('shows /%s, an access unit per message', async (name) => {
    const token = await sessionToken();
    const uris = await callAsPage('camera/getMediaUris', { cameraUuid: lobby }, token);
    const uri = uriIn(uris, 'H264');
    expect(uri).toMatch(/^ws:/);
    // Clients choose the substream by this replacement.
    const client = await PictureClient.open(withSession(uri.replace(/\/ws(?=\?|$)/, `/${name}`), token));
    await until('a second of video', () => client.frames.length > FRAMES_PER_SEC);
    client.leave();
    expect([client.frames[0]!.isKey, client.frames[0]!.bytes[4]! & 0x1f]).toEqual([true, 7]);
  });
});

describe('a program', () => {
  it('gets a still of the camera with its key', async () => {
    const uri = new URL('snapshot.jpeg', await liveUri()).href;
    const response = await fetch(`${uri}?width=160`, { headers: byKey(API_KEY) });
    const still = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('x-picture-state')]).toEqual([200, 'live']);
    expect([...still.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('gets the image of now, scaled and cropped, as an assistant asks for it', async () => {
    const part = {
      permyriadCropHeight: 10_000,
      permyriadCropWidth: 5_625,
      permyriadCropX: 2_188,
      permyriadCropY: 0,
    };
    const requested = {
      cameraUuid: lobby,
      downscaleFactor: 10,
      jpgQuality: 70,
      ...part,
      timestampMs: Date.now(),
    };
    const { frameUri } = await gateway.call('video/getExactFrameUri', requested);
    const response = await fetch(frameUri, { headers: byKey(API_KEY) });
    const image = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect([...image.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('that puts the names of a manifest in place of file.mpd gets its segments, as one viewer', async () => {
    const { lanLiveMpdUris } = await gateway.call('camera/getMediaUris', { cameraUuid: lobby });
    const uri: string = lanLiveMpdUris[0];
    const headers = { ...byKey(API_KEY), cookie: `RSESSIONID=RFT:${await sessionToken()}` };
    const manifest = await (await fetch(uri, { headers })).text();
    const [init, media] = [attribute(manifest, 'initialization')[0]!, attribute(manifest, 'media')[0]!];
    const number = Number(attribute(manifest, 'startNumber')[0]);
    for (const name of [init, ...[0, 1].map((step) => media.replace('$Number$', String(number + step)))]) {
      expect(await sizeOf(uri.replace('file.mpd', name), headers)).toBeGreaterThan(500);
    }
  });

  it('plays the manifest with ffmpeg, and with a link alone', async () => {
    const { wanLiveMpdUri } = await gateway.call('camera/getMediaUris', { cameraUuid: lobby });
    const link = (await gateway.share('Lobby')).m3u8Url.replace('m3u8', 'mpd');
    for (const [uri, headers] of [
      [wanLiveMpdUri, ['-headers', asFfmpegHeaders(byKey(API_KEY))]],
      [link, []],
    ] as const) {
      const args = ['-nostdin', '-v', 'error', ...headers, '-i', uri, '-map', '0:v:0', '-map', '0:a:0'];
      const played = await run('ffmpeg', [...args, '-frames:v', '75', '-f', 'null', '-'], {
        timeout: 60_000,
      });
      expect(played.stdout + played.stderr).toBe('');
    }
  });
});

describe('a view ends', () => {
  it('within a second when its key is revoked through the API', async () => {
    const { key, tokenUuid } = await addKey('revoked by API');
    const media = await openDevice(await liveUri(), byKey(key));
    await fetchOk(media);
    const refusal = refusalOf(media);
    await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
    // It is in effect when the call returns.
    const now = await fetch(media);
    expect([now.status, await refusalReason(now)]).toEqual([403, 'credential-ended']);
    expect(await refusal).toMatchObject({ status: 403, reason: 'credential-ended' });
    expect((await fetch(await liveUri(), { headers: byKey(key) })).status).toBe(401);
  });

  it('when its key is revoked on the command line', async () => {
    const { key, tokenUuid } = await addKey('revoked by CLI');
    const media = await openDevice(await liveUri(), byKey(key));
    await fetchOk(media);
    const config = join(gateway.folder, 'sluice.yaml');
    expect(await runCli('keys', 'revoke', tokenUuid, '--config', config)).toMatchObject({ code: 0 });
    expect(await refusalOf(media)).toMatchObject({ status: 403, reason: 'credential-ended' });
  });

  it('on WebSockets too, and on manifests', async () => {
    const { key, tokenUuid } = await addKey('for real time');
    const { wanLiveMpdUri, wanLiveH264Uri } = await gateway.call('camera/getMediaUris', {
      cameraUuid: lobby,
    });
    const session = await gateway.call('org/generateFederatedSessionToken', {}, key);
    const token: string = session.federatedSessionToken;
    const client = await PictureClient.open(withSession(wanLiveH264Uri, token));
    await until('a frame', () => client.frames.length > 0);
    const manifest = (await fetch(withSession(wanLiveMpdUri, token))).url;
    await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
    const refused = await fetch(manifest);
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'credential-ended']);
    await until('the end', () => client.end !== null);
    expect(client.end).toBe('1008 credential-ended');
    expect((await fetch(withSession(wanLiveMpdUri, token))).status).toBe(401);
  });

  it('when its session is over', async () => {
    const token = await sessionToken({ durationSec: 3 });
    const media = await openDevice(`${await liveUri()}?x-auth-ft=${token}`, {});
    const refusal = await refusalOf(media);
    expect(refusal).toMatchObject({ status: 403, reason: 'credential-ended' });
  });

  it('when the device leaves the configuration', async () => {
    const dock = await gateway.cameraUuid('Dock');
    const media = await openDevice(await liveUri(dock), byKey(API_KEY));
    await fetchOk(media);
    await gateway.configure({ hls: { idleStop: '5m' }, cameras: [deviceCamera('Lobby')] });
    gateway.child.process.kill('SIGHUP');
    expect(await refusalOf(media)).toMatchObject({ status: 403, reason: 'device-removed' });
  });
});

describe('afterwards', () => {
  it('the audit trail says who watched which camera with which key', async () => {
    const nowMs = Date.now();
    const { auditEvents } = await gateway.call('report/getAuditFeed', {
      timestampMsAfter: nowMs - 600_000,
      timestampMsBefore: nowMs + 60_000,
    });
    const views = auditEvents.filter((event: Json) => event.action === 'VIEW_CAMERA_LIVE');
    expect(views.length).toBeGreaterThan(0);
    for (const view of views) expect(view).toMatchObject({ principalType: 'API_TOKEN' });
    expect(JSON.stringify(views)).toContain('Lobby');
  });

  it('the metrics say how much of the camera was watched without a share', async () => {
    const metrics = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
    const labels = `{share="",name="",camera="${lobby}",camera_name="Lobby"}`;
    const sent = metrics
      .split('\n')
      .find((line) => line.startsWith(`sluice_share_sent_bytes_total${labels}`));
    expect(Number(sent?.split(' ').at(-1))).toBeGreaterThan(1_000);
  });

  it('no log line holds a credential', () => {
    const output = gateway.child.lines.join('\n');
    expect(output).toContain('device opened');
    expect(output).not.toContain(API_KEY);
    expect(output).not.toMatch(/x-auth-ft|RSESSIONID/);
  });

  it('a grant outlives a restart of the gateway, and so does the end of its key', async () => {
    const [kept, lost] = [await addKey('kept'), await addKey('lost')];
    const uri = await liveUri();
    const [keptMedia, lostMedia] = [
      await openDevice(uri, byKey(kept.key)),
      await openDevice(uri, byKey(lost.key)),
    ];
    await gateway.call('integrations/org/revokeApiToken', { tokenUuid: lost.tokenUuid });
    await gateway.restart();
    const refused = await fetch(lostMedia);
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'credential-ended']);
    expect((await fetch(keptMedia)).status).toBe(200);
  });
});
