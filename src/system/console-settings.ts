/**
 * The settings that operators edit in the console: values that take precedence over the configuration file, and the changes that led to
 * them. One document for all gateways on a database, so that nodes of a cluster agree; settings of one machine are stored by node.
 */

import type { Ruuid } from '../core/ruuid.ts';

/** By key, as written in the file; null: as if the file did not have the key. */
export type SettingValues = Readonly<Record<string, string | null>>;

/** One edit. `reset` leaves the setting to the file again. */
export type SettingEdit =
  | { readonly path: string; readonly kind: 'set'; readonly value: string | null }
  | { readonly path: string; readonly kind: 'reset' };

/** A value before and after a change; absent: the file's. */
export interface ChangedSetting {
  readonly path: string;
  /** Whose setting it is; null: that of all nodes. */
  readonly node: string | null;
  readonly before?: string | null;
  readonly after?: string | null;
}

export interface SettingsChange {
  /** The document's revision after it. */
  readonly revision: number;
  readonly atEpochMs: number;
  readonly actor: { readonly uuid: Ruuid; readonly name: string };
  readonly settings: readonly ChangedSetting[];
  /** The revision of the change that it undoes; null: none. */
  readonly reverts: number | null;
}

export interface SettingsDocument {
  /** Counts changes: 0 before the first. */
  readonly revision: number;
  readonly shared: SettingValues;
  readonly nodes: Readonly<Record<string, SettingValues>>;
  /** The newest first, at most MAX_KEPT_CHANGES. */
  readonly changes: readonly SettingsChange[];
}

export const NO_SETTINGS: SettingsDocument = { revision: 0, shared: {}, nodes: {}, changes: [] };

/** Changes that can be undone; older ones are forgotten. */
export const MAX_KEPT_CHANGES = 50;
/** The name under which a gateway without a cluster stores settings of its machine. */
export const ONLY_NODE = 'this';

/** The values in force on a node. */
export function valuesFor({ shared, nodes }: SettingsDocument, node: string): SettingValues {
  return { ...shared, ...nodes[node] };
}

export interface EditedBy {
  readonly node: string;
  readonly actor: SettingsChange['actor'];
  readonly nowEpochMs: number;
  readonly reverts?: number;
  /** Whether a setting belongs to one node. */
  readonly isOfNode: (path: string) => boolean;
}

/** The document after the edits; the same object if they change nothing. */
export function editedSettings(
  document: SettingsDocument,
  edits: readonly SettingEdit[],
  { node, actor, nowEpochMs, isOfNode, reverts }: EditedBy,
): SettingsDocument {
  const shared: Record<string, string | null> = { ...document.shared };
  const own: Record<string, string | null> = { ...document.nodes[node] };
  const settings: ChangedSetting[] = [];
  for (const edit of edits) {
    const { path } = edit;
    const values = isOfNode(path) ? own : shared;
    const before = Object.hasOwn(values, path) ? values[path] : undefined;
    const after = edit.kind === 'set' ? edit.value : undefined;
    if (before === after) continue;
    if (after === undefined) delete values[path];
    else values[path] = after;
    settings.push({
      path,
      node: isOfNode(path) ? node : null,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  }
  if (settings.length === 0) return document;
  const revision = document.revision + 1;
  const change = { revision, atEpochMs: nowEpochMs, actor, settings, reverts: reverts ?? null };
  return {
    revision,
    shared,
    nodes: { ...document.nodes, [node]: own },
    changes: [change, ...document.changes].slice(0, MAX_KEPT_CHANGES),
  };
}

/** The edits that restore the settings before a change. */
export function editsThatUndo({ settings }: SettingsChange): readonly SettingEdit[] {
  return settings.map(({ path, before }) =>
    before === undefined ? { path, kind: 'reset' } : { path, kind: 'set', value: before },
  );
}

/** Why the gateway runs without the settings of the console. */
export interface IgnoredSettings {
  /**
   * `option`: it was started so. `invalid`: they do not fit the file. `unreadable`: the row is damaged. `start`: the gateway did not
   * start with them.
   */
  readonly reason: 'option' | 'invalid' | 'unreadable' | 'start';
  /** The fault, without secrets; '' for `option`. */
  readonly detail: string;
}

export interface SettingsState {
  /** The name under which the settings of this machine are stored. */
  readonly node: string;
  /** null: they are in effect. */
  readonly ignored: IgnoredSettings | null;
}
