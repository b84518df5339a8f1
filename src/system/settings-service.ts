/**
 * Edits of the settings in the console. What an operator saves is checked with the configuration file of this moment, stored, and then
 * applied by a reload. For operators only.
 */

import type { Caller } from '../accounts/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type {
  ConfigFindings,
  EffectiveConfig,
  EffectiveSetting,
  ReloadOutcome,
  SettingsQuery,
} from './config-view.ts';
import {
  type ChangedSetting,
  editedSettings,
  editsThatUndo,
  NO_SETTINGS,
  type SettingEdit,
  type SettingsChange,
  type SettingsDocument,
  type SettingsState,
  type SettingValues,
  valuesFor,
} from './console-settings.ts';
import type { ConsoleSettingsStore } from './console-settings-store.ts';
import { SYSTEM_ERRORS } from './errors.ts';

/** Calls that other parts of the gateway answer. */
export interface SettingsCalls {
  readonly settingsState: SettingsState;
  /** `edited`: what the console stored. */
  settings(query: SettingsQuery, edited?: SettingValues): Promise<EffectiveConfig>;
  /** Checks the configuration file of this moment with these values. Fails like `settings`. */
  checkSettings(values: SettingValues): Promise<ConfigFindings>;
  reload(): Promise<ReloadOutcome>;
}

export interface SettingsServiceOptions {
  /** Fails SYSTEM_CALLER_REFUSED if the caller is not an operator. */
  readonly callsFor: (caller: Caller) => SettingsCalls;
  readonly stored: ConsoleSettingsStore;
  readonly clock: Clock;
}

export interface SavedSettings extends Pick<ReloadOutcome, 'applied' | 'needsRestart'> {
  readonly revision: number;
}

/** A setting before and after a change. Not in the console: the file's value counts. */
export interface ShownSetting {
  readonly path: string;
  /** null: that of all nodes. */
  readonly node: string | null;
  readonly isSecret: boolean;
  readonly wasInConsole: boolean;
  readonly isInConsole: boolean;
  /** null if it is not in the console, if it was emptied, or if it is a secret. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ShownChange extends Omit<SettingsChange, 'settings'> {
  readonly settings: readonly ShownSetting[];
}

export interface SettingsHistory {
  readonly revision: number;
  /** The newest first. */
  readonly changes: readonly ShownChange[];
}

const SINGLE_SETTINGS: SettingsQuery = { list: null, offset: 0, limit: 0 };
/** Problems that a refusal names. */
const MAX_NAMED_PROBLEMS = 5;

/** Every call fails SYSTEM_CALLER_REFUSED if the caller is not an operator. */
export class SettingsService {
  readonly #options: SettingsServiceOptions;
  /** Reading them takes a thread: once is enough. Null: not read yet. */
  #settings: ReadonlyMap<string, EffectiveSetting> | null = null;

  constructor(options: SettingsServiceOptions) {
    this.#options = options;
  }

  /** The settings in effect, with what the console stored. */
  async read(
    caller: Caller,
    query: SettingsQuery,
  ): Promise<{ config: EffectiveConfig; revision: number; state: SettingsState }> {
    const calls = this.#options.callsFor(caller);
    const { settingsState: state } = calls;
    // The effective settings can be read even if the saved ones are damaged.
    const isReadable = state.ignored?.reason !== 'unreadable';
    const document = isReadable ? await this.#options.stored.read() : NO_SETTINGS;
    const config = await calls.settings(query, valuesFor(document, state.node));
    return { config, revision: document.revision, state };
  }

  /** What would be wrong. Fails SETTING_UNKNOWN, SETTING_LOCKED. */
  async check(caller: Caller, edits: readonly SettingEdit[]): Promise<ConfigFindings> {
    const calls = this.#options.callsFor(caller);
    const settings = await this.#editable(calls, edits);
    const document = await this.#options.stored.read();
    const next = this.#edited(document, edits, settings, calls, caller);
    return calls.checkSettings(valuesFor(next, calls.settingsState.node));
  }

