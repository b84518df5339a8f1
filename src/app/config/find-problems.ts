/**
 * Finds the problems of a text that should be a configuration: the check of `sluice check`, without cameras or a database.
 */

import type { ConfigFinding, ConfigFindings } from '../../system/config-view.ts';
import type { SettingValues } from '../../system/console-settings.ts';
import type { Environment } from './environment.ts';
import { ConfigError, type ConfigProblem } from './errors.ts';
import { parseConfig } from './load-config.ts';

/** Findings in one answer; further ones are only counted. */
export const MAX_FINDINGS = 200;

const PLACE = /^.*:(\d+):(\d+)$/s;
const VARIABLE = /^environment variable (\w+)$/;

/** A text that is no YAML has findings, too. */
export function findProblems(
  text: string,
  name: string,
  env: Environment,
  values: SettingValues = {},
): ConfigFindings {
  const problems = problemsOf(text, name, env, values);
  return { findings: problems.slice(0, MAX_FINDINGS).map(findingOf), count: problems.length };
}

export function findingOf({ source, key, message }: ConfigProblem): ConfigFinding {
  const [, line, column] = PLACE.exec(source) ?? [];
  return {
    path: key,
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
    variable: VARIABLE.exec(source)?.[1] ?? null,
    sentence: `${key === '' ? 'The configuration' : key}: ${message}.`,
  };
}

function problemsOf(
  text: string,
  name: string,
  env: Environment,
  values: SettingValues,
): readonly ConfigProblem[] {
  try {
    parseConfig(text, name, env, values);
    return [];
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems;
    throw thrown;
  }
}
