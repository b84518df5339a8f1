/**
 * The configuration that a gateway starts with: the file's, with the edits of the console. These edits never keep it from starting:
 * if they cannot be read or used, it starts with the file alone, and says so.
 */

import type { IgnoredSettings, SettingsState } from '../../system/console-settings.ts';
import type { ConsoleSettingsStore } from '../../system/console-settings-store.ts';
import { openSharedStore, type SharedStore } from '../config/configured-store.ts';
import { consoleConfig, consoleSettingsIn, settingsNode } from '../config/console-config.ts';
import { loadSecrets, type Secrets } from '../config/secrets.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** The database, which is opened with the file's configuration, and what came from it. */
export interface SettledGateway {
  readonly secrets: Secrets;
  readonly shared: SharedStore;
  readonly consoleSettings: ConsoleSettingsStore;
  readonly settingsState: SettingsState;
  /** With the configuration that counts. */
  readonly options: GatewayOptions;
}

/** Fails like `loadSecrets` and `openSharedStore`, not because of the settings of the console. */
export async function settleConfig(options: GatewayOptions, cleanup: Cleanup): Promise<SettledGateway> {
  const { config, env, clock, log } = options;
  const secrets = loadSecrets(config.data, env);
  const shared = await openSharedStore(config, { fieldKey: secrets.fieldKey, clock, log });
  cleanup.add('store', () => shared.store.close());
  const consoleSettings = consoleSettingsIn(shared.store, clock);
  const settled = await withConsole(options, shared, consoleSettings);
  return { secrets, shared, consoleSettings, ...settled };
}

async function withConsole(
  options: GatewayOptions,
  { store }: SharedStore,
  stored: ConsoleSettingsStore,
): Promise<Pick<SettledGateway, 'options' | 'settingsState'>> {
  const { config: ofFile, configSource, env, log, logControl, ignoredSettings } = options;
  const node = settingsNode(ofFile);
  const without = (ignored: IgnoredSettings | null) => {
    if (ignored !== null) log.error({ ...ignored }, 'console settings ignored');
    return { options, settingsState: { node, ignored } };
  };
  // A configuration without a text cannot be read again with other values.
  if (configSource === undefined) return without(null);
  if (ignoredSettings !== undefined) return without((await hasAny(stored)) ? ignoredSettings : null);
  const { config, source, ignored } = await consoleConfig({
    store,
    config: ofFile,
    source: configSource,
    env,
  });
  if (config === ofFile) return without(ignored);
  logControl?.setLevel(config.log.level);
  return { options: { ...options, config, configSource: source }, settingsState: { node, ignored: null } };
}

/** Damaged ones count, too. */
async function hasAny(stored: ConsoleSettingsStore): Promise<boolean> {
  try {
    return (await stored.read()).revision > 0;
  } catch {
    return true;
  }
}
