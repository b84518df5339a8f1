/**
 * Finds out whether the network can carry a better stream, by fetching a second's worth of it. The small parts of
 * the stream that plays cannot tell: they are over before the network is busy. And hls.js weights a measurement by
 * the time it took, so after a bad minute hundreds of quick parts did not outweigh one slow one.
 */

/** The network must be this much faster than the stream. */
const HEADROOM = 1.3;
const MIN_BYTES = 65_536;
const MAX_BYTES = 1_048_576;
/** Round trips that a connection needs to get up to speed (slow start), and the longest that we believe. */
const ROUND_TRIPS = 3;
const MAX_ROUND_TRIP_MS = 300;
const PLAYLIST_TIMEOUT_MS = 3_000;
/** A probe that is this late after a part of its time is abandoned, so that it leaves the network to the stream. */
const CHECK_AT = 0.4;
const MIN_SHARE_AT_CHECK = 0.15;

/**
 * Whether `bitsPerSec` would arrive in time, tested with the newest complete segment in the Media Playlist; null if
 * there is none yet. Never rejects.
 */
export async function carries(playlistUrl: string, bitsPerSec: number): Promise<boolean | null> {
  try {
    const requestedAtMs = performance.now();
    const signal = AbortSignal.timeout(PLAYLIST_TIMEOUT_MS);
    const playlist = await fetch(playlistUrl, { cache: 'no-store', signal });
    const roundTripMs = Math.min(MAX_ROUND_TRIP_MS, performance.now() - requestedAtMs);
    const segment = newestSegment(await playlist.text());
    if (!playlist.ok || segment === null) return playlist.ok ? null : false;
    const bytes = Math.round(Math.min(MAX_BYTES, Math.max(MIN_BYTES, bitsPerSec / 8)));
    const limitMs = (bytes * 8 * 1000) / (bitsPerSec * HEADROOM) + ROUND_TRIPS * roundTripMs;
    return await arrives(new URL(segment, playlist.url).href, bytes, limitMs);
  } catch {
    // a response that does not come, or not in time, shows that the network cannot carry it
    return false;
  }
}

/** Whether the first `bytes` of it (or all, if there are fewer) arrive within the limit. */
async function arrives(url: string, bytes: number, limitMs: number): Promise<boolean> {
  const startMs = performance.now();
  const abort = new AbortController();
  let received = 0;
  const check = setTimeout(() => {
    if (received < bytes * MIN_SHARE_AT_CHECK) abort.abort();
  }, limitMs * CHECK_AT);
  const end = setTimeout(() => abort.abort(), limitMs);
  try {
    const headers = { range: `bytes=0-${bytes - 1}` };
    const response = await fetch(url, { cache: 'no-store', headers, signal: abort.signal });
    const reader = response.body?.getReader();
    if (!response.ok || reader === undefined) return false;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      received += chunk.value.byteLength;
    }
    // a segment shorter than requested must be just as quick
    return received > 0 && performance.now() - startMs < (limitMs * Math.max(received, MIN_BYTES)) / bytes;
  } finally {
    clearTimeout(check);
    clearTimeout(end);
  }
}

/** The URI of the last complete segment; null if there is none yet. */
function newestSegment(playlist: string): string | null {
  return playlist.split('\n').findLast((line) => line !== '' && !line.startsWith('#')) ?? null;
}
