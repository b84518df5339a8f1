/** Media for one playing client: one write per frame over TCP, one datagram per packet over UDP. */

import { type FramePackets, INTERLEAVED_HEADER_BYTES } from '../rtp/frame-packets.ts';
import type { RtpRtcpPair } from '../rtsp/transport.ts';
import type { ClipClient, ClipMoment } from './clip-broadcast.ts';
import { VIDEO_CLOCK_RATE_HZ } from './clip-packets.ts';
import type { ClipSchedule } from './clip-schedule.ts';
import { type CameraFaults, isBlind, isMuted, PacketFaults } from './faults.ts';
import type { TrackSender } from './track-sender.ts';

/** Where the bytes go. Buffers handed over are not written to anymore. */
export interface FeedOutput {
  stream(bytes: Buffer): void;
  datagram(kind: keyof RtpRtcpPair, bytes: Buffer, ports: RtpRtcpPair): void;
}

export interface ClientFeedOptions {
  readonly startPicture: number;
  readonly video: TrackSender | null;
  readonly audio: TrackSender | null;
  readonly schedule: ClipSchedule;
  readonly fps: number;
  /** 0 without audio. */
  readonly audioRateHz: number;
  readonly faults: CameraFaults;
  /** Applies the faults to each frame's packets. */
  readonly rewrite: ((packets: Buffer[]) => Buffer[]) | null;
  readonly output: FeedOutput;
}

const REPORT_INTERVAL_SEC = 5;
const DOLLAR = 0x24;

export class ClientFeed implements ClipClient {
  readonly startPicture: number;
  readonly #options: ClientFeedOptions;
  readonly #stallPicture: number;
  readonly #lastPicture: number;
  readonly #frozenPicture: number;
  /** Infinity once it has happened. */
  #jumpPicture: number;
  #restartPicture: number;
  readonly #reportPictures: number;
  readonly #packetFaults: PacketFaults | null;
  #nextReportPicture: number;

  constructor(options: ClientFeedOptions) {
    const { faults, fps, startPicture } = options;
    this.#options = options;
    this.startPicture = startPicture;
    this.#nextReportPicture = startPicture;
    this.#reportPictures = Math.max(1, Math.round(fps * REPORT_INTERVAL_SEC));
    const pictureAfter = (ms = Number.POSITIVE_INFINITY): number =>
      startPicture + Math.ceil((ms * fps) / 1_000);
    this.#stallPicture = pictureAfter(faults.stallAfterMs);
    this.#lastPicture = pictureAfter(faults.stopPicturesAfterMs) - 1;
    this.#frozenPicture = pictureAfter(faults.freezePicturesAfterMs);
    this.#jumpPicture = pictureAfter(faults.timestampJump?.afterMs);
    this.#restartPicture = pictureAfter(faults.encoderRestartAfterMs);
    this.#packetFaults = PacketFaults.concerns(faults) ? new PacketFaults(faults) : null;
  }

