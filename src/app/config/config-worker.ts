/** The entry point of a thread that reads a configuration and ends (config-jobs.ts). */

import { parentPort, workerData } from 'node:worker_threads';
import type { ConfigFindings, EffectiveConfig } from '../../system/config-view.ts';
import type { ConfigJob, LoadResult } from './config-jobs.ts';
import { toWire } from './config-wire.ts';
import { describeConfig } from './describe-config.ts';
import { ConfigError } from './errors.ts';
import { findingOf, findProblems } from './find-problems.ts';
import { loadConfigText, nameOf, readConfigFile } from './load-config.ts';

/** Name in messages for a text without a file. */
const TEXT_NAME = 'yaml';

function resultOf(job: ConfigJob): ConfigFindings | EffectiveConfig | LoadResult {
  switch (job.kind) {
    case 'load':
      return load(job);
    case 'check-text':
      return findProblems(job.text, TEXT_NAME, job.env, job.values);
    case 'check-file':
      return checkFile(job);
    case 'describe':
      return describeConfig(job.texts, job.env, job.query);
  }
}

function load({ path, env, values }: Extract<ConfigJob, { kind: 'load' }>): LoadResult {
  try {
    const { config, source } = loadConfigText({ env, values, ...(path === null ? {} : { path }) });
    return { wire: toWire(config), source };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { problems: thrown.problems };
  }
}

function checkFile({ file, env, values }: Extract<ConfigJob, { kind: 'check-file' }>): ConfigFindings {
  let text = '';
  try {
    text = file === null ? '' : readConfigFile(file);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { findings: thrown.problems.map(findingOf), count: thrown.problems.length };
  }
  return findProblems(text, nameOf({ file }), env, values);
}

parentPort?.postMessage(resultOf(workerData as ConfigJob));
