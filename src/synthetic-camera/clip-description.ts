/** The session description of a clip. RFC 8866; RFC 6184 §8.2.1; RFC 7798 §7.2; RFC 3640 §4.1. */

import { encodeSpropParameterSets } from '../codec/sprop-parameter-sets.ts';
import type { Clip } from './clip.ts';
import {
  AUDIO_PAYLOAD_TYPE,
  PCMU_PAYLOAD_TYPE,
  VIDEO_CLOCK_RATE_HZ,
  VIDEO_PAYLOAD_TYPE,
} from './clip-packets.ts';

/** `a=control` of a track: 0 is the video, 1 the audio. */
export function trackControl(trackIndex: number): string {
  return `trackID=${trackIndex}`;
}

export function describeClip(clip: Clip, host: string): string {
  const family = host.includes(':') ? 'IP6' : 'IP4';
  const lines = [
    'v=0',
    `o=- 1 1 IN ${family} ${host}`,
    's=Synthetic camera',
    `c=IN ${family} ${family === 'IP6' ? '::' : '0.0.0.0'}`,
    't=0 0',
    'a=control:*',
    'a=range:npt=now-',
    `m=video 0 RTP/AVP ${VIDEO_PAYLOAD_TYPE}`,
    `a=rtpmap:${VIDEO_PAYLOAD_TYPE} ${clip.vps === undefined ? 'H264' : 'H265'}/${VIDEO_CLOCK_RATE_HZ}`,
    `a=fmtp:${VIDEO_PAYLOAD_TYPE} ${videoParameters(clip)}`,
    `a=framerate:${clip.fps}`,
    `a=control:${trackControl(0)}`,
  ];
  if (clip.audio !== null && 'encoding' in clip.audio) {
    lines.push(
      `m=audio 0 RTP/AVP ${PCMU_PAYLOAD_TYPE}`,
      `a=rtpmap:${PCMU_PAYLOAD_TYPE} PCMU/${clip.audio.sampleRateHz}`,
      `a=control:${trackControl(1)}`,
    );
  } else if (clip.audio !== null) {
    const { sampleRateHz, channelCount, audioSpecificConfig } = clip.audio;
    const config = Buffer.from(audioSpecificConfig).toString('hex');
    lines.push(
      `m=audio 0 RTP/AVP ${AUDIO_PAYLOAD_TYPE}`,
      `a=rtpmap:${AUDIO_PAYLOAD_TYPE} mpeg4-generic/${sampleRateHz}/${channelCount}`,
      `a=fmtp:${AUDIO_PAYLOAD_TYPE} streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=${config}`,
      `a=control:${trackControl(1)}`,
    );
  }
  return `${lines.join('\r\n')}\r\n`;
}

function videoParameters({ vps, sps, pps }: Clip): string {
  if (vps !== undefined) {
    const [vpsText, spsText, ppsText] = [vps, sps, pps].map((nalu) => encodeSpropParameterSets([nalu]));
    return `sprop-vps=${vpsText};sprop-sps=${spsText};sprop-pps=${ppsText}`;
  }
  const profile = Buffer.from(sps.subarray(1, 4)).toString('hex').toUpperCase();
  return `packetization-mode=1;profile-level-id=${profile};sprop-parameter-sets=${encodeSpropParameterSets([sps, pps])}`;
}
