/** The RTP-Info header of PLAY responses (RFC 2326 §12.33). */

/** First sequence number and RTP timestamp of one stream; null if the camera does not say or writes nonsense. */
export interface RtpInfo {
  readonly url: string;
  readonly seq: number | null;
  readonly rtpTime: number | null;
}

/** Limit on the entries that are read; the rest are ignored. */
const MAX_ENTRIES = 32;

/** `url=…;seq=…;rtptime=…` entries. URLs may hold commas and semicolons, so an entry starts at `url=`. Never throws. */
export function parseRtpInfo(header: string): RtpInfo[] {
  const entries = header.split(/(?:^|,)\s*(?=url\s*=)/i).filter((text) => /^url/i.test(text));
  return entries.slice(0, MAX_ENTRIES).map(parseEntry);
}

function parseEntry(text: string): RtpInfo {
  const seqAt = text.search(/;\s*seq\s*=/i);
  const rtpTimeAt = text.search(/;\s*rtptime\s*=/i);
  const ends = [seqAt, rtpTimeAt, text.length].filter((at) => at >= 0);
  const url = text.slice(text.indexOf('=') + 1, Math.min(...ends));
  return {
    url: url.trim().replace(/^"|"$/g, ''),
    seq: seqAt < 0 ? null : unsigned(text.slice(seqAt), 0xffff),
    rtpTime: rtpTimeAt < 0 ? null : unsigned(text.slice(rtpTimeAt), 0xffff_ffff),
  };
}

/**
 * The entry of each track, null if there is none. Matched by URL (equal, or one is the end of the other: cameras write
 * relative ones, or a different host); with as many entries as tracks and no match at all, by position.
 */
export function matchRtpInfo(infos: readonly RtpInfo[], trackUrls: readonly string[]): (RtpInfo | null)[] {
  const matches = trackUrls.map((url) => infos.find((info) => isSameStream(info.url, url)) ?? null);
  if (infos.length !== trackUrls.length || matches.some((match) => match !== null)) return matches;
  return [...infos];
}

function isSameStream(infoUrl: string, trackUrl: string): boolean {
  if (infoUrl === '') return false;
  if (infoUrl === trackUrl) return true;
  const [infoPath, trackPath] = [pathOf(infoUrl), pathOf(trackUrl)];
  return infoPath !== '' && trackPath !== '' && (isTail(infoPath, trackPath) || isTail(trackPath, infoPath));
}

function isTail(tail: string, path: string): boolean {
  return path === tail || path.endsWith(`/${tail}`);
}

function pathOf(url: string): string {
  return url.replace(/^rtsps?:\/\/[^/]*/i, '').replace(/^\/+/, '');
}

/** The value of `;name=value…`. */
function unsigned(parameter: string, max: number): number | null {
  const digits = /^;[^=]*=\s*(\d{1,10})\s*(?:[;,]|$)/.exec(parameter)?.[1];
  return digits !== undefined && Number(digits) <= max ? Number(digits) : null;
}
