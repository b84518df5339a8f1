/** TLS and HTTP/2 at the listeners of a whole gateway, with clients that others wrote: curl, h2load, Node's. */

import { execFile } from 'node:child_process';
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { ClientHttp2Session } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { CertificateFolder, type MadeCertificate } from '../support/certificates.ts';
import { Child } from '../support/child.ts';
import { clipFile, h264With } from '../support/clip-files.ts';
import { API_KEY, TestGateway, type TestShare } from '../support/gateway.ts';
import { ask, certificateName, Http2Viewer, openHttp2, openHttp2Viewer } from '../support/http2-viewer.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { freePort } from '../support/ports.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const MAIN = resolve(import.meta.dirname, '../../src/app/main.ts');
const VIEWERS = 200;
/** On four connections. A viewer has at most 8 requests that wait. */
const STREAMS = 1_000;
const GRANTS = 250;

let certificates: CertificateFolder;
let one: MadeCertificate;
let other: MadeCertificate;
let inUse: MadeCertificate;
let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
let session: ClientHttp2Session;

beforeAll(async () => {
  certificates = new CertificateFolder();
  [one, other] = [certificates.make('one'), certificates.make('other')];
  inUse = { cert: certificates.path('in-use.pem'), key: certificates.path('in-use.key') };
  install(one);
  camera = await startCamera();
  gateway = await TestGateway.start({
    tls: { media: inUse },
    hls: { idleStop: '5m', segmentTarget: '2s', partTarget: '500ms' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
  share = await gateway.share('Lobby');
  session = await openHttp2(gateway.mediaUrl);
});
afterAll(async () => {
  session?.destroy();
  await gateway?.dispose();
  await camera?.close();
  certificates?.remove();
});

/** As programs that renew certificates do. */
function install({ cert, key }: MadeCertificate): void {
  for (const [from, to] of [
    [cert, inUse.cert],
    [key, inUse.key],
  ] as const) {
    copyFileSync(from, `${to}.new`);
    renameSync(`${to}.new`, to);
  }
}

const openViewer = (of = share) => openHttp2Viewer(session, of);

const hintAt = async (url: string) => readPlaylistText((await ask(session, url)).body.toString()).hint;

describe('the media listener', () => {
  it('has https in the links that it is part of', () => {
    expect([share.pageUrl, share.m3u8Url]).toEqual([
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^https:/),
    ]);
  });

  it('serves curl a blocking reload, a delta and the part that it waits for, over HTTP/2 and HTTP/1.1', async () => {
    const url = await openViewer();
    for (const [option, version] of [
      ['--http2', '2'],
      ['--http1.1', '1.1'],
    ] as const) {
      const curl = async (target: string, ...more: string[]) => {
        const write = ['-w', '\n%{http_version} %{http_code} %{num_connects}'];
        const { stdout } = await run('curl', ['-sk', option, ...write, ...more, target], {
          encoding: 'buffer',
        });
        const at = stdout.lastIndexOf(10);
        return { body: stdout.subarray(0, at), said: stdout.toString('latin1', at + 1) };
      };
      const hint = await hintAt(url);
      const [playlist, delta, part] = await Promise.all([
        curl(`${url}?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`, '-H', 'accept-encoding: gzip'),
        curl(`${url}?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}&_HLS_skip=YES`),
        curl(new URL(hint.uri, url).href),
      ]);
      expect([playlist.said, delta.said, part.said]).toEqual(Array(3).fill(`${version} 200 1`));
      expect(gunzipSync(playlist.body).toString()).toContain('#EXT-X-PRELOAD-HINT');
      expect(delta.body.toString()).toContain('#EXTM3U');
      expect(part.body.toString('latin1', 4, 8)).toMatch(/moof|styp|prft/);
      const head = await curl(url, '-I');
      expect(head.body.toString()).toMatch(/content-type: application\/vnd.apple.mpegurl/i);
      const range = await curl(new URL(hint.uri, url).href, '-r', '4-7');
      expect([range.said, range.body.length]).toEqual([`${version} 206 1`, 4]);
    }
  });

  it('cuts off a revoked viewer on a connection that others use', async () => {
    const revoked = await gateway.share('Lobby');
    const [url, others] = [await openViewer(revoked), await openViewer()];
    const shared = await openHttp2(gateway.mediaUrl);
    const { msn } = await hintAt(url);
    // Seconds from now.
    const waiting = ask(shared, `${url}?_HLS_msn=${msn + 1}`);
    const othersWaiting = ask(shared, `${others}?_HLS_msn=${msn + 1}`);
    await ask(shared, url);
    await gateway.revoke(revoked);
    const refused = await waiting;
    expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
      403,
      expect.objectContaining({ reason: 'revoked' }),
    ]);
    expect((await othersWaiting).status).toBe(200);
    expect((await ask(shared, url)).status).toBe(403);
    shared.close();
  });

  it(`holds ${STREAMS} requests of h2load on four connections, and serves all of them`, async () => {
    const urls = await Promise.all(Array.from({ length: GRANTS }, () => openViewer()));
    const { msn } = await hintAt(urls[0]!);
    const list = certificates.path('urls');
    writeFileSync(list, urls.map((url) => `${url}?_HLS_msn=${msn + 1}\n`).join(''));
    const load = ['-n', String(STREAMS), '-c', '4', '-m', String(STREAMS / 4), '-i', list];
    const { stdout } = await run('h2load', load);
    expect(stdout).toContain('Application protocol: h2');
    expect(stdout).toContain(`${STREAMS} succeeded, 0 failed, 0 errored, 0 timeout`);
    expect(stdout).toContain(`status codes: ${STREAMS} 2xx, 0 3xx, 0 4xx, 0 5xx`);
  });

  it('takes a clip that curl hands over', async () => {
    const file = clipFile({ seconds: 4, codecs: h264With('-bf 2') });
    const path = certificates.path('clip.mp4');
    writeFileSync(path, file);
    const fields = {
      clipId: 'over-http2',
      cameraUuid: share.cameraUuid,
      title: 'Clip',
      filetype: 'video/mp4',
      timestampMs: String(Date.now() - 3_600_000),
    };
    const metadata = Object.entries(fields)
      .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
      .join(',');
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-length': String(file.length),
      'upload-metadata': metadata,
      'content-type': 'application/offset+octet-stream',
      'x-auth-apikey': API_KEY,
      'x-auth-scheme': 'api-token',
      expect: '',
    };
    const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const sent = ['--data-binary', `@${path}`, ...given, `${gateway.mediaUrl}/upload/clips`];
    const { stdout } = await run('curl', ['-skD-', '--http2', ...sent]);
    expect(stdout).toMatch(/^HTTP\/2 201/);
    expect(stdout).toContain(`upload-offset: ${file.length}`);
    const { savedClips } = await gateway.call('event/getSavedClipsV2', { limit: 10 });
    expect(savedClips).toEqual([expect.objectContaining({ title: 'Clip', durationSec: 4 })]);
  });

  it('serves others while connections of attackers end', async () => {
    const url = await openViewer();
    const { port } = new URL(gateway.mediaUrl);
    const attackers = [
      // A hello of TLS that never ends, nothing at all, and HTTP/2 that never begins.
      connectTcp(Number(port), '127.0.0.1', function (this: import('node:net').Socket) {
        this.write(Buffer.from('1603010200010001fc0303', 'hex'));
      }),
      connectTcp(Number(port), '127.0.0.1'),
      connectTls({ port: Number(port), host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false }),
    ];
    const closed = attackers.map((socket) => {
      socket.on('error', () => undefined).resume();
      return new Promise((done) => socket.on('close', done));
    });
    const viewer = new Http2Viewer(url, { reconnects: true });
    await Promise.all(closed);
    await viewer.stop();
    expect([viewer.failures, viewer.parts > 0]).toEqual([[], true]);
  });
});

