/** Checks the recordings of a time of a camera against their links, where they are stored. */

import type { KeyObject } from 'node:crypto';
import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { signedInRecording } from '../playback/camera-signature.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import type { MediaReader } from '../recording/media-storage.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { ChainOrder, verifyFile } from '../recording/verify-recording.ts';
import type { RecordedRendition } from '../store/recording.ts';

export interface RecordedProof {
  readonly segments: number;
  /** As they were recorded, signed by the gateway. */
  readonly whole: number;
  readonly changed: number;
  readonly unsigned: number;
  /** Recorded by a version without links. */
  readonly unlinked: number;
  /** Places where segments are missing, or another run begins. */
  readonly gaps: number;
  /** Wall times of the first changed segments, epoch milliseconds. */
  readonly changedAtMs: readonly number[];
  /** What the camera itself signed; null: it does not sign. */
  readonly cameraSignature: CameraSignature | null;
}

const MAX_CHANGED_TIMES = 100;

/** `keys`: by the hexadecimal names. Fails like RecordedMedia.read. */
export async function proveRecording(
  media: RecordedMedia,
  time: { readonly cameraUuid: Ruuid; readonly fromMs: number; readonly toMs: number },
  keys: ReadonlyMap<string, KeyObject>,
): Promise<RecordedProof> {
  const counts = { segments: 0, whole: 0, changed: 0, unsigned: 0, unlinked: 0, gaps: 0 };
  const changedAtMs: number[] = [];
  const { cameraUuid, fromMs, toMs } = time;
  const order = new ChainOrder();
  let isFirst = true;
  const files = await media.segments({ cameraUuid, rendition: RECORDED_RENDITION }, fromMs, toMs);
  for (const file of files) {
    const rendition = streamOfFile(file.name);
    const checks = verifyFile(readerOf(media, file), {
      of: { cameraUuid, rendition },
      name: file.name,
      segments: file.segments,
      keys: (keyName) => keys.get(keyName.toString('hex')) ?? null,
    });
    for await (const { finding, link, segment } of checks) {
      counts.segments++;
      const step = link === null ? 'follows' : order.add(link);
      if (step !== 'follows' && step !== 'changed' && !isFirst) counts.gaps++;
      isFirst = false;
      const found = step === 'changed' ? 'changed' : finding;
      counts[found]++;
      if (found === 'changed' && changedAtMs.length < MAX_CHANGED_TIMES) {
        changedAtMs.push(Math.round(segment.epochMs));
      }
    }
  }
  return {
    ...counts,
    changedAtMs,
    cameraSignature: await signedInRecording(media, files, { isThorough: true }),
  };
}

/** Gaps of the main stream are filled by others (src/playback/whole-past.ts). */
function streamOfFile(name: string): RecordedRendition {
  const folder = name.split('/')[1];
  return folder === 'uploaded' || folder === 'sub' || folder === 'key-frames' ? folder : RECORDED_RENDITION;
}

/** As a check reads it: in ranges, from the thread that reads recordings. */
function readerOf(media: RecordedMedia, { name }: Pick<FoundFile, 'name'>): MediaReader {
  const readerWith = (read: RecordedMedia['read']): MediaReader => ({
    byteLength: Number.MAX_SAFE_INTEGER,
    read: (offset, length) => read(name, offset, length),
    readInto: async (target, offset) => {
      const bytes = await read(name, offset, target.length);
      target.set(bytes);
      return bytes.length;
    },
    close: async () => undefined,
  });
  return { ...readerWith(media.read), stored: readerWith(media.readStored) };
}
