/** A gateway with settings of the console: they count at its start, and never keep it from starting. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { editedSettings, ONLY_NODE, type SettingEdit } from '../../system/console-settings.ts';
import { ConsoleSettingsStore } from '../../system/console-settings-store.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { isNodeSetting } from '../config/editable-settings.ts';
import { configOf } from '../config/load-config.ts';
import { Cleanup } from '../process/cleanup.ts';
import { startGateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { settleConfig } from './settle-config.ts';

let folder: string;
let options: GatewayOptions;
const API_KEY = 'test-key-0123456789abcdefghijklmnopqrstuvwxyz';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
  const text = [
    'listen: { api: "127.0.0.1:0", media: "127.0.0.1:0" }',
    `data: ${join(folder, 'data')}`,
    'demo: false',
    `bootstrap: { apiKey: ${API_KEY} }`,
  ].join('\n');
  const configSource = { file: join(folder, 'sluice.yaml'), text };
  writeFileSync(configSource.file, text);
  options = { config: configOf(configSource, {}), configSource, env: {}, clock: systemClock, log: silentLog };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As someone saved them in the console earlier. */
async function save(...edits: readonly SettingEdit[]): Promise<void> {
  const cleanup = new Cleanup(silentLog);
  const { shared } = await settleConfig(options, cleanup);
  const stored = new ConsoleSettingsStore({
    resources: shared.store.resources,
    orgUuid: DEFAULT_ORG_UUID,
    clock: systemClock,
  });
  const actor = { uuid: deriveRuuid('person', 'Ada'), name: 'Ada' };
  const by = { node: ONLY_NODE, actor, nowEpochMs: 0, isOfNode: isNodeSetting };
  await stored.change((document) => editedSettings(document, edits, by));
  await cleanup.run();
}

const set = (path: string, value: string): SettingEdit => ({ path, kind: 'set', value });

interface Answer {
  readonly settings: readonly { readonly path: string }[];
  readonly ignoredBecause?: string;
  readonly ignoredDetail?: string;
  readonly findings: readonly { readonly code: string }[];
}

/** Starts a gateway, and reads what it says about its settings. */
async function settingsOf(changed: Partial<GatewayOptions> = {}) {
  const gateway = await startGateway({ ...options, ...changed });
  const call = async (name: string) => {
    const response = await fetch(`${gateway.apiUrl}/api/console/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY },
      body: '{}',
    });
    return (await response.json()) as Answer;
  };
  const { settings, ignoredBecause, ignoredDetail } = await call('getEffectiveConfig');
  const { findings } = await call('getSystemState');
  const { mediaUrl } = gateway;
  await gateway.close();
  const at = (path: string) => settings.find((setting) => setting.path === path);
  return {
    at,
    ignoredBecause,
    ignoredDetail,
    mediaUrl,
    codes: findings.map(({ code }) => code),
  };
}

it('starts with them', async () => {
  // The organization that stores them begins with the first start.
  await settingsOf();
  await save(set('public.mediaUrl', 'http://192.0.2.9:8081'), set('hls.window', '30s'));
  const { at, mediaUrl, codes, ignoredBecause } = await settingsOf();
  expect([mediaUrl, ignoredBecause, codes]).toEqual(['http://192.0.2.9:8081', undefined, []]);
  expect(at('hls.window')).toMatchObject({ value: '30s', source: 'console', isPending: false });
});

it('starts without those that would keep it from starting, and says so', async () => {
  await settingsOf();
  const other: Server = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await save(set('listen.media', `127.0.0.1:${port}`), set('hls.window', '30s'));
  const { at, codes, ignoredBecause, ignoredDetail } = await settingsOf();
  other.close();
  expect([ignoredBecause, codes]).toEqual(['start', ['CONSOLE_SETTINGS_IGNORED']]);
  expect(ignoredDetail).toContain('CLI_LISTEN_FAILED');
  expect(at('hls.window')).toMatchObject({
    value: '16s',
    source: 'default',
    isInConsole: true,
    consoleValue: '30s',
  });
});

it('starts without those that do not fit the file, or if it was started so', async () => {
  await settingsOf();
  await save(set('hls.window', '3s'));
  expect(await settingsOf()).toMatchObject({
    ignoredBecause: 'invalid',
    ignoredDetail: expect.stringContaining('hls.window'),
    codes: ['CONSOLE_SETTINGS_IGNORED'],
  });
  const ignored = { reason: 'option', detail: '' } as const;
  expect(await settingsOf({ ignoredSettings: ignored })).toMatchObject({ ignoredBecause: 'option' });
});
