/**
 * The piecewise playlists of a window (src/hls/piecewise-playlist.ts). An opening's first segment is listed by its parts. If it turns out longer than
 * EXT-X-TARGETDURATION, so are all that follow: the target then stays what it was when the first playlist went out, and a
 * player never waits for a whole group of pictures.
 */

import { withExtension } from '../../hls/media-names.ts';
import type { MediaPlaylist } from '../../hls/media-playlist.ts';
import {
  FIRST_PIECES,
  pieceNumberOf,
  renderBeginning,
  renderPiecewisePlaylist,
} from '../../hls/piecewise-playlist.ts';
import type { SegmentHead } from '../../hls/segment-text.ts';
import type { PlaylistText } from '../media/live-media.ts';
import { RenderedPlaylist } from '../media/rendered-playlist.ts';
import type { LiveSegment } from './live-segment.ts';

/**
 * The URL of the piecewise playlist is given out while the first segment has at most this many parts: players that begin
 * three segments before the end (ffmpeg) then find its key frame.
 */
const MAX_FIRST_PARTS = FIRST_PIECES - 1;
const NO_OPENING = -1;

/** What a window knows about its piecewise playlists. */
export interface OpeningState {
  /** Number of the opening's first segment; -1 before it. */
  readonly msn: number;
  readonly targetDurationSec: number;
}

/** The window's segments and their playlist. */
export interface PieceSubject {
  find(msn: number): LiveSegment | undefined;
  /** undefined: none since the numbers jumped. */
  newest(): LiveSegment | undefined;
  view(): MediaPlaylist;
}

/** The place in the window that the directives of a request name. */
export interface PiecePlace {
  readonly msn: number;
  readonly part: number;
}

const PRESENT: PiecePlace = { msn: -1, part: -1 };

export class PiecewiseList {
  readonly #subject: PieceSubject;
  #openingMsn = NO_OPENING;
  #targetDurationSec: number;
  /** The newest text, which most viewers share: cameras are seldom opened twice while someone watches. */
  #text: { readonly firstMsn: number; readonly text: PlaylistText } | null = null;

  constructor(subject: PieceSubject, targetDurationSec: number) {
    this.#subject = subject;
    this.#targetDurationSec = targetDurationSec;
  }

  /** Number of the opening's first segment; -1 before it. */
  get openingMsn(): number {
    return this.#openingMsn;
  }

  /** The same while a player can still begin with that segment's first part; null: it is too late. */
  get beginningMsn(): number | null {
    const newest = this.#subject.newest();
    const isBeginning =
      newest?.msn === this.#openingMsn && !newest.isComplete && newest.partCount <= MAX_FIRST_PARTS;
    return isBeginning ? this.#openingMsn : null;
  }

  state(): OpeningState {
    return { msn: this.#openingMsn, targetDurationSec: this.#targetDurationSec };
  }

  /** As another window has it; undefined: that one has no piecewise playlists. */
  become(state: OpeningState | undefined): void {
    this.#openingMsn = state?.msn ?? NO_OPENING;
    this.#targetDurationSec = Math.max(this.#targetDurationSec, state?.targetDurationSec ?? 0);
  }

  /** How the next segment is listed. `isFirst`: it is the opening's first one. */
  headOf(msn: number, isFirst: boolean): Pick<SegmentHead, 'isPiecewise' | 'piecesBefore'> {
    if (isFirst) {
      this.#openingMsn = msn;
      return { isPiecewise: true, piecesBefore: 0 };
    }
    const previous = this.#subject.newest();
    if (previous === undefined) return { isPiecewise: false, piecesBefore: 0 };
    const { isPiecewise = false, piecesBefore = 0 } = previous.text.head;
    const isLong = previous.roundedDurationSec > this.#targetDurationSec;
    return {
      isPiecewise: isPiecewise && (isLong || previous.msn !== this.#openingMsn),
      piecesBefore: piecesBefore + (isPiecewise ? previous.partCount - 1 : 0),
    };
  }

  completed(segment: LiveSegment): void {
    if (segment.text.head.isPiecewise === true) return;
    this.#targetDurationSec = Math.max(this.#targetDurationSec, segment.roundedDurationSec);
  }

  /** There is a new part. */
  forget(): void {
    this.#text = null;
  }

  text(firstMsn: number): PlaylistText {
    if (this.#text?.firstMsn !== firstMsn) {
      this.#text = { firstMsn, text: this.#rendered(firstMsn, renderPiecewisePlaylist) };
    }
    return this.#text.text;
  }

  /** For the first request of a viewer who came late, while the opening's first segment grows; null: the text is right as it is. */
  beginning(firstMsn: number): PlaylistText | null {
    const newest = this.#subject.newest();
    const isGrowing = newest?.msn === this.#openingMsn && !newest.isComplete;
    if (!isGrowing || newest.partCount <= FIRST_PIECES) return null;
    return this.#rendered(firstMsn, renderBeginning);
  }

  /** Where in the window the piecewise playlist of `firstMsn` has `number` and its part. */
  placeOf(firstMsn: number, number: number, part: number): PiecePlace {
    if (number < 0) return PRESENT;
    const numbers = { firstMsn, openingMsn: this.#openingMsn };
    let segment = this.#subject.newest();
    while (segment !== undefined) {
      const further = number - pieceNumberOf(segment.text.head, numbers);
      if (further >= 0) return placeAfter(segment, further, part);
      segment = this.#subject.find(segment.msn - 1);
    }
    return PRESENT;
  }

  #rendered(firstMsn: number, render: typeof renderPiecewisePlaylist): PlaylistText {
    const view = this.#subject.view();
    // A frame may last longer than the target.
    const targetDurationSec = Math.max(this.#targetDurationSec, Math.round(view.partTargetMs / 1_000));
    const numbers = { firstMsn, openingMsn: this.#openingMsn };
    const text = withExtension(render({ ...view, targetDurationSec }, numbers), 'mp4');
    return new RenderedPlaylist(Buffer.from(text, 'latin1').toString('latin1'));
  }
}

/** `further`: by how much the number is higher than that of the segment. */
function placeAfter(segment: LiveSegment, further: number, part: number): PiecePlace {
  const { msn, partCount, isComplete } = segment;
  if (segment.text.head.isPiecewise !== true) return { msn: msn + further, part };
  if (!isComplete || further < partCount) return { msn, part: further + Math.max(0, part) };
  return { msn: msn + 1 + further - partCount, part };
}
