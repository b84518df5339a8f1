/**
 * Environment variables: a key's path in upper snake case, prefixed with `SLUICE_`, so `public.mediaUrl` is
 * `SLUICE_PUBLIC_MEDIA_URL`. Lists of records have none. An empty variable counts as absent.
 */

import { closestName } from '../../core/closest-name.ts';
import type { ConfigProblem } from './errors.ts';
import type { Group } from './schema-nodes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'SLUICE_';

/** Variables with our prefix that are not keys of the configuration. */
const OTHER_VARIABLES: readonly string[] = [
  'SLUICE_CONFIG',
  'SLUICE_SECRET_KEY',
  'SLUICE_CAMERA_PASSWORD',
  'SLUICE_CLIP_CACHE',
];

/** Variables that Kubernetes and Docker links put into every container next to a service named "sluice…". */
const SERVICE_LINK_PATTERN = /_(?:SERVICE_(?:HOST|PORT)(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP)(?:_\w+)?)?)$/;

/** The variable of a key: `['public', 'mediaUrl']` is SLUICE_PUBLIC_MEDIA_URL. */
export function variableName(keyPath: readonly string[]): string {
  const words = keyPath.map((key) => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase());
  return PREFIX + words.join('_');
}

/** Only the variables with our prefix, on which a configuration depends. */
export function ownVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(PREFIX)));
}

/** The text of a key's variable, undefined if it is not set or empty. */
export function variableText(env: Environment, keyPath: readonly string[]): string | undefined {
  const text = env[variableName(keyPath)];
  return text === '' ? undefined : text;
}

/** Variables with our prefix that have no meaning. */
export function unknownVariables(env: Environment, schema: Group): ConfigProblem[] {
  const known = [...OTHER_VARIABLES, ...settingPaths(schema, []).map(variableName)];
  const problems: ConfigProblem[] = [];
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.includes(name) || SERVICE_LINK_PATTERN.test(name)) continue;
    // Without the prefix, which all names have in common.
    const closest = closestName(
      name.slice(PREFIX.length),
      known.map((other) => other.slice(PREFIX.length)),
    );
    const hint = closest === null ? '' : `; did you mean "${PREFIX}${closest}"?`;
    problems.push({
      source: `environment variable ${name}`,
      key: '',
      message: `unknown setting${hint}`,
    });
  }
  return problems;
}

function settingPaths(schema: Group, above: readonly string[]): string[][] {
  return Object.entries(schema.children).flatMap(([key, node]) => {
    if (node.node === 'list') return [];
    const keyPath = [...above, key];
    return node.node === 'setting' ? [keyPath] : settingPaths(node, keyPath);
  });
}
