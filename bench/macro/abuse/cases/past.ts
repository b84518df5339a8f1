/**
 * Attacks of someone with one link, or one token for one camera, on the past, still images, real-time views, manifests and
 * uploads.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { API_KEY, type TestShare } from '../../../../test/support/gateway.ts';
import { openShare } from '../../../../test/support/hls.ts';
import { rawRequest } from '../../../../test/support/raw-http.ts';
import { until } from '../../../../test/support/until.ts';
import { type Abuse, deviations, few, type Ground, grantOf, holdsMedia } from '../abuse.ts';
import { abreast, Crowd } from '../sockets.ts';

const group = 'past';
const WIDTH = 16;
const RANGE_SEC = 60;
const RANGES_IN_ONE = 500;
/** Real-time views of one viewer. */
const SOCKETS_AT_ONCE = 4;
/** Announced and not finished, of one key. */
const UNFINISHED_UPLOADS = 64;
const READ_BYTES = 1_024;
/** Limit from the end of access to the end of running responses. */
const CUT_OFF_MS = 3_000;

interface Viewer {
  readonly share: TestShare;
  readonly folder: string;
}

/** A viewer who may see the past, once there is some. */
async function pastViewer({ gateway }: Ground): Promise<Viewer> {
  const share = await gateway.share('Good', { vodEnabled: true });
  const folder = `/live/${grantOf(await openShare(share.m3u8Url))}`;
  await until('a recording', async () => {
    const { status } = await rawRequest(gateway.mediaUrl, `${folder}/${newestRange()}/file.m3u8`);
    return status === 200;
  });
  return { share, folder };
}

function newestRange(): string {
  return `vod/${Math.floor(Date.now() / 1_000) - RANGE_SEC}/${RANGE_SEC}`;
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

function statusesOf({ texts }: Crowd): number[] {
  return texts.map((text) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0));
}

/** Opens more movies than a viewer may have at the same time, and reads none of them. */
async function slowMovies(ground: Ground): Promise<string[]> {
  const { gateway } = ground;
  const { share, folder } = await pastViewer(ground);
  const path = `${folder}/${newestRange()}/clip.mp4`;
  const crowd = new Crowd(gateway.mediaUrl);
  crowd.open(40, get(path, 'Connection: close\r\n'), false);
  for (let second = 0; second < (ground.isShort ? 3 : 15); second++) {
    await delay(1_000);
    for (const socket of crowd.sockets) socket.read(READ_BYTES);
  }
  // Another viewer of the same camera is served in the meantime.
  const other = await pastViewer(ground);
  const { status, body } = await rawRequest(gateway.mediaUrl, `${other.folder}/${newestRange()}/clip.mp4`);
  await gateway.revoke(other.share);
  await gateway.revoke(share);
  // The end of a connection shows after the data before it.
  for (const socket of crowd.sockets) socket.resume();
  await delay(CUT_OFF_MS);
  const { closed } = crowd;
  crowd.close();
  return deviations([
    [`another viewer got ${status}`, status === 200 && holdsMedia(body)],
    [`${closed} of 40 ended with their share`, closed === 40],
  ]);
}

/** A range that reaches into the present grows: byte ranges are of what there is now, at an address of its own. */
async function settledMovie(base: string, path: string): Promise<string> {
  const { status, headers } = await rawRequest(base, path, { headers: { range: 'bytes=0-' } });
  return status === 307 ? new URL(headers.location!, new URL(path, base)).pathname : path;
}

/** One request for hundreds of ranges, and hundreds of requests for one. */
async function manyRanges(ground: Ground): Promise<string[]> {
  const { gateway, isShort } = ground;
  const { share, folder } = await pastViewer(ground);
  const path = await settledMovie(gateway.mediaUrl, `${folder}/${newestRange()}/clip.mp4`);
  const whole = await rawRequest(gateway.mediaUrl, path);
  const ranges = Array.from({ length: RANGES_IN_ONE }, (_, index) => `${index}-`).join(',');
  const many = await rawRequest(gateway.mediaUrl, path, { headers: { range: `bytes=${ranges}` } });
  const wrong = [
    'bytes=-0',
    'bytes=99999999999999-',
    'bytes=5-1',
    'bytes=a-b',
    `bytes=${'9'.repeat(400)}-`,
    'lines=1-2',
  ];
  const bad: string[] = [];
  for (const range of wrong) {
    const { status } = await rawRequest(gateway.mediaUrl, path, { headers: { range } });
    if (![200, 206, 416].includes(status)) bad.push(`${range.slice(0, 30)}: ${status}`);
  }
  const odd = new Map<number, number>();
  await abreast(Array.from({ length: isShort ? 400 : 3_000 }), WIDTH, async () => {
    const first = Math.floor(Math.random() * whole.body.length);
    const headers = { range: `bytes=${first}-${first + 10}` };
    const { status } = await rawRequest(gateway.mediaUrl, path, { headers });
    if (![200, 206, 416, 503].includes(status)) odd.set(status, (odd.get(status) ?? 0) + 1);
  });
  await gateway.revoke(share);
  return deviations([
    ...few(bad).map((sentence) => [sentence, false] as const),
    [`${whole.status} for the movie`, whole.status === 200],
    [
      `${many.status} with ${many.body.length} bytes for ${RANGES_IN_ONE} ranges`,
      many.body.length <= 2 * whole.body.length,
    ],
    [`single ranges: ${[...odd].join('; ')}`, odd.size === 0],
  ]);
}

