/** Session descriptions that public projects keep as tests, and what becomes of their audio. Each names its source. */

import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { parseSessionDescription } from '../../rtsp/sdp/session-description.ts';
import { selectTracks } from '../../rtsp/track-selection.ts';
import { CameraSoundPaths } from './camera-sound.ts';
import type { SoundPath, SoundPaths } from './sound-path.ts';

const NO_EVENTS = { onUnit: () => undefined, onWaiting: () => undefined };
const VIDEO = 'm=video 0 RTP/AVP 98\r\na=rtpmap:98 H264/90000\r\na=control:v\r\n';

/** Takes everything. */
const WORKER: SoundPaths = { carries: () => true, open: () => 'worker' as unknown as SoundPath };

/** Codec, rate and channels of the track that viewers get; `worker`, or null. */
function carriedAs(audio: string, worker: SoundPaths | null = null): unknown {
  const paths = new CameraSoundPaths(new FakeClock(), worker);
  const description = parseSessionDescription(Buffer.from(VIDEO + audio.replaceAll('\n', '\r\n')));
  const selection = selectTracks(description, {
    otherSoundOf: (format) => (paths.carries(format) ? 'coded-sound' : null),
  });
  if (selection.audio === null) return null;
  if (selection.audio.encoding !== 'coded-sound') return selection.audio.encoding;
  const path = paths.open(selection.audio.format, NO_EVENTS);
  if ((path as unknown) === 'worker') return 'worker';
  const { codec, sampleRateHz, channelCount } = path.track;
  return [codec, sampleRateHz, channelCount];
}

describe('audio of known session descriptions', () => {
  it.each<[string, string, unknown]>([
    ['PCMU of type 0 without rtpmap (RFC 3551 table 4)', 'm=audio 0 RTP/AVP 0\n', ['flac', 8_000, 1]],
    ['PCMA of type 8 without rtpmap (RFC 3551 table 4)', 'm=audio 0 RTP/AVP 8\n', ['flac', 8_000, 1]],
    ['L16 of type 10 without rtpmap (RFC 3551 table 4)', 'm=audio 0 RTP/AVP 10\n', ['flac', 44_100, 2]],
    ['L16 of type 11 without rtpmap (RFC 3551 table 4)', 'm=audio 0 RTP/AVP 11\n', ['flac', 44_100, 1]],
    [
      'PCMA/16000/2 with a dynamic type (gortsplib format_test)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 PCMA/16000/2\n',
      ['flac', 16_000, 2],
    ],
    [
      'PCMU/16000/2 with a dynamic type (gortsplib format_test)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 PCMU/16000/2\n',
      ['flac', 16_000, 2],
    ],
    [
      'L16/44100/2 with a dynamic type (gortsplib format_test)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 L16/44100/2\n',
      ['flac', 44_100, 2],
    ],
    [
      'L8/48000/2 (gortsplib format_test)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 L8/48000/2\n',
      ['flac', 48_000, 2],
    ],
    ...['G726-16', 'G726-24', 'G726-32', 'G726-40', 'AAL2-G726-16', 'AAL2-G726-32', 'AAL2-G726-40'].map(
      (name): [string, string, unknown] => [
        `${name} (gortsplib format_test)`,
        `m=audio 0 RTP/AVP 97\na=rtpmap:97 ${name}/8000\n`,
        ['flac', 8_000, 1],
      ],
    ),
    [
      'surround Opus, which is another format (gortsplib format_test, "opus 5.1")',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 multiopus/48000/6\na=fmtp:96 num_streams=4;coupled_streams=2;channel_mapping=0,4,1,2,3,5\n',
      null,
    ],
    [
      'mono Opus (gortsplib format_test)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 opus/48000/2\na=fmtp:96 sprop-stereo=0\n',
      ['opus', 48_000, 1],
    ],
    [
      'type 8 mapped to PCMU: the rtpmap wins (retina gw_main_describe)',
      'm=audio 0 RTP/AVP 8\na=rtpmap:8 PCMU/8000\na=control:a\n',
      ['flac', 8_000, 1],
    ],
    [
      'Opus whose fmtp is empty (retina ubiquiti_sdp)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 opus/48000/2\na=fmtp:96 \n',
      ['opus', 48_000, 2],
    ],
    [
      'AAC and Opus, both of type 96 (retina ubiquiti_sdp)',
      'm=audio 0 RTP/AVP 96\na=rtpmap:96 mpeg4-generic/16000/1\na=fmtp:96 profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=1408\n' +
        'm=audio 0 RTP/AVP 96\na=rtpmap:96 opus/48000/2\na=fmtp:96 \n',
      'aac',
    ],
    [
      'type 0 mapped twice (go2rtc TestBugSDP7)',
      'm=audio 0 RTP/AVP 0\na=rtpmap:0 PCMU/8000\na=rtpmap:0 PCMU/8000/1\n',
      ['flac', 8_000, 1],
    ],
    [
      'type 11 mapped to PCM/48000 (go2rtc TestHikvisionPCM)',
      'm=audio 0 RTP/AVP 11\na=rtpmap:11 PCM/48000\n',
      ['flac', 48_000, 1],
    ],
    ['G.722, which needs a worker', 'm=audio 0 RTP/AVP 9\n', null],
    ['eight channels, which need a worker', 'm=audio 0 RTP/AVP 96\na=rtpmap:96 L16/48000/8\n', null],
    ['a rate that not all browsers play', 'm=audio 0 RTP/AVP 96\na=rtpmap:96 L16/96000\n', null],
  ])('%s', (_title, audio, expected) => {
    expect(carriedAs(audio)).toEqual(expected);
  });

  it.each([
    ['G.722', 'm=audio 0 RTP/AVP 9\n', 'worker'],
    ['MPEG audio', 'm=audio 0 RTP/AVP 14\n', 'worker'],
    ['eight channels', 'm=audio 0 RTP/AVP 96\na=rtpmap:96 L16/48000/8\n', 'worker'],
    ['G.711, which does not need it', 'm=audio 0 RTP/AVP 0\n', ['flac', 8_000, 1]],
  ])('a worker takes %s', (_title, audio, expected) => {
    expect(carriedAs(audio, WORKER)).toEqual(expected);
  });
});
