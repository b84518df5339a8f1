/**
 * An image playlist: a Media Playlist whose segments are JPEGs of many small pictures, in a grid. It is not part of RFC 8216bis; players take
 * it as the HLS Image Media Playlist specification has it (EXT-X-IMAGES-ONLY, EXT-X-TILES).
 */

import { msToSecondsText, ticksToSecondsText } from './decimal-seconds.ts';

const VERSION = 7;

export interface ImagePlaylistHead {
  /** `event`: segments are still added at its end. */
  readonly type: 'vod' | 'event';
  readonly targetDurationSec: number;
  /** Of one picture. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly columns: number;
  readonly rows: number;
  /** The time that each picture shows. */
  readonly pictureMs: number;
}

export interface ImagePlaylistSegment {
  readonly uri: string;
  readonly isDiscontinuity: boolean;
  readonly epochMs: number;
  /** Less than the grid has pictures for, if the video ends before. */
  readonly durationTicks: number;
  readonly timescaleHz: number;
}

export class ImagePlaylist {
  #text: string;
  readonly #type: ImagePlaylistHead['type'];
  readonly #tiles: string;
  #isFirst = true;

  constructor(head: ImagePlaylistHead) {
    const { type, targetDurationSec, widthPx, heightPx, columns, rows, pictureMs } = head;
    this.#type = type;
    this.#tiles = `#EXT-X-TILES:RESOLUTION=${widthPx}x${heightPx},LAYOUT=${columns}x${rows},DURATION=${msToSecondsText(pictureMs)}\n`;
    this.#text =
      `#EXTM3U\n#EXT-X-VERSION:${VERSION}\n#EXT-X-TARGETDURATION:${targetDurationSec}\n` +
      `#EXT-X-PLAYLIST-TYPE:${type.toUpperCase()}\n#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-IMAGES-ONLY\n`;
  }

  add({ uri, isDiscontinuity, epochMs, durationTicks, timescaleHz }: ImagePlaylistSegment): void {
    if (isDiscontinuity && !this.#isFirst) this.#text += '#EXT-X-DISCONTINUITY\n';
    if (isDiscontinuity) this.#text += `#EXT-X-PROGRAM-DATE-TIME:${new Date(epochMs).toISOString()}\n`;
    this.#text += `${this.#tiles}#EXTINF:${ticksToSecondsText(durationTicks, timescaleHz)},\n${uri}\n`;
    this.#isFirst = false;
  }

  end(): string {
    return this.#type === 'vod' ? `${this.#text}#EXT-X-ENDLIST\n` : this.#text;
  }
}
