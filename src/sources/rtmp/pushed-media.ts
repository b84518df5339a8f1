/**
 * Converts a publisher's audio and video messages to tracks and access units. It lives as long as the publisher's
 * connection and is attached to an instance of the camera's source while there is one. Otherwise it only remembers the
 * decoder configurations, which publishers send once.
 */

import { aacTrackOf } from '../../codec/aac/audio-specific-config.ts';
import { h264TrackOf, parseAvcConfiguration } from '../../codec/h264/avc-configuration.ts';
import { H264SampleReader } from '../../codec/h264/sample-reader.ts';
import { parseHevcConfiguration } from '../../codec/h265/hevc-configuration.ts';
import { H265SampleReader } from '../../codec/h265/sample-reader.ts';
import { LengthPrefixes } from '../../codec/length-prefixes.ts';
import { isSameBytes } from '../../codec/same-bytes.ts';
import type { SampleReader } from '../../codec/sample-reader.ts';
import type { AacTrack, AccessUnit, AudioTrack, Track, VideoTrack } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { AudioTimes } from '../../rtp/aac/audio-times.ts';
import { SharedStamps } from '../../rtp/shared-stamps.ts';
import { JOINING_CODE } from '../../stream/source/source-events.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { SoundPath, SoundPaths } from '../sound/sound-path.ts';
import { RTMP_ERRORS } from './errors.ts';
import { AudioTag } from './flv/audio-tag.ts';
import { type FlvVideoCodec, VideoTag } from './flv/video-tag.ts';
import { InBandSets } from './in-band-sets.ts';
import { PushedTimeline } from './pushed-timeline.ts';

/** Paths for audio other than AAC; `off`: all audio is left out. */
export type PushedSound = SoundPaths | 'off';

const VIDEO_TIMESCALE_HZ = 90_000;
const VIDEO_TICKS_PER_MS = 90;
const ASSUMED_FRAME_RATE_HZ = 25;
const NO_RECORD = new Uint8Array(0);
/** Length of the NAL units' length fields if no record states it: all encoders use this. */
const LENGTH_BYTES = 4;
const VIDEO_INDEX = 0;
const AUDIO_INDEX = 1;
const G711_RATE_HZ = 8_000;
/**
 * Longest wait for the audio's configuration, from the first message of the connection: publishers send it first, or
 * with the first second of audio. A track that is announced later ends playback in browsers.
 */
export const AUDIO_WAIT_MS = 1_000;
/** Limits on the held units; beyond them, the wait is over. */
const MAX_HELD_UNITS = 256;
const MAX_HELD_BYTES = 8 * 1_048_576;
/** No encoder reorders by more; a larger number is a broken timestamp. */
const MAX_COMPOSITION_MS = 5_000;
/** A configuration with more is not one of a camera. */
const MAX_CONFIGURATION_BYTES = 8 * 1_024;

/** The publisher's audio as its messages show it. */
type PushedAudio =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'aac'; readonly track: AacTrack }
  | { readonly kind: 'g711'; readonly encoding: 'pcma' | 'pcmu'; readonly channelCount: number }
  | { readonly kind: 'unsupported'; readonly encoding: string };

interface PushedVideo {
  readonly codec: FlvVideoCodec;
  /** Empty: its parameter sets came in band. */
  readonly record: Uint8Array;
  readonly lengthBytes: number;
  readonly reader: SampleReader;
}

export class PushedMedia {
  readonly #sound: PushedSound;
  readonly #videoTag = new VideoTag();
  readonly #audioTag = new AudioTag();
  readonly #lengths = new LengthPrefixes();
  readonly #clock: Pick<Clock, 'monoMs'>;
  /** When the first message of the connection came. */
  #firstMonoMs: number | null = null;
  #video: PushedVideo | null = null;
  #inBand: { readonly codec: FlvVideoCodec; readonly sets: InBandSets } | null = null;
  #audio: PushedAudio = { kind: 'unknown' };
  #attachment: Attachment | null = null;

  constructor(sound: PushedSound, clock: Pick<Clock, 'monoMs'>) {
    this.#sound = sound;
    this.#clock = clock;
  }

