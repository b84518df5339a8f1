/**
 * The configuration with what was edited in the console. These edits keep nothing from starting: if they cannot be read or do not fit the
 * file, the file alone counts.
 */

import { systemClock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import { type IgnoredSettings, ONLY_NODE, valuesFor } from '../../system/console-settings.ts';
import { ConsoleSettingsStore } from '../../system/console-settings-store.ts';
import { clusterSettingsOf } from './cluster-settings-of.ts';
import { DEFAULT_ORG_UUID } from './default-organizations.ts';
import type { Environment } from './environment.ts';
import { ConfigError, describeProblem } from './errors.ts';
import { type ConfigText, configOf } from './load-config.ts';
import type { Config } from './schema.ts';

/** Problems that a report names. */
const MAX_NAMED_PROBLEMS = 5;

export interface ConsoleConfigOptions {
  readonly store: Pick<Store, 'resources'>;
  /** That of the file. */
  readonly config: Config;
  readonly source: ConfigText;
  readonly env: Environment;
}

export interface ConsoleConfig {
  readonly config: Config;
  /** With the edited values, if there are any that count. */
  readonly source: ConfigText;
  /** null: what was edited counts, or nothing was. */
  readonly ignored: IgnoredSettings | null;
}

/** Where the edited settings are. */
export function consoleSettingsIn(
  { resources }: Pick<Store, 'resources'>,
  clock = systemClock,
): ConsoleSettingsStore {
  return new ConsoleSettingsStore({ resources, orgUuid: DEFAULT_ORG_UUID, clock });
}

/** The name under which the settings of this machine are stored. */
export function settingsNode(config: Pick<Config, 'cluster'>): string {
  return clusterSettingsOf(config)?.nodeId ?? ONLY_NODE;
}

/** Never rejects because of what was edited. */
export async function consoleConfig(options: ConsoleConfigOptions): Promise<ConsoleConfig> {
  const { store, config, source, env } = options;
  try {
    const values = valuesFor(await consoleSettingsIn(store).read(), settingsNode(config));
    if (Object.keys(values).length === 0) return { config, source, ignored: null };
    const edited = { ...source, values };
    return { config: configOf(edited, env), source: edited, ignored: null };
  } catch (thrown) {
    return { config, source, ignored: ignoredBecause(thrown) };
  }
}

function ignoredBecause(thrown: unknown): IgnoredSettings {
  if (!(thrown instanceof ConfigError)) return { reason: 'unreadable', detail: toGatewayError(thrown).code };
  const named = thrown.problems.slice(0, MAX_NAMED_PROBLEMS);
  return { reason: 'invalid', detail: named.map(describeProblem).join('; ') };
}
