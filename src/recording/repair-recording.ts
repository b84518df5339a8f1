/** Finishes a file that was being written when the gateway ended, and reads the index of one that is finished. */

import type { MediaReader, MediaStorage } from './media-storage.ts';
import { writeSegmentTrailer } from './recording-boxes.ts';
import { type ScannedRecording, scanRecording } from './scan-recording.ts';
import type { RecordedFile } from './segment-index.ts';

/** Written last by the append that they belong to (MediaAppender). */
const COMMIT_BYTES = 8;

/**
 * Cuts the file after its last whole part and seals it. null: it had no segment, and is deleted. Fails like
 * `scanRecording`; then the file is as it was.
 */
export async function repairRecording(
  storage: MediaStorage,
  name: string,
  bootId: Buffer,
): Promise<RecordedFile | null> {
  const reader = await storage.open(name);
  const scanned = await scanUnlessEmpty(reader, name, bootId).finally(() => reader.close());
  if (scanned === null) {
    await storage.delete(name);
    return null;
  }
  const { header, unfinished, usableBytes } = scanned;
  const segments = unfinished === null ? scanned.segments : [...scanned.segments, unfinished.segment];
  if (segments.length === 0) {
    await storage.delete(name);
    return null;
  }
  const { cameraUuid, rendition, number, purpose = 'camera' } = header;
  const file = { cameraUuid, rendition, number, purpose, segments };
  if (unfinished === null && usableBytes === reader.byteLength && reader.isSealed !== false) {
    return { ...file, byteLength: usableBytes };
  }
  const appender = await storage.reopen(name, usableBytes);
  try {
    if (unfinished !== null) await appender.append([writeSegmentTrailer(unfinished.trailer)]);
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
  name: string,
  bootId: Buffer,
): Promise<ScannedRecording | null> {
  const start = await (reader.stored ?? reader).read(0, COMMIT_BYTES);
  if (start.every((byte) => byte === 0)) return null;
  return scanRecording(reader, { name, bootId });
}
