/** What the camera signed in a file of a case (ONVIF Media Signing), read while the file is hashed. */

import { LENGTH_BYTES, naluEnd } from '../codec/kept-nalus.ts';
import type { MediaSigner } from '../codec/media-signing/media-signer.ts';
import { type GroupVerdict, MediaVerifier } from '../codec/media-signing/media-verifier.ts';
import type { Track } from '../codec/track.ts';
import type { CameraSignature } from '../evidence/camera-signature.ts';
import { FragmentReader, type FragmentSink } from '../isobmff/fragment-reader.ts';

export class CameraSignatureReader implements FragmentSink {
  readonly #reader = new FragmentReader(this);
  readonly #nowMs: () => number;
  readonly #groups: Record<GroupVerdict, number> = { signed: 0, incomplete: 0, changed: 0, unverifiable: 0 };
  #verifier: MediaVerifier | null = null;
  #videoIndex = -1;
  #signer: MediaSigner | null = null;
  #isReadable = true;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The next bytes of a fragmented file, borrowed. What cannot be read is not judged. */
  push(bytes: Uint8Array): void {
    if (!this.#isReadable) return;
    try {
      this.#reader.push(bytes);
    } catch {
      // The digest and the links show that the file is damaged.
      this.#isReadable = false;
    }
  }

  /**
   * null: no camera signed it, or it cannot be read. The last group of a file is left out: its statement comes with the next one.
   */
  end(): CameraSignature | null {
    const verifier = this.#verifier;
    if (!this.#isReadable || verifier?.isSigned !== true) return null;
    const signer = this.#signer;
    return {
      groups: { ...this.#groups },
      certificate:
        signer === null
          ? null
          : { subject: signer.subject, issuer: signer.issuer, sha256: signer.fingerprint },
      manufacturer: verifier.vendor?.manufacturer ?? null,
      serialNumber: verifier.vendor?.serialNumber ?? null,
    };
  }

  /** @internal from FragmentReader */
  onTracks(tracks: readonly Track[]): void {
    this.#videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
    const video = tracks[this.#videoIndex];
    if (video?.kind !== 'video') return;
    this.#verifier = new MediaVerifier({
      codec: video.codec,
      anchors: [],
      isRecording: true,
      nowMs: this.#nowMs,
    });
  }

  /** @internal from FragmentReader */
  onSample(
    trackIndex: number,
    _dtsTicks: number,
    _ptsTicks: number,
    _isKey: boolean,
    data: Uint8Array,
  ): void {
    const verifier = this.#verifier;
    if (verifier === null || trackIndex !== this.#videoIndex) return;
    for (let at = 0; at < data.length; ) {
      const end = naluEnd(data, at);
      if (end < 0) return;
      for (const { verdict, signer } of verifier.push(data.subarray(at + LENGTH_BYTES, end), 0)) {
        this.#groups[verdict]++;
        this.#signer = signer ?? this.#signer;
      }
      at = end;
    }
  }
}
