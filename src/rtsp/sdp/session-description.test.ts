import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { anyText } from '../../core/any-text-fixture.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  MAX_SDP_BYTES,
  MAX_SDP_FORMATS,
  MAX_SDP_LINES,
  MAX_SDP_MEDIA,
  parseSessionDescription,
} from './session-description.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

/** The body of a stored DESCRIBE response. */
function bodyOf(vendor: string): Buffer {
  const response = readFileSync(join(FIXTURES, `${vendor}_describe.txt`));
  return response.subarray(response.indexOf('\r\n\r\n') + 4);
}

const parse = (text: string) => parseSessionDescription(Buffer.from(text));

/** `video h264/90000 trackID=1` for each media section, which is what the camera files are about. */
function summary(body: Uint8Array): string[] {
  return parseSessionDescription(body).media.map(({ kind, formats, control, direction }) => {
    const [format] = formats;
    return `${kind} ${format?.payloadType} ${format?.encoding}/${format?.clockRateHz}/${format?.channelCount} ${direction} ${control}`;
  });
}

describe('a session description by', () => {
  it('Hikvision: absolute controls, static audio type, metadata', () => {
    const base = 'rtsp://192.168.1.64:554/Streaming/Channels/101/';
    expect(summary(bodyOf('hikvision'))).toEqual([
      `video 96 h264/90000/1 recvonly ${base}trackID=1`,
      `audio 8 pcma/8000/1 recvonly ${base}trackID=2`,
      `application 107 vnd.onvif.metadata/90000/1 recvonly ${base}trackID=3`,
    ]);
    const { control, name, media } = parseSessionDescription(bodyOf('hikvision'));
    expect({ control, name }).toEqual({ control: base, name: 'Media Presentation' });
    expect([...media[0]!.formats[0]!.fmtp]).toEqual([
      ['profile-level-id', '420029'],
      ['packetization-mode', '1'],
      ['sprop-parameter-sets', 'Z00AKpWoHgCJ+VA=,aO48gA=='],
    ]);
  });

  it('Dahua: relative controls, AAC without a channel count', () => {
    expect(summary(bodyOf('dahua'))).toEqual([
      'video 96 h264/90000/1 recvonly trackID=0',
      'audio 97 mpeg4-generic/48000/1 recvonly trackID=1',
      'application 107 vnd.onvif.metadata/90000/1 recvonly trackID=4',
    ]);
    expect(parseSessionDescription(bodyOf('dahua')).control).toBe('*');
  });

  it('Axis: controls with a query', () => {
    const base = 'rtsp://192.168.0.90/axis-media/media.amp';
    expect(summary(bodyOf('axis'))).toEqual([
      `video 96 h264/90000/1 recvonly ${base}/stream=0?videocodec=h264&audio=1`,
      `audio 97 mpeg4-generic/16000/1 recvonly ${base}/stream=1?videocodec=h264&audio=1`,
    ]);
  });

  it('Bosch: a payload type of the static range with an rtpmap, and one without', () => {
    const [video, audio, metadata] = summary(bodyOf('bosch'));
    expect(video).toMatch(/^video 35 h264\/90000\/1 /);
    expect(audio).toMatch(/^audio 0 pcmu\/8000\/1 /);
    expect(metadata).toMatch(/^application 98 vnd.onvif.metadata\/90000\/1 /);
    const fmtp = parseSessionDescription(bodyOf('bosch')).media[0]!.formats[0]!.fmtp;
    expect(fmtp.get('sprop-parameter-sets')).toMatch(/,aO44gA==$/);
  });

  it('Amcrest: H.265 and a backchannel', () => {
    expect(summary(bodyOf('amcrest'))).toEqual([
      'video 98 h265/90000/1 recvonly trackID=0',
      'audio 97 mpeg4-generic/64000/1 recvonly trackID=1',
      'audio 8 pcma/8000/1 sendonly trackID=5',
    ]);
  });

  it('Reolink: parameters that continue after a semicolon', () => {
    expect(summary(bodyOf('reolink'))).toEqual([
      'video 96 h264/90000/1 sendrecv trackID=1',
      'audio 97 mpeg4-generic/16000/1 sendrecv trackID=2',
    ]);
    const fmtp = parseSessionDescription(bodyOf('reolink')).media[1]!.formats[0]!.fmtp;
    expect([fmtp.get('config'), fmtp.get('profile'), fmtp.has('')]).toEqual(['1408', '1', false]);
  });

  it('Uniview: no timing, a space within the parameter sets, spaces between parameters', () => {
    const { media } = parseSessionDescription(bodyOf('uniview'));
    const sets = 'Z2QAKK2EAQwgCGEAQwgCGEAQwgCEO1A8ARPyzcBAQFAAAD6AAAw1CEA=,aO4xshs=';
    expect(media[0]!.formats[0]!.fmtp.get('sprop-parameter-sets')).toBe(sets);
    expect([...media[2]!.formats[0]!.fmtp]).toEqual([
      ['decodertag', 'h3c-v3'],
      ['rtcp', '0'],
    ]);
  });

  it('a nameless firmware: LF, upper case, a missing semicolon, its whole string buffer', () => {
    expect(summary(bodyOf('noname'))).toEqual([
      'video 96 h264/90000/1 sendrecv track1',
      'audio 104 mpeg4-generic/8000/1 sendrecv track2',
    ]);
    expect([...parseSessionDescription(bodyOf('noname')).media[0]!.formats[0]!.fmtp]).toEqual([
      ['packetization-mode', '1'],
      ['profile-level-id', '42E01F'],
      ['sprop-parameter-sets', 'Z0LgH9oBQBbsBEAAAAMAQAAADIPGDKg=,aM48gA=='],
    ]);
  });
});

