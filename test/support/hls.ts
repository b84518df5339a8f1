/** A plain HLS client for tests: reads playlists with m3u8-parser and fetches the listed files. */

import { Parser } from 'm3u8-parser';

export interface TestSegment {
  readonly uri: string;
  readonly duration: number;
  readonly discontinuity?: boolean;
  readonly programDateTime?: number;
  readonly map: { readonly uri: string };
  readonly parts?: readonly {
    readonly uri: string;
    readonly duration: number;
    readonly independent?: boolean;
  }[];
}

export interface TestPlaylist {
  readonly url: string;
  readonly text: string;
  readonly mediaSequence: number;
  readonly discontinuitySequence: number;
  readonly targetDuration: number;
  readonly partTargetDuration: number;
  readonly segments: readonly TestSegment[];
  readonly preloadUri: string | null;
}

export async function fetchOk(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${url}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Why the gateway refused: the `reason` in its JSON response. */
export async function refusalReason(response: Response): Promise<string> {
  return ((await response.json()) as { reason: string }).reason;
}

/** The media playlist URL that a share's bare URL leads to: that of whole segments, even if the camera was just opened. */
export async function openShare(m3u8Url: string): Promise<string> {
  return (await openBareUrl(m3u8Url)).replace(/\?first=\d+$/, '');
}

/** The same, which for a camera that was just opened is the piecewise playlist. */
export async function openBareUrl(m3u8Url: string): Promise<string> {
  const text = (await fetchOk(m3u8Url)).toString();
  const first = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  if (first === undefined) throw new Error(`no variant in ${text}`);
  return new URL(first, m3u8Url).href;
}

interface Hinting {
  readonly preloadHints?: readonly { readonly uri: string }[];
}

interface Manifest extends Pick<TestPlaylist, 'mediaSequence' | 'targetDuration' | 'partTargetDuration'> {
  readonly discontinuitySequence?: number;
  readonly segments: readonly (TestSegment & Hinting)[];
  readonly preloadSegment?: Hinting;
}

export async function fetchPlaylist(url: string, query = ''): Promise<TestPlaylist> {
  const text = (await fetchOk(url + query)).toString();
  const parser = new Parser();
  parser.push(text);
  parser.end();
  const manifest = parser.manifest as Manifest;
  return {
    url,
    text,
    mediaSequence: manifest.mediaSequence,
    discontinuitySequence: manifest.discontinuitySequence ?? 0,
    targetDuration: manifest.targetDuration,
    partTargetDuration: manifest.partTargetDuration,
    segments: manifest.segments.filter(({ uri }) => uri !== undefined),
    preloadUri:
      manifest.preloadSegment?.preloadHints?.[0]?.uri ??
      manifest.segments.at(-1)?.preloadHints?.[0]?.uri ??
      null,
  };
}

/** Segment number from its name. */
export function msnOf(uri: string): number {
  const match = /^seg_(\d+)\.m4v$/.exec(uri);
  if (match === null) throw new Error(`unexpected segment name ${uri}`);
  return Number(match[1]);
}

/** Segments of one init segment, with the bytes of all of them. */
export interface TestRun {
  readonly segments: TestSegment[];
  readonly media: Buffer[];
}

/** Runs of a Media Playlist, between its discontinuities. */
export async function fetchRuns(url: string): Promise<TestRun[]> {
  const { segments } = await fetchPlaylist(url);
  const runs: TestRun[] = [];
  for (const segment of segments) {
    if (runs.length === 0 || segment.discontinuity === true) {
      runs.push({ segments: [], media: [await fetchOk(new URL(segment.map.uri, url).href)] });
    }
    runs.at(-1)!.segments.push(segment);
    runs.at(-1)!.media.push(await fetchOk(new URL(segment.uri, url).href));
  }
  return runs;
}
