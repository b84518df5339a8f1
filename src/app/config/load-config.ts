/** Loads the configuration: `sluice.yaml`, overridden by the console, overridden by the environment. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import type { SettingValues } from '../../system/console-settings.ts';
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
  /** Values of the console; absent: none. */
  readonly values?: SettingValues | undefined;
}

/** Source of a configuration. The text has secrets. */
export interface ConfigText {
  /** null: no file, only defaults and the environment. */
  readonly file: string | null;
  readonly text: string;
  /** Values of the console, which take precedence over the text. Absent: none. They have secrets, too. */
  readonly values?: SettingValues;
}

/** A configuration, and its source. */
export interface LoadedConfig {
  readonly config: Config;
  readonly source: ConfigText;
}

/**
 * The configuration, frozen, with its defaults. Fails with CONFIG_NOT_FOUND, or with CONFIG_INVALID and a ConfigError
 * that names every invalid key by file, line and column, and never shows a credential.
 */
export function loadConfig(options: LoadConfigOptions): Config {
  return loadConfigText(options).config;
}

/** The same with its text. */
export function loadConfigText({ path, env, values }: LoadConfigOptions): LoadedConfig {
  const file = configFileOf({ env, ...(path === undefined ? {} : { path }) });
  const text = file === null ? '' : readConfigFile(file);
  const source: ConfigText = { file, text, ...(values === undefined ? {} : { values }) };
  return { config: configOf(source, env), source };
}

/** The configuration of a text that was read before. Fails like `loadConfig`. */
export function configOf(source: ConfigText, env: Environment): Config {
  return parseConfig(source.text, nameOf(source), env, source.values);
}

/** Name of the file in messages. */
export function nameOf({ file }: Pick<ConfigText, 'file'>): string {
  return file ?? 'defaults';
}

/** The file that `loadConfig` reads; null: there is none, and only defaults and the environment apply. */
export function configFileOf({ path, env }: LoadConfigOptions): string | null {
  return path ?? (env.SLUICE_CONFIG || (existsSync(DEFAULT_CONFIG_FILE) ? DEFAULT_CONFIG_FILE : null));
}

/** The same from text; `name` is what messages call the file. */
export function parseConfig(
  text: string,
  name: string,
  env: Environment,
  values: SettingValues = {},
): Config {
  return readConfig(text, name, env, values).config;
}

/** The same with where everything came from. */
export function readConfig(
  text: string,
  name: string,
  env: Environment,
  values: SettingValues = {},
): { readonly config: Config; readonly reader: ConfigReader } {
  const document = new ConfigDocument(name, text);
  const reader = new ConfigReader(document, env, values);
  // The reader produces exactly what the schema describes, or reports problems.
  const config = reader.read(CONFIG_SCHEMA) as Config;
  // Checks the whole even if single values are invalid: the person who fixes the file sees every problem in one run.
  if (document.syntaxProblems().length === 0) {
    const unread = reader.problems.map((problem) => problem.key);
    checkConfig(config, (key, message) => reader.reject(key, message), unread);
  }
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return { config, reader };
}

/** Fails CONFIG_NOT_FOUND, or CONFIG_INVALID if it is too large. */
export function readConfigFile(file: string): string {
  try {
    if (statSync(file).size <= MAX_FILE_BYTES) return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError([{ source: file, key: '', message: reason }], CONFIG_ERRORS.CONFIG_NOT_FOUND);
  }
  throw new ConfigError([{ source: file, key: '', message: `is larger than ${MAX_FILE_BYTES} bytes` }]);
}
