/** Media Playlists read as text, line by line: a parser that repairs things would hide faults. */

/** A complete segment as the playlist lists it, including the init segment that applies to it. */
export interface ListedSegment {
  readonly msn: number;
  readonly uri: string;
  /** As written, without rounding. */
  readonly extinf: string;
  readonly dateTime: string | null;
  readonly hasDiscontinuity: boolean;
  /** null: this text names none before the segment. */
  readonly map: string | null;
  readonly parts: readonly ListedPart[];
}

export interface ListedPart {
  readonly uri: string;
  /** In seconds. */
  readonly duration: number;
}

export interface PlaylistText {
  readonly mediaSequence: number;
  readonly discontinuitySequence: number;
  readonly skipped: number;
  readonly segments: readonly ListedSegment[];
  /** Parts of the segment that is not complete yet. */
  readonly openParts: readonly ListedPart[];
  /** In seconds. */
  readonly partHoldBack: number;
  /** Number of the segment that the next part belongs to, and the part's number. */
  readonly hint: { readonly msn: number; readonly part: number; readonly uri: string };
}

export function readPlaylistText(text: string): PlaylistText {
  const mediaSequence = numberOf(text, /^#EXT-X-MEDIA-SEQUENCE:(\d+)$/m);
  const skipped = Number(/^#EXT-X-SKIP:SKIPPED-SEGMENTS=(\d+)$/m.exec(text)?.[1] ?? 0);
  const hint = /^#EXT-X-PRELOAD-HINT:TYPE=PART,URI="((?:[^"]*\/)?seg_(\d+)\.(\d+)\.(?:m4v|mp4))"$/m.exec(
    text,
  );
  if (hint === null) throw new Error(`no preload hint in ${text}`);
  const segments: ListedSegment[] = [];
  let map: string | null = null;
  let open = newSegment();
  for (const line of text.split('\n')) {
    const value = line.slice(line.indexOf(':') + 1);
    if (line.startsWith('#EXT-X-MAP:')) map = quoted(line);
    else if (line.startsWith('#EXT-X-PART:')) open.parts.push(partOf(line));
    else if (line.startsWith('#EXT-X-PROGRAM-DATE-TIME:')) open.dateTime = value;
    else if (line === '#EXT-X-DISCONTINUITY') open.hasDiscontinuity = true;
    else if (line.startsWith('#EXTINF:')) open.extinf = value.replace(/,$/, '');
    else if (line !== '' && !line.startsWith('#')) {
      segments.push({ msn: mediaSequence + skipped + segments.length, uri: line, map, ...open });
      open = newSegment();
    }
  }
  return {
    mediaSequence,
    skipped,
    discontinuitySequence: numberOf(text, /^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)$/m),
    segments,
    openParts: open.parts,
    partHoldBack: numberOf(text, /PART-HOLD-BACK=([\d.]+)/),
    hint: { uri: hint[1]!, msn: Number(hint[2]), part: Number(hint[3]) },
  };
}

/** A client's segments after a delta update: the skipped segments as it knew them, then those of the update. */
export function mergeDelta(known: PlaylistText, delta: PlaylistText): ListedSegment[] {
  const merged: ListedSegment[] = [];
  for (let msn = delta.mediaSequence; msn < delta.mediaSequence + delta.skipped; msn++) {
    const segment = known.segments.find((each) => each.msn === msn);
    if (segment === undefined) throw new Error(`the update skips segment ${msn}, which was never listed`);
    merged.push(segment);
  }
  let map = merged.at(-1)?.map ?? null;
  for (const segment of delta.segments) {
    map = segment.map ?? map;
    merged.push({ ...segment, map });
  }
  return merged;
}

function newSegment() {
  return {
    extinf: '',
    dateTime: null as string | null,
    hasDiscontinuity: false,
    parts: [] as ListedPart[],
  };
}

function partOf(line: string): ListedPart {
  return { uri: quoted(line), duration: numberOf(line, /DURATION=([\d.]+)/) };
}

function quoted(line: string): string {
  const match = /URI="([^"]+)"/.exec(line);
  if (match === null) throw new Error(`no URI in ${line}`);
  return match[1]!;
}

function numberOf(text: string, pattern: RegExp): number {
  const match = pattern.exec(text);
  if (match === null) throw new Error(`no ${pattern} in ${text}`);
  return Number(match[1]);
}
