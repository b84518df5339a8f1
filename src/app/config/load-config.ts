/** Loads the configuration: `sluice.yaml`, overridden by the environment. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { checkConfig } from './check-config.ts';
import { ConfigDocument } from './config-document.ts';
import { ConfigReader } from './config-reader.ts';
import type { Environment } from './environment.ts';
import { CONFIG_ERRORS, ConfigError } from './errors.ts';
import { CONFIG_SCHEMA, type Config } from './schema.ts';

/** Read when no path is given, if it exists. */
export const DEFAULT_CONFIG_FILE = 'sluice.yaml';

const MAX_FILE_BYTES = 8 * 2 ** 20;

export interface LoadConfigOptions {
  /** `--config`, or `SLUICE_CONFIG`, or ./sluice.yaml if it exists. */
  readonly path?: string;
  readonly env: Environment;
}

/**
 * The configuration, frozen, with its defaults. Fails with CONFIG_NOT_FOUND, or with CONFIG_INVALID and a ConfigError
 * that names every invalid key by file, line and column, and never shows a credential.
 */
export function loadConfig({ path, env }: LoadConfigOptions): Config {
  const file = configFileOf({ env, ...(path === undefined ? {} : { path }) });
  return file === null ? parseConfig('', 'defaults', env) : parseConfig(readConfigFile(file), file, env);
}

/** The file that `loadConfig` reads; null: there is none, and only defaults and the environment apply. */
export function configFileOf({ path, env }: LoadConfigOptions): string | null {
  return path ?? (env.SLUICE_CONFIG || (existsSync(DEFAULT_CONFIG_FILE) ? DEFAULT_CONFIG_FILE : null));
}

/** The same from text; `name` is what messages call the file. */
export function parseConfig(text: string, name: string, env: Environment): Config {
  const document = new ConfigDocument(name, text);
  const reader = new ConfigReader(document, env);
  // The reader produces exactly what the schema describes, or reports problems.
  const config = reader.read(CONFIG_SCHEMA) as Config;
  // Even if single values are invalid: the person who fixes the file sees everything at once.
  if (document.syntaxProblems().length === 0) {
    const unread = reader.problems.map((problem) => problem.key);
    checkConfig(config, (key, message) => reader.reject(key, message), unread);
  }
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
