/** The Multivariant Playlist: the variants that a player can choose from. RFC 8216bis §4.4.6.2. */

export interface VariantStream {
  /** Relative URI of its Media Playlist. */
  readonly uri: string;
  /** Peak and average bit rate of its segments. */
  readonly peakBitsPerSec: number;
  readonly averageBitsPerSec: number;
  /** RFC 6381, one per track. */
  readonly codecs: readonly string[];
  /** null: it has no video. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** null: unknown. */
  readonly frameRateHz: number | null;
}

/** What players show while someone looks for a moment. */
export interface TrickPlayStreams {
  /** One frame per segment, without audio (§4.4.6.3). */
  readonly iFrames: Pick<VariantStream, 'uri' | 'codecs' | 'peakBitsPerSec' | 'widthPx' | 'heightPx'> | null;
  readonly images: ImageStream | null;
}

/** An image playlist (image-playlist.ts). */
export interface ImageStream {
  readonly uri: string;
  readonly bitsPerSec: number;
  /** Of one picture. */
  readonly widthPx: number;
  readonly heightPx: number;
}

const VERSION = 9;
const INDEPENDENT_SEGMENTS = '#EXT-X-INDEPENDENT-SEGMENTS\n';
const NO_TRICK_PLAY: TrickPlayStreams = { iFrames: null, images: null };

/** Players start with the first variant. `isIndependent`: all segments of all variants begin with key frames. */
export function renderMultivariantPlaylist(
  variants: readonly VariantStream[],
  { iFrames, images }: TrickPlayStreams = NO_TRICK_PLAY,
  isIndependent = true,
): string {
  let text = `#EXTM3U\n#EXT-X-VERSION:${VERSION}\n${isIndependent ? INDEPENDENT_SEGMENTS : ''}`;
  for (const variant of variants) text += `${streamInf(variant)}\n${variant.uri}\n`;
  if (iFrames !== null) {
    const { uri, codecs, peakBitsPerSec } = iFrames;
    text += `#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=${Math.ceil(peakBitsPerSec)},CODECS="${codecs.join(',')}"`;
    text += `${resolutionOf(iFrames)},URI="${uri}"\n`;
  }
  if (images !== null) {
    text += `#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=${images.bitsPerSec},CODECS="jpeg"${resolutionOf(images)},URI="${images.uri}"\n`;
  }
  return text;
}

function resolutionOf({ widthPx, heightPx }: Pick<VariantStream, 'widthPx' | 'heightPx'>): string {
  return widthPx === null || heightPx === null ? '' : `,RESOLUTION=${widthPx}x${heightPx}`;
}

function streamInf(variant: VariantStream): string {
  const frameRate = variant.frameRateHz === null ? '' : `,FRAME-RATE=${variant.frameRateHz.toFixed(3)}`;
  return (
    `#EXT-X-STREAM-INF:BANDWIDTH=${Math.ceil(variant.peakBitsPerSec)}` +
    `,AVERAGE-BANDWIDTH=${Math.ceil(variant.averageBitsPerSec)}` +
    `,CODECS="${variant.codecs.join(',')}"${resolutionOf(variant)}${frameRate}`
  );
}
