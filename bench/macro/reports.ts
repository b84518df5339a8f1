/**
 * `node bench/macro/reports.ts`: counting a million crossings, from the database file. Few cameras with many
 * crossings and many cameras with few, in buckets from quarter hours to months, every crossing and every object
 * once. Ingesting them is measured as well, since what makes counting fast happens there.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { type BucketSize, bucketRuns } from '../../src/platform/reports/report-buckets.ts';
import { CROSSING_DIRECTIONS, CROSSING_OBJECTS, type Crossing } from '../../src/store/crossing.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleOrganization } from '../../src/store/sample-entities-fixture.ts';
import type { Store } from '../../src/store/store.ts';
import { type BenchOptions, type BenchResult, median, printTable, type Row } from '../report.ts';

const CROSSINGS = 1_000_000;
const BATCH_CROSSINGS = 1_000;
const ROUNDS = 5;
const MS_PER_DAY = 86_400_000;
const START_MS = Date.UTC(2026, 2, 1);
const TIME_ZONE = 'Europe/Berlin';

interface Fleet {
  readonly cameras: number;
  readonly days: number;
  /** Objects that a camera distinguishes before it starts over. */
  readonly objects: number;
}

const FLEETS: readonly Fleet[] = [
  { cameras: 1, days: 30, objects: 100_000 },
  { cameras: 20, days: 30, objects: 2_000 },
  { cameras: 500, days: 90, objects: 100 },
];
const SIZES: readonly BucketSize[] = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH'];

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const rows: Row[] = [];
  const crossings = isShort ? CROSSINGS / 10 : CROSSINGS;
  for (const fleet of FLEETS) rows.push(...(await measureFleet(fleet, crossings)));
  const slowestOf = (figure: string) => Math.max(...rows.map((row) => Number(row[figure] ?? 0)));
  return {
    name: 'reports',
    rows,
    figures: {
      countsMs: slowestOf('counts ms'),
      dedupedCountsMs: slowestOf('deduped ms'),
      ingestMsPerBatch: slowestOf('ingest ms/batch'),
    },
  };
}

async function measureFleet(fleet: Fleet, crossings: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const path = join(folder, 'reports.db');
  const store = await openStore({ kind: 'sqlite', path, fieldKey: Buffer.alloc(32), clock: systemClock });
  try {
    const organization = sampleOrganization();
    await store.organizations.save(organization);
    const batchMs = await takeIn(store, organization.uuid, fleet, crossings);
    const rows: Row[] = [];
    for (const size of SIZES) {
      rows.push({
        case: `${fleet.cameras} cameras, ${fleet.days} days, ${size}`,
        'counts ms': await measure(store, organization.uuid, fleet, size, false),
        'deduped ms': await measure(store, organization.uuid, fleet, size, true),
        'ingest ms/batch': batchMs,
      });
    }
    return rows;
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

/** The median time of a batch. */
async function takeIn(store: Store, orgUuid: Ruuid, fleet: Fleet, crossings: number): Promise<number> {
  const cameras = Array.from({ length: fleet.cameras }, () => newRuuid());
  const batchMs: number[] = [];
  for (let first = 0; first < crossings; first += BATCH_CROSSINGS) {
    const batch: Crossing[] = [];
    for (let index = first; index < first + BATCH_CROSSINGS; index++) {
      batch.push({
        id: `c${index}`,
        deviceUuid: cameras[index % fleet.cameras]!,
        facet: '',
        atMs: START_MS + Math.floor((index / crossings) * fleet.days * MS_PER_DAY),
        object: CROSSING_OBJECTS[Math.imul(index, 0x9e3779b1) & 1]!,
        objectId: (Math.imul(index, 0x85ebca6b) >>> 4) % fleet.objects,
        direction: CROSSING_DIRECTIONS[(Math.imul(index, 0xc2b2ae35) >>> 8) & 1]!,
      });
    }
    const beforeMs = performance.now();
    await store.crossings.add(orgUuid, batch);
    batchMs.push(performance.now() - beforeMs);
  }
  return median(batchMs);
}

async function measure(
  store: Store,
  orgUuid: Ruuid,
  { days }: Fleet,
  size: BucketSize,
  isDeduplicated: boolean,
): Promise<number> {
  const range = { fromMs: START_MS, toMs: START_MS + days * MS_PER_DAY };
  const elapsedMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const beforeMs = performance.now();
    const runs = bucketRuns({ ...range, size, timeZone: TIME_ZONE });
    await store.crossings.counts(orgUuid, { devices: null, ...range, runs, isDeduplicated });
    elapsedMs.push(performance.now() - beforeMs);
  }
  return median(elapsedMs);
}

if (import.meta.main) printTable(await run({ isShort: process.argv.includes('--short') }));