describe('a certificate that is replaced', () => {
  const logged = (message: string) => gateway.child.lines.filter((line) => line.includes(message));

  it(`is used for new connections, and ${VIEWERS} viewers lose no request`, async () => {
    const urls = await Promise.all(Array.from({ length: VIEWERS }, () => openViewer()));
    const viewers = urls.map((url, i) => new Http2Viewer(url, { reconnects: i % 8 === 0 }));
    const playOn = (parts: number) => {
      const before = viewers.map((viewer) => viewer.parts);
      const haveMore = () => viewers.every((viewer, i) => viewer.parts >= before[i]! + parts);
      return until('every viewer to play on', haveMore);
    };
    const isSeen = (name: string) => viewers.some(({ names }) => names.has(name));
    await playOn(1);
    const kept = await openHttp2(gateway.mediaUrl);
    // One without a request would not be kept for long.
    await ask(kept, `${gateway.mediaUrl}/healthz`);
    // Noticed.
    install(other);
    await gateway.child.line(/TLS certificate reloaded/);
    await until('the new certificate', () => isSeen('other'));
    await playOn(2);
    // By the signal.
    install(one);
    gateway.child.process.kill('SIGHUP');
    await until('the second', () => logged('TLS certificate reloaded').length === 2);
    await playOn(2);
    await Promise.all(viewers.map((viewer) => viewer.stop()));
    expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
    expect(new Set(viewers.flatMap(({ names }) => [...names]))).toEqual(new Set(['one', 'other']));
    expect((await ask(kept, `${gateway.mediaUrl}/healthz`)).status).toBe(200);
    expect(certificateName(kept)).toBe('one');
    kept.close();
  });

  it('stays if the new one is wrong; metrics and findings say so', async () => {
    copyFileSync(other.key, `${inUse.key}.new`);
    renameSync(`${inUse.key}.new`, inUse.key);
    gateway.child.process.kill('SIGHUP');
    const line = JSON.parse(await gateway.child.line(/TLS certificate not reloaded/));
    expect(line.err).toMatchObject({ code: 'TLS_KEY_MISMATCH' });
    expect(JSON.stringify(line)).toContain(inUse.key);
    const fresh = await openHttp2(gateway.mediaUrl);
    expect(certificateName(fresh)).toBe('one');
    fresh.close();
    const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
    expect(metrics).toContain('sluice_tls_certificate_stale{listener="media"} 1');
    expect(metrics).toMatch(/sluice_tls_certificate_expiry_timestamp_seconds\{listener="media"\} \d{10}/);
    install(one);
    gateway.child.process.kill('SIGHUP');
    await until('the metric', async () => {
      const now = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
      return now.includes('sluice_tls_certificate_stale{listener="media"} 0');
    });
    expect(gateway.child.lines.filter((text) => text.includes('PRIVATE KEY'))).toEqual([]);
  });
});

