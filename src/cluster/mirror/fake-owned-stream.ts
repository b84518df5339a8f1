/** The main stream of a camera at the node that owns it: what a desk needs of it to pass on access units. */

import type { AccessUnit, H264Track, Track } from '../../codec/track.ts';
import type { FakeClock } from '../../core/fake-clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import { PictureFeed } from '../../stream/pictures/picture-feed.ts';
import { videoTrack } from '../../stream/pictures/picture-fixture.ts';
import type { UnitReader } from '../../stream/source/unit-feed.ts';

export class FakeOwnedStream {
  readonly name = 'main';
  readonly keys = { distanceMs: 2_000 };
  readonly sound = { state: 'none', encoding: null, isAlone: false };
  readonly pictures: PictureFeed;
  readonly #readers = new Set<UnitReader>();
  tracks: readonly Track[] = [];

  constructor(clock: FakeClock) {
    this.pictures = new PictureFeed(clock, { shareNewest: () => null, onReaders: () => undefined });
    this.setTracks([videoTrack()]);
  }

  state = () => ({ state: 'live' }) as const;

  attach(reader: UnitReader): void {
    this.#readers.add(reader);
    reader.onTracks(this.tracks as readonly H264Track[]);
  }

  detach(reader: UnitReader): void {
    this.#readers.delete(reader);
  }

  setTracks(tracks: readonly H264Track[]): void {
    this.tracks = tracks;
    this.pictures.setTracks(tracks);
    for (const reader of this.#readers) reader.onTracks(tracks);
  }

  push(unit: AccessUnit): void {
    this.pictures.push(unit);
    for (const reader of this.#readers) reader.onAccessUnit(unit);
  }

  /** The camera whose only stream it is. */
  cameraOf(uuid: Ruuid): CameraStream {
    const camera = {
      uuid,
      profiles: () => [this],
      published: () => null,
      touch: () => undefined,
      manifests: { follow: () => () => undefined, tell: () => undefined },
    };
    return camera as unknown as CameraStream;
  }
}
