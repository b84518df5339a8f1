import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests start hundreds of gateways and database threads: Node keeps what it compiled for those that come after.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** Judged by a clock that others would hold up, or such that they hold up others: one after another, nothing beside. */
const ALONE = ['test/web/live-page.test.ts', 'test/e2e/hostile.test.ts', 'test/e2e/descriptors.test.ts'];

const endToEnd = {
  environment: 'node',
  pool: 'forks',
  testTimeout: 120_000,
  hookTimeout: 120_000,
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/structure/**/*.test.ts'],
          environment: 'node',
          pool: 'threads',
          // Files share what they import: to load the API for each of them took longer than its tests.
          isolate: false,
          // One more than a small machine has cores, for tests that wait.
          maxWorkers: '150%',
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Tests that run over both databases: these ask the store for more than its contract suite covers.
        test: {
          name: 'postgres',
          include: ['src/api/report/*.test.ts', 'src/api/event/policy-alerts.test.ts'],
          environment: 'node',
          pool: 'threads',
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: 'test/support/postgres-for-unit-tests.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Most of their time they wait, for cameras, players and deadlines.
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['test/structure/**', ...ALONE],
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