describe('a gateway that stops', () => {
  it('answers requests that wait on a connection of HTTP/2, and ends', async () => {
    const url = await openViewer();
    const kept = await openHttp2(gateway.mediaUrl);
    const { msn } = await hintAt(url);
    const waiting = ask(kept, `${url}?_HLS_msn=${msn + 1}`);
    // It waits: what is asked after it was answered.
    await ask(kept, `${gateway.mediaUrl}/healthz`);
    await gateway.end();
    const { status, headers, body } = await waiting;
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect(JSON.parse(body.toString())).toMatchObject({ reason: 'restarting' });
    expect(gateway.child.lines.at(-1)).toContain('"msg":"stopped"');
    await expect.poll(() => kept.destroyed || kept.closed).toBe(true);
  });
});

describe('the API listener', () => {
  it('answers over HTTP/2 with TLS, and after a new certificate, and its links have https', async () => {
    const files = certificates.make('api');
    const secure = await TestGateway.start({ tls: { api: files }, demo: false });
    try {
      const client = await openHttp2(secure.apiUrl);
      const stream = client.request({
        ':path': '/api/camera/getMinimalCameraStateList',
        ':method': 'POST',
        'x-auth-apikey': API_KEY,
        'x-auth-scheme': 'api-token',
      });
      stream.end('{}');
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) text += chunk;
      expect(JSON.parse(text)).toMatchObject({ error: false, cameraStates: expect.any(Array) });
      const page = await ask(client, `${secure.apiUrl}/console/`);
      expect([page.status, page.body.toString()]).toEqual([200, expect.stringContaining('<html')]);
      const { cert, key } = certificates.make('newer');
      copyFileSync(cert, files.cert);
      copyFileSync(key, files.key);
      secure.child.process.kill('SIGHUP');
      await secure.child.line(/TLS certificate reloaded/);
      await until('the new certificate', async () => {
        const fresh = await openHttp2(secure.apiUrl);
        const name = certificateName(fresh);
        fresh.close();
        return name === 'newer';
      });
      expect((await ask(client, `${secure.apiUrl}/healthz`)).status).toBe(200);
      client.close();
    } finally {
      await secure.dispose();
    }
  });
});

describe('a gateway whose certificate is wrong', () => {
  it.each<[string, (files: MadeCertificate) => MadeCertificate, RegExp, string]>([
    [
      'missing',
      (files) => ({ ...files, cert: '/nowhere/at-all.pem' }),
      /TLS_FILE_UNREADABLE/,
      '/nowhere/at-all.pem',
    ],
    ['not PEM', (files) => ({ ...files, cert: MAIN }), /TLS_CERTIFICATE_INVALID/, MAIN],
    ['of another key', (files) => ({ ...files, key: other.key }), /TLS_KEY_MISMATCH/, 'other.key'],
  ])('does not start with one that is %s, and names the file', async (_what, change, code, file) => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
    const config = {
      listen: { api: `127.0.0.1:${await freePort()}`, media: `127.0.0.1:${await freePort()}` },
      data: join(folder, 'data'),
      tls: { media: change(one) },
    };
    await writeFile(join(folder, 'sluice.yaml'), stringify(config));
    const child = new Child(process.execPath, [MAIN, 'serve', '--config', join(folder, 'sluice.yaml')]);
    await child.exited;
    const said = child.lines.join('\n');
    expect([said, child.process.exitCode]).toEqual([expect.stringMatching(code), expect.any(Number)]);
    expect(child.process.exitCode).not.toBe(0);
    expect(said).toContain(file);
    rmSync(folder, { recursive: true });
  });
});
