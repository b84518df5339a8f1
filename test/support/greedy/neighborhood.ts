/**
 * A gateway with two organizations: a well-behaved one that watches, shares, records, and has its webhooks called, and a greedy
 * one, of which only the weakest credentials are used. The attackers come from a network of their own.
 */

import { join } from 'node:path';
import { loadSecrets } from '../../../src/app/config/secrets.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { newRuuid } from '../../../src/core/ruuid.ts';
import { Passwords } from '../../../src/sharing/password.ts';
import { hashApiKey } from '../../../src/store/api-key-hash.ts';
import { openStore } from '../../../src/store/open-store.ts';
import {
  sampleApiKey,
  sampleOrganization,
  samplePerson,
} from '../../../src/store/sample-entities-fixture.ts';
import type { SyntheticCamera } from '../../../src/synthetic-camera/synthetic-camera.ts';
import { FakeWebhookHost } from '../../../src/webhooks/fake-webhook-host.ts';
import { Child } from '../child.ts';
import { API_KEY, type Json, TestGateway } from '../gateway.ts';
import { startCamera } from '../synthetic.ts';
import { tusUpload } from '../tus-upload.ts';
import { until } from '../until.ts';
import type { Ground } from './attack-ground.ts';
import { ATTACKS, type Tally } from './attacks.ts';
import type { NeighborNetwork } from './neighbor-network.ts';

const ATTACKER = join(import.meta.dirname, 'attacker-process.ts');
const PASSWORD = 'correct horse battery';
const EMAIL = 'ada@example.com';
const GREEDY = { admin: 'greedy-admin-key', viewer: 'greedy-viewer-key', device: 'greedy-device-key' };
/** Starting under load takes long; only a hang takes longer. */
const UNDER_WAY_MS = 1_200_000;

export interface Struck {
  readonly tally: Tally;
  /** Connections that are held. */
  readonly open: number;
  readonly connected: { readonly v4: number; readonly v6: number };
}

export class Neighborhood {
  readonly gateway: TestGateway;
  /** Where alarms of the well-behaved organization arrive. */
  readonly ownHooks: FakeWebhookHost;
  readonly #network: NeighborNetwork;
  readonly #camera: SyntheticCamera;
  /** Takes calls of the greedy organization and never answers. */
  readonly #silentHooks: FakeWebhookHost;
  #ground: Ground | null = null;
  #attacker: Child | null = null;
  /** Cookies of the person's browser. */
  #cookies = '';

  private constructor(
    network: NeighborNetwork,
    camera: SyntheticCamera,
    gateway: TestGateway,
    hooks: { readonly own: FakeWebhookHost; readonly silent: FakeWebhookHost },
  ) {
    this.#network = network;
    this.#camera = camera;
    this.gateway = gateway;
    this.ownHooks = hooks.own;
    this.#silentHooks = hooks.silent;
  }

  static async open(network: NeighborNetwork): Promise<Neighborhood> {
    const camera = await startCamera();
    const hooks = { own: await FakeWebhookHost.open(), silent: await FakeWebhookHost.open() };
    hooks.silent.answer = () => new Promise(() => undefined);
    const config = {
      sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '1m' },
      webhooks: { allowPrivateNetworks: true },
      hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
      recording: { minFree: '16MiB' },
      // An organization's default limit.
      api: { rateLimit: 600 },
      cameras: [
        { name: 'Lobby', rtsp: camera.url, recording: 'always' },
        { name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/none' },
      ],
    };
    const gateway = await TestGateway.start(config, { listenHost: '[::]' });
    await gateway.end();
    await addPeople(join(gateway.folder, 'data'));
    await gateway.run();
    return new Neighborhood(network, camera, gateway, hooks);
  }

  async close(): Promise<void> {
    await this.#attacker?.end('SIGKILL');
    await this.gateway.dispose();
    await this.#camera.close();
    await this.ownHooks.close();
    await this.#silentHooks.close();
  }

  /** A location of the well-behaved organization whose panic buttons call `ownHooks`. */
  panicRule(): Promise<string> {
    return this.#panicRule(this.ownHooks.url(), API_KEY);
  }

  /** A panic button of `locationUuid` is pressed; returns how many rows were accepted. */
  async raiseAlarm(deviceUuid: string, locationUuid: string): Promise<number> {
    const row = { uuid: newRuuid(), deviceUuid, locationUuid, policyAlertTriggers: ['PANIC_BUTTON'] };
    const response = await this.gateway.call('ingest/policyAlerts', {
      rows: [{ ...row, timestampMs: Date.now() }],
    });
    return response.acceptedCount ?? 0;
  }

