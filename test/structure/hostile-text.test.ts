/**
 * Text from untrusted peers is read in linear time. Each reader gets runs of the pieces that make patterns
 * backtrack, longer than the limits in front of it allow: a quadratic reader needs minutes for them.
 */

import { describe, expect, it } from 'vitest';
import { CredentialUrl, isTornUrl } from '../../src/core/secret.ts';
import { parseManifestQuery } from '../../src/dash/manifest-query.ts';
import { MAX_LINE_CHARS, redactUrls } from '../../src/ffmpeg/stderr-tail.ts';
import { parseByteRange } from '../../src/front-door/response/byte-range.ts';
import { mediaCredential } from '../../src/front-door/session/media-credentials.ts';
import { parsePlaylistQuery } from '../../src/hls/playlist-query.ts';
import { activityOf } from '../../src/onvif/activity.ts';
import { readProbeMatches } from '../../src/onvif/discovery-messages.ts';
import { readNotifications } from '../../src/onvif/event-messages.ts';
import { readSoapBody } from '../../src/onvif/soap.ts';
import { escapeXml, MAX_XML_CHARS, parseXml } from '../../src/onvif/xml-element.ts';
import { negotiateHeartBeats } from '../../src/realtime/stomp-session.ts';
import { parseChallenge } from '../../src/rtsp/auth.ts';
import { redirectTarget, requestUri, resolveControl } from '../../src/rtsp/control-url.ts';
import { HttpResponseHeadReader, MAX_HTTP_HEAD_BYTES } from '../../src/rtsp/http-response-head.ts';
import { RtspMessageReader } from '../../src/rtsp/message-reader.ts';
import { matchRtpInfo, parseRtpInfo } from '../../src/rtsp/rtp-info.ts';
import { includedSource, multicastConnection } from '../../src/rtsp/sdp/connection-address.ts';
import { addFormatParameters } from '../../src/rtsp/sdp/format-parameters.ts';
import { parseSessionDescription } from '../../src/rtsp/sdp/session-description.ts';
import { parseSessionHeader } from '../../src/rtsp/session-header.ts';
import { parseTransports } from '../../src/rtsp/transport.ts';
import { tunnelFault } from '../../src/rtsp/tunnel-request.ts';
import { threadMs } from '../support/thread-time.ts';

const HEADER_CHARS = 64 * 1_024;
/** Of processor time: a linear reader needs a few milliseconds, a quadratic one more than three seconds. */
const MAX_MS = 1_000;

const PIECES = [
  ' ',
  '\t',
  '/',
  '=',
  ',',
  ';',
  ':',
  '-',
  '"',
  '\\',
  '&',
  '<',
  '>',
  '@',
  '.',
  '0',
  'a',
  'a=',
  '= ',
  ' =',
  'a b',
  ' a',
  '; ',
  ', ',
  'url=',
  ',url',
  ';seq',
  '; seq =',
  'a://',
  'rtsp://',
  '"\\',
  'a="',
  '[a',
  '<a ',
  '<a>',
  '<a/>',
  '</',
  '<!',
  '<!--',
  '<?',
  '<![CDATA[',
  ']]',
  '&a',
  '&#',
  'a =',
  "a='",
];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  challenge: ['', 'Digest ', 'Digest realm="'],
  session: ['', '1;timeout', '1;timeout ='],
  transport: ['', 'RTP/AVP;client_port=1', 'RTP/AVP;ssrc='],
  rtpInfo: ['', 'url=a;seq', 'url='],
  url: ['', 'rtsp://', 'rtsp://a', 'rtsp://a/'],
  fmtp: ['', 'a', 'a=b '],
  range: ['', 'bytes=', 'bytes=1'],
  query: ['', '_HLS_msn=', '_HLS_msn=1&'],
  latency: ['', 'latency=', 'latency=low&'],
  heartBeat: ['', '1', '1,'],
};

