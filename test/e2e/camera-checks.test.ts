/** A gateway with 200 cameras that no one watches, 16 of them broken: it knows all states after each start. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CameraScript, decentScript, FakeCamera } from '../../src/sources/direct/fake-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

const CAMERAS = 200;
const BROKEN = 16;
/** Requires a login that the gateway does not have. */
const locked: CameraScript = (request, connection) => {
  if (request.method === 'OPTIONS') decentScript()(request, connection);
  else connection.reply(request, 401, [['WWW-Authenticate', 'Basic realm="x"']]);
};

const cameras: FakeCamera[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  for (let index = 0; index < CAMERAS; index++) {
    cameras.push(await FakeCamera.listen(index < 4 ? locked : index < 8 ? () => undefined : decentScript()));
  }
  const urls = cameras.map((camera) => camera.url('admin:secret@'));
  // Nothing listens there.
  await Promise.all(cameras.splice(8, BROKEN - 8).map((camera) => camera.close()));
  gateway = await TestGateway.start({
    sources: { checkInterval: '10s' },
    cameras: urls.map((rtsp, index) => ({ name: `Camera ${index}`, rtsp })),
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

/** How many cameras have each color. */
async function colors(): Promise<Record<string, number>> {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  const counts: Record<string, number> = {};
  for (const { connectionStatus } of cameraStates) {
    counts[connectionStatus] = (counts[connectionStatus] ?? 0) + 1;
  }
  return counts;
}

const connections = () => cameras.reduce((sum, camera) => sum + camera.connections.length, 0);

test.each(['first', 'second'])('after the %s start, all states are true', async (which) => {
  if (which === 'second') await gateway.restart();
  await until('all states', async () => (await colors()).ORANGE === undefined);
  expect(await colors()).toEqual({ GREEN: CAMERAS - BROKEN, RED: BROKEN });
  const { unhealthyDeviceAlerts } = await gateway.call('event/getUnhealthyDeviceAlerts');
  expect(unhealthyDeviceAlerts).toHaveLength(BROKEN);
  // No video, and a refused login is tried once.
  expect(new Set(cameras.flatMap(({ methods }) => methods))).toEqual(new Set(['OPTIONS', 'DESCRIBE']));
  const logins = cameras.slice(0, 4).map(({ requests }) => {
    return requests.filter(({ headers }) => headers.get('Authorization') !== null).length;
  });
  expect(logins).toEqual(logins.map(() => (which === 'first' ? 1 : 2)));
  expect(connections()).toBeGreaterThanOrEqual(CAMERAS - BROKEN);
});