  /** Everything goes to `sink` from the next key frame on. Call `detach` before another one is attached. */
  attach(sink: SourceSink): void {
    this.#attachment = new Attachment(sink, this.#sound, this.#clock, this.#isAudioLate);
    if (this.#audio.kind !== 'unknown') this.#attachment.audioIs(this.#audio);
  }

  /** Resolves when everything that the attached instance used is released. */
  async detach(): Promise<void> {
    const attachment = this.#attachment;
    this.#attachment = null;
    await attachment?.close();
  }

  /** Hot: once per frame. `message` is borrowed. Fails RTMP_UNSUPPORTED_VIDEO, RTMP_NO_PARAMETER_SETS; frames that make no sense are counted. */
  video(timestamp: number, message: Uint8Array, arrivalMonoMs: number): void {
    this.#firstMonoMs ??= arrivalMonoMs;
    const tag = this.#videoTag;
    tag.read(message);
    if (tag.kind === 'ignored') return;
    if (tag.kind === 'damaged') this.#attachment?.damaged();
    else if (tag.codec === 'other') throw unsupported(tag.encoding);
    else if (tag.kind === 'configuration') this.#configureVideo(message.subarray(tag.dataAt), arrivalMonoMs);
    else if (this.#video?.codec !== tag.codec)
      this.#unconfigured(tag.codec, timestamp, message, arrivalMonoMs);
    else if (this.#attachment !== null) this.#videoFrame(this.#attachment, timestamp, message, arrivalMonoMs);
  }

  /** Hot: once per frame. `message` is borrowed. */
  audio(timestamp: number, message: Uint8Array, arrivalMonoMs: number): void {
    this.#firstMonoMs ??= arrivalMonoMs;
    const tag = this.#audioTag;
    tag.read(message);
    if (tag.kind === 'ignored') return;
    if (tag.kind === 'damaged') this.#attachment?.damaged();
    else if (tag.kind === 'configuration') this.#configureAudio(message.subarray(tag.dataAt));
    else {
      if (this.#audio.kind === 'unknown' && tag.codec !== 'aac') this.#learnAudio();
      this.#attachment?.audioFrame(timestamp, message, tag.dataAt, arrivalMonoMs, tag.codec);
    }
  }

  readonly #isAudioLate = (monoMs: number): boolean =>
    monoMs - (this.#firstMonoMs ?? monoMs) >= AUDIO_WAIT_MS;

  #configureVideo(record: Uint8Array, arrivalMonoMs: number): void {
    const { codec } = this.#videoTag;
    if (this.#video?.codec === codec && isSameBytes(this.#video.record, record)) return;
    const video =
      record.length > MAX_CONFIGURATION_BYTES ? null : pushedVideoOf(codec, new Uint8Array(record));
    if (video !== null) this.#use(video);
    else if (codec === 'other' || !this.#learn(codec, record, arrivalMonoMs)) this.#attachment?.damaged();
  }

  #use(video: PushedVideo): void {
    this.#video = video;
    this.#inBand = null;
    this.#attachment?.needKeyFrame();
  }

  /** A frame of a codec whose configuration is not known: it may bring its parameter sets, also while nothing is attached. */
  #unconfigured(codec: FlvVideoCodec, timestamp: number, message: Uint8Array, arrivalMonoMs: number): void {
    const { dataAt } = this.#videoTag;
    const isKnown = codec !== 'other' && this.#learn(codec, message.subarray(dataAt), arrivalMonoMs);
    if (this.#attachment === null) return;
    if (isKnown) this.#videoFrame(this.#attachment, timestamp, message, arrivalMonoMs);
    else this.#attachment.damaged();
  }

  /** False: `data` does not complete the parameter sets. */
  #learn(codec: 'h264' | 'h265', data: Uint8Array, arrivalMonoMs: number): boolean {
    if (this.#inBand?.codec !== codec) {
      this.#inBand = { codec, sets: new InBandSets(codec, VIDEO_TIMESCALE_HZ) };
    }
    const reader = this.#inBand.sets.read(this.#lengths.convert(data, LENGTH_BYTES), arrivalMonoMs);
    if (reader === null) return false;
    this.#use({ codec, record: NO_RECORD, lengthBytes: LENGTH_BYTES, reader });
    return true;
  }

  #configureAudio(record: Uint8Array): void {
    const isKnown = this.#audio.kind === 'aac' && isSameBytes(this.#audio.track.audioSpecificConfig, record);
    if (isKnown) return;
    const isAac = this.#audioTag.codec === 'aac';
    const track =
      isAac && record.length <= MAX_CONFIGURATION_BYTES ? aacTrackOf(new Uint8Array(record)) : null;
    this.#audio =
      track === null ? { kind: 'unsupported', encoding: this.#audioTag.encoding } : { kind: 'aac', track };
    this.#attachment?.audioIs(this.#audio);
  }

  /** Formats without a configuration of their own. */
  #learnAudio(): void {
    const { codec, encoding, channelCount } = this.#audioTag;
    this.#audio =
      codec === 'pcma' || codec === 'pcmu'
        ? { kind: 'g711', encoding: codec, channelCount }
        : { kind: 'unsupported', encoding };
    this.#attachment?.audioIs(this.#audio);
  }

  #videoFrame(attachment: Attachment, timestamp: number, message: Uint8Array, arrivalMonoMs: number): void {
    const { codec, dataAt, compositionMs } = this.#videoTag;
    const video = this.#video?.codec === codec ? this.#video : null;
    const sample = video === null ? null : this.#lengths.convert(message.subarray(dataAt), video.lengthBytes);
    const outcome = video === null || sample === null ? 'damaged' : video.reader.read(sample);
    if (outcome === 'empty') return;
    if (video === null || outcome === 'damaged') {
      attachment.damaged();
      // H.264 continues: there, a message without a picture looks the same.
      if (codec === 'h265') attachment.needKeyFrame();
    } else
      attachment.videoFrame(video.reader, outcome === 'changed', timestamp, compositionMs, arrivalMonoMs);
  }
}

/** null: the record makes no sense. */
function pushedVideoOf(codec: FlvVideoCodec, record: Uint8Array): PushedVideo | null {
  if (codec === 'h265') {
    const configuration = parseHevcConfiguration(record);
    if (configuration === null) return null;
    const reader = new H265SampleReader(configuration, VIDEO_TIMESCALE_HZ);
    return { codec, record, lengthBytes: configuration.lengthBytes, reader };
  }
  const configuration = parseAvcConfiguration(record);
  const track = configuration === null ? null : h264TrackOf(configuration, VIDEO_TIMESCALE_HZ);
  if (configuration === null || track === null) return null;
  return { codec, record, lengthBytes: configuration.lengthBytes, reader: new H264SampleReader(track) };
}

function unsupported(encoding: string): GatewayError {
  return new GatewayError(RTMP_ERRORS.RTMP_UNSUPPORTED_VIDEO, { encoding });
}

/** `held`: copies, since messages are borrowed. */
type Announcement =
  | { readonly name: 'none' }
  | { readonly name: 'waiting'; readonly held: AccessUnit[]; heldBytes: number }
  | { readonly name: 'announced' };

/** One instance of the camera's source: its timeline, its tracks. */
class Attachment {
  readonly #sink: SourceSink;
  readonly #sound: PushedSound;
  readonly #clock: Pick<Clock, 'monoMs'>;
  readonly #isAudioLate: (monoMs: number) => boolean;
  readonly #timeline = new PushedTimeline();
  #announcement: Announcement = { name: 'none' };
  /** Announced, or what the held units need. */
  #videoTrack: VideoTrack | null = null;
  #needsKey = true;
  /** RASL pictures refer to pictures before their key frame that are not in the output; null: they may be used. */
  #raslCode: string | null = null;
  /** The first key frame's timestamp: the zero of all tracks. */
  #zeroMs = 0;
  #audio: PushedAudio = { kind: 'unknown' };
  #audioTrack: AudioTrack | null = null;
  #audioTimes: AudioTimes | null = null;
  #path: SoundPath | null = null;
  #lastVideoTicks = Number.NEGATIVE_INFINITY;
  readonly #shared = new SharedStamps(VIDEO_TIMESCALE_HZ / ASSUMED_FRAME_RATE_HZ);
  #lastAudioTicks = Number.NEGATIVE_INFINITY;
  /** Delay of all presentation times, for encoders that present frames before they decode them. */
  #presentationShiftMs = 0;
  readonly #videoUnit: AccessUnit = newUnit(VIDEO_INDEX);
  readonly #audioUnit: AccessUnit = newUnit(AUDIO_INDEX);

  constructor(
    sink: SourceSink,
    sound: PushedSound,
    clock: Pick<Clock, 'monoMs'>,
    isAudioLate: (monoMs: number) => boolean,
  ) {
    this.#sink = sink;
    this.#sound = sound;
    this.#clock = clock;
    this.#isAudioLate = isAudioLate;
  }

  async close(): Promise<void> {
    this.#announcement = { name: 'none' };
    await this.#path?.close();
  }

  damaged(): void {
    this.#sink.onDropped(1, RTMP_ERRORS.RTMP_BAD_MEDIA.code);
  }

  /** Frames up to the next key frame refer to something that is not there: a lost frame, or other parameter sets. */
  needKeyFrame(): void {
    this.#needsKey = true;
  }

  /** Audio that comes after the tracks were announced without it is not part of this instance. */
  audioIs(audio: PushedAudio): void {
    this.#audio = audio;
    if (audio.kind === 'unsupported') this.#sink.onSound({ kind: 'unsupported', encoding: audio.encoding });
    if (this.#announcement.name === 'waiting') this.#announce();
    else if (audio.kind === 'aac' && this.#audioTimes !== null) {
      this.#useAac(audio.track);
      this.#announceTracks();
    }
  }

  /** Hot. `isChanged`: the frame brought other parameter sets. */
  videoFrame(
    reader: SampleReader,
    isChanged: boolean,
    timestamp: number,
    compositionMs: number,
    arrivalMonoMs: number,
  ): void {
    const timelineMs = this.#timeline.videoMs(timestamp, arrivalMonoMs);
    const dropCode = this.#dropCode(reader, isChanged);
    if (dropCode !== null) {
      this.#sink.onDropped(1, dropCode);
      return;
    }
    if (this.#needsKey || isChanged) this.#useTrack(reader, timelineMs, arrivalMonoMs);
    const unit = this.#videoUnit;
    const stampedTicks = (timelineMs - this.#zeroMs) * VIDEO_TICKS_PER_MS;
    const liftedTicks = stampedTicks + this.#shared.lift(stampedTicks);
    unit.dtsTicks = Math.max(liftedTicks, this.#lastVideoTicks + 1);
    const presentedTicks = stampedTicks + this.#composition(compositionMs) * VIDEO_TICKS_PER_MS;
    unit.ptsTicks = Math.max(unit.dtsTicks, presentedTicks);
    this.#lastVideoTicks = unit.dtsTicks;
    unit.isKey = reader.isKey;
    unit.data = reader.data;
    unit.arrivalMonoMs = arrivalMonoMs;
    this.#deliver(unit);
    if (this.#announcement.name === 'waiting') this.#checkWait(this.#announcement, arrivalMonoMs);
  }

  /** Why a frame cannot be decoded; null: it can. H.265 §8.1.3 says so of RASL pictures. */
  #dropCode(reader: SampleReader, isChanged: boolean): string | null {
    const code = this.#announcement.name === 'none' ? JOINING_CODE : RTMP_ERRORS.RTMP_BAD_MEDIA.code;
    if (!reader.isKey) return this.#needsKey ? code : reader.isRasl ? this.#raslCode : null;
    this.#raslCode = this.#needsKey || isChanged || !reader.isContinuing ? code : null;
    return null;
  }

  /** Hot. */
  audioFrame(
    timestamp: number,
    message: Uint8Array,
    dataAt: number,
    arrivalMonoMs: number,
    codec: string,
  ): void {
    const timelineMs = this.#timeline.audioMs(timestamp, arrivalMonoMs);
    const track = this.#audioTrack;
    if (this.#announcement.name !== 'announced') return;
    if (track === null || dataAt >= message.length) return;
    const sinceZeroMs = timelineMs - this.#zeroMs;
    if (sinceZeroMs < 0) return;
    const { stretch } = this.#timeline;
    if (this.#path !== null) {
      const clockTicks = Math.round((sinceZeroMs * G711_RATE_HZ) / 1_000);
      if (codec === 'pcma' || codec === 'pcmu')
        this.#path.push(message, dataAt, message.length, clockTicks, stretch);
      return;
    }
    if (codec !== 'aac' || this.#audioTimes === null) return;
    const stampedTicks = (sinceZeroMs * track.timescaleHz) / 1_000;
    const dtsTicks = this.#audioTimes.next(stampedTicks, track.samplesPerFrame, stretch);
    this.#audioUnitReady(dtsTicks, message.subarray(dataAt), arrivalMonoMs);
  }

  #audioUnitReady(dtsTicks: number, data: Uint8Array, arrivalMonoMs: number): void {
    if (dtsTicks <= this.#lastAudioTicks) return;
    this.#lastAudioTicks = dtsTicks;
    const unit = this.#audioUnit;
    unit.dtsTicks = dtsTicks;
    unit.ptsTicks = dtsTicks;
    unit.isKey = true;
    unit.data = data;
    unit.arrivalMonoMs = arrivalMonoMs;
    this.#deliver(unit);
  }

  /** The track of `reader` is in force from this frame on. */
  #useTrack(reader: SampleReader, timelineMs: number, arrivalMonoMs: number): void {
    this.#needsKey = false;
    // After a lost frame, it is the same one.
    if (reader.track === this.#videoTrack) return;
    this.#videoTrack = reader.track;
    const before = this.#announcement;
    if (before.name === 'waiting') {
      // Held units need the earlier parameter sets, and are some frames old.
      this.#sink.onDropped(before.held.length, JOINING_CODE);
      before.held.length = 0;
      this.#announce();
    } else if (before.name === 'announced') this.#announceTracks();
    else {
      this.#zeroMs = timelineMs;
      if (this.#audio.kind === 'unknown' && !this.#isAudioLate(arrivalMonoMs)) {
        this.#announcement = { name: 'waiting', held: [], heldBytes: 0 };
      } else this.#announce();
    }
  }

  #checkWait(waiting: Announcement & { name: 'waiting' }, arrivalMonoMs: number): void {
    const isLate = this.#isAudioLate(arrivalMonoMs);
    if (isLate || waiting.held.length >= MAX_HELD_UNITS || waiting.heldBytes >= MAX_HELD_BYTES)
      this.#announce();
  }

  /** Ends the wait for audio. */
  #announce(): void {
    const before = this.#announcement;
    this.#openAudio();
    this.#announceTracks();
    if (before.name === 'waiting') for (const unit of before.held) this.#sink.onAccessUnit(unit);
  }

  #announceTracks(): void {
    const video = this.#videoTrack;
    if (video === null) return;
    this.#announcement = { name: 'announced' };
    const tracks: readonly Track[] = this.#audioTrack === null ? [video] : [video, this.#audioTrack];
    this.#sink.onTracks(tracks);
  }

  /** Prepares the audio that this instance will announce. */
  #openAudio(): void {
    const audio = this.#audio;
    if (this.#sound === 'off') this.#sink.onSound({ kind: 'none' });
    else if (audio.kind === 'aac') {
      this.#useAac(audio.track);
      this.#sink.onSound({ kind: 'announced' });
    } else if (audio.kind === 'g711') this.#openPath(audio.encoding, audio.channelCount);
    else if (audio.kind === 'unknown') this.#sink.onSound({ kind: 'none' });
  }

  #useAac(track: AacTrack): void {
    this.#audioTrack = track;
    this.#audioTimes = new AudioTimes(track.samplesPerFrame, track.sampleRateHz);
    this.#lastAudioTicks = Number.NEGATIVE_INFINITY;
  }

  #openPath(encoding: 'pcma' | 'pcmu', channelCount: number): void {
    const payloadType = encoding === 'pcmu' ? 0 : 8;
    const format = { payloadType, encoding, clockRateHz: G711_RATE_HZ, channelCount, fmtp: new Map() };
    if (this.#sound === 'off' || !this.#sound.carries(format)) {
      this.#sink.onSound({ kind: 'unsupported', encoding });
      return;
    }
    this.#path = this.#sound.open(format, {
      onUnit: (dtsTicks, data) => this.#audioUnitReady(dtsTicks, data, this.#clock.monoMs()),
      onWaiting: (isWaiting) => this.#sink.onSound({ kind: isWaiting ? 'waiting' : 'announced' }),
      urgency: () => this.#sink.urgency(),
    });
    this.#audioTrack = this.#path.track;
    this.#sink.onSound({ kind: 'announced' });
  }

  #composition(compositionMs: number): number {
    if (Math.abs(compositionMs) > MAX_COMPOSITION_MS) return this.#presentationShiftMs;
    if (compositionMs + this.#presentationShiftMs < 0) this.#presentationShiftMs = -compositionMs;
    return compositionMs + this.#presentationShiftMs;
  }

  #deliver(unit: AccessUnit): void {
    const announcement = this.#announcement;
    if (announcement.name === 'announced') this.#sink.onAccessUnit(unit);
    else if (announcement.name === 'waiting') {
      announcement.held.push({ ...unit, data: new Uint8Array(unit.data) });
      announcement.heldBytes += unit.data.length;
    }
  }
}

function newUnit(trackIndex: number): AccessUnit {
  const data = new Uint8Array(0);
  return { trackIndex, dtsTicks: 0, ptsTicks: 0, isKey: false, data, arrivalMonoMs: 0 };
}
