import { expect, it } from 'vitest';
import type { CodedTrack } from '../codec/track.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { StartRequest } from '../ffmpeg/start-request.ts';
import type { WorkerSpec } from '../ffmpeg/worker.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { RtmpListener } from '../sources/rtmp/rtmp-listener.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import type { Camera } from '../store/entities.ts';
import { pushedAddress } from '../store/pushed-address.ts';
import { sampleCamera } from '../store/sample-entities-fixture.ts';
import type { HubCamera } from '../stream/hub.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { AddressRules } from './address-rules.ts';
import { CameraSources } from './camera-sources.ts';

const H265 = { kind: 'video', codec: 'h265', timescaleHz: 90_000, widthPx: 640, heightPx: 360 };
const G722 = { payloadType: 9, encoding: 'g722', clockRateHz: 8_000, channelCount: 1, fmtp: new Map() };
const nothing = () => undefined;
const events = { onTracks: nothing, onAccessUnit: nothing, onDropped: nothing, onEnded: nothing };

/** The requests to the pool, and the sound paths of a pushed camera. */
function setUp(): { requests: StartRequest[]; sources: CameraSources; sounds: SoundPaths[] } {
  const requests: StartRequest[] = [];
  const sounds: SoundPaths[] = [];
  const start = (_spec: WorkerSpec, _signal: AbortSignal, wanted: StartRequest) => {
    requests.push(wanted);
    return new Promise(nothing);
  };
  const binary = { path: '/ffmpeg', major: 5, isOutdated: false, protocols: new Set(['rtmp', 'tcp']) };
  const rtmp = {
    remove: nothing,
    put: (_uuid: Ruuid, _digest: string, sound: SoundPaths) => sounds.push(sound),
  };
  const networks = { of: () => [], operator: [] };
  const sources = new CameraSources({
    signingAnchors: '',
    pool: { isAllowed: true, start, startYielding: start } as unknown as WorkerPool,
    binary: binary as unknown as FfmpegBinary,
    rtmp: rtmp as unknown as RtmpListener,
    addressRules: new AddressRules({ undeclaredReach: 'anywhere', networks }),
    soundServers: null,
    clock: new FakeClock(),
    log: silentLog,
    cameraThreads: null,
    connectTimeoutMs: 1,
    silenceMs: 1,
  });
  return { requests, sources, sounds };
}

const WORKERS: [string, Partial<Camera>, (hubCamera: HubCamera, sounds: SoundPaths[]) => void][] = [
  ['that reads RTSP', { engine: 'ffmpeg' }, ({ main }) => main.open(new SourceSink(events))],
  [
    'that reads RTMP',
    { rtspUrl: new CredentialUrl('rtmp://192.0.2.1/live') },
    ({ main }) => main.open(new SourceSink(events)),
  ],
  [
    'for H.264',
    {},
    ({ compatible }) => {
      const feed = {
        attach: (reader: { onTracks(tracks: readonly CodedTrack[]): void }) =>
          queueMicrotask(() => reader.onTracks([H265 as unknown as CodedTrack])),
        detach: nothing,
      };
      compatible!.source(feed).open(new SourceSink(events));
    },
  ],
  [
    'for audio',
    { rtspUrl: pushedAddress('digest') },
    (_camera, [sound]) => {
      sound!.open(G722, { onUnit: nothing, onWaiting: nothing }).push(new Uint8Array(160), 0, 160, 0);
    },
  ],
];

it.each(WORKERS)('says whose camera it is to get a worker %s', async (_what, settings, open) => {
  const { requests, sources, sounds } = setUp();
  const camera = sampleCamera(newRuuid(), {
    rtspUrl: new CredentialUrl('rtsp://192.0.2.1/main'),
    substreamUrl: null,
    ...settings,
  });
  open(sources.hubCamera(camera), sounds);
  await eventually('a start', () => requests.length > 0);
  expect(requests[0]).toMatchObject({ organization: camera.orgUuid, cameraUuid: camera.uuid });
});
