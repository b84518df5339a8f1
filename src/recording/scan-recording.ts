/**
 * Reads a recording file from its boxes alone: for files that were being written when the gateway ended, and for a store
 * that has lost its rows. docs/design/recording.md#recording-files.
 */

import { crc32 } from 'node:zlib';
import { VIDEO_TRACK_ID } from '../cmaf/packaged-tracks.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from '../isobmff/box-reader.ts';
import type { MediaReader } from './media-storage.ts';
import {
  type FileHeader,
  kindOfBox,
  RECORDING_BOX_BYTES,
  readFileHeader,
  readSegmentHeader,
  readSegmentLink,
  readSegmentTrailer,
  type SegmentHeader,
  type SegmentLink,
  type SegmentTrailer,
} from './recording-boxes.ts';
import { digestOf } from './segment-chain.ts';
import type { ByteSpan, RecordedSegment } from './segment-index.ts';

/** A segment that has no trailer, reduced to its whole parts. */
export interface UnfinishedSegment {
  readonly segment: RecordedSegment;
  /** The trailer that it lacks. */
  readonly trailer: SegmentTrailer;
}

export interface ScannedRecording {
  readonly header: FileHeader;
  /** Complete, in order. */
  readonly segments: readonly RecordedSegment[];
  /** The unfinished segment after them; null: none that can be used. */
  readonly unfinished: UnfinishedSegment | null;
  /** The newest link; null: none. */
  readonly lastLink: SegmentLink | null;
  /** A linked file whose last complete segment has lost its link: the facts that the link covers; null: it has not. */
  readonly unlinked: RecordedSegment | null;
  /** Where the last usable byte ends: after the last trailer, or after the last whole part. */
  readonly usableBytes: number;
}

const LARGEST_BOX_HEADER_BYTES = 24;
/** A movie fragment with the frames of a part takes a few kilobytes. */
const MAX_MOOF_BYTES = 4 * 1_048_576;
const MAX_INIT_BYTES = 1_048_576;

const TYPE = { ftyp: fourCc('ftyp'), moov: fourCc('moov'), styp: fourCc('styp') };
const FRAGMENT = { moof: fourCc('moof'), mdat: fourCc('mdat'), traf: fourCc('traf') };
const RUN = { tfhd: fourCc('tfhd'), trun: fourCc('trun') };

interface FoundSegment {
  readonly segment: RecordedSegment;
  readonly head: SegmentHeader;
  readonly mediaCrc: number;
  link: SegmentLink | null;
  /** After its trailer and its link. */
  endOffset: number;
}

/** A top-level box that lies in the file as a whole. */
interface TopBox extends ByteSpan {
  readonly type: number;
  /** Its first bytes. */
  readonly start: Buffer;
}

/**
 * `bootId`: of the running system. If the file was written under another one, the machine went down in between: what no
 * header vouches for must match its link, or its CRC. `name`: for errors. Fails RECORDING_DAMAGED, RECORDING_UNREADABLE, or like the
 * storage.
 */
export async function scanRecording(
  reader: MediaReader,
  { name, bootId }: { readonly name: string; readonly bootId: Buffer },
): Promise<ScannedRecording> {
  const stored = reader.stored ?? reader;
  const header = readFileHeader(await stored.read(0, RECORDING_BOX_BYTES.file), name);
  const walk = await walkSegments(reader);
  const isSameBoot = header.bootId.equals(bootId) && bootId.some((byte) => byte !== 0);
  if (isSameBoot) {
    const segments = walk.found.map(({ segment }) => segment);
    const unfinished = walk.open === null ? null : await reduceToWholeParts(reader, walk.open, header);
    const endBytes = walk.found.at(-1)?.endOffset ?? RECORDING_BOX_BYTES.file;
    const usableBytes =
      unfinished === null ? endBytes : unfinished.segment.offset + unfinished.segment.byteLength;
    return { header, segments, unfinished, usableBytes, ...linksOf(header, walk.found) };
  }
  const intact = await intactSegments(reader, walk.found, header);
  return {
    header,
    segments: intact.map(({ segment }) => segment),
    unfinished: null,
    usableBytes: intact.at(-1)?.endOffset ?? RECORDING_BOX_BYTES.file,
    ...linksOf(header, intact),
  };
}

