/**
 * Checks recorded segments against their links (segment-chain.ts): whether each one is as it was recorded, who signed it,
 * and whether one is missing between two. docs/design/evidence.md#the-chain.
 */

import { type KeyObject, verify } from 'node:crypto';
import type { LinkedFacts } from '../evidence/link-bytes.ts';
import type { MediaReader } from './media-storage.ts';
import {
  RECORDING_BOX_BYTES,
  readFileHeader,
  readSegmentHeader,
  readSegmentLink,
  readSegmentTrailer,
  type SegmentLink,
} from './recording-boxes.ts';
import { digestOf, linkDigest, mediaHash } from './segment-chain.ts';
import type { ByteSpan, RecordedSegment, RecordedStream } from './segment-index.ts';

/**
 * `whole`: as it was recorded. `changed`: not. `unsigned`: it matches its link, which no known key signed, so anyone could
 * have written both. `unlinked`: a version without links recorded it.
 */
export type SegmentFinding = 'whole' | 'changed' | 'unsigned' | 'unlinked';

/** How a segment follows the one before it: `gap`: segments of the run are missing. */
export type ChainStep = 'follows' | 'begins' | 'gap' | 'changed';

export interface CheckedSegment {
  readonly segment: RecordedSegment;
  readonly finding: SegmentFinding;
  /** null: it has none that can be read. */
  readonly link: SegmentLink | null;
  /** The facts that the link covers; null: they cannot be read. */
  readonly facts: LinkedFacts | null;
  readonly initDigest: Buffer | null;
}

/** The public half of the key; null: not one of this gateway's. */
export type KnownKeys = (keyName: Buffer) => KeyObject | null;

/** Bytes that a check holds in memory. */
const STEP_BYTES = 1_048_576;

/**
 * Checks segments of one file one after the other. `of`: the stream that the file must be of. Fails like the storage; a
 * file that cannot be read as a recording has changed segments.
 */
export async function* verifyFile(
  reader: MediaReader,
  {
    of,
    name,
    segments,
    keys,
  }: {
    readonly of: RecordedStream;
    readonly name: string;
    readonly segments: readonly RecordedSegment[];
    readonly keys: KnownKeys;
  },
): AsyncGenerator<CheckedSegment> {
  const stored = reader.stored ?? reader;
  const header = readHeader(await stored.read(0, RECORDING_BOX_BYTES.file), name);
  const isOfStream = header?.cameraUuid === of.cameraUuid && header.rendition === of.rendition;
  let init: { readonly span: ByteSpan; readonly digest: Buffer } | null = null;
  for (const segment of segments) {
    if (init === null || init.span.offset !== segment.init.offset) {
      const bytes = await reader.read(segment.init.offset, segment.init.byteLength);
      init = { span: segment.init, digest: digestOf(bytes) };
    }
    if (header === null || !isOfStream) yield { segment, finding: 'changed', ...NOTHING_READ };
    else if (header.isChained !== true) yield { segment, finding: 'unlinked', ...NOTHING_READ };
    else yield await checked(reader, { of, segment, initDigest: init.digest, keys });
  }
}

const NOTHING_READ = { link: null, facts: null, initDigest: null };

async function checked(
  reader: MediaReader,
  {
    of,
    segment,
    initDigest,
    keys,
  }: {
    of: RecordedStream;
    segment: RecordedSegment;
    initDigest: Buffer;
    keys: KnownKeys;
  },
): Promise<CheckedSegment> {
  const stored = reader.stored ?? reader;
  const { offset, byteLength } = segment;
  const headAt = offset - RECORDING_BOX_BYTES.segment;
  const head = readSegmentHeader(await stored.read(headAt, RECORDING_BOX_BYTES.segment));
  const end = await stored.read(offset + byteLength, RECORDING_BOX_BYTES.trailer + RECORDING_BOX_BYTES.link);
  const trailer = readSegmentTrailer(end.subarray(0, RECORDING_BOX_BYTES.trailer));
  const link = readSegmentLink(end.subarray(RECORDING_BOX_BYTES.trailer));
  if (head === null || trailer === null || link === null || trailer.byteLength !== byteLength) {
    return { segment, finding: 'changed', ...NOTHING_READ, link };
  }
  const { startTicks, timescaleHz, epochMs, isDiscontinuity } = head;
  const { durationTicks } = trailer;
  const facts = { ...of, startTicks, timescaleHz, epochMs, isDiscontinuity, durationTicks, byteLength };
  const mediaDigest = await digestOfMedia(reader, segment);
  const finding = findingOf(link, { facts, initDigest, mediaDigest, keys });
  return { segment, finding, link, facts, initDigest };
}

function findingOf(
  link: SegmentLink,
  {
    facts,
    initDigest,
    mediaDigest,
    keys,
  }: {
    facts: LinkedFacts;
    initDigest: Buffer;
    mediaDigest: Buffer;
    keys: KnownKeys;
  },
): SegmentFinding {
  const isSame =
    link.mediaDigest.equals(mediaDigest) && link.digest.equals(linkDigest(facts, initDigest, link));
  if (!isSame) return 'changed';
  const key = link.keyName === null ? null : keys(link.keyName);
  if (key === null || link.signature === null) return 'unsigned';
  return verify(null, link.digest, key, link.signature) ? 'whole' : 'changed';
}

async function digestOfMedia(reader: MediaReader, { offset, byteLength }: ByteSpan): Promise<Buffer> {
  const hash = mediaHash();
  for (let at = 0; at < byteLength; at += STEP_BYTES) {
    hash.update(await reader.read(offset + at, Math.min(STEP_BYTES, byteLength - at)));
  }
  return hash.digest();
}

function readHeader(box: Buffer, name: string): ReturnType<typeof readFileHeader> | null {
  try {
    return readFileHeader(box, name);
  } catch {
    // Damaged or of another format: its segments cannot be checked.
    return null;
  }
}

/** Follows one stream's links in the order of recording. */
export class ChainOrder {
  #before: SegmentLink | null = null;

  /** How the segment with this link follows the last one. */
  add(link: SegmentLink): ChainStep {
    const before = this.#before;
    this.#before = link;
    if (before === null || !before.run.equals(link.run)) return 'begins';
    const isNext = link.sequence === before.sequence + 1;
    if (isNext) return link.previous.equals(before.digest) ? 'follows' : 'changed';
    return link.sequence > before.sequence ? 'gap' : 'changed';
  }
}
