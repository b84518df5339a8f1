/** What operators see about cameras: in the API, the metrics and the log of a running gateway. */

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { LOGIN_PAUSE_MS, MAX_LOGIN_TRIES } from '../../src/sources/login-guard.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { freePort } from '../support/ports.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'open-sesame-42';
const WARN = 40;
const ERROR = 50;

let camera: SyntheticCamera;
let guarded: SyntheticCamera;
let busy: BusyCamera;
let gateway: TestGateway;
let config: { cameras: Json[] } & Json;

/** Responds to every request that no session is free. */
interface BusyCamera {
  readonly url: string;
  close(): Promise<void>;
}

async function startBusyCamera(): Promise<BusyCamera> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const cseq = /^CSeq: *(\d+)/im.exec(chunk.toString('latin1'))?.[1] ?? '1';
      socket.write(`RTSP/1.0 453 Not Enough Bandwidth\r\nCSeq: ${cseq}\r\n\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `rtsp://127.0.0.1:${(server.address() as AddressInfo).port}/stream`,
    close: async () => void server.close(),
  };
}

const withLogin = (url: string, password: string): string => url.replace('://', `://admin:${password}@`);

beforeAll(async () => {
  camera = await startCamera();
  const credentials = { username: 'admin', password: new Secret(PASSWORD), algorithm: 'MD5' } as const;
  guarded = await startCamera(0, { credentials });
  busy = await startBusyCamera();
  config = {
    hls: { segmentTarget: '2s', partTarget: '200ms', window: '8s', idleStop: '2s' },
    sources: { backoffMin: '200ms', backoffMax: '1s', connectTimeout: '10s', silenceTimeout: '5s' },
    cameras: [
      { name: 'Lobby', rtsp: camera.url },
      { name: 'Yard', rtsp: camera.url },
      { name: 'Ghost', rtsp: `rtsp://127.0.0.1:${await freePort()}/stream` },
      { name: 'Locked', rtsp: withLogin(guarded.url, 'wrong') },
      { name: 'Path', rtsp: camera.url.replace('/stream', '/nowhere') },
      { name: 'Busy', rtsp: busy.url },
    ],
  };
  gateway = await TestGateway.start(config);
  // On a busy machine, the API turns callers away for a moment after it starts.
  await until(
    'the API to answer',
    async () => !(await gateway.call('camera/getMinimalCameraStateList')).error,
  );
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await guarded?.close();
  await busy?.close();
});

async function stateOf(name: string): Promise<Json> {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  return cameraStates.find((state: Json) => state.name === name);
}

async function metricLines(prefix: string): Promise<string[]> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  return text.split('\n').filter((line) => line.startsWith(prefix));
}

const logged = (): Json[] =>
  gateway.child.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Json);

describe('the state of a camera', () => {
  it('is ORANGE and not checked before anybody contacted it', async () => {
    const { connectionStatus, healthStatus, connectionDetail } = await stateOf('Yard');
    expect([connectionStatus, healthStatus]).toEqual(['ORANGE', 'ORANGE']);
    expect(connectionDetail).toEqual({ state: 'not-checked' });
    expect(await metricLines('sluice_cameras{state="not-checked"}')).toEqual([
      'sluice_cameras{state="not-checked"} 6',
    ]);
  });

  it.each([
    ['Ghost', 'unreachable', 'DIRECT_UNREACHABLE', 'ECONNREFUSED'],
    ['Locked', 'wrong-password', 'RTSP_AUTH_FAILED', undefined],
    ['Path', 'wrong-path', 'RTSP_NOT_FOUND', undefined],
    ['Busy', 'busy', 'RTSP_BUSY', undefined],
  ])(
    'of %s is RED with the reason %s in API and metrics, also when nobody watches any more',
    async (name, reason, code, errno) => {
      const share = await gateway.share(name);
      expect((await fetch(share.m3u8Url)).status).toBe(503);
      const url = new URL(config.cameras.find((each) => each.name === name)!.rtsp);
      const detail = {
        state: 'offline',
        reason,
        code,
        host: '127.0.0.1',
        port: Number(url.port),
        ...(errno !== undefined && { errno }),
      };
      // Between two pauses it is connecting once more.
      const seen = await until('the camera to be offline', async () => {
        const state = await stateOf(name);
        return state.connectionDetail.state === 'offline' ? state : null;
      });
      expect(seen).toMatchObject({ connectionStatus: 'RED', connectionDetail: detail });
      const [line] = await metricLines(`sluice_camera_offline{camera="${seen.uuid}"`);
      expect(line).toContain(
        `name="${name}",profile="main",reason="${reason}",code="${code}",host="127.0.0.1"`,
      );
      expect(line).toContain(`port="${url.port}",errno="${errno ?? ''}"`);
      const resting = await until('the camera to be closed', async () => {
        const state = await stateOf(name);
        const { state: word, retryAtMs } = state.connectionDetail;
        return word === 'offline' && retryAtMs === undefined ? state : null;
      });
      expect(resting).toMatchObject({ connectionStatus: 'RED', connectionDetail: detail });
    },
  );

  it('is what a probe has shown', async () => {
    const cameraUuid = await gateway.cameraUuid('Yard');
    const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid, force: true });
    expect(fullCameraState).toMatchObject({
      connectionStatus: 'GREEN',
      connectionDetail: { state: 'reachable' },
    });
    const { connectionDetail } = await stateOf('Yard');
    expect(connectionDetail).toMatchObject({ state: 'reachable' });
    expect(connectionDetail).not.toHaveProperty('reason');
  });

  it('goes live at once when a wrong password was corrected, of which few were tried before', async () => {
    const share = await gateway.share('Locked');
    // Attempts that were held back say how much of the pause remains.
    const isTry = ({ loginPauseMs = LOGIN_PAUSE_MS }: Json) => loginPauseMs === LOGIN_PAUSE_MS;
    const refusals = () =>
      logged().filter(({ name, err }) => name === 'Locked' && err?.code === 'RTSP_AUTH_FAILED' && isTry(err));
    const paused = await until('the password to be left alone', async () => {
      await fetch(share.m3u8Url);
      const { connectionDetail } = await stateOf('Locked');
      return connectionDetail.retryAtMs - Date.now() > 60_000 ? connectionDetail : null;
    });
    expect(paused).toMatchObject({ state: 'offline', reason: 'wrong-password' });
    expect(refusals()).toHaveLength(MAX_LOGIN_TRIES);
    const corrected = config.cameras.map((each) =>
      each.name === 'Locked' ? { ...each, rtsp: withLogin(guarded.url, PASSWORD) } : each,
    );
    await gateway.configure({ ...config, cameras: corrected });
    gateway.child.process.kill('SIGHUP');
    await until('the camera to play', async () => (await fetch(share.m3u8Url)).ok);
    expect(await stateOf('Locked')).toMatchObject({
      connectionStatus: 'GREEN',
      connectionDetail: { state: 'live' },
    });
  });
});

