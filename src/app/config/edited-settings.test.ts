/** Edits in the console, with the real configuration and a real store, without threads. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../accounts/caller.ts';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import {
  MAX_KEPT_CHANGES,
  type SettingEdit,
  type SettingsState,
  valuesFor,
} from '../../system/console-settings.ts';
import { ConsoleSettingsStore } from '../../system/console-settings-store.ts';
import { SettingsService } from '../../system/settings-service.ts';
import { describeConfig } from './describe-config.ts';
import type { Environment } from './environment.ts';
import { findProblems } from './find-problems.ts';
import { configOf } from './load-config.ts';
import { RunningConfig } from './running-config.ts';

const ORG = deriveRuuid('test', 'operator');
const SINGLE = { list: null, offset: 0, limit: 0 } as const;
const NONE = { created: 0, updated: 0, unchanged: 0, removed: 0 };
const SECRET = 'a-random-token-of-at-least-32-characters';

const set = (path: string, value: string | null): SettingEdit => ({ path, kind: 'set', value });
const reset = (path: string): SettingEdit => ({ path, kind: 'reset' });
const callerNamed = (name: string) =>
  ({ actor: { uuid: deriveRuuid('person', name), name, orgUuid: ORG } }) as Caller;
const ADA = callerNamed('Ada');
const BO = callerNamed('Bo');

let store: Store;
beforeEach(async () => {
  store = await openTestStore(new FakeClock());
  await store.organizations.save(sampleOrganization({ uuid: ORG }));
});
afterEach(() => store.close());

/** A gateway that was started with `text`. `file.text`: what a reload reads. */
function started(
  text = '',
  { env = {} as Environment, state = { node: 'this', ignored: null } as SettingsState } = {},
) {
  const clock = new FakeClock();
  const file = { file: 'sluice.yaml', text };
  const stored = new ConsoleSettingsStore({ resources: store.resources, orgUuid: ORG, clock });
  const now = async () => ({ ...file, values: valuesFor(await stored.read(), state.node) });
  const running = new RunningConfig(configOf(file, env), {
    source: { ...file },
    reread: async () => ({ config: configOf(await now(), env), source: await now() }),
  });
  let reloads = 0;
  const service = new SettingsService({
    callsFor: () => ({
      settingsState: state,
      settings: async (query, edited) =>
        describeConfig({ ...running.texts, ...(edited === undefined ? {} : { edited }) }, env, query),
      checkSettings: async (values) => findProblems(file.text, file.file, env, values),
      reload: () => {
        reloads += 1;
        return running.reload(async () => ({ locations: NONE, nvrs: NONE, cameras: NONE }));
      },
    }),
    stored,
    clock,
  });
  const at = async (path: string) =>
    (await service.read(ADA, SINGLE)).config.settings.find((setting) => setting.path === path)!;
  return { service, running, file, stored, at, reloads: () => reloads };
}

async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  return promise.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: GatewayError) => error,
  );
}

