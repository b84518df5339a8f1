/**
 * Changes records in its own process, for the tests of changes between processes (process-changes-contract.ts). Takes one
 * argument, a WriterTask as JSON, and prints `ready`. It begins after a line on its standard input. It prints `1` for
 * each acknowledged increment, and at the end what it did to the record that is created and removed.
 */

import { writeSync } from 'node:fs';
import { systemClock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import { openStore } from './open-store.ts';
import { type Resource, resourceKind } from './resource.ts';
import type { Store } from './store.ts';

export interface WriterTask {
  /** Path of an SQLite file, or URL of a PostgreSQL database. */
  readonly database: string;
  readonly fieldKeyHex: string;
  readonly orgUuid: Ruuid;
  /** A resource that is incremented. */
  readonly counterUuid: Ruuid;
  /** A share whose epoch is incremented. */
  readonly shareUuid: Ruuid;
  /** A resource that is created, incremented a few times and removed, over and over. */
  readonly comingUuid: Ruuid;
  readonly changes: number;
}

export interface CounterBody {
  readonly count: number;
}

/** How often that record is incremented before it is removed. */
export const GOES_AT = 5;
export const COUNTERS = resourceKind<CounterBody>('door');

export function openTaskStore({
  database,
  fieldKeyHex,
}: Pick<WriterTask, 'database' | 'fieldKeyHex'>): Promise<Store> {
  const common = { fieldKey: Buffer.from(fieldKeyHex, 'hex'), clock: systemClock };
  return database.startsWith('postgres:')
    ? openStore({ ...common, kind: 'postgres', url: new CredentialUrl(database) })
    : openStore({ ...common, kind: 'sqlite', path: database });
}

async function write(task: WriterTask): Promise<void> {
  const store = await openTaskStore(task);
  const { orgUuid, counterUuid, shareUuid, comingUuid } = task;
  const counters = store.resources.of(COUNTERS);
  const counted = { CREATE: 0, UPDATE: 0, DELETE: 0 };
  store.onChange(({ uuid, type }) => {
    if (uuid === comingUuid) counted[type] += 1;
  });
  const raised = (uuid: Ruuid, known: Resource<CounterBody> | null): Resource<CounterBody> => ({
    uuid,
    orgUuid,
    name: '',
    parentUuid: null,
    secret: null,
    createdAtMs: 1,
    updatedAtMs: 1,
    body: { count: (known?.body.count ?? 0) + 1 },
  });
  print('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  for (let change = 0; change < task.changes; change++) {
    await Promise.all([
      counters.change(orgUuid, counterUuid, (known) => raised(counterUuid, known)),
      store.shares.change(orgUuid, shareUuid, (known) => ({
        ...known!,
        accessEpoch: known!.accessEpoch + 1,
      })),
      counters.change(orgUuid, comingUuid, (known) =>
        known?.body.count === GOES_AT ? 'removed' : raised(comingUuid, known),
      ),
    ]);
    print('1');
  }
  await store.close();
  print(JSON.stringify(counted));
  process.stdin.destroy();
}

function print(line: string): void {
  writeSync(process.stdout.fd, `${line}\n`);
}

const [, , argument] = process.argv;
if (import.meta.main && argument !== undefined) await write(JSON.parse(argument) as WriterTask);
