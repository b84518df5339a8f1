/** `sluice keys`: API keys from the command line, for the first key and for emergencies. */

import { systemClock } from '../../core/clock.ts';
import { printable } from '../../core/printable.ts';
import { isRuuid, newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { hashApiKey, makeApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey } from '../../store/entities.ts';
import { ROLES } from '../../store/person.ts';
import type { Store } from '../../store/store.ts';
import { applyConfig } from '../config/apply-config.ts';
import { openConfiguredStore } from '../config/configured-store.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from '../config/default-organizations.ts';
import { loadConfig } from '../config/load-config.ts';
import { loadSecrets } from '../config/secrets.ts';
import type { Command } from './command.ts';
import { parseOptions, UsageError } from './command-options.ts';
import { integerOption, optionError } from './option-values.ts';

/** As long as a name can be (http/fields/field-types.ts). */
const MAX_NAME_LENGTH = 256;
const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

const HELP = `sluice keys: make, list and revoke API keys

  sluice keys make --name NAME [--scheme api|partner-api|device] [--role viewer|operator|admin]
                   [--expires-in DAYS]
  sluice keys list
  sluice keys revoke UUID

A key is shown once, when you make it; the database keeps only its hash. Send it in the x-auth-apikey header,
with x-auth-scheme: api-token (or partner-api-token).

Options
  --config FILE    configuration file; it sets the data folder and the database
  --name NAME      what the key is for
  --scheme SCHEME  api (default) acts for the organization, partner-api for a partner's client organizations,
                   device can only report (POST /api/ingest/…) and hand over clips (/upload/clips)
  --expires-in N   days after which the key ends (default: it does not end)
  --role ROLE      viewer reads and watches, operator also changes shares, clips, schedules, walls and alerts,
                   admin (default) everything; not for device keys

Example
  sluice keys make --name "video wall"
`;

const OPTIONS = {
  config: { type: 'string' },
  name: { type: 'string', default: 'command line' },
  scheme: { type: 'string', default: 'api' },
  role: { type: 'string', default: 'admin' },
  'expires-in': { type: 'string' },
} as const;

const ACTIONS: readonly string[] = ['make', 'list', 'revoke'];
const SCHEMES: readonly string[] = ['api', 'partner-api', 'device'];

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseOptions('keys', args, OPTIONS, 'some');
  const [action = '', uuid = ''] = positionals;
  if (!ACTIONS.includes(action)) throw optionError('keys', action, 'make, list or revoke', ACTIONS);
  if (values.scheme !== 'api' && values.scheme !== 'partner-api' && values.scheme !== 'device') {
    throw optionError('--scheme', values.scheme, 'api, partner-api or device', SCHEMES);
  }
  const role = ROLES.find((each) => each === values.role);
  if (role === undefined) throw optionError('--role', values.role, 'viewer, operator or admin', ROLES);
  if (values.scheme === 'device' && role !== 'admin') {
    throw new UsageError('keys', '--role cannot be used with --scheme device: such a key can only report.');
  }
  const expiresAtMs = endIn(values['expires-in']);
  const config = loadConfig({
    env: process.env,
    ...(values.config === undefined ? {} : { path: values.config }),
  });
  const { fieldKey } = loadSecrets(config.data, process.env);
  const store = await openConfiguredStore(config, fieldKey, systemClock);
  try {
    if (action === 'make') {
      await applyConfig(store, config, systemClock);
      await make(store, { name: values.name, scheme: values.scheme, role, expiresAtMs });
    } else if (action === 'list') await list(store);
    else await revoke(store, uuid);
  } finally {
    await store.close();
  }
  return 0;
}

/** Epoch milliseconds; null: no end. Fails with a usage error. */
function endIn(days: string | undefined): number | null {
  if (days === undefined) return null;
  return systemClock.epochMs() + integerOption('--expires-in', days, 1, MAX_DAYS) * DAY_MS;
}

async function make(
  store: Store,
  { name, scheme, role, expiresAtMs }: Pick<ApiKey, 'name' | 'scheme' | 'role' | 'expiresAtMs'>,
): Promise<void> {
  const secret = makeApiKey();
  const key: ApiKey = {
    uuid: newRuuid(),
    orgUuid: scheme === 'partner-api' ? DEFAULT_PARTNER_ORG_UUID : DEFAULT_ORG_UUID,
    name,
    scheme,
    role,
    scope: null,
    keyHash: hashApiKey(secret.reveal()),
    createdAtMs: systemClock.epochMs(),
    createdByUuid: null,
    revokedAtMs: null,
    expiresAtMs,
  };
  await store.apiKeys.save(key);
  process.stdout.write(`${secret.reveal()}\n`);
  process.stderr.write(
    `Made "${printable(name, MAX_NAME_LENGTH)}" (${key.uuid}). The key will not be shown again.\n`,
  );
}

async function list(store: Store): Promise<void> {
  const keys = await store.apiKeys.listEverywhere();
  const uses = new Map<Ruuid, number>();
  for (const orgUuid of new Set(keys.map((key) => key.orgUuid))) {
    for (const [uuid, atMs] of (await store.apiKeys.lastUses(orgUuid)).lastMs) uses.set(uuid, atMs);
  }
  for (const key of keys.sort((a, b) => a.createdAtMs - b.createdAtMs)) {
    const state = stateText(key);
    const lastUsedMs = uses.get(key.uuid);
    const use = lastUsedMs === undefined ? 'never used' : `used ${isoText(lastUsedMs)}`;
    process.stdout.write(
      `${key.uuid}  ${key.scheme.padEnd(11)}  ${key.role.padEnd(8)}  ${isoText(key.createdAtMs)}  ` +
        `${state.padEnd(8)}  ${use.padEnd(21)}  ${printable(key.name, MAX_NAME_LENGTH)}\n`,
    );
  }
}

function stateText({ revokedAtMs, expiresAtMs }: ApiKey): string {
  if (revokedAtMs !== null) return `revoked ${isoText(revokedAtMs)}`;
  if (expiresAtMs === null) return 'active';
  return `${systemClock.epochMs() < expiresAtMs ? 'ends' : 'ended'} ${isoText(expiresAtMs)}`;
}

async function revoke(store: Store, uuid: string): Promise<void> {
  const keys = await store.apiKeys.listEverywhere();
  const key = isRuuid(uuid) ? keys.find((each) => each.uuid === uuid) : undefined;
  if (key === undefined)
    throw optionError('keys revoke', uuid, "a key's UUID, as printed by sluice keys list");
  const revokedAtMs = systemClock.epochMs();
  const decide = (now: ApiKey | null) => (now === null ? 'unchanged' : { ...now, revokedAtMs });
  await store.apiKeys.change(key.orgUuid, key.uuid, decide, 'vital');
  process.stderr.write(`Revoked "${printable(key.name, MAX_NAME_LENGTH)}".\n`);
}

function isoText(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 16);
}

export const keysCommand: Command = { help: HELP, run };
