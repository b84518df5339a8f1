/**
 * Parameter sets in front of key frames, for players that keep the first init segment they saw: ffmpeg's HLS reader, and so
 * mpv, PyAV and OpenCV, ignores a changed EXT-X-MAP. They are in the init segment as well, so `avc1` and `hvc1` hold
 * (ISO/IEC 14496-15 §5.3.2 would have them there alone), and every other player takes them for repetitions. As long as one
 * init segment was enough, samples are without them.
 */

import { LENGTH_BYTES } from '../codec/kept-nalus.ts';
import type { VideoTrack } from '../codec/track.ts';
import type { PackagedTracks } from './packaged-tracks.ts';

const NONE = new Uint8Array(0);

export class SetsInBand {
  /** Bytes that the next key frame begins with. Empty: nothing has changed. */
  head: Uint8Array = NONE;
  #hasChanged = false;
  #tracks: PackagedTracks | null = null;
  /** The sets in the newest tracks with video. */
  #sets: Uint8Array = NONE;
  #knownFingerprint: string | null = null;

  /** The init segments of a rendition have described different sets. It stays so: a player may have any of them. */
  get isOn(): boolean {
    return this.#hasChanged;
  }

  /** `fingerprint`: of an init segment that players may have from before; null: there is none. */
  expect(fingerprint: string | null): void {
    this.#knownFingerprint = fingerprint;
    this.#update();
  }

  setTracks(tracks: PackagedTracks | null): void {
    this.#tracks = tracks;
    if (tracks?.video == null || !tracks.hasVideo) return;
    const sets = setsOf(tracks.video);
    this.#hasChanged ||= this.#sets.length > 0 && Buffer.compare(sets, this.#sets) !== 0;
    this.#sets = sets;
    this.#update();
  }

  /** Continues where another one stopped. */
  goOn(isOn: boolean): void {
    this.#hasChanged ||= isOn;
    this.#update();
  }

  #update(): void {
    const known = this.#knownFingerprint;
    this.#hasChanged ||= known !== null && this.#tracks !== null && this.#tracks.fingerprint !== known;
    this.head = this.#hasChanged ? this.#sets : NONE;
  }
}

/** In the order in which a decoder needs them, each after its length. */
function setsOf(track: VideoTrack): Uint8Array {
  const vps = track.codec === 'h265' ? track.vps : [];
  const pieces: Buffer[] = [];
  for (const nalu of [...vps, ...track.sps, ...track.pps]) {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(nalu.length);
    pieces.push(length, Buffer.from(nalu));
  }
  return Buffer.concat(pieces);
}
