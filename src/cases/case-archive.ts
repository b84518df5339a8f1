/** The files of a case's archive, as they are hashed when it is sealed and read when it is sent. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import { GatewayError } from '../core/errors.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { mediaMembers, readMember } from './case-media.ts';
import type { Case, CaseItem, SealBody, SealedStretch } from './case-records.ts';
import { CASE_ERRORS } from './errors.ts';
import { MANIFEST_NAME, SIGNATURE_NAME, TIME_STAMP_NAME } from './manifest.ts';

export interface ArchiveFile {
  readonly name: string;
  readonly byteLength: number;
  /** The bytes from `first` to before `end`, in order; all of them by default. */
  read(first?: number, end?: number): AsyncIterable<Buffer>;
}

/** Files of one item, with what the manifest says of it. */
export interface ItemFiles {
  readonly item: CaseItem;
  /** Empty for a clip. */
  readonly stretches: readonly SealedStretch[];
  readonly files: readonly (ArchiveFile & {
    readonly startMs: number;
    readonly endMs: number;
    /** Of recorded media; null: a clip, which was copied. */
    readonly segments: number | null;
    /** What the camera signed in a clip, as found when it was copied; null: nothing, or recorded media. */
    readonly cameraSignature: CameraSignature | null;
  })[];
}

/** The stored file of a clip. */
export interface ClipCopy {
  /** In the storage of the recordings. */
  readonly name: string;
  readonly cameraUuid: string;
  readonly byteLength: number;
  readonly startMs: number;
  readonly endMs: number;
  /** null: nothing. */
  readonly cameraSignature: CameraSignature | null;
}

export interface ArchiveSources {
  readonly media: RecordedMedia;
  /** The complete files of a clip. Rejects like the store. */
  readonly clipFiles: (item: CaseItem) => Promise<readonly ClipCopy[]>;
  /** '' if it was removed. Rejects like the store. */
  readonly cameraName: (cameraUuid: string) => Promise<string>;
}

/** Bytes of a clip in memory. */
const STEP_BYTES = 524_288;

/**
 * Always the same for the same recordings. `stretches`: only these; null: all of the time. Fails like RecordedMedia.read, and like the
 * store.
 */
export async function filesOfItem(
  sources: ArchiveSources,
  item: CaseItem,
  index: number,
  stretches: readonly SealedStretch[] | null,
): Promise<ItemFiles> {
  const { media, cameraName, clipFiles } = sources;
  const number = String(index + 1).padStart(2, '0');
  if (item.cameraUuid === null) {
    const copies = await clipFiles(item);
    const files = copies.map(
      async ({ name, cameraUuid, byteLength, startMs, endMs, cameraSignature }, at) => ({
        name: `clips/${number}-${at + 1}-${safeName(await cameraName(cameraUuid))}.mp4`,
        byteLength,
        startMs,
        endMs,
        segments: null,
        cameraSignature,
        read: (first = 0, end = byteLength) => readClip(media, name, first, end),
      }),
    );
    return { item, stretches: [], files: await Promise.all(files) };
  }
  const stream = { cameraUuid: item.cameraUuid, rendition: RECORDED_RENDITION } as const;
  const recorded = await media.segments(stream, item.startMs!, item.endMs!);
  const found = stretches === null ? recorded : recorded.flatMap((file) => within(file, stretches) ?? []);
  const members = await mediaMembers(media, found);
  const title = safeName(await cameraName(item.cameraUuid));
  return {
    item,
    stretches: found.map(stretchOf),
    files: members.map((member, at) => ({
      name: `media/${number}-${at + 1}-${title}.mp4`,
      byteLength: member.byteLength,
      startMs: member.startMs,
      endMs: member.endMs,
      segments: member.segments,
      cameraSignature: null,
      read: (first, end) => readMember(media, member, first, end),
    })),
  };
}

function stretchOf({ name, segments }: FoundFile): SealedStretch {
  const offsets = segments.map(({ offset }) => offset);
  return { name, firstOffset: Math.min(...offsets), lastOffset: Math.max(...offsets) };
}

/** null: nothing of the file. Files only grow at their end. */
function within(file: FoundFile, stretches: readonly SealedStretch[]): FoundFile | null {
  const stretch = stretches.find(({ name }) => name === file.name);
  if (stretch === undefined) return null;
  const { firstOffset, lastOffset } = stretch;
  const segments = file.segments.filter(({ offset }) => offset >= firstOffset && offset <= lastOffset);
  return segments.length === 0 ? null : { ...file, segments };
}

async function* readClip(
  media: Pick<RecordedMedia, 'read'>,
  name: string,
  first: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let at = first; at < end; at += STEP_BYTES) {
    yield await media.read(name, at, Math.min(STEP_BYTES, end - at));
  }
}

/** For any file system, and without characters that change the direction of others. */
function safeName(text: string): string {
  const safe = text.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  return safe.slice(0, 60) || 'camera';
}

/** A file of the sealed archive, as an archive of files takes it. */
export interface SealedEntry extends ArchiveFile {
  /** Equal for equal bytes. */
  readonly digest: string;
  readonly crc32: number;
}

/**
 * The files of a sealed case in the order of its archive. Fails CASE_CHANGED if its recordings have other files than when it was
 * sealed; if only their bytes differ, the check of the archive finds it.
 */
export async function sealedEntries(
  sources: ArchiveSources,
  record: Case,
  seal: SealBody,
): Promise<SealedEntry[]> {
  const files = new Map<string, ArchiveFile>();
  for (const [name, text] of Object.entries(seal.texts)) files.set(name, textFile(name, text));
  for (const [index, item] of record.body.items.entries()) {
    const ofItem = await filesOfItem(sources, item, index, seal.stretches[index] ?? []);
    for (const file of ofItem.files) files.set(file.name, file);
  }
  const entries = seal.files.map(({ name, byteLength, sha256Hex, crc32: crc }) => {
    const file = files.get(name);
    if (file?.byteLength !== byteLength) throw new GatewayError(CASE_ERRORS.CASE_CHANGED, { name });
    return { ...file, digest: sha256Hex, crc32: crc };
  });
  const own = ownFiles(seal).map(([name, bytes]) => ({
    ...inMemory(name, bytes),
    digest: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  }));
  return [...own, ...entries];
}

/** What the list of files does not name: itself, its signature, and the time stamp of that. */
export function ownFiles({
  manifest,
  signature,
  timeStamp,
}: Pick<SealBody, 'manifest' | 'signature' | 'timeStamp'>): [name: string, bytes: Buffer][] {
  const files: [string, Buffer][] = [
    [MANIFEST_NAME, Buffer.from(manifest)],
    [SIGNATURE_NAME, Buffer.from(signature)],
  ];
  if (timeStamp !== null) files.push([TIME_STAMP_NAME, Buffer.from(timeStamp, 'base64')]);
  return files;
}

/** A file whose text is stored. */
export function textFile(name: string, text: string): ArchiveFile {
  return inMemory(name, Buffer.from(text));
}

function inMemory(name: string, bytes: Buffer): ArchiveFile {
  return {
    name,
    byteLength: bytes.length,
    async *read(first, end) {
      yield bytes.subarray(first, end);
    },
  };
}
