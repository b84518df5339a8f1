import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Small machines have no core to spare for the runner.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/structure/**/*.test.ts'],
          environment: 'node',
          pool: 'threads',
          testTimeout: 20_000,
        },
      },
      {
        // Tests that run over both databases: these ask the store for more than its contract suite covers.
        test: {
          name: 'postgres',
          include: [
            'src/api/report/*.test.ts',
            'src/reports/*.test.ts',
            'src/api/event/policy-alerts.test.ts',
          ],
          environment: 'node',
          pool: 'threads',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: 'test/support/postgres-for-unit-tests.ts',
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['test/structure/**'],
          environment: 'node',
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
