import './page-address-fixture.ts';
import { expect, test } from 'vitest';
import type { OnvifResponse, UrlTemplate } from './camera-adding.ts';
import type { KnownCamera } from './camera-csv.ts';
import {
  EMPTY_RECORDER,
  isAddable,
  onvifRecorder,
  templateRecorder,
  withKnown,
  withoutLogin,
} from './recorder-channels.ts';

const profile = (profileToken: string, substreamUrl?: string) => ({
  profileToken,
  codec: 'h265',
  width: 3_840,
  height: 2_160,
  mainUrl: `rtsp://192.0.2.20/${profileToken}`,
  ...(substreamUrl === undefined ? {} : { substreamUrl }),
});
const ANSWER = {
  found: true,
  loginRefused: false,
  manufacturer: 'Example',
  model: 'NVR-16',
  onvifUrl: 'http://192.0.2.20/onvif/device_service',
  profiles: [profile('m1', 'rtsp://192.0.2.20/s1'), profile('m2'), profile('m3')],
  channels: [
    { sourceToken: '1', name: 'Dock', profileToken: 'm1' },
    { sourceToken: '2', profileToken: 'm2', cameraUuid: 'known' },
    { sourceToken: '3', profileToken: 'm3' },
    { sourceToken: '4', name: 'Gate' },
  ],
} as unknown as OnvifResponse;
const LOGIN = { username: 'admin', password: 'p@ss' };

test('channels are named by the device, paired, chosen if new, and recognized if known', () => {
  const { name, channels } = onvifRecorder(ANSWER, { address: '192.0.2.20', login: LOGIN }, null);
  expect(name).toBe('Example NVR-16');
  expect(channels.map(({ name: of, isChosen, step }) => [of, isChosen, step.kind])).toEqual([
    ['Dock', true, 'waiting'],
    ['Example NVR-16 2', false, 'known'],
    ['Example NVR-16 3', true, 'waiting'],
    ['Gate', false, 'failed'],
  ]);
  expect(channels[0]!.source).toEqual({
    mainUrl: 'rtsp://192.0.2.20/m1',
    substreamUrl: 'rtsp://192.0.2.20/s1',
    onvifUrl: 'http://192.0.2.20/onvif/device_service',
    ...LOGIN,
  });
  expect(channels.map(({ streams }) => streams)).toEqual([
    '3840 × 2160, H265, with substream',
    '3840 × 2160, H265, no substream',
    '3840 × 2160, H265, no substream',
    '',
  ]);
  expect(channels.filter(isAddable).map(({ number }) => number)).toEqual([1, 3]);
});

test('a refused login is not tried on further channels', () => {
  const { channels } = onvifRecorder(ANSWER, { address: '192.0.2.20', login: LOGIN }, null);
  const [first, ...others] = channels;
  const failed = { ...first!, step: { kind: 'failed', sentence: 'Wrong.', isLogin: true } } as const;
  const after = withoutLogin([failed, ...others]);
  expect(after.map(({ step }) => step.kind)).toEqual(['failed', 'known', 'failed', 'failed']);
  expect(after[2]!.step).toMatchObject({ isLogin: true });
  expect(after[2]!.isChosen).toBe(false);
});

test('without ONVIF, a vendor’s template gives the addresses', () => {
  const template = {
    vendor: 'hikvision',
    name: 'Hikvision (also Annke)',
    scheme: 'rtsp',
    port: 554,
    mainPath: '/Streaming/Channels/{channel}01',
    substreamPath: '/Streaming/Channels/{channel}02',
  } satisfies UrlTemplate;
  const draft = { ...EMPTY_RECORDER, address: ' 192.0.2.20:8554 ', count: '3', login: LOGIN };
  const { name, channels } = templateRecorder(draft, template);
  expect(name).toBe('Hikvision 192.0.2.20');
  expect(channels).toHaveLength(3);
  expect(channels[2]).toMatchObject({
    name: 'Hikvision 192.0.2.20 3',
    source: {
      mainUrl: 'rtsp://192.0.2.20:8554/Streaming/Channels/301',
      substreamUrl: 'rtsp://192.0.2.20:8554/Streaming/Channels/302',
      ...LOGIN,
    },
  });
  expect(templateRecorder({ ...draft, count: '999' }, template).channels).toHaveLength(64);

  const mainUrl = 'rtsp://192.0.2.20:8554/Streaming/Channels/201';
  const known = { uuid: 'known', nvrUuid: 'core', source: { mainUrl } } as KnownCamera;
  const again = withKnown({ name, nvrUuid: '', channels }, [known]);
  expect(again.nvrUuid).toBe('core');
  expect(again.channels.map(({ isChosen, step }) => [isChosen, step.kind])).toEqual([
    [true, 'waiting'],
    [false, 'known'],
    [true, 'waiting'],
  ]);
});
