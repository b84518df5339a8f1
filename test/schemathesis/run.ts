/**
 * `npm run fuzz [-- --cases N --seed N]`: a long run of Schemathesis against a gateway of its own: the examples of the
 * document, every boundary of every field (`--phases`), and N random cases besides. Ends with 1 when an answer is not as documented.
 */

import { parseArgs } from 'node:util';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { OAUTH_OPERATIONS } from '../../src/api/oauth/oauth-operations.ts';
import { runSchemathesis, startFuzzedGateway } from '../support/schemathesis.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    phases: { type: 'string', default: 'examples,coverage,fuzzing' },
  },
});
/** One waits for the gateway while another makes its next case. */
const WORKERS = 4;
const operations = ENDPOINTS.length + OAUTH_OPERATIONS.length;

const gateway = await startFuzzedGateway();
try {
  const { cases, isClean } = await runSchemathesis(gateway, {
    phases: values.phases.split(','),
    casesPerOperation: Math.ceil(Number(values.cases) / operations),
    seed: Number(values.seed),
    workers: WORKERS,
    onOutput: (text) => process.stdout.write(text),
  });
  process.stdout.write(`${cases} cases with seed ${values.seed}: ${isClean ? 'no findings' : 'see above'}\n`);
  process.exitCode = isClean ? 0 : 1;
} finally {
  await gateway.dispose();
}
