/** Converts session descriptions of H.265 cameras to the track that viewers get. */

import { expect, it } from 'vitest';
import { PPS, SPS, slice } from '../../rtp/h265/h265-camera-fixture.ts';
import {
  FRAME_TICKS,
  slice as h264Slice,
  RecordingReceiver,
  rtpPacket,
  SAMPLE_PPS,
  SAMPLE_SPS,
  SamplePackets,
} from '../../rtp/sample-stream-fixture.ts';
import { parseSessionDescription } from '../../rtsp/sdp/session-description.ts';
import { selectTracks } from '../../rtsp/track-selection.ts';

const AMCREST_SETS =
  'sprop-sps=QgEBAWAAAAMAsAAAAwAAAwBaoAWCAeFja5JFL83BQYFBAAADAAEAAAMADKE=;sprop-pps=RAHA8saNA7NA;sprop-vps=QAEMAf//AWAAAAMAsAAAAwAAAwBarAwAAAMABAAAAwAyqA==';

it.each([
  [
    'Dahua, with PCMA (retina dahua_describe_h265_pcma)',
    [
      'm=video 0 RTP/AVP 98',
      'a=control:trackID=0',
      'a=framerate:12.000000',
      'a=rtpmap:98 H265/90000',
      `a=fmtp:98 profile-id=1;${AMCREST_SETS}`,
      'a=recvonly',
      'm=audio 0 RTP/AVP 8',
      'a=control:trackID=1',
      'a=rtpmap:8 PCMA/8000',
      'a=recvonly',
    ],
    { widthPx: 704, heightPx: 480, nominalFrameRateHz: 12, codecString: 'hvc1.1.6.L90.B0' },
  ],
  [
    'TP-Link, with media that is none of the known kinds (retina tplink_sdp)',
    [
      'm=video 0 RTP/AVP 96',
      'a=control:track1',
      'a=rtpmap:96 H265/90000',
      'a=fmtp:96 profile-space=0;profile-id=1;tier-flag=0;level-id=150;interop-constraints=000000000000;sprop-vps=QAEMAf//AWAAAAMAAAMAAAMAAAMAlqwJ;sprop-sps=QgEBAWAAAAMAAAMAAAMAAAMAlqABQCAFof4qtO6JLuaAgA27oADN/mAE;sprop-pps=RAHAcvAbJA==',
      'm=audio 0 RTP/AVP 8',
      'a=rtpmap:8 PCMA/8000',
      'a=control:track2',
      'm=application/TP-LINK 0 RTP/AVP smart/1/90000',
      'a=rtpmap:95 TP-LINK/90000',
      'a=control:track3',
    ],
    { widthPx: 2560, heightPx: 1440, nominalFrameRateHz: 15, codecString: 'hvc1.1.6.L150' },
  ],
  [
    'Anjvision, with a packetization mode and a configuration (retina anjvision_describe)',
    [
      'm=video 0 RTP/AVP 96',
      'a=rtpmap:96 H265/90000',
      'a=control:trackID=1',
      'a=fmtp:96 packetization-mode=0;profile-space=0;profile-id=1;tier-flag=0;level-id=153;interop-constraints=000000000000;sprop-vps=QAEMAf//AUAAAAMAAAMAAAMAAAMAmawJ;sprop-sps=QgEBAUAAAAMAAAMAAAMAAAMAmaACgIAsH+Wu5Gwa5VE1BQYFAIA=;sprop-pps=RAHAc8BBgwk=;config=0000000140010c01',
      'a=x-dimensions: 1280, 720',
    ],
    { widthPx: 1280, heightPx: 704, codecString: 'hvc1.1.2.L153' },
  ],
  [
    'Tenda CP3PRO, whose size is in no other place (retina)',
    [
      'm=video 0 RTP/AVP 96',
      'a=rtpmap:96 H265/90000',
      'a=fmtp:96 profile-space=0;profile-id=1;tier-flag=0;level-id=63;interop-constraints=900000000000;sprop-vps=QAEMAf//AWAAAAMAkAAAAwAAAwA/LAwAAgAAAwAoAAIAAgACgA==;sprop-sps=QgEBAWAAAAMAkAAAAwAAAwA/oAUCAXFlLkkyS7I=;sprop-pps=RAHA8vAzJA==',
    ],
    { widthPx: 640, heightPx: 368, nominalFrameRateHz: 20, codecString: 'hvc1.1.6.L63.90' },
  ],
  [
    'sets with start codes (gortsplib "h265 annexb")',
    [
      'm=video 0 RTP/AVP 96',
      'a=rtpmap:96 H265/90000',
      'a=fmtp:96 sprop-vps=AAAAAUABDAH//wFgAAADAAADAAADAAADAJasCQ==; sprop-sps=AAAAAUIBAQFgAAADAAADAAADAAADAJagBaIB4WNrkkya5Zk=; sprop-pps=AAAAAUQB4HawJkA=',
    ],
    { widthPx: 720, heightPx: 480, nominalFrameRateHz: null, codecString: 'hvc1.1.6.L150' },
  ],
])('%s', (_name, lines, track) => {
  const text = ['v=0', 'o=- 1 1 IN IP4 0.0.0.0', 's=-', 't=0 0', ...lines, ''].join('\r\n');
  const { video } = selectTracks(parseSessionDescription(Buffer.from(text)));
  const { format, encoding } = video!;
  expect(encoding).toBe('h265');
  const { payloadType, clockRateHz, channelCount, fmtp } = format;
  const received = { payloadType, clockRateHz, channelCount, fmtp, ssrc: null, encoding: 'h265' } as const;
  const recorder = new RecordingReceiver({ tracks: [received] });
  recorder.feed([rtpPacket(payloadType, 1, 0, slice('idr', 'a'), true)]);
  recorder.feed([rtpPacket(payloadType, 2, 3_600, slice('reference', 'b'), true)]);
  expect(recorder.announced).toMatchObject([[{ codec: 'h265', ...track }]]);
  expect(recorder.dropped).toEqual([]);
});

it('H.264 with the H.265 sets of another stream waits for its own (mediamtx issue 2348)', () => {
  const sets = [SPS, PPS].map((set) => set.toString('base64')).join(',');
  const fmtp = `packetization-mode=1; profile-level-id=010101; sprop-parameter-sets=${sets}`;
  const text = `m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 ${fmtp}\r\n`;
  const { video } = selectTracks(parseSessionDescription(Buffer.from(text)));
  const { payloadType, clockRateHz, channelCount, fmtp: parameters } = video!.format;
  const received = { payloadType, clockRateHz, channelCount, fmtp: parameters, ssrc: null };
  const recorder = new RecordingReceiver({ tracks: [{ ...received, encoding: video!.encoding }] });
  const packets = new SamplePackets();
  recorder.feed(packets.picture(0, [h264Slice('idr', 'a')]));
  recorder.feed(packets.picture(FRAME_TICKS, [SAMPLE_SPS, SAMPLE_PPS, h264Slice('idr', 'b')]));
  recorder.feed(packets.picture(2 * FRAME_TICKS, [h264Slice('reference', 'c')]));
  expect(recorder.announced).toMatchObject([[{ codec: 'h264', widthPx: 320 }]]);
  expect(recorder.pictures).toEqual(['b', 'c']);
});