  /** A person of the well-behaved organization signs in, from the same browser each time. */
  async signIn(): Promise<number> {
    const response = await fetch(`${this.gateway.apiUrl}/api/console/signIn`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-scheme': 'console', cookie: this.#cookies },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    const set = response.headers.getSetCookie().map((each) => each.split(';')[0]!);
    if (set.length > 0) this.#cookies = set.join('; ');
    return response.status;
  }

  /** Uploads a clip of the offline camera; returns 0 or why it failed. */
  async handOver(file: Buffer, clipId: string, timestampMs: number): Promise<number> {
    const cameraUuid = await this.gateway.cameraUuid('Gate');
    const metadata = { clipId, cameraUuid, timestampMs: String(timestampMs), title: clipId };
    const { status } = await tusUpload({
      endpoint: `${this.gateway.mediaUrl}/upload/clips`,
      key: API_KEY,
      file,
      metadata: { ...metadata, filetype: 'video/mp4' },
    });
    return status;
  }

  /** Begins all attacks, and waits until each has struck as often as it has to. */
  async attack(): Promise<void> {
    this.#ground ??= await this.#prepareAttack();
    const words = [process.execPath, ATTACKER, JSON.stringify(this.#ground)];
    const [command, ...args] = [...this.#network.command, ...words];
    this.#attacker = new Child(command!, args);
    await until(
      'every attack to be under way',
      () => ATTACKS.every(({ name, least }) => this.#strikesOf(name) >= least),
      UNDER_WAY_MS,
    ).catch((error: Error) => {
      const last = this.#attacker!.lines.slice(-5).join('\n');
      throw new Error(`${error.message}: ${JSON.stringify(this.struck())} ${last}`);
    });
  }

  async endAttack(): Promise<void> {
    await this.#attacker?.end('SIGKILL');
    this.#attacker = null;
  }

  /** Results of the attacks so far. */
  struck(): Struck {
    const last = this.#attacker?.lines.findLast((line) => line.startsWith('{"tally"'));
    return last === undefined ? { tally: {}, open: 0, connected: { v4: 0, v6: 0 } } : JSON.parse(last);
  }

  #strikesOf(name: string): number {
    return Object.values(this.struck().tally[name] ?? {}).reduce((sum, count) => sum + count, 0);
  }

  async #accepted(path: string, body: Json, key: string): Promise<Json> {
    const response = await this.gateway.call(path, body, key);
    if (response.error) throw new Error(`${path}: ${response.errorMsg}`);
    return response;
  }

  async #panicRule(url: string, key: string): Promise<string> {
    const location = { name: 'Pier', tz: 'UTC' };
    const { uuid: locationUuid } = await this.#accepted('location/createLocation', { location }, key);
    const rule = {
      locationUuid,
      ruleName: 'Panic',
      triggerActivity: 'PANIC_BUTTON',
      action: { webhookActions: [{ webhookUrl: url }] },
    };
    await this.#accepted('accesscontrol/lockdownPlan/createLockdownRuleForLocation', { rule }, key);
    return locationUuid;
  }

  /** Sets up the greedy organization as its owner. */
  async #prepareAttack(): Promise<Ground> {
    const { gateway } = this;
    const byOwner = (path: string, body: Json) => this.#accepted(path, body, GREEDY.admin);
    const cameraUuids: string[] = [];
    for (let count = 0; count < 4; count++) {
      const body = { name: `Greedy ${count}`, mainUrl: this.#camera.url };
      cameraUuids.push((await byOwner('camera/createCamera', body)).cameraUuid);
    }
    const [deviceUuid] = cameraUuids;
    await byOwner('camera/updateConfig', { config: { deviceUuid, recording: 'always' } });
    const shared = { cameraUuid: deviceUuid, streamType: 'USER', vodEnabled: true };
    const share = await byOwner('camera/createSharedLiveVideoStream', shared);
    const session = { durationSec: 60, deviceUuid };
    const { federatedSessionToken } = await byOwner('org/generateFederatedSessionToken', session);
    const portOf = (url: string) => Number(new URL(url).port);
    return {
      hosts: { v4: this.#network.host, v6: this.#network.hostV6 },
      ports: { api: portOf(gateway.apiUrl), media: portOf(gateway.mediaUrl) },
      addresses: this.#network.addresses,
      prefixV6: this.#network.prefixV6,
      viewerKey: GREEDY.viewer,
      deviceKey: GREEDY.device,
      sessionToken: federatedSessionToken,
      sharePath: new URL(share.sharedLiveM3U8StreamUrl).pathname,
      locationUuid: await this.#panicRule(this.#silentHooks.url(), GREEDY.admin),
      cameraUuids,
      victimEmail: EMAIL,
    };
  }
}

/** The greedy organization with its keys, and a person of the other one. */
async function addPeople(data: string): Promise<void> {
  const { fieldKey } = loadSecrets(data, {});
  const path = join(data, 'sluice.db');
  const store = await openStore({ kind: 'sqlite', path, fieldKey, clock: systemClock });
  const [own] = await store.organizations.list();
  const greedy = sampleOrganization({ name: 'Greedy' });
  await store.organizations.save(greedy);
  const keys = {
    admin: { keyHash: hashApiKey(GREEDY.admin) },
    viewer: { keyHash: hashApiKey(GREEDY.viewer), role: 'viewer' },
    device: { keyHash: hashApiKey(GREEDY.device), scheme: 'device' },
  } as const;
  for (const key of Object.values(keys)) await store.apiKeys.save(sampleApiKey(greedy.uuid, key));
  const passwordHash = await new Passwords().hash(PASSWORD);
  await store.people.save(samplePerson(own!.uuid, { email: EMAIL, passwordHash, role: 'viewer' }));
  await store.close();
}