  /** Hot: for every frame and client. */
  send(moment: ClipMoment): void {
    if (moment.pictureIndex >= this.#stallPicture) return;
    if (moment.pictureIndex >= this.#jumpPicture) this.#jump();
    if (moment.pictureIndex >= this.#restartPicture) this.#restart();
    if (moment.pictureIndex >= this.#nextReportPicture) this.#report(moment);
    const { audio, faults } = this.#options;
    const sincePlayMs = this.#sincePlayMs(moment);
    if (isMuted(faults, sincePlayMs)) moment = { ...moment, audio: [] };
    const isOff = moment.pictureIndex > this.#lastPicture || isBlind(faults, sincePlayMs);
    const video = isOff ? null : this.#options.video;
    const isVideoTcp = video !== null && video.delivery.lower === 'tcp';
    const isAudioTcp = audio !== null && audio.delivery.lower === 'tcp';
    let tcpBytes = isVideoTcp ? moment.video.byteLength : 0;
    if (isAudioTcp) for (const frame of moment.audio) tcpBytes += frame.byteLength;
    if (tcpBytes > 0) this.#sendStream(moment, tcpBytes, isVideoTcp, isAudioTcp);
    if (video !== null && !isVideoTcp) this.#sendDatagrams(video, moment.video, this.#videoTicks(moment));
    if (audio === null || isAudioTcp) return;
    moment.audio.forEach((frame, offset) => {
      this.#sendDatagrams(audio, frame, this.#audioTicks(moment, offset));
    });
  }

  #sendStream(moment: ClipMoment, tcpBytes: number, hasVideo: boolean, hasAudio: boolean): void {
    const { video, audio, output } = this.#options;
    const bytes = Buffer.allocUnsafe(tcpBytes);
    let at = 0;
    if (hasVideo) {
      video!.send(moment.video, this.#videoTicks(moment), bytes, 0);
      at = moment.video.byteLength;
    }
    for (let offset = 0; hasAudio && offset < moment.audio.length; offset++) {
      const frame = moment.audio[offset]!;
      audio!.send(frame, this.#audioTicks(moment, offset), bytes, at);
      at += frame.byteLength;
    }
    const isAsItIs = this.#packetFaults === null && this.#options.rewrite === null;
    output.stream(isAsItIs ? bytes : Buffer.concat(this.#distort(splitInterleaved(bytes))));
  }

  #sendDatagrams(sender: TrackSender, frame: FramePackets, ticks: number): void {
    if (sender.delivery.lower !== 'udp') return;
    const bytes = Buffer.allocUnsafe(frame.byteLength);
    sender.send(frame, ticks, bytes, 0);
    const packets = splitInterleaved(bytes);
    for (const packet of this.#distort(packets)) {
      const datagram = packet.subarray(INTERLEAVED_HEADER_BYTES);
      this.#options.output.datagram('rtp', datagram, sender.delivery.ports);
    }
  }

  #distort(packets: Buffer[]): Buffer[] {
    const sent = this.#packetFaults?.apply(packets) ?? packets;
    return this.#options.rewrite?.(sent) ?? sent;
  }

  #jump(): void {
    this.#jumpPicture = Number.POSITIVE_INFINITY;
    const { video, audio, audioRateHz, faults } = this.#options;
    const { byMs, track } = faults.timestampJump!;
    if (track !== 'audio') video?.shiftTimestamps((byMs * VIDEO_CLOCK_RATE_HZ) / 1_000);
    if (track !== 'video') audio?.shiftTimestamps((byMs * audioRateHz) / 1_000);
  }

  #restart(): void {
    this.#restartPicture = Number.POSITIVE_INFINITY;
    this.#options.video?.restart();
    this.#options.audio?.restart();
  }

  /** At the first frame and every few seconds. */
  #report(moment: ClipMoment): void {
    this.#nextReportPicture = moment.pictureIndex + this.#reportPictures;
    const { video, audio, schedule, faults } = this.#options;
    const { pictureIndex, firstAudioIndex } = moment;
    if (video !== null)
      this.#sendReport(
        video,
        video.senderReport(this.#clockTicks(pictureIndex), schedule.pictureEpochMs(pictureIndex)),
      );
    if (audio === null) return;
    const { afterMs, byMs } = faults.audioReportsOff ?? { afterMs: 0, byMs: 0 };
    const offMs = this.#sincePlayMs(moment) >= afterMs ? byMs : 0;
    const epochMs = schedule.audioEpochMs(firstAudioIndex) + offMs;
    this.#sendReport(audio, audio.senderReport(schedule.audioTicks(firstAudioIndex), epochMs));
  }

  #sincePlayMs(moment: ClipMoment): number {
    return ((moment.pictureIndex - this.startPicture) * 1_000) / this.#options.fps;
  }

  #sendReport(sender: TrackSender, report: Buffer): void {
    const { delivery } = sender;
    if (delivery.lower === 'udp') {
      this.#options.output.datagram('rtcp', report, delivery.ports);
      return;
    }
    const head = Buffer.from([DOLLAR, delivery.channels.rtcp, report.length >> 8, report.length & 0xff]);
    this.#options.output.stream(Buffer.concat([head, report]));
  }

  /** The camera's clock when a frame is sent. */
  #clockTicks(pictureIndex: number): number {
    return this.#options.schedule.videoTicks(Math.min(pictureIndex, this.#frozenPicture));
  }

  #videoTicks(moment: ClipMoment): number {
    return this.#options.schedule.pictureTicks(Math.min(moment.pictureIndex, this.#frozenPicture));
  }

  #audioTicks(moment: ClipMoment, offset: number): number {
    return this.#options.schedule.audioTicks(moment.firstAudioIndex + offset);
  }
}

/** Interleaved frames as views. */
function splitInterleaved(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + INTERLEAVED_HEADER_BYTES + bytes.readUInt16BE(at + 2);
    packets.push(bytes.subarray(at, end));
    at = end;
  }
  return packets;
}
