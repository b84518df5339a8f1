/** A connection's audio and video messages, and what becomes of them, for tests. */

import { expect } from 'vitest';
import type { FlvTagBytes } from '../../../test/support/flv-file.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { SoundOffer, SourceEvents } from '../../stream/source/source-events.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import type { SoundPaths } from '../sound/sound-path.ts';
import { PushedMedia, type PushedSound } from './pushed-media.ts';

/** Everything that an instance reported, with copies of the access units. */
export class Seen implements SourceEvents {
  readonly announcements: (readonly Track[])[] = [];
  readonly units: (AccessUnit & { track: Track })[] = [];
  readonly offers: SoundOffer[] = [];
  readonly dropped = new Map<string, number>();

  onTracks(tracks: readonly Track[]): void {
    this.announcements.push(tracks);
  }
  onAccessUnit(unit: AccessUnit): void {
    const track = this.announcements.at(-1)![unit.trackIndex]!;
    this.units.push({ ...unit, data: new Uint8Array(unit.data), track });
  }
  onSound(offer: SoundOffer): void {
    this.offers.push(offer);
  }
  onDropped(frames: number, code: string): void {
    this.dropped.set(code, (this.dropped.get(code) ?? 0) + frames);
  }
  onEnded(): void {
    throw new Error('ended');
  }

  of(kind: Track['kind']) {
    return this.units.filter(({ track }) => track.kind === kind);
  }
}

/** Carries nothing but AAC. */
const NO_PATHS: SoundPaths = {
  carries: () => false,
  open: () => {
    throw new Error('opened');
  },
};

/** Feeds tags as fast as their timestamps say. */
export class Push {
  readonly clock = new FakeClock();
  readonly media: PushedMedia;
  readonly seen = new Seen();

  constructor(sound: PushedSound = NO_PATHS) {
    this.media = new PushedMedia(sound, this.clock);
  }

  attach(): this {
    this.media.attach(new SourceSink(this.seen));
    return this;
  }

  feed(tags: readonly FlvTagBytes[], stamp = (timestampMs: number) => timestampMs): this {
    let lastMs = tags[0]?.timestampMs ?? 0;
    for (const { kind, timestampMs, payload } of tags) {
      if (timestampMs > lastMs) this.clock.advance(timestampMs - lastMs);
      lastMs = Math.max(lastMs, timestampMs);
      const at = stamp(timestampMs) >>> 0;
      if (kind === 'video') this.media.video(at, payload, this.clock.monoMs());
      else this.media.audio(at, payload, this.clock.monoMs());
    }
    return this;
  }
}

/** Decoding times rise, and no frame is shown before it is decoded. */
export function expectRising(seen: Seen): void {
  for (const kind of ['video', 'audio'] as const) {
    const units = seen.of(kind);
    for (let i = 1; i < units.length; i++) expect(units[i]!.dtsTicks).toBeGreaterThan(units[i - 1]!.dtsTicks);
    for (const { dtsTicks, ptsTicks } of units) expect(ptsTicks).toBeGreaterThanOrEqual(dtsTicks);
  }
}
