/** Which settings differ between two configurations, and which of them a reload applies. */

import { inspect } from 'node:util';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import { CONFIG_SCHEMA, type Config } from './schema.ts';
import { fieldName, type Group } from './schema-nodes.ts';

/** Settings outside lists that are read each time they are needed. All records of lists are applied, too. */
export const RELOADABLE_SETTINGS: ReadonlySet<string> = new Set([
  'log.level',
  'mail.allowPlain',
  'mail.from',
  'mail.host',
  'mail.name',
  'mail.oauth.clientId',
  'mail.oauth.clientSecret',
  'mail.oauth.refreshToken',
  'mail.oauth.scope',
  'mail.oauth.tokenUrl',
  'mail.password',
  'mail.port',
  'mail.tls',
  'mail.user',
  'retention.events',
  'retention.crossings',
  'retention.audit',
]);

/** Paths of the settings outside lists whose values differ, in the order of the schema. */
export function changedSettings(before: Config, after: Config): string[] {
  const changed: string[] = [];
  compareGroups(CONFIG_SCHEMA, before, after, [], changed);
  return changed;
}

function compareGroups(
  group: Group,
  before: object,
  after: object,
  above: readonly string[],
  changed: string[],
): void {
  for (const [key, node] of Object.entries(group.children)) {
    if (node.node === 'list') continue;
    const field = fieldName(key, node);
    const [one, other] = [fieldOf(before, field), fieldOf(after, field)];
    if (node.node === 'group') compareGroups(node, one as object, other as object, [...above, key], changed);
    else if (fingerprint(one) !== fingerprint(other)) changed.push([...above, key].join('.'));
  }
}

function fieldOf(group: object, field: string): unknown {
  return (group as Readonly<Record<string, unknown>>)[field];
}

/** The same text for equal values. It contains secrets: compared, and kept nowhere. */
function fingerprint(value: unknown): string {
  if (value instanceof Secret || value instanceof CredentialUrl) return value.reveal();
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null });
}
