/**
 * Reads configurations in a thread that lives for one job. Parsing YAML cannot be cut into slices, and a caller may send a
 * text that is made to be slow: it delays no other work, and a job that takes too long or too much memory is ended.
 */

import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { FewAtOnce } from '../../core/few-at-once.ts';
import type { ConfigFindings, EffectiveConfig, SettingsQuery } from '../../system/config-view.ts';
import type { SettingValues } from '../../system/console-settings.ts';
import { SYSTEM_ERRORS } from '../../system/errors.ts';
import { spawnThread, whenEnded } from '../../threads/spawn-thread.ts';
import { configFromWire, type WireValue } from './config-wire.ts';
import type { ConfigTexts } from './describe-config.ts';
import type { Environment } from './environment.ts';
import { ConfigError, type ConfigProblem } from './errors.ts';
import type { ConfigText, LoadedConfig } from './load-config.ts';

/** What takes precedence over the file. */
interface Overrides {
  readonly env: Environment;
  /** Those of the console; absent: none. */
  readonly values?: SettingValues | undefined;
}

export type ConfigJob =
  /** As at the start: `path` is the file of the start, null if there was none. */
  | ({ readonly kind: 'load'; readonly path: string | null } & Overrides)
  /** Only the file that the gateway itself names is opened. */
  | ({ readonly kind: 'check-file'; readonly file: string | null } & Overrides)
  | ({ readonly kind: 'check-text'; readonly text: string } & Overrides)
  | {
      readonly kind: 'describe';
      readonly texts: ConfigTexts;
      readonly env: Environment;
      readonly query: SettingsQuery;
    };

/** The configuration, or the problems of the text. */
export type LoadResult =
  | { readonly wire: WireValue; readonly source: ConfigText }
  | { readonly problems: readonly ConfigProblem[] };

export interface ConfigJobResults {
  load: LoadResult;
  'check-file': ConfigFindings;
  'check-text': ConfigFindings;
  describe: EffectiveConfig;
}

const JOBS_WAITING = 8;
/** Limit for a text that a caller sent. */
const TEXT_JOB_MS = 15_000;
/** Limit for the gateway's own file, also on a busy machine. */
const FILE_JOB_MS = 60_000;
/** A file of 8 MiB takes some 400 MiB as a document. */
const MAX_HEAP_MIB = 768;
const MAX_TEXT_HEAP_MIB = 128;
const STACK_MIB = 4;

export class ConfigJobs {
  readonly #clock: Clock;
  readonly #queue = new FewAtOnce(1, JOBS_WAITING, () => new GatewayError(SYSTEM_ERRORS.CONFIG_CHECK_BUSY));
  readonly #workers = new Set<Worker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One at a time. Fails CONFIG_CHECK_BUSY or CONFIG_CHECK_FAILED. */
  run<Job extends ConfigJob>(job: Job): Promise<ConfigJobResults[Job['kind']]> {
    return this.#queue.run(() => this.#run(job));
  }

  /** Like `loadConfigText`, without holding up this thread. Also fails like `run`. */
  async load(path: string | null, env: Environment, values?: SettingValues): Promise<LoadedConfig> {
    const result = await this.run({ kind: 'load', path, env, values });
    if ('problems' in result) throw new ConfigError(result.problems);
    return { config: await configFromWire(result.wire), source: result.source };
  }

  /** Ends the running job. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#workers, (worker) => worker.terminate()));
  }

  async #run<Job extends ConfigJob>(job: Job): Promise<ConfigJobResults[Job['kind']]> {
    const worker = spawnThread({
      name: 'sluice-config',
      module: new URL('./config-worker.ts', import.meta.url),
      data: job,
      limits: {
        maxOldGenerationSizeMb: job.kind === 'check-text' ? MAX_TEXT_HEAP_MIB : MAX_HEAP_MIB,
        stackSizeMb: STACK_MIB,
      },
    });
    this.#workers.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<ConfigJobResults[Job['kind']]>();
    const fail = (cause?: unknown) => reject(new GatewayError(SYSTEM_ERRORS.CONFIG_CHECK_FAILED, {}, cause));
    const limitMs = job.kind === 'check-text' ? TEXT_JOB_MS : FILE_JOB_MS;
    const timer = this.#clock.after(limitMs, () => fail());
    worker.once('message', resolve);
    whenEnded(worker, fail);
    try {
      return await promise;
    } finally {
      timer.cancel();
      this.#workers.delete(worker);
      await worker.terminate();
    }
  }
}
