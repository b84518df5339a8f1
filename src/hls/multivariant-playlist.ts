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

const VERSION = 9;

/** Players start with the first variant. */
export function renderMultivariantPlaylist(variants: readonly VariantStream[]): string {
  let text = `#EXTM3U\n#EXT-X-VERSION:${VERSION}\n#EXT-X-INDEPENDENT-SEGMENTS\n`;
  for (const variant of variants) text += `${streamInf(variant)}\n${variant.uri}\n`;
  return text;
}

function streamInf(variant: VariantStream): string {
  const { widthPx, heightPx } = variant;
  const resolution = widthPx === null || heightPx === null ? '' : `,RESOLUTION=${widthPx}x${heightPx}`;
  const frameRate = variant.frameRateHz === null ? '' : `,FRAME-RATE=${variant.frameRateHz.toFixed(3)}`;
  return (
    `#EXT-X-STREAM-INF:BANDWIDTH=${Math.ceil(variant.peakBitsPerSec)}` +
    `,AVERAGE-BANDWIDTH=${Math.ceil(variant.averageBitsPerSec)}` +
    `,CODECS="${variant.codecs.join(',')}"${resolution}${frameRate}`
  );
}
