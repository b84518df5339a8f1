import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { SAMPLE_STATE } from '../../system/fake-system-calls.ts';
import { LogMemory } from '../../system/log-memory.ts';
import { supportBundle, wholeLog } from '../../system/support-bundle.ts';
import { describeConfig } from '../config/describe-config.ts';
import { parseConfig } from '../config/load-config.ts';
import { SECRET_YAML, SHOWN_BUCKET, secretsIn } from '../config/secret-config-fixture.ts';
import { APP_ERRORS } from './errors.ts';
import { createLog } from './logging.ts';

it('a support bundle of a gateway that has and logs every secret contains none, in no encoding', async () => {
  const config = parseConfig(SECRET_YAML, 'sluice.yaml', {});
  const memory = new LogMemory();
  const log = createLog({
    level: 'debug',
    format: 'json',
    destination: { write: () => undefined },
    onLine: (line) => memory.add('gateway', line),
  });
  // The key's ID is no Secret, and nothing logs it.
  const { s3, ...others } = config;
  log.info({ config: { ...others, secretAccessKey: s3.secretAccessKey } }, 'everything');
  for (const camera of config.cameras) {
    log
      .child({ camera })
      .debug({ url: camera.rtsp, redis: config.redis, database: config.database }, 'opened');
    const failure = new GatewayError(
      APP_ERRORS.CLI_LISTEN_FAILED,
      { host: `${camera.rtsp}` },
      new Error('refused'),
    );
    log.error({ err: failure }, 'failed');
  }
  const source = { file: 'sluice.yaml', text: SECRET_YAML };
  const query = { list: null, offset: 0, limit: 0 };
  const bytes = await supportBundle({
    createdAtEpochMs: 0,
    state: SAMPLE_STATE,
    configuration: describeConfig({ started: source, loaded: source }, {}, query),
    counters: { firstEpochMs: 0, intervalMs: 10_000, samples: 0, columns: {} },
    streams: [],
    log: await wholeLog(async (afterId) => memory.page(afterId)),
  });
  const text = gunzipSync(bytes).toString();
  expect(text).toContain(SHOWN_BUCKET);
  expect(text).toContain('192.0.2.10');
  expect(JSON.parse(text).log).toHaveLength(5);
  expect(secretsIn(text)).toEqual([]);
});