/** Times that are no times, or far too many of them. */
async function impossibleTimes(ground: Ground): Promise<string[]> {
  const { gateway } = ground;
  const { share, folder } = await pastViewer(ground);
  const texts = [
    '0',
    '-1',
    '1e9',
    '99999999999',
    '9'.repeat(400),
    '0.0001',
    'NaN',
    'Infinity',
    '0x10',
    '%00',
  ];
  const names = [
    'file.m3u8',
    'stream.m3u8',
    'file.mpd',
    'clip.mp4',
    'windows.json',
    'seg_1.m4v',
    'v/seg_1.m4v',
  ];
  const bad: string[] = [];
  const paths = texts.flatMap((start) =>
    ['60', ...texts].flatMap((duration) => names.map((name) => `${folder}/vod/${start}/${duration}/${name}`)),
  );
  await abreast(paths, WIDTH, async (path) => {
    const { status, body } = await rawRequest(gateway.mediaUrl, path);
    const isFine = status < 500 || status === 503;
    if (!isFine || /moof|mdat/.test(body.toString('latin1'))) bad.push(`${path.slice(-40)}: ${status}`);
  });
  const last = await rawRequest(gateway.mediaUrl, `${folder}/${newestRange()}/seg_99999999999.m4v`);
  if (last.status < 400 || last.status >= 500) bad.push(`a segment far away: ${last.status}`);
  await gateway.revoke(share);
  return few(bad);
}

/** A link without the past, and recordings from before its share. */
async function noPast(ground: Ground): Promise<string[]> {
  const { gateway, grant, otherGrant } = ground;
  const names = [
    'file.m3u8',
    'stream.m3u8',
    'file.mpd',
    'clip.mp4',
    'windows.json',
    'seg_1.m4v',
    'v/seg_1.m4v',
  ];
  const bad: string[] = [];
  for (const each of [grant, otherGrant, 'x']) {
    for (const name of names) {
      const path = `/live/${each}/${newestRange()}/${name}`;
      const { status, body } = await rawRequest(gateway.mediaUrl, path);
      if (status < 400 || status >= 500 || holdsMedia(body)) bad.push(`${path.slice(-40)}: ${status}`);
    }
  }
  return few(bad);
}

/** A token for one camera, a link's grant and a link's token where they do not belong. */
async function elsewhere(ground: Ground): Promise<string[]> {
  const { gateway, share, other, grant } = ground;
  const body = { deviceUuid: share.cameraUuid };
  const { federatedSessionToken: token } = await gateway.call('org/generateFederatedSessionToken', body);
  const headers = { 'x-auth-scheme': 'federated-token', 'x-auth-ft': token };
  const names = [
    'file.m3u8',
    'file.mpd',
    'snapshot.jpeg',
    `${newestRange()}/file.m3u8`,
    `${newestRange()}/clip.mp4`,
  ];
  const mediaOf = (uuid: string) => names.map((name) => `/media/${uuid}/local/${name}`);
  const bad: string[] = [];
  const refused = async (path: string, sent: Record<string, string>): Promise<void> => {
    const { status, body: response } = await rawRequest(gateway.mediaUrl, path, { headers: sent });
    if (status < 400 || status >= 500 || holdsMedia(response)) bad.push(`${path.slice(-60)}: ${status}`);
  };
  const own = await rawRequest(gateway.mediaUrl, mediaOf(share.cameraUuid)[0]!, { headers });
  if (own.status !== 200) bad.push(`its own camera: ${own.status}`);
  for (const path of mediaOf(other.cameraUuid)) {
    await refused(path, headers);
    await refused(`${path}?x-auth-scheme=federated-token&x-auth-ft=${token}`, {});
    await refused(path, { cookie: `RSESSIONID=RFT:${token}` });
  }
  for (const text of [token, grant, new URL(share.pageUrl).pathname.split('/').at(-1)!]) {
    await refused(`/live/${text}x/file.m3u8`, {});
    await refused(`/share/${grant}/file.m3u8`, {});
    for (const path of mediaOf(share.cameraUuid)) await refused(path, { 'x-auth-apikey': text });
    for (const scheme of ['api-token', 'api', 'device', 'federated-token']) {
      await refused('/upload/clips', { 'x-auth-apikey': text, 'x-auth-ft': text, 'x-auth-scheme': scheme });
    }
  }
  return few(bad);
}

