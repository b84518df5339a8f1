/**
 * Reads values according to their description, from the environment first, then from the console, and then from the file,
 * and collects problems.
 */

import type { Node } from 'yaml';
import { closestName } from '../../core/closest-name.ts';
import type { SettingValues } from '../../system/console-settings.ts';
import type { ConfigDocument, FileEntry, FileValue } from './config-document.ts';
import { type Environment, unknownVariables, variableName, variableText } from './environment.ts';
import type { ConfigProblem } from './errors.ts';
import { fieldName, type Group, type RecordList, type SchemaNode, type Setting } from './schema-nodes.ts';

/** A value that was given, as written. */
export interface GivenValue {
  /** `sluice.yaml:12:5`, `environment variable SLUICE_LISTEN_API`, or CONSOLE_SOURCE. */
  readonly source: string;
  readonly text: string;
}

/** Source of values that were edited in the console. */
export const CONSOLE_SOURCE = 'settings of the console';

/** Records in one list of the file. */
export const MAX_RECORDS = 10_000;

/** Longest part of an invalid value that is repeated in a message. */
const MAX_QUOTED_LENGTH = 80;

const SHOWABLE_KEY_PATTERN = /^[\w.-]{1,64}$/;

export class ConfigReader {
  readonly problems: ConfigProblem[] = [];
  readonly #document: ConfigDocument;
  readonly #env: Environment;
  readonly #values: SettingValues;
  /** Where the values of keys came from, by key path as written in messages. */
  readonly #sources = new Map<string, string>();
  /** Settings that are not left to their defaults, by key path. Has secrets. */
  readonly #given = new Map<string, GivenValue>();

  constructor(document: ConfigDocument, env: Environment, values: SettingValues = {}) {
    this.#document = document;
    this.#env = env;
    this.#values = values;
  }

  /** The value that `schema` describes, frozen. Do not use it if there are problems. */
  read(schema: Group): unknown {
    this.problems.push(...this.#document.syntaxProblems(), ...unknownVariables(this.#env, schema));
    for (const path of Object.keys(this.#values)) {
      if (!isSettingPath(schema, path.split('.'))) this.#rejectAt(CONSOLE_SOURCE, [path], 'unknown key');
    }
    return this.#readGroup(schema, this.#document.root, []);
  }

  /** undefined: it has its default. A secret, too: who shows it must not show its text. */
  given(key: string): GivenValue | undefined {
    return this.#given.get(key);
  }

  /** Adds a problem at the place that the key's value came from, or the group that should contain it. */
  reject(key: string, message: string, group: readonly string[] = []): void {
    const source = this.#sources.get(key) ?? this.#sources.get(keyText(group));
    this.problems.push({ source: source ?? this.#document.sourceOf(null), key, message });
  }

  #readNode(node: SchemaNode, yaml: Node | null, keyPath: readonly string[]): unknown {
    if (node.node === 'group') return this.#readGroup(node, yaml, keyPath);
    if (node.node === 'list') return this.#readList(node, yaml, keyPath);
    return this.#readSetting(node, yaml, keyPath);
  }

  #readGroup(node: Group, yaml: Node | null, keyPath: readonly string[]): unknown {
    const file = this.#document.valueOf(yaml);
    const read: Record<string, unknown> = {};
    if (file.kind !== 'map' && file.kind !== 'absent') {
      this.#rejectAt(file.source, keyPath, 'expected a mapping of keys to values');
      return read;
    }
    const values = new Map<string, Node | null>();
    if (file.kind === 'map') {
      this.#sources.set(keyText(keyPath), file.source);
      for (const entry of file.entries) {
        if (Object.hasOwn(node.children, entry.key)) values.set(entry.key, entry.value);
        else this.#rejectKey(entry, keyPath, node);
      }
    }
    for (const [key, child] of Object.entries(node.children)) {
      read[fieldName(key, child)] = this.#readNode(child, values.get(key) ?? null, [...keyPath, key]);
    }
    return Object.freeze(read);
  }

  #readList(node: RecordList, yaml: Node | null, keyPath: readonly string[]): unknown {
    const file = this.#document.valueOf(yaml);
    if (file.kind === 'absent') return Object.freeze([]);
    if (file.kind !== 'list' || file.items.length > MAX_RECORDS) {
      this.#rejectAt(file.source, keyPath, `expected a list of at most ${MAX_RECORDS} entries`);
      return Object.freeze([]);
    }
    const last = keyPath.at(-1) ?? '';
    return Object.freeze(
      file.items.map((item, i) =>
        this.#readGroup(node.item, item, [...keyPath.slice(0, -1), `${last}[${i}]`]),
      ),
    );
  }

  #readSetting(node: Setting<unknown>, yaml: Node | null, keyPath: readonly string[]): unknown {
    const fromEnvironment = variableText(this.#env, keyPath);
    if (fromEnvironment !== undefined) {
      return this.#parse(node, fromEnvironment, `environment variable ${variableName(keyPath)}`, keyPath);
    }
    const edited = this.#values[keyText(keyPath)];
    if (typeof edited === 'string') return this.#parse(node, edited, CONSOLE_SOURCE, keyPath);
    const file = this.#document.valueOf(edited === null ? null : yaml);
    if (file.kind !== 'absent') {
      const text = this.#textOf(file, node.type.isMapping === true);
      if (text !== null) return this.#parse(node, text, file.source, keyPath);
      this.#rejectAt(file.source, keyPath, `expected ${node.type.expected}`);
    } else if (node.isRequired) {
      this.reject(keyText(keyPath), `is missing; expected ${node.type.expected}`, keyPath.slice(0, -1));
    }
    return node.defaultText === null ? null : parseDefault(node, node.defaultText);
  }

  #parse(node: Setting<unknown>, text: string, source: string, keyPath: readonly string[]): unknown {
    this.#sources.set(keyText(keyPath), source);
    this.#given.set(keyText(keyPath), { source, text });
    const parsed = node.type.parse(text);
    if (parsed.ok) return parsed.value;
    const got = node.type.isSecret ? '' : `, not "${text.slice(0, MAX_QUOTED_LENGTH)}"`;
    this.#rejectAt(source, keyPath, `expected ${node.type.expected}${got}`);
    return null;
  }

