/** Where the files of a clip come from: recordings of a time, of an upload, or the frames of a timelapse. */

import type { Ruuid } from '../core/ruuid.ts';
import { filesWithin } from '../playback/fitting-stream.ts';
import type { CopySource } from '../playback/movie-protocol.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import { chooseTimelapseFrames } from '../playback/timelapse-frames.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { parseWeeklyTimes } from '../recording/weekly-times.ts';
import { type ShownSpan, scheduleSpans } from '../sharing/schedule-spans.ts';
import { scheduleStateAt } from '../sharing/schedule-state.ts';
import type { Schedule } from '../store/entities.ts';
import type { ClipDevice, ClipJobBody, TimelapseOrder } from './clip-records.ts';

export interface ClipMedia extends Pick<RecordedMedia, 'segments' | 'seek' | 'read'> {
  /** Copies what the camera's video recorder has of a time; absent: no camera is on one. Fails RECORDER_…. */
  pull?(cameraUuid: Ruuid, fromMs: number, toMs: number, signal: AbortSignal): Promise<void>;
}

/** The source of the camera's file. */
export async function sourceOf(
  media: ClipMedia,
  body: ClipJobBody,
  device: ClipDevice,
  signal: AbortSignal,
): Promise<CopySource> {
  const { fromMs, toMs, hasAudio, timelapse } = body;
  if (timelapse === undefined) {
    return { files: await filesOf(media, body, device, signal), wanted: { fromMs, toMs, hasAudio } };
  }
  const stream = { cameraUuid: device.cameraUuid, rendition: RECORDED_RENDITION };
  const spans = timelapseSpans(timelapse, device.cameraUuid, fromMs, toMs);
  return chooseTimelapseFrames(media, stream, spans, timelapse.durationMs, signal);
}

async function filesOf(
  media: ClipMedia,
  { fromMs, toMs, recordingNumber, maxHeightPx }: ClipJobBody,
  { cameraUuid }: ClipDevice,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  if (recordingNumber === undefined) {
    const failure = await media.pull?.(cameraUuid, fromMs, toMs, signal).catch((thrown: unknown) => thrown);
    const whole = await media.segments({ cameraUuid, rendition: RECORDED_RENDITION }, fromMs, toMs);
    // What is there is a clip, whatever the recorder does.
    if (whole.length === 0 && failure !== undefined) throw failure;
    if (maxHeightPx === undefined) return whole;
    const sub = await media.segments({ cameraUuid, rendition: 'sub' }, fromMs, toMs);
    return filesWithin(media, { main: whole, sub }, maxHeightPx);
  }
  const found = await media.segments({ cameraUuid, rendition: 'uploaded' }, fromMs, toMs);
  return found.filter(({ number }) => number === recordingNumber);
}

/** Whether each camera has a recording of that time, or of a later one. */
export async function areRecorded(
  media: ClipMedia,
  devices: readonly ClipDevice[],
  atMs: number,
): Promise<boolean> {
  for (const { cameraUuid } of devices) {
    const found = await media.seek({ cameraUuid, rendition: RECORDED_RENDITION }, atMs);
    if (found === null) return false;
  }
  return true;
}

const DAYLIGHT = '06:00-20:00';
const WHOLE_DAY = '00:00-24:00';

/** The times of a range that a timelapse shows: in order, within [fromMs, toMs), without nights or weekends of its camera if they are left out. */
export function timelapseSpans(
  { skipsNights, skipsWeekends, timeZones }: TimelapseOrder,
  cameraUuid: Ruuid,
  fromMs: number,
  toMs: number,
): ShownSpan[] {
  if (!skipsNights && !skipsWeekends) return [{ fromMs, toMs }];
  const times = `${skipsWeekends ? 'Mon-Fri' : 'daily'} ${skipsNights ? DAYLIGHT : WHOLE_DAY}`;
  const schedule: Schedule = {
    uuid: cameraUuid,
    orgUuid: cameraUuid,
    name: '',
    mutable: false,
    oneTimeUse: false,
    createdAtMs: 0,
    updatedAtMs: 0,
    strategy: 'WEEKLY_REPEATING_MINUTES',
    intervals: parseWeeklyTimes(times)!,
  };
  const timeZone = timeZones[cameraUuid]!;
  return scheduleSpans((atMs) => scheduleStateAt(schedule, timeZone, atMs), false, fromMs, toMs);
}
