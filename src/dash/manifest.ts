/**
 * A Media Presentation Description, from lists of segments: the same for the live window and for a recording. ISO/IEC
 * 23009-1 §5.3. Presentation time is wall time: a Period begins at the epoch time of its first frame, and
 * presentationTimeOffset says where that is on each representation's own timeline.
 *
 * SegmentTemplate has `$Number$` for names and a SegmentTimeline for times, because the distance of key frames, and so
 * the duration of segments, varies.
 */

import { renderSegmentTimeline, type TimelineSegment } from './segment-timeline.ts';

/** Segments whose SegmentTimeline was made by SegmentTimelineText. */
export interface RenderedSegments {
  readonly firstNumber: number;
  readonly timeline: string;
}

export interface RepresentationBase {
  /** Unique in its Period; the same in the next Period for the same stream. */
  readonly id: string;
  /** RFC 6381 */
  readonly codecs: string;
  /** Peak bit rate of its segments. */
  readonly bandwidthBitsPerSec: number;
  readonly timescaleHz: number;
  /** Whole ticks: where the Period begins on the representation's timeline. */
  readonly presentationTimeOffsetTicks: number;
  /** Relative URI of its init segment. */
  readonly initialization: string;
  /** Relative URI of its segments, with `$Number$`. */
  readonly media: string;
  /** In order, with consecutive numbers; at least one. */
  readonly segments: readonly TimelineSegment[] | RenderedSegments;
  /**
   * How long before its end a segment can be requested, in seconds; it then grows while it is read. null: segments are
   * listed once they are complete.
   */
  readonly availabilityTimeOffsetSec: number | null;
}

export interface VideoRepresentation extends RepresentationBase {
  readonly widthPx: number;
  readonly heightPx: number;
  /** null: unknown. */
  readonly frameRateHz: number | null;
}

export interface AudioRepresentation extends RepresentationBase {
  readonly sampleRateHz: number;
  readonly channelCount: number;
}

/** JPEGs of many small pictures, in a grid (DASH-IF IOP 4.3 §6.2.6). Consecutive ones, from the start of the Period on. */
export interface ImageRepresentation {
  readonly id: string;
  readonly bandwidthBitsPerSec: number;
  /** Of the whole JPEG. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly columns: number;
  readonly rows: number;
  /** The time that each JPEG shows, its pictures equal parts of it. */
  readonly durationMs: number;
  /** Relative URI, with `$Number$`, from 1. */
  readonly media: string;
}

export interface Period {
  readonly id: string;
  /** Presentation time of its start: epoch milliseconds if live. */
  readonly startMs: number;
  /** null: it lasts until the next one, or is still open. */
  readonly durationMs: number | null;
  /** The streams between which a player may switch. */
  readonly video: readonly VideoRepresentation[];
  readonly audio: readonly AudioRepresentation[];
  /** null, absent: there are none. */
  readonly images?: ImageRepresentation | null;
}

/** A player's target, in milliseconds behind the camera. */
export interface LatencyTarget {
  readonly targetMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** Whether it should play a little faster or slower to stay there. */
  readonly isCaughtUp: boolean;
}

/** It grows: players request the manifest again. */
export interface LivePresentation {
  readonly kind: 'live';
  /** When its newest segment began. */
  readonly publishEpochMs: number;
  readonly minimumUpdateMs: number;
  /** Time from the start of the oldest segment to the end of the newest. */
  readonly timeShiftBufferMs: number;
  readonly suggestedDelayMs: number;
  /** null: the player chooses. */
  readonly latency: LatencyTarget | null;
  /** Relative URI of the time by which segments are stamped (xs:dateTime). */
  readonly timeUri: string;
}

/** All of it exists. */
export interface RecordedPresentation {
  readonly kind: 'recorded';
  readonly durationMs: number;
}