function linksOf(
  { isChained = false }: FileHeader,
  found: readonly FoundSegment[],
): Pick<ScannedRecording, 'lastLink' | 'unlinked'> {
  const last = found.at(-1);
  return {
    lastLink: found.findLast(({ link }) => link !== null)?.link ?? null,
    unlinked: isChained && last?.link === null ? last.segment : null,
  };
}

interface OpenSegment {
  readonly head: SegmentHeader;
  readonly init: ByteSpan;
  readonly offset: number;
}

/** All segments with a trailer, and the beginning of one without. */
async function walkSegments(
  reader: MediaReader,
): Promise<{ found: FoundSegment[]; open: OpenSegment | null }> {
  const stored = reader.stored ?? reader;
  const found: FoundSegment[] = [];
  let init: ByteSpan | null = null;
  let open: OpenSegment | null = null;
  let at = RECORDING_BOX_BYTES.file;
  for (;;) {
    const box = await readTopBox(reader, at);
    if (box === null) return { found, open };
    const kind = kindOfBox(box.start);
    at = box.offset + box.byteLength;
    if (kind === 'segment') {
      const head = readSegmentHeader(await stored.read(box.offset, box.byteLength));
      if (head === null || init === null) return { found, open: null };
      open = { head, init, offset: at };
    } else if (kind === 'trailer') {
      const trailer = readSegmentTrailer(await stored.read(box.offset, box.byteLength));
      const byteLength = box.offset - (open?.offset ?? 0);
      if (trailer === null || open === null || trailer.byteLength !== byteLength) return { found, open };
      const segment = segmentOf(open, byteLength, trailer.durationTicks);
      found.push({ segment, head: open.head, mediaCrc: trailer.mediaCrc, link: null, endOffset: at });
      open = null;
    } else if (kind === 'link') {
      const last = found.at(-1);
      const link = readSegmentLink(await stored.read(box.offset, box.byteLength));
      if (link === null || last === undefined || open !== null) return { found, open };
      last.link = link;
      last.endOffset = at;
    } else if (open === null && box.type === TYPE.ftyp) {
      const moov = await readTopBox(reader, at);
      if (moov === null || moov.type !== TYPE.moov || box.byteLength + moov.byteLength > MAX_INIT_BYTES) {
        return { found, open: null };
      }
      init = { offset: box.offset, byteLength: box.byteLength + moov.byteLength };
      at += moov.byteLength;
    } else if (open === null || !isMedia(box.type)) {
      return { found, open };
    }
  }
}

function isMedia(type: number): boolean {
  return type === TYPE.styp || type === FRAGMENT.moof || type === FRAGMENT.mdat;
}

/** null: the end, reserved room, or bytes that are not a whole box. Our boxes and CMAF's never need 64-bit sizes. */
async function readTopBox(reader: MediaReader, offset: number): Promise<TopBox | null> {
  const start = await readBoxStart(reader, offset);
  if (start.length < 8) return null;
  const byteLength = start.readUInt32BE(0);
  const type = start.readUInt32BE(4);
  if (byteLength < 8 || type === 0 || offset + byteLength > reader.byteLength) return null;
  return { type, start, offset, byteLength };
}

/** Our boxes are never encrypted, and neither is room that was never written. */
async function readBoxStart(reader: MediaReader, offset: number): Promise<Buffer> {
  const { stored } = reader;
  if (stored === undefined) return reader.read(offset, LARGEST_BOX_HEADER_BYTES);
  const start = await stored.read(offset, LARGEST_BOX_HEADER_BYTES);
  const isAbsent = start.subarray(0, 8).every((byte) => byte === 0);
  return isAbsent || kindOfBox(start) !== null ? start : reader.read(offset, LARGEST_BOX_HEADER_BYTES);
}

