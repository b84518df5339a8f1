/** Service levels in a whole gateway: what the synthetic viewer says is true of what the test knows. */

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
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
      const onward = request(new URL(path, this.#target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      incoming.pipe(onward);
    }, delayMs);
  }
}

let camera: SyntheticCamera;
let gateway: TestGateway;
let proxy: FrontProxy;
let share: TestShare;
beforeAll(async () => {
  camera = await startCamera();
  proxy = await FrontProxy.open();
  gateway = await TestGateway.start({
    public: { mediaUrl: proxy.url },
    hls: { idleStop: '10m' },
    access: { maxViewersPerShare: 1 },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
    serviceLevels: { every: '10s', runTime: '5s', through: 'public' },
  });
  proxy.lead(gateway.mediaUrl);
  share = await gateway.share('Lobby', { name: 'Front desk', password: 'a password' });
});
afterAll(async () => {
  await gateway?.dispose();
  await proxy?.close();
  await camera?.close();
});

const levels = () => gateway.call('console/getServiceLevels');
const choose = (isProbed: boolean, uuid = share.uuid) =>
  gateway.call('console/updateServiceProbe', { sharedLiveVideoStreamUuid: uuid, isProbed });
const shareNow = async (): Promise<Json> => (await levels()).shares[0];
/** The newest run that began after `afterMs`. */
const runAfter = (afterMs: number, is: (run: Json) => boolean = () => true) =>
  until(
    'a run',
    async () => ((await shareNow())?.runs as Json[]).find((run) => run.startedAtMs >= afterMs && is(run)),
    60_000,
  );

it('measures nothing, and starts no process, until a share is chosen', async () => {
  expect(await levels()).toMatchObject({ processState: 'off', processStarts: 0, shares: [], through: 'public' });
});

it('plays a share with a password, counts as no viewer, and takes no place under a limit of one', async () => {
  const startMs = Date.now();
  expect(await choose(true)).toEqual({ error: false });
  setTimeout(async()=>console.log(JSON.stringify(await levels()).slice(-900)), 45000);
  const run = await runAfter(startMs);
  expect(run).toMatchObject({ outcome: 'played', failedRequests: 0, isCold: true });
  expect(run.playedSec + run.stalledSec).toBeGreaterThan(3);
  console.log(JSON.stringify(run));
});
