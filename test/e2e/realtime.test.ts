/** The real-time stream, through a third-party STOMP client. */

import { Client, type IFrame, type IMessage, type StompConfig } from '@stomp/stompjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { freePort } from '../support/ports.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const OWN_KEY = { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' };
const FOREIGN_ORG = 'AAAAAAAAAAAAAAAAAAAAAA';
/** The shortest heart-beat that the gateway agrees to. */
const BEAT_MS = 1_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let topic: string;
const clients: Listener[] = [];

/** One client with everything that it received. */
class Listener {
  readonly messages: Json[] = [];
  readonly errors: IFrame[] = [];
  closes = 0;
  readonly client: Client;

  constructor(connectHeaders: Record<string, string>, config: StompConfig = {}) {
    this.client = new Client({
      brokerURL: `${gateway.apiUrl.replace('http', 'ws')}/websocket`,
      connectHeaders,
      reconnectDelay: 0,
      ...config,
    });
    this.client.onStompError = (frame) => this.errors.push(frame);
    this.client.onWebSocketClose = () => {
      this.closes += 1;
    };
    clients.push(this);
    this.client.activate();
  }

  static async open(config: StompConfig = {}, headers = OWN_KEY): Promise<Listener> {
    const listener = new Listener(headers, config);
    await until('the client to be connected', () => listener.client.connected);
    return listener;
  }

  /** Resolves when the gateway has confirmed it. */
  async subscribe(destination = topic): Promise<void> {
    const receipt = `r-${destination}`;
    let isConfirmed = false;
    this.client.watchForReceipt(receipt, () => {
      isConfirmed = true;
    });
    const take = (message: IMessage) => this.messages.push(JSON.parse(message.body));
    this.client.subscribe(destination, take, { receipt });
    await until('the subscription to be confirmed', () => isConfirmed);
  }

  message(what: string, matches: (message: Json) => boolean): Promise<Json> {
    return until(what, () => this.messages.find(matches));
  }

  error(): Promise<IFrame> {
    return until('an ERROR frame', () => this.errors[0]);
  }
}

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    cameras: [
      { name: 'Lobby', rtsp: camera.url },
      { name: 'Ghost', rtsp: `rtsp://127.0.0.1:${await freePort()}/stream` },
    ],
  });
  const { org } = await gateway.call('org/getOrgV2');
  topic = `/topic/change/${org.uuid}`;
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ client }) => client.deactivate()));
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

