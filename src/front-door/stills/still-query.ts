/** The parameters of a request for a still image: the width in the query, and the format in the Accept header. */

import { GatewayError } from '../../core/errors.ts';
import type { StillFormat } from '../../thumbnails/still-format.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';

export const MAX_STILL_WIDTH_PX = 3_840;

const TYPES: Readonly<Record<StillFormat, string>> = {
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
};
/** At equal weight. AVIF is last: it takes several times the CPU time of the others. */
const PREFERENCE: readonly StillFormat[] = ['webp', 'jpeg', 'avif'];
/** A longer header is read up to here. */
const MAX_ACCEPT_CHARS = 1_024;
const WHOLE_NUMBER = /^[0-9]{1,6}$/;

/** The `width` of a query; null if it has none. Fails STILL_WIDTH_INVALID. */
export function stillWidthOf(query: string): number | null {
  const text = new URLSearchParams(query).get('width');
  if (text === null) return null;
  const widthPx = WHOLE_NUMBER.test(text) ? Number(text) : 0;
  if (widthPx < 1 || widthPx > MAX_STILL_WIDTH_PX) {
    throw new GatewayError(FRONT_DOOR_ERRORS.STILL_WIDTH_INVALID);
  }
  return widthPx;
}

/**
 * The format that the client prefers (RFC 9110 §12.5.1). WebP and AVIF only for clients that name them; a client that
 * accepts none of the three gets JPEG, which every client of cameras reads.
 */
export function acceptedStillFormat(accept: string | undefined): StillFormat {
  if (accept === undefined) return 'jpeg';
  const weights = weightsOf(accept.slice(0, MAX_ACCEPT_CHARS));
  const anyImage = weights.get('image/*') ?? weights.get('*/*') ?? 0;
  let best: StillFormat = 'jpeg';
  let bestWeight = 0;
  for (const format of PREFERENCE) {
    const weight = weights.get(TYPES[format]) ?? (format === 'jpeg' ? anyImage : 0);
    if (weight > bestWeight) {
      best = format;
      bestWeight = weight;
    }
  }
  return best;
}

function weightsOf(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of accept.split(',')) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const value = weight === undefined ? 1 : Number(weight);
    if (type !== '') weights.set(type, Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0);
  }
  return weights;
}
