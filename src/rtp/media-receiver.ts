/**
 * Converts the RTP and RTCP packets of one RTSP session to access units on one timeline. Sans-IO: bytes and clock readings
 * go in, tracks and frames come out through events, synchronously.
 *
 * Nothing comes out before the first key frame whose parameter sets are known. Packets that are discarded until then,
 * including audio, is reported with RTP_JOINING. Time 0 is its decoding time. A session without video begins with its
 * first packet of audio.
 */

import { aacTrackOf } from '../codec/aac/audio-specific-config.ts';
import type { JpegPicture } from '../codec/jpeg/baseline-jpeg.ts';
import type { SigningWatch } from '../codec/media-signing/signing-watch.ts';
import type { AacTrack, AccessUnit, AudioTrack, Track, VideoTrack } from '../codec/track.ts';
import { AacDepacketizer, type AacFrameSink } from './aac/aac-depacketizer.ts';
import { aacPayloadFormat, decodeAacConfig } from './aac/aac-payload-format.ts';
import { AudioTimes } from './aac/audio-times.ts';
import { LatmDepacketizer } from './aac/latm-depacketizer.ts';
import { latmPayloadFormat } from './aac/latm-payload-format.ts';
import type { AssembledPicture } from './access-unit-assembler.ts';
import { CameraClock, type ClockReading } from './camera-clock.ts';
import { DecodeTimes } from './decode-times.ts';
import { RTP_ERRORS, type RtpErrorCode } from './errors.ts';
import { H264Receiver } from './h264/h264-receiver.ts';
import { H265Receiver } from './h265/h265-receiver.ts';
import { JpegDepacketizer } from './jpeg/jpeg-depacketizer.ts';
import type { LossPolicy } from './loss-policy.ts';
import { readRtcp, type SenderReport } from './rtcp/rtcp-reader.ts';
import { type ReceptionReport, writeReceiverReport } from './rtcp/rtcp-writer.ts';
import { SessionTimeline } from './session-timeline.ts';
import { type PayloadReceiver, StreamReceiver } from './stream-receiver.ts';

/** One media stream as agreed in the session description and SETUP. */
export interface ReceivedTrack {
  /** `coded-sound`: payloads go to `MediaReceiverOptions.sound`, whatever they hold. */
  readonly encoding: 'h264' | 'h265' | 'jpeg' | 'aac' | 'aac-latm' | 'coded-sound';
  readonly payloadType: number;
  readonly clockRateHz: number;
  readonly channelCount: number;
  /** `a=fmtp` with lower-case names. */
  readonly fmtp: ReadonlyMap<string, string>;
  /** Read from the Transport header. */
  readonly ssrc: number | null;
  /** Size of pictures whose packets do not state it. */
  readonly frameSize?: FrameSize | undefined;
}

export interface FrameSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Called synchronously and in order. */
export interface MediaReceiverEvents {
  /**
   * Before the first access unit, and again before the first one that needs changed parameter sets. Pictures of Motion
   * JPEG are not a track: before the first of them, with the audio track or none, whose units have index 1.
   */
  onTracks(tracks: readonly Track[]): void;
  /** Borrowed, see AccessUnit. */
  onAccessUnit(unit: AccessUnit): void;
  /** `code`: one of RTP_ERRORS. 0 frames: an anomaly without a loss. */
  onDropped(frames: number, code: string): void;
  /** Motion JPEG: each picture. `ptsTicks`: in 1/90,000 s on the timeline of the access units, strictly increasing. */
  onJpeg?(picture: JpegPicture, ptsTicks: number, arrivalMonoMs: number): void;
  /** Every few seconds. */
  onClock?(reading: ClockReading): void;
}

