import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Tests start hundreds of gateways and database threads: Node keeps what it compiled for those that come after.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/**
 * One after another, nothing next to them. No test is judged by a clock, so few need this: those that need both cores of a
 * small machine for minutes, and would keep others from their cameras.
 */
const ALONE = [
  // A camera, an encoder and a browser's page for each of dozens of rows.
  'test/web/camera-matrix/camera-matrix.test.ts',
  // Three nodes restart under 200 viewers. A node that gets no processor for 2 s loses its leases, and the next one leaves a gap.
  'test/web/cluster-drain.test.ts',
  // Dozens of cameras at the same time, whose media time must keep pace with the clock (src/sources/jump-contract.ts).
  'test/e2e/source-jumps.test.ts',
  // Sixteen players, their cameras, and the browser's collector of garbage, round after round.
  'test/web/console-wall-soak.test.ts',
  // A camera whose reports lie is judged by arrival times, which a busy machine delays.
  'test/e2e/drifting-sound.test.ts',
];

/** Short files that take long. A fresh checkout starts with the largest files, and these would be waited for at the end. */
const LONG = [
  'test/e2e/cluster-past.test.ts',
  'test/e2e/source-contract.test.ts',
  'test/e2e/generated-client.test.ts',
  'test/e2e/standstill.test.ts',
  'test/e2e/schemathesis.test.ts',
  'test/e2e/paused-process.test.ts',
  'test/web/slow-buffer.test.ts',
  'test/web/long-gop-links.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((file) => moduleId.endsWith(`/${file}`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Deterministic: the guard fails tests that are not. */
const unit = {
  environment: 'node',
  pool: 'forks',
  setupFiles: 'test/support/unit-guard.ts',
  // Files share what they import: to load the API for each of them took longer than its tests.
  isolate: false,
  // Tests wait for nothing, so more workers than cores would only load the same files more often.
  maxWorkers: availableParallelism(),
  // For a busy machine: what hangs never ends.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  sequence: { groupOrder: 0 },
} as const;

/** Projects whose tests start gateways as processes. */
const BUILT_GATEWAY = 'test/support/built-gateway.ts';

const endToEnd = {
  environment: 'node',
  pool: 'forks',
  isolate: false,
  // For a busy machine, on which a gateway starts in a minute: what hangs never ends.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  // As all limits here: it ends what hangs, and judges nothing.
  expect: { poll: { timeout: 100_000 } },
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/structure/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/*.real.test.ts', '**/*.contract.test.ts'],
          // Files load as in the product, without a bundler between: that takes a quarter of the time.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      {
        // A browser's modules: Node.js alone cannot load those with elements in them.
        test: {
          ...unit,
          name: 'unit-web',
          include: ['web/*.test.ts', 'web/words/*.test.ts', 'web/console/**/*.test.ts'],
          exclude: ['**/*.real.test.ts'],
        },
      },
      {
        // Tests that run over both databases: these ask the store for more than its contract suite covers.
        test: {
          name: 'postgres',
          include: [
            'src/platform/reports/*.test.ts',
            'src/platform/endpoints/{crossing-reports,device-crossings,object-counts,occupancy-and-sales}.test.ts',
            'src/api/organization/{audit-*,diagnostics,find-audit-events}.test.ts',
            'src/api/alerts/policy-alerts.test.ts',
            'src/api/idempotency.test.ts',
            'src/api/ingest/conflicts.test.ts',
            'src/api/oauth/registration.test.ts',
          ],
          environment: 'node',
          pool: 'forks',
          isolate: false,
          maxWorkers: Math.max(4, availableParallelism()),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: 'test/support/postgres-for-unit-tests.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Tests next to their file that start processes, listen, or wait for real timers.
        test: {
          ...endToEnd,
          name: 'real',
          globalSetup: BUILT_GATEWAY,
          include: ['src/**/*.real.test.ts', 'web/console/**/*.real.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Twins share one suite: memory and Redis, SQLite and PostgreSQL.
        test: {
          ...endToEnd,
          name: 'contracts',
          include: ['src/**/*.contract.test.ts', 'test/simulation/*.contract.test.ts'],
          maxWorkers: 2,
          globalSetup: 'test/support/postgres-for-contracts.ts',
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Whole gateways on virtual time, in one process.
        test: {
          ...endToEnd,
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          exclude: ['**/*.contract.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // One thread through each promise of the product, against real peers.
        test: {
          ...endToEnd,
          name: 'gate',
          globalSetup: BUILT_GATEWAY,
          include: ['test/gate/**/*.test.ts'],
          maxWorkers: 2,
          // For a busy machine: two nodes with their servers took 90 s to start at a load of 30.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Most of their time they wait, for cameras, players and deadlines.
        test: {
          ...endToEnd,
          name: 'e2e',
          globalSetup: BUILT_GATEWAY,
          include: ['test/e2e/**/*.test.ts', 'test/web/**/*.test.ts'],
          exclude: ALONE,
          // A third one ends some minutes sooner on two cores, and each test has to bear with two others that start gateways and browsers.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'alone',
          globalSetup: BUILT_GATEWAY,
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
