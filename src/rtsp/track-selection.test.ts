import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSessionDescription } from './sdp/session-description.ts';
import { isPlayable, isUnwantedSound, selectTracks } from './track-selection.ts';

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
  selectionOf(readFileSync(join(import.meta.dirname, `sdp/fixtures/${vendor}_describe.txt`)));
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

  it('takes H.265 (Amcrest)', () => {
    expect(camera('amcrest')).toEqual({
      video: 'trackID=0',
      audio: 'trackID=1',
      skipped: ['audio pcma backchannel'],
    });
  });

  it.each([
    ['H.265', 'H265/90000', '', 'h265'],
    ['HEVC', 'hevc/90000', '', 'h265'],
    [
      'H.264 with the parameter sets of another stream (mediamtx issue 2348)',
      'H264/90000',
      'packetization-mode=1;sprop-parameter-sets=QgEBAWAAAAMAAAMAAAMAAAMAuqAB,RAHA8oSJAzJA',
      'h264',
    ],
    ['H.264', 'H264/90000', 'sprop-parameter-sets=Z2QADay0Cg/YCIAAAAMAgAAAGQeKFVA=,aO8Pyw==', 'h264'],
  ])('recognizes %s', (_title, rtpmap, fmtp, encoding) => {
    const text = `m=video 0 RTP/AVP 96\na=rtpmap:96 ${rtpmap}\na=fmtp:96 ${fmtp}\n`;
    const selection = selectTracks(parseSessionDescription(Buffer.from(text)));
    expect(selection.video?.encoding).toBe(encoding);
  });

  it('takes the first video, whatever it is', () => {
    const text = `m=video 0 RTP/AVP 98\na=rtpmap:98 H265/90000\n${VIDEO}`;
    const selection = selectTracks(parseSessionDescription(Buffer.from(text)));
    expect(selection.video?.encoding).toBe('h265');
    expect(selection.skipped).toMatchObject([{ encodings: ['h264'], reason: 'surplus' }]);
  });

  it.each([
    ['a second video', `${VIDEO}${VIDEO}`, ['video h264 surplus']],
    [
      'a backchannel',
      `${VIDEO}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 mode=AAC-hbr;config=1408\na=sendonly`,
      ['audio mpeg4-generic backchannel'],
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
    const { audio, skipped } = selectTracks(parseSessionDescription(Buffer.from(text)), {
      otherSoundOf: isPcmu,
    });
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

  it.each([
    ['AAC-lbr (RFC 3640 §3.3.5)', 'mode=AAC-lbr;sizelength=6;indexlength=2;indexdeltalength=2', 'a'],
    ['generic with the lengths of its headers (§4.1)', 'mode=generic;sizelength=13;indexlength=3', 'a'],
    ['no generic without them', 'mode=generic', null],
    ['no CELP', 'mode=CELP-vbr', null],
  ])('takes %s', (_title, fields, control) => {
    const { audio } = sdp(`${VIDEO}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 ${fields};config=1408\na=control:a`);
    expect(audio).toBe(control);
  });

  it('sets up no audio of a camera that is to be silent', () => {
    const text = `${VIDEO}${PCMU}m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 config=1408`;
    const selection = selectTracks(parseSessionDescription(Buffer.from(text)), {
      otherSoundOf: isPcmu,
      isSilent: true,
    });
    expect(selection.audio).toBeNull();
    expect(selection.skipped.map(({ reason }) => reason)).toEqual(['unwanted', 'unwanted']);
  });

  it('skips unknown formats and interleaved packetization', () => {
    const formats =
      'm=video 0 RTP/AVP 98 97 96\na=rtpmap:98 JPEG2000/90000\na=rtpmap:97 H264/90000\na=fmtp:97 packetization-mode=2\n';
    const selection = selectTracks(parseSessionDescription(Buffer.from(`${formats}a=rtpmap:96 H264/90000`)));
    expect(selection.video?.format.payloadType).toBe(96);
  });
});

describe('Motion JPEG', () => {
  const jpeg = 'm=video 0 RTP/AVP 26\n';
  const h264 = 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\n';
  const chosen = (text: string, carriesJpeg = true) => {
    const { video, skipped } = selectTracks(parseSessionDescription(Buffer.from(`v=0\n${text}`)), {
      carriesJpeg,
    });
    return [video?.encoding ?? null, skipped.map(({ encodings, reason }) => `${encodings} ${reason}`)];
  };

  it('is used if there is no better video, and someone carries it', () => {
    expect(chosen(jpeg)).toEqual(['jpeg', []]);
    expect(chosen(jpeg, false)).toEqual([null, ['jpeg unsupported']]);
    expect(chosen(`${jpeg}${h264}`)).toEqual(['h264', ['jpeg surplus']]);
    expect(chosen(`${h264}${jpeg}`)).toEqual(['h264', ['jpeg surplus']]);
    expect(chosen(`${jpeg}${jpeg}`)).toEqual(['jpeg', ['jpeg surplus']]);
  });

  it('is not preferred within one description of both', () => {
    expect(chosen('m=video 0 RTP/AVP 26 96\na=rtpmap:96 H264/90000\n')).toEqual(['h264', []]);
  });
});

describe('a description without video', () => {
  const SOUND = `m=audio 0 RTP/AVP 97\n${AAC}a=fmtp:97 mode=AAC-hbr;config=1408;sizelength=13\na=control:a\n`;
  const select = (text: string, isSilent = false) =>
    selectTracks(parseSessionDescription(Buffer.from(text)), { isSilent });

  it('is played for its sound', () => {
    expect(isPlayable(select(SOUND))).toBe(true);
    expect(
      isPlayable(select(`${SOUND}m=application 0 RTP/AVP 98\na=rtpmap:98 vnd.onvif.metadata/90000\n`)),
    ).toBe(true);
  });

  it('is not, if its sound cannot be carried or is not wanted', () => {
    expect(isPlayable(select('m=audio 0 RTP/AVP 18\n'))).toBe(false);
    expect([isPlayable(select(SOUND, true)), isUnwantedSound(select(SOUND, true))]).toEqual([false, true]);
  });

  it('is not one whose video cannot be carried', () => {
    const jpeg = select(`m=video 0 RTP/AVP 26\n${SOUND}`);
    expect([isPlayable(jpeg), jpeg.audio?.control]).toEqual([false, 'a']);
    const silenced = select(`m=video 0 RTP/AVP 26\n${SOUND}`, true);
    expect([isPlayable(silenced), isUnwantedSound(silenced)]).toEqual([false, false]);
  });

  it('whose sound is sendonly is a microphone that takes its own point of view, not a loudspeaker', () => {
    expect(isPlayable(select(`${SOUND}a=sendonly\n`))).toBe(true);
    expect(isPlayable(select(`${SOUND}a=recvonly\n`))).toBe(true);
    const both = select(`${SOUND}a=recvonly\n${SOUND.replace('control:a', 'control:back')}a=sendonly\n`);
    expect([both.audio?.control, both.skipped[0]?.reason]).toEqual(['a', 'backchannel']);
  });
});