/** Takes the payloads of coded audio and turns them into access units elsewhere. */
export interface SoundPayloads {
  /** The track to announce for the audio. */
  readonly track: AudioTrack;
  /**
   * The payload `chunk[start, end)` of a packet, borrowed. Its first sample is at `clockTicks` of the track's RTP clock
   * on the timeline of the access units. Only after `onTracks`. `stretch`: its samples last longer than their number says, by
   * this share of it, because the clock is corrected.
   */
  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch: number): void;
  /** Packets are missing before the next one. */
  gap(): void;
}

export interface MediaReceiverOptions {
  /** The first video track and the first audio track are received; others are ignored. Video may be missing. */
  readonly tracks: readonly ReceivedTrack[];
  /** Decoders of coded audio. Without them, such audio is ignored. */
  readonly sound?: SoundPayloads | null;
  readonly events: MediaReceiverEvents;
  readonly transport: 'tcp' | 'udp';
  /** SSRC of our receiver reports: random, 32 bits. */
  readonly localSsrc: number;
  /** `until-key` when absent. */
  readonly lossPolicy?: LossPolicy;
  /** Our wall clock minus our monotonic clock; 0 when absent. */
  readonly epochMinusMonoMs?: number;
  /** Sees each picture as it arrived, before repair. */
  readonly signing?: SigningWatch | null;
  /** A sane camera clock dates the frames. False when absent. */
  readonly mayUseCameraTime?: boolean;
  /**
   * Players cannot follow the video as it is: it has no key frames, or parameter sets that flap. Called once, before the picture
   * that shows it goes out. `hasKeyFrame`: so far, they could.
   */
  readonly onUnfit?: (hasKeyFrame: boolean) => void;
}

/** Counts of everything but frames that a camera sent, for diagnosis. */
export interface ReceptionCounts {
  readonly badPackets: number;
  readonly foreignPackets: number;
  readonly latePackets: number;
  readonly timestampJumps: number;
}

interface ReceivedStream {
  readonly receiver: StreamReceiver;
  /** Middle 32 bits of its NTP time; 0 before the first report. */
  lastSenderReport: number;
  lastSenderReportMonoMs: number;
}

/** Spacing of pictures before the first one if the SPS does not say. */
const ASSUMED_FRAME_RATE_HZ = 25;
/** Frames with the same timestamp before the timeline continues without the camera's timestamps. */
const MAX_MOVED_IN_ROW = 32;
/** RFC 2435 §3: the clock of JPEG, whatever a description says. */
const JPEG_TIMESCALE_HZ = 90_000;
const NTP_FRACTIONS_PER_MS = 2 ** 32 / 1_000;
/** RFC 3550 §6.4.1: delays are in units of 1/65536 s. */
const DELAY_UNITS_PER_MS = 65.536;
/** RFC 7022: a random name per session reveals nothing about this machine. */
const CNAME_PREFIX = 'sluice-';

