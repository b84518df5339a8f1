/**
 * The texts of one rendition's playlists: rendered on first request, and then the same for all until this rendition, or
 * the other one that they report on, has a new part.
 */

import { type MediaExtension, playlistName, withExtension } from '../../hls/media-names.ts';
import {
  type MediaPlaylist,
  type PlaylistEdge,
  renderMediaPlaylist,
  renditionReport,
} from '../../hls/media-playlist.ts';
import { withSharedNames } from '../../hls/shared-names.ts';
import type { PlaylistText } from '../media/live-media.ts';
import { RenderedPlaylist } from '../media/rendered-playlist.ts';
import type { SharedPaths } from './shared-paths.ts';

/** The camera's other stream. */
export interface OtherRendition {
  /** Where its playlists are, relative to this one's folder. */
  readonly folder: 'sub/' | '../';
  edge(): PlaylistEdge | null;
}

/** The current state that the texts are made from. */
export interface PlaylistSubject {
  /** `from`: without as many segments at the front. */
  view(from: number): MediaPlaylist;
  /** Segments at the front that a delta update leaves out. */
  skippableSegments(): number;
  /** Oldest first, at least one. */
  listedSegments(): readonly { readonly msn: number }[];
}

/** A playlist in full, and as a delta update. */
class TextPair {
  full: PlaylistText | null = null;
  delta: PlaylistText | null = null;

  forget(): void {
    this.full = null;
    this.delta = null;
  }
}

type Texts = Readonly<Record<MediaExtension, TextPair>>;

export class PlaylistTexts {
  readonly #subject: PlaylistSubject;
  readonly #other: OtherRendition | null;
  readonly #paths: SharedPaths | null;
  /** The other rendition's edge as the texts report it. */
  #reportedEdge: PlaylistEdge | null = null;
  readonly #own: Texts = { m4v: new TextPair(), mp4: new TextPair() };
  readonly #shared: Texts = { m4v: new TextPair(), mp4: new TextPair() };
  /** Whether there are texts to drop: the playlists of most cameras are never requested. */
  #hasTexts = false;

  /** `paths` null: none are shared. */
  constructor(subject: PlaylistSubject, other: OtherRendition | null, paths: SharedPaths | null) {
    this.#subject = subject;
    this.#other = other;
    this.#paths = paths;
  }

  /** The rendition has a new part. Hot: once per part. */
  forget(): void {
    if (!this.#hasTexts) return;
    this.#hasTexts = false;
    for (const texts of [this.#own, this.#shared]) {
      texts.m4v.forget();
      texts.mp4.forget();
    }
  }

  /** Hot: once per request. `isDelta`: a delta update, which is the full playlist if there is nothing to leave out. */
  text(extension: MediaExtension, isDelta: boolean): PlaylistText {
    this.#refreshReport();
    return this.#textOf(this.#own[extension], extension, isDelta, null);
  }

  /** Hot. The same with the paths that viewers share. */
  sharedText(extension: MediaExtension, isDelta: boolean): PlaylistText {
    this.#refreshReport();
    const texts = this.#paths === null ? this.#own : this.#shared;
    return this.#textOf(texts[extension], extension, isDelta, this.#paths);
  }

  /** Rendition Reports must be current when they are read: the other stream publishes between two parts of this one. */
  #refreshReport(): void {
    const edge = this.#other === null ? null : this.#other.edge();
    if (edge === this.#reportedEdge) return;
    this.#reportedEdge = edge;
    this.forget();
  }

  #textOf(
    pair: TextPair,
    extension: MediaExtension,
    isDelta: boolean,
    paths: SharedPaths | null,
  ): PlaylistText {
    this.#hasTexts = true;
    if (!isDelta) {
      pair.full ??= this.#render(0, extension, paths);
      return pair.full;
    }
    if (pair.delta === null) {
      const skipped = this.#subject.skippableSegments();
      pair.delta =
        skipped === 0 ? this.#textOf(pair, extension, false, paths) : this.#render(skipped, extension, paths);
    }
    return pair.delta;
  }

  /** `skipped`: of all segments in the list. */
  #render(skipped: number, extension: MediaExtension, paths: SharedPaths | null): PlaylistText {
    const from = paths === null ? 0 : paths.firstListable(this.#subject.listedSegments());
    const list = renderMediaPlaylist(this.#subject.view(from), Math.max(0, skipped - from));
    const named = paths === null ? list : withSharedNames(list, (msn) => paths.folderOf(msn));
    // Through bytes and back: a string joined from pieces is copied once here, not for every viewer.
    const text = withExtension(named, extension) + this.#report(extension);
    return new RenderedPlaylist(Buffer.from(text, 'latin1').toString('latin1'));
  }

  #report(extension: MediaExtension): string {
    if (this.#other === null || this.#reportedEdge === null) return '';
    return renditionReport(this.#other.folder + playlistName(extension), this.#reportedEdge);
  }
}
