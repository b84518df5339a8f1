/** The NAL units of the recordings that the ONVIF reference implementation signed (src/codec/media-signing/fixtures/README.md). */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SignedCodec } from '../../src/codec/media-signing/signed-units.ts';

const FIXTURES = resolve(import.meta.dirname, '../../src/codec/media-signing/fixtures');
const LENGTH_BYTES = 4;

/** Of a progressive file with one video track: `mdat` holds nothing else. */
export function recordedNalus(codec: SignedCodec): Uint8Array[] {
  const file = readFileSync(resolve(FIXTURES, `signed-${codec}.mp4`));
  const nalus: Uint8Array[] = [];
  for (let box = 0; box < file.length; box += file.readUInt32BE(box)) {
    if (file.toString('latin1', box + 4, box + 8) !== 'mdat') continue;
    const end = box + file.readUInt32BE(box);
    for (let at = box + 8; at < end; ) {
      const begin = at + LENGTH_BYTES;
      at = begin + file.readUInt32BE(at);
      nalus.push(file.subarray(begin, at));
    }
  }
  return nalus;
}
