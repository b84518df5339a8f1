/** The configuration as its reader sees it: plain values, without any secret. */

/** Lists of records in the file. */
export const CONFIG_LISTS = ['locations', 'nvrs', 'cameras'] as const;
export type ConfigList = (typeof CONFIG_LISTS)[number];

/** Where a value came from. */
export type SettingSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'console' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string };

/**
 * Why a setting cannot be edited in the console: a variable sets it; the gateway needs it before it can read what the console
 * stored; only a person with access to the machine should choose it; it belongs to a record of the file.
 */
export type SettingLock = 'environment' | 'start' | 'machine' | 'record';

export interface EffectiveSetting {
  /** `hls.window` or `cameras[2].rtsp`. */
  readonly path: string;
  /** As written; null: not set, or a secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** Whether it has a value, its default included. */
  readonly isSet: boolean;
  /** The accepted values in words, with the unit. */
  readonly expected: string;
  /** All accepted values, if they are few. */
  readonly choices: readonly string[];
  readonly meaning: string;
  /** As written; null: it has none. */
  readonly defaultValue: string | null;
  /** What leaving it out means, if it has no default. */
  readonly whenAbsent: string | null;
  readonly source: SettingSource;
  /** The step that applies a change of the file. */
  readonly appliesOn: 'reload' | 'restart';
  /** The file was reloaded with another value, which a restart will apply. */
  readonly isPending: boolean;
  /** The value after that restart; null: none waits, it will not be set, or it is a secret. */
  readonly nextValue: string | null;
  /** Whether the console stored a value, or that there is none. */
  readonly isInConsole: boolean;
  /** The stored value; null if nothing was stored, if the setting was emptied, or if it is a secret. */
  readonly consoleValue: string | null;
  /** null: it can be edited in the console. */
  readonly lock: SettingLock | null;
  /** Whether each node of a cluster has its own. */
  readonly isOfNode: boolean;
}

/** All settings outside lists (`list` null), or those of some records of a list. */
export interface SettingsQuery {
  readonly list: ConfigList | null;
  readonly offset: number;
  readonly limit: number;
}

export interface EffectiveConfig {
  /** null: the gateway was started without one. */
  readonly file: string | null;
  readonly settings: readonly EffectiveSetting[];
  /** Records of each list. */
  readonly records: Readonly<Record<ConfigList, number>>;
}

/** Something that is wrong with a configuration. It contains no credential. */
export interface ConfigFinding {
  /** '' for the file as a whole. */
  readonly path: string;
  /** null: it is in the environment, or nowhere in particular. */
  readonly line: number | null;
  readonly column: number | null;
  /** The environment variable that it is about; null: none. */
  readonly variable: string | null;
  readonly sentence: string;
}

export interface ConfigFindings {
  /** The first ones. */
  readonly findings: readonly ConfigFinding[];
  /** How many there are in all. */
  readonly count: number;
}

/** How records of a kind were brought in line with the file. */
export interface ReloadedRecords {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
}

export interface ReloadOutcome {
  readonly records: Readonly<Record<ConfigList, ReloadedRecords>>;
  /** Paths of changed settings that are in effect now. */
  readonly applied: readonly string[];
  /** Paths of settings that differ from those in effect, and need a restart. */
  readonly needsRestart: readonly string[];
}