const READERS: readonly {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly chars: number;
  readonly read: (text: string) => unknown;
}[] = [
  {
    name: 'challenge',
    prefixes: HEADERS.challenge!,
    chars: HEADER_CHARS,
    read: (text) => parseChallenge([text]),
  },
  { name: 'session', prefixes: HEADERS.session!, chars: HEADER_CHARS, read: parseSessionHeader },
  { name: 'transport', prefixes: HEADERS.transport!, chars: HEADER_CHARS, read: parseTransports },
  {
    name: 'RTP-Info',
    prefixes: HEADERS.rtpInfo!,
    chars: HEADER_CHARS,
    read: (text) => matchRtpInfo(parseRtpInfo(text), ['rtsp://a/b', 'rtsp://a/c']),
  },
  {
    name: 'control URL',
    prefixes: HEADERS.url!,
    chars: HEADER_CHARS,
    read: (text) => [resolveControl('rtsp://a/b', text), resolveControl(text, 'c'), requestUri(text)],
  },
  {
    name: 'redirect',
    prefixes: HEADERS.url!,
    chars: HEADER_CHARS,
    read: (text) => redirectTarget('rtsp://a/b', text),
  },
  {
    name: 'RTSP start line',
    prefixes: ['', 'RTSP/1.0 ', 'RTSP/1.0 200 ', 'PLAY ', 'PLAY a '],
    chars: HEADER_CHARS,
    read: (text) => {
      const sink = { onRequest: ignore, onResponse: ignore, onInterleaved: ignore };
      const limits = { headBytes: 1e6, headerCount: 1e6, bodyBytes: 1e6, strayLineEndBytes: 1e6 };
      new RtspMessageReader(sink, limits).push(Buffer.from(`${text}\r\nCSeq: 1\r\n\r\n`));
    },
  },
  {
    name: 'HTTP head of a tunnel',
    prefixes: ['', 'HTTP/1.0 ', 'HTTP/1.0 200 ', 'HTTP/1.0 200 OK\r\nContent-Type: '],
    // The limit of the reader itself.
    chars: MAX_HTTP_HEAD_BYTES - 16,
    read: (text) => {
      const head = new HttpResponseHeadReader().push(Buffer.from(`${text}\r\n\r\n`));
      if (head !== null) tunnelFault(head);
    },
  },
  {
    name: 'camera URL',
    prefixes: ['', 'rtsp://a/', 'rtsp://a:', 'rtsp://a/password=', 'rtsp://a/_pwd=_'],
    chars: HEADER_CHARS,
    read: (text) => [isTornUrl(text), String(new CredentialUrl(text)), new CredentialUrl(text).credentials()],
  },
  {
    name: 'multicast group',
    prefixes: ['', 'IN IP4 239.1.1.1/', 'incl IN IP4 '],
    chars: HEADER_CHARS,
    read: (text) => [multicastConnection(text), includedSource(text)],
  },
  {
    name: 'fmtp',
    prefixes: HEADERS.fmtp!,
    chars: HEADER_CHARS,
    read: (text) => addFormatParameters(new Map(), text),
  },
  {
    name: 'SDP',
    prefixes: [
      '',
      'v=0\r\nm=video 0 RTP/AVP 96\r\na=fmtp:96 ',
      'v=0\r\nm=',
      'v=0\r\nm=video 0 RTP/AVP 96\r\na=control:',
    ],
    chars: 60 * 1_024,
    read: (text) => parseSessionDescription(Buffer.from(text)),
  },
  {
    name: 'byte range',
    prefixes: HEADERS.range!,
    chars: HEADER_CHARS,
    read: (text) => parseByteRange(text, 1e6),
  },
  { name: 'playlist query', prefixes: HEADERS.query!, chars: HEADER_CHARS, read: parsePlaylistQuery },
  {
    name: 'cookie',
    prefixes: ['', 'RSESSIONID=', 'RSESSIONID="RFT:', 'a=b;RSESSIONID=RFT%3A'],
    chars: HEADER_CHARS,
    read: (text) => mediaCredential({ cookie: text }, '', null),
  },
  {
    name: 'credentials in a query',
    prefixes: ['x-auth-ft=', 'x-auth-ft', '&x-auth-scheme=federated-token&x-auth-ft=%'],
    chars: HEADER_CHARS,
    read: (text) => mediaCredential({}, text, null),
  },
  { name: 'manifest query', prefixes: HEADERS.latency!, chars: HEADER_CHARS, read: parseManifestQuery },
  { name: 'heart-beat', prefixes: HEADERS.heartBeat!, chars: HEADER_CHARS, read: negotiateHeartBeats },
  // A line from ffmpeg is cut before it is read, so this reader can be quadratic within that length.
  { name: 'line of ffmpeg', prefixes: [''], chars: MAX_LINE_CHARS, read: redactUrls },
  {
    name: 'XML',
    prefixes: ['', '<a>', '<a ', '<a k="', '<a k=', '<!--', '<![CDATA['],
    chars: MAX_XML_CHARS - 16,
    read: parseXml,
  },
  {
    name: 'discovery answer',
    prefixes: ['', '<ProbeMatch><XAddrs>'],
    chars: 64 * 1_024,
    read: readProbeMatches,
  },
  {
    name: 'discovered scopes',
    prefixes: ['', 'onvif://www.onvif.org/name/'],
    chars: 64 * 1_024,
    read: (text) => readProbeMatches(`<a><ProbeMatch><Scopes>${escapeXml(text)}</Scopes></ProbeMatch></a>`),
  },
  {
    name: 'notification',
    prefixes: ['', 'tns1:RuleEngine/'],
    chars: MAX_XML_CHARS / 8,
    read: (text) => {
      const item = `<SimpleItem Name="State" Value="${escapeXml(text)}"/>`;
      const message = `<Message><Message><Source>${item}</Source><Data>${item}</Data></Message></Message>`;
      const topic = `<Topic>${escapeXml(text)}</Topic>`;
      const xml = `<a><NotificationMessage>${topic}${message}</NotificationMessage></a>`;
      return readNotifications(parseXml(xml)).map(activityOf);
    },
  },
  {
    name: 'fault',
    prefixes: [''],
    chars: MAX_XML_CHARS / 8,
    read: (text) =>
      readSoapBody(
        `<Envelope><Body><Fault><Value>${escapeXml(text)}</Value><Text>${escapeXml(text)}</Text></Fault></Body></Envelope>`,
      ),
  },
];

describe.each(READERS)('reading hostile text: $name', ({ prefixes, chars, read }) => {
  it.each(prefixes)('is linear behind %j', (prefix) => {
    for (const piece of PIECES) {
      const text = prefix + piece.repeat(Math.ceil((chars - prefix.length) / piece.length)).slice(0, chars);
      const tookMs = threadMs(() => {
        try {
          read(text);
        } catch {
          // Refusing it is just as good; only the time counts.
        }
      });
      expect(tookMs, `${prefix}${piece}…`).toBeLessThan(MAX_MS);
    }
  });
});

function ignore(): void {}
