/** What the camera signed in a file of a case (ONVIF Media Signing), read while the file is hashed. */

import { LENGTH_BYTES, naluEnd } from '../codec/kept-nalus.ts';
import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import type { MediaSigner } from '../codec/media-signing/media-signer.ts';
import { type GroupVerdict, MediaVerifier } from '../codec/media-signing/media-verifier.ts';
import type { Track } from '../codec/track.ts';
import { FragmentReader, type FragmentSink } from '../isobmff/fragment-reader.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import type { RecordedMedia } from './recorded-media.ts';
import { BLOCK_BYTES } from './served-file.ts';

/** A camera that signs states something in each group of pictures, and a segment has at least one. */
const MAX_SILENT_SEGMENTS = 16;

/**
 * What the camera signed in the segments of these files; null: nothing. `isThorough`: false for no more reads if its first segments
 * have no signature. Fails like RecordedMedia.read.
 */
export async function signedInRecording(
  media: Pick<RecordedMedia, 'read'>,
  files: readonly FoundFile[],
  { isThorough, signal = null }: { readonly isThorough: boolean; readonly signal?: AbortSignal | null },
): Promise<CameraSignature | null> {
  let found: CameraSignature | null = null;
  let segmentsRead = 0;
  let isSilent = true;
  for (const { name, segments } of files) {
    let reader: CameraSignatureReader | null = null;
    let initOffset = -1;
    for (const { init, offset, byteLength, isDiscontinuity } of segments) {
      if (reader === null || init.offset !== initOffset || isDiscontinuity) {
        found = together(found, reader?.end() ?? null);
        reader = new CameraSignatureReader();
        initOffset = init.offset;
        reader.push(await media.read(name, initOffset, init.byteLength));
      }
      for (let at = 0; at < byteLength; at += BLOCK_BYTES) {
        signal?.throwIfAborted();
        reader.push(await media.read(name, offset + at, Math.min(BLOCK_BYTES, byteLength - at)));
      }
      isSilent &&= !reader.isSigned;
      if (!isThorough && isSilent && ++segmentsRead >= MAX_SILENT_SEGMENTS) return null;
    }
    found = together(found, reader?.end() ?? null);
  }
  return found;
}

/** The names are those of the later one. */
function together(one: CameraSignature | null, other: CameraSignature | null): CameraSignature | null {
  if (one === null || other === null) return one ?? other;
  const groups = {
    signed: one.groups.signed + other.groups.signed,
    incomplete: one.groups.incomplete + other.groups.incomplete,
    changed: one.groups.changed + other.groups.changed,
    unverifiable: one.groups.unverifiable + other.groups.unverifiable,
  };
  return { ...other, certificate: other.certificate ?? one.certificate, groups };
}

export class CameraSignatureReader implements FragmentSink {
  readonly #reader = new FragmentReader(this);
  readonly #groups: Record<GroupVerdict, number> = { signed: 0, incomplete: 0, changed: 0, unverifiable: 0 };
  #verifier: MediaVerifier | null = null;
  #videoIndex = -1;
  #signer: MediaSigner | null = null;
  #isReadable = true;

  /** A camera has stated something. */
  get isSigned(): boolean {
    return this.#verifier?.isSigned ?? false;
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
      // Without anchors, no trust is judged.
      nowMs: () => 0,
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
