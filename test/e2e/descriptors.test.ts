/** A gateway that can have 256 files open, while someone opens more connections than that and leaves them idle. */

import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const DESCRIPTORS = 256;
/** They come back when they are closed. */
const IDLE_CONNECTIONS = 1_000;
const COME_BACK_MS = 500;

let cameras: SyntheticCamera[];
let gateway: TestGateway;
let watched: TestShare;
let viewer: TestViewer;
const floods: IdleConnections[] = [];

class IdleConnections {
  opened = 0;
  readonly #sockets = new Set<net.Socket>();
  #isOver = false;

  /** `bytes`: what each sends, and no more. */
  constructor(url: string, count: number, bytes: string) {
    for (let i = 0; i < count; i++) this.#open(Number(new URL(url).port), bytes);
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(port: number, bytes: string): void {
    if (this.#isOver) return;
    const socket = net.connect(port, '127.0.0.1', () => {
      this.opened++;
    });
    this.#sockets.add(socket);
    socket.write(bytes);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(port, bytes), COME_BACK_MS * (0.5 + (this.opened % 100) / 100));
    });
  }
}

beforeAll(async () => {
  cameras = [await startCamera(), await startCamera()];
  const config = { cameras: cameras.map(({ url }, index) => ({ name: `Camera ${index}`, rtsp: url })) };
  gateway = await TestGateway.start(config, { descriptors: DESCRIPTORS });
  watched = await gateway.share('Camera 0');
  const playlistUrl = await openShare(watched.m3u8Url);
  await until('the first part', () => fetchOk(playlistUrl));
  viewer = new TestViewer(playlistUrl);
  await until('a few parts', () => viewer.parts > 3);
  floods.push(
    new IdleConnections(gateway.mediaUrl, IDLE_CONNECTIONS, ''),
    new IdleConnections(gateway.apiUrl, IDLE_CONNECTIONS / 2, 'POST /api/org/getOrgV2 HTTP/1.1\r\nHost: '),
  );
  await until('the floods', () => floods.every(({ opened }) => opened > IDLE_CONNECTIONS / 2));
});
afterAll(async () => {
  for (const flood of floods) flood.end();
  await viewer?.stop();
  await gateway?.dispose();
  for (const camera of cameras ?? []) await camera.close();
});

describe('under a flood of idle connections', () => {
  it('viewers go on, cameras start, shares are made and revoked', async () => {
    const partsBefore = viewer.parts;
    const share = await gateway.share('Camera 1');
    const playlistUrl = await until('an opening', () => openShare(share.m3u8Url));
    await until('the first part of a camera that was closed', () => fetchOk(playlistUrl));
    await until('more parts', () => viewer.parts > partsBefore + 10);
    expect(viewer.failures).toEqual([]);

    expect((await gateway.revoke(watched)).error).toBeFalsy();
    await until('the viewer’s end', () => viewer.failures.length > 0);
    expect(viewer.failures[0]).toMatch(/^403 /);
    const refused = await until('a refusal', () => fetch(watched.m3u8Url));
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  });

  it('says so in the log once a minute, and nothing fails', async () => {
    const { lines } = gateway.child;
    const told = lines.filter((line) => line.includes('connection limit reached'));
    expect(told.map((line) => JSON.parse(line).listener).toSorted()).toEqual(['api', 'media']);
    expect(lines.some((line) => line.includes('few file descriptors'))).toBe(true);
    expect(lines.filter((line) => /EMFILE|API_THREAD_FAILED|"level":"error"|"level":50/.test(line))).toEqual(
      [],
    );
  });

  it('counts what it closed', async () => {
    const metrics = String(await fetchOk(`${gateway.apiUrl}/metrics`));
    expect(metrics).toMatch(/^sluice_media_connections_closed_total [1-9]/m);
    expect(Number(/^sluice_media_connections (\d+)$/m.exec(metrics)?.[1])).toBeLessThan(DESCRIPTORS / 2);
  });
});
