/** The SDP of the synthetic camera (RFC 8866, RFC 6184 §8.2, RFC 3640 §4.1). */

import type { Clip } from './clip.ts';
import { AUDIO_PAYLOAD_TYPE, VIDEO_CLOCK_HZ, VIDEO_PAYLOAD_TYPE } from './rtp-templates.ts';

export function writeSessionDescription(clip: Clip): string {
  const profileLevelId = clip.sps.subarray(1, 4).toString('hex');
  const parameterSets = `${clip.sps.toString('base64')},${clip.pps.toString('base64')}`;
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=Sluice synthetic camera',
    'c=IN IP4 0.0.0.0',
    't=0 0',
    'a=control:*',
    'a=range:npt=now-',
    `m=video 0 RTP/AVP ${VIDEO_PAYLOAD_TYPE}`,
    `a=rtpmap:${VIDEO_PAYLOAD_TYPE} H264/${VIDEO_CLOCK_HZ}`,
    `a=fmtp:${VIDEO_PAYLOAD_TYPE} packetization-mode=1;profile-level-id=${profileLevelId};sprop-parameter-sets=${parameterSets}`,
    `a=framerate:${clip.fps}`,
    'a=control:video',
  ];
  if (clip.audio !== null) {
    const { sampleRateHz, channelCount, audioSpecificConfig } = clip.audio;
    const config = audioSpecificConfig.toString('hex');
    lines.push(
      `m=audio 0 RTP/AVP ${AUDIO_PAYLOAD_TYPE}`,
      `a=rtpmap:${AUDIO_PAYLOAD_TYPE} MPEG4-GENERIC/${sampleRateHz}/${channelCount}`,
      `a=fmtp:${AUDIO_PAYLOAD_TYPE} streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=${config}`,
      'a=control:audio',
    );
  }
  return `${lines.join('\r\n')}\r\n`;
}