export interface Manifest {
  readonly presentation: LivePresentation | RecordedPresentation;
  /** The folder of everything that it names, relative to its own; null, absent: the same folder (§5.6). */
  readonly baseUrl?: string | null;
  readonly maxSegmentMs: number;
  /** In order. */
  readonly periods: readonly Period[];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"';
const PROFILE = 'urn:mpeg:dash:profile:isoff-live:2011';
/** IDs of Adaptation Sets: of the first codec, of audio, and of what follows the first codec. */
const VIDEO_SET_ID = 0;
const AUDIO_SET_ID = 1;
const OTHER_VIDEO_SET_ID = 1;
const IMAGE_SET_ID = 9;
const THUMBNAIL_TILE = 'http://dashif.org/guidelines/thumbnail_tile';
/** Presentation time is epoch time, so that a gateway that restarts continues it. */
const AVAILABILITY_START = '1970-01-01T00:00:00Z';
/** Enough for players to start; a live player goes by its delay. */
const MIN_BUFFER_MS = 1_000;
const CATCHING_UP = '<PlaybackRate min="0.95" max="1.05"/>';
const STEADY_RATE = '<PlaybackRate min="1.0" max="1.0"/>';
/** Frame rates closer than this to a whole number are that number: measurements are not exact. */
const WHOLE_RATE_TOLERANCE = 0.01;

export function renderManifest({ presentation, baseUrl = null, maxSegmentMs, periods }: Manifest): string {
  let text = `${HEAD} profiles="${PROFILE}"${presentationAttributes(presentation)}`;
  text += ` minBufferTime="${duration(MIN_BUFFER_MS)}" maxSegmentDuration="${duration(maxSegmentMs)}">\n`;
  if (presentation.kind === 'live' && presentation.latency !== null) {
    text += serviceDescription(presentation.latency);
  }
  if (baseUrl !== null) text += `<BaseURL>${baseUrl}</BaseURL>\n`;
  for (const period of periods) text += renderPeriod(period);
  if (presentation.kind === 'live') {
    text += `<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-xsdate:2014" value="${presentation.timeUri}"/>\n`;
  }
  return `${text}</MPD>\n`;
}

function presentationAttributes(presentation: LivePresentation | RecordedPresentation): string {
  if (presentation.kind === 'recorded') {
    return ` type="static" mediaPresentationDuration="${duration(presentation.durationMs)}"`;
  }
  const { publishEpochMs, minimumUpdateMs, timeShiftBufferMs, suggestedDelayMs } = presentation;
  return (
    ` type="dynamic" availabilityStartTime="${AVAILABILITY_START}"` +
    ` publishTime="${new Date(publishEpochMs).toISOString()}"` +
    ` minimumUpdatePeriod="${duration(minimumUpdateMs)}"` +
    ` timeShiftBufferDepth="${duration(timeShiftBufferMs)}"` +
    ` suggestedPresentationDelay="${duration(suggestedDelayMs)}"`
  );
}

/** §K.3 */
function serviceDescription({ targetMs, minMs, maxMs, isCaughtUp }: LatencyTarget): string {
  const latency = `<Latency target="${Math.round(targetMs)}" min="${Math.round(minMs)}" max="${Math.round(maxMs)}"/>`;
  return `<ServiceDescription id="0">${latency}${isCaughtUp ? CATCHING_UP : STEADY_RATE}</ServiceDescription>\n`;
}

/** §5.3.3.5: players change between the representations of a set without new decoders. Sets in the order of the first. */
function sameCodecs(video: readonly VideoRepresentation[]): VideoRepresentation[][] {
  return [...Map.groupBy(video, ({ codecs }) => codecs.split('.')[0]).values()];
}

/** §5.3.2 */
function renderPeriod({ id, startMs, durationMs, video, audio, images = null }: Period): string {
  const lasts = durationMs === null ? '' : ` duration="${duration(durationMs)}"`;
  let text = `<Period id="${id}" start="${duration(startMs)}"${lasts}>\n`;
  for (const [index, set] of sameCodecs(video).entries()) {
    const id = index === 0 ? VIDEO_SET_ID : OTHER_VIDEO_SET_ID + index;
    text += `<AdaptationSet id="${id}" contentType="video" mimeType="video/mp4" startWithSAP="1">\n`;
    for (const one of set) text += videoRepresentation(one);
    text += '</AdaptationSet>\n';
  }
  if (audio.length > 0) {
    text += `<AdaptationSet id="${AUDIO_SET_ID}" contentType="audio" mimeType="audio/mp4" startWithSAP="1">\n`;
    for (const one of audio) text += audioRepresentation(one);
    text += '</AdaptationSet>\n';
  }
  if (images !== null) {
    text += `<AdaptationSet id="${IMAGE_SET_ID}" contentType="image" mimeType="image/jpeg">\n`;
    text += `${imageRepresentation(images)}</AdaptationSet>\n`;
  }
  return `${text}</Period>\n`;
}

/** §5.3.5 */
function videoRepresentation(video: VideoRepresentation): string {
  const { widthPx, heightPx, frameRateHz } = video;
  const frameRate = frameRateHz === null ? '' : ` frameRate="${frameRateText(frameRateHz)}"`;
  return representation(video, ` width="${widthPx}" height="${heightPx}"${frameRate}>`);
}

function audioRepresentation(audio: AudioRepresentation): string {
  const channels =
    '<AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011"' +
    ` value="${audio.channelCount}"/>`;
  return representation(audio, ` audioSamplingRate="${audio.sampleRateHz}">${channels}`);
}

function imageRepresentation(images: ImageRepresentation): string {
  const { id, bandwidthBitsPerSec, widthPx, heightPx, columns, rows, durationMs, media } = images;
  return (
    `<Representation id="${id}" bandwidth="${bandwidthBitsPerSec}" width="${widthPx}" height="${heightPx}">` +
    `<EssentialProperty schemeIdUri="${THUMBNAIL_TILE}" value="${columns}x${rows}"/>` +
    `<SegmentTemplate timescale="1000" duration="${durationMs}" startNumber="1" media="${media}"/></Representation>\n`
  );
}

function representation(common: RepresentationBase, rest: string): string {
  const { id, codecs, bandwidthBitsPerSec } = common;
  const bandwidth = Math.max(1, Math.ceil(bandwidthBitsPerSec));
  return `<Representation id="${id}" codecs="${codecs}" bandwidth="${bandwidth}"${rest}${segmentTemplate(common)}</Representation>\n`;
}

/** §5.3.9.4 */
function segmentTemplate(common: RepresentationBase): string {
  const { timescaleHz, presentationTimeOffsetTicks, initialization, media, segments } = common;
  const { availabilityTimeOffsetSec } = common;
  const available =
    availabilityTimeOffsetSec === null
      ? ''
      : ` availabilityTimeOffset="${availabilityTimeOffsetSec.toFixed(3)}" availabilityTimeComplete="false"`;
  const isRendered = 'timeline' in segments;
  const startNumber = isRendered ? segments.firstNumber : segments[0]!.number;
  const timeline = isRendered ? segments.timeline : renderSegmentTimeline(segments);
  return (
    `<SegmentTemplate timescale="${timescaleHz}" presentationTimeOffset="${presentationTimeOffsetTicks}"` +
    ` startNumber="${startNumber}" initialization="${initialization}" media="${media}"${available}>` +
    `${timeline}</SegmentTemplate>`
  );
}

/** xs:duration, to the microsecond. */
function duration(ms: number): string {
  const seconds = (ms / 1_000).toFixed(6);
  return `PT${seconds.replace(/\.?0+$/, '')}S`;
}

/** §5.3.7.2: a whole number or a fraction. */
export function frameRateText(frameRateHz: number): string {
  const whole = Math.round(frameRateHz);
  if (whole > 0 && Math.abs(frameRateHz - whole) < WHOLE_RATE_TOLERANCE) return String(whole);
  const ntsc = Math.ceil(frameRateHz);
  if (Math.abs(frameRateHz - (ntsc * 1_000) / 1_001) < WHOLE_RATE_TOLERANCE) return `${ntsc * 1_000}/1001`;
  return `${Math.round(frameRateHz * 1_000)}/1000`;
}