/** After a kill, the kernel has everything that was written, so whole boxes are whole. */
async function reduceToWholeParts(
  reader: MediaReader,
  open: OpenSegment,
  { isChained = false }: FileHeader,
): Promise<UnfinishedSegment | null> {
  let end = open.offset;
  let durationTicks = 0;
  let pictures = 0;
  for (let at = open.offset; ; ) {
    let box = await readTopBox(reader, at);
    if (box?.type === TYPE.styp) box = await readTopBox(reader, at + box.byteLength);
    if (box === null || box.type !== FRAGMENT.moof || box.byteLength > MAX_MOOF_BYTES) break;
    const mdat = await readTopBox(reader, box.offset + box.byteLength);
    if (mdat?.type !== FRAGMENT.mdat) break;
    const run = videoRun(await reader.read(box.offset, box.byteLength));
    if (run === null) break;
    durationTicks += run.durationTicks;
    pictures += run.pictures;
    end = mdat.offset + mdat.byteLength;
    at = end;
  }
  const byteLength = end - open.offset;
  if (byteLength === 0 || durationTicks === 0) return null;
  const mediaCrc = isChained ? 0 : crc32(await (reader.stored ?? reader).read(open.offset, byteLength));
  return {
    segment: segmentOf(open, byteLength, durationTicks),
    trailer: { byteLength, durationTicks, pictures, mediaCrc },
  };
}

interface VideoRun {
  readonly durationTicks: number;
  readonly pictures: number;
}

/** null: it cannot be read. */
function videoRun(moof: Buffer): VideoRun | null {
  try {
    return readVideoRun(moof);
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}

/** Reads the video's run in a `moof` that the segmenter wrote: each sample has its duration (ISO/IEC 14496-12 §8.8.8). */
function readVideoRun(moof: Buffer): VideoRun {
  const top = new BoxCursor(moof, 0, moof.length);
  let durationTicks = 0;
  let pictures = 0;
  if (!top.next()) return { durationTicks, pictures };
  for (const traf = top.children(); traf.next(); ) {
    if (traf.type !== FRAGMENT.traf) continue;
    let isVideo = false;
    for (const box = traf.children(); box.next(); ) {
      if (box.type === RUN.tfhd) {
        box.skip(4); // version, flags
        isVideo = box.u32() === VIDEO_TRACK_ID;
      } else if (box.type === RUN.trun && isVideo) {
        box.skip(4); // version, flags
        const samples = box.u32();
        box.skip(4); // data_offset
        for (let i = 0; i < samples; i++) {
          durationTicks += box.u32();
          box.skip(12); // size, flags, composition time offset
        }
        pictures += samples;
      }
    }
  }
  return { durationTicks, pictures };
}

/** Up to the first one that is not on the disk as it was written. */
async function intactSegments(
  reader: MediaReader,
  found: readonly FoundSegment[],
  header: FileHeader,
): Promise<FoundSegment[]> {
  const vouchedBytes = found.reduce((most, { head }) => Math.max(most, head.syncedBytes), 0);
  const intact: FoundSegment[] = [];
  for (const each of found) {
    const isVouched = each.endOffset <= vouchedBytes;
    if (!isVouched && !(await isAsWritten(reader, each, header))) break;
    intact.push(each);
  }
  return intact;
}

/** By its link in the clear, or by its CRC as it is stored. */
async function isAsWritten(
  reader: MediaReader,
  { segment: { offset, byteLength }, link, mediaCrc }: FoundSegment,
  { isChained = false }: FileHeader,
): Promise<boolean> {
  if (!isChained) return crc32(await (reader.stored ?? reader).read(offset, byteLength)) === mediaCrc;
  return link !== null && digestOf(await reader.read(offset, byteLength)).equals(link.mediaDigest);
}

function segmentOf(open: OpenSegment, byteLength: number, durationTicks: number): RecordedSegment {
  const { startTicks, timescaleHz, epochMs, isDiscontinuity } = open.head;
  return {
    offset: open.offset,
    byteLength,
    startTicks,
    durationTicks,
    timescaleHz,
    epochMs,
    isDiscontinuity,
    init: open.init,
  };
}
