/** The configuration as its reader sees it: plain values, without any secret. */

/** Lists of records in the file. */
export const CONFIG_LISTS = ['locations', 'nvrs', 'cameras'] as const;
export type ConfigList = (typeof CONFIG_LISTS)[number];

/** Where a value came from. */
export type SettingSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string };

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
  readonly source: SettingSource;
  /** The step that applies a change of the file. */
  readonly appliesOn: 'reload' | 'restart';
  /** The file was reloaded with another value, which a restart will apply. */
  readonly isPending: boolean;
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
