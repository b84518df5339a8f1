/**
 * The calls about the gateway itself, on a whole gateway whose configuration has a secret in every place but the
 * database's and the cluster's.
 */

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SECRET_YAML, secretsIn } from '../../src/app/config/secret-config-fixture.ts';
import { API_KEY, type Json, type TestConfig, TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

const WEBHOOK_SECRET = 'webhook-S3CRET+of/another=12';

let gateway: TestGateway;
let config: TestConfig;

/** No one listens there: what the gateway logs about it is what this test looks at. */
async function secretConfig(): Promise<TestConfig> {
  // A cluster needs a database.
  const {
    database: _database,
    cluster: _cluster,
    bootstrap: _keys,
    ...secret
  } = parse(SECRET_YAML) as TestConfig;
  const closed = `127.0.0.1:${await freePort()}`;
  const cameras = secret.cameras!.map((camera) => {
    const moved = Object.entries(camera).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replace('192.0.2.10', closed) : value,
    ]);
    return { ...Object.fromEntries(moved), recording: 'always' };
  });
  return {
    ...secret,
    redis: secret.redis.replace('127.0.0.1:6379', closed),
    s3: { ...secret.s3, endpoint: `http://${closed}` },
    rtmp: { listen: '127.0.0.1:0' },
    cameras,
  };
}

beforeAll(async () => {
  config = await secretConfig();
  gateway = await TestGateway.start(config);
});
afterAll(() => gateway.dispose());

async function call(name: string, body: Json = {}): Promise<Json> {
  const response = await gateway.call(`console/${name}`, body);
  if (response.error !== false) throw new Error(`${name}: ${JSON.stringify(response)}`);
  return response;
}

const bundleText = ({ contentBase64 }: Json) => gunzipSync(Buffer.from(contentBase64, 'base64')).toString();

describe('a whole gateway', () => {
  it('gives no secret away: not in its state, its configuration, its log, nor a support bundle', async () => {
    const cameras = [await gateway.cameraUuid('Lobby'), await gateway.cameraUuid('Pushed')];
    await gateway.call('integrations/webhooks/updateWebhookIntegrationV2', {
      webhookSettings: { enabled: true, webhookUrl: 'https://127.0.0.1/hook', secret: WEBHOOK_SECRET },
    });
    // Each way in which the log names a camera or a server that fails.
    await until('the camera and Redis to fail', async () => {
      const { records } = await call('getLogTail', { limit: 500 });
      const messages = records.map(({ message }: Json) => message);
      return (
        messages.includes('Redis unavailable, counting in this process only') &&
        messages.includes('camera state')
      );
    });
    await until('a sample', async () => (await call('getCounters')).timesMs.length > 0);
    const bundle = bundleText(await call('createSupportBundle'));
    const texts = await Promise.all([
      call('getSystemState'),
      call('getEffectiveConfig'),
      call('getEffectiveConfig', { list: 'cameras' }),
      call('getLogTail', { limit: 500 }),
      call('getCounters', { cameraUuid: cameras[0] }),
    ]);
    const all = [...texts.map((text) => JSON.stringify(text)), bundle].join('\n');
    expect(all).toContain('shown-bucket-name');
    expect(secretsIn(all)).toEqual([]);
    for (const secret of [API_KEY, WEBHOOK_SECRET]) expect(all).not.toContain(secret);
    const parts = JSON.parse(bundle) as Json;
    expect(parts.streams.map(({ cameraUuid }: Json) => cameraUuid)).toEqual(expect.arrayContaining(cameras));
    expect(new Set(parts.log.map(({ thread }: Json) => thread))).toEqual(new Set(['gateway', 'api']));
    expect(parts.findings.map(({ code }: Json) => code)).toContain('REDIS_AWAY');
  });

  it('knows its state and samples its counters', async () => {
    const { state } = await call('getSystemState');
    expect(state).toMatchObject({
      redis: { isConnected: false },
      database: { kind: 'sqlite', isReachable: true },
      workers: { running: 0 },
    });
    expect(state.uptimeMs).toBeGreaterThan(0);
    expect(state.database.sizeBytes).toBeGreaterThan(100_000);
    expect(Object.values(state.cameras as Record<string, number>).reduce((a, b) => a + b)).toBe(2);
    const heaps = state.threads.flatMap(({ heapBytes }: Json) => heapBytes ?? []);
    expect(heaps).toHaveLength(2);
    const { counters, timesMs } = await call('getCounters');
    expect(counters.camerasConfigured.at(-1)).toBe(2);
    expect(Math.abs(timesMs.at(-1) - Date.now())).toBeLessThan(60_000);
  });

  it('reloads its file when asked to, all of it or nothing, and says what needs a restart', async () => {
    const names = async () => {
      const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
      return cameraStates.map(({ name }: Json) => name).sort();
    };
    const added = { name: 'Yard', rtsp: config.cameras![0]!.rtsp };
    const changed = { ...config, cameras: [...config.cameras!, added], hls: { window: '30s' } };
    await gateway.configure({ ...changed, hls: { window: '1s' } });
    const refused = await gateway.call('console/reloadConfig');
    expect(refused.errorMsg).toMatch(/^The configuration file is invalid, so nothing changed: .*hls\.window/);
    expect(secretsIn(refused.errorMsg)).toEqual([]);
    expect(await call('validateConfig')).toMatchObject({
      isValid: false,
      findingCount: 1,
      findings: [{ path: 'hls.window' }],
    });
    expect(await names()).toEqual(['Lobby', 'Pushed']);
    await gateway.configure(changed);
    expect(await call('reloadConfig')).toMatchObject({
      cameras: { created: 1, unchanged: 2, updated: 0, removed: 0 },
      applied: [],
      needsRestart: ['hls.window'],
    });
    expect(await names()).toEqual(['Lobby', 'Pushed', 'Yard']);
    const { auditEvents } = await gateway.call('report/getAuditFeed');
    const mine = auditEvents.filter(({ principalType }: Json) => principalType === 'API_TOKEN');
    expect(mine.map(({ action, targetName }: Json) => `${action} ${targetName}`)).toEqual(
      expect.arrayContaining(['GATEWAY_CONFIG_RELOAD ', 'DEVICE_REGISTERED Yard']),
    );
    const { settings } = await call('getEffectiveConfig');
    const window = settings.find(({ path }: Json) => path === 'hls.window');
    expect(window).toMatchObject({ value: '16s', source: 'default', isPending: true });
    expect(await call('validateConfig', { yaml: 'demo: true' })).toMatchObject({ isValid: true });
  });

  it('changes the level of its log by a reload, in both threads', async () => {
    await gateway.configure({ ...config, log: { level: 'error', format: 'json' } });
    expect(await call('reloadConfig')).toMatchObject({ applied: ['log.level'] });
    const { lastId } = await call('getLogTail');
    // Each call is a record of level debug, or was.
    for (let i = 0; i < 3; i++) await call('getSystemState');
    const { records } = await call('getLogTail', { afterId: lastId });
    expect(records.filter(({ level }: Json) => level !== 'error')).toEqual([]);
  });
});
