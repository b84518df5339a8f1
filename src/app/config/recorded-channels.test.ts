import { describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { findProblems } from './find-problems.ts';
import { parseConfig } from './load-config.ts';
import { recordedChannels } from './recorded-channels.ts';

const ORG = newRuuid();

function channelsOf(text: string) {
  const config = parseConfig(`data: /tmp/none\n${text}`, 'sluice.yaml', {});
  return recordedChannels(config, ORG).map(({ recorder, rtspUrl, httpUrl, channel }) => ({
    kind: recorder.kind,
    rtsp: rtspUrl.reveal(),
    http: httpUrl.reveal(),
    channel,
  }));
}

describe('cameras whose NVR is shown', () => {
  it('have the channel, the host, and the login of their live stream', () => {
    const text = `
nvrs:
  - { name: Core, playback: hikvision }
  - { name: Attic }
cameras:
  - { name: A, nvr: Core, rtsp: "rtsp://u:p%23@192.0.2.20:8554/Streaming/Channels/1201" }
  - { name: B, nvr: Attic, rtsp: "rtsp://192.0.2.21/x" }
  - { name: C, rtsp: "rtsp://192.0.2.22/x" }
`;
    expect(channelsOf(text)).toEqual([
      {
        kind: 'hikvision',
        rtsp: 'rtsp://u:p%23@192.0.2.20:8554/Streaming/Channels/1201',
        http: 'http://u:p%23@192.0.2.20/',
        channel: 12,
      },
    ]);
  });

  it('that are read without it have its servers and their channel on it', () => {
    const text = `
nvrs:
  - { name: Core, playback: dahua, playbackUrl: "http://a:b@192.0.2.20:8080", playbackRtsp: "rtsp://a:b@192.0.2.20" }
cameras:
  - { name: A, nvr: Core, rtsp: "rtsp://192.0.2.30/live", playbackChannel: 4 }
  - { name: B, nvr: Core, publishKey: a-random-key-of-at-least-20-characters }
`;
    expect(channelsOf(text)).toMatchObject([
      { rtsp: 'rtsp://a:b@192.0.2.20/live', http: 'http://a:b@192.0.2.20:8080/', channel: 4 },
      { rtsp: 'rtsp://a:b@192.0.2.20', channel: 1 },
    ]);
  });

  it('have the channel that the query of a Dahua names', () => {
    const text = `
nvrs: [{ name: Core, playback: dahua }]
cameras: [{ name: A, nvr: Core, rtsp: "rtsp://192.0.2.20/cam/realmonitor?channel=7&subtype=0" }]
`;
    expect(channelsOf(text)).toMatchObject([{ channel: 7 }]);
  });

  it('need an RTSP server of the NVR, and the error says which camera has none', () => {
    const text = `
nvrs: [{ name: Core, playback: onvif }]
cameras: [{ name: A, nvr: Core, publishKey: a-random-key-of-at-least-20-characters }]
`;
    const { findings } = findProblems(text, 'sluice.yaml', {});
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      'nvrs[0].playbackRtsp: is needed, because cameras[0] has no rtsp:// URL of the NVR.',
    ]);
  });
});
