/**
 * The configuration that a gateway starts with: the file's, with what was edited in the console. These edits never keep it from starting:
 * if they cannot be read or used, it starts with the file alone, and says so.
 */

import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import {
  type IgnoredSettings,
  ONLY_NODE,
  type SettingsState,
  valuesFor,
} from '../../system/console-settings.ts';
import { ConsoleSettingsStore } from '../../system/console-settings-store.ts';
import { clusterSettingsOf } from '../config/cluster-settings-of.ts';
import { openSharedStore, type SharedStore } from '../config/configured-store.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { ConfigError, describeProblem } from '../config/errors.ts';
import { configOf } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
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
  const { resources } = shared.store;
  const consoleSettings = new ConsoleSettingsStore({ resources, orgUuid: DEFAULT_ORG_UUID, clock });
  const node = nodeOf(config);
  const settled = await withConsole(options, consoleSettings, node);
  return { secrets, shared, consoleSettings, ...settled };
}

/** The name under which the settings of this machine are stored. */
function nodeOf(config: Pick<Config, 'cluster'>): string {
  return clusterSettingsOf(config)?.nodeId ?? ONLY_NODE;
}

async function withConsole(
  options: GatewayOptions,
  stored: ConsoleSettingsStore,
  node: string,
): Promise<Pick<SettledGateway, 'options' | 'settingsState'>> {
  const { configSource, env, log, logControl, ignoredSettings = null } = options;
  const without = (ignored: IgnoredSettings | null) => ({ options, settingsState: { node, ignored } });
  // A configuration without a text cannot be read again with other values.
  if (configSource === undefined) return without(null);
  if (ignoredSettings !== null) {
    const hasAny = (await revisionOf(stored)) > 0;
    return without(hasAny ? noted(log, ignoredSettings) : null);
  }
  try {
    const values = valuesFor(await stored.read(), node);
    if (Object.keys(values).length === 0) return without(null);
    const source = { ...configSource, values };
    const config = configOf(source, env);
    logControl?.setLevel(config.log.level);
    return {
      options: { ...options, config, configSource: source },
      settingsState: { node, ignored: null },
    };
  } catch (thrown) {
    return without(noted(log, ignoredBecause(thrown)));
  }
}

/** Unreadable ones count, too. */
async function revisionOf(stored: ConsoleSettingsStore): Promise<number> {
  try {
    return (await stored.read()).revision;
  } catch {
    return 1;
  }
}

function ignoredBecause(thrown: unknown): IgnoredSettings {
  if (thrown instanceof ConfigError) {
    return { reason: 'invalid', detail: thrown.problems.map(describeProblem).join('; ') };
  }
  return { reason: 'unreadable', detail: toGatewayError(thrown).code };
}

function noted(log: Log, ignored: IgnoredSettings): IgnoredSettings {
  log.error({ ...ignored }, 'console settings ignored');
  return ignored;
}
