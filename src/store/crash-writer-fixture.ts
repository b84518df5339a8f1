/**
 * Keeps saving shares, several at a time, and prints each uuid when its save is acknowledged. The test of kill -9 runs it
 * in its own process: `crash-writer-fixture.ts <database path> <organization> <field key as hex>`.
 */

import { writeSync } from 'node:fs';
import { systemClock } from '../core/clock.ts';
import { isRuuid } from '../core/ruuid.ts';
import { openStore } from './open-store.ts';
import { sampleShare } from './sample-entities-fixture.ts';

const SAVES_AT_A_TIME = 8;

const [, , path, orgUuid, fieldKeyHex] = process.argv;
if (path === undefined || !isRuuid(orgUuid) || fieldKeyHex === undefined)
  throw new Error('missing arguments');

const store = await openStore({
  kind: 'sqlite',
  path,
  fieldKey: Buffer.from(fieldKeyHex, 'hex'),
  clock: systemClock,
});

while (true) {
  const shares = Array.from({ length: SAVES_AT_A_TIME }, () => sampleShare(orgUuid));
  await Promise.all(
    shares.map(async (share) => {
      await store.shares.save(share);
      writeSync(process.stdout.fd, `${share.uuid}\n`);
    }),
  );
}