describe('settings edited in the console', () => {
  it('are applied like a reload of the file, which stays as it is', async () => {
    const { service, running, file, at } = started('log: { level: warn }\n');
    const saved = await service.update(ADA, 0, [set('log.level', 'debug'), set('hls.window', '30s')]);
    expect(saved).toEqual({ revision: 1, applied: ['log.level'], needsRestart: ['hls.window'] });
    expect(running.newest.log.level).toBe('debug');
    expect(file.text).toBe('log: { level: warn }\n');
    expect(await at('log.level')).toMatchObject({ value: 'debug', source: { kind: 'console' } });
    expect(await at('hls.window')).toMatchObject({ value: '16s', nextValue: '30s', consoleValue: '30s' });
    await service.update(ADA, 1, [reset('log.level')]);
    expect(await at('log.level')).toMatchObject({
      value: 'warn',
      source: { kind: 'file' },
      isInConsole: false,
    });
  });

  it('are all refused if one is wrong, with the file’s sentences', async () => {
    const { service, stored, reloads } = started('hls: { segmentTarget: 4s }\n');
    const failure = await failureOf(
      service.update(ADA, 0, [set('log.level', 'debug'), set('hls.window', '5s')]),
    );
    expect(failure).toMatchObject({ code: 'SETTINGS_INVALID', kind: 'invalid-input' });
    expect(failure.context.problems).toBe('hls.window: must be at least three times hls.segmentTarget');
    expect([(await stored.read()).revision, reloads()]).toEqual([0, 0]);
    const { findings } = await service.check(ADA, [set('hls.window', '5s')]);
    expect(findings).toMatchObject([{ path: 'hls.window' }]);
  });

  it('cannot be set if a variable sets them, if they are needed earlier, or if there are none such', async () => {
    const { service } = started('', { env: { SLUICE_LOG_LEVEL: 'info' } });
    expect(await failureOf(service.update(ADA, 0, [set('log.level', 'debug')]))).toMatchObject({
      code: 'SETTING_LOCKED',
      context: { path: 'log.level', lock: 'environment', variable: 'SLUICE_LOG_LEVEL' },
    });
    for (const path of ['database', 'ffmpeg.path', 'bootstrap.apiKey']) {
      expect(await failureOf(service.update(ADA, 0, [set(path, SECRET)]))).toMatchObject({
        code: 'SETTING_LOCKED',
      });
    }
    for (const path of ['log', 'cameras', 'cameras[0].rtsp', '__proto__', 'toString', '']) {
      expect(await failureOf(service.update(ADA, 0, [set(path, 'x')]))).toMatchObject({
        code: 'SETTING_UNKNOWN',
      });
    }
  });

  it('are refused to the second of two who edit at the same time, who learns what changed', async () => {
    const { service, stored } = started();
    await service.update(ADA, 0, [set('cors', '*'), set('log.level', 'debug')]);
    expect(await failureOf(service.update(BO, 0, [set('hls.window', '30s')]))).toMatchObject({
      code: 'SETTINGS_CHANGED_MEANWHILE',
      kind: 'conflict',
      context: { by: 'Ada', paths: 'cors, log.level' },
    });
    const both = await Promise.allSettled([
      service.update(ADA, 1, [set('hls.window', '30s')]),
      service.update(BO, 1, [set('hls.window', '40s')]),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await stored.read()).revision).toBe(2);
  });

  it('can be undone, also a change before the last one, and the undoing, too', async () => {
    const { service, stored } = started('cors: [https://file.example]\n');
    await service.update(ADA, 0, [set('cors', '*'), set('log.level', 'debug')]);
    await service.update(BO, 1, [set('log.level', 'error'), set('public.mediaUrl', 'https://v.example')]);
    expect(await service.revert(BO, 2, 1)).toMatchObject({ revision: 3 });
    expect((await stored.read()).shared).toEqual({ 'public.mediaUrl': 'https://v.example' });
    await service.revert(ADA, 3, 3);
    expect((await stored.read()).shared).toMatchObject({ cors: '*', 'log.level': 'error' });
    const { changes } = await service.history(ADA);
    expect(changes.map(({ revision, reverts, actor }) => [revision, reverts, actor.name])).toEqual([
      [4, 3, 'Ada'],
      [3, 1, 'Bo'],
      [2, null, 'Bo'],
      [1, null, 'Ada'],
    ]);
    expect(changes[2]?.settings[0]).toEqual({
      path: 'log.level',
      node: null,
      isSecret: false,
      wasInConsole: true,
      isInConsole: true,
      before: 'debug',
      after: 'error',
    });
    expect(await failureOf(service.revert(ADA, 4, 99))).toMatchObject({ code: 'SETTINGS_CHANGE_NOT_FOUND' });
  });

  it('store nothing if nothing changes, and keep a bounded history', async () => {
    const { service, stored } = started();
    await service.update(ADA, 0, [reset('cors'), reset('__proto__'), reset('gone.key')]);
    expect((await stored.read()).revision).toBe(0);
    for (let i = 0; i < MAX_KEPT_CHANGES + 5; i++) {
      await service.update(ADA, i, [set('hls.window', `${10 + i}s`)]);
    }
    const { changes, revision } = await service.history(ADA);
    expect([changes.length, revision]).toEqual([MAX_KEPT_CHANGES, MAX_KEPT_CHANGES + 5]);
  });

  it('give no secret back, and store none in plain text', async () => {
    const { service, running, at } = started();
    await service.update(ADA, 0, [set('metrics.token', SECRET)]);
    expect(running.newest.metrics.token?.reveal()).toBe(SECRET);
    expect(await at('metrics.token')).toMatchObject({ value: null, consoleValue: null, isSecret: true });
    const { changes } = await service.history(ADA);
    expect(changes[0]?.settings[0]).toMatchObject({ isSecret: true, isInConsole: true, after: null });
    const shown = JSON.stringify([await service.read(ADA, SINGLE), changes]);
    expect(shown).not.toContain(SECRET);
    const failure = await failureOf(service.update(ADA, 1, [set('metrics.token', 'short secret')]));
    expect(JSON.stringify(failure.context)).not.toContain('short secret');
  });

  it('are those of one node if they are its addresses, and of all nodes otherwise', async () => {
    const one = started('', { state: { node: 'node-1', ignored: null } });
    const other = started('', { state: { node: 'node-2', ignored: null } });
    await one.service.update(ADA, 0, [set('listen.media', '10.0.0.1:80'), set('log.level', 'debug')]);
    expect(await one.at('listen.media')).toMatchObject({ nextValue: '10.0.0.1:80', isOfNode: true });
    expect(await other.at('listen.media')).toMatchObject({ isInConsole: false });
    expect(await other.at('log.level')).toMatchObject({ isInConsole: true, consoleValue: 'debug' });
    await other.service.update(ADA, 1, [set('listen.media', '10.0.0.2:80')]);
    expect(await one.at('listen.media')).toMatchObject({ consoleValue: '10.0.0.1:80' });
    expect(await failureOf(one.service.revert(ADA, 2, 2))).toMatchObject({
      code: 'SETTINGS_CHANGE_NOT_FOUND',
    });
  });

  it('wait for a restart while they are ignored', async () => {
    const ignored = { reason: 'start', detail: 'The port is taken.' } as const;
    const { service, running, reloads } = started('', { state: { node: 'this', ignored } });
    const saved = await service.update(ADA, 0, [set('log.level', 'debug')]);
    expect(saved).toEqual({ revision: 1, applied: [], needsRestart: ['log.level'] });
    expect([running.newest.log.level, reloads()]).toEqual(['info', 0]);
  });
});