export class MediaReceiver {
  readonly #events: MediaReceiverEvents;
  readonly #localSsrc: number;
  readonly #timeline: SessionTimeline;
  readonly #streams: (ReceivedStream | null)[];
  readonly #decodeTimes = new DecodeTimes();
  readonly #cameraClock: CameraClock;
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: false,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };
  readonly #videoIndex: number;
  readonly #audioIndex: number;
  /** Announced at this index. */
  readonly #audioTrackIndex: number;
  readonly #audioClockRateHz: number;
  #video: H264Receiver | null = null;
  /** As announced. */
  #videoTrack: VideoTrack | null = null;
  #audioTrack: AudioTrack | null = null;
  #audioTimes: AudioTimes | null = null;
  #frameTicks = 0;
  #byeReceived = false;

  constructor(options: MediaReceiverOptions) {
    const { tracks } = options;
    this.#events = options.events;
    this.#localSsrc = options.localSsrc;
    this.#cameraClock = new CameraClock(options.epochMinusMonoMs ?? 0, options.mayUseCameraTime ?? false);
    this.#videoIndex = tracks.findIndex(({ encoding }) => isVideo(encoding));
    this.#audioIndex = tracks.findIndex(({ encoding }) => !isVideo(encoding));
    this.#audioTrackIndex = this.#videoIndex < 0 ? 0 : 1;
    this.#audioClockRateHz = tracks[this.#audioIndex]?.clockRateHz ?? 1;
    const clockRatesHz = tracks.map((track) => track.clockRateHz);
    this.#timeline = new SessionTimeline(clockRatesHz, Math.max(0, this.#videoIndex));
    this.#streams = tracks.map((track, index) => this.#makeStream(track, index, options));
  }

  /** The camera said goodbye (RTCP BYE) on some track. */
  get byeReceived(): boolean {
    return this.#byeReceived;
  }

  /** Hot. One RTP packet `chunk[start, end)`, borrowed. Bad packets are counted and dropped. */
  rtp(trackIndex: number, chunk: Uint8Array, start: number, end: number, arrivalMonoMs: number): void {
    const stream = this.#streams[trackIndex];
    if (stream) stream.receiver.push(chunk, start, end, arrivalMonoMs);
  }

  /** See H264Receiver: players cannot follow the video as it is. */
  get isUnfit(): boolean {
    return this.#video?.isUnfit ?? false;
  }

  /** One compound RTCP packet, borrowed. */
  rtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number, arrivalMonoMs: number): void {
    readRtcp(chunk, start, end, {
      onSenderReport: (report) => this.#senderReport(trackIndex, report, arrivalMonoMs),
      onBye: () => {
        if (this.#streams[trackIndex]) this.#byeReceived = true;
      },
    });
  }

  /** Applies the response to PLAY to a track. It comes before the track's packets if the camera follows the standard. */
  applyRtpInfo(
    trackIndex: number,
    info: { readonly seq: number | null; readonly rtpTime: number | null },
  ): void {
    if (this.#streams[trackIndex] && info.rtpTime !== null) this.#timeline.rtpInfo(trackIndex, info.rtpTime);
  }

  /** Receiver report and CNAME for a track's RTCP channel; null before its first packet. */
  receiverReport(trackIndex: number, nowMonoMs: number): Uint8Array | null {
    const stream = this.#streams[trackIndex];
    const ssrc = stream?.receiver.ssrc ?? null;
    if (!stream || ssrc === null) return null;
    const delayMs = stream.lastSenderReport === 0 ? 0 : nowMonoMs - stream.lastSenderReportMonoMs;
    const report: ReceptionReport = {
      ssrc,
      ...stream.receiver.takeFigures(),
      lastSenderReport: stream.lastSenderReport,
      delaySinceLastSenderReport: Math.min(
        Math.max(0, Math.round(delayMs * DELAY_UNITS_PER_MS)),
        0xffff_ffff,
      ),
    };
    return writeReceiverReport(this.#localSsrc, report, `${CNAME_PREFIX}${this.#localSsrc.toString(16)}`);
  }

  /** Gives up on UDP gaps that have been open for too long. */
  flush(nowMonoMs: number): void {
    for (const stream of this.#streams) stream?.receiver.flush(nowMonoMs);
  }

  /** The process was paused for `byMs` while packets kept arriving: that time does not count for UDP gaps. */
  postpone(byMs: number): void {
    for (const stream of this.#streams) stream?.receiver.postpone(byMs);
  }

  counts(trackIndex: number): ReceptionCounts {
    const receiver = this.#streams[trackIndex]?.receiver;
    return {
      badPackets: receiver?.badPackets ?? 0,
      foreignPackets: receiver?.foreignPackets ?? 0,
      latePackets: receiver?.latePackets ?? 0,
      timestampJumps: receiver === undefined ? 0 : this.#timeline.jumps(trackIndex),
    };
  }

  #makeStream(track: ReceivedTrack, index: number, options: MediaReceiverOptions): ReceivedStream | null {
    let payloads: PayloadReceiver | null = null;
    if (index === this.#videoIndex) payloads = this.#makeVideo(track, options);
    else if (index === this.#audioIndex) {
      if (track.encoding === 'aac') payloads = this.#makeAudio(track);
      else if (track.encoding === 'aac-latm') payloads = this.#makeLatm(track);
      else payloads = this.#makeCodedSound(options.sound ?? null);
    }
    if (payloads === null) return null;
    const { payloadType, clockRateHz, ssrc } = track;
    const receiver = new StreamReceiver({
      payloadType,
      clockRateHz,
      ssrc,
      transport: options.transport,
      payloads,
    });
    return { receiver, lastSenderReport: 0, lastSenderReportMonoMs: 0 };
  }

  #makeVideo(track: ReceivedTrack, options: MediaReceiverOptions): PayloadReceiver {
    const { clockRateHz, fmtp } = track;
    const { lossPolicy = 'until-key' } = options;
    const events = {
      onVideoTrack: (announced: VideoTrack, maxReorderFrames: number) =>
        this.#announce(announced, maxReorderFrames),
      onVideoPicture: (picture: AssembledPicture) => this.#picture(picture),
      onDropped: (frames: number, code: RtpErrorCode) => this.#dropped(frames, code),
      onUnfit: (hasKeyFrame: boolean) => options.onUnfit?.(hasKeyFrame),
    };
    if (track.encoding === 'jpeg') return this.#makeJpeg(track);
    const video = { clockRateHz, fmtp, lossPolicy, signing: options.signing ?? null, events };
    if (track.encoding === 'h265') return new H265Receiver(video);
    this.#video = new H264Receiver(video);
    return this.#video;
  }

  #makeJpeg(track: ReceivedTrack): PayloadReceiver {
    const sink = {
      onJpeg: (picture: JpegPicture, rtpTimestamp: number, arrivalMonoMs: number) => {
        if (!this.#timeline.isStarted) {
          this.#frameTicks = Math.round(track.clockRateHz / ASSUMED_FRAME_RATE_HZ);
          this.#announceTracks();
        }
        this.#timePicture(rtpTimestamp, arrivalMonoMs);
        const ptsTicks = Math.round((this.#decodeTimes.ptsTicks * JPEG_TIMESCALE_HZ) / track.clockRateHz);
        this.#events.onJpeg?.(picture, ptsTicks, arrivalMonoMs);
      },
      onDropped: (frames: number, code: RtpErrorCode) => this.#dropped(frames, code),
    };
    return new JpegDepacketizer(sink, track.frameSize ?? null);
  }

  /** null when the description does not say how to decode the audio: the session then has none. */
  #makeAudio(track: ReceivedTrack): PayloadReceiver | null {
    const format = aacPayloadFormat(track.fmtp);
    const config = decodeAacConfig(track.fmtp);
    this.#audioTrack = config === null || format === null ? null : aacTrackOf(config);
    if (this.#audioTrack === null || format === null) return null;
    return new AacDepacketizer(format, this.#frameSink(this.#audioTrack));
  }

  /** Same as `#makeAudio`. */
  #makeLatm(track: ReceivedTrack): PayloadReceiver | null {
    const format = latmPayloadFormat(track.fmtp, track);
    this.#audioTrack = format?.track ?? null;
    if (format === null) return null;
    const onAudioTrack = (found: AacTrack) => this.#useAudio(found);
    return new LatmDepacketizer(format, { ...this.#frameSink(format.track), onAudioTrack });
  }

  /** The stream states how it is decoded, and contradicts the assumption. */
  #useAudio(track: AacTrack): void {
    this.#audioTrack = track;
    this.#audioTimes = new AudioTimes(track.samplesPerFrame, track.sampleRateHz);
    if (this.#timeline.isStarted) this.#announceTracks();
  }

  #frameSink(track: AacTrack): AacFrameSink {
    this.#audioTimes = new AudioTimes(track.samplesPerFrame, track.sampleRateHz);
    return {
      onFrame: (chunk, start, end, rtpTimestamp, index, arrivalMonoMs) =>
        this.#audioFrame(chunk, start, end, rtpTimestamp, index, arrivalMonoMs),
      onDropped: (frames, code) => {
        this.#dropped(frames, this.#timeline.isStarted ? code : 'RTP_JOINING');
      },
    };
  }

  /** Other code makes the access units and gives them the times of these payloads. */
  #makeCodedSound(sound: SoundPayloads | null): PayloadReceiver | null {
    this.#audioTrack = sound?.track ?? null;
    if (sound === null) return null;
    return {
      push: (chunk, start, end, rtpTimestamp, _isMarked, arrivalMonoMs) => {
        if (start >= end || !this.#admitsAudio(rtpTimestamp, arrivalMonoMs)) return;
        const clockTicks = this.#audioClockTicks(rtpTimestamp, arrivalMonoMs);
        sound.push(chunk, start, end, clockTicks, this.#timeline.stretch(this.#audioIndex));
      },
      gap: () => {
        if (!this.#timeline.isStarted) return;
        sound.gap();
        this.#dropped(1, 'RTP_PACKET_LOSS');
      },
    };
  }

  /** Audio waits for the video that it goes with. Without any, its first packet begins the timeline. */
  #admitsAudio(rtpTimestamp: number, arrivalMonoMs: number): boolean {
    if (this.#timeline.isStarted) return true;
    const track = this.#audioTrack;
    if (this.#videoIndex >= 0 || track === null) {
      this.#dropped(1, 'RTP_JOINING');
      return false;
    }
    this.#timeline.start(rtpTimestamp, 0, arrivalMonoMs);
    this.#events.onTracks([track]);
    return true;
  }

  #audioClockTicks(rtpTimestamp: number, arrivalMonoMs: number): number {
    const timeline = this.#timeline;
    const jumpsBefore = timeline.jumps(this.#audioIndex);
    const clockTicks = timeline.ticksOf(this.#audioIndex, rtpTimestamp, arrivalMonoMs);
    const hasJumped = timeline.jumps(this.#audioIndex) !== jumpsBefore;
    if (hasJumped) this.#dropped(0, 'RTP_TIMESTAMP_JUMP');
    if (this.#videoIndex < 0) this.#readClock(this.#audioIndex, clockTicks, hasJumped, arrivalMonoMs);
    return clockTicks;
  }

  /** The camera's clocks, by the track that sets the pace. */
  #readClock(trackIndex: number, ticks: number, hasJumped: boolean, arrivalMonoMs: number): void {
    const mediaMs = this.#timeline.ticksToMs(trackIndex, ticks);
    if (hasJumped) this.#cameraClock.framesJumped(mediaMs);
    if (this.#cameraClock.picture(mediaMs, arrivalMonoMs))
      this.#events.onClock?.(this.#cameraClock.reading(this.#timeline.soundDriftPpm));
  }

  #announce(track: VideoTrack, maxReorderFrames: number): void {
    this.#decodeTimes.declare(maxReorderFrames);
    this.#frameTicks = Math.round(track.timescaleHz / (track.nominalFrameRateHz ?? ASSUMED_FRAME_RATE_HZ));
    this.#videoTrack = track;
    this.#announceTracks();
  }

  #announceTracks(): void {
    this.#events.onTracks([this.#videoTrack, this.#audioTrack].filter((track) => track !== null));
  }

  #picture(picture: AssembledPicture): void {
    const { rtpTimestamp, arrivalMonoMs } = picture;
    this.#timePicture(rtpTimestamp, arrivalMonoMs);
    const { dtsTicks, ptsTicks } = this.#decodeTimes;
    this.#emit(0, dtsTicks, ptsTicks, picture.isKey, picture.data, arrivalMonoMs);
  }

  /** Sets the times of the next picture in `#decodeTimes`. */
  #timePicture(rtpTimestamp: number, arrivalMonoMs: number): void {
    const timeline = this.#timeline;
    const times = this.#decodeTimes;
    if (!timeline.isStarted) {
      const startTicks = times.reorderFrames * this.#frameTicks;
      timeline.start(rtpTimestamp, startTicks, arrivalMonoMs);
      times.start(startTicks, this.#frameTicks);
    }
    const jumpsBefore = timeline.jumps(this.#videoIndex);
    times.next(timeline.ticksOf(this.#videoIndex, rtpTimestamp, arrivalMonoMs));
    if (times.movedInRow > MAX_MOVED_IN_ROW) {
      timeline.restart(this.#videoIndex, rtpTimestamp, times.ptsTicks, arrivalMonoMs);
      times.forget();
    }
    const { dtsTicks } = times;
    const hasJumped = timeline.jumps(this.#videoIndex) !== jumpsBefore;
    if (hasJumped) this.#dropped(0, 'RTP_TIMESTAMP_JUMP');
    this.#readClock(this.#videoIndex, dtsTicks, hasJumped, arrivalMonoMs);
  }

  #audioFrame(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    index: number,
    arrivalMonoMs: number,
  ): void {
    const track = this.#audioTrack;
    const times = this.#audioTimes;
    if (track === null || times === null || !this.#admitsAudio(rtpTimestamp, arrivalMonoMs)) return;
    const clockTicks = this.#audioClockTicks(rtpTimestamp, arrivalMonoMs);
    const packetTicks = (clockTicks * track.sampleRateHz) / this.#audioClockRateHz;
    const stampedTicks = Math.round(packetTicks) + index * track.samplesPerFrame;
    if (stampedTicks < (this.#timeline.startMs * track.sampleRateHz) / 1_000) {
      this.#dropped(1, 'RTP_JOINING');
      return;
    }
    const ticks = times.next(stampedTicks, track.samplesPerFrame, this.#timeline.stretch(this.#audioIndex));
    this.#emit(this.#audioTrackIndex, ticks, ticks, true, chunk.subarray(start, end), arrivalMonoMs);
  }

  #emit(
    trackIndex: number,
    dtsTicks: number,
    ptsTicks: number,
    isKey: boolean,
    data: Uint8Array,
    arrivalMonoMs: number,
  ): void {
    const unit = this.#unit;
    unit.trackIndex = trackIndex;
    unit.dtsTicks = dtsTicks;
    unit.ptsTicks = ptsTicks;
    unit.isKey = isKey;
    unit.data = data;
    unit.arrivalMonoMs = arrivalMonoMs;
    this.#events.onAccessUnit(unit);
  }

  #senderReport(trackIndex: number, report: SenderReport, arrivalMonoMs: number): void {
    const stream = this.#streams[trackIndex];
    if (!stream) return;
    stream.lastSenderReport = ((report.ntpSec << 16) | (report.ntpFraction >>> 16)) >>> 0;
    stream.lastSenderReportMonoMs = arrivalMonoMs;
    if (trackIndex === Math.max(0, this.#videoIndex)) {
      const mediaMs = this.#timeline.referenceMs(report.rtpTimestamp);
      const isNews = this.#cameraClock.report(report, mediaMs, arrivalMonoMs);
      if (isNews) this.#events.onClock?.(this.#cameraClock.reading());
    }
    // Zero: the camera does not know the wall clock time.
    if (report.ntpSec === 0) return;
    const ntpMs = report.ntpSec * 1_000 + report.ntpFraction / NTP_FRACTIONS_PER_MS;
    this.#timeline.senderReport(trackIndex, { ntpMs, rtpTimestamp: report.rtpTimestamp });
  }

  #dropped(frames: number, code: RtpErrorCode): void {
    this.#events.onDropped(frames, RTP_ERRORS[code].code);
  }
}

function isVideo(encoding: ReceivedTrack['encoding']): boolean {
  return encoding === 'h264' || encoding === 'h265' || encoding === 'jpeg';
}
