/**
 * The recorded media of a case as files: fragments as they were recorded, in the clear, with the boxes that prove them
 * (docs/design/evidence.md#archives). Each file plays alone: it has one init segment and no gap.
 */

import type { RecordedMedia } from '../playback/recorded-media.ts';
import { BLOCK_BYTES } from '../playback/served-file.ts';
import { RECORDING_BOX_BYTES, readFileHeader } from '../recording/recording-boxes.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedSegment } from '../recording/segment-index.ts';

/** So large that browsers can still read one as a whole. */
const MAX_MEMBER_BYTES = 256 * 1_048_576;
const HEADER_BYTES = RECORDING_BOX_BYTES.segment;

/** A stretch of a recording file, or bytes of ours. */
type Part =
  | { readonly bytes: Buffer }
  | {
      readonly name: string;
      readonly offset: number;
      readonly byteLength: number;
      readonly isStored: boolean;
    };

export interface MediaMember {
  readonly parts: readonly Part[];
  readonly byteLength: number;
  readonly segments: number;
  /** Wall time, epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
}

type Media = Pick<RecordedMedia, 'read' | 'readStored'>;

/** The files of these segments, in their order. Always the same for the same segments. Fails like RecordedMedia.read. */
export async function mediaMembers(media: Media, files: readonly FoundFile[]): Promise<MediaMember[]> {
  const plan = new MemberPlan();
  for (const { name, segments } of files) {
    const header = await media.readStored(name, 0, RECORDING_BOX_BYTES.file);
    const { isChained = false } = readFileHeader(header, name);
    plan.beginFile(header);
    let initOffset = -1;
    let init: Buffer = Buffer.alloc(0);
    for (const segment of segments) {
      if (segment.init.offset !== initOffset) {
        initOffset = segment.init.offset;
        init = await media.read(name, initOffset, segment.init.byteLength);
      }
      plan.add(name, segment, { init, isChained });
    }
  }
  return plan.end();
}

/** The bytes of a member from `first` to before `end`, in pieces of at most BLOCK_BYTES. Fails like RecordedMedia.read. */
export async function* readMember(
  media: Media,
  { parts, byteLength: length }: MediaMember,
  first = 0,
  end = length,
): AsyncGenerator<Buffer> {
  let at = 0;
  for (const part of parts) {
    const partBytes = 'bytes' in part ? part.bytes.length : part.byteLength;
    const from = Math.max(0, first - at);
    const to = Math.min(partBytes, end - at);
    at += partBytes;
    if (from >= to) continue;
    if ('bytes' in part) {
      yield part.bytes.subarray(from, to);
      continue;
    }
    const { name, offset, isStored } = part;
    for (let next = from; next < to; next += BLOCK_BYTES) {
      const bytes = Math.min(BLOCK_BYTES, to - next);
      yield await (isStored
        ? media.readStored(name, offset + next, bytes)
        : media.read(name, offset + next, bytes));
    }
  }
}

class MemberPlan {
  readonly #members: MediaMember[] = [];
  #parts: Part[] = [];
  #byteLength = 0;
  #segments: RecordedSegment[] = [];
  #header: Buffer = Buffer.alloc(0);
  #isHeaderNew = false;
  #init: Buffer | null = null;

  beginFile(header: Buffer): void {
    this.#header = header;
    this.#isHeaderNew = true;
  }

  add(
    name: string,
    segment: RecordedSegment,
    { init, isChained }: { readonly init: Buffer; readonly isChained: boolean },
  ): void {
    const isOther = this.#init === null || !this.#init.equals(init) || segment.isDiscontinuity;
    if (this.#segments.length > 0 && (isOther || this.#byteLength > MAX_MEMBER_BYTES)) this.#finish();
    if (this.#isHeaderNew || this.#segments.length === 0) this.#put({ bytes: this.#header });
    this.#isHeaderNew = false;
    if (this.#segments.length === 0) this.#put({ bytes: init });
    this.#init = init;
    const { offset, byteLength } = segment;
    const endBytes = RECORDING_BOX_BYTES.trailer + (isChained ? RECORDING_BOX_BYTES.link : 0);
    this.#put({ name, offset: offset - HEADER_BYTES, byteLength: HEADER_BYTES, isStored: true });
    this.#put({ name, offset, byteLength, isStored: false });
    this.#put({ name, offset: offset + byteLength, byteLength: endBytes, isStored: true });
    this.#segments.push(segment);
  }

  end(): MediaMember[] {
    this.#finish();
    return this.#members;
  }

  #put(part: Part): void {
    this.#parts.push(part);
    this.#byteLength += 'bytes' in part ? part.bytes.length : part.byteLength;
  }

  #finish(): void {
    const [first] = this.#segments;
    if (first === undefined) return;
    this.#members.push({
      parts: this.#parts,
      byteLength: this.#byteLength,
      segments: this.#segments.length,
      startMs: Math.round(first.epochMs),
      endMs: Math.round(endEpochMs(this.#segments.at(-1)!)),
    });
    this.#parts = [];
    this.#byteLength = 0;
    this.#segments = [];
  }
}