describe('the real-time stream', () => {
  it('tells of a share that is made, changed and removed', async () => {
    const listener = await Listener.open();
    await listener.subscribe();
    const share = await gateway.share('Lobby', { name: 'Tour' });
    const { uuid, cameraUuid } = share;
    await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid,
      cameraUuid,
      name: 'Night tour',
      nameUpdated: true,
    });
    await gateway.revoke(share);
    await listener.message('the removal', ({ entityUuid, type }) => entityUuid === uuid && type === 'DELETE');
    const ofShare = listener.messages.filter(({ entityUuid }) => entityUuid === uuid);
    const common = { entity: 'SHARED_STREAMS', entityUuid: uuid, deviceUuid: cameraUuid };
    expect(ofShare).toMatchObject([
      { ...common, type: 'CREATE', update: { name: 'Tour', passwordProtected: false } },
      { ...common, type: 'UPDATE', update: { name: 'Night tour' } },
      { ...common, type: 'DELETE', update: null },
    ]);
    expect(JSON.stringify(ofShare)).not.toMatch(/http|token|hash/i);
  });

  it('tells of viewers who join and leave', async () => {
    const listener = await Listener.open();
    await listener.subscribe();
    const share = await gateway.share('Lobby');
    await fetchOk(await openShare(share.m3u8Url));
    const joined = await listener.message('a viewer', ({ entity }) => entity === 'VIEWER');
    expect(joined).toMatchObject({
      type: 'CREATE',
      deviceUuid: share.cameraUuid,
      update: { sharedLiveVideoStreamUuid: share.uuid, viewers: 1 },
    });
    await gateway.revoke(share);
    const left = await listener.message(
      'the viewer who left',
      ({ entity, type }) => entity === 'VIEWER' && type === 'DELETE',
    );
    expect(left).toMatchObject({ entityUuid: joined.entityUuid, update: { viewers: 0 } });
  });

  it('tells of doors, clips and policy alerts that are reported, and of their changes', async () => {
    const listener = await Listener.open();
    await listener.subscribe();
    const deviceUuid = await gateway.cameraUuid('Lobby');
    const door = { uuid: 'qqqqqqqqqqqqqqqqqqqqqQ', ownerDeviceUuid: deviceUuid, name: 'Dock' };
    const alert = { uuid: 'qqqqqqqqqqqqqqqqqqqqqg', deviceUuid, timestampMs: 1_767_225_600_000 };
    const clip = {
      id: 'clip-1',
      deviceUuids: [deviceUuid],
      timestampMs: alert.timestampMs,
      title: 'Delivery',
    };
    await gateway.call('ingest/doors', { rows: [door] });
    await gateway.call('component/updateAccessControlledDoor', {
      accessControlledDoorUuid: door.uuid,
      unlockTimeSec: 10,
    });
    await gateway.call('ingest/policyAlerts', { rows: [alert] });
    await gateway.call('ingest/savedClips', { rows: [clip] });
    const { savedClips } = await gateway.call('event/getSavedClipsV2');
    await gateway.call('event/deleteSavedClip', { savedClipUuid: savedClips[0].uuid });
    const ofClip = { entity: 'SAVED_CLIPS', entityUuid: savedClips[0].uuid, deviceUuid };
    const isLast = ({ entity, type }: Json) => entity === 'SAVED_CLIPS' && type === 'DELETE';
    await listener.message('the removal of the clip', isLast);
    expect(listener.messages).toMatchObject([
      { entity: 'ACCESS_CONTROLLED_DOOR', entityUuid: door.uuid, type: 'CREATE', deviceUuid },
      { entity: 'ACCESS_CONTROLLED_DOOR', entityUuid: door.uuid, type: 'UPDATE', deviceUuid },
      { entity: 'POLICY_ALERT', entityUuid: alert.uuid, type: 'CREATE', deviceUuid },
      { ...ofClip, type: 'CREATE', update: { name: 'Delivery' } },
      { ...ofClip, type: 'DELETE', update: null },
    ]);
  });

  it('writes down in the audit feed who came to see a share, and that they left', async () => {
    const share = await gateway.share('Lobby', { name: 'Tour of the lobby' });
    await fetchOk(await openShare(share.m3u8Url));
    await gateway.revoke(share);
    const entries = await until('the end of the viewing', async () => {
      const { auditEvents } = await gateway.call('report/getAuditFeed', {
        includeActions: ['VIEW_SHARE_STREAM', 'VIEW_SHARE_STREAM_END'],
      });
      const ofShare = auditEvents.filter((entry: Json) => entry.targetUuid === share.uuid);
      return ofShare.length > 1 ? ofShare : undefined;
    });
    const common = {
      principalType: 'SHARED_STREAM',
      principalUuid: share.uuid,
      clientType: 'SHARE_ANONYMOUS',
    };
    expect(entries).toMatchObject([
      {
        ...common,
        action: 'VIEW_SHARE_STREAM_END',
        targetName: 'Tour of the lobby',
        principalName: 'Anonymous Share User',
      },
      { ...common, action: 'VIEW_SHARE_STREAM', targetName: 'Tour of the lobby', sourceIp: '127.0.0.1' },
    ]);
  });

  it('tells of a camera that is off line', async () => {
    const listener = await Listener.open();
    await listener.subscribe();
    const share = await gateway.share('Ghost');
    await fetch(share.m3u8Url);
    const isOffline = ({ entity, update }: Json) => entity === 'CAMERA' && update?.online === false;
    const told = await listener.message('the camera', isOffline);
    expect(told).toMatchObject({
      entityUuid: share.cameraUuid,
      deviceUuid: share.cameraUuid,
      type: 'UPDATE',
      update: { connectionStatus: 'RED' },
    });
    await gateway.revoke(share);
  });

  it('refuses the topic of another organization', async () => {
    const listener = await Listener.open();
    listener.client.subscribe(`/topic/change/${FOREIGN_ORG}`, () => undefined);
    expect((await listener.error()).headers.code).toBe('TOPIC_NOT_ALLOWED');
    await until('the connection to end', () => listener.closes === 1);
  });

  it('answers a wrong key with an ERROR frame', async () => {
    const listener = new Listener({ ...OWN_KEY, 'x-auth-apikey': 'wrong' });
    const { headers } = await listener.error();
    expect(headers.code).toBe('AUTHENTICATION_FAILED');
    expect(headers.message).toMatch(/key/);
    await until('the connection to end', () => listener.closes === 1);
    expect(listener.client.connected).toBe(false);
  });

  it('ends the connections of a key that is revoked', async () => {
    const application = { displayName: 'Wall', authType: 'API_TOKEN' };
    const { apiKey } = await gateway.call('integrations/org/submitApiTokenApplication', application);
    const [own, other] = [
      await Listener.open(),
      await Listener.open({}, { ...OWN_KEY, 'x-auth-apikey': apiKey }),
    ];
    const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
    const { tokenUuid } = apiTokens.find((token: Json) => token.displayName === 'Wall');
    await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
    expect((await other.error()).headers.code).toBe('REALTIME_ACCESS_ENDED');
    await until('the connection to end', () => other.closes === 1);
    expect(own.client.connected).toBe(true);
  });

  it('keeps a quiet connection by heart-beats, both ways', async () => {
    // Either side gives up after two intervals without a sign of life from the other.
    const beats = { heartbeatIncoming: BEAT_MS, heartbeatOutgoing: BEAT_MS };
    const listener = await Listener.open(beats);
    await listener.subscribe();
    const openedMs = performance.now();
    await until('some intervals to pass', () => performance.now() - openedMs > 4 * BEAT_MS);
    expect(listener.closes).toBe(0);
    await gateway.revoke(await gateway.share('Lobby'));
    await listener.message('a change', ({ type }) => type === 'DELETE');
  });

  it('says nothing about a subscription that ended, and confirms the end of the connection', async () => {
    const listener = await Listener.open();
    const messages: IMessage[] = [];
    const subscription = listener.client.subscribe(topic, (message) => messages.push(message));
    subscription.unsubscribe();
    await listener.subscribe();
    await gateway.revoke(await gateway.share('Lobby'));
    await listener.message('a change', ({ type }) => type === 'DELETE');
    expect(messages).toEqual([]);
    const receipts: IFrame[] = [];
    listener.client.onDisconnect = (frame) => receipts.push(frame);
    await listener.client.deactivate();
    expect(receipts).toHaveLength(1);
  });

  it('ends connections when the gateway stops', async () => {
    const listener = await Listener.open();
    await listener.subscribe();
    await gateway.end();
    expect(gateway.child.process.exitCode).toBe(0);
    await until('the connection to end', () => listener.closes === 1);
    await gateway.run();
  });
});
