/**
 * A live stream made from a clip, as Low-Latency HLS with parts and blocking reload: enough of a gateway for a page
 * to play. ffmpeg makes the clip, one fragment per part, and its parts are published by the wall clock.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const FRAMES_PER_SEC = 24;
const PARTS_PER_SEGMENT = 6;
const SEGMENT_SEC = 2;
const PART_SEC = SEGMENT_SEC / PARTS_PER_SEGMENT;
const CLIP_SEC = 60;
/** What already exists when the stream starts: a viewer finds a window to join. */
const HEAD_START_SEC = 10;
const WINDOW_SEGMENTS = 6;
const SEGMENTS_WITH_PARTS = 3;
const CLIP_LIMIT_BYTES = 64_000_000;

export interface Clip {
  readonly init: Buffer;
  readonly parts: readonly Buffer[];
}

/** A minute of test video (H.264) and tone (AAC), a fragment per third of a second, a key frame per segment. */
export async function makeClip(): Promise<Clip> {
  const input = (filter: string) => ['-f', 'lavfi', '-i', filter];
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    [
      ...['-loglevel', 'error', '-nostdin'],
      ...input(`testsrc2=size=640x360:rate=${FRAMES_PER_SEC}`),
      ...input('sine=frequency=440:sample_rate=48000'),
      ...['-t', String(CLIP_SEC)],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p'],
      ...['-g', String(FRAMES_PER_SEC * SEGMENT_SEC), '-sc_threshold', '0'],
      ...['-c:a', 'aac', '-b:a', '64k'],
      ...['-movflags', 'empty_moov+default_base_moof+frag_keyframe', '-frag_duration', '333333'],
      ...['-f', 'mp4', 'pipe:1'],
    ],
    { encoding: 'buffer', maxBuffer: CLIP_LIMIT_BYTES },
  );
  return splitFragments(stdout);
}

/** Cuts at the top-level boxes: everything before the first `moof` is the init segment, each `moof` begins a part. */
function splitFragments(file: Buffer): Clip {
  const starts: number[] = [];
  let end = file.length;
  for (let offset = 0; offset + 8 <= file.length; offset += file.readUInt32BE(offset)) {
    const type = file.toString('latin1', offset + 4, offset + 8);
    if (type === 'moof') starts.push(offset);
    if (type === 'mfra') end = offset;
  }
  return {
    init: file.subarray(0, starts[0]),
    parts: starts.map((start, index) => file.subarray(start, starts[index + 1] ?? end)),
  };
}

/** Publishes a clip from the moment it is made; its end is the clip's. */
export class ClipStream {
  readonly #clip: Clip;
  readonly #startedAtMs = Date.now() - HEAD_START_SEC * 1000;

  constructor(clip: Clip) {
    this.#clip = clip;
  }

  /** Milliseconds until this part is published; 0 if it is already. */
  untilPartMs(mediaSequenceNumber: number, part: number): number {
    const index = mediaSequenceNumber * PARTS_PER_SEGMENT + part;
    return Math.max(0, this.#startedAtMs + (index + 1) * PART_SEC * 1000 - Date.now());
  }

  /** The bytes for a name in the playlist; null for an unknown one. */
  read(name: string): Buffer | null {
    if (name === 'seg_init.mp4') return this.#clip.init;
    const [, segment, part] = /^seg_(\d+)(?:\.(\d+))?\.m4v$/.exec(name) ?? [];
    if (segment === undefined) return null;
    const first = Number(segment) * PARTS_PER_SEGMENT;
    if (part !== undefined) return this.#clip.parts[first + Number(part)] ?? null;
    return Buffer.concat(this.#clip.parts.slice(first, first + PARTS_PER_SEGMENT));
  }

  playlist(): string {
    const published = Math.floor((Date.now() - this.#startedAtMs) / 1000 / PART_SEC);
    const newest = Math.floor(published / PARTS_PER_SEGMENT);
    const oldest = Math.max(0, newest - WINDOW_SEGMENTS);
    const lines = [
      '#EXTM3U',
      '#EXT-X-VERSION:9',
      `#EXT-X-TARGETDURATION:${SEGMENT_SEC}`,
      `#EXT-X-PART-INF:PART-TARGET=${PART_SEC.toFixed(3)}`,
      `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(PART_SEC * 3).toFixed(3)},HOLD-BACK=6`,
      `#EXT-X-MEDIA-SEQUENCE:${oldest}`,
      '#EXT-X-MAP:URI="seg_init.mp4"',
    ];
    for (let segment = oldest; segment <= newest; segment++) {
      const isWhole = segment < newest;
      const parts = isWhole ? PARTS_PER_SEGMENT : published % PARTS_PER_SEGMENT;
      const startEpochMs = this.#startedAtMs + segment * SEGMENT_SEC * 1000;
      lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(startEpochMs).toISOString()}`);
      for (let part = 0; part < parts && segment > newest - SEGMENTS_WITH_PARTS; part++) {
        const independent = part === 0 ? ',INDEPENDENT=YES' : '';
        lines.push(
          `#EXT-X-PART:DURATION=${PART_SEC.toFixed(5)},URI="seg_${segment}.${part}.m4v"${independent}`,
        );
      }
      if (isWhole) lines.push(`#EXTINF:${SEGMENT_SEC.toFixed(3)},`, `seg_${segment}.m4v`);
      else lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="seg_${segment}.${parts}.m4v"`);
    }
    return `${lines.join('\n')}\n`;
  }
}
