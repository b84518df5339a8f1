/** HTTP that is slow, huge, malformed, or more than one client has reason to send. */

import { setTimeout as delay } from 'node:timers/promises';
import { rawBytes, rawRequest } from '../../../../test/support/raw-http.ts';
import { type Abuse, deviations, few, type Ground, holdsMedia } from '../abuse.ts';
import { Crowd } from '../sockets.ts';

const group = 'HTTP';

type Port = 'media' | 'API';
const PORTS: readonly Port[] = ['media', 'API'];

const baseOf = ({ gateway }: Ground, port: Port): string =>
  port === 'media' ? gateway.mediaUrl : gateway.apiUrl;

const onBoth = (
  name: string,
  attack: (ground: Ground, base: string) => Promise<readonly string[]>,
): Abuse[] =>
  PORTS.map((port) => ({
    group,
    name: `${name}, ${port} port`,
    attack: (ground) => attack(ground, baseOf(ground, port)),
  }));

const HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n';
const POST_HEAD =
  'POST /api/camera/getMinimalCameraStateList HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
/** An incomplete request is dropped after 15 s; the check runs every 5 s. */
const GIVEN_UP_MS = 26_000;

async function slowly(base: string, head: string, piece: string, { isShort }: Ground): Promise<string[]> {
  const crowd = new Crowd(base);
  crowd.open(200, head);
  const times = isShort ? 10 : GIVEN_UP_MS / 500;
  await crowd.drip(piece, 500, times);
  const left = crowd.sockets.length - crowd.closed;
  crowd.close();
  return isShort ? [] : deviations([[`${left} of 200 slow requests still open`, left === 0]]);
}

const MALFORMED: readonly (string | Buffer)[] = [
  'nonsense\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  // Allowed (RFC 9112 §3); nothing else may become of it than of one space.
  'GET  /no-such-page  HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET / HTTP/1.1\r\nHost x\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\nX\0Y: 1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1e3\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.alloc(4_096, 0xff),
];

