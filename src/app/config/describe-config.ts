/**
 * Every setting of the configuration in effect: value, origin, and what applies a change. Secrets are only set or not set.
 */

import {
  CONFIG_LISTS,
  type EffectiveConfig,
  type EffectiveSetting,
  type SettingSource,
  type SettingsQuery,
} from '../../system/config-view.ts';
import type { SettingValues } from '../../system/console-settings.ts';
import { changedSettings, RELOADABLE_SETTINGS } from './changed-settings.ts';
import { CONSOLE_SOURCE, type ConfigReader } from './config-reader.ts';
import { isNodeSetting, lockOf } from './editable-settings.ts';
import type { Environment } from './environment.ts';
import { type ConfigText, nameOf, readConfig } from './load-config.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import type { Group, Setting } from './schema-nodes.ts';

/** The texts that the configuration in effect was read from. */
export interface ConfigTexts {
  /** At the start. */
  readonly started: ConfigText;
  /** At the last reload that succeeded, or at the start. */
  readonly loaded: ConfigText;
  /** What the console stored, whether or not it is in effect. Absent: the loaded edits. */
  readonly edited?: SettingValues;
}

/** Half of a pair that is not a secret alone, but is shown like one. */
const HIDDEN_SETTINGS: ReadonlySet<string> = new Set(['s3.accessKeyId']);

const FILE_SOURCE = /^(.*):(\d+):\d+$/s;
const VARIABLE_SOURCE = /^environment variable (\w+)$/;

/** Fails as `parseConfig`, which it does not for texts that were read before, in the same environment. */
export function describeConfig(texts: ConfigTexts, env: Environment, query: SettingsQuery): EffectiveConfig {
  const { started, loaded } = texts;
  const newest = readConfig(loaded.text, nameOf(loaded), env, loaded.values);
  const first = loaded === started ? newest : readConfig(started.text, nameOf(started), env, started.values);
  const { edited = loaded.values ?? {} } = texts;
  const { config } = newest;
  const { list, offset, limit } = query;
  const settings =
    list === null
      ? singleSettings(first.reader, newest.reader, new Set(changedSettings(first.config, config)), edited)
      : config[list].slice(offset, offset + limit).flatMap((_record, i) => {
          const schema = CONFIG_SCHEMA.children[list].item;
          return recordSettings(schema, newest.reader, `${list}[${offset + i}]`);
        });
  const records = { locations: 0, nvrs: 0, cameras: 0 };
  for (const name of CONFIG_LISTS) records[name] = config[name].length;
  return { file: loaded.file, settings, records };
}

function singleSettings(
  first: ConfigReader,
  newest: ConfigReader,
  changed: ReadonlySet<string>,
  edited: SettingValues,
): EffectiveSetting[] {
  return settingsIn(CONFIG_SCHEMA, []).map(([path, node]) => {
    const isReloadable = RELOADABLE_SETTINGS.has(path);
    const isPending = !isReloadable && changed.has(path);
    const now = described(path, node, isReloadable ? newest : first);
    const next = described(path, node, newest);
    return {
      ...now,
      appliesOn: isReloadable ? 'reload' : 'restart',
      isPending,
      nextValue: isPending ? next.value : null,
      isInConsole: Object.hasOwn(edited, path),
      consoleValue: now.isSecret ? null : (edited[path] ?? null),
      lock: next.source.kind === 'environment' ? 'environment' : lockOf(path),
      isOfNode: isNodeSetting(path),
    };
  });
}

function recordSettings(schema: Group, reader: ConfigReader, record: string): EffectiveSetting[] {
  return settingsIn(schema, [record]).map(([path, node]) => ({
    ...described(path, node, reader),
    appliesOn: 'reload',
    isPending: false,
    nextValue: null,
    isInConsole: false,
    consoleValue: null,
    lock: 'record',
    isOfNode: false,
  }));
}

function settingsIn(group: Group, above: readonly string[]): [string, Setting<unknown>][] {
  return Object.entries(group.children).flatMap(([key, node]): [string, Setting<unknown>][] => {
    if (node.node === 'list') return [];
    const keyPath = [...above, key];
    return node.node === 'group' ? settingsIn(node, keyPath) : [[keyPath.join('.'), node]];
  });
}

type DescribedSetting = Omit<
  EffectiveSetting,
  'appliesOn' | 'isPending' | 'nextValue' | 'isInConsole' | 'consoleValue' | 'lock' | 'isOfNode'
>;

function described(
  path: string,
  { type, defaultText, description, absent }: Setting<unknown>,
  reader: ConfigReader,
): DescribedSetting {
  const given = reader.given(path);
  const isSecret = type.isSecret || HIDDEN_SETTINGS.has(path);
  const text = given?.text ?? defaultText;
  return {
    path,
    value: isSecret ? null : text,
    isSecret,
    isSet: text !== null,
    expected: type.expected,
    choices: type.choices ?? [],
    meaning: description,
    defaultValue: defaultText,
    whenAbsent: absent,
    source: sourceOf(given?.source),
  };
}

function sourceOf(source: string | undefined): SettingSource {
  if (source === undefined) return { kind: 'default' };
  if (source === CONSOLE_SOURCE) return { kind: 'console' };
  const variable = VARIABLE_SOURCE.exec(source)?.[1];
  if (variable !== undefined) return { kind: 'environment', variable };
  const [, file = source, line = '0'] = FILE_SOURCE.exec(source) ?? [];
  return { kind: 'file', file, line: Number(line) };
}
