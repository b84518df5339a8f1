/** Finishes a file that was being written when the gateway ended, and reads the index of one that is finished. */

import type { MediaReader, MediaStorage } from './media-storage.ts';
import { type SegmentLink, writeSegmentLink, writeSegmentTrailer } from './recording-boxes.ts';
import { type ScannedRecording, scanRecording } from './scan-recording.ts';
import { digestOf, type LinkSigner, linkDigest, repairedPosition, signedLink } from './segment-chain.ts';
import type { RecordedFile, RecordedSegment } from './segment-index.ts';

/** Written last by the append that they belong to (MediaAppender). */
const COMMIT_BYTES = 8;

interface Scanned extends ScannedRecording {
  /** The link that the last segment lacks; null: none is missing. */
  readonly link: SegmentLink | null;
}

/**
 * Cuts the file after its last whole part and seals it. The link of a segment that a repair completes says so, and is
 * signed with `signer`. null: it had no segment, and is deleted. Fails like `scanRecording`; then the file is as it was.
 */
export async function repairRecording(
  storage: MediaStorage,
  name: string,
  bootId: Buffer,
  signer: LinkSigner | null = null,
): Promise<RecordedFile | null> {
  const reader = await storage.open(name);
  const scanned = await scanUnlessEmpty(reader, { name, bootId, signer }).finally(() => reader.close());
  if (scanned === null) {
    await storage.delete(name);
    return null;
  }
  const { header, unfinished, usableBytes, link, lastLink } = scanned;
  const segments = unfinished === null ? scanned.segments : [...scanned.segments, unfinished.segment];
  if (segments.length === 0) {
    await storage.delete(name);
    return null;
  }
  const { cameraUuid, rendition, number, purpose = 'camera' } = header;
  const head = (link ?? lastLink)?.digest.toString('base64url');
  const file = { cameraUuid, rendition, number, purpose, segments, ...(head === undefined ? {} : { head }) };
  const isWhole = unfinished === null && link === null;
  if (isWhole && usableBytes === reader.byteLength && reader.isSealed !== false) {
    return { ...file, byteLength: usableBytes };
  }
  const appender = await storage.reopen(name, usableBytes);
  try {
    const missing = unfinished === null ? [] : [writeSegmentTrailer(unfinished.trailer)];
    if (link !== null) missing.push(writeSegmentLink(link));
    if (missing.length > 0) await appender.append(missing);
    await appender.seal();
  } catch (error) {
    await appender.abandon();
    throw error;
  }
  return { ...file, byteLength: appender.byteLength };
}

/** null: nothing was written before the gateway ended. */
async function scanUnlessEmpty(
  reader: MediaReader,
  { name, bootId, signer }: { name: string; bootId: Buffer; signer: LinkSigner | null },
): Promise<Scanned | null> {
  const start = await (reader.stored ?? reader).read(0, COMMIT_BYTES);
  if (start.every((byte) => byte === 0)) return null;
  const scanned = await scanRecording(reader, { name, bootId });
  const last = scanned.header.isChained === true ? (scanned.unfinished?.segment ?? scanned.unlinked) : null;
  if (last === null) return { ...scanned, link: null };
  return { ...scanned, link: await missingLink(reader, last, { name, signer, scanned }) };
}

async function missingLink(
  reader: MediaReader,
  segment: RecordedSegment,
  { name, signer, scanned }: { name: string; signer: LinkSigner | null; scanned: ScannedRecording },
): Promise<SegmentLink> {
  const { cameraUuid, rendition } = scanned.header;
  const { offset, byteLength, init } = segment;
  const initDigest = digestOf(await reader.read(init.offset, init.byteLength));
  const mediaDigest = digestOf(await reader.read(offset, byteLength));
  const position = repairedPosition(name, scanned.lastLink, mediaDigest);
  const digest = linkDigest({ cameraUuid, rendition, ...segment }, initDigest, position);
  return signedLink(position, digest, signer);
}
