/** The guarantees for changes of one record between processes, on every database. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { COUNTERS, GOES_AT, openTaskStore, type WriterTask } from './change-writer-fixture.ts';
import { sampleOrganization, sampleShare } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';

const WRITER = fileURLToPath(new URL('./change-writer-fixture.ts', import.meta.url));
const FIELD_KEY = Buffer.alloc(32, 7);
const CHANGES = 1_000;
const KILLED_AFTER = [40, 150, 90];
/** Far more than a slow disk needs. */
const TIMEOUT_MS = 180_000;

/** `createDatabase` returns the path or the URL of an empty database. */
export function describeChangesBetweenProcesses(name: string, createDatabase: () => Promise<string>): void {
  describe(`changes of one record by two processes: ${name}`, () => {
    it(`${CHANGES} of each are all stored, including those of a record that is created and removed`, {
      timeout: TIMEOUT_MS,
    }, async () => {
      const task = await prepared(await createDatabase(), CHANGES);
      const writers = [new Writer(task), new Writer(task)];
      for (const writer of writers) await writer.begin();
      const reports = await Promise.all(writers.map((writer) => writer.end()));
      expect(reports.map(({ acknowledged, code }) => [acknowledged, code])).toEqual(
        writers.map(() => [CHANGES, 0]),
      );
      await withStore(task, async (store) => {
        const { orgUuid, counterUuid, shareUuid, comingUuid } = task;
        const counters = store.resources.of(COUNTERS);
        expect((await counters.find(orgUuid, counterUuid))?.body.count).toBe(2 * CHANGES);
        expect((await store.shares.find(orgUuid, shareUuid))?.accessEpoch).toBe(2 * CHANGES);
        // Absent, 1 to GOES_AT, absent again: each change leads to the next of GOES_AT + 1 states.
        const state = (await counters.find(orgUuid, comingUuid))?.body.count ?? 0;
        expect(state).toBe((2 * CHANGES) % (GOES_AT + 1));
        const told = reports.map(({ last }) => JSON.parse(last) as Record<string, number>);
        const sum = (type: string) => told.reduce((total, counted) => total + counted[type]!, 0);
        const rounds = Math.floor((2 * CHANGES) / (GOES_AT + 1));
        const [begun, raises] = state === 0 ? [0, 0] : [1, state - 1];
        expect([sum('CREATE'), sum('UPDATE'), sum('DELETE')]).toEqual([
          rounds + begun,
          rounds * (GOES_AT - 1) + raises,
          rounds,
        ]);
      });
    });

    it('keep every acknowledged change when one process is killed', { timeout: TIMEOUT_MS }, async () => {
      const task = await prepared(await createDatabase(), CHANGES);
      const steady = new Writer(task);
      await steady.begin();
      let acknowledged = 0;
      for (const after of KILLED_AFTER) {
        const victim = new Writer(task);
        await victim.begin();
        const report = await victim.kill(after);
        expect(report.signal).toBe('SIGKILL');
        acknowledged += report.acknowledged;
      }
      acknowledged += (await steady.end()).acknowledged;
      expect(acknowledged).toBeGreaterThanOrEqual(CHANGES + KILLED_AFTER.reduce((sum, after) => sum + after));
      await withStore(task, async (store) => {
        const share = await store.shares.find(task.orgUuid, task.shareUuid);
        const counter = await store.resources.of(COUNTERS).find(task.orgUuid, task.counterUuid);
        // A change in progress when its process was killed may have been stored, but was not acknowledged.
        for (const count of [share?.accessEpoch, counter?.body.count]) {
          expect(count).toBeGreaterThanOrEqual(acknowledged);
          expect(count).toBeLessThanOrEqual(acknowledged + KILLED_AFTER.length);
        }
      });
    });
  });
}

async function prepared(database: string, changes: number): Promise<WriterTask> {
  const organization = sampleOrganization();
  const share = sampleShare(organization.uuid, { accessEpoch: 0 });
  const uuids = { counterUuid: newRuuid(), comingUuid: newRuuid(), shareUuid: share.uuid };
  const orgUuid = organization.uuid;
  const task = { database, fieldKeyHex: FIELD_KEY.toString('hex'), orgUuid, ...uuids, changes };
  await withStore(task, async (store) => {
    await store.organizations.save(organization);
    await store.shares.save(share);
  });
  return task;
}

async function withStore(task: WriterTask, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openTaskStore(task);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

interface Report {
  readonly acknowledged: number;
  readonly code: number | null;
  readonly signal: string | null;
  /** The last line it printed. */
  readonly last: string;
}

class Writer {
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #report: Promise<Report>;
  #killAfter = Number.POSITIVE_INFINITY;
  #acknowledged = 0;
  #last = '';

  constructor(task: WriterTask) {
    this.#child = spawn(process.execPath, [WRITER, JSON.stringify(task)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#report = this.#read();
  }

  /** Resolves when it has begun. */
  async begin(): Promise<void> {
    await Promise.race([this.#ready.promise, this.#report]);
    this.#child.stdin!.write('begin\n');
  }

  /** Resolves when it has ended on its own. */
  end(): Promise<Report> {
    return this.#report;
  }

  /** Kills it when it has acknowledged this many changes. */
  kill(after: number): Promise<Report> {
    this.#killAfter = after;
    return this.#report;
  }

  async #read(): Promise<Report> {
    const exited = once(this.#child, 'exit') as Promise<[number | null, string | null]>;
    for await (const line of createInterface({ input: this.#child.stdout! })) {
      this.#last = line;
      if (line === 'ready') this.#ready.resolve();
      if (line === '1') this.#acknowledged += 1;
      if (this.#acknowledged >= this.#killAfter) this.#child.kill('SIGKILL');
    }
    const [code, signal] = await exited;
    return { acknowledged: this.#acknowledged, code, signal, last: this.#last };
  }
}
