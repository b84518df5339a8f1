/**
 * The configuration in effect: as it was at the start, and as it was last read. A reload reads the file of the start again,
 * checks all of it, and then applies what can change while the gateway runs; if anything in it is invalid, nothing changes.
 * SIGHUP and the API use the same reload.
 */

import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { ReloadOutcome } from '../../system/config-view.ts';
import { SYSTEM_ERRORS } from '../../system/errors.ts';
import type { ApplySummary } from './apply-config.ts';
import { changedSettings, RELOADABLE_SETTINGS } from './changed-settings.ts';
import type { ConfigTexts } from './describe-config.ts';
import { ConfigError, describeProblem } from './errors.ts';
import type { ConfigText, LoadedConfig } from './load-config.ts';
import type { Config } from './schema.ts';

/** Where the configuration came from, and comes from again. */
export interface ConfigOrigin {
  readonly source: ConfigText;
  /** Reads it again. Fails like `ConfigJobs.load`. */
  readonly reread: () => Promise<LoadedConfig>;
}

/** Problems that the refusal of a reload names; `console/validateConfig` has the others. */
const MAX_NAMED_PROBLEMS = 5;

export class RunningConfig {
  readonly #started: Config;
  readonly #origin: ConfigOrigin | null;
  #loaded: LoadedConfig;
  /** Settles when no reload runs. */
  #running: Promise<void> = Promise.resolve();
  /** A reload that has not begun to read. */
  #next: Promise<ReloadOutcome> | null = null;

  /** `origin`: null if the configuration came as it is, so that there is nothing to read again. */
  constructor(config: Config, origin: ConfigOrigin | null) {
    this.#started = config;
    this.#origin = origin;
    this.#loaded = { config, source: origin?.source ?? { file: null, text: '' } };
  }

  /** As last read: for settings that a reload applies. */
  get newest(): Config {
    return this.#loaded.config;
  }

  get texts(): ConfigTexts {
    const loaded = this.#loaded.source;
    return { started: this.#origin?.source ?? loaded, loaded };
  }

  /**
   * `apply`: brings the store and the threads to the state in the configuration. One reload runs at a time. Callers in the
   * meantime get the result of the next one, which reads the file afterwards. Fails CONFIG_WITHOUT_FILE,
   * CONFIG_RELOAD_REFUSED (nothing changed) and CONFIG_RELOAD_FAILED (the store failed; a further reload applies the rest).
   */
  reload(apply: (config: Config) => Promise<ApplySummary>): Promise<ReloadOutcome> {
    if (this.#next !== null) return this.#next;
    const next = this.#running.then(async () => {
      this.#next = null;
      return this.#apply(await this.#reread(), apply);
    });
    this.#next = next;
    this.#running = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Fails CONFIG_RELOAD_REFUSED if the file cannot be used now, and CONFIG_WITHOUT_FILE. */
  async expectReadable(): Promise<void> {
    await this.#reread();
  }

  async #apply(read: LoadedConfig, apply: (config: Config) => Promise<ApplySummary>): Promise<ReloadOutcome> {
    const before = this.#loaded;
    // First: what `apply` sets in motion reads it.
    this.#loaded = read;
    try {
      const { locations, nvrs, cameras } = await apply(read.config);
      const isReloadable = (path: string) => RELOADABLE_SETTINGS.has(path);
      return {
        records: { locations, nvrs, cameras },
        applied: changedSettings(before.config, read.config).filter(isReloadable),
        needsRestart: changedSettings(this.#started, read.config).filter((path) => !isReloadable(path)),
      };
    } catch (thrown) {
      this.#loaded = before;
      const cause = toGatewayError(thrown);
      throw new GatewayError(SYSTEM_ERRORS.CONFIG_RELOAD_FAILED, { reason: cause.code }, cause);
    }
  }

  async #reread(): Promise<LoadedConfig> {
    if (this.#origin === null) throw new GatewayError(SYSTEM_ERRORS.CONFIG_WITHOUT_FILE);
    try {
      return await this.#origin.reread();
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      const { problems } = thrown;
      const named = problems.slice(0, MAX_NAMED_PROBLEMS).map(describeProblem).join('; ');
      const further = Math.max(0, problems.length - MAX_NAMED_PROBLEMS);
      throw new GatewayError(SYSTEM_ERRORS.CONFIG_RELOAD_REFUSED, { problems: named, further }, thrown);
    }
  }
}