  /** A list of scalars reads like the same values separated by commas; null for what cannot be a setting. */
  #textOf(file: FileValue, isMapping: boolean): string | null {
    if (file.kind === 'scalar') return file.text;
    if (file.kind === 'map' && isMapping) return this.#pairsOf(file.entries);
    if (file.kind !== 'list') return null;
    const texts: string[] = [];
    for (const item of file.items) {
      const value = this.#document.valueOf(item);
      if (value.kind !== 'scalar') return null;
      texts.push(value.text);
    }
    return texts.join(',');
  }

  /** In the order of their keys. */
  #pairsOf(entries: readonly FileEntry[]): string | null {
    const pairs: string[] = [];
    for (const { key, value } of entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      const read = this.#document.valueOf(value);
      if (read.kind !== 'scalar') return null;
      pairs.push(`${key}: ${read.text}`);
    }
    return pairs.join(', ');
  }

  /** A URL in the place of a key is not repeated: it may contain a password. */
  #rejectKey({ key, source }: FileEntry, keyPath: readonly string[], node: Group): void {
    const closest = closestName(key, Object.keys(node.children));
    const hint = closest === null ? '' : `; did you mean "${closest}"?`;
    const shown = SHOWABLE_KEY_PATTERN.test(key) ? key : '?';
    this.#rejectAt(source, [...keyPath, shown], `unknown key${hint}`);
  }

  #rejectAt(source: string, keyPath: readonly string[], message: string): void {
    this.problems.push({ source, key: keyText(keyPath), message });
  }
}

/** Records of lists have no such path. */
function isSettingPath(group: Group, [key = '', ...rest]: readonly string[]): boolean {
  const node = Object.hasOwn(group.children, key) ? group.children[key] : undefined;
  if (node?.node === 'group') return isSettingPath(node, rest);
  return node?.node === 'setting' && rest.length === 0;
}

/** `cameras[2].rtsp`. */
function keyText(keyPath: readonly string[]): string {
  return keyPath.join('.');
}

function parseDefault(node: Setting<unknown>, text: string): unknown {
  const parsed = node.type.parse(text);
  if (!parsed.ok) throw new TypeError(`the default "${text}" is not ${node.type.expected}`);
  return parsed.value;
}
