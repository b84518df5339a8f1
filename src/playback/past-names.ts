/**
 * Names of past media, next to `file.m3u8` and `file.mpd` of their range: `seg_<n>.m4v` from 1, `seg_init.mp4` for the
 * first run and `seg_init_<run>.mp4` for those after it. In the folders of `video` and `audio`, the same with one track; in those of
 * `h264`, with video that every player decodes.
 */

import { STREAM_NAMES } from '../dash/media-names.ts';
import type { MediaExtension } from '../hls/media-names.ts';

/** Which tracks: those of the recording, or one of them. */
export type RecordedContent = 'recorded' | 'video' | 'audio';

/** `h264`: with its video as H.264. `key-frames`: only the first frame of each segment. */
export type PastContent = RecordedContent | 'h264' | 'h264-video' | 'key-frames';

export function isH264(content: PastContent): boolean {
  return content === 'h264' || content === 'h264-video';
}

/** The same content of a recording that is H.264 already. */
export function asRecorded(content: PastContent): RecordedContent {
  if (content === 'h264') return 'recorded';
  return content === 'h264-video' || content === 'key-frames' ? 'video' : content;
}

/** The same without audio, if it has video. */
export function withoutAudio(content: PastContent): PastContent {
  if (content === 'recorded') return 'video';
  return content === 'h264' ? 'h264-video' : content;
}

export type PastName =
  | { readonly kind: 'init'; readonly run: number }
  | { readonly kind: 'segment'; readonly number: number };

/** Names of the folders with one track, below that of the range. */
export const TRACK_FOLDERS = {
  video: STREAM_NAMES.main.folder,
  audio: STREAM_NAMES.audio.folder,
  'h264-video': STREAM_NAMES.h264.folder,
} as const;
/** The folder with H.264 and audio in one file, and with playlists of them. */
export const H264_FOLDER = 'h264';
/** The folder with the first frames of segments, and the Media Playlist of them. */
export const KEY_FRAMES_FOLDER = 'key-frames';
export const KEY_FRAMES_NAME = 'key-frames.m3u8';
/** The folder with JPEGs of thumbnails (thumbnail-size.ts), and the image playlist of them. */
export const THUMBNAILS_FOLDER = 'thumbnails';
export const THUMBNAILS_NAME = 'thumbnails.m3u8';
/** The folder of the substream, with its own numbers, and with the same folders below it. */
export const SUB_FOLDER = 'sub';
const SUB_FILE = /^[^/]+\/sub\//;

/** Whether a recording file is of a camera's substream. */
export function isOfSubstream(file: string): boolean {
  return SUB_FILE.test(file);
}

const FOREIGN_FILE = /^[^/]+\/(?:sub|uploaded|pulled)\//;

/** Whether a recording file is neither of the main stream nor made of it: it fills a gap of it. */
export function fillsMainStream(file: string): boolean {
  return FOREIGN_FILE.test(file);
}

const KEY_FRAMES_FILE = /^[^/]+\/key-frames\//;

/** Whether a recording file has only key frames, because the rest was deleted. */
export function isOfKeyFrames(file: string): boolean {
  return KEY_FRAMES_FILE.test(file);
}

const SEGMENT_PATTERN = /^seg_([1-9]\d{0,5})\.(m4v|m4a|mp4)$/;
const INIT_PATTERN = /^seg_init(?:_([1-9]\d{0,5}))?\.mp4$/;

export function pastInitName(run: number): string {
  return run === 1 ? 'seg_init.mp4' : `seg_init_${run}.mp4`;
}

export function pastSegmentName(number: number, extension: MediaExtension): string {
  return `seg_${number}.${extension}`;
}

/** null for anything that is not one of these names; numbers have only one spelling. */
export function parsePastName(name: string): PastName | null {
  const segment = SEGMENT_PATTERN.exec(name);
  if (segment !== null) return { kind: 'segment', number: Number(segment[1]) };
  const init = INIT_PATTERN.exec(name);
  if (init === null || init[1] === '1') return null;
  return { kind: 'init', run: init[1] === undefined ? 1 : Number(init[1]) };
}
