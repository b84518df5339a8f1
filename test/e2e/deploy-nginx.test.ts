/** deploy/nginx.conf in front of three nodes: who gets which request, what they get of it, and what happens when one stops. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestNginx } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const CONFIG = readFileSync(resolve(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8');

/** In place of a gateway: says what came, or what the test wants. */
class StubNode {
  readonly requests: http.IncomingMessage[] = [];
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => void = (_request, response) => {
    response.end('ok');
  };
  readonly connections = new Set<Socket>();
  readonly #server = http.createServer((request, response) => {
    this.requests.push(request);
    this.connections.add(request.socket);
    this.answer(request, response);
  });

  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    this.#server.on('upgrade', (request: http.IncomingMessage, socket: Socket) => {
      this.requests.push(request);
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello',
      );
    });
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const nodes = [new StubNode(), new StubNode(), new StubNode()];
let nginx: TestNginx;
let api: string;

async function startNginx(): Promise<void> {
  const apiPort = await freePort();
  api = `http://127.0.0.1:${apiPort}`;
  nginx = await TestNginx.startWith((folder, mediaPort) => {
    const ours = CONFIG.replaceAll('/tmp/', `${folder}/`)
      .replace('listen 8080;', `listen 127.0.0.1:${apiPort};`)
      .replace('listen 8081;', `listen 127.0.0.1:${mediaPort};`)
      .replace('worker_processes auto;', 'master_process off;')
      .replaceAll(/172\.28\.0\.1(\d):\d+/g, (_, node) => `127.0.0.1:${nodes[Number(node) - 1]!.port}`);
    return `daemon off;\n${ours}`;
  });
}

/** It has forgotten which nodes were frozen. */
async function restartNginx(): Promise<void> {
  await nginx.stop();
  await startNginx();
}

beforeAll(async () => {
  for (const node of nodes) await node.start();
  await startNginx();
});
afterAll(async () => {
  await nginx?.stop();
  for (const node of nodes) await node.stop();
});

beforeEach(() => {
  for (const node of nodes) {
    node.requests.length = 0;
    node.answer = (_request, response) => response.end('ok');
  }
});

/** How many requests of clients each node got: nginx checks nodes on its own, too. */
const counts = () => nodes.map(({ requests }) => requests.filter(({ url }) => url !== '/healthz').length);

it('takes turns, over connections that are kept, and says whose request it is', async () => {
  for (let i = 0; i < 9; i++) {
    const headers = { 'x-forwarded-for': '192.0.2.66', host: 'video.example.com:8443' };
    expect((await rawRequest(nginx.url, '/live/a/file.m3u8', { headers })).status).toBe(200);
  }
  expect(counts()).toEqual([3, 3, 3]);
  expect(nodes.map(({ connections }) => connections.size)).toEqual([1, 1, 1]);
  for (const { requests } of nodes) {
    const [{ httpVersion, headers }] = requests as [http.IncomingMessage];
    expect([httpVersion, headers['x-forwarded-for'], headers.host, headers.upgrade]).toEqual([
      '1.1',
      '127.0.0.1',
      'video.example.com:8443',
      undefined,
    ]);
  }
});

it('lets another node respond for one that is stopping, and for one that is gone', async () => {
  nodes[0]!.answer = (_request, response) => response.writeHead(503).end('stopping');
  for (let i = 0; i < 6; i++) {
    expect((await rawRequest(nginx.url, '/live/a/file.m3u8')).body.toString()).toBe('ok');
  }
  expect(counts()[0]).toBeGreaterThan(0);
  const { port } = nodes[0]!;
  await nodes[0]!.stop();
  for (let i = 0; i < 6; i++) expect((await rawRequest(nginx.url, '/live/a/file.m3u8')).status).toBe(200);
  await nodes[0]!.start(port);
});

it('lets another node respond for one that ends while a request waits', async () => {
  for (const node of nodes) {
    node.answer = (_request, response) => {
      const others = nodes.filter((other) => other !== node);
      for (const other of others) other.answer = (_request, response) => response.end('from another');
      response.destroy();
    };
  }
  expect((await rawRequest(nginx.url, '/live/a/file.m3u8')).body.toString()).toBe('from another');
});

it('passes on 503 of a camera that is offline, and keeps all nodes', async () => {
  for (const node of nodes) node.answer = (_request, response) => response.writeHead(503).end('offline');
  for (let i = 0; i < 12; i++) {
    expect((await rawRequest(nginx.url, '/live/a/file.m3u8')).body.toString()).toBe('offline');
  }
  for (const node of nodes) node.answer = (_request, response) => response.end('ok');
  expect((await rawRequest(nginx.url, '/live/b/file.m3u8')).status).toBe(200);
});

