/** Tracks cross to another thread or node with the first part that has them; the parts after it name none, and have the same. */

import type { PackagedTracks } from './packaged-tracks.ts';

/** The tracks that the other side has. Tracks are compared by identity: other tracks are another object. */
export class SentTracks<Tracks extends object> {
  #sent: Tracks | null;

  /** `sent`: tracks that were sent before, such as those of a whole window. */
  constructor(sent: Tracks | null = null) {
    this.#sent = sent;
  }

  /** Returns `tracks`, or null if the other side has them. It has them from now on. Hot: once per part. */
  newsOf(tracks: Tracks): Tracks | null {
    if (tracks === this.#sent) return null;
    this.#sent = tracks;
    return tracks;
  }

  /** They were not sent after all, or the other side has dropped them. */
  forget(): void {
    this.#sent = null;
  }
}

/** Messages turn Buffers into arrays of bytes. */
export function receivedTracks(tracks: PackagedTracks): PackagedTracks {
  const { signed } = tracks;
  return {
    ...tracks,
    init: receivedBuffer(tracks.init),
    ...(signed === undefined ? {} : { signed: { ...signed, init: receivedBuffer(signed.init) } }),
  };
}

/** The same memory. */
export function receivedBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
