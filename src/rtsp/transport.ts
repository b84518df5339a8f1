/** The Transport header (RFC 2326 §12.39). */

/** Numbers of a media stream and its RTCP: interleaved channels or UDP ports. */
export interface RtpRtcpPair {
  readonly rtp: number;
  readonly rtcp: number;
}

/** One transport from a header. Absent or unreadable values are null. */
export interface Transport {
  readonly lower: 'tcp' | 'udp';
  readonly isMulticast: boolean;
  readonly interleaved: RtpRtcpPair | null;
  readonly clientPort: RtpRtcpPair | null;
  readonly serverPort: RtpRtcpPair | null;
  /** Ports of a multicast group. */
  readonly port: RtpRtcpPair | null;
  readonly ttl: number | null;
  readonly source: string | null;
  readonly destination: string | null;
  /** The sender's SSRC. */
  readonly ssrc: number | null;
}

/** Limit on the alternatives read from one header; the rest are ignored. */
const MAX_ALTERNATIVES = 16;
const MAX_CHANNEL = 255;
const MAX_PORT = 65_535;
const MAX_TTL = 255;

/** Transport for SETUP over UDP multicast: the camera chooses group and ports. */
export const MULTICAST_TRANSPORT = 'RTP/AVP;multicast';

/** Transport for SETUP over the RTSP connection. */
export function interleavedTransport(channels: RtpRtcpPair): string {
  return `RTP/AVP/TCP;unicast;interleaved=${channels.rtp}-${channels.rtcp}`;
}

/** Transport for SETUP over UDP unicast. */
export function udpTransport(clientPort: RtpRtcpPair): string {
  return `RTP/AVP;unicast;client_port=${clientPort.rtp}-${clientPort.rtcp}`;
}

/**
 * The alternatives of a header in order of preference; a response has one. Never throws: alternatives other than RTP are
 * left out.
 */
export function parseTransports(header: string): Transport[] {
  return header
    .split(',', MAX_ALTERNATIVES)
    .map(parseTransport)
    .filter((transport) => transport !== null);
}

function parseTransport(text: string): Transport | null {
  const [protocol = '', ...sections] = text.split(';').map((section) => section.trim());
  if (!/^RTP\/S?AVPF?(?:\/(?:TCP|UDP))?$/i.test(protocol)) return null;
  const parameters = new Map<string, string>();
  for (const section of sections) {
    const equals = section.indexOf('=');
    const name = (equals < 0 ? section : section.slice(0, equals)).trim().toLowerCase();
    if (!parameters.has(name)) parameters.set(name, equals < 0 ? '' : section.slice(equals + 1).trim());
  }
  const interleaved = parsePair(parameters.get('interleaved'), MAX_CHANNEL);
  return {
    // Some cameras answer `RTP/AVP;unicast;interleaved=0-1`.
    lower: /\/TCP$/i.test(protocol) || interleaved !== null ? 'tcp' : 'udp',
    isMulticast: parameters.has('multicast'),
    interleaved,
    clientPort: parsePair(parameters.get('client_port'), MAX_PORT),
    serverPort: parsePair(parameters.get('server_port'), MAX_PORT),
    port: parsePair(parameters.get('port'), MAX_PORT),
    ttl: parseTtl(parameters.get('ttl')),
    source: parameters.get('source') || null,
    destination: parameters.get('destination') || null,
    ssrc: parseSsrc(parameters.get('ssrc')),
  };
}

/** `4-5`, or `4` alone, which also means a pair (RFC 2326 §12.39). */
function parsePair(text: string | undefined, max: number): RtpRtcpPair | null {
  const parts = /^(\d{1,5})\s*(?:-\s*(\d{1,5}))?$/.exec(text ?? '');
  if (parts === null) return null;
  const rtp = Number(parts[1]);
  const rtcp = parts[2] === undefined ? rtp + 1 : Number(parts[2]);
  return rtp <= max && rtcp <= max && rtp !== rtcp ? { rtp, rtcp } : null;
}

function parseTtl(text: string | undefined): number | null {
  return /^\d{1,3}$/.test(text ?? '') && Number(text) <= MAX_TTL ? Number(text) : null;
}

/** Eight hexadecimal digits; firmwares drop leading zeros or pad with spaces. */
function parseSsrc(text: string | undefined): number | null {
  return text !== undefined && /^(?:0x)?[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text, 16) : null;
}
