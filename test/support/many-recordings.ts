/** The index of a long past without its files, from which a timeline is drawn: in a moment instead of a month. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RECORDING_BOX_BYTES } from '../../src/recording/recording-boxes.ts';
import { packIndex } from '../../src/recording/segment-index.ts';
import type { TestGateway } from './gateway.ts';

const FILE_MS = 600_000;
const SEGMENT_MS = 2_000;
const TIMESCALE_HZ = 90_000;
const BYTES_PER_MS = 500;

export interface ManyRecordings {
  readonly cameraUuids: readonly string[];
  /** Whole files of ten minutes from here on. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Files from here on have segments of two seconds; earlier files are one segment each, to save time. */
  readonly detailedFromMs: number;
  readonly isRecorded: (camera: number, atMs: number) => boolean;
}

/** The gateway must not be running. Returns the number of files. */
export function fillRecordings(gateway: TestGateway, recordings: ManyRecordings): number {
  const { cameraUuids, fromMs, toMs, detailedFromMs, isRecorded } = recordings;
  const database = new DatabaseSync(join(gateway.folder, 'data', 'sluice.db'));
  let files = 0;
  try {
    database.exec('pragma synchronous = off; begin');
    const insert = database.prepare(
      'insert into recordings (camera_uuid, rendition, number, start_ms, end_ms, byte_length, segments_json) ' +
        "values (?, 'main', ?, ?, ?, ?, ?)",
    );
    const [plain, detailed] = [indexOf(FILE_MS), indexOf(SEGMENT_MS)];
    for (const [camera, cameraUuid] of cameraUuids.entries()) {
      let number = 0;
      for (let atMs = fromMs; atMs < toMs; atMs += FILE_MS) {
        if (!isRecorded(camera, atMs)) continue;
        const index = (atMs >= detailedFromMs ? detailed : plain).replace('"ms":0,', `"ms":${atMs},`);
        insert.run(cameraUuid, number++, atMs, atMs + FILE_MS, FILE_MS * BYTES_PER_MS, index);
        files += 1;
      }
    }
    database.exec('commit');
  } finally {
    database.close();
  }
  return files;
}

/** Index of a file that begins at the epoch. */
function indexOf(segmentMs: number): string {
  const byteLength = segmentMs * BYTES_PER_MS;
  const stepBytes = byteLength + RECORDING_BOX_BYTES.trailer + RECORDING_BOX_BYTES.segment;
  const durationTicks = (segmentMs * TIMESCALE_HZ) / 1_000;
  return packIndex(
    Array.from({ length: FILE_MS / segmentMs }, (_, i) => ({
      offset: 1_000 + i * stepBytes,
      byteLength,
      startTicks: i * durationTicks,
      durationTicks,
      timescaleHz: TIMESCALE_HZ,
      epochMs: i * segmentMs,
      isDiscontinuity: i === 0,
      init: { offset: 100, byteLength: 700 },
    })),
  );
}
