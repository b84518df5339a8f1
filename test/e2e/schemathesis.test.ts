/** A short run of Schemathesis with one seed; `npm run fuzz` is the long one. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { runSchemathesis, startFuzzedGateway } from '../support/schemathesis.ts';

const SEED = 1;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startFuzzedGateway();
});
afterAll(() => gateway?.dispose());

it('answers requests made from the OpenAPI document as the document says', async () => {
  const run = await runSchemathesis(gateway, {
    phases: ['examples', 'fuzzing'],
    casesPerOperation: 3,
    seed: SEED,
    workers: 2,
  });
  expect(run.isClean, run.output).toBe(true);
  expect(run.cases).toBeGreaterThan(300);
  expect(gateway.child.lines.filter((line) => /"level":(50|"error")/.test(line))).toEqual([]);
}, 600_000);
