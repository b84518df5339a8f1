/**
 * Cuts access units into CMAF chunks (HLS: Partial Segments) and decides where segments begin. ISO/IEC 23000-19 §7.3,
 * RFC 8216bis §4.4.4.9.
 *
 * - A segment begins with a key frame. It ends at the last key frame before it would become longer than the target
 *   allows. A group of pictures longer than the target is one segment; beyond the hard limits, the rest of the group is
 *   dropped up to the next key frame. The very first segment ends at the first key frame after its start, because
 *   players that do not know parts wait for it.
 * - A frame's duration is the distance to the next one, so the newest frame is always held back. When a part closes,
 *   the frame after it is therefore known: a following part is certain to come.
 * - A part whose audio is late waits for it, so that players find both in the same part (AudioLane). The video
 *   continues to be cut meanwhile, so no part becomes longer.
 * - Output time never jumps: a new source instance, or a long hole in the source's timestamps, continues where the
 *   video ended before, and the segment is marked as a discontinuity. Output time begins at the time since
 *   `originMonoMs`, so that renditions with the same origin share their time: players that switch between them know
 *   only one zero.
 * - Where only the audio is packaged, the video still sets the pace, without its bytes: parts, segments and breaks are
 *   at the same places as in the rendition with the video.
 * - Where the source has no video at all, the frames of the audio set the pace: those that the AudioLane has made of it,
 *   silent ones included, one after the other. Each is like a key frame without bytes, so a segment ends at the end of the
 *   part that brings it closest to the target.
 *
 * Longer than 500 lines: one state machine.
 */

import type { AccessUnit, Track } from '../codec/track.ts';
import { AudioLane } from './audio-lane.ts';
import type { ClosedPart } from './closed-part.ts';
import { DropCounts } from './drop-counts.ts';
import { FragmentTrack, FragmentWriter } from './fragment-writer.ts';
import type { BlockRun } from './media-blocks.ts';
import { nominalFrameTicks, type PackagedTracks, packageTracks, VIDEO_TRACK_ID } from './packaged-tracks.ts';
import type { CmafPart, KeySample } from './part.ts';
import { PartSizing } from './part-sizing.ts';
import { partTime } from './part-time.ts';
import { newestKey, SampleQueue } from './sample-queue.ts';
import type { SegmenterOptions } from './segmenter-options.ts';
import type { FrameCounts, SegmenterProgress } from './segmenter-progress.ts';
import { SetsInBand } from './sets-in-band.ts';
import { convertTicks, msToTicks, ticksToMs } from './ticks.ts';
import { isSoundBreak, isVideoBreak } from './timeline-break.ts';
import { faultOf } from './unit-fault.ts';
import type { SourceTime } from './wall-clock.ts';

const NO_DATA = new Uint8Array(0);
const MAX_SAMPLES_PER_PART = 4_096;
const MAX_COMPOSITION_OFFSET_MS = 10_000;
/** Key frames of a two-second GOP are as often a few milliseconds early as late. */
const EARLY_KEY_TOLERANCE_MS = 100;
/** EXTINF is compared with the target duration after rounding (RFC 8216bis §4.4.3.1). */
const ROUNDING_MS = 500;

export class Segmenter {
  readonly drops = new DropCounts();
  readonly setsInBand = new SetsInBand();
  readonly #options: SegmenterOptions;
  readonly #sizing: PartSizing;
  readonly #writer = new FragmentWriter();
  readonly #video = new FragmentTrack(VIDEO_TRACK_ID, new SampleQueue());
  #tracks: PackagedTracks | null = null;
  /** The source's tracks are known, and are not what this rendition packages. */
  #isUnfed = false;
  #audio: AudioLane | null = null;
  /** False until a key frame begins a timeline. */
  #isRunning = false;
  /** Output time minus source time of the video. */
  #offsetTicks = 0;
  /** End of the video written so far, on the output timeline, and its timescale. */
  #endTicks = 0;
  #endHz = 1;
  #lastDurationTicks = 0;
  #lastKeyTicks = 0;
  /** The picture that was pushed last is the held one. */
  #isNewestHeld = false;
  /** Before the open part's frames in the queue. */
  readonly #closed: ClosedPart[] = [];
  #closedPictures = 0;
  #partTicks = 0;
  #segmentTicks = 0;
  /** Bytes that arrived for the open segment, including the boxes of its written parts. */
  #segmentBytes = 0;
  #segmentIndex = 0;
  #isSegmentStart = true;
  #hasDiscontinuity = false;
  #hasWritten = false;
  #hasEndedSegment = false;
  #frames = 0;
  #pictures = 0;
  #sourceTime: SourceTime | null = null;
  /** Progress of the previous segmenter. */
  #earlier: SegmenterProgress | null = null;