describe('a camera under waiting viewers', () => {
  it('stays open although hls.idleStop is shorter than their requests wait', async () => {
    const share = await gateway.share('Lobby', { name: 'Front desk' });
    const playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    for (let hold = 0; hold < 3; hold++) {
      const { mediaSequence, segments } = await fetchPlaylist(playlistUrl);
      const next = mediaSequence + segments.length + 1;
      const response = await fetch(`${playlistUrl}?_HLS_msn=${next}`);
      expect(response.status).toBe(200);
    }
    const closed = logged().filter(({ name, msg }) => name === 'Lobby' && /closing the camera/.test(msg));
    expect(closed).toEqual([]);
    const labels = `share="${share.uuid}",name="Front desk",camera="${share.cameraUuid}",camera_name="Lobby"`;
    expect(await metricLines(`sluice_share_viewers{${labels}}`)).toEqual([
      `sluice_share_viewers{${labels}} 1`,
    ]);
    const [sent] = await metricLines(`sluice_share_sent_bytes_total{${labels}}`);
    expect(Number(sent?.split(' ').at(-1))).toBeGreaterThan(500);
    const [live] = await metricLines(
      `sluice_stream_live{camera="${share.cameraUuid}",name="Lobby",rendition="main"}`,
    );
    expect(live).toMatch(/ 1$/);
  });
});

describe('the demo', () => {
  it('is open before anyone watches it, so its link shows a picture immediately', async () => {
    const demo = await TestGateway.start({ demo: true });
    try {
      const page = (await demo.child.line(/Demo link/)).trim().split(/\s+/).at(-1)!;
      const metrics = async () => (await fetch(`${demo.apiUrl}/metrics`)).text();
      await until('a live demo', async () => (await metrics()).includes('sluice_cameras{state="live"} 1'));
      const response = await fetch(`${page}/open`, { method: 'POST' });
      expect(await response.json()).toMatchObject({
        status: 'open',
        posterUrl: expect.stringContaining('poster'),
      });
    } finally {
      await demo.dispose();
    }
  });
});

describe('the log', () => {
  it('names the camera on each line about one', async () => {
    const lines = logged().filter((line) => typeof line.camera === 'string');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter(({ name }) => typeof name !== 'string' || name === '')).toEqual([]);
  });

  it('has no error, and no warning about a camera, when a demo that is watched ends by Ctrl-C', async () => {
    const demo = await TestGateway.start({ demo: true });
    try {
      const page = (await demo.child.line(/Demo link/)).trim().split(/\s+/).at(-1)!;
      const bareUrl = `${page.replace('/share/', '/live/')}/file.m3u8`;
      const playlistUrl = await openShare(bareUrl);
      await fetchPlaylist(playlistUrl);
      const held = fetch(`${playlistUrl.replace('stream.m3u8', 'file.m3u8')}?_HLS_msn=9`).catch(() => null);
      await demo.end('SIGINT');
      await held;
      expect(demo.child.process.exitCode).toBe(0);
      const lines = demo.child.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
      expect(lines.at(-1)?.msg).toBe('stopped');
      const isBad = ({ level, camera: about }: Json) => level >= (about === undefined ? ERROR : WARN);
      expect(lines.filter(isBad)).toEqual([]);
    } finally {
      await demo.dispose();
    }
  });
});
