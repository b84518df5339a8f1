/**
 * Measures what the hash chain of recorded segments costs the recorder's thread: 50 cameras at 4 Mbit/s in parts of 33 kB and
 * segments of 2 s, written with and without links in turn. The first column counts only the writer; the share of a core is
 * that of all cameras at their pace. Run: node bench/micro/recording-chain.ts
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newRuuid } from '../../src/core/ruuid.ts';
import { signingKey } from '../../src/evidence/signing-key.ts';
import { CountedNumbers } from '../../src/recording/file-numbers.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import { RecordingWriter } from '../../src/recording/recording-writer.ts';
import { SegmentChain } from '../../src/recording/segment-chain.ts';
import { median, printTable } from '../report.ts';

const CAMERAS = 50;
const BYTES_PER_SEC = 500_000;
const SEGMENT_SEC = 2;
const PARTS = 30;
const SEGMENTS = 40;
const SAMPLES = 9;
const HZ = 90_000;
const SIGNER = signingKey(Buffer.alloc(32, 7), 1);
const INIT = Buffer.alloc(700, 1);
const PART = Buffer.from(new SharedArrayBuffer((BYTES_PER_SEC * SEGMENT_SEC) / PARTS)).fill(0x5a);

/** CPU microseconds per segment. */
async function measure(folder: string, isLinked: boolean): Promise<number> {
  const stream = { cameraUuid: newRuuid(), rendition: 'main' } as const;
  const writer = new RecordingWriter({
    stream,
    storage: new FileStorage(folder),
    limits: { fileBytes: 64 * 1_048_576, syncIntervalMs: 5_000, minFreeBytes: 0 },
    bootId: Buffer.alloc(16),
    numbers: new CountedNumbers(0),
    chain: isLinked ? new SegmentChain(stream, () => SIGNER) : null,
    events: {
      onSegment: () => undefined,
      onFile: () => undefined,
      onUnfinished: () => undefined,
      onState: () => undefined,
      onDropped: () => {
        throw new Error('the disk is too slow or full');
      },
    },
  });
  const before = process.cpuUsage();
  const durationTicks = (HZ * SEGMENT_SEC) / PARTS;
  for (let i = 0; i < SEGMENTS * PARTS; i++) {
    const at = i % PARTS;
    const startTicks = i * durationTicks;
    await writer.write(
      {
        timescaleHz: HZ,
        startTicks,
        durationTicks,
        pictures: 2,
        epochMs: Date.UTC(2026, 0, 1) + startTicks / 90,
        isSegmentStart: at === 0,
        isSegmentEnd: at === PARTS - 1,
        isDiscontinuity: i === 0,
        init: i === 0 ? INIT : null,
      },
      PART,
    );
  }
  const { user, system } = process.cpuUsage(before);
  await writer.close();
  return (user + system) / SEGMENTS;
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-chain-'));
try {
  const samples: Record<'plain' | 'linked', number[]> = { plain: [], linked: [] };
  for (let i = 0; i < SAMPLES; i++) {
    samples.plain.push(await measure(folder, false));
    samples.linked.push(await measure(folder, true));
  }
  const [plain, linked] = [median(samples.plain), median(samples.linked)];
  const segmentsPerSec = CAMERAS / SEGMENT_SEC;
  const corePercent = (micros: number) => (micros * segmentsPerSec) / 10_000;
  const rows = [
    { case: 'without links', 'µs per segment': plain, 'core %, 50 cameras': corePercent(plain), ratio: 1 },
    {
      case: 'with links',
      'µs per segment': linked,
      'core %, 50 cameras': corePercent(linked),
      ratio: linked / plain,
    },
    {
      case: 'the links alone',
      'µs per segment': linked - plain,
      'core %, 50 cameras': corePercent(linked - plain),
      ratio: (linked - plain) / plain,
    },
  ];
  printTable({ name: 'recording chain', rows, figures: {} });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