it('sends a call of the API once', async () => {
  for (const node of nodes) node.answer = (_request, response) => response.writeHead(503).end();
  const { status } = await rawRequest(api, '/api/camera/getCameras', { method: 'POST', body: '{}' });
  expect(status).toBe(503);
  expect(counts().reduce((sum, count) => sum + count)).toBe(1);
});

it('opens a link at another node if one breaks off, and repeats nothing else that is posted', async () => {
  for (const node of nodes) {
    node.answer = (_request, response) => {
      for (const other of nodes) other.answer = (_request, response) => response.end('opened');
      response.destroy();
    };
  }
  const { body } = await rawRequest(nginx.url, '/share/a/open', { method: 'POST', body: '{}' });
  expect(body.toString()).toBe('opened');
  for (const node of nodes) node.answer = (_request, response) => response.destroy();
  expect((await rawRequest(nginx.url, '/report/a', { method: 'POST', body: '{}' })).status).toBe(502);
  expect(counts().reduce((sum, count) => sum + count)).toBe(3);
});

it('asks every node before it says that none has it', async () => {
  nodes[0]!.answer = (_request, response) => response.writeHead(503).end();
  nodes[1]!.answer = (_request, response) => response.writeHead(503).end();
  for (let i = 0; i < 3; i++) expect((await rawRequest(nginx.url, '/live/a/file.m3u8')).status).toBe(200);
});

it('holds nothing back, of a response or of an upload', async () => {
  const held: http.ServerResponse[] = [];
  const arrived = Promise.withResolvers<string>();
  for (const node of nodes) {
    node.answer = (request, response) => {
      request.once('data', (chunk: Buffer) => arrived.resolve(chunk.toString()));
      response.write('first part');
      held.push(response);
    };
  }
  const headers = { 'content-length': 20 };
  const request = http.request(nginx.url, { method: 'POST', headers, agent: false });
  request.write('0123456789');
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const [chunk] = (await once(response, 'data')) as [Buffer];
  expect([chunk.toString(), await arrived.promise]).toEqual(['first part', '0123456789']);
  // Not only what came with the headers.
  held[0]!.write('second part');
  const [second] = (await once(response, 'data')) as [Buffer];
  expect(second.toString()).toBe('second part');
  held[0]!.end();
  request.end('0123456789');
  response.resume();
  await once(response, 'end');
});

it.each(['media', 'API'])('upgrades WebSockets: %s', async (listener) => {
  const base = listener === 'API' ? api : nginx.url;
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  const request = http.request(`${base}/websocket`, { headers, agent: false });
  request.end();
  const [response, socket, head] = (await once(request, 'upgrade')) as [http.IncomingMessage, Socket, Buffer];
  const chunks = [head];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  expect([response.statusCode, Buffer.concat(chunks).toString()]).toEqual([101, 'hello']);
});

it('does not publish metrics', async () => {
  expect((await rawRequest(api, '/metrics')).status).toBe(404);
  expect((await rawRequest(api, '/readyz')).status).toBe(200);
  expect(counts().reduce((sum, count) => sum + count)).toBe(1);
});

it('sends all requests of an upload to one node, and those of other keys to others', async () => {
  const nodeOf = async (key: string, method: string): Promise<number> => {
    for (const node of nodes) node.requests.length = 0;
    const body = method === 'HEAD' ? {} : { body: 'bytes' };
    await fetch(`${nginx.url}/upload/clips/1`, { method, headers: { 'x-auth-apikey': key }, ...body });
    return nodes.findIndex(({ requests }) => requests.length > 0);
  };
  const chosen = new Set<number>();
  for (let key = 0; key < 30; key++) {
    const ofKey = new Set<number>();
    for (const method of ['POST', 'PATCH', 'HEAD', 'PATCH']) ofKey.add(await nodeOf(`key ${key}`, method));
    expect(ofKey.size).toBe(1);
    for (const node of ofKey) chosen.add(node);
  }
  expect(chosen).toEqual(new Set([0, 1, 2]));
});

it.each([
  ['/metrics', 404],
  ['/metrics/', 404],
  ['//metrics', 404],
  ['/%6detrics', 404],
  ['/x/../metrics', 404],
  ['/./metrics', 404],
  ['/METRICS', 404],
  ['/metrics?x', 404],
  ['/metrics%3Fx', 404],
  ['/%2Fmetrics', 404],
  ['/metrics;x', 404],
  ['/node-check', 404],
  ['//node-check', 404],
])('keeps %s from the nodes', async (path, status) => {
  expect((await rawRequest(api, path)).status).toBe(status);
  expect(counts()).toEqual([0, 0, 0]);
});

