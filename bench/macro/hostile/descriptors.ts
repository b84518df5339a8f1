/**
 * Descriptors: the whole gateway with 256 of them, once with 400 viewers who wait for video, once with 2,000 idle
 * connections that return whenever they are closed. Measures whether the API responds, how long a revocation takes, whether
 * cameras without earlier viewers start, on either engine, and whether writes are stored.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../test/support/ports.ts';
import type { BenchOptions, Row } from '../../report.ts';
import type { CameraFleetCalls } from '../../support/camera-fleet.ts';
import { ChildModule, hrtimeMs, withChildren } from '../../support/child-module.ts';
import type { DescriptorsGatewayCalls } from './descriptors-gateway.ts';

const DESCRIPTORS = 256;
const VIEWERS = 400;
const IDLE_CONNECTIONS = 2_000;
const API_KEY = 'bench-key-0123456789abcdefghijklmnopqrstuvwx';
const CAMERAS = { cameras: 5, widthPx: 320, heightPx: 180, bitrateBitsPerSec: 300_000 };
const SHORT = { loadMs: 10_000 };
const LONG = { loadMs: 60_000 };
const SETTLE_MS = 3_000;
const API_INTERVAL_MS = 200;
const PATIENCE_MS = 20_000;
const RETRY_MS = 100;
const INSIDER_INTERVAL_MS = 20;

interface Target {
  readonly apiUrl: string;
  readonly mediaUrl: string;
  readonly mediaPort: number;
  /** Grants of viewers who opened the share. */
  grants(shareUuid: string, count: number): Promise<string[]>;
}

interface Share {
  readonly uuid: string;
  readonly cameraUuid: string;
  readonly folderUrl: string;
}

/** Disturbs the gateway until it is ended. */
interface Disturbance {
  end(): void;
}

export async function measure({ isShort }: BenchOptions) {
  const { loadMs } = isShort ? SHORT : LONG;
  const fleet = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../../support/camera-fleet.ts'));
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  await withChildren([fleet], async () => {
    const urls = await fleet.call('start', CAMERAS);
    const scenarios = [
      [`viewers${VIEWERS}`, waitingViewers],
      [`idle${IDLE_CONNECTIONS}`, async (target: Target) => new IdleFlood(target)],
    ] as const;
    for (const [name, disturb] of scenarios) {
      const found = await withGateway(urls, (target) => measureUnder(target, disturb, loadMs));
      rows.push({ case: `${DESCRIPTORS} descriptors, ${name}`, ...found });
      figures[`${name}ApiAnswered`] = found['API answered'];
      figures[`${name}ApiMaxMs`] = found['API max ms'];
      figures[`${name}RevocationMs`] = found['revocation ms'];
      figures[`${name}ColdDirectMs`] = found['cold direct ms'];
      figures[`${name}ColdWorkerMs`] = found['cold worker ms'];
      figures[`${name}BrokenInside`] = found['broken for those inside'];
      figures[`${name}ApiStarts`] = found['API starts'];
    }
  });
  return { rows, figures };
}

