import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { failureResponse } from '../http/failure-response.ts';
import { bundleScripts } from './bundle-scripts.ts';
import { consoleRoutes } from './console-routes.ts';

const PUBLIC_MEDIA_URL = 'https://media.example:8443/cams';
/** Limit on the compressed size of a first visit (docs/design/console.md). */
const MAX_FIRST_LOAD_BYTES = 150_000;

let api: FastifyInstance;

afterEach(() => api?.close());

async function serve(
  publicApiUrl = 'https://api.example',
  mapTilesUrl: string | null = null,
): Promise<FastifyInstance> {
  api = Fastify();
  api.setErrorHandler((error, _request, reply) => reply.code(failureResponse(error, '', null).status).send());
  await api.register(consoleRoutes, {
    publicApiUrl,
    publicMediaUrl: PUBLIC_MEDIA_URL,
    mediaUrls: () => ['http://192.168.1.20:8081'],
    mapTilesUrl,
    // Tests of this tier start no process.
    bundleScripts,
  });
  return api;
}

function namesIn(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, name]) => name!);
}

test('leads from / to the console, also below a path', async () => {
  expect((await (await serve()).inject('/')).headers.location).toBe('/console/');
  await api.close();
  expect((await (await serve('https://example.com/gateway/')).inject('/')).headers.location).toBe(
    '/gateway/console/',
  );
});

test('serves one page at every address below /console/, and every file that the page names', async () => {
  await serve('https://example.com/gateway');
  const { statusCode, headers, body } = await api.inject('/console/cameras/abc');
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['cache-control']).toBe('no-cache');
  expect(body).toContain('<base href="/gateway/console/" />');
  expect(body).not.toContain('{{');
  expect(namesIn(body).some((name) => name.endsWith('.css'))).toBe(true);
  expect(namesIn(body).some((name) => name.endsWith('.js'))).toBe(true);
  for (const name of namesIn(body)) {
    const file = await api.inject(`/console/${name}`);
    expect(file.statusCode).toBe(200);
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(file.body).not.toContain('@import');
  }
  expect((await api.inject('/console/')).body).toBe(body);
});

test('lets no one frame it, and frames and loads nothing but the player of the media listener', async () => {
  await serve();
  const policy = String((await api.inject('/console/')).headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain('frame-src https://media.example:8443;');
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain('unsafe');
});

test('lets itself, and no page that it frames, use the microphone to talk to cameras', async () => {
  await serve();
  const { headers } = await api.inject('/console/');
  expect(headers['permissions-policy']).toContain('microphone=(self),');
  expect(headers['content-security-policy']).toMatch(/connect-src [^;]* wss:\/\/media\.example:8443 /);
  const capture = await api.inject('/console/talk-capture.js');
  expect(capture.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(capture.body).toContain("registerProcessor('talk-capture'");
  expect(capture.body).not.toMatch(/^(?:import|export)\b|declare/m);
});

test('loads pictures from one other host, and only if it has the tiles of a map', async () => {
  await serve();
  const policyOf = async () => String((await api.inject('/console/')).headers['content-security-policy']);
  const before = await policyOf();
  expect(before).toContain("img-src 'self' data: blob:;");
  await api.close();
  await serve('https://api.example', 'https://tiles.example:8443/osm/{z}/{x}/{y}.png?key=slc');
  const after = await policyOf();
  expect(after).toBe(before.replace('data: blob:;', 'data: blob: https://tiles.example:8443;'));
});

test('is small when it is opened for the first time', async () => {
  await serve();
  const { body } = await api.inject('/console/');
  let loadedBytes = 0;
  for (const name of ['', ...namesIn(body)]) {
    const file = await api.inject({ url: `/console/${name}`, headers: { 'accept-encoding': 'br' } });
    expect(file.headers['content-encoding']).toBe('br');
    loadedBytes += file.rawPayload.length;
  }
  expect(loadedBytes).toBeLessThan(MAX_FIRST_LOAD_BYTES);
});

test('is compressed with gzip for those who know nothing else, and plain for the rest', async () => {
  await serve();
  const plain = await api.inject('/console/');
  const zipped = await api.inject({ url: '/console/', headers: { 'accept-encoding': 'gzip' } });
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  expect(zipped.headers.vary).toBe('accept-encoding');
});

test('is an app: a manifest whose icons are there, and a worker that browsers ask for again each time', async () => {
  await serve('https://example.com/gateway');
  const { body: page, headers } = await api.inject('/console/');
  expect(page).toContain('<link rel="manifest" href="manifest.webmanifest" />');
  expect(headers['content-security-policy']).toContain("worker-src 'self'; manifest-src 'self'");
  const manifest = await api.inject('/console/manifest.webmanifest');
  expect(manifest.headers['content-type']).toBe('application/manifest+json');
  const { scope, icons } = manifest.json();
  expect(scope).toBe('./');
  expect(icons.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['any', 'any', 'maskable']);
  for (const { src, sizes } of icons) {
    const { rawPayload } = await api.inject(`/console/${src}`);
    // PNG: the width is at byte 16.
    expect(`${rawPayload.readUInt32BE(16)}x${rawPayload.readUInt32BE(20)}`).toBe(sizes);
  }
  const worker = await api.inject('/console/service-worker.js');
  expect(worker.headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': "default-src 'none'; connect-src 'self'",
  });
  expect(worker.body).toMatch(/'sluice-shell-[0-9a-f]{12}'/);
  expect(worker.body).not.toMatch(/^(?:import|export)\b|\{\{/m);
  const offline = await api.inject('/console/offline.html');
  expect(offline.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect((await api.inject('/console/icons/..%2f..%2fmain.png')).statusCode).toBe(404);
});

test('has no file of another name', async () => {
  await serve();
  expect((await api.inject('/console/assets/main.js')).statusCode).toBe(404);
  expect((await api.inject('/console/assets/..%2f..%2fpackage.json')).statusCode).toBe(404);
});

test('may test the addresses of the machine from its own network, and names them to no one else', async () => {
  await serve();
  const connect = async (remoteAddress: string, headers = {}) => {
    const response = await api.inject({ url: '/console/', remoteAddress, headers });
    return /connect-src ([^;]+)/.exec(String(response.headers['content-security-policy']))?.[1];
  };
  const all = "'self' wss://media.example:8443 https://media.example:8443 http://192.168.1.20:8081";
  for (const near of ['127.0.0.1', '192.168.1.77', '::1']) expect(await connect(near)).toBe(all);
  const own = "'self' wss://media.example:8443 https://media.example:8443";
  expect(await connect('203.0.114.9')).toBe(own);
  expect(await connect('127.0.0.1', { 'x-forwarded-for': '203.0.114.9' })).toBe(own);
});
