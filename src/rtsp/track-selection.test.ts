import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSessionDescription } from '../sdp/session-description.ts';
import { selectTracks } from './track-selection.ts';

function selectionOf(body: Uint8Array): { video: string | null; audio: string | null; skipped: string[] } {
  const { video, audio, skipped } = selectTracks(parseSessionDescription(body));
  return {
    video: video?.control ?? null,
    audio: audio?.control ?? null,
    skipped: skipped.map(({ kind, encodings, reason }) => `${kind} ${encodings.join('+')} ${reason}`),
  };
}

const sdp = (text: string) => selectionOf(Buffer.from(text));
const camera = (vendor: string) =>
  selectionOf(readFileSync(join(import.meta.dirname, `../sdp/fixtures/${vendor}_describe.txt`)));
const VIDEO = 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=control:v\n';
const AAC = 'a=rtpmap:97 mpeg4-generic/16000\n';

describe('selectTracks', () => {
  it('takes H.264 and AAC and skips the rest (Dahua)', () => {
    expect(camera('dahua')).toEqual({
      video: 'trackID=0',
      audio: 'trackID=1',
      skipped: ['application vnd.onvif.metadata unsupported'],
    });
  });

  it('names the audio it does not carry (Hikvision)', () => {
    expect(camera('hikvision').skipped).toEqual([
      'audio pcma unsupported',
      'application vnd.onvif.metadata unsupported',
    ]);
  });

  it('finds no video in H.265 (Amcrest)', () => {
    expect(camera('amcrest')).toEqual({
      video: null,
      audio: 'trackID=1',
      skipped: ['video h265 unsupported', 'audio pcma unsupported'],
    });
  });

  it.each([
    ['a second video', `${VIDEO}${VIDEO}`, ['video h264 surplus']],
    [
      'a backchannel',
      `${VIDEO}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 mode=AAC-hbr;config=1408\na=sendonly`,
      ['audio mpeg4-generic backchannel'],
    ],
    [
      'AAC of low bit rate',
      `${VIDEO}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 mode=AAC-lbr;config=1408`,
      ['audio mpeg4-generic unsupported'],
    ],
    [
      'AAC without configuration',
      `${VIDEO}m=audio 0 RTP/AVP 97\n${AAC}`,
      ['audio mpeg4-generic unsupported'],
    ],
    [
      'encrypted media',
      `${VIDEO}m=audio 0 RTP/SAVP 97\n${AAC}a=fmtp:97 config=1408`,
      ['audio mpeg4-generic unsupported'],
    ],
  ])('skips %s', (_, text, skipped) => {
    expect(sdp(text)).toEqual({ video: 'v', audio: null, skipped });
  });

  it('passes over a format it does not know, and interleaved packetisation', () => {
    const formats =
      'm=video 0 RTP/AVP 98 97 96\na=rtpmap:98 H265/90000\na=rtpmap:97 H264/90000\na=fmtp:97 packetization-mode=2\n';
    const selection = selectTracks(parseSessionDescription(Buffer.from(`${formats}a=rtpmap:96 H264/90000`)));
    expect(selection.video?.format.payloadType).toBe(96);
  });
});
