/** kill -9 while a stream is being written: every part that was written is there, and nothing half-written is. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { readBootId } from './boot-id.ts';
import { CRASH_TEST_KEYS, crashTestParts } from './crash-test-fixture.ts';
import { DecryptingStorage } from './decrypting-storage.ts';
import { FileStorage } from './file-storage.ts';
import { testFolder } from './recording-fixture.ts';
import { repairRecording } from './repair-recording.ts';
import { recordingName, recordingNumber } from './segment-index.ts';

const RECORDER = fileURLToPath(new URL('./fake-crashing-recorder.ts', import.meta.url));
/** `SLUICE_KILL_ROUNDS=200` for a longer run. */
const ROUNDS = Number(process.env.SLUICE_KILL_ROUNDS ?? 8);
const NUMBERS_PER_ROUND = 1_000;

interface Killed {
  /** The last part that was reported as written. */
  readonly lastPart: number;
}

/** Kills it after `parts` parts. */
async function recordAndKill(folder: string, camera: string, number: number, parts: number): Promise<Killed> {
  // Every other one is encrypted.
  const encrypted = (number / NUMBERS_PER_ROUND) % 2 === 1 ? ['encrypted'] : [];
  const child = spawn(process.execPath, [RECORDER, folder, camera, String(number), ...encrypted], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
    if (text.split('\n').length > parts) child.kill('SIGKILL');
  });
  const [code, signal] = await once(child, 'close');
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  return { lastPart: Number(lines.at(-1)) };
}

describe('kill -9', () => {
  it(`loses at most the part in progress, ${ROUNDS} times`, {
    timeout: 60_000 + ROUNDS * 3_000,
  }, async () => {
    const folder = testFolder();
    const storage = new DecryptingStorage(new FileStorage(folder), CRASH_TEST_KEYS);
    const bootId = readBootId();
    for (let round = 0; round < ROUNDS; round++) {
      const stream = { cameraUuid: newRuuid(), rendition: 'main' as const };
      const after = 5 + ((round * 37) % 90);
      const { lastPart } = await recordAndKill(folder, stream.cameraUuid, round * NUMBERS_PER_ROUND, after);
      const media: Buffer[] = [];
      for (const name of await storage.list(`${stream.cameraUuid}/main`)) {
        const number = recordingNumber(name)!;
        const file = await repairRecording(storage, recordingName(stream, number), bootId);
        if (file === null) continue;
        const reader = await storage.open(recordingName(stream, number));
        for (const { offset, byteLength } of file.segments) media.push(await reader.read(offset, byteLength));
        await reader.close();
        await storage.delete(recordingName(stream, number));
      }
      const found = Buffer.concat(media);
      // All that was reported, then whole parts that were written and not reported anymore.
      let at = 0;
      let index = 0;
      for (const { bytes } of crashTestParts()) {
        if (at === found.length) break;
        expect(found.subarray(at, at + bytes.length).equals(bytes)).toBe(true);
        at += bytes.length;
        index++;
      }
      expect(at).toBe(found.length);
      expect(index).toBeGreaterThan(lastPart);
    }
  });
});
