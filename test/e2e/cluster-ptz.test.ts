/** A camera that is moved through several nodes of a cluster: the last move decides when it stands still. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import { PTZ_CALL_LIMIT } from '../../src/devices/ptz-service.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const LOGIN = { username: 'admin', password: 'open-sesame-42' };

let camera: SyntheticCamera;
/** It ignores the time that a move carries, as many cameras do. */
let device: FakeOnvifDevice;
let cluster: TestCluster;
let cameraUuid: string;

beforeAll(async () => {
  camera = await startCamera();
  device = await FakeOnvifDevice.open({
    ptz: {},
    media2: 'works',
    login: LOGIN,
    clockEpochMs: Date.now(),
    streams: { main: { uri: camera.url, size: [1920, 1080] } },
  });
  const onvif = `http://${LOGIN.username}:${LOGIN.password}@127.0.0.1:${device.port}`;
  cluster = await TestCluster.start(3, { cameras: [{ name: 'Yard', rtsp: camera.url, onvif }] });
  cameraUuid = await cluster.nodes[0]!.cameraUuid('Yard');
});
afterAll(async () => {
  await cluster?.dispose();
  await device?.close();
  await camera?.close();
});

/** Waits while there have been too many calls. */
async function move(node: TestGateway, timeoutMs: number): Promise<void> {
  const body = { cameraUuid, mode: 'CONTINUOUS', pan: 0.5, timeoutMs };
  await until('the move', async () => !(await node.call('relay/movePtz', body)).error);
}

/** The requests since the last call. */
function requested(): string[] {
  return device.ptz.requests.splice(0).map(({ name }) => name);
}

const stopped = () => until('the stop', () => !device.ptz.isMoving);

it('a move is not ended by the time of an earlier one through another node', async () => {
  const [one, two] = cluster.nodes as [TestGateway, TestGateway];
  await move(one, 1_000);
  const sinceMonoMs = performance.now();
  await move(two, 3_000);
  await stopped();
  expect(performance.now() - sinceMonoMs).toBeGreaterThan(3_000);
  expect(requested()).toEqual(['ContinuousMove', 'ContinuousMove', 'Stop']);
});

it('a node that is paused or killed has its move ended by another', async () => {
  const [one, two, three] = cluster.nodes as [TestGateway, TestGateway, TestGateway];
  await move(two, 1_000);
  two.child.process.kill('SIGSTOP');
  await stopped();
  two.child.process.kill('SIGCONT');
  // Its own time for the move is over, too.
  await until('the node that was paused', async () => (await fetch(`${two.apiUrl}/readyz`)).ok);
  expect(requested()).toEqual(['ContinuousMove', 'Stop']);
  await move(three, 1_000);
  await three.end('SIGKILL');
  await stopped();
  expect(requested()).toEqual(['ContinuousMove', 'Stop']);
  expect(await one.call('relay/stopPtz', { cameraUuid })).toMatchObject({ error: false });
  expect(requested()).toEqual(['Stop']);
});

it('calls through all nodes have one limit', async () => {
  const [one, two] = cluster.nodes as [TestGateway, TestGateway];
  const sinceMonoMs = performance.now();
  // With a limit for each node, twice as many would be let through.
  const calls = Array.from({ length: 4 * PTZ_CALL_LIMIT.burst }, (_, at) =>
    (at % 2 === 0 ? one : two).call('relay/getPtzStatus', { cameraUuid }),
  );
  const refused = (await Promise.all(calls)).filter(({ errorMsg }) =>
    /too often|too many/i.test(errorMsg ?? ''),
  );
  const tookSec = (performance.now() - sinceMonoMs) / 1_000;
  const allowed = Math.ceil(PTZ_CALL_LIMIT.burst + PTZ_CALL_LIMIT.perSec * tookSec);
  expect(calls.length - refused.length).toBeLessThanOrEqual(allowed);
});

it('without Redis, the camera is stopped all the same', async () => {
  const [one] = cluster.nodes as [TestGateway];
  requested();
  await move(one, 2_000);
  await cluster.killRedis();
  await stopped();
  expect(requested()).toEqual(['ContinuousMove', 'Stop']);
});
