/**
 * Records an imaginary camera as fast as it can, and prints the number of each part once it is written. The test of kill
 * -9 runs it in its own process: `fake-crashing-recorder.ts <folder> <camera> <number> [encrypted]`.
 */

import { writeSync } from 'node:fs';
import { isRuuid } from '../core/ruuid.ts';
import { readBootId } from './boot-id.ts';
import { CRASH_TEST_KEYS, crashTestParts } from './crash-test-fixture.ts';
import { CountedNumbers } from './file-numbers.ts';
import { FileStorage } from './file-storage.ts';
import { RecordingWriter } from './recording-writer.ts';

const [, , folder, cameraUuid, nextNumber, encrypted] = process.argv;
if (folder === undefined || !isRuuid(cameraUuid)) throw new Error('missing arguments');

const writer = new RecordingWriter({
  stream: { cameraUuid, rendition: 'main' },
  storage: new FileStorage(folder),
  limits: { fileBytes: 4 * 1_048_576, syncIntervalMs: 50, minFreeBytes: 0 },
  bootId: readBootId(),
  numbers: new CountedNumbers(Number(nextNumber)),
  keys: encrypted === undefined ? null : CRASH_TEST_KEYS,
  events: {
    onSegment: () => undefined,
    onFile: () => undefined,
    onUnfinished: () => process.exit(3),
    onState: (state) => {
      process.stderr.write(`${JSON.stringify(state)}\n`);
      process.exit(4);
    },
    // A failure announces its state right afterwards, with the cause.
    onDropped: () => setImmediate(() => process.exit(5)),
  },
});

let index = 0;
for (const { part, bytes } of crashTestParts()) {
  await writer.write(part, bytes);
  writeSync(process.stdout.fd, `${index++}\n`);
}
process.exit(6);
