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
      skipped: ['video h265 unsupported', 'audio pcma backchannel'],
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

  const PCMU = 'm=audio 0 RTP/AVP 0\na=control:mic\n';
  const isPcmu = (format: { encoding: string }) => (format.encoding === 'pcmu' ? 'coded-sound' : null);
  const withPcmu = (text: string) => {
    const { audio, skipped } = selectTracks(parseSessionDescription(Buffer.from(text)), isPcmu);
    return [audio?.encoding, audio?.control, ...skipped.map(({ reason }) => reason)];
  };

  it.each([
    ['takes what can be transcoded', `${VIDEO}${PCMU}`, ['coded-sound', 'mic']],
    [
      'prefers AAC, whatever its position',
      `${VIDEO}${PCMU}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 config=1408\na=control:aac`,
      ['aac', 'aac', 'unsupported'],
    ],
    [
      'takes the microphone and not the talk-back (ONVIF)',
      `${VIDEO}a=recvonly\nm=audio 0 RTP/AVP 0\na=control:talk\na=sendonly\n${PCMU}a=recvonly\n`,
      ['coded-sound', 'mic', 'backchannel'],
    ],
    [
      'takes the microphone of a camera that marks everything it sends as sendonly (RFC 8866)',
      `${VIDEO}a=sendonly\n${PCMU}a=sendonly\nm=audio 0 RTP/AVP 0\na=control:talk\na=recvonly\n`,
      ['coded-sound', 'mic', 'backchannel'],
    ],
    ['ignores a talk-back', `${VIDEO}${PCMU}a=sendonly\n`, [undefined, undefined, 'backchannel']],
    ['ignores inactive audio', `${VIDEO}${PCMU}a=inactive\n`, [undefined, undefined, 'inactive']],
    [
      'an AAC talk-back does not keep out the microphone',
      `${VIDEO}${PCMU}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 config=1408\na=sendonly`,
      ['coded-sound', 'mic', 'backchannel'],
    ],
  ])('%s', (_title, text, expected) => {
    expect(withPcmu(text)).toEqual(expected);
  });

  it.each(['AAC_hbr', 'aac-HBR'])(
    'takes AAC with the mode spelled %s (AVOIP, mediamtx issue 4183)',
    (mode) => {
      const { audio } = sdp(
        `${VIDEO}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 mode=${mode};config=1408\na=control:a`,
      );
      expect(audio).toBe('a');
    },
  );

  it('skips unknown formats and interleaved packetization', () => {
    const formats =
      'm=video 0 RTP/AVP 98 97 96\na=rtpmap:98 H265/90000\na=rtpmap:97 H264/90000\na=fmtp:97 packetization-mode=2\n';
    const selection = selectTracks(parseSessionDescription(Buffer.from(`${formats}a=rtpmap:96 H264/90000`)));
    expect(selection.video?.format.payloadType).toBe(96);
  });
});
