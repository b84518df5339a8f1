/** A run against faulty servers. */

import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { CertificateFolder } from '../../test/support/certificates.ts';
import type { ProbeOrder } from './probe-protocol.ts';
import { probeRequest } from './probe-request.ts';
import { ProbeRun } from './probe-run.ts';

const MEDIA = `#EXTM3U
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1
#EXT-X-PART-INF:PART-TARGET=0.35
#EXT-X-MEDIA-SEQUENCE:1
#EXT-X-PROGRAM-DATE-TIME:${new Date().toISOString()}
#EXTINF:2,
seg_1.m4v
`;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function orderFor(listener: RequestListener, playMs = 600): Promise<ProbeOrder> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = { pageUrl: `${base}/share/a`, playlistUrl: `${base}/live/g/index.m3u8` };
  return { kind: 'run', id: 1, ...urls, playMs, isLocal: true };
}

const refusal = (reason: string) => JSON.stringify({ error: true, reason });

it('asks a cache that always has the same playlist no faster than a few times a second', async () => {
  const result = await new ProbeRun(await orderFor((_request, response) => response.end(MEDIA))).run();
  expect(result).toMatchObject({ outcome: 'played', errors: {} });
  expect(result.requests).toBeLessThan(10);
});

it('is refused where the gateway says so, and a page of a proxy is a failure', async () => {
  const hidden = await orderFor(({ url }, response) => {
    if (url?.startsWith('/share/')) response.end('page');
    else response.writeHead(403).end(refusal('hidden-by-schedule'));
  });
  const refused = await new ProbeRun(hidden).run();
  expect(refused).toMatchObject({
    outcome: 'refused',
    reason: 'hidden-by-schedule',
    errors: {},
    requests: 1,
  });
  const offline = await orderFor((_request, response) =>
    response.writeHead(503).end(refusal('camera-offline')),
  );
  expect(await new ProbeRun(offline).run()).toMatchObject({
    outcome: 'camera-offline',
    isWithoutPicture: false,
  });
});

it('measures what it got before the camera went away', async () => {
  let isOffline = false;
  const order = await orderFor(({ url }, response) => {
    if (!url?.startsWith('/live/')) response.end('page');
    else if (isOffline) response.writeHead(503).end(refusal('camera-offline'));
    else response.end(url.endsWith('.m4v') ? 'media' : MEDIA);
    isOffline ||= url?.endsWith('.m4v') === true;
  }, 5_000);
  const result = await new ProbeRun(order).run();
  expect(result.outcome).toBe('camera-offline');
  expect(result.firstPictureMs).toBeGreaterThan(0);
});

it('reads no playlist without end', async () => {
  let served = 0;
  const order = await orderFor(({ url }, response) => {
    // The second one is as it should be, so that the test does not wait for the end of the run.
    if (url?.startsWith('/live/') && !url.endsWith('.m4v') && served++ === 0)
      response.end('x'.repeat(2_000_000));
    else response.end(url?.startsWith('/live/') ? MEDIA : 'page');
  });
  const result = await new ProbeRun(order).run();
  expect(result).toMatchObject({ outcome: 'played', errors: { 'too-large': 1 } });
});

it('says what is wrong with the certificate when no picture came', async () => {
  const certificates = new CertificateFolder();
  const { cert, key } = certificates.make('untrusted');
  const server = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `https://localhost:${(server.address() as AddressInfo).port}`;
  const urls = { pageUrl: `${base}/share/a`, playlistUrl: `${base}/live/g/index.m3u8` };
  // Requests on their way. They take real time, so a fake clock must not pass their time limits.
  let inFlight = 0;
  const counted: typeof probeRequest = async (wanted) => {
    inFlight++;
    try {
      return await probeRequest(wanted);
    } finally {
      inFlight--;
    }
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    let isOver = false;
    const order = { kind: 'run', id: 1, ...urls, playMs: 600, isLocal: false } as const;
    const running = new ProbeRun(order, counted).run();
    void running.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      if (inFlight === 0 && vi.getTimerCount() > 0) vi.advanceTimersByTime(50);
      await new Promise(setImmediate);
    }
    const result = await running;
    expect(result).toMatchObject({
      outcome: 'failed',
      reason: 'certificate-untrusted',
      protocol: null,
      isWithoutPicture: true,
      errors: { tls: result.requests },
    });
    expect(result.requests).toBeGreaterThan(1);
  } finally {
    vi.useRealTimers();
    server.close();
    certificates.remove();
  }
});
