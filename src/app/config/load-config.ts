/** Loads the configuration: `sluice.yaml`, then the environment over it. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { checkConfig } from './check-config.ts';
import { ConfigDocument } from './config-document.ts';
import { ConfigReader } from './config-reader.ts';
import type { Environment } from './environment.ts';
import { CONFIG_ERRORS, ConfigError } from './errors.ts';
import { CONFIG_SCHEMA, type Config } from './schema.ts';

/** Read when no path is given, if it exists. */
const DEFAULT_PATH = 'sluice.yaml';

const MAX_FILE_BYTES = 8 * 2 ** 20;

export interface LoadConfigOptions {
  /** `--config`; else `SLUICE_CONFIG`, else ./sluice.yaml when it exists. */
  readonly path?: string;
  readonly env: Environment;
}

/**
 * The configuration, frozen, with its defaults. Fails CONFIG_NOT_FOUND or CONFIG_INVALID with a ConfigError that
 * names every wrong key by file, line and column, and never shows a credential.
 */
export function loadConfig({ path, env }: LoadConfigOptions): Config {
  const file = path ?? (env.SLUICE_CONFIG || (existsSync(DEFAULT_PATH) ? DEFAULT_PATH : null));
  return file === null ? parseConfig('', 'defaults', env) : parseConfig(readConfigFile(file), file, env);
}

/** The same from text; `name` is what messages call the file. */
export function parseConfig(text: string, name: string, env: Environment): Config {
  const reader = new ConfigReader(new ConfigDocument(name, text), env);
  // The reader makes exactly what the schema describes, or reports problems.
  const config = reader.read(CONFIG_SCHEMA) as Config;
  if (reader.problems.length === 0) checkConfig(config, (key, message) => reader.reject(key, message));
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return config;
}

function readConfigFile(file: string): string {
  try {
    if (statSync(file).size <= MAX_FILE_BYTES) return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError([{ source: file, key: '', message: reason }], CONFIG_ERRORS.CONFIG_NOT_FOUND);
  }
  throw new ConfigError([{ source: file, key: '', message: `is larger than ${MAX_FILE_BYTES} bytes` }]);
}
