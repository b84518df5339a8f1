/** A clip on its way through the service of uploads, piece by piece. */

import { readFileSync } from 'node:fs';
import type { ClipClaims } from '../../../src/uploads/clip-claims.ts';
import { clipStartMs, type Ground } from './acknowledged.ts';
import type { Rooms } from './rooms.ts';

const PIECE_BYTES = 200_000;
const CHUNK_BYTES = 65_536;

const files = new Map<string, Buffer>();

function fileOf({ clipPath }: Ground): Buffer {
  const known = files.get(clipPath) ?? readFileSync(clipPath);
  files.set(clipPath, known);
  return known;
}

export function claimsOf(ground: Ground, clipId: string): ClipClaims {
  return {
    clipId,
    cameraUuid: ground.uploadingUuid,
    startMs: clipStartMs(ground, clipId),
    title: clipId,
    fileType: 'video/mp4',
    sha256: null,
    byteLength: fileOf(ground).length,
  };
}

/** Announces the clip, or continues where it is. `onOffset`: acknowledged. Resolves when it is in the recordings. */
export async function receiveRest(
  { uploads }: Pick<Rooms, 'uploads'>,
  ground: Ground,
  clipId: string,
  onOffset: (offset: number) => void,
): Promise<void> {
  const { keyUuid, orgUuid } = ground;
  const uploader = { keyUuid, orgUuid };
  const file = fileOf(ground);
  const { upload, offset } = await uploads.announce(uploader, claimsOf(ground, clipId));
  onOffset(offset);
  for (let at = offset; at < file.length; ) {
    const piece = file.subarray(at, at + PIECE_BYTES);
    at = await uploads.receive(uploader, upload.uuid, at, chunksOf(piece), () => undefined);
    onOffset(at);
  }
  await uploads.finish(uploader, upload.uuid);
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