/** Accepts requests and is silent, as a node does that is stopped by SIGSTOP. */
const freeze = (node: StubNode): void => {
  node.answer = () => undefined;
};

it.each([
  ['a playlist', 'GET', '/live/a/file.m3u8'],
  ['a manifest', 'GET', '/media/a/r/stream.mpd'],
  ['an opened link', 'POST', '/share/a/open'],
  ['a recording', 'GET', '/live/a/vod/1/2/file.m3u8'],
])('asks another node for %s if one is frozen', async (_what, method, path) => {
  freeze(nodes[0]!);
  const body = method === 'POST' ? { body: '{}' } : {};
  for (let i = 0; i < 3; i++)
    expect((await rawRequest(nginx.url, path, { method, ...body })).status).toBe(200);
  expect(counts()[0]).toBeGreaterThan(0);
});

it('waits longer for a segment, an export and a page than for a node that may be frozen', async () => {
  for (const path of ['/live/a/file.m3u8?_HLS_msn=9', '/live/a/vod/1/2/clip.mp4', '/share/a']) {
    const requested: http.ServerResponse[] = [];
    for (const node of nodes) node.answer = (_request, response) => void requested.push(response);
    const result = rawRequest(nginx.url, path);
    await until('a node to be asked', () => requested.length > 0);
    // In the meantime, each of these finds out that none, one or two nodes are frozen.
    nodes[2]!.answer = (_request, response) => response.end('ok');
    for (let i = 0; i < 3; i++) {
      expect((await rawRequest(nginx.url, '/live/b/file.m3u8')).body.toString()).toBe('ok');
    }
    requested[0]!.end('late');
    expect((await result).body.toString()).toBe('late');
    for (const response of requested) response.destroy();
  }
});

it('has a camera that is silent take no node from other cameras', async () => {
  for (const node of nodes) {
    node.answer = (request, response) => {
      if (!request.url!.startsWith('/live/silent/')) response.end('ok');
    };
  }
  const silent = rawRequest(nginx.url, '/live/silent/file.m3u8?_HLS_msn=7&_HLS_part=2');
  const requested = () =>
    nodes.filter(({ requests }) => requests.some(({ url }) => url!.startsWith('/live/silent/')));
  await until('each node to be asked', () => requested().length === nodes.length);
  await until('the first one to be asked again', () =>
    nodes.some(({ requests }) => requests.filter(({ url }) => url!.startsWith('/live/silent/')).length > 1),
  );
  for (const path of [
    '/live/a/seg_7.2.m4v',
    '/live/a/file.m3u8?_HLS_msn=7&_HLS_part=2',
    '/live/a/file.m3u8',
  ]) {
    for (let i = 0; i < 3; i++) expect((await rawRequest(nginx.url, path)).status).toBe(200);
  }
  for (const node of nodes) node.answer = (_request, response) => response.end('awake');
  for (const { connections } of nodes) for (const socket of connections) socket.destroy();
  expect((await silent).body.toString()).toBe('awake');
});

it.each([
  ['a part', () => nginx.url, '/live/a/seg_7.2.mp4'],
  ['a playlist that waits for a part', () => nginx.url, '/live/a/file.m3u8?_HLS_msn=7&_HLS_part=2'],
])('asks a frozen node for %s once, and then only the others', async (_what, base, path) => {
  await restartNginx();
  freeze(nodes[1]!);
  for (let i = 0; i < 30; i++) expect((await rawRequest(base(), path)).status).toBe(200);
  expect(counts()[1]).toBe(1);
});

it('sends a frozen node no calls of the API once a check has found it', async () => {
  await restartNginx();
  freeze(nodes[1]!);
  const ask = () => rawRequest(api, '/api/camera/getCameras', { method: 'POST', body: '{}' });
  const first = Array.from({ length: 3 }, ask);
  const checks = () => nodes[1]!.requests.filter(({ url }) => url === '/healthz');
  await until('the frozen node to be checked', () => checks().length > 0);
  await Promise.race([...first, once(checks()[0]!, 'close')]);
  await once(checks()[0]!.socket, 'close');
  const before = counts()[1]!;
  for (let i = 0; i < 20; i++) expect((await ask()).status).toBe(200);
  expect(counts()[1]).toBe(before);
  for (const socket of nodes[1]!.connections) socket.destroy();
  // A call that a node may have carried out is not sent twice.
  const statuses = (await Promise.all(first)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 502).length).toBe(before);
});