  constructor(options: SegmenterOptions) {
    this.#options = options;
    this.#sizing = new PartSizing(options.limits.wantedPartMs);
  }

  /** Video and audio frames seen so far, including dropped ones. */
  get frames(): number {
    return this.#frames;
  }

  /** Those of them that belong to the video; 0 for a source without video. */
  get pictures(): number {
    return this.#pictures;
  }

  /** Part Target Duration in whole milliseconds; 0 before the first part. */
  get partTargetMs(): number {
    return this.#sizing.targetMs;
  }

  /** Whether the source has what this rendition packages; false before its tracks are known. */
  get isFed(): boolean {
    return this.#tracks !== null;
  }

  /** Changed tracks end the timeline and begin a new one at the next key frame, with a new init segment. */
  setTracks(tracks: readonly Track[]): void {
    const next = packageTracks(tracks, this.#options.content);
    const current = this.#tracks;
    if (next !== null && next.continuity === current?.continuity) {
      this.#tracks = { ...current, videoIndex: next.videoIndex, audioIndex: next.audioIndex };
      return;
    }
    this.discontinuity();
    this.#tracks = next;
    this.setsInBand.setTracks(next);
    this.#isUnfed = next === null && this.#options.content !== 'video-and-audio';
    if (next === null) return;
    this.#countEndIn(next.pace.timescaleHz);
    const { audio, silentFrame, audioTrackId } = next;
    this.#audio =
      audio === null || silentFrame === null ? null : new AudioLane(audio, silentFrame, audioTrackId);
    if (this.#earlier !== null) this.#audio?.goOn(this.#earlier);
    const { timescaleHz, nominalFrameRateHz } = next.pace;
    this.#sizing.setTrack(timescaleHz, nominalFrameRateHz, next.video === null);
  }

  /** Borrowed. Hot: once per frame. */
  push(unit: AccessUnit): void {
    this.#frames++;
    this.#isNewestHeld = false;
    const tracks = this.#tracks;
    // A source loses nothing when it has nothing of what those want who want only video, or only audio.
    if (tracks === null && this.#isUnfed) return;
    const fault = tracks === null ? 'no-track' : faultOf(unit);
    const isPicture = tracks !== null && unit.trackIndex === tracks.videoIndex;
    if (isPicture) this.#pictures++;
    if (tracks === null || fault !== null) {
      this.drops.add(fault ?? 'no-track');
      if (isPicture && unit.isKey) this.discontinuity();
    } else if (isPicture) this.#pushPicture(tracks, unit);
    else if (unit.trackIndex !== tracks.audioIndex) return;
    else if (tracks.video === null) this.#pushSound(unit);
    else this.#pushAudio(unit);
  }

  /** The bytes of the newest pushed frame, with one more user; null: it is not video, or was not kept. */
  sharePicture(): BlockRun | null {
    return this.#isNewestHeld ? this.#video.queue.shareHeld() : null;
  }

  /** `mediaMs` is on the source's timeline. null: frames are dated by their arrival. */
  setCameraTime(time: SourceTime | null): void {
    this.#sourceTime = time;
    if (this.#isRunning) this.#tieWallClock();
  }

  /** Closes the open part and segment; the next key frame begins a segment marked as a discontinuity. */
  discontinuity(): void {
    if (this.#isRunning) {
      this.#finishHeld(this.#lastFrameTicks());
      this.#endTimeline();
    }
    this.#hasDiscontinuity = this.#hasWritten;
  }

  /** Progress of the written media, without pending frames; null: nothing was written. */
  progress(): SegmenterProgress | null {
    if (!this.#hasWritten) return null;
    return {
      endTicks: this.#endTicks,
      timescaleHz: this.#endHz,
      partTargetMs: this.partTargetMs,
      hasEndedSegment: this.#hasEndedSegment,
      sequenceNumber: this.#writer.sequenceNumber,
      soundEndSec: this.#audio?.endSec ?? this.#earlier?.soundEndSec ?? 0,
      hasSetsInBand: this.setsInBand.isOn,
    };
  }

  /** Continues where another one stopped: the next key frame begins a discontinuity. Only while no timeline runs. */
  goOn(progress: SegmenterProgress): void {
    [this.#endTicks, this.#endHz] = [progress.endTicks, progress.timescaleHz];
    if (this.#tracks !== null) this.#countEndIn(this.#timescaleHz());
    this.#hasEndedSegment = progress.hasEndedSegment;
    this.setsInBand.goOn(progress.hasSetsInBand);
    this.#earlier = progress;
    this.#audio?.goOn(progress);
    this.#hasWritten = true;
    this.#hasDiscontinuity = true;
    this.#sizing.goOn(progress.partTargetMs);
    this.#writer.sequenceNumber = progress.sequenceNumber;
  }

  /** Frames that another segmenter saw in its place. */
  count({ frames, pictures, drops }: FrameCounts): void {
    this.#frames += frames;
    this.#pictures += pictures;
    this.drops.addAll(drops);
  }

  /** Returns the memory of unwritten media. Nothing may be pushed afterwards. */
  close(): void {
    this.#closed.length = 0;
    this.#video.queue.clear();
    this.#audio?.clear();
    this.#writer.close();
  }

  #pushAudio(unit: AccessUnit): void {
    if (!this.#isRunning) {
      if (!this.#hasWritten) this.drops.add('joining');
      return;
    }
    const pictureTicks = this.#video.queue.heldTicks;
    const fault = this.#audio?.push(unit, pictureTicks, this.#timescaleHz()) ?? null;
    if (fault !== null) this.drops.add(fault);
    else this.#segmentBytes += unit.data.length;
    if (this.#closed.length > 0) this.#writeReady();
  }

  /** Audio of a source without video. */
  #pushSound(unit: AccessUnit): void {
    const timescaleHz = this.#timescaleHz();
    const aheadTicks = unit.dtsTicks + this.#offsetTicks - this.#video.queue.heldTicks;
    if (isSoundBreak(aheadTicks, timescaleHz)) this.discontinuity();
    if (!this.#isRunning) this.#begin(unit);
    this.#pushAudio(unit);
    // One frame may have brought silent ones before it.
    const frames = this.#audio!.fragment.queue;
    while (this.#isRunning && this.#video.queue.count < frames.count) {
      const durationTicks = frames.durationsTicks[this.#video.queue.count - 1]!;
      this.#continue(unit, this.#video.queue.heldTicks + durationTicks, durationTicks);
    }
  }

  #pushPicture(tracks: PackagedTracks, unit: AccessUnit): void {
    const { timescaleHz } = tracks.pace;
    if (unit.ptsTicks - unit.dtsTicks > msToTicks(MAX_COMPOSITION_OFFSET_MS, timescaleHz)) {
      this.drops.add('bad-timestamp');
      return;
    }
    if (!this.#isRunning) {
      this.#begin(unit);
      return;
    }
    const dtsTicks = unit.dtsTicks + this.#offsetTicks;
    const durationTicks = dtsTicks - this.#video.queue.heldTicks;
    if (durationTicks === 0 || (durationTicks < 0 && !unit.isKey)) {
      this.drops.add('timestamp-back');
    } else if (isVideoBreak(durationTicks, unit.isKey, this.#usualTicks(), timescaleHz)) {
      this.discontinuity();
      this.#begin(unit);
    } else this.#continue(unit, dtsTicks, durationTicks);
  }

  /** The longest distance between frames that is normal; null before the second frame. */
  #usualTicks(): number | null {
    if (this.#lastDurationTicks === 0) return null;
    return Math.max(this.#lastDurationTicks, nominalFrameTicks(this.#tracks!.pace));
  }

  #begin(unit: AccessUnit): void {
    if (!unit.isKey) {
      // Joining a camera in the middle of a group of pictures is not a loss.
      this.drops.add(this.#hasWritten ? 'awaiting-key' : 'joining');
      return;
    }
    const timescaleHz = this.#timescaleHz();
    if (!this.#hasWritten) this.#endTicks = this.#firstTicks(unit.arrivalMonoMs, timescaleHz);
    const startTicks = this.#endTicks;
    this.#isRunning = true;
    this.#offsetTicks = startTicks - unit.dtsTicks;
    this.#lastDurationTicks = 0;
    this.#lastKeyTicks = startTicks;
    this.#openSegment();
    this.#audio?.restart(unit.dtsTicks, startTicks, timescaleHz);
    this.#options.wallClock.restart(ticksToMs(startTicks, timescaleHz), unit.arrivalMonoMs);
    this.#tieWallClock();
    this.#hold(unit, startTicks);
  }

  #tieWallClock(): void {
    const time = this.#sourceTime;
    const { wallClock } = this.#options;
    if (time === null) wallClock.untie();
    else wallClock.tie(time.mediaMs + ticksToMs(this.#offsetTicks, this.#timescaleHz()), time.epochMs);
  }

  #firstTicks(arrivalMonoMs: number, timescaleHz: number): number {
    const { originMonoMs = arrivalMonoMs } = this.#options;
    return Math.max(0, msToTicks(arrivalMonoMs - originMonoMs, timescaleHz));
  }

  #continue(unit: AccessUnit, dtsTicks: number, durationTicks: number): void {
    this.#finishHeld(durationTicks);
    this.#options.wallClock.observe(ticksToMs(dtsTicks, this.#timescaleHz()), unit.arrivalMonoMs);
    const gopTicks = dtsTicks - this.#lastKeyTicks;
    const isFull = this.#isSegmentFull(unit);
    if (isFull && !unit.isKey) {
      this.drops.add('gop-too-long');
      this.#endTimeline();
      this.#hasDiscontinuity = true;
      return;
    }
    if (unit.isKey) this.#lastKeyTicks = dtsTicks;
    if (unit.isKey && (isFull || this.#endsSegment(gopTicks))) {
      this.#closePart(true);
      this.#openSegment();
    } else if (
      this.#sizing.isFull(this.#partTicks, durationTicks) ||
      this.#openPictures() >= MAX_SAMPLES_PER_PART
    ) {
      this.#closePart(false);
    }
    this.#hold(unit, dtsTicks);
    if (this.#closed.length > 0) this.#writeReady();
  }

  /** At a key frame: the segment is long enough, or would be too long if it waited for the next one. */
  #endsSegment(gopTicks: number): boolean {
    const { targetSegmentMs } = this.#options.limits;
    const timescaleHz = this.#timescaleHz();
    const segmentTicks = this.#segmentTicks;
    // If every frame is a key frame, the first segment is one part.
    const isFirstPart = !this.#hasEndedSegment && this.#sizing.isFull(segmentTicks, this.#lastDurationTicks);
    if (this.#tracks!.video === null) {
      const isPartFull = this.#sizing.isFull(this.#partTicks, this.#lastDurationTicks);
      const isClosest = segmentTicks + this.#partTicks / 2 >= msToTicks(targetSegmentMs, timescaleHz);
      return isFirstPart || (isPartFull && isClosest);
    }
    return (
      isFirstPart ||
      segmentTicks >= msToTicks(targetSegmentMs - EARLY_KEY_TOLERANCE_MS, timescaleHz) ||
      segmentTicks + gopTicks >= msToTicks(targetSegmentMs + ROUNDING_MS, timescaleHz)
    );
  }

  #isSegmentFull(unit: AccessUnit): boolean {
    const { maxSegmentMs, maxSegmentBytes } = this.#options.limits;
    return (
      this.#segmentTicks >= msToTicks(maxSegmentMs, this.#timescaleHz()) ||
      this.#segmentBytes + unit.data.length > maxSegmentBytes
    );
  }

  #openSegment(): void {
    this.#isSegmentStart = true;
    this.#segmentTicks = 0;
    this.#segmentBytes = 0;
    this.#segmentIndex += 1;
  }

  #hold(unit: AccessUnit, dtsTicks: number): void {
    const { hasVideo, video } = this.#tracks!;
    const data = hasVideo ? unit.data : NO_DATA;
    const head = hasVideo && unit.isKey ? this.setsInBand.head : NO_DATA;
    this.#video.queue.hold(data, dtsTicks, unit.ptsTicks - unit.dtsTicks, unit.isKey, head);
    this.#isNewestHeld = hasVideo;
    if (video !== null) this.#segmentBytes += head.length + unit.data.length;
  }

  /** The held frame now has its duration; it opens the next part if this one would become too long with it. */
  #finishHeld(durationTicks: number): void {
    const isTooLong = this.#partTicks > 0 && this.#sizing.isTooLong(this.#partTicks + durationTicks);
    if (isTooLong) this.#close(this.#openPictures() - 1, false);
    this.#video.queue.finishHeld(durationTicks);
    this.#partTicks += durationTicks;
    this.#segmentTicks += durationTicks;
    this.#lastDurationTicks = durationTicks;
  }

  /** In the open part, including the held one. */
  #openPictures(): number {
    return this.#video.queue.count - this.#closedPictures;
  }

  #closePart(isSegmentEnd: boolean): void {
    this.#close(this.#openPictures(), isSegmentEnd);
  }

  /** Cuts off the first `pictures` frames of the open part, which last `#partTicks`. */
  #close(pictures: number, isSegmentEnd: boolean): void {
    const durationTicks = this.#partTicks;
    const isSegmentStart = this.#isSegmentStart;
    const hasDiscontinuity = isSegmentStart && this.#hasDiscontinuity;
    const segmentIndex = this.#segmentIndex;
    this.#closed.push({
      pictures,
      durationTicks,
      isSegmentStart,
      isSegmentEnd,
      hasDiscontinuity,
      segmentIndex,
    });
    this.#closedPictures += pictures;
    this.#partTicks = 0;
    if (isSegmentStart) this.#hasDiscontinuity = false;
    this.#isSegmentStart = false;
    this.#hasEndedSegment ||= isSegmentEnd;
    this.#sizing.accept(durationTicks);
  }

  /** Writes the closed parts whose audio is complete, or no longer waited for. */
  #writeReady(): void {
    const audio = this.#audio;
    const { queue } = this.#video;
    const timescaleHz = this.#timescaleHz();
    // The wait is measured in video time, which may stop advancing if the camera's timestamps do.
    if (queue.byteLength > this.#options.limits.maxSegmentBytes) audio?.giveUp();
    while (this.#closed.length > 0) {
      const endTicks = queue.startTicks + this.#closed[0]!.durationTicks;
      if (audio !== null && !audio.isReady(endTicks, queue.heldTicks, timescaleHz)) return;
      audio?.takeBefore(endTicks, timescaleHz);
      this.#write(this.#closed.shift()!);
    }
  }

  /** Closes the open part and writes everything without waiting for audio. The held frame already has its duration. */
  #endTimeline(): void {
    const audio = this.#audio;
    this.#closePart(true);
    audio?.giveUp();
    while (this.#closed.length > 0) {
      const part = this.#closed.shift()!;
      const endTicks = this.#video.queue.startTicks + part.durationTicks;
      if (this.#closed.length > 0) audio?.takeBefore(endTicks, this.#timescaleHz());
      else audio?.takeLastBefore(endTicks, this.#timescaleHz());
      this.#write(part);
    }
    audio?.clear();
    this.#isRunning = false;
    this.#isNewestHeld = false;
  }

  /** Writes the first closed part with its audio. */
  #write(closed: ClosedPart): void {
    const { pictures, durationTicks, isSegmentStart, isSegmentEnd, hasDiscontinuity } = closed;
    const { queue } = this.#video;
    const startTicks = queue.startTicks;
    const audio = this.#audio;
    const tracks = this.#tracks!;
    this.#video.take(pictures);
    const video = tracks.hasVideo ? this.#video : null;
    const bytes = this.#writer.write(video, audio?.fragment ?? null, isSegmentStart);
    const boxBytes = bytes.byteLength - this.#video.run.dataBytes - (audio?.fragment.run.dataBytes ?? 0);
    if (closed.segmentIndex === this.#segmentIndex) this.#segmentBytes += boxBytes;
    const part: CmafPart = {
      bytes,
      tracks,
      ...partTime(tracks, audio, startTicks, durationTicks),
      sourceOffsetSec: this.#offsetTicks / this.#timescaleHz(),
      pictures: tracks.video === null ? 0 : pictures,
      epochMs: this.#epochMsAt(startTicks),
      isSegmentStart,
      isSegmentEnd,
      isIndependent: queue.keys[0] === 1,
      hasDiscontinuity,
      keySample: tracks.hasVideo ? this.#keySample(pictures, boxBytes) : null,
    };
    this.#video.release();
    audio?.release();
    this.#closedPictures -= pictures;
    this.#endTicks = startTicks + durationTicks;
    this.#hasWritten = true;
    this.#options.onPart(part, this.partTargetMs);
  }

  #keySample(pictures: number, dataOffsetBytes: number): KeySample | null {
    const newest = newestKey(this.#video.queue, pictures);
    if (newest === null) return null;
    const { offsetBytes, sizeBytes, ticks } = newest;
    return { offsetBytes: dataOffsetBytes + offsetBytes, sizeBytes, epochMs: this.#epochMsAt(ticks) };
  }

  #epochMsAt(ticks: number): number {
    return this.#options.wallClock.epochMsAt(ticksToMs(ticks, this.#timescaleHz()));
  }

  #countEndIn(timescaleHz: number): void {
    this.#endTicks = convertTicks(this.#endTicks, this.#endHz, timescaleHz);
    this.#endHz = timescaleHz;
  }

  #timescaleHz(): number {
    return this.#tracks!.pace.timescaleHz;
  }

  /** Duration of the held frame, which has no successor. */
  #lastFrameTicks(): number {
    if (this.#tracks!.video === null) return this.#audio!.heldFrameTicks;
    return this.#lastDurationTicks > 0 ? this.#lastDurationTicks : nominalFrameTicks(this.#tracks!.pace);
  }
}