describe('parseSessionDescription', () => {
  it.each([
    ['static video', 'm=video 0 RTP/AVP 26', 'jpeg', 90_000],
    ['no clock', 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264', 'h264', 90_000],
    ['no rtpmap, H.264 parameters', 'm=video 0 RTP/AVP 96\na=fmtp:96 packetization-mode=1', 'h264', 90_000],
    ['no rtpmap, H.265 parameters', 'm=video 0 RTP/AVP 96\na=fmtp:96 sprop-vps=QA==', 'h265', 90_000],
    ['no rtpmap, nothing', 'm=audio 0 RTP/AVP 97', '', 8_000],
    ['clock 0', 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/0', 'h264', 90_000],
  ])('reads a format with %s', (_, text, encoding, clockRateHz) => {
    expect(parse(text).media[0]!.formats[0]).toMatchObject({ encoding, clockRateHz });
  });

  it('keeps formats in order and ignores attributes of other formats', () => {
    const { media } = parse(
      'm=video 5004/2 RTP/AVP 97 x 96 400\na=rtpmap:96 H264/90000\na=rtpmap:97 H265/90000\na=rtpmap:99 VP8/90000\na=fmtp:99 a=b',
    );
    expect(media[0]!.formats.map(({ payloadType, encoding }) => [payloadType, encoding])).toEqual([
      [97, 'h265'],
      [96, 'h264'],
    ]);
  });

  it('finds the parameters of the video in the audio section (go2rtc TestBugSDP2)', () => {
    const { media } = parse(
      [
        'v=0',
        'm=video 0 RTP/AVP 96',
        'a=rtpmap:96 H264/90000',
        'm=audio 0 RTP/AVP 8',
        'a=rtpmap:0 pcma/8000/1',
        'a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0IAH5WoFAFuQA==,aM48gA==',
      ].join('\n'),
    );
    expect([...media[0]!.formats[0]!.fmtp]).toEqual([
      ['packetization-mode', '1'],
      ['sprop-parameter-sets', 'Z0IAH5WoFAFuQA==,aM48gA=='],
    ]);
    expect(media[1]!.formats[0]).toMatchObject({ encoding: 'pcma', fmtp: new Map() });
  });

  it('ignores parameters that could belong to several other sections or that their own section has', () => {
    const video = 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\n';
    const ambiguous = parse(`${video}${video}m=audio 0 RTP/AVP 8\na=fmtp:96 packetization-mode=1`);
    expect(ambiguous.media.map(({ formats }) => formats[0]!.fmtp.size)).toEqual([0, 0, 0]);
    const own = parse(`${video}m=audio 0 RTP/AVP 96\na=rtpmap:96 OPUS/48000/2\na=fmtp:96 stereo=1`);
    expect(own.media.map(({ formats }) => formats[0]!.fmtp.size)).toEqual([0, 1]);
  });

  it('does not take a session control or name from a media section', () => {
    expect(parse('s= \nm=video 0 RTP/AVP 96\na=control:x')).toMatchObject({ name: null, control: null });
  });

  it.each([
    ['nothing', ''],
    ['a web page', '<html><body>Not found</body></html>'],
    ['zeros', '\0\0\0v=0'],
  ])('refuses %s', (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'SDP_INVALID' }));
  });

  it.each([
    ['bytes', `v=0\r\ns=${'x'.repeat(MAX_SDP_BYTES)}`],
    ['lines', 'v=0\n'.repeat(MAX_SDP_LINES + 1)],
    ['media', 'm=video 0 RTP/AVP 96\n'.repeat(MAX_SDP_MEDIA + 1)],
    ['formats', `m=video 0 RTP/AVP${' 96'.repeat(MAX_SDP_FORMATS + 1)}`],
  ])('limits %s', (limit, text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'SDP_TOO_LARGE', context: expect.objectContaining({ limit }) }),
    );
  });

  it('reads every camera truncated at every length, or rejects it with a code', () => {
    for (const file of readdirSync(FIXTURES)) {
      const body = bodyOf(file.replace('_describe.txt', ''));
      const whole = parseSessionDescription(body).media.length;
      for (let length = 0; length < body.length; length++) {
        expect(mediaCount(body.subarray(0, length))).toBeLessThanOrEqual(whole);
      }
    }
  });

  it('throws only its own codes', () => {
    const line = fc.tuple(
      fc.constantFrom(
        'v=',
        'm=',
        'a=',
        'a=rtpmap:',
        'a=fmtp:96 ',
        'a=control:',
        's=',
        'm=video 0 RTP/AVP ',
        '',
      ),
      anyText(),
    );
    const text = fc.array(line.map((parts) => parts.join(''))).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, (sdp) => mediaCount(Buffer.from(sdp)) <= MAX_SDP_MEDIA),
      randomRuns(3_000),
    );
  });
});

/** -1 when rejected with a code; any other exception propagates. */
function mediaCount(body: Uint8Array): number {
  try {
    return parseSessionDescription(body).media.length;
  } catch (error) {
    if (error instanceof GatewayError && error.code.startsWith('SDP_')) return -1;
    throw error;
  }
}

describe('the size of pictures', () => {
  it.each([
    ['x-dimensions:2592,1944', { widthPx: 2_592, heightPx: 1_944 }],
    ['x-dimensions: 2592, 1944', { widthPx: 2_592, heightPx: 1_944 }],
    ['framesize:26 2592-1944', { widthPx: 2_592, heightPx: 1_944 }],
    ['x-dimensions:0,1944', undefined],
    ['x-dimensions:99999,1944', undefined],
    ['x-dimensions:large', undefined],
    ['framerate:25', undefined],
  ])('%s', (attribute, size) => {
    const body = Buffer.from(`m=video 0 RTP/AVP 26\na=${attribute}\n`);
    expect(parseSessionDescription(body).media[0]!.formats[0]!.frameSize).toEqual(size);
  });
});
