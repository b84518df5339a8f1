/**
 * The process that is killed: `killed-process.ts <task.json>`. Checks the acknowledgements of earlier rounds, then records,
 * takes clips that are handed over, and splices, all at the same time, and reports its own acknowledgements.
 */

import { readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { SAVED_CLIPS } from '../../../src/events/saved-clips.ts';
import {
  type Acknowledgement,
  clipIdOf,
  type Ground,
  ROUND_MS,
  roundFromMs,
  type StartReport,
  type Task,
} from './acknowledged.ts';
import { Checks, sha256 } from './checks.ts';
import { RecordedParts } from './recorded-parts.ts';
import { openRooms, type Rooms } from './rooms.ts';
import { receiveRest } from './upload-clip.ts';

const beganMs = performance.now();
/** Twenty times as fast as a camera. */
const FRAMES_PER_STEP = 10;
const STEP_MS = 20;
/** Half of the bytes that one stream may have waiting (RING_BYTES / 4 in rooms.ts). */
const MAX_WAITING_BYTES = 1_048_576;
const SPLICES_AT_ONCE = 2;
const MAX_SPLICE_SEC = 8;
const POLL_MS = 5;

function say(line: Acknowledgement | StartReport): void {
  writeSync(process.stdout.fd, `${JSON.stringify(line)}\n`);
}

/** Never ends. */
async function record(
  { recorder }: Rooms,
  { clipPath, cameraUuid }: Ground,
  fromMs: number,
  sums: Map<number, string>,
) {
  const stream = { cameraUuid, rendition: 'main' } as const;
  recorder.turn(stream, true);
  const tap = recorder.tap(stream);
  let parts = 0;
  let startMs = 0;
  let segment: Buffer[] = [];
  const camera = new RecordedParts(clipPath, fromMs, (part) => {
    if (part.isSegmentStart) {
      startMs = Math.round(part.epochMs);
      segment = [];
    }
    segment.push(part.bytes.join());
    if (part.isSegmentEnd) sums.set(startMs, sha256(segment));
    tap.take(part);
    part.bytes.release();
    parts++;
  });
  for (;;) {
    // It is quicker than any camera: on a busy machine it waits for the disk, because dropped segments prove nothing here.
    if (recorder.waitingBytes < MAX_WAITING_BYTES) camera.push(FRAMES_PER_STEP);
    await delay(STEP_MS);
    if (tap.droppedSegments > 0) throw new Error('a segment was left out');
    // Bytes leave the ring after they are written.
    if (recorder.waitingBytes === 0) say({ what: 'parts', count: parts });
  }
}

/** Reports the listed files of the catalog. Never ends. */
async function list({ catalog }: Rooms, { cameraUuid }: Ground, fromMs: number, sums: Map<number, string>) {
  const stream = { cameraUuid, rendition: 'main' } as const;
  let listedMs = fromMs;
  for (;;) {
    for (const { segments } of await catalog.segments(stream, listedMs, fromMs + ROUND_MS)) {
      for (const segment of segments) {
        const epochMs = Math.round(segment.epochMs);
        if (epochMs < listedMs) continue;
        say({ what: 'segment', epochMs, sha256: sums.get(epochMs)! });
        listedMs = epochMs + 1;
      }
    }
    await delay(STEP_MS);
  }
}

/** Never ends. */
async function upload(rooms: Rooms, ground: Ground, round: number) {
  for (let index = 0; ; index++) {
    const clipId = clipIdOf(round, index);
    await receiveRest(rooms, ground, clipId, (offset) => say({ what: 'offset', clipId, offset }));
    say({ what: 'uploaded', clipId });
  }
}

/** Never ends. */
async function splice({ catalog, clips, store }: Rooms, { cameraUuid, orgUuid }: Ground, fromMs: number) {
  const stream = { cameraUuid, rendition: 'main' } as const;
  for (let index = 0; ; index++) {
    const durationSec = 2 + ((index * 5) % MAX_SPLICE_SEC);
    while ((await catalog.seek(stream, fromMs + durationSec * 1_000)) === null) await delay(STEP_MS);
    const startMs = fromMs + 40 * (index % 10);
    const clipUuid = await clips.splice(orgUuid, {
      devices: [`${cameraUuid}.v0`],
      startMs,
      durationSec,
      hasAudio: true,
    });
    say({ what: 'ordered', clipUuid, startMs, durationSec });
    for (;;) {
      const clip = await store.resources.of(SAVED_CLIPS).find(orgUuid, clipUuid);
      if (clip?.body.status === 'FAILED') throw new Error(`clip ${clipUuid} failed`);
      if (clip?.body.status === 'COMPLETE') {
        say({ what: 'spliced', clipUuid, sha256: clip.body.sha256Hex! });
        break;
      }
      await delay(POLL_MS);
    }
  }
}

const task: Task = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const { ground, before, number, isEncrypting } = task;
const rooms = await openRooms(ground, isEncrypting);
const repairMs = performance.now() - beganMs;
const checks = new Checks(rooms, ground, before);
await checks.atOnce();
const checkedMs = performance.now();
await checks.afterwards();
const { checked, faults } = checks;
say({ what: 'started', repairMs, resumeMs: performance.now() - checkedMs, checked, faults });
if (number === null) process.exit(0);
const fromMs = roundFromMs(ground, number);
const sums = new Map<number, string>();
await Promise.all([
  record(rooms, ground, fromMs, sums),
  list(rooms, ground, fromMs, sums),
  upload(rooms, ground, number),
  ...Array.from({ length: SPLICES_AT_ONCE }, () => splice(rooms, ground, fromMs)),
]);
