/** The Multivariant Playlist: the variants a player may choose from. RFC 8216bis §4.4.6.2. */

export interface VariantStream {
  /** Relative URI of its Media Playlist. */
  readonly uri: string;
  /** Highest and mean bit rate of its segments. */
  readonly peakBitsPerSec: number;
  readonly averageBitsPerSec: number;
  /** RFC 6381, one for each track. */
  readonly codecs: readonly string[];
  readonly widthPx: number;
  readonly heightPx: number;
  /** null: not known. */
  readonly frameRateHz: number | null;
}

const VERSION = 9;

/** The first variant is what players start with. */
export function renderMultivariantPlaylist(variants: readonly VariantStream[]): string {
  let text = `#EXTM3U\n#EXT-X-VERSION:${VERSION}\n#EXT-X-INDEPENDENT-SEGMENTS\n`;
  for (const variant of variants) text += `${streamInf(variant)}\n${variant.uri}\n`;
  return text;
}

function streamInf(variant: VariantStream): string {
  const frameRate = variant.frameRateHz === null ? '' : `,FRAME-RATE=${variant.frameRateHz.toFixed(3)}`;
  return (
    `#EXT-X-STREAM-INF:BANDWIDTH=${Math.ceil(variant.peakBitsPerSec)}` +
    `,AVERAGE-BANDWIDTH=${Math.ceil(variant.averageBitsPerSec)}` +
    `,CODECS="${variant.codecs.join(',')}"` +
    `,RESOLUTION=${variant.widthPx}x${variant.heightPx}${frameRate}`
  );
}