async function withGateway<T>(urls: readonly string[], work: (target: Target) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-descriptors-'));
  const file = join(import.meta.dirname, 'descriptors-gateway.ts');
  const gateway = new ChildModule<DescriptorsGatewayCalls>(file, [], DESCRIPTORS);
  const [apiPort, mediaPort] = [await freePort(), await freePort()];
  const engine = (index: number) => (index === 2 ? 'ffmpeg' : 'direct');
  const cameras = urls.map((rtsp, index) => ({ name: `Camera ${index}`, rtsp, engine: engine(index) }));
  try {
    return await withChildren([gateway], async () => {
      await gateway.call('start', { folder, apiPort, mediaPort, apiKey: API_KEY, cameras });
      const local = (port: number) => `http://127.0.0.1:${port}`;
      const grants = (shareUuid: string, count: number) => gateway.call('grants', { shareUuid, count });
      const found = await work({ apiUrl: local(apiPort), mediaUrl: local(mediaPort), mediaPort, grants });
      await gateway.call('close', null);
      return found;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureUnder(
  target: Target,
  disturb: (target: Target, share: Share) => Promise<Disturbance>,
  loadMs: number,
) {
  const [watched, crowded] = [await shareCamera(target, 0), await shareCamera(target, 0)];
  const [direct, worker] = [await shareCamera(target, 1), await shareCamera(target, 2)];
  const insider = new Insider(`${watched.folderUrl}file.m3u8`);
  await insider.firstPicture(watched);
  const disturbance = await disturb(target, crowded);
  await delay(SETTLE_MS);
  const asking = askApi(target, loadMs);
  const coldDirectMs = await insider.firstPicture(direct);
  const coldWorkerMs = await insider.firstPicture(worker);
  const { responded, maxMs } = await asking;
  const revocationMs = await revoke(target, watched, insider);
  const metrics = (await ask(`${target.apiUrl}/metrics`)).body;
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  disturbance.end();
  insider.end();
  return {
    'API answered': responded,
    'API max ms': maxMs,
    'revocation ms': revocationMs,
    'cold direct ms': coldDirectMs,
    'cold worker ms': coldWorkerMs,
    'broken for those inside': insider.failures,
    'API starts': metric('sluice_api_thread_starts_total'),
    connections: metric('sluice_media_connections'),
    closed: metric('sluice_media_connections_closed_total'),
    refused: metric('sluice_media_connections_refused_total'),
  };
}

/** The fraction of calls that were answered, and the longest time one took. Each has its own connection. */
async function askApi(target: Target, forMs: number): Promise<{ responded: number; maxMs: number }> {
  const endMs = hrtimeMs() + forMs;
  let [calls, responded, maxMs] = [0, 0, 0];
  while (hrtimeMs() < endMs) {
    const startMs = hrtimeMs();
    calls++;
    const response = await callApi(target, 'camera/getMinimalCameraStateList', {}).catch(() => null);
    if (response !== null && !response.error) responded++;
    maxMs = Math.max(maxMs, hrtimeMs() - startMs);
    await delay(API_INTERVAL_MS);
  }
  return { responded: responded / calls, maxMs };
}

/** Time from the call to the viewer's first refused request. */
async function revoke(target: Target, { uuid, cameraUuid }: Share, viewer: Insider): Promise<number> {
  const startMs = hrtimeMs();
  const response = await callApi(target, 'camera/deleteSharedLiveVideoStream', { cameraUuid, uuid });
  if (response.error) throw new Error(`not revoked: ${response.errorMsg}`);
  const tooLate = delay(PATIENCE_MS, null, { ref: false });
  const refusedMs = await Promise.race([viewer.refusedMs, tooLate]);
  if (refusedMs === null) throw new Error('the viewer inside was not refused: it had lost its place before');
  return Math.max(0, refusedMs - startMs);
}

/** A viewer who watches all the time, on one connection that was there before all others. */
class Insider {
  /** When it was first refused. */
  readonly refusedMs: Promise<number>;
  failures = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #isOver = false;

  constructor(playlistUrl: string) {
    this.refusedMs = this.#watch(playlistUrl);
  }

  /** Milliseconds until the first part of a share's camera is available. */
  async firstPicture({ folderUrl }: Share): Promise<number> {
    const startMs = hrtimeMs();
    await untilResponse(`${folderUrl}file.m3u8`, {}, this.#agent);
    return hrtimeMs() - startMs;
  }

  end(): void {
    this.#isOver = true;
    this.#agent.destroy();
  }

  async #watch(url: string): Promise<number> {
    while (!this.#isOver) {
      const response = await ask(url, {}, this.#agent).catch(() => null);
      if (response === null) this.failures++;
      if (response?.status === 403) return hrtimeMs();
      await delay(INSIDER_INTERVAL_MS);
    }
    return Number.POSITIVE_INFINITY;
  }
}

async function shareCamera(target: Target, index: number): Promise<Share> {
  const { cameraStates } = await callApi(target, 'camera/getMinimalCameraStateList', {});
  const camera = cameraStates.find((state: { name: string }) => state.name === `Camera ${index}`);
  const body = { cameraUuid: camera.uuid, streamType: 'USER', vodEnabled: false };
  const share = await callApi(target, 'camera/createSharedLiveVideoStream', body);
  if (share.error) throw new Error(`not shared: ${share.errorMsg}`);
  const uuid = share.sharedLiveVideoStreamUuid;
  const [grant] = await target.grants(uuid, 1);
  return { uuid, cameraUuid: camera.uuid, folderUrl: `${target.mediaUrl}/live/${grant}/` };
}

/** Like a player: it tries again. */
async function untilResponse(url: string, options: AskOptions, agent: Agent): Promise<string> {
  const deadlineMs = hrtimeMs() + PATIENCE_MS;
  let last = 'no answer';
  while (hrtimeMs() < deadlineMs) {
    try {
      const { status, body } = await ask(url, options, agent);
      if (status === 200) return body;
      last = `${status} ${body}`;
    } catch (error) {
      last = String(error);
    }
    await delay(RETRY_MS);
  }
  throw new Error(`${new URL(url).pathname}: ${last}`);
}

async function callApi(target: Target, path: string, content: object) {
  const headers = {
    'content-type': 'application/json',
    'x-auth-apikey': API_KEY,
    'x-auth-scheme': 'api-token',
  };
  const body = JSON.stringify(content);
  const response = await ask(`${target.apiUrl}/api/${path}`, { method: 'POST', headers, body });
  return JSON.parse(response.body);
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** On its own connection unless `agent` keeps one. */
function ask(
  url: string,
  { method = 'GET', headers = {}, body }: AskOptions = {},
  agent: Agent | false = false,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent, timeout: PATIENCE_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Connections that are opened again when they are closed. */
abstract class Connections implements Disturbance {
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  #isOver = false;

  constructor({ mediaPort }: Target, count: number) {
    this.#port = mediaPort;
    for (let i = 0; i < count; i++) setTimeout(() => this.#open(i), i % SETTLE_MS).unref();
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** `index`: whose connection it is. */
  protected abstract use(socket: Socket, index: number): void;

  #open(index: number): void {
    if (this.#isOver) return;
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(index), SETTLE_MS * Math.random()).unref();
    });
    this.use(socket, index);
  }
}

async function waitingViewers(target: Target, share: Share): Promise<Disturbance> {
  return new WaitingViewers(target, await target.grants(share.uuid, VIEWERS));
}

class IdleFlood extends Connections {
  constructor(target: Target) {
    super(target, IDLE_CONNECTIONS);
  }

  protected use(): void {}
}

/** Each requests a playlist again as soon as it has one, so it waits most of the time. */
class WaitingViewers extends Connections {
  readonly #grants: readonly string[];

  constructor(target: Target, grants: readonly string[]) {
    super(target, grants.length);
    this.#grants = grants;
  }

  protected use(socket: Socket, index: number): void {
    const ask = (query: string) =>
      socket.write(`GET /live/${this.#grants[index]}/file.m3u8${query} HTTP/1.1\r\nHost: bench\r\n\r\n`);
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      const hint = /PRELOAD-HINT:TYPE=PART,URI="seg_(\d+)\.(\d+)\./.exec(text);
      if (hint !== null) ask(`?_HLS_msn=${hint[1]}&_HLS_part=${hint[2]}`);
      else if (/^HTTP\/1\.1 (?:4|5)/.test(text)) setTimeout(() => ask(''), SETTLE_MS).unref();
    });
    ask('');
  }
}