  /**
   * Stores the edits and applies them. `revision`: that which the caller has read. Fails SETTINGS_CHANGED_MEANWHILE, SETTINGS_INVALID,
   * SETTING_UNKNOWN, SETTING_LOCKED; nothing is stored then. Fails CONFIG_RELOAD_… if it is stored and cannot be applied.
   */
  async update(
    caller: Caller,
    revision: number,
    edits: readonly SettingEdit[],
    reverts?: number,
  ): Promise<SavedSettings> {
    const calls = this.#options.callsFor(caller);
    const settings = await this.#editable(calls, edits);
    const { node, ignored } = calls.settingsState;
    const document = await this.#options.stored.read();
    expectRevision(document, revision);
    const checked = this.#edited(document, edits, settings, calls, caller, reverts);
    expectValid(await calls.checkSettings(valuesFor(checked, node)));
    const after = await this.#options.stored.change((known) => {
      expectRevision(known, revision);
      return this.#edited(known, edits, settings, calls, caller, reverts);
    });
    // Without them since the start: a restart applies them.
    if (ignored !== null) {
      return { revision: after.revision, applied: [], needsRestart: edits.map(({ path }) => path) };
    }
    const { applied, needsRestart } = await calls.reload();
    return { revision: after.revision, applied, needsRestart };
  }

  /** Restores the settings before a change. Fails SETTINGS_CHANGE_NOT_FOUND, and like `update`. */
  async revert(caller: Caller, revision: number, changeRevision: number): Promise<SavedSettings> {
    const calls = this.#options.callsFor(caller);
    const document = await this.#options.stored.read();
    expectRevision(document, revision);
    const change = document.changes.find((kept) => kept.revision === changeRevision);
    const { node } = calls.settingsState;
    // Another machine's addresses are undone there.
    if (
      change === undefined ||
      change.settings.some((setting) => setting.node !== null && setting.node !== node)
    ) {
      throw new GatewayError(SYSTEM_ERRORS.SETTINGS_CHANGE_NOT_FOUND);
    }
    return this.update(caller, revision, editsThatUndo(change), changeRevision);
  }

  async history(caller: Caller): Promise<SettingsHistory> {
    const calls = this.#options.callsFor(caller);
    const { revision, changes } = await this.#options.stored.read();
    const known = await this.#known(calls);
    return {
      revision,
      changes: changes.map((change) => ({
        ...change,
        // A key that this version does not know may have been a secret.
        settings: change.settings.map((setting) =>
          shown(setting, known.get(setting.path)?.isSecret !== false),
        ),
      })),
    };
  }

  /** What never changes while the gateway runs: which settings there are, which are secrets, and which are locked. */
  async #known(calls: SettingsCalls): Promise<ReadonlyMap<string, EffectiveSetting>> {
    if (this.#settings === null) {
      const { settings } = await calls.settings(SINGLE_SETTINGS);
      this.#settings = new Map(settings.map((setting) => [setting.path, setting]));
    }
    return this.#settings;
  }

  /** The settings by path, if all edits are allowed. */
  async #editable(
    calls: SettingsCalls,
    edits: readonly SettingEdit[],
  ): Promise<ReadonlyMap<string, EffectiveSetting>> {
    const byPath = await this.#known(calls);
    for (const { path, kind } of edits) {
      const setting = byPath.get(path);
      // A key that this version no longer knows can still be given up.
      if (setting === undefined && kind === 'reset') continue;
      if (setting === undefined) throw new GatewayError(SYSTEM_ERRORS.SETTING_UNKNOWN, { path });
      const { lock, source } = setting;
      if (lock === null || kind === 'reset') continue;
      const variable = source.kind === 'environment' ? { variable: source.variable } : {};
      throw new GatewayError(SYSTEM_ERRORS.SETTING_LOCKED, { path, lock, ...variable });
    }
    return byPath;
  }

  #edited(
    document: SettingsDocument,
    edits: readonly SettingEdit[],
    settings: ReadonlyMap<string, EffectiveSetting>,
    { settingsState: { node } }: SettingsCalls,
    { actor }: Caller,
    reverts?: number,
  ): SettingsDocument {
    return editedSettings(document, edits, {
      node,
      actor: { uuid: actor.uuid, name: actor.name },
      nowEpochMs: this.#options.clock.epochMs(),
      isOfNode: (path) => settings.get(path)?.isOfNode ?? Object.hasOwn(document.nodes[node] ?? {}, path),
      ...(reverts === undefined ? {} : { reverts }),
    });
  }
}

function shown({ path, node, before, after }: ChangedSetting, isSecret: boolean): ShownSetting {
  return {
    path,
    node,
    isSecret,
    wasInConsole: before !== undefined,
    isInConsole: after !== undefined,
    before: isSecret ? null : (before ?? null),
    after: isSecret ? null : (after ?? null),
  };
}

/** Names what changed since. */
function expectRevision({ revision, changes }: SettingsDocument, expected: number): void {
  if (revision === expected) return;
  const since = changes.filter((change) => change.revision > expected);
  const paths = [...new Set(since.flatMap(({ settings }) => settings.map(({ path }) => path)))];
  throw new GatewayError(SYSTEM_ERRORS.SETTINGS_CHANGED_MEANWHILE, {
    by: since[0]?.actor.name ?? 'Someone',
    paths: paths.slice(0, MAX_NAMED_PROBLEMS).join(', ') || 'the settings',
  });
}

function expectValid({ findings, count }: ConfigFindings): void {
  if (count === 0) return;
  const named = findings.slice(0, MAX_NAMED_PROBLEMS);
  throw new GatewayError(SYSTEM_ERRORS.SETTINGS_INVALID, {
    problems: named.map(({ sentence }) => sentence.replace(/\.$/, '')).join('; '),
    further: count - named.length,
  });
}
