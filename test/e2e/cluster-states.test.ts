/** What two nodes of a cluster say about a camera that one of them pulls. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { ChangeListener } from '../support/change-listener.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

let camera: SyntheticCamera;
let device: FakeOnvifDevice;
let cluster: TestCluster;
/** The node that pulls the camera, and the other. */
let owner: TestGateway;
let other: TestGateway;
let clients: ChangeListener[] = [];
let share: TestShare;
/** By the client of the other node, and by that of the owner. */
let heard: Json[];
let heardAtOwner: Json[];

beforeAll(async () => {
  camera = await startCamera();
  device = await FakeOnvifDevice.open({
    events: {},
    ptz: {},
    media2: 'works',
    clockEpochMs: Date.now(),
    streams: { main: { uri: camera.url, size: [640, 360] } },
  });
  cluster = await TestCluster.start(2, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '1m' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    cameras: [{ name: 'Gate', rtsp: camera.url, onvif: `http://127.0.0.1:${device.port}` }],
  });
  share = await cluster.nodes[0]!.share('Gate');
  await watchAt(cluster.nodes[0]!);
  const hasCamera = ({ child }: TestGateway) => child.lines.some((line) => line.includes('"role":"owner"'));
  owner = await until('an owner', () => cluster.nodes.find(hasCamera));
  other = cluster.nodes.find((node) => node !== owner)!;
  clients = [await ChangeListener.open(other), await ChangeListener.open(owner)];
  [heard, heardAtOwner] = clients.map(({ messages }) => messages) as [Json[], Json[]];
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await cluster?.dispose();
  await device?.close();
  await camera?.close();
});

/** The playlist that it fetched. */
async function watchAt(node: TestGateway): Promise<string> {
  const url = share.m3u8Url.replace(cluster.nodes[0]!.mediaUrl, node.mediaUrl);
  const playlistUrl = (await openShare(url)).replace('stream.m3u8', 'file.m3u8');
  await fetchOk(playlistUrl);
  return playlistUrl;
}