/** WebSockets that are opened and never read. */
async function heldSockets(ground: Ground): Promise<string[]> {
  const { gateway } = ground;
  const { share, folder } = await pastViewer(ground);
  const crowd = new Crowd(gateway.mediaUrl);
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  crowd.open(60, get(`${folder}/ws`, upgrade));
  await delay(2_000);
  for (const socket of crowd.sockets) socket.pause();
  const accepted = statusesOf(crowd).filter((status) => status === 101).length;
  await delay(ground.isShort ? 2_000 : 10_000);
  await gateway.revoke(share);
  for (const socket of crowd.sockets) socket.resume();
  await delay(CUT_OFF_MS);
  const { closed } = crowd;
  crowd.close();
  return deviations([
    [`${accepted} views at once`, accepted > 0 && accepted <= SOCKETS_AT_ONCE],
    [`${closed} of 60 ended with their share`, closed === 60],
  ]);
}

/** Requests a still image in every width at the same time. */
async function manyStills(ground: Ground): Promise<string[]> {
  const { gateway, isShort } = ground;
  const { share, folder } = await pastViewer(ground);
  const odd = new Map<number, number>();
  await abreast(
    Array.from({ length: isShort ? 100 : 600 }, (_, index) => index),
    WIDTH,
    async (index) => {
      const path = `${folder}/snapshot.jpeg?width=${100 + (index % 500)}`;
      const { status } = await rawRequest(gateway.mediaUrl, path);
      if (![200, 400, 429, 503].includes(status)) odd.set(status, (odd.get(status) ?? 0) + 1);
    },
  );
  await gateway.revoke(share);
  return deviations([[`answers ${[...odd].join('; ')}`, odd.size === 0]]);
}

/** Requests more segments of the past than a viewer may have at the same time. */
async function manySegments(ground: Ground): Promise<string[]> {
  const { gateway, isShort } = ground;
  const { share, folder } = await pastViewer(ground);
  // The share does not show recordings from before its creation.
  const range = newestRange();
  const playlist = await rawRequest(gateway.mediaUrl, `${folder}/${range}/file.m3u8`);
  const path = `${folder}/${range}/${/^seg_\d+\.m4v$/m.exec(playlist.body.toString())?.[0]}`;
  const crowd = new Crowd(gateway.mediaUrl);
  crowd.open(isShort ? 60 : 300, get(path).repeat(4), false);
  await delay(1_000);
  const beside = await rawRequest(gateway.mediaUrl, path);
  await delay(2_000);
  crowd.close();
  await until('the past again', async () => (await rawRequest(gateway.mediaUrl, path)).status === 200);
  await gateway.revoke(share);
  return deviations([[`${beside.status} beside the others`, [200, 503].includes(beside.status)]]);
}

/** A device's key that announces clips and sends nothing. */
async function idleUploads({ gateway, share }: Ground): Promise<string[]> {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const statuses: number[] = [];
  const urls: string[] = [];
  const common = { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token', 'tus-resumable': '1.0.0' };
  for (let index = 0; index < UNFINISHED_UPLOADS + 20; index++) {
    const metadata = [
      ['clipId', `idle ${index}`],
      ['cameraUuid', share.cameraUuid],
      ['timestampMs', String(Date.now() - 60_000)],
    ].map(([name, value]) => `${name} ${encoded(value!)}`);
    const headers = { ...common, 'upload-length': '1000', 'upload-metadata': metadata.join(',') };
    const response = await rawRequest(gateway.mediaUrl, '/upload/clips', { method: 'POST', headers });
    statuses.push(response.status);
    if (response.status === 201) urls.push(response.headers.location!);
  }
  // The oldest ones of the same key make room for the newer ones.
  let kept = 0;
  for (const url of urls) {
    const { pathname } = new URL(url, gateway.mediaUrl);
    const { status } = await rawRequest(gateway.mediaUrl, pathname, { method: 'HEAD', headers: common });
    if (status === 200) kept++;
    await rawRequest(gateway.mediaUrl, pathname, { method: 'DELETE', headers: common });
  }
  const refused = statuses.filter((status) => status === 503).length;
  return deviations([
    [`${kept} idle uploads of one key`, kept > 0 && kept <= UNFINISHED_UPLOADS],
    [`answers ${[...new Set(statuses)].join(', ')}`, urls.length + refused === statuses.length],
  ]);
}

export const abuses: readonly Abuse[] = [
  { group, name: 'a link without the past, in every form', attack: noPast },
  { group, name: 'impossible times', attack: impossibleTimes },
  { group, name: 'credentials where they do not belong', attack: elsewhere },
  { group, name: 'movies that are read slowly', attack: slowMovies },
  { group, name: 'ranges by the hundreds', attack: manyRanges },
  { group, name: 'segments by the hundreds', attack: manySegments },
  { group, name: 'real-time views that are never read', attack: heldSockets },
  { group, name: 'still images in every width', attack: manyStills },
  { group, name: 'uploads that are announced only', attack: idleUploads },
];