/** Ways to hide a second request in the body of the first, for a proxy and a server that read lengths differently. */
function smuggling(hidden: string): string[] {
  const inner = `GET ${hidden} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const chunked = `0\r\n\r\n${inner}`;
  const post = (headers: string, body: string) =>
    `POST /share/x/open HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`;
  return [
    post(`Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n`, chunked),
    post(`Transfer-Encoding: chunked\r\nContent-Length: ${chunked.length}\r\n`, chunked),
    post(`Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`, inner),
    post(`Transfer-Encoding: xchunked\r\n`, chunked),
    post(`Transfer-Encoding : chunked\r\n`, chunked),
    post(`Transfer-Encoding: chunked, identity\r\n`, chunked),
    post(`Transfer-Encoding: identity, chunked\r\nContent-Length: 4\r\n`, chunked),
    post(`Transfer-Encoding:\x0bchunked\r\nContent-Length: 4\r\n`, chunked),
    post(`X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: ${inner.length}\r\n`, inner),
    post(`X: y\nTransfer-Encoding: chunked\r\nContent-Length: ${inner.length}\r\n`, inner),
    post(`Transfer-Encoding: chunked\r\n`, `0;ext=${'e'.repeat(50)}\n\n${inner}`),
    post(`Transfer-Encoding: chunked\r\n`, `5\r\nhello0\r\n\r\n${inner}`),
  ];
}

const RANGES = [
  'bytes=9-1',
  'bytes=-',
  'bytes=-0',
  'bytes=0-1,2-3',
  `bytes=${Array.from({ length: 1_000 }, (_, index) => `${index}-${index + 1}`).join(',')}`,
  'bytes=99999999999999999999-',
  `bytes=${'1'.repeat(5_000)}-`,
  'bytes=0-',
  'bytes=0-99999999999999999999',
  'items=0-5',
  'bytes=abc-def',
];

const QUERIES = [
  '_HLS_msn=999999999',
  '_HLS_msn=999999999999999',
  '_HLS_msn=9999999999999999999999999',
  '_HLS_msn=-1',
  '_HLS_msn=NaN',
  '_HLS_msn=Infinity',
  '_HLS_msn=1e3',
  '_HLS_msn=0x10',
  '_HLS_msn=',
  '_HLS_msn=%00',
  '_HLS_msn=1&_HLS_msn=2',
  '_HLS_msn=1&_HLS_part=999999999999',
  '_HLS_msn=1&_HLS_part=-1',
  '_HLS_part=1',
  '_HLS_msn=1&_HLS_part=1&_HLS_part=2',
  '_HLS_skip=NO',
  '_HLS_skip=v3',
  '_HLS_msn=1&_HLS_skip=YES&_HLS_skip=v2',
  '__proto__=1',
  'constructor[prototype]=1',
  `x=${'y'.repeat(6_000)}`,
  '&'.repeat(5_000),
  '%',
  '%zz=%zz',
];

/** A query waits for a playing camera: a few seconds at most. */
const RESPONSE_MS = 25_000;

async function queries({ gateway, playlistUrl }: Ground): Promise<string[]> {
  const { pathname } = new URL(playlistUrl);
  const bad: string[] = [];
  await Promise.all(
    QUERIES.map(async (query) => {
      const response = await Promise.race([
        rawRequest(gateway.mediaUrl, `${pathname}?${query}`),
        delay(RESPONSE_MS).then(() => null),
      ]);
      if (response === null) bad.push(`${query.slice(0, 40)}: no answer`);
      else if (response.status >= 500 && response.status !== 503)
        bad.push(`${query.slice(0, 40)}: ${response.status}`);
    }),
  );
  return few(bad);
}

async function ranges({ gateway, playlistUrl }: Ground): Promise<string[]> {
  const path = new URL('seg_init.mp4', playlistUrl).pathname;
  const whole = (await rawRequest(gateway.mediaUrl, path)).body.length;
  const bad: string[] = [];
  for (const range of RANGES) {
    const { status, body } = await rawRequest(gateway.mediaUrl, path, { headers: { range } });
    const isFine = ([200, 206].includes(status) && body.length <= whole) || status === 416;
    if (!isFine) bad.push(`${range.slice(0, 40)}: ${status}, ${body.length} bytes`);
  }
  return few(bad);
}

/** More waiting requests than one viewer has reason for, all for the same part. */
async function waitingCrowd({ gateway, playlistUrl, isShort }: Ground): Promise<string[]> {
  const text = await (await fetch(playlistUrl)).text();
  const [, msn] = /TYPE=PART,URI="seg_(\d+)\./.exec(text) ?? [];
  const { pathname } = new URL(playlistUrl);
  const crowd = new Crowd(gateway.mediaUrl);
  const request = `GET ${pathname}?_HLS_msn=${Number(msn) + 1} HTTP/1.1\r\nHost: x\r\n\r\n`;
  crowd.open(isShort ? 200 : 1_000, request);
  await delay(6_000);
  const failed = crowd.texts.filter((each) => /^HTTP\/1\.1 500/.test(each)).length;
  crowd.close();
  return deviations([[`${failed} answers 500`, failed === 0]]);
}

const FLOOD_MS = { short: 2_000, long: 6_000 };

async function flooding(base: string, head: string, { isShort }: Ground): Promise<string[]> {
  const crowd = new Crowd(base);
  const burst = head.repeat(20);
  crowd.open(50, burst, false);
  for (const socket of crowd.sockets) {
    socket.on('data', () => socket.write(head));
  }
  await delay(isShort ? FLOOD_MS.short : FLOOD_MS.long);
  crowd.close();
  return [];
}

async function pipelining(base: string, path: string): Promise<string[]> {
  const crowd = new Crowd(base);
  const one = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  crowd.open(5, one.repeat(1_000));
  await delay(3_000);
  const failed = crowd.texts.filter((text) => text.includes('HTTP/1.1 500')).length;
  crowd.close();
  return deviations([[`${failed} connections with a 500`, failed === 0]]);
}

async function malformed(base: string): Promise<string[]> {
  const bad: string[] = [];
  for (const bytes of MALFORMED) {
    const response = await rawBytes(base, bytes);
    if (!/^HTTP\/1\.1 4\d\d /.test(response))
      bad.push(`${String(bytes).slice(0, 40)}: ${response.slice(0, 30)}`);
  }
  return few(bad.map((each) => JSON.stringify(each)));
}

async function smuggled(ground: Ground, base: string): Promise<string[]> {
  const bad: string[] = [];
  for (const bytes of smuggling(new URL(ground.playlistUrl).pathname)) {
    const response = await rawBytes(base, bytes);
    if (holdsMedia(response)) bad.push(JSON.stringify(bytes.slice(40, 110)));
  }
  return few(bad);
}

export const abuses: readonly Abuse[] = [
  ...onBoth('slow headers', (ground, base) => slowly(base, `${HEAD}X-Slow: `, 'z', ground)),
  ...onBoth('slow bodies', (ground, base) =>
    slowly(base, `${POST_HEAD}Content-Length: 9000\r\n\r\n`, ' ', ground),
  ),
  ...onBoth('600 idle connections', async (_ground, base) => {
    const crowd = new Crowd(base);
    crowd.open(600, '');
    await delay(4_000);
    crowd.close();
    return [];
  }),
  ...onBoth('a flood of requests', (ground, base) => flooding(base, `${HEAD}\r\n`, ground)),
  {
    group,
    name: 'a flood of forged grants',
    attack: (ground) =>
      flooding(
        ground.gateway.mediaUrl,
        `GET /live/${'A'.repeat(ground.grant.length)}/file.m3u8 HTTP/1.1\r\nHost: x\r\n\r\n`,
        ground,
      ),
  },
  {
    group,
    name: 'a flood of wrong API keys',
    attack: (ground) =>
      flooding(
        ground.gateway.apiUrl,
        `${POST_HEAD}X-Auth-ApiKey: wrong\r\nContent-Length: 2\r\n\r\n{}`,
        ground,
      ),
  },
  ...onBoth('headers of 100 kB', async (_ground, base) => {
    const response = await rawBytes(base, `${HEAD}X-Big: ${'b'.repeat(100_000)}\r\n\r\n`);
    return deviations([[response.slice(0, 30), /^HTTP\/1\.1 4/.test(response)]]);
  }),
  ...onBoth('5,000 headers', async (_ground, base) => {
    const response = await rawBytes(base, `${HEAD}${'X: 1\r\n'.repeat(5_000)}\r\n`);
    return deviations([[response.slice(0, 30), !/^HTTP\/1\.1 [25]/.test(response)]]);
  }),
  ...onBoth('a URL of 100 kB', async (_ground, base) => {
    const response = await rawBytes(base, `GET /${'u'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return deviations([[response.slice(0, 30), /^HTTP\/1\.1 4/.test(response)]]);
  }),
  ...onBoth('bodies of 64 MB', async (_ground, base) => {
    const crowd = new Crowd(base);
    crowd.open(4, `${POST_HEAD}Content-Length: 67108864\r\n\r\n`);
    await crowd.drip('x'.repeat(1_048_576), 50, 64);
    const accepted = crowd.texts.filter((text) => /^HTTP\/1\.1 2/.test(text)).length;
    crowd.close();
    return deviations([[`${accepted} accepted`, accepted === 0]]);
  }),
  ...onBoth('malformed requests', (_ground, base) => malformed(base)),
  ...onBoth('smuggled requests', smuggled),
  ...onBoth('5,000 pipelined requests', (_ground, base) => pipelining(base, '/')),
  { group, name: 'ranges', attack: ranges },
  { group, name: 'LL-HLS queries', attack: queries },
  { group, name: 'a crowd that waits for one part', attack: waitingCrowd },
  ...onBoth('upgrades', async (_ground, base) => {
    const bad: string[] = [];
    for (const protocol of ['websocket', 'h2c', 'TLS/1.0', 'x'.repeat(5_000)]) {
      const response = await rawBytes(base, `${HEAD}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
      if (/^HTTP\/1\.1 (101|5)/.test(response))
        bad.push(`${protocol.slice(0, 20)}: ${response.slice(0, 30)}`);
    }
    return bad;
  }),
];
