/**
 * The texts of one rendition's playlists: rendered on first request, and then the same for all until this rendition, or
 * the other one that they report on, has a new part.
 */

import { type MediaExtension, playlistName, withExtension } from '../hls/media-names.ts';
import {
  type MediaPlaylist,
  type PlaylistEdge,
  renderMediaPlaylist,
  renditionReport,
} from '../hls/media-playlist.ts';
import type { PlaylistText } from './live-media.ts';
import { RenderedPlaylist } from './rendered-playlist.ts';

/** The camera's other stream. */
export interface OtherRendition {
  /** Where its playlists are, relative to this one's folder. */
  readonly folder: 'sub/' | '../';
  edge(): PlaylistEdge | null;
}

/** The current state that the texts are made from. */
export interface PlaylistSubject {
  view(): MediaPlaylist;
  /** Segments at the front that a delta update leaves out. */
  skippableSegments(): number;
}

export class PlaylistTexts {
  readonly #subject: PlaylistSubject;
  readonly #other: OtherRendition | null;
  /** What the texts say about the other rendition. */
  #reportedEdge: PlaylistEdge | null = null;
  readonly #full: Record<MediaExtension, PlaylistText | null> = { m4v: null, mp4: null };
  readonly #delta: Record<MediaExtension, PlaylistText | null> = { m4v: null, mp4: null };

  constructor(subject: PlaylistSubject, other: OtherRendition | null) {
    this.#subject = subject;
    this.#other = other;
  }

  /** The rendition has a new part. */
  forget(): void {
    this.#full.m4v = null;
    this.#full.mp4 = null;
    this.#delta.m4v = null;
    this.#delta.mp4 = null;
  }

  /** Hot: once per request. `isDelta`: a delta update, which is the full playlist if there is nothing to leave out. */
  text(extension: MediaExtension, isDelta: boolean): PlaylistText {
    this.#refreshReport();
    return isDelta ? this.#deltaText(extension) : this.#fullText(extension);
  }

  /** Rendition Reports must be current when they are read: the other stream publishes between two parts of this one. */
  #refreshReport(): void {
    const edge = this.#other === null ? null : this.#other.edge();
    if (edge === this.#reportedEdge) return;
    this.#reportedEdge = edge;
    this.forget();
  }

  #fullText(extension: MediaExtension): PlaylistText {
    let text = this.#full[extension];
    if (text === null) {
      text = this.#render(0, extension);
      this.#full[extension] = text;
    }
    return text;
  }

  #deltaText(extension: MediaExtension): PlaylistText {
    let text = this.#delta[extension];
    if (text === null) {
      const skipped = this.#subject.skippableSegments();
      text = skipped === 0 ? this.#fullText(extension) : this.#render(skipped, extension);
      this.#delta[extension] = text;
    }
    return text;
  }

  #render(skippedSegments: number, extension: MediaExtension): PlaylistText {
    const list = withExtension(renderMediaPlaylist(this.#subject.view(), skippedSegments), extension);
    // Through bytes and back: a string joined from pieces is copied once here, not for every viewer.
    const text = Buffer.from(list + this.#report(extension), 'latin1').toString('latin1');
    return new RenderedPlaylist(text);
  }

  #report(extension: MediaExtension): string {
    if (this.#other === null || this.#reportedEdge === null) return '';
    return renditionReport(this.#other.folder + playlistName(extension), this.#reportedEdge);
  }
}
