/**
 * The sound of a stream as Opus packets, handed to readers as they arrive (docs/design/real-time.md). Opus passes through;
 * anything else is encoded once, however many readers there are, and only while there is one. Packets have the time of the
 * pictures, so that both are in step wherever they are played.
 */

import { ticksToMs } from '../../cmaf/ticks.ts';
import { OPUS_SAMPLE_RATE_HZ, opusSamples } from '../../codec/opus/opus-packet.ts';
import type { AccessUnit, AudioTrack, CodedTrack } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import type { LiveSounds, SoundReader } from '../media/live-media.ts';
import type { Urgency } from '../media/urgency.ts';
import { FrameClock } from '../pictures/frame-clock.ts';
import type { UnitFeed, UnitReader } from '../source/unit-feed.ts';

/** One encoder of a stream's sound. */
export interface SoundCoder {
  /** A frame of the track, borrowed. False: no worker runs yet, and the frame is lost. Hot: once per frame. */
  push(unit: AccessUnit): boolean;
  /** Idempotent. Nothing comes out afterwards. */
  close(): void;
}

export interface SoundCoderEvents {
  /** An Opus packet of 20 ms, borrowed; `mediaMs` on the timeline of the track. */
  onPacket(mediaMs: number, packet: Uint8Array): void;
  urgency(): Urgency;
}

/** Makes Opus of other sound. */
export interface SoundEncoder {
  /** null: it cannot encode this track. Packets come as soon as there is a worker. */
  open(track: AudioTrack, events: SoundCoderEvents): SoundCoder | null;
}

export interface SoundFeedOptions {
  readonly units: UnitFeed;
  readonly clock: Clock;
  /** Says when a picture of that media time is shown; null: there was none. */
  readonly pictures: { epochMsAt(mediaMs: number): number | null };
  readonly encoder: SoundEncoder | null;
  readonly urgency: () => Urgency;
}

export class SoundFeed implements LiveSounds, UnitReader {
  readonly #options: SoundFeedOptions;
  readonly #readers = new Set<SoundReader>();
  /** The time of sound without pictures. */
  readonly #ownTimes: FrameClock;
  #hasPictures = false;
  #track: AudioTrack | null = null;
  #trackIndex = -1;
  #coder: SoundCoder | null = null;

  constructor(options: SoundFeedOptions) {
    this.#options = options;
    this.#ownTimes = new FrameClock(options.clock);
  }

  get readers(): number {
    return this.#readers.size;
  }

  attach(reader: SoundReader): void {
    this.#readers.add(reader);
    if (this.#readers.size === 1) this.#options.units.attach(this);
  }

  detach(reader: SoundReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    this.#options.units.detach(this);
    this.#stop();
  }

  onTracks(tracks: readonly CodedTrack[]): void {
    this.#hasPictures = tracks.some(({ kind }) => kind === 'video');
    this.#ownTimes.restart();
    this.#trackIndex = tracks.findIndex(({ kind }) => kind === 'audio');
    const track = tracks[this.#trackIndex];
    if (track?.kind !== 'audio') {
      this.#endAll(new GatewayError(STREAM_ERRORS.STREAM_NO_SOUND));
      return;
    }
    if (this.#track !== null && isSameSound(track, this.#track)) return;
    this.#stop();
    this.#track = track;
    this.#coder = this.#open(track);
    if (this.#coder === null) this.#endAll(new GatewayError(STREAM_ERRORS.STREAM_NO_SOUND));
  }

  /** Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void {
    if (unit.trackIndex !== this.#trackIndex || this.#track === null) return;
    if (!this.#hasPictures) {
      this.#ownTimes.observe(ticksToMs(unit.dtsTicks, this.#track.timescaleHz), unit.arrivalMonoMs);
    }
    this.#coder?.push(unit);
  }

  onGone(error: GatewayError): void {
    this.#stop();
    this.#endReaders(error);
  }

  #open(track: AudioTrack): SoundCoder | null {
    const events: SoundCoderEvents = {
      onPacket: (mediaMs, packet) => this.#publish(mediaMs, packet),
      urgency: () => this.#options.urgency(),
    };
    if (track.codec === 'opus') return new PassingOpus(events);
    return this.#options.encoder?.open(track, events) ?? null;
  }

  #publish(mediaMs: number, packet: Uint8Array): void {
    const times = this.#hasPictures ? this.#options.pictures : this.#ownTimes;
    const epochMs = times.epochMsAt(mediaMs);
    if (epochMs === null || this.#readers.size === 0) return;
    const sound = { epochMs, packet: Uint8Array.from(packet) };
    for (const reader of this.#readers) reader.onSound(sound);
  }

  #stop(): void {
    this.#coder?.close();
    this.#coder = null;
    this.#track = null;
  }

  #endAll(error: GatewayError): void {
    this.#options.units.detach(this);
    this.#stop();
    this.#endReaders(error);
  }

  #endReaders(error: GatewayError): void {
    const readers = [...this.#readers];
    this.#readers.clear();
    for (const reader of readers) reader.onGone(error);
  }
}

/** What the camera sends. A packet that no decoder would take is left out. */
class PassingOpus implements SoundCoder {
  readonly #events: SoundCoderEvents;

  constructor(events: SoundCoderEvents) {
    this.#events = events;
  }

  push({ dtsTicks, data }: AccessUnit): boolean {
    const isPacket = opusSamples(data, 0, data.length) > 0;
    if (isPacket) this.#events.onPacket(ticksToMs(dtsTicks, OPUS_SAMPLE_RATE_HZ), data);
    return isPacket;
  }

  close(): void {
    // Nothing is held.
  }
}

/** Whether an encoder can go on with it. */
function isSameSound(one: AudioTrack, other: AudioTrack): boolean {
  return (
    one.codec === other.codec &&
    one.timescaleHz === other.timescaleHz &&
    one.sampleRateHz === other.sampleRateHz &&
    one.channelCount === other.channelCount
  );
}
