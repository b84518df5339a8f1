/**
 * Plays a clip to all clients of a camera: one timer that ticks once per frame, and sends the audio of that time with
 * it. Without clients nothing runs, and the next client joins where the clip would be by then.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { FramePackets } from '../rtp/frame-packets.ts';
import type { Clip } from './clip.ts';
import { ClipPackets, type Packetize } from './clip-packets.ts';
import type { ClipSchedule } from './clip-schedule.ts';
import type { CameraFaults } from './faults.ts';

/** A frame and the audio of its time. Borrowed: reused for the next frame. */
export interface ClipMoment {
  pictureIndex: number;
  video: FramePackets;
  /** Frames from `firstAudioIndex` on; empty without audio. */
  audio: FramePackets[];
  firstAudioIndex: number;
}

export interface ClipClient {
  /** The first frame that it gets. */
  readonly startPicture: number;
  send(moment: ClipMoment): void;
}

/** A process that slept longer than this skips frames, up to the next key frame. */
const MAX_CATCH_UP_MS = 5_000;

export class ClipBroadcast {
  readonly #schedule: ClipSchedule;
  readonly #clock: Clock;
  readonly #clients = new Set<ClipClient>();
  readonly #change: { readonly atMonoMs: number; readonly packets: ClipPackets } | null;
  #packets: ClipPackets;
  #timer: TimerHandle | null = null;
  #nextPicture = 0;

  constructor(clip: Clip, schedule: ClipSchedule, clock: Clock, faults: CameraFaults, packetize?: Packetize) {
    this.#packets = ClipPackets.of(clip, packetize);
    this.#schedule = schedule;
    this.#clock = clock;
    const change = faults.changeResolutionAfter;
    this.#change =
      change === undefined
        ? null
        : { atMonoMs: clock.monoMs() + change.afterMs, packets: ClipPackets.of(change.clip, packetize) };
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** The next key frame: where a new client begins. */
  nextKeyPicture(): number {
    return this.#keyPictureFrom(this.nextPicture());
  }

  nextPicture(): number {
    if (this.#timer === null) this.#nextPicture = this.#schedule.nextPicture(this.#clock.monoMs());
    return this.#nextPicture;
  }

  add(client: ClipClient): void {
    this.#clients.add(client);
    if (this.#timer === null) this.#arm();
  }

  remove(client: ClipClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  close(): void {
    this.#clients.clear();
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(): void {
    const dueMonoMs = this.#schedule.pictureDueMonoMs(this.#nextPicture);
    this.#timer = this.#clock.after(dueMonoMs - this.#clock.monoMs(), () => this.#tick());
  }

  #tick(): void {
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs - this.#schedule.pictureDueMonoMs(this.#nextPicture) > MAX_CATCH_UP_MS)
      this.#nextPicture = this.#keyPictureFrom(this.#schedule.nextPicture(nowMonoMs));
    while (this.#schedule.pictureDueMonoMs(this.#nextPicture) <= nowMonoMs) {
      this.#changeClip(nowMonoMs);
      this.#send(this.#nextPicture);
      this.#nextPicture += 1;
    }
    if (this.#clients.size > 0) this.#arm();
    else this.#timer = null;
  }

  #send(pictureIndex: number): void {
    const { audio } = this.#packets.clip;
    const firstAudioIndex = this.#schedule.audioFrameOf(pictureIndex);
    const audioEnd = audio === null ? firstAudioIndex : this.#schedule.audioFrameOf(pictureIndex + 1);
    const moment: ClipMoment = {
      pictureIndex,
      video: this.#packets.video(pictureIndex),
      audio: [],
      firstAudioIndex,
    };
    for (let index = firstAudioIndex; index < audioEnd; index++)
      moment.audio.push(this.#packets.audio(index));
    for (const client of this.#clients) {
      if (pictureIndex >= client.startPicture) client.send(moment);
    }
  }

  #keyPictureFrom(index: number): number {
    const { pictures } = this.#packets.clip;
    let key = index;
    while (!pictures[key % pictures.length]!.isKey) key += 1;
    return key;
  }

  #changeClip(nowMonoMs: number): void {
    const change = this.#change;
    if (change === null || nowMonoMs < change.atMonoMs || this.#packets === change.packets) return;
    const { pictures } = change.packets.clip;
    if (pictures[this.#nextPicture % pictures.length]!.isKey) this.#packets = change.packets;
  }
}
