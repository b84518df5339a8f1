/**
 * Signs the paths that all viewers of a rendition share. Each segment has its own signature, so that some paths do not
 * reveal the next ones. The signature covers the timeline too: after a discontinuity, the same number has another path.
 * Every gateway with the same key makes the same paths.
 */

import { createHmac } from 'node:crypto';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RenditionName } from '../media/live-media.ts';

const MIN_KEY_BYTES = 32;
const MAC_BYTES = 16;

/** Signs the paths of one rendition of one camera. */
export interface PathSigner {
  /** The folder of all its shared paths, relative to its playlists, with a trailing slash. */
  readonly folder: string;
  /** 22 characters of URL-safe Base64. */
  sign(msn: number, discontinuitySequence: number): string;
}

export class PathKey {
  readonly #key: Buffer;

  /** `key`: at least 32 bytes, used for nothing else. Copied. Throws RangeError for a shorter one. */
  constructor(key: Buffer) {
    if (key.length < MIN_KEY_BYTES) throw new RangeError(`a key of paths has ${MIN_KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
  }

  signerOf(cameraUuid: Ruuid, rendition: RenditionName): PathSigner {
    const path = `${cameraUuid}/${rendition}`;
    // Playlists are at /live/<grant>/, or in a folder there.
    const isMain = rendition === 'main' || rendition === 'main-silent';
    return {
      folder: `${isMain ? '../../' : '../../../'}cdn/${path}/`,
      sign: (msn, discontinuitySequence) =>
        createHmac('sha256', this.#key)
          .update(`${path}/${discontinuitySequence}/${msn}`)
          .digest()
          .toString('base64url', 0, MAC_BYTES),
    };
  }
}
