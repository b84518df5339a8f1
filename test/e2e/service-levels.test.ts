/** Service levels in a whole gateway: what the synthetic viewer says is true of what the test knows. */

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** In front of the media listener: what it does to responses, the figures must show. */
class FrontProxy {
  readonly server: Server;
  /** null: the response goes on. */
  fault: (path: string) => { readonly status: number } | { readonly delayMs: number } | null = () => null;
  #target = '';

  private constructor() {
    this.server = createServer((incoming, response) => this.#serve(incoming, response));
  }

  static async open(): Promise<FrontProxy> {
    const proxy = new FrontProxy();
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  lead(targetUrl: string): void {
    this.#target = targetUrl;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    const path = incoming.url ?? '/';
    const fault = this.fault(path);
    if (fault !== null && 'status' in fault) {
      response.writeHead(fault.status).end('<html>no</html>');
      return;
    }
    const delayMs = fault === null ? 0 : fault.delayMs;
    setTimeout(() => {
      const { method, headers } = incoming;
      const onward = request(new URL(path, this.#target), { method, headers }, (result) => {
        response.writeHead(result.statusCode!, result.headers);
        result.pipe(response);
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      incoming.pipe(onward);
    }, delayMs);
  }
}

const RUN_SEC = 5;
const PASSWORD = 'a password';

let camera: SyntheticCamera;
/** Stops sending soon after each PLAY. */
let fickle: SyntheticCamera;
let gateway: TestGateway;
let proxy: FrontProxy;
let share: TestShare;
beforeAll(async () => {
  [camera, fickle] = await Promise.all([startCamera(), startCamera(0, { faults: { stallAfterMs: 3_000 } })]);
  proxy = await FrontProxy.open();
  gateway = await TestGateway.start({
    public: { mediaUrl: proxy.url },
    hls: { idleStop: '10m' },
    access: { maxViewersPerShare: 1 },
    cameras: [
      { name: 'Lobby', rtsp: camera.url },
      { name: 'Yard', rtsp: fickle.url },
    ],
    serviceLevels: { every: '10s', runTime: `${RUN_SEC}s`, through: 'public' },
  });
  proxy.lead(gateway.mediaUrl);
  share = await gateway.share('Lobby', { name: 'Front desk', password: PASSWORD });
});
afterAll(async () => {
  await gateway?.dispose();
  await proxy?.close();
  await camera?.close();
  await fickle?.close();
});

const levels = () => gateway.call('console/getServiceLevels');
const choose = (isProbed: boolean, { uuid }: TestShare = share) =>
  gateway.call('console/updateServiceProbe', { sharedLiveVideoStreamUuid: uuid, isProbed });
const levelsOf = async ({ uuid }: TestShare): Promise<Json | undefined> =>
  (await levels()).shares.find((each: Json) => each.sharedLiveVideoStreamUuid === uuid);
/** A run that began after `afterMs`, and is over. */
const runAfter = (afterMs: number, of = share, is: (run: Json) => boolean = () => true): Promise<Json> =>
  until(
    'a run',
    async () => {
      const runs: Json[] = (await levelsOf(of))?.runs ?? [];
      return runs.find((run) => run.startedAtMs >= afterMs && is(run));
    },
    90_000,
  );
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
};

it('measures nothing, and starts no process, until a share is chosen', async () => {
  const off = { processState: 'off', processStarts: 0, shares: [], through: 'public' };
  expect(await levels()).toMatchObject(off);
  const unknown = { sharedLiveVideoStreamUuid: 'qqqqqqqqqqqqqqqqqqqqqg', isProbed: true };
  expect(await gateway.call('console/updateServiceProbe', unknown)).toMatchObject({ error: true });
  expect(await levels()).toMatchObject(off);
});

it('plays a share with a password, and is no viewer of it: not counted, not in the trail, in no one’s place', async () => {
  const startMs = Date.now();
  expect(await choose(true)).toEqual({ error: false });
  await until('the run', async () => (await levelsOf(share))?.isRunning);
  await until('media for the synthetic viewer', () => camera.playingClients() > 0);
  const { viewers } = await gateway.call('camera/getSharedStreamViewers', {
    sharedLiveVideoStreamUuid: share.uuid,
  });
  expect(viewers).toEqual([]);
  // The only place is free.
  const opened = await fetch(`${share.pageUrl}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD }),
  });
  expect(opened.status).toBe(200);
  const { playlistUrl } = (await opened.json()) as Json;
  expect((await fetch(new URL(playlistUrl, share.pageUrl))).status).toBe(200);

  const run = await runAfter(startMs);
  expect(run).toMatchObject({ outcome: 'played', failedRequests: 0, isCold: true });
  expect(run.playedSec).toBeGreaterThan(0);
  const warm = await runAfter(startMs, share, ({ isCold }) => !isCold);
  expect(warm.outcome).toBe('played');
  const { auditEvents } = await gateway.call('report/getAuditFeed', {
    includeActions: ['VIEW_SHARE_STREAM'],
  });
  expect(auditEvents).toHaveLength(1);

  const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  const { shares, probe } = await levels();
  const { measurements, firstPictures } = shares[0].probe.day;
  expect(probe.day.measurements).toBe(measurements);
  expect(metrics).toMatch(/^sluice_service_probe_up 1$/m);
  expect(metrics).toMatch(
    /sluice_service_first_picture_seconds_bucket\{[^}]*name="Front desk",source="probe",le="\+Inf"\} \d+/,
  );
  expect(metrics).toMatch(/sluice_service_runs_total\{[^}]*ending="played"\} \d+/);
  expect(firstPictures).toBe(measurements);
  expect(metrics).not.toContain('/live/');
});

it('shows what a proxy adds: time to the first picture, and delay', async () => {
  const delayMs = 1_200;
  proxy.fault = (path) => (path.includes('/live/') ? { delayMs } : null);
  const run = await runAfter(Date.now());
  proxy.fault = () => null;
  // The Multivariant Playlist, the Media Playlist, the init segment and the first part, one after the other.
  expect(run.firstPictureMs).toBeGreaterThan(4 * delayMs);
  const { delayP99Ms } = (await levelsOf(share))!.probe.day;
  expect(delayP99Ms).toBeGreaterThan(delayMs);
});

it('shows what a proxy breaks, by reason, and goes on', async () => {
  let parts = 0;
  proxy.fault = (path) => (/seg_\d+\.\d+\./.test(path) && parts++ % 4 === 3 ? { status: 502 } : null);
  const run = await runAfter(Date.now());
  expect(run.outcome).toBe('played');
  expect(run.failedRequests).toBeGreaterThan(0);
  proxy.fault = (path) => (path.startsWith('/share/') ? { status: 404 } : null);
  const failed = await runAfter(Date.now(), share, ({ outcome }) => outcome !== 'played');
  proxy.fault = () => null;
  expect(failed).toMatchObject({ outcome: 'failed', reason: 'status-4xx' });
  expect(failed.firstPictureMs).toBeUndefined();
  const { errors, missingPictures } = (await levelsOf(share))!.probe.day;
  expect(missingPictures).toBeGreaterThanOrEqual(1);
  const reasons = errors.map(({ reason }: Json) => reason);
  expect(reasons).toEqual(expect.arrayContaining(['status-5xx', 'status-4xx']));
  const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  expect(metrics).toMatch(/sluice_service_request_errors_total\{[^}]*reason="status-5xx"\} [1-9]/);
});

it('stands still when the camera does, and says that the camera is offline when it is', async () => {
  const yard = await gateway.share('Yard', { name: 'Yard' });
  await choose(true, yard);
  const run = await runAfter(0, yard, ({ stalls }) => stalls > 0);
  expect(run.stalledSec).toBeGreaterThan(0.1);
  await fickle.close();
  const offline = await runAfter(Date.now(), yard, ({ outcome }) => outcome === 'camera-offline');
  expect(offline.failedRequests).toBe(0);
  expect((await levelsOf(yard))!.state).toBe('camera-offline');
  await choose(false, yard);
  expect(await levelsOf(yard)).toBeUndefined();
});

it('is replaced when its process ends, and says so', async () => {
  const { processId } = await levels();
  expect(isAlive(processId)).toBe(true);
  process.kill(processId, 'SIGKILL');
  const next = await until('another process', async () => {
    const now = await levels();
    return now.processState === 'running' && now.processId !== processId ? now : null;
  });
  expect(next.processStarts).toBe(2);
  expect((await runAfter(Date.now())).outcome).toBe('played');
});

it('is chosen as before after a restart, says when a share is hidden or deleted, and ends with the gateway', async () => {
  const before = (await levels()).processId;
  await gateway.restart();
  expect(isAlive(before)).toBe(false);
  await runAfter(0);
  const { uuid, cameraUuid } = share;
  const inOneSec = Math.ceil(Date.now() / 1_000) + 1;
  const ending = { expirationTimeSecs: inOneSec, expirationTimeSecsUpdated: true };
  const changed = await gateway.call('camera/updateSharedLiveVideoStream', { uuid, cameraUuid, ...ending });
  expect(changed).toMatchObject({ error: false });
  await until('the end of the share', async () => (await levelsOf(share))!.state === 'expired');
  const { outcome, reason, failedRequests } = await runAfter(Date.now());
  expect({ outcome, reason, failedRequests }).toEqual({
    outcome: 'refused',
    reason: 'expired',
    failedRequests: 0,
  });
  await gateway.revoke(share);
  expect(await levelsOf(share)).toMatchObject({ state: 'revoked', name: 'Front desk' });
  const { processId } = await levels();
  await choose(false);
  expect(await levels()).toMatchObject({ processState: 'off', shares: [] });
  await until('the end of the process', () => !isAlive(processId));
});
