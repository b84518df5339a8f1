/** Delivery directives in the query of a playlist request. RFC 8216bis §6.2.5. */

import { type ErrorDefinition, GatewayError } from '../core/errors.ts';
import { HLS_ERRORS } from './errors.ts';

/** The parameters of a client's request for a Media Playlist. Numbers are -1 if absent. */
export interface PlaylistDirectives {
  readonly msn: number;
  readonly part: number;
  readonly skip: boolean;
  /** Of a piecewise playlist: see piecewise-playlist.ts. */
  readonly firstMsn: number;
}

/** Shared by all requests without directives. */
const NO_DIRECTIVES: PlaylistDirectives = { msn: -1, part: -1, skip: false, firstMsn: -1 };
const PREFIX = '_HLS_';
const FIRST = 'first';
/** Every number with this many digits is a safe integer. */
const MAX_DIGITS = 15;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Parses a raw query string, without its `?`. Unknown parameters are ignored; if one is repeated, the last counts.
 * Fails with HLS_BAD_SEQUENCE_NUMBER, HLS_BAD_PART, HLS_PART_WITHOUT_MSN, HLS_BAD_FIRST or HLS_BAD_SKIP. `v2` (which may also leave
 * out old date ranges) is the same as `YES`: there are no date ranges.
 */
export function parsePlaylistQuery(query: string): PlaylistDirectives {
  if (!query.includes(PREFIX) && !query.includes(FIRST)) return NO_DIRECTIVES;
  let msn = -1;
  let part = -1;
  let firstMsn = -1;
  let skip = false;
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start);
    const end = ampersand < 0 ? query.length : ampersand;
    const equals = query.indexOf('=', start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    const name = query.slice(start, nameEnd);
    const value = query.slice(nameEnd + 1, end);
    if (name === '_HLS_msn') msn = wholeNumber(value, HLS_ERRORS.HLS_BAD_SEQUENCE_NUMBER);
    else if (name === '_HLS_part') part = wholeNumber(value, HLS_ERRORS.HLS_BAD_PART);
    else if (name === '_HLS_skip') skip = isSkip(value);
    else if (name === FIRST) firstMsn = wholeNumber(value, HLS_ERRORS.HLS_BAD_FIRST);
    start = end + 1;
  }
  if (part >= 0 && msn < 0) throw new GatewayError(HLS_ERRORS.HLS_PART_WITHOUT_MSN);
  return { msn, part, skip, firstMsn };
}

function wholeNumber(text: string, error: ErrorDefinition): number {
  const isRightLength = text.length > 0 && text.length <= MAX_DIGITS;
  let value = 0;
  for (let i = 0; isRightLength && i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < DIGIT_0 || code > DIGIT_9) throw new GatewayError(error);
    value = value * 10 + (code - DIGIT_0);
  }
  if (!isRightLength) throw new GatewayError(error);
  return value;
}

function isSkip(text: string): boolean {
  if (text !== 'YES' && text !== 'v2') throw new GatewayError(HLS_ERRORS.HLS_BAD_SKIP);
  return true;
}
