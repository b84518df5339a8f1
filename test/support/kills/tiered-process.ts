/**
 * A process that is killed while files move from the disk to S3: `tiered-process.ts <task.json>`. Checks what earlier ones acknowledged,
 * then seals files, which move a moment later, deletes the oldest, and reports both.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/core/clock.ts';
import { toGatewayError } from '../../../src/core/errors.ts';
import type { MediaStorage } from '../../../src/recording/media-storage.ts';
import { openStorage } from '../../../src/recording/open-storage.ts';
import { BUCKET, type TierLine, type TierTask } from './tier-task.ts';

const KEPT_FILES = 12;
const PIECE_BYTES = 16_384;
const PAUSE_MS = 5;

/** The content that a file of this name has. */
function contentOf(name: string): Buffer {
  const digest = createHash('sha256').update(name).digest();
  const byteLength = 40_000 + digest.readUInt16BE(0) * 3;
  return Buffer.alloc(byteLength, digest);
}

function say(line: TierLine): void {
  writeSync(process.stdout.fd, `${JSON.stringify(line)}\n`);
}

async function faultOf(storage: MediaStorage, name: string): Promise<string | null> {
  try {
    const reader = await storage.open(name);
    const bytes = await reader.read(0, reader.byteLength).finally(() => reader.close());
    return bytes.equals(contentOf(name)) ? null : `${name} has ${bytes.length} other bytes`;
  } catch (thrown) {
    return `${name}: ${toGatewayError(thrown).code}`;
  }
}

async function check(storage: MediaStorage, { sealed, deleted, isAway }: TierTask): Promise<void> {
  const faults: string[] = [];
  // What has moved is there when S3 is back.
  if (isAway) return say({ what: 'started', checked: 0, faults });
  for (const name of sealed) {
    const fault = await faultOf(storage, name);
    if (fault !== null) faults.push(fault);
  }
  for (const name of deleted) {
    const fault = await faultOf(storage, name);
    if (fault !== `${name}: RECORDING_NOT_FOUND`) faults.push(`${name} is still there: ${fault}`);
  }
  say({ what: 'started', checked: sealed.length + deleted.length, faults });
}

/** Never ends. */
async function work(storage: MediaStorage, camera: string, kept: string[]): Promise<void> {
  const newest = await storage.newestName(`${camera}/main`);
  for (let number = newest === null ? 0 : Number.parseInt(newest, 10) + 1; ; number++) {
    const name = `${camera}/main/${String(number).padStart(12, '0')}.mp4`;
    const content = contentOf(name);
    const file = await storage.create(name, content.length);
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      await file.append([content.subarray(at, at + PIECE_BYTES)]);
    }
    await file.seal();
    say({ what: 'sealed', name });
    kept.push(name);
    while (kept.length > KEPT_FILES && !task.isAway) {
      const oldest = kept.shift()!;
      say({ what: 'deleting', name: oldest });
      await storage.delete(oldest);
      say({ what: 'deleted', name: oldest });
    }
    await delay(PAUSE_MS);
  }
}

const task: TierTask = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const { folder, endpoint, localMs, cameras, sealed, deleting, isLast } = task;
const spoolFolder = join(folder, 'spool');
const storage = await openStorage(
  {
    folder,
    key: Buffer.alloc(32, 7),
    s3: {
      bucket: BUCKET,
      region: 'us-east-1',
      endpoint,
      prefix: '',
      credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' },
      maxSpoolBytes: 1_073_741_824,
      localMs: isLast ? 0 : localMs,
    },
  },
  { clock: systemClock, minFreeBytes: 0, writes: 'recordings', organizationOf: (camera) => camera },
);
if (isLast) while (sealed.some((name) => existsSync(join(spoolFolder, name)))) await delay(PAUSE_MS);
await check(storage, task);
if (isLast) process.exit(0);
await Promise.all(
  cameras.map((camera) =>
    work(
      storage,
      camera,
      [...deleting, ...sealed].filter((name) => name.startsWith(camera)),
    ),
  ),
);
