/** Listeners behind proxies: HTTP/2 without TLS, and the PROXY protocol, by nginx, curl and h2load. */

import { execFile } from 'node:child_process';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { ask } from '../support/http2-viewer.ts';
import { TestNginx } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const VIEWER_ADDRESS = '127.0.0.2';

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
let nginx: TestNginx;

beforeAll(async () => {
  camera = await startCamera();
  const proxyPort = await freePort();
  gateway = await TestGateway.start({
    h2c: { media: true, api: true },
    proxyProtocol: { media: true },
    trustProxy: '127.0.0.1',
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
  const media = new URL(gateway.mediaUrl).host;
  const server = `listen 127.0.0.1:${proxyPort}; proxy_pass ${media}; proxy_protocol on;`;
  nginx = await TestNginx.startStream(`stream { server { ${server} } }`, `http://127.0.0.1:${proxyPort}`);
  share = await gateway.share('Lobby');
});
afterAll(async () => {
  await nginx?.stop();
  await gateway?.dispose();
  await camera?.close();
});

/** Of the viewers of the share. */
async function addresses(): Promise<string[]> {
  const listed = await gateway.call('camera/getSharedStreamViewers', {
    sharedLiveVideoStreamUuid: share.uuid,
  });
  return listed.viewers.map(({ address }: Json) => address);
}

it('a viewer over HTTP/2 through nginx is one at its own address', async () => {
  const { port } = new URL(nginx.url);
  const session = connectHttp2(nginx.url, {
    createConnection: () =>
      connectTcp({ port: Number(port), host: '127.0.0.1', localAddress: VIEWER_ADDRESS }),
  });
  const { pathname } = new URL(share.m3u8Url);
  const opened = await ask(session, `${nginx.url}${pathname}`);
  expect(opened.status).toBe(200);
  const line = opened.body
    .toString()
    .split('\n')
    .find((text) => text !== '' && !text.startsWith('#'));
  const playlist = await ask(session, new URL(line!, `${nginx.url}${pathname}`).href);
  expect(playlist.status).toBe(200);
  const segment = /^seg_\d+\.mp4$/m.exec(playlist.body.toString())![0];
  await ask(session, new URL(segment, new URL(line!, `${nginx.url}${pathname}`)).href);
  await until('the viewer', async () => (await addresses()).includes(VIEWER_ADDRESS));
  session.close();
});

it('curl says whose connection it is, over HTTP/1.1 and HTTP/2 without TLS', async () => {
  for (const [option, version] of [
    ['--http1.1', '1.1'],
    ['--http2-prior-knowledge', '2'],
  ] as const) {
    const write = ['-s', '-o', '/dev/null', '-w', '%{http_version} %{http_code}'];
    const curl = (...more: string[]) =>
      run('curl', [...write, option, ...more, `${gateway.mediaUrl}/healthz`]);
    expect((await curl('--haproxy-protocol')).stdout).toBe(`${version} 200`);
    await expect(curl()).rejects.toMatchObject({ stdout: expect.stringMatching(/ 000$/) });
  }
});

it('h2load finds HTTP/2 without TLS at the API, next to HTTP/1.1', async () => {
  const { stdout } = await run('h2load', ['-n', '500', '-c', '5', '-m', '50', `${gateway.apiUrl}/healthz`]);
  expect(stdout).toContain('Application protocol: h2c');
  expect(stdout).toContain('status codes: 500 2xx');
  expect((await fetch(`${gateway.apiUrl}/healthz`)).status).toBe(200);
});