const viewersAt = (node: TestGateway): Promise<Json> =>
  node.call('camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid: share.uuid });

async function stateAt(node: TestGateway): Promise<Json> {
  const { cameraStates } = await node.call('camera/getMinimalCameraStateList');
  return cameraStates[0];
}

async function untilStatus(node: TestGateway, status: string): Promise<Json> {
  return until(`${status} at a node`, async () => {
    const state = await stateAt(node);
    return state.connectionStatus === status ? state : null;
  });
}

/** The newest first. */
async function eventsAt(node: TestGateway): Promise<string[]> {
  const { diagnosticEvents } = await node.call('report/getDiagnosticFeed', {});
  return diagnosticEvents.map(({ activity }: Json) => activity);
}

const statusesHeard = () =>
  heard.filter(({ entity, update }) => entity === 'CAMERA' && update?.connectionStatus !== undefined);

it('both nodes say that the camera is online, and what it sends', async () => {
  await untilStatus(owner, 'GREEN');
  expect(await untilStatus(other, 'GREEN')).toMatchObject({
    connectionDetail: { state: 'live' },
  });
  const cameraUuid = await other.cameraUuid('Gate');
  const sound = async (node: TestGateway) => {
    const { fullCameraState } = await node.call('camera/getFullCameraState', { cameraUuid });
    return fullCameraState.onCameraState.v0.sound;
  };
  const known = await until('sound at the owner', async () => {
    const state = await sound(owner);
    return state === undefined || state === 'unknown' ? null : state;
  });
  await until('the same at the other node', async () => (await sound(other)) === known);
});

it('one node subscribes to the events of the camera', async () => {
  await until('a subscription', () => device.pullPoint.pulls > 0);
  expect(device.pullPoint.subscribed).toBe(1);
});

it('the other node tests the camera and turns it, and its owner goes on', async () => {
  const cameraUuid = await other.cameraUuid('Gate');
  const lease = await cluster.leaseOf(cameraUuid);
  const probe = await other.call('camera/probeCamera', { cameraUuid, withSnapshot: false });
  expect(probe).toMatchObject({ error: false, main: { works: true } });
  const move = await other.call('relay/movePtz', { cameraUuid, mode: 'CONTINUOUS', pan: 1, timeoutMs: 500 });
  expect(move.errorMsg).toBeUndefined();
  await until('the stop', () => !device.ptz.isMoving);
  expect(device.ptz.requests.map(({ name }) => name)).toEqual(['ContinuousMove', 'Stop']);
  expect(await cluster.leaseOf(cameraUuid)).toEqual(lease);
  for (const node of cluster.nodes) expect((await stateAt(node)).connectionStatus).toBe('GREEN');
});

it('each node lists both, and says which one pulls the camera', async () => {
  for (const node of cluster.nodes) {
    const nodes = await until('both nodes and the camera', async () => {
      const { state } = await node.call('console/getSystemState');
      const { nodes: listed } = state.cluster;
      return listed.some(({ ownedCameras }: Json) => ownedCameras === 1) ? listed : null;
    });
    const ofNodes = cluster.nodes.map((one, at) => ({
      nodeId: `node-${at + 1}`,
      isSelf: one === node,
      isDraining: false,
      ownedCameras: one === owner ? 1 : 0,
    }));
    expect(nodes).toMatchObject(ofNodes);
  }
  const text = (await fetchOk(`${owner.apiUrl}/metrics`)).toString();
  expect(text).toContain('sluice_cluster_nodes 2\n');
  expect(text).toContain('sluice_cluster_cameras{role="owner"} 1\n');
});

it('both nodes list the viewers of both', async () => {
  await until('the first viewer to be gone', async () => (await viewersAt(owner)).totalCount === 0);
  for (const node of cluster.nodes) await watchAt(node);
  for (const node of cluster.nodes) {
    const { totalCount, viewers, warningMsg } = await viewersAt(node);
    expect([totalCount, viewers.length, warningMsg]).toEqual([2, 2, undefined]);
  }
});

it('each node ends a view that only the other one has', async () => {
  const endAt = (node: TestGateway, viewerId: string) =>
    node.call('camera/endSharedStreamViewer', { sharedLiveVideoStreamUuid: share.uuid, viewerId });
  for (const requested of cluster.nodes) {
    const watched = cluster.nodes.find((node) => node !== requested)!;
    const known = (await viewersAt(requested)).viewers.map(({ viewerId }: Json) => viewerId);
    const playlistUrl = await watchAt(watched);
    const { viewers } = await viewersAt(requested);
    const [{ viewerId }] = viewers.filter((one: Json) => !known.includes(one.viewerId));
    const viewer = new TestViewer(playlistUrl);
    await until('parts', () => viewer.parts > 0);
    expect(await endAt(requested, viewerId)).toEqual({ error: false, endedCount: 1 });
    await until('the end of the view', () => viewer.failures.length > 0);
    expect(viewer.failures[0]).toMatch(/^403 .*"viewer-ended"/);
    for (const node of cluster.nodes) {
      const url = playlistUrl.replace(watched.mediaUrl, node.mediaUrl);
      await until('the same at both nodes', async () => (await fetch(url)).status === 403);
    }
    expect(await endAt(requested, viewerId)).toMatchObject({
      errorMsg: 'No viewer with this ID is watching the share now.',
    });
  }
});

it('clients of both nodes hear of alerts and events at doors, once, in order, whichever node they were reported to', async () => {
  const doorUuid = newRuuid();
  const cameraUuid = await owner.cameraUuid('Gate');
  await owner.call('ingest/doors', { rows: [{ uuid: doorUuid, name: 'Gate', ownerDeviceUuid: cameraUuid }] });
  const reported: string[] = [];
  const report = async (node: TestGateway, kind: string, row: Json) => {
    const uuid = newRuuid();
    reported.push(uuid);
    const { error, errorMsg } = await node.call(`ingest/${kind}`, {
      rows: [{ uuid, timestampMs: Date.now(), ...row }],
    });
    expect([error, errorMsg]).toEqual([false, undefined]);
  };
  for (let round = 0; round < 5; round++) {
    for (const node of cluster.nodes) {
      await report(node, 'policyAlerts', { deviceUuid: cameraUuid, textDescription: `round ${round}` });
      await report(node, 'componentEvents', {
        accessControlledDoorUuid: doorUuid,
        type: 'DoorStateChangeEvent',
      });
    }
  }
  for (const messages of [heard, heardAtOwner]) {
    // The image of an alert is an update.
    const created = () => messages.filter(({ type }) => type === 'CREATE');
    const uuids = () =>
      created()
        .map(({ entityUuid }) => entityUuid)
        .filter((uuid) => reported.includes(uuid));
    await until('all of them', () => uuids().length >= reported.length);
    // Each node's own come at once, and those of the other in the order of their commits.
    for (const parity of [0, 1]) {
      const ofNode = reported.filter((_, at) => Math.floor(at / 2) % 2 === parity);
      expect(uuids().filter((uuid) => ofNode.includes(uuid))).toEqual(ofNode);
    }
  }
  const shown = (messages: Json[]) =>
    messages
      .filter(({ entity, type }) => entity === 'POLICY_ALERT' && type === 'CREATE')
      .toSorted((one, another) => (one.entityUuid < another.entityUuid ? -1 : 1));
  expect(shown(heard)).toEqual(shown(heardAtOwner));
  expect(shown(heard)[0]!.update).toMatchObject({
    deviceUuid: cameraUuid,
    textDescription: expect.stringMatching(/^round/),
  });
});

it('the other node says that the camera is offline, and that happened once', async () => {
  const port = Number(new URL(camera.url).port);
  await camera.close();
  const offline = await untilStatus(other, 'RED');
  expect(offline.connectionDetail).toMatchObject({ state: 'offline' });
  await until('a message to the client of the other node', () => statusesHeard().length > 0);
  expect(statusesHeard()[0]!.update).toEqual({ online: false, connectionStatus: 'RED' });

  camera = await startCamera(port);
  await Promise.all(cluster.nodes.map((node) => untilStatus(node, 'GREEN')));
  const events = await until('the event of its return', async () => {
    const found = await eventsAt(other);
    return found[0] === 'CAMERA_CONNECTED' && found.length > 1 ? found : null;
  });
  expect(events).toEqual(['CAMERA_CONNECTED', 'CAMERA_DISCONNECTED', 'CAMERA_CONNECTED']);
  expect(statusesHeard().map(({ update }) => update.online)).toEqual([false, true]);
  expect(device.pullPoint.subscribed).toBe(1);
});

it('a node that was killed says nothing any longer, and the next one speaks and subscribes', async () => {
  await Promise.all(clients.map((client) => client.close()));
  // Its own mirror begins again a moment after the camera has come back.
  await until('a viewer at the other node', () => watchAt(other).then(() => true));
  await owner.end('SIGKILL');
  await until('a new owner', () => other.child.lines.some((line) => line.includes('"role":"owner"')));
  expect((await untilStatus(other, 'GREEN')).connectionDetail).toMatchObject({ state: 'live' });
  await until('another subscription', () => device.pullPoint.subscribed === 2);
  expect(await eventsAt(other)).toEqual(['CAMERA_CONNECTED', 'CAMERA_DISCONNECTED', 'CAMERA_CONNECTED']);
});
